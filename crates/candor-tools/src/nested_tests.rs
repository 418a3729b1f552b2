use super::*;

struct Place {
    home: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        Self { home: tempfile::tempdir().expect("a folder") }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().canonicalize().expect("it is there").join("workspace").join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("it has one")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    /// What is found, in any order.
    fn found(&self) -> Vec<PathBuf> {
        let root = self.path("");
        let mut found = below(&[root.canonicalize().expect("it is there")]);
        found.sort();
        found
    }
}

#[test]
fn what_git_keeps_and_what_is_named_is_found_and_nothing_outside() {
    let place = Place::new();
    place.write(".git/modules/libs/one/config", "[core]\n\tworktree = ../../../../libs/one\n");
    place.write(
        ".git/modules/libs/one/modules/in/config",
        "[core]\n\tworktree = ../../../../../../libs/one/in\n",
    );
    place.write(".git/modules/away/config", "[core]\n\tworktree = ../../../../away\n");
    let crowd: Vec<String> = (0..2 * NESTED_MAX).map(|at| format!("\tpath = a{at}\n")).collect();
    let names = "\tpath = libs/one\n\tpath = node_modules/two\n\tpath = ../x\n";
    place.write(".gitmodules", &format!("{}{names}", crowd.concat()));
    place.write("node_modules/two/.gitmodules", "[submodule \"three\"]\n\tpath = \"th ree\"\n");
    for name in ["libs/one", "libs/one/in", "node_modules/two", "node_modules/two/th ree", "../x", "../away"]
    {
        place.write(&format!("{name}/.git"), "gitdir: elsewhere\n");
    }
    let expected = ["libs/one", "libs/one/in", "node_modules/two", "node_modules/two/th ree"];
    assert_eq!(place.found(), expected.map(|name| place.path(name)));
}

#[test]
fn folders_are_looked_through_within_bounds_and_over_no_link() {
    let place = Place::new();
    let deep = "1/2/3/4/5/6";
    for name in ["vendor/lib", "vendor/lib/in", deep, "1/2/3/4/5/6/7", "target/x", "node_modules/x", "../out"]
    {
        place.write(&format!("{name}/.git/HEAD"), "ref: refs/heads/main\n");
    }
    // No repository yet.
    fs::create_dir_all(place.path("begun/.git")).expect("a folder");
    std::os::unix::fs::symlink(place.path("../out"), place.path("link")).expect("a link");
    let expected = [deep, "vendor/lib", "vendor/lib/in"];
    assert_eq!(place.found(), expected.map(|name| place.path(name)));
}

#[test]
fn what_lies_anywhere_does_not_crowd_out_what_git_goes_into() {
    let place = Place::new();
    for at in 0..NESTED_MAX {
        place.write(&format!("a{at}/.git/HEAD"), "ref: refs/heads/main\n");
    }
    place.write(".gitmodules", "\tpath = z/deep/down/below/far/away/and/on\n");
    let named = "z/deep/down/below/far/away/and/on";
    place.write(&format!("{named}/.git/HEAD"), "ref: refs/heads/main\n");
    let found = place.found();
    assert!(found.contains(&place.path(named)) && found.len() == NESTED_MAX, "{}", found.len());
}

#[test]
fn links_are_protected_where_they_lead_and_each_place_of_a_linked_worktree_is() {
    let place = Place::new();
    place.write("store/config", "[extensions]\n\tWorktreeConfig = true\n");
    place.write("one/.git/HEAD", "ref: refs/heads/main\n");
    std::os::unix::fs::symlink("../../store/config", place.path("one/.git/config")).expect("a link");
    let mut expected =
        ["store/config", "one/.git/hooks", "one/.git/config.worktree"].map(|name| place.path(name));
    expected.sort();
    let mut found = protected(&place.path("one"));
    found.sort();
    assert_eq!(found, expected);
    place.write("two/.git", "gitdir: ../main/.git/worktrees/two\n");
    place.write("main/.git/HEAD", "ref: refs/heads/main\n");
    place.write("main/.git/worktrees/two/commondir", "../..\n");
    let own = ["config", "hooks", "commondir"].map(|name| place.path("main/.git/worktrees/two").join(name));
    let shared = ["config", "hooks"].map(|name| place.path("main/.git").join(name));
    let mut expected: Vec<PathBuf> = own.into_iter().chain(shared).chain([place.path("two/.git")]).collect();
    expected.sort();
    let mut found = protected(&place.path("two"));
    found.sort();
    assert_eq!(found, expected);
}
