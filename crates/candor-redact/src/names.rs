//! Which identifiers name a secret. The whole identifier decides, word by word, so that `bot_token` does and
//! `inputTokens`, `tokenizer` and `conversationKey` do not.

/// What the value of a secret's name is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A password: any value may be one.
    Password,
    /// A key or a token: a value made by a machine.
    Token,
    /// A name that holds a secret only when the value looks like one (`auth`, `credentials`).
    Opaque,
    /// Words in a row are the secret (`passphrase`, `mnemonic`).
    Phrase,
    /// A scheme, then credentials.
    Authorization,
    /// `name=value` pairs.
    Cookie,
}

/// Identifiers longer than this are generated and never looked at.
pub(crate) const NAME_BYTES_MAX: usize = 80;

/// What wakes the look at an identifier. Every secret's name holds one of these.
pub(crate) const STEMS: &[&str] = &[
    "pass",
    "pwd",
    "secret",
    "token",
    "key",
    "auth",
    "credential",
    "cookie",
    "jwt",
    "mnemonic",
    "phrase",
    "connectionstring",
    "connection_string",
    "connection-string",
    "bearer",
    "psk",
    // Two letters are too few for the index, so that what must follow them stands here too.
    "pw=",
    "pw:",
    "pw ",
    "pw\"",
    "pw'",
    "pw>",
    "pw%",
    "pw\\",
    // Names of prose.
    "api key",
    "access key",
    "secret key",
];

/// The words before `key` that make it one that opens something. `key` alone names an entry of a map.
const KEY_KINDS: &[&str] = &[
    "api",
    "access",
    "secret",
    "private",
    "signing",
    "sign",
    "encryption",
    "encrypt",
    "decryption",
    "auth",
    "authorization",
    "master",
    "account",
    "shared",
    "webhook",
    "ssh",
    "deploy",
    "subscription",
    "app",
    "application",
    "consumer",
    "storage",
    "session",
    "service",
    "hmac",
    "jwt",
    "admin",
    "root",
    "preshared",
    "license",
    "integration",
    "ingest",
    "writekey",
    "write",
    "apim",
    "client",
    "host",
    "functions",
    "rsa",
    "openai",
    "anthropic",
    "stripe",
    "aws",
    "gcp",
    "azure",
    "google",
    "github",
    "datadog",
    "sendgrid",
    "llm",
];

/// The words before `token` that make it a place in a list, a count or a piece of text.
const TOKEN_OTHERS: &[&str] = &[
    "next",
    "page",
    "pagination",
    "continuation",
    "continue",
    "cursor",
    "sync",
    "resume",
    "max",
    "min",
    "num",
    "count",
    "total",
    "input",
    "output",
    "prompt",
    "completion",
    "cached",
    "reasoning",
    "eos",
    "bos",
    "pad",
    "unk",
    "sep",
    "cls",
    "mask",
    "stop",
    "special",
    "start",
    "end",
    "first",
    "last",
    "current",
    "prev",
    "previous",
    "per",
    "cancel",
    "cancellation",
    "unexpected",
    "invalid",
    "missing",
    "expected",
    "syntax",
    "added",
    "no",
    "bad",
    "image",
    "new",
    "position",
    "marker",
    "watch",
    "text",
    "any",
    "each",
    "single",
    "lookahead",
    "lexer",
    "parser",
    "non",
];

/// The words before `pass` that make it a password.
const PASS_KINDS: &[&str] = &[
    "db", "database", "smtp", "mail", "email", "user", "root", "admin", "mysql", "pg", "postgres", "redis",
    "ftp", "ssh", "login", "auth", "http", "proxy", "basic", "wifi", "key", "keystore", "sudo", "rabbitmq",
    "mongo", "ldap", "imap", "vnc", "api", "account", "svc", "service",
];

/// Words that end a name without changing what it holds.
const NEUTRAL_ENDS: &[&str] = &[
    "value",
    "raw",
    "plain",
    "text",
    "plaintext",
    "old",
    "new",
    "current",
    "prod",
    "dev",
    "test",
    "staging",
    "live",
    "primary",
    "secondary",
    "confirm",
    "confirmation",
    "default",
    "base64",
    "b64",
    "hex",
];

/// What an identifier names, if a secret. Works on the bytes as they stand: `apiKey`, `API_KEY`, `x-api-key`.
pub(crate) fn kind(name: &[u8]) -> Option<Kind> {
    if name.len() > NAME_BYTES_MAX {
        return None;
    }
    let mut words = Words::of(without_number(name));
    while words.len() > 1 && (is_one_of(words.last(0), NEUTRAL_ENDS) || is_number(words.last(0))) {
        words.drop_last();
    }
    by_last_word(&words)
}

/// What the items of a list are when the name alone names no secret: `tokens` may be a count or a text in
/// pieces, so its items must show more.
pub(crate) fn items_kind(name: &[u8]) -> Option<Kind> {
    name.eq_ignore_ascii_case(b"tokens").then_some(Kind::Opaque)
}

/// Whether this is the name of the shell's working directory, and of a password elsewhere.
pub(crate) fn is_working_directory(name: &[u8]) -> bool {
    is_one_of(name, &["pwd", "oldpwd"])
}

fn by_last_word(words: &Words<'_>) -> Option<Kind> {
    let (last, before) = (words.last(0), words.last(1));
    let is = |word: &str| last.eq_ignore_ascii_case(word.as_bytes());
    if is("token") {
        let other = words.len() > 1 && is_one_of(before, TOKEN_OTHERS);
        return (!other).then_some(Kind::Token);
    }
    if is("tokens") {
        return is_one_of(before, &["auth", "access", "api", "refresh", "bearer"]).then_some(Kind::Token);
    }
    if is("key") || is("keys") {
        return (words.len() > 1 && is_one_of(before, KEY_KINDS)).then_some(Kind::Token);
    }
    if is("base") {
        let of_secret = is_one_of(before, &["key"]) && is_one_of(words.last(2), &["secret"]);
        return of_secret.then_some(Kind::Token);
    }
    if is("pass") {
        return match words.len() {
            1 => Some(Kind::Opaque),
            _ => is_one_of(before, PASS_KINDS).then_some(Kind::Password),
        };
    }
    if is("hash") {
        let of_password = ["password", "passwd", "pwd"];
        return (words.len() > 1 && is_one_of(before, &of_password)).then_some(Kind::Token);
    }
    if is("phrase") {
        return is_one_of(before, &["pass", "seed", "recovery", "secret", "backup"]).then_some(Kind::Phrase);
    }
    if is("string") || is("word") {
        return match before {
            b if is_one_of(b, &["connection"]) => Some(Kind::Token),
            b if is("word") && is_one_of(b, &["pass"]) => Some(Kind::Password),
            _ => None,
        };
    }
    by_whole_word(last)
}

/// Names written without a seam: `authorization`, `apikey`, `dbpassword`, `authtoken`.
fn by_whole_word(word: &[u8]) -> Option<Kind> {
    const EXACT: &[(&str, Kind)] = &[
        ("authorization", Kind::Authorization),
        ("cookie", Kind::Cookie),
        ("cookies", Kind::Cookie),
        ("setcookie", Kind::Cookie),
        ("passwords", Kind::Password),
        ("passcode", Kind::Password),
        ("pwd", Kind::Password),
        ("pw", Kind::Password),
        ("psk", Kind::Password),
        ("secrets", Kind::Token),
        ("mnemonic", Kind::Phrase),
        ("passphrase", Kind::Phrase),
        ("jwt", Kind::Token),
        ("auth", Kind::Opaque),
        ("bearer", Kind::Opaque),
        ("credential", Kind::Opaque),
        ("credentials", Kind::Opaque),
        ("connectionstring", Kind::Token),
    ];
    const ENDINGS: &[(&str, Kind)] = &[
        ("password", Kind::Password),
        ("passwd", Kind::Password),
        ("passphrase", Kind::Phrase),
        ("secret", Kind::Token),
        ("apikey", Kind::Token),
        ("apikeys", Kind::Token),
        ("secretkey", Kind::Token),
        ("accesskey", Kind::Token),
        ("privatekey", Kind::Token),
        ("signingkey", Kind::Token),
        ("encryptionkey", Kind::Token),
        ("sharedkey", Kind::Token),
        ("accountkey", Kind::Token),
        ("authkey", Kind::Token),
        ("userpwd", Kind::Password),
        ("dbpwd", Kind::Password),
        ("dbpass", Kind::Password),
        ("passcookie", Kind::Token),
        ("sessioncookie", Kind::Token),
    ];
    let exact = EXACT.iter().find(|(known, _)| word.eq_ignore_ascii_case(known.as_bytes()));
    let ending = || ENDINGS.iter().find(|(ending, _)| ends_with(word, ending));
    exact.or_else(ending).map(|&(_, kind)| kind).or_else(|| joined_token(word))
}

/// `authtoken`, `bottoken`: a word that ends in `token` and does not say which place or piece it means.
fn joined_token(word: &[u8]) -> Option<Kind> {
    let head = word.len().checked_sub(5).filter(|_| ends_with(word, "token"))?;
    let head = word.get(..head)?;
    (!is_one_of(head, TOKEN_OTHERS)).then_some(Kind::Token)
}

fn ends_with(word: &[u8], ending: &str) -> bool {
    let start = word.len().checked_sub(ending.len());
    start.and_then(|start| word.get(start..)).is_some_and(|end| end.eq_ignore_ascii_case(ending.as_bytes()))
}

fn is_one_of(word: &[u8], list: &[&str]) -> bool {
    list.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}

/// `password2` is a password; the `64` of `base64` is part of the word.
fn without_number(name: &[u8]) -> &[u8] {
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    if name.ends_with(b"64") { name } else { name.get(..name.len() - digits).unwrap_or_default() }
}

fn is_number(word: &[u8]) -> bool {
    !word.is_empty() && word.iter().all(u8::is_ascii_digit)
}

/// The last words of an identifier, the last one first. More than four never decide.
struct Words<'a> {
    last: [&'a [u8]; 4],
    dropped: usize,
    count: usize,
}

impl<'a> Words<'a> {
    fn of(name: &'a [u8]) -> Self {
        let mut words = Self { last: [&[]; 4], dropped: 0, count: 0 };
        let mut end = name.len();
        for at in (0..name.len()).rev() {
            if matches!(name.get(at), Some(b'_' | b'-' | b'.' | b' ')) {
                words.push(name.get(at + 1..end));
                end = at;
            } else if at == 0 || is_seam(name, at) {
                words.push(name.get(at..end));
                end = at;
            }
        }
        words
    }

    fn push(&mut self, word: Option<&'a [u8]>) {
        if let (Some(word), Some(slot)) =
            (word.filter(|word| !word.is_empty()), self.last.get_mut(self.count))
        {
            *slot = word;
            self.count += 1;
        }
    }

    fn len(&self) -> usize {
        self.count - self.dropped
    }

    /// The word so many places before the last one; empty when there is none.
    fn last(&self, back: usize) -> &'a [u8] {
        self.last.get(self.dropped + back).copied().unwrap_or_default()
    }

    fn drop_last(&mut self) {
        self.dropped += 1;
    }
}

/// Whether a new word starts at `at`: `api|Key`, `API|Key`.
fn is_seam(name: &[u8], at: usize) -> bool {
    let upper = |at: usize| name.get(at).is_some_and(u8::is_ascii_uppercase);
    let lower = |at: usize| name.get(at).is_some_and(u8::is_ascii_lowercase);
    upper(at) && (!upper(at - 1) || lower(at + 1))
}
