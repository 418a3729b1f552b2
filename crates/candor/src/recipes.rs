//! Which recipes are in force here.

use std::path::Path;
use std::sync::Arc;

use candor_cards::RuleBase;
use candor_tools::{RecipePlace, Recipes};

use crate::context::Context;

/// Where recipes are read from: the person's own, then the workspace's.
pub(crate) fn places(home: Option<&Path>, workspace: &Path) -> Vec<RecipePlace> {
    let own = home.map(|home| RecipePlace::Own(home.join("recipes")));
    own.into_iter().chain([RecipePlace::Workspace(workspace.join(".candor/recipes"))]).collect()
}

/// A word about each file that is left out, for whoever starts a run: its cards would be missed without a reason.
pub(crate) fn warn(recipes: &Recipes, context: &Context<'_>) {
    for failure in recipes.broken() {
        let fact = |name| failure.fact(name).unwrap_or_default();
        let (code, path) = (failure.code, fact("path"));
        let first = fact("problems").lines().next().unwrap_or_default();
        let check = format!("candor errors check {}", candor_cards::quote(path));
        context.screen.warn(&format!("{path} is left out: {first} ({code}); `{check}` says more"));
    }
}

/// The rules, after a word about the files that are left out.
pub(crate) fn rules(context: &Context<'_>) -> Arc<RuleBase> {
    let home = context.home().ok();
    let recipes = Recipes::new(places(home.as_ref().map(candor_config::Home::path), &context.folder()));
    for failure in recipes.broken() {
        context.screen.card(&failure);
    }
    recipes.rules()
}
