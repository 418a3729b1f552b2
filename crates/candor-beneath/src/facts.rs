//! What a look at a file says, in the same numbers on every system.

use rustix::fs::{Mode, RawMode, Stat};

/// What a look at a file says, in the same numbers on every system.
pub trait Facts {
    /// Which file it is, whatever it is called: its device and its number there. The standard library says the same.
    fn file(&self) -> (u64, u64);
    /// Who may do what with it.
    fn permissions(&self) -> u32;
    /// When its content was changed, in seconds and nanoseconds.
    fn modified(&self) -> (i64, i64);
    /// When anything about it was changed, as nobody but the kernel can say.
    fn changed(&self) -> (i64, i64);
}

#[allow(
    clippy::unnecessary_cast,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    clippy::cast_lossless,
    reason = "every system has its own types for these"
)]
impl Facts for Stat {
    fn file(&self) -> (u64, u64) {
        (self.st_dev as u64, self.st_ino as u64)
    }

    fn permissions(&self) -> u32 {
        self.st_mode as u32 & 0o7777
    }

    fn modified(&self) -> (i64, i64) {
        (self.st_mtime as i64, self.st_mtime_nsec as i64)
    }

    fn changed(&self) -> (i64, i64) {
        (self.st_ctime as i64, self.st_ctime_nsec as i64)
    }
}

/// Permissions as the kernel wants them.
pub fn mode(permissions: u32) -> Mode {
    // What is cut off is no permission.
    Mode::from_raw_mode(RawMode::try_from(permissions & 0o7777).unwrap_or_default())
}
