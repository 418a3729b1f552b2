//! When hooks are run.

macro_rules! occasions {
    ($($(#[$note:meta])* $name:ident,)+) => {
        /// When hooks are run, by the names of the ecosystem.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Occasion {
            $($(#[$note])* $name,)+
        }

        impl Occasion {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// The name as it is written.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($name),)+
                }
            }
        }
    };
}

occasions! {
    /// A call is about to be looked at by the rules.
    PreToolUse,
    /// A person is about to be asked about a call.
    PermissionRequest,
    /// A call has worked.
    PostToolUse,
    /// A conversation is about to be shortened.
    PreCompact,
    /// It has been.
    PostCompact,
    /// The first run of a session in this process begins.
    SessionStart,
    /// The session ends in this process.
    SessionEnd,
    /// A person has said something, and nothing of it is stored.
    UserPromptSubmit,
    /// A helper is about to begin.
    SubagentStart,
    /// A helper has no more to say.
    SubagentStop,
    /// The model has no more to say, and nothing was verified yet.
    Stop,
    /// There is a verdict. This one is ours.
    Verified,
}

impl Occasion {
    /// The one of this name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|occasion| occasion.as_str() == name)
    }

    /// Whether nothing may go on when a hook cannot be asked. Whoever put a guard there did not mean: unless it is ill.
    pub(crate) const fn is_guarded(self) -> bool {
        matches!(self, Self::PreToolUse | Self::PermissionRequest | Self::UserPromptSubmit)
    }

    /// Whether plain words of a hook are for the model.
    pub(crate) const fn takes_words(self) -> bool {
        matches!(self, Self::SessionStart | Self::UserPromptSubmit | Self::SubagentStart)
    }

    /// Whether there is anything that a matcher could be compared with.
    pub(crate) const fn has_subject(self) -> bool {
        !matches!(self, Self::UserPromptSubmit | Self::Stop | Self::Verified)
    }

    /// Whether what its hooks change belongs to the work: it can be taken back, and is verified.
    pub(crate) const fn is_work(self) -> bool {
        matches!(
            self,
            Self::PreToolUse
                | Self::PermissionRequest
                | Self::PostToolUse
                | Self::SubagentStop
                | Self::Stop
                | Self::Verified
        )
    }
}
