//! Decides whether work is done, by machine: what can be checked here, running it, and a verdict with its evidence.
//!
//! Detection reads a workspace and gives a [`Plan`](plan::Plan): checks that end by themselves, and services that do not. The
//! runner carries out of it what a profile asks for. A service is started behind the session's walls, waited for, probed,
//! and its log is read from its first byte; it passes if it was healthy the whole time. The verdict is a function of what
//! was seen and of nothing else.
//!
//! Start reading at [`run`](run::run), then `service/` for the life of a service and [`verdict`](verdict::verdict) for what is
//! made of it; [`plan`] has the words that all of it shares, `declare/` and `detect/` make plans, `report/` shows what came.
//!
//! Deliberately absent: a model, and any judgement of what somebody says about the work.

pub mod bot;
mod check;
pub mod classify;
pub mod declare;
pub mod detect;
pub mod diagnostics;
mod excerpt;
pub mod found;
pub mod ground;
pub mod heard;
pub mod logs;
mod plain;
pub mod plan;
pub mod probe;
pub mod profile;
pub mod report;
pub mod run;
mod runners;
pub mod select;
pub mod service;
pub mod verdict;

pub use ground::BoxFuture;
