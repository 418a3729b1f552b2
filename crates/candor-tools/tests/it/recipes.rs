//! Recipes are read anew when their files change.

use std::fs;

use candor_tools::{RecipePlace, Recipes};

const RECIPE: &str = "
ecosystem: lids
rules:
  - { code: LID_OPEN, class: Runtime, title: The lid is open, match: 'the lid is open', cause: It is open., steps: [{ do: Close it. }],
      examples: [{ from: docs, command: box, exit: 1, output: the lid is open }] }
";

#[test]
fn a_file_that_is_added_changed_broken_or_removed_counts_at_the_next_failure() {
    let home = tempfile::tempdir().unwrap();
    let (directory, file) = (home.path().join("recipes"), home.path().join("recipes/lids.yaml"));
    let recipes = Recipes::new(vec![RecipePlace::Own(directory.clone())]);
    let has = |code: &str| recipes.rules().rules().any(|(_, rule)| rule.code == code);
    let ours = recipes.rules().len();
    assert!(ours > 0 && recipes.broken().is_empty(), "a directory that is not there is no trouble");
    fs::create_dir(&directory).unwrap();
    fs::write(&file, RECIPE).unwrap();
    assert!(has("LID_OPEN"));
    assert_eq!(recipes.rules().len(), ours + 1);
    fs::write(&file, RECIPE.replace("LID_OPEN", "LID_STANDS_OPEN")).unwrap();
    assert!(has("LID_STANDS_OPEN") && !has("LID_OPEN"));
    fs::write(&file, "rules: 3").unwrap();
    assert_eq!((recipes.rules().len(), recipes.broken().len()), (ours, 1));
    fs::remove_file(&file).unwrap();
    assert_eq!((recipes.rules().len(), recipes.broken().len()), (ours, 0));
}

#[test]
fn what_did_not_change_is_not_read_again() {
    let recipes = Recipes::default();
    assert!(std::sync::Arc::ptr_eq(&recipes.rules(), &recipes.rules()));
}
