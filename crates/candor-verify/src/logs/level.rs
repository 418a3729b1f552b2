//! The words and numbers that name a level.

/// What a level says of its entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    /// Something went wrong.
    Failure,
    /// A warning.
    Warning,
    /// Anything below.
    Other,
}

/// The longest of the words below.
const WORD_BYTES_MAX: usize = 13;

impl Level {
    /// The level of this name, in letters of any size.
    pub(super) fn named(word: &str) -> Option<Self> {
        let mut small = [0; WORD_BYTES_MAX];
        let small = small.get_mut(..word.len())?;
        small.copy_from_slice(word.as_bytes());
        small.make_ascii_lowercase();
        match &*small {
            b"error" | b"err" | b"erro" | b"eror" | b"errr" | b"fatal" | b"fata" | b"ftl" | b"critical"
            | b"critica" | b"crit" | b"alert" | b"emerg" | b"emergency" | b"panic" | b"pani" | b"pnc"
            | b"dpanic" | b"severe" => Some(Self::Failure),
            b"warning" | b"warn" | b"wrn" | b"warni" => Some(Self::Warning),
            b"info" | b"information" | b"informational" | b"inf" | b"notice" | b"note" | b"debug"
            | b"dbg" | b"debu" | b"dbug" | b"trace" | b"trc" | b"trac" | b"verbose" | b"vrb" | b"fine"
            | b"finer" | b"finest" | b"config" | b"log" | b"success" | b"http" | b"silly" | b"audit"
            | b"default" | b"hint" | b"statement" | b"detail" | b"context" => Some(Self::Other),
            _ => None,
        }
    }

    /// The level of a priority of syslog: 0 to 3 are emergency, alert, critical and error.
    pub(super) const fn of_syslog(priority: u32) -> Self {
        match priority % 8 {
            0..=3 => Self::Failure,
            4 => Self::Warning,
            _ => Self::Other,
        }
    }

    /// Failure from here on, warning from there on.
    pub(super) fn by_size(number: f64, failure: f64, warning: f64) -> Self {
        if number >= failure {
            Self::Failure
        } else if number >= warning {
            Self::Warning
        } else {
            Self::Other
        }
    }
}
