//! Levels of the log.

use candor_protocol::{InvalidLevel, Level};

#[test]
fn levels_are_ordered_by_how_much_they_matter() {
    assert!(Level::Error < Level::Warn && Level::Warn < Level::Info && Level::Info < Level::Debug);
    assert_eq!(Level::default(), Level::Info);
}

#[test]
fn a_level_is_a_lower_case_word_read_in_any_case() {
    for level in Level::ALL {
        assert_eq!(serde_json::to_value(level).expect("serializes"), level.as_str());
        assert_eq!(level.as_str().to_uppercase().parse(), Ok(*level));
    }
    assert_eq!("WARNING".parse(), Ok(Level::Warn));
    assert_eq!("loud".parse::<Level>(), Err(InvalidLevel("loud".into())));
}
