//! What stands at a path, and the name by which a change remembers it.
//!
//! A file is named by its content, a symbolic link by its text, which is all that it holds. A pipe, a socket and a device
//! hold nothing. A name says what it is the name of, so that nothing is put back as something else; one that says nothing
//! is that of a file whose mode is not known.

use std::io;

use candor_protocol::Change;
use rustix::fs::FileType;

/// What the name of a link begins with.
const LINK: &str = "link:";

/// What stands at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Standing {
    /// A file: the name of its content, and its mode where that is known.
    File {
        content: String,
        mode: Option<u32>,
    },
    /// A symbolic link: the name of its text.
    Link {
        text: String,
    },
    Special(Special),
}

/// What is neither a file nor a link nor a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Special {
    Pipe,
    Socket,
    Device,
}

const SPECIALS: &[Special] = &[Special::Pipe, Special::Socket, Special::Device];

impl Special {
    /// Nothing: it is something else.
    pub(crate) fn of(kind: FileType) -> Option<Self> {
        match kind {
            FileType::Fifo => Some(Self::Pipe),
            FileType::Socket => Some(Self::Socket),
            FileType::CharacterDevice | FileType::BlockDevice => Some(Self::Device),
            _ => None,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Pipe => "pipe",
            Self::Socket => "socket",
            Self::Device => "device",
        }
    }
}

impl Standing {
    /// The name of it.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::File { content, mode: None } => content.clone(),
            Self::File { content, mode: Some(mode) } => format!("{content}:{mode:o}"),
            Self::Link { text } => format!("{LINK}{text}"),
            Self::Special(special) => special.name().to_owned(),
        }
    }

    /// What has this name. Whatever else it says, it is no content that was kept.
    fn named(name: &str) -> Self {
        if let Some(text) = name.strip_prefix(LINK) {
            return Self::Link { text: text.to_owned() };
        }
        if let Some(special) = SPECIALS.iter().find(|special| special.name() == name) {
            return Self::Special(*special);
        }
        let (content, mode) = match name.split_once(':') {
            Some((content, mode)) => (content, u32::from_str_radix(mode, 8).ok()),
            None => (name, None),
        };
        Self::File { content: content.to_owned(), mode }
    }

    /// What stood there before a change.
    pub(crate) fn before(change: &Change) -> Option<Self> {
        let standing = Self::named(change.before.as_ref()?);
        Some(match standing {
            Self::File { content, mode } => Self::File { content, mode: mode.or(change.mode) },
            other => other,
        })
    }

    /// Whether this is what stood there before a change.
    pub(crate) fn is_before(now: Option<&Self>, change: &Change) -> bool {
        change.kept && agree(now, Self::before(change).as_ref())
    }

    /// Whether this is what the change left there.
    pub(crate) fn is_after(now: Option<&Self>, change: &Change) -> bool {
        // Nothing is known of what is gone or too long where nothing was kept.
        if !change.kept && change.after.is_none() {
            return false;
        }
        let after = change.after.as_deref().map(Self::named);
        agree(now, after.as_ref())
    }
}

/// Whether what stands there is what is known; a mode that is not known may be any.
fn agree(now: Option<&Standing>, known: Option<&Standing>) -> bool {
    match (now, known) {
        (Some(Standing::File { content: one, mode: now }), Some(Standing::File { content: two, mode })) => {
            one == two && now.zip(*mode).is_none_or(|(now, known)| is_mode(now, known))
        }
        (now, known) => now == known,
    }
}

/// Whether a file has this mode; the bits that lend its owner's rights are not put back.
pub(crate) fn is_mode(now: u32, known: u32) -> bool {
    now == known || now == known & 0o777
}

/// Something that cannot be put back.
pub(crate) fn not_made_anew(special: Special) -> io::Error {
    io::Error::other(format!("a {} stood there, which is not made anew", special.name()))
}
