/// How much a sample differs from the one before.
pub fn change(before: u32, now: u32) -> i64 {
    i64::from(now - before)
}
