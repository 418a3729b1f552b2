//! The table of provider-shaped secrets, by trade. Shapes follow the published token formats.

mod chat;
mod cloud;
mod generic;
mod hosts;
mod infra;
mod models;
mod payments;

use crate::rule::Rule;

/// A kind of secret that the rules know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleSummary {
    /// The stable name that a [`Finding`](crate::Finding) carries.
    pub name: &'static str,
    /// What it finds, in a few words.
    pub about: &'static str,
}

/// Every kind of secret the rules know, without known values and key names.
pub fn rules() -> impl Iterator<Item = RuleSummary> {
    all().map(|rule| RuleSummary { name: rule.name, about: rule.about })
}

pub(crate) fn all() -> impl Iterator<Item = &'static Rule> {
    let tables = [
        cloud::RULES,
        models::RULES,
        hosts::RULES,
        chat::RULES,
        payments::RULES,
        infra::RULES,
        generic::RULES,
    ];
    tables.into_iter().flatten()
}
