//! Reads a stream of a process to its end, and keeps what is to be kept.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use tokio::fs::{DirBuilder, File, OpenOptions};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::pipe::Receiver;

use crate::capture::Capture;
use crate::output::{Output, Whole};
use crate::running::receiver;

/// What is written of a stream that is too long for memory. A runaway process must not fill the disk.
pub(crate) const SPILL_BYTES_MAX: u64 = 64 << 20;

/// What the first read takes. Most commands say less, and memory that nobody fills would still have to be made.
const FIRST_BYTES: usize = 4 << 10;
/// What a read takes once that was not enough: as much as a pipe holds.
const CHUNK_BYTES: usize = 64 << 10;

/// One stream of a process.
pub(crate) struct Pump {
    pipe: Receiver,
    capture: Capture,
    spill: Spill,
}

/// The file for the whole of a stream.
enum Spill {
    /// Not needed so far.
    Unopened(PathBuf),
    /// It takes what comes.
    Open { path: PathBuf, file: File, written_bytes: u64 },
    /// It is not wanted, or it did not work: the process is more important than its output.
    Off,
}

impl Pump {
    /// Reads from this pipe; `spill` is the file to make if the stream is longer than `bytes_max`.
    pub(crate) fn new(pipe: OwnedFd, bytes_max: usize, spill: Option<PathBuf>) -> io::Result<Self> {
        let spill = spill.map_or(Spill::Off, Spill::Unopened);
        Ok(Self { pipe: receiver(pipe)?, capture: Capture::new(bytes_max), spill })
    }

    /// Reads until nobody holds the other end any more.
    pub(crate) async fn drain(&mut self) {
        let mut chunk = vec![0; FIRST_BYTES];
        while let Ok(read @ 1..) = self.pipe.read(&mut chunk).await {
            let bytes = &chunk[..read];
            if !self.capture.has_room(read) {
                self.spill.write(&self.capture, bytes).await;
            }
            self.capture.push(bytes);
            if read == chunk.len() {
                chunk.resize(CHUNK_BYTES, 0);
            }
        }
    }

    /// Puts what is still on its way into the file.
    pub(crate) async fn flush(&mut self) {
        if let Spill::Open { file, .. } = &mut self.spill
            && file.flush().await.is_err()
        {
            self.spill = Spill::Off;
        }
    }

    /// What was read so far.
    pub(crate) fn into_output(self) -> Output {
        let (head, tail, total_bytes) = self.capture.into_parts();
        let whole = match self.spill {
            Spill::Open { path, written_bytes, .. } if written_bytes == total_bytes => Whole::In(path),
            Spill::Open { path, written_bytes, .. } => Whole::BeginningIn(path, written_bytes),
            Spill::Unopened(_) | Spill::Off => Whole::Nowhere,
        };
        Output { head, tail, total_bytes, whole }
    }
}

impl Spill {
    /// Appends, beginning with all that was read before when this is the first time.
    async fn write(&mut self, before: &Capture, bytes: &[u8]) {
        let done = match self {
            Self::Unopened(path) => match create(path).await {
                Ok(file) => {
                    *self = Self::Open { path: std::mem::take(path), file, written_bytes: 0 };
                    match self.append(&before.kept()).await {
                        Ok(()) => self.append(bytes).await,
                        failed => failed,
                    }
                }
                Err(error) => Err(error),
            },
            Self::Open { .. } => self.append(bytes).await,
            Self::Off => Ok(()),
        };
        if done.is_err() {
            *self = Self::Off;
        }
    }

    async fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let Self::Open { file, written_bytes, .. } = self else { return Ok(()) };
        let room = usize::try_from(SPILL_BYTES_MAX - *written_bytes).unwrap_or(usize::MAX);
        let bytes = &bytes[..bytes.len().min(room)];
        file.write_all(bytes).await?;
        *written_bytes += bytes.len() as u64;
        Ok(())
    }
}

/// A file for this user alone, as a stream may say anything.
async fn create(path: &Path) -> io::Result<File> {
    if let Some(directory) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(directory).await?;
    }
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).await
}
