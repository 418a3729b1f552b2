use candor_testkit::Home;

#[test]
fn a_home_is_not_created_before_something_is_written() {
    let home = Home::new();
    assert!(!home.path().exists());
    assert!(home.workspace().is_dir() && home.user().is_dir() && home.tmp().is_dir());
    home.write("logs/candor.log", "line\n");
    assert_eq!(home.read("logs/candor.log"), "line\n");
}

#[test]
fn files_are_private_as_the_product_would_write_them() {
    let home = Home::new();
    home.write("config.toml", "");
    assert_eq!((home.mode(""), home.mode("config.toml")), (0o700, 0o600));
    home.set_mode("config.toml", 0o644);
    assert_eq!(home.mode("config.toml"), 0o644);
}

#[test]
fn everything_is_gone_with_the_value() {
    let home = Home::new();
    let written = home.write_in_workspace("a/b.txt", "x");
    assert!(written.exists());
    drop(home);
    assert!(!written.exists());
}

#[test]
#[should_panic(expected = "cannot read")]
fn reading_what_is_not_there_names_it() {
    let _ = Home::new().read("config.toml");
}
