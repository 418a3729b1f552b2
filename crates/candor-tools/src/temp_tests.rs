//! What is used stays, and what nobody uses goes.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, SystemTime};

use rustix::fs::{FlockOperation, flock};

use super::{PREFIX, Temp, held, remove_left_over};

#[test]
fn a_directory_that_nobody_holds_is_removed() {
    let place = tempfile::tempdir().unwrap();
    let path = |name: &str| place.path().join(format!("{PREFIX}{name}"));
    for name in ["used", "left"] {
        fs::create_dir_all(path(name).join("deep")).unwrap();
    }
    fs::create_dir(place.path().join("candor-other")).unwrap();
    let lock = held(&path("used")).unwrap();
    flock(&lock, FlockOperation::NonBlockingLockShared).unwrap();
    remove_left_over(place.path(), Duration::from_secs(3600));
    assert!(path("left").exists(), "it is young");
    remove_left_over(place.path(), Duration::ZERO);
    assert!(!path("left").exists());
    assert!(path("used").exists() && place.path().join("candor-other").exists());
    drop(lock);
    remove_left_over(place.path(), Duration::ZERO);
    assert!(!path("used").exists());
}

#[test]
fn nobody_else_can_look_into_one() {
    let made = Temp::new().unwrap();
    assert_eq!(fs::metadata(made.path()).unwrap().mode() & 0o7777, 0o700);
}

#[test]
fn the_oldest_go_first() {
    let made = Temp::new().unwrap();
    let path = |name: &str| made.path().join(name);
    let now = SystemTime::now();
    for (name, age) in [("old", 3), ("older", 4), ("young", 1)] {
        fs::write(path(name), [0; 100]).unwrap();
        let file = fs::File::options().write(true).open(path(name)).unwrap();
        file.set_modified(now - Duration::from_secs(age)).unwrap();
    }
    fs::create_dir(path("folder")).unwrap();
    made.make_room(300);
    assert!(["old", "older", "young", "folder"].into_iter().all(|name| path(name).exists()), "there is room");
    made.make_room(299);
    assert!(!path("older").exists() && path("old").exists());
    made.make_room(0);
    assert!(!path("old").exists() && !path("young").exists() && path("folder").exists());
}
