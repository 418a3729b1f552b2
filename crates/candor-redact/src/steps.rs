//! Counts the bytes that checks read, in debug builds only: the proof that redaction is linear on inputs made
//! to be slow must not depend on a clock.

#[cfg(debug_assertions)]
use std::cell::Cell;

#[cfg(debug_assertions)]
thread_local! {
    static STEPS: Cell<usize> = const { Cell::new(0) };
}

/// Notes that a check has read so many bytes.
pub(crate) fn spend(bytes: usize) {
    #[cfg(debug_assertions)]
    STEPS.set(STEPS.get().saturating_add(bytes));
    #[cfg(not(debug_assertions))]
    let _ = bytes;
}

/// Bytes read by checks on this thread since the last call; always zero in release builds.
pub(crate) fn take() -> usize {
    #[cfg(debug_assertions)]
    return STEPS.take();
    #[cfg(not(debug_assertions))]
    return 0;
}
