//! Passwords on command lines and in `.netrc` entries, where a flag or a place says what the word is.
//!
//! What makes a word a secret is looked for forward, from the command's name. To look back from the flag would
//! see less behind a secret that is stepped over than behind its mask, and masking twice would find more.

use crate::{
    check::skip_blanks,
    found::Found,
    quote::{backslashes_from, ends_json_string},
    rule::Hit,
    set::{DIGIT, Set},
    steps::spend,
    value,
};

/// More words than this between a command and its flag are another sentence.
const WORDS_MAX: usize = 16;

/// Blanks between two words.
const BLANKS_MAX: usize = 8;

/// What ends a word. A sign of the shell ends the search too.
static STOP: Set = Set::of(" \t\r\n\"'`\\<>;|&");
static QUOTE: Set = Set::of("\"'");

/// `-u user:password`; only the password is masked.
pub(crate) fn user(line: &[u8], hit: Hit) -> Option<Found> {
    const PAIR_BYTES_MAX: usize = 256;
    // `-uuser:password` and `-u user:password`.
    let at = hit.end + usize::from(line.get(hit.end) == Some(&b' '));
    let start = at + usize::from(line.get(at).is_some_and(|&byte| QUOTE.has(byte)));
    let window = line.get(..line.len().min(start + PAIR_BYTES_MAX))?;
    let end = STOP.find(window, start);
    let pair = line.get(start..end)?;
    let colon = memchr::memchr(b':', pair)?;
    let password = pair.get(colon + 1..)?;
    let number = password.iter().all(|&byte| DIGIT.has(byte) || byte == b':');
    // `docker run -u 1000:1000` is a user and a group, and `date -u +%H:%M` has a format.
    let secret = colon > 0
        && !number
        && !pair.starts_with(b"+")
        && !value::is_stand_in(password)
        && password.len() >= 3;
    (secret && !is_of_other_command(line, hit.start))
        .then(|| Found::bare("command-line-user", start + colon + 1..end))
}

/// Whether the command in sight is one whose `-u` takes no password. A list of these rather than of those that
/// take one, because what is out of sight must count as a secret.
fn is_of_other_command(line: &[u8], flag_at: usize) -> bool {
    const SIGHT_BYTES_MAX: usize = 256;
    const OTHERS: &[&[u8]] = &[b"docker", b"podman", b"nerdctl", b"rsync", b"perldoc"];
    const THESE: &[&[u8]] = &[b"curl", b"wget", b"http", b"https", b"xh"];
    static NEXT_COMMAND: Set = Set::of("\r\n\\`;|&(");
    static SEPARATOR: Set = Set::of(" \t\"'/$]");
    let sight = line.get(flag_at.saturating_sub(SIGHT_BYTES_MAX)..flag_at).unwrap_or_default();
    spend(sight.len());
    let command = sight.rsplit(|&byte| NEXT_COMMAND.has(byte)).next().unwrap_or_default();
    let mut words = command.rsplit(|&byte| SEPARATOR.has(byte));
    words
        .find(|word| OTHERS.contains(word) || THESE.contains(word))
        .is_some_and(|word| OTHERS.contains(&word))
}

/// How a command takes its password.
#[derive(Clone, Copy)]
struct Flag {
    text: &'static [u8],
    /// Whether the password may be the next word.
    apart: bool,
    /// Whether the password may stand right behind the flag.
    glued: bool,
}

/// `mysql -pPASSWORD`, `sshpass -p PASSWORD`, `redis-cli -a PASSWORD`, `docker login -p PASSWORD`.
pub(crate) fn password(line: &[u8], hit: Hit) -> Option<Found> {
    let command = line.get(hit.start..hit.end)?;
    let flag = match command.first()?.to_ascii_lowercase() {
        // A blank behind `-p` makes these ask, and what follows is the database.
        b'm' => Flag { text: b"-p", apart: false, glued: true },
        b'r' => Flag { text: b"-a", apart: true, glued: false },
        b's' => Flag { text: b"-p", apart: true, glued: true },
        _ => Flag { text: b"-p", apart: true, glued: false },
    };
    let mut words = Words { line, at: hit.end };
    for _ in 0..WORDS_MAX {
        let (start, end) = words.quoted()?;
        let word = line.get(start..end)?;
        if word == flag.text && flag.apart {
            return found("command-line-password", line, words.value()?);
        }
        if word.len() > flag.text.len() && word.starts_with(flag.text) && flag.glued {
            return found("command-line-password", line, (start + flag.text.len(), end));
        }
    }
    None
}

/// `machine host login user password value`, on one line.
pub(crate) fn netrc(line: &[u8], hit: Hit) -> Option<Found> {
    let mut words = Words { line, at: hit.end };
    words.next()?;
    for _ in 0..3 {
        let (start, end) = words.next()?;
        let field = line.get(start..end)?;
        let place = words.next()?;
        match field {
            b"login" | b"account" => {}
            b"password" => return found("netrc-password", line, place),
            _ => return None,
        }
    }
    None
}

fn found(rule: &'static str, line: &[u8], (start, end): (usize, usize)) -> Option<Found> {
    let value = line.get(start..end)?;
    (!value::is_stand_in(value)).then(|| Found::bare(rule, start..end))
}

/// The words of a command line.
struct Words<'a> {
    line: &'a [u8],
    at: usize,
}

impl Words<'_> {
    /// The next word, which may stand in quotes; those are not part of it.
    fn quoted(&mut self) -> Option<(usize, usize)> {
        self.at = skip_quotes(self.line, skip_blanks(self.line, self.at, BLANKS_MAX));
        self.next()
    }

    fn next(&mut self) -> Option<(usize, usize)> {
        let start = skip_blanks(self.line, self.at, BLANKS_MAX);
        let end = STOP.find(self.line, start);
        self.at = end;
        (end > start).then_some((start, end))
    }

    /// The next word, which may stand in quotes. A quote may also close the string that the command stands in.
    fn value(&mut self) -> Option<(usize, usize)> {
        let start = skip_blanks(self.line, self.at, BLANKS_MAX);
        let quote = self.line.get(start).copied().filter(|&byte| QUOTE.has(byte));
        let Some(quote) = quote else { return self.next() };
        if start == self.at || ends_json_string(self.line, start + 1) {
            return None;
        }
        self.at = start + 1;
        self.next().filter(|&(_, end)| self.line.get(end) == Some(&quote))
    }
}

/// Skips the quotes around words, also those of a command that stands in a JSON string.
fn skip_quotes(line: &[u8], at: usize) -> usize {
    const QUOTES_MAX: usize = 4;
    let mut at = at;
    for _ in 0..QUOTES_MAX {
        let quote = at + backslashes_from(line, at);
        if !line.get(quote).is_some_and(|&byte| QUOTE.has(byte)) {
            break;
        }
        at = quote + 1;
    }
    at
}
