//! Where the kernel says that an open file is.

use std::ffi::OsString;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use rustix::io::Errno;

/// The path under which the kernel knows an open file.
pub fn real_path(file: impl AsFd) -> Result<PathBuf, Errno> {
    #[cfg(target_os = "linux")]
    let path = rustix::fs::readlink(name(file.as_fd())?, Vec::new())?;
    #[cfg(target_os = "macos")]
    let path = rustix::fs::getpath(file)?;
    Ok(PathBuf::from(OsString::from_vec(path.into_bytes())))
}

/// How an open file or folder is called, for those who take only names: it is this very file, whatever happens to its path.
#[cfg(target_os = "linux")]
pub fn name(file: impl AsFd) -> Result<PathBuf, Errno> {
    use std::os::fd::AsRawFd;
    Ok(PathBuf::from(format!("/proc/self/fd/{}", file.as_fd().as_raw_fd())))
}

/// How an open file or folder is called, for those who take only names. This kernel has no names of its own for them: it is
/// where the file is at this moment.
#[cfg(not(target_os = "linux"))]
pub fn name(file: impl AsFd) -> Result<PathBuf, Errno> {
    real_path(file)
}
