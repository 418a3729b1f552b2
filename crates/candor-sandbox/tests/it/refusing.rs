//! Without walls there is nothing to run behind.

use candor_sandbox::{Error, Level, Policy, Sandbox, best_level};

#[test]
fn walls_are_refused_whatever_is_asked_of_them() {
    let levels = [Level::None, Level::Landlock, Level::Bubblewrap, Level::Namespaces];
    for minimum in levels {
        let error = Sandbox::open(&Policy::default(), minimum).unwrap_err();
        let Error::TooWeak { reached, minimum, why } = error else { panic!("{error:?}") };
        assert_eq!(reached, Level::None);
        assert!(minimum >= Level::Landlock);
        assert!(why.contains("Linux") && why.ends_with(std::env::consts::OS), "{why}");
    }
    for level in &levels[1..] {
        assert!(Sandbox::open_at(Policy::default(), *level).is_err());
    }
    assert_eq!(best_level().0, Level::None);
    assert_eq!(Sandbox::bare().level(), Level::None);
}
