//! Secrets without a provider, and the checks that a run of bytes after a keyword does not cover.

use crate::{
    block,
    check::{has_texture, starts_token},
    command,
    found::{Found, Tail},
    rule::{Hit, OPEN, Rule, Step::Run, Texture},
    set::{ALNUM, ANY_HEX, BASE32, BASE64_PAD, CREDENTIALS, DIGIT, HEX, Set, URL64},
    url, value,
};

pub(super) static RULES: &[Rule] = &[
    Rule::whole(
        "private-key-block",
        "PEM, OpenSSH and PGP private keys, also cut off or escaped",
        &["-----BEGIN"],
        block::pem,
    ),
    Rule::whole("putty-private-key", "PuTTY private keys", &["Private-Lines:"], block::putty),
    Rule::own("jwt", "JSON web tokens", &["eyJ"], jwt),
    Rule::own("url-password", "passwords in URLs, database URLs too", &["://"], url::credentials),
    Rule::own("bearer-token", "bearer tokens outside of a header", &["bearer "], bearer),
    Rule::own("basic-credentials", "basic credentials outside of a header", &["basic "], basic),
    Rule::own(
        "command-line-user",
        "passwords in -u user:password of curl and others",
        &[" -u", " --user ", " --user=", " --proxy-user ", " --proxy-user="],
        command::user,
    ),
    Rule::words(
        "command-line-password",
        "passwords of mysql, sshpass, redis-cli and docker login",
        &["mysql ", "mysqldump ", "mysqladmin ", "sshpass ", "redis-cli ", "docker login ", "podman login "],
        command::password,
    ),
    Rule::words("netrc-password", "passwords of .netrc entries", &["machine "], command::netrc),
    Rule::own(
        "otpauth-secret",
        "secrets of one-time passwords",
        &["otpauth://totp/", "otpauth://hotp/"],
        otpauth,
    ),
    Rule::context(
        "wireguard-key",
        "WireGuard private and preshared keys",
        &["privatek", "presharedk"],
        &[Run(&BASE64_PAD, 44, 44)],
    ),
    Rule::after(
        "kubeconfig-key",
        "client keys of a kubeconfig",
        &["client-key-data: ", "client-key-data\":\"", "client-key-data\": \""],
        &[Run(&BASE64_PAD, 40, OPEN)],
    ),
];

/// The longest part of a token that is read at once; a longer run is data, not a token.
const PART_BYTES_MAX: usize = 16 * 1024;

/// `<bot id>:AA…`, also right behind `/bot` in an API URL.
pub(super) fn telegram(line: &[u8], hit: Hit) -> Option<Found> {
    const ID_DIGITS_MAX: usize = 12;
    const ID_DIGITS_MIN: usize = 7;
    const SECRET_BYTES: usize = 35;
    let colon_bytes = match line.get(hit.start..hit.end)? {
        b":AA" => 1,
        b"%3AAA" | b"%3aAA" => 3,
        _ => return None,
    };
    let start = DIGIT.run_start(line, hit.start, ID_DIGITS_MAX);
    let secret = hit.start + colon_bytes;
    let end = URL64.run_end(line.get(..line.len().min(secret + SECRET_BYTES + 1))?, secret);
    let in_url = line.get(..start)?.ends_with(b"/bot") || line.get(..start)?.ends_with(b"%2Fbot");
    let fits = hit.start - start >= ID_DIGITS_MIN && end - secret == SECRET_BYTES;
    let alone = in_url || starts_token(line, start, &ALNUM);
    (fits && alone).then(|| Found::bare("telegram-bot-token", start..end).tail(Tail::Run(&URL64)))
}

/// Three base64url parts, the first two of which are JSON objects. Cut-off signatures count.
fn jwt(line: &[u8], hit: Hit) -> Option<Found> {
    const HEADER_BYTES_MIN: usize = 15;
    static DOTTED: Set = Set::of("a-zA-Z0-9_.=-");
    if line.get(hit.start..hit.end) != Some(b"eyJ") || !starts_token(line, hit.start, &URL64) {
        return None;
    }
    let header_end = URL64.run_end(line.get(..line.len().min(hit.start + PART_BYTES_MAX))?, hit.start);
    let payload = header_end + 1;
    let payload_starts = line.get(header_end) == Some(&b'.')
        && (line.get(payload..)?.starts_with(b"eyJ") || line.get(payload) == Some(&b'.'));
    if header_end - hit.start < HEADER_BYTES_MIN || !payload_starts {
        return None;
    }
    let end = DOTTED.run_end(line, payload);
    let stops = line.get(payload..end)?.iter().rev().take_while(|&&byte| byte == b'.').count();
    Some(Found::bare("jwt", hit.start..end - stops).tail(Tail::Run(&DOTTED)))
}

fn bearer(line: &[u8], hit: Hit) -> Option<Found> {
    const TOKEN_BYTES_MIN: usize = 12;
    let end = CREDENTIALS.run_end(line, hit.end);
    let end = end - trailing_punctuation(line, hit.end, end);
    let token = line.get(hit.end..end)?;
    let secret = token.len() >= TOKEN_BYTES_MIN
        && starts_token(line, hit.start, &ALNUM)
        && has_texture(token, Texture::Mixed)
        && !value::is_stand_in(token);
    secret.then(|| Found::bare("bearer-token", hit.end..end).tail(Tail::Run(&CREDENTIALS)))
}

/// `Basic` and base64 that decodes to `user:password`.
fn basic(line: &[u8], hit: Hit) -> Option<Found> {
    let end = BASE64_PAD.run_end(line.get(..line.len().min(hit.end + PART_BYTES_MAX))?, hit.end);
    let encoded = line.get(hit.end..end)?;
    let secret = starts_token(line, hit.start, &ALNUM) && decodes_to_pair(encoded);
    secret.then(|| Found::bare("basic-credentials", hit.end..end))
}

fn decodes_to_pair(encoded: &[u8]) -> bool {
    const PAIR_BYTES_MIN: usize = 8;
    /// A user's name is shorter than this, so the colon is in the sample.
    const SAMPLE_BYTES_MAX: usize = 256;
    let sample = encoded.get(..encoded.len().min(SAMPLE_BYTES_MAX)).unwrap_or_default();
    let mut bits = 0_u32;
    let mut filled = 0_u32;
    let mut colon = false;
    for &byte in sample.iter().take_while(|&&byte| byte != b'=') {
        let Some(six) = six_bits(byte) else { return false };
        bits = (bits << 6) | six;
        filled += 6;
        if filled >= 8 {
            filled -= 8;
            let decoded = (bits >> filled) & 0xff;
            colon |= decoded == u32::from(b':');
            if decoded < 0x20 {
                return false;
            }
        }
    }
    colon && encoded.len() >= PAIR_BYTES_MIN
}

fn six_bits(byte: u8) -> Option<u32> {
    Some(match byte {
        b'A'..=b'Z' => u32::from(byte - b'A'),
        b'a'..=b'z' => u32::from(byte - b'a') + 26,
        b'0'..=b'9' => u32::from(byte - b'0') + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    })
}

/// `otpauth://totp/label?secret=BASE32`.
fn otpauth(line: &[u8], hit: Hit) -> Option<Found> {
    const URI_BYTES_MAX: usize = 512;
    let window = line.get(hit.end..line.len().min(hit.end + URI_BYTES_MAX))?;
    let start = hit.end + memchr::memmem::find(window, b"secret=")? + b"secret=".len();
    let end = BASE32.run_end(line, start);
    (end - start >= 8).then(|| Found::bare("otpauth-secret", start..end).tail(Tail::Run(&BASE32)))
}

/// Thirty-two hex digits, then the data centre.
pub(super) fn mailchimp(line: &[u8], hit: Hit) -> Option<Found> {
    const KEY_BYTES: usize = 32;
    let start = HEX.run_start(line, hit.start, KEY_BYTES);
    let end = DIGIT.run_end(line.get(..line.len().min(hit.end + 3))?, hit.end);
    let key = line.get(start..hit.start)?;
    let fits = key.len() == KEY_BYTES && end > hit.end && starts_token(line, start, &ALNUM);
    (fits && has_texture(key, Texture::Mixed)).then(|| Found::bare("mailchimp-key", start..end))
}

pub(super) fn teams_webhook(line: &[u8], hit: Hit) -> Option<Found> {
    static PATH: Set = Set::of("a-zA-Z0-9/@._-");
    let end = PATH.run_end(line, hit.end);
    (end - hit.end >= 40).then(|| Found::bare("teams-webhook", hit.end..end).tail(Tail::Run(&PATH)))
}

/// `<14 characters>.atlasv1.<67 characters>`.
pub(super) fn terraform(line: &[u8], hit: Hit) -> Option<Found> {
    let start = ALNUM.run_start(line, hit.start, 14);
    let end = URL64.run_end(line, hit.end);
    let fits = hit.start - start == 14 && end - hit.end >= 50;
    fits.then(|| Found::bare("terraform-token", start..end).tail(Tail::Run(&URL64)))
}

/// Thirty-six hex digits, then the mark.
pub(super) fn new_relic_licence(line: &[u8], hit: Hit) -> Option<Found> {
    let start = ANY_HEX.run_start(line, hit.start, 36);
    let ends = line.get(hit.end).is_none_or(|&byte| !ALNUM.has(byte));
    (hit.start - start == 36 && ends).then(|| Found::bare("newrelic-licence-key", start..hit.end))
}

/// Three characters, the mark, and thirty-one or more.
pub(super) fn azure_client_secret(line: &[u8], hit: Hit) -> Option<Found> {
    static SECRET: Set = Set::of("a-zA-Z0-9_~.-");
    let start = hit.start.checked_sub(3)?;
    let lead = line.get(start..hit.start)?.iter().all(|&byte| SECRET.has(byte));
    let end = SECRET.run_end(line.get(..line.len().min(hit.end + 36))?, hit.end);
    let end = end - trailing_punctuation(line, hit.end, end);
    let exact = line.get(hit.start + 1..hit.end) == Some(b"Q~");
    let fits = exact && lead && starts_token(line, start, &ALNUM) && (31..=34).contains(&(end - hit.end));
    fits.then(|| Found::bare("azure-client-secret", start..end))
}

fn trailing_punctuation(line: &[u8], from: usize, to: usize) -> usize {
    let token = line.get(from..to).unwrap_or_default();
    token.iter().rev().take_while(|&&byte| matches!(byte, b'.' | b':')).count()
}
