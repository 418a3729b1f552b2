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

/// The rules, after a word about the files that are left out.
pub(crate) fn rules(context: &Context<'_>) -> Arc<RuleBase> {
    let home = context.home().ok();
    let workspace = context
        .request
        .workspace
        .as_ref()
        .map_or_else(|| context.request.cwd.clone(), |dir| context.request.cwd.join(dir));
    let recipes = Recipes::new(places(home.as_ref().map(candor_config::Home::path), &workspace));
    for failure in recipes.broken() {
        context.screen.card(&failure);
    }
    recipes.rules()
}
