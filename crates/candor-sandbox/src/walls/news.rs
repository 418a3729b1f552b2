//! What a process says while it is being started, through a pipe and in one piece.

use rustix::io::Errno;

/// Where a process failed. The numbers travel through a pipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub(crate) enum Stage {
    Enter,
    Separate,
    Fork,
    Mount,
    Privileges,
    Streams,
    Cwd,
    Limits,
    Landlock,
    Filter,
    Exec,
}

impl Stage {
    const ALL: [Self; 11] = [
        Self::Enter,
        Self::Separate,
        Self::Fork,
        Self::Mount,
        Self::Privileges,
        Self::Streams,
        Self::Cwd,
        Self::Limits,
        Self::Landlock,
        Self::Filter,
        Self::Exec,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Enter => "enter the session's namespaces",
            Self::Separate => "make namespaces",
            Self::Fork => "start a process in them",
            Self::Mount => "mount",
            Self::Privileges => "give up privileges",
            Self::Streams => "connect the streams",
            Self::Cwd => "enter the directory",
            Self::Limits => "set limits",
            Self::Landlock => "enter the Landlock rules",
            Self::Filter => "enter the filter on system calls",
            Self::Exec => "start the program",
        }
    }
}

/// What a process says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum News {
    /// The command runs.
    Started,
    /// A step failed, and nothing runs. Of the mounts, it is the one with this index.
    Failed { stage: Stage, index: usize, errno: i32 },
}

impl News {
    /// Three numbers: a stage, the index of a mount, an error.
    pub(crate) const BYTES: usize = 12;
    /// In place of a stage.
    const STARTED: i32 = -1;

    pub(crate) fn failed(stage: Stage, index: usize, error: Errno) -> Self {
        Self::Failed { stage, index, errno: error.raw_os_error() }
    }

    pub(crate) fn encode(self) -> [u8; Self::BYTES] {
        let numbers = match self {
            Self::Started => [Self::STARTED, 0, 0],
            Self::Failed { stage, index, errno } => {
                [stage as i32, i32::try_from(index).unwrap_or(i32::MAX), errno]
            }
        };
        let mut bytes = [0; Self::BYTES];
        for (to, from) in bytes.chunks_exact_mut(4).zip(numbers) {
            to.copy_from_slice(&from.to_ne_bytes());
        }
        bytes
    }

    pub(crate) fn decode(bytes: [u8; Self::BYTES]) -> Self {
        let number = |at: usize| {
            let mut four = [0; 4];
            four.copy_from_slice(&bytes[at * 4..at * 4 + 4]);
            i32::from_ne_bytes(four)
        };
        if number(0) == Self::STARTED {
            return Self::Started;
        }
        let stage = Stage::ALL.into_iter().find(|stage| *stage as i32 == number(0));
        let index = usize::try_from(number(1)).unwrap_or_default();
        Self::Failed { stage: stage.unwrap_or(Stage::Separate), index, errno: number(2) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_what_is_heard() {
        let failed = Stage::ALL.map(|stage| News::failed(stage, 7, Errno::NOSPC));
        for news in failed.into_iter().chain([News::Started]) {
            assert_eq!(News::decode(news.encode()), news);
        }
    }
}
