//! What is kept has a bound.

use std::fs::File;
use std::time::{Duration, SystemTime};

use super::Snapshots;

#[test]
fn the_oldest_go_when_there_is_too_much() {
    let directory = tempfile::tempdir().unwrap();
    let snapshots = Snapshots::new(directory.path());
    let names: Vec<String> = (0..4_u8).map(|number| snapshots.keep(&[number; 100]).unwrap()).collect();
    for (age, name) in (0..).zip(names.iter().rev()) {
        let then = SystemTime::now() - Duration::from_secs(1000 * (age + 1));
        File::open(directory.path().join(name)).unwrap().set_modified(then).unwrap();
    }
    // What is kept again is young again.
    snapshots.keep(&[0; 100]).unwrap();
    snapshots.sweep(250);
    let left: Vec<bool> = names.iter().map(|name| snapshots.content(name).is_ok()).collect();
    assert_eq!(left, [true, false, false, true]);
    snapshots.sweep(250);
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 2);
}
