//! The walls: namespaces and mounts, Landlock, seccomp, limits; put up for each process between `clone` and `exec`.

pub(crate) mod bubblewrap;
pub(crate) mod child;
pub(crate) mod filter;
pub(crate) mod init;
mod job;
pub(crate) mod landlock;
pub(crate) mod mounts;
mod news;
pub(crate) mod placeholder;
pub(crate) mod plan;
mod privileges;
mod rest;
pub(crate) mod space;
pub(crate) mod spawn;
pub(crate) mod sys;
pub(crate) mod trial;
