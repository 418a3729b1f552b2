use std::time::{Duration, Instant};

use super::{Answer, Lockout};

fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

#[test]
fn the_twenty_first_guess_of_a_minute_shuts_it_for_a_minute() {
    let (mut lockout, start) = (Lockout::default(), Instant::now());
    for guess in 0..20 {
        assert_eq!(lockout.wrong(start + seconds(guess)), Answer::Wrong);
    }
    assert_eq!(lockout.wrong(start + seconds(20)), Answer::Shut);
    assert_eq!(lockout.wrong(start + seconds(79)), Answer::Shut);
    assert_eq!(lockout.wrong(start + seconds(80)), Answer::Wrong);
}

#[test]
fn slow_guesses_do_not_count_together() {
    let (mut lockout, start) = (Lockout::default(), Instant::now());
    for guess in 0..200 {
        assert_eq!(lockout.wrong(start + seconds(guess * 4)), Answer::Wrong, "guess {guess}");
    }
    assert!(lockout.wrong.len() <= 20);
}
