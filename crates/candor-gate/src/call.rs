//! One simple command, as its words.

use crate::flow::Flow;

/// Stands in a word for text that is not known before the command runs. NUL cannot be in a command, so nothing else
/// can be taken for it.
pub(crate) const UNKNOWN: char = '\0';

/// One word of a command, as far as it is literal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Word {
    /// The text, with [`UNKNOWN`] in place of what is not known.
    pub(crate) text: String,
    /// The programs whose output is in the word.
    pub(crate) ran: Vec<String>,
}

impl Word {
    pub(crate) fn literal(text: impl Into<String>) -> Self {
        Self { text: text.into(), ran: Vec::new() }
    }

    pub(crate) fn is_known(&self) -> bool {
        !self.text.contains(UNKNOWN)
    }
}

/// A simple command: a program and its arguments.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call<'a> {
    /// The program, without its directory.
    pub(crate) name: &'a str,
    /// All words, the program included.
    pub(crate) words: &'a [Word],
    /// What it would read from its standard input.
    pub(crate) flow: &'a Flow,
}

impl<'a> Call<'a> {
    pub(crate) fn new(words: &'a [Word], flow: &'a Flow) -> Self {
        Self { name: words.first().map_or("", |word| base_name(&word.text)), words, flow }
    }

    /// The words after the program.
    pub(crate) fn args(&self) -> impl Iterator<Item = &'a str> + Clone + use<'a> {
        self.words.iter().skip(1).map(|word| word.text.as_str())
    }

    /// The `index`th word after the program.
    pub(crate) fn arg(&self, index: usize) -> Option<&'a str> {
        self.words.get(index + 1).map(|word| word.text.as_str())
    }

    /// The arguments before `--`.
    fn before_dashes(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.args().take_while(|arg| *arg != "--")
    }

    /// Is one of these letters in a group of short options?
    pub(crate) fn has_short(&self, letters: &str) -> bool {
        self.before_dashes().filter_map(short_group).any(|group| group.contains(|c| letters.contains(c)))
    }

    /// Is this long option there, whole or shortened as GNU programs permit?
    pub(crate) fn has_long(&self, long: &str) -> bool {
        self.before_dashes().any(|arg| is_long(arg, long))
    }

    /// Is one of the words among the arguments?
    pub(crate) fn has_word(&self, any: &[&str]) -> bool {
        self.args().any(|arg| any.contains(&arg))
    }

    /// The arguments that are no options.
    pub(crate) fn operands(&self) -> impl Iterator<Item = &'a str> + Clone + use<'a> {
        let mut all = false;
        self.args().filter(move |arg| {
            if all {
                return true;
            }
            all = *arg == "--";
            !arg.starts_with('-') || *arg == "-"
        })
    }

    /// The values of an option, in every spelling: `-oX`, `-o X`, `--out=X`, `--out X`.
    pub(crate) fn values(&self, short: Option<char>, long: Option<&str>) -> Vec<&'a str> {
        let args: Vec<&str> = self.args().collect();
        let mut found = Vec::new();
        for (index, arg) in args.iter().enumerate() {
            let next = args.get(index + 1).copied();
            if let Some(short) = short
                && let Some(group) = short_group(arg)
                && let Some(at) = group.find(short)
            {
                let glued = &group[at + short.len_utf8()..];
                found.extend(if glued.is_empty() { next } else { Some(glued) });
            } else if let Some(long) = long
                && is_long(arg, long)
            {
                found.extend(arg.split_once('=').map_or(next, |(_, value)| Some(value)));
            }
        }
        found
    }
}

/// The letters of a group of short options.
pub(crate) fn short_group(arg: &str) -> Option<&str> {
    arg.strip_prefix('-').filter(|rest| !rest.is_empty() && !rest.starts_with('-'))
}

/// Is `arg` the long option, whole or shortened, with or without a value?
pub(crate) fn is_long(arg: &str, long: &str) -> bool {
    let Some(name) = arg.strip_prefix("--") else { return false };
    let name = name.split('=').next().unwrap_or_default();
    name.len() >= 2 && long.starts_with(name)
}

/// A program without its directory.
pub(crate) fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
