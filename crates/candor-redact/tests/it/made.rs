//! Secrets made at run time, so that no file holds anything that looks like one.

/// Fills a template: `{A36}` becomes 36 random letters and digits, and so on for the other alphabets.
pub(crate) fn secret(template: &str) -> String {
    let seed = template.bytes().fold(7_u64, |seed, byte| seed.wrapping_mul(31).wrapping_add(u64::from(byte)));
    let mut random = Random(seed);
    let mut out = String::new();
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        out.push_str(&rest[..open]);
        rest = &rest[open..];
        let piece = rest
            .find('}')
            .and_then(|close| Some((alphabet(&rest[1..2])?, rest[2..close].parse().ok()?, close)));
        let Some((alphabet, count, close)) = piece else {
            out.push('{');
            rest = &rest[1..];
            continue;
        };
        fill(alphabet, count, &mut random, &mut out);
        rest = &rest[close + 1..];
    }
    out + rest
}

/// Pieces have digits and both cases near their start where the alphabet has them, as nearly all real ones do.
fn fill(alphabet: &[u8], count: usize, random: &mut Random, out: &mut String) {
    for at in 0..count {
        let wanted = [None, Some(b'7'), Some(b'Q'), Some(b'c'), Some(b'4')].get(at).copied().flatten();
        let wanted = wanted.filter(|byte| alphabet.contains(byte));
        out.push(char::from(wanted.unwrap_or_else(|| alphabet[random.below(alphabet.len())])));
    }
}

fn alphabet(kind: &str) -> Option<&'static [u8]> {
    Some(match kind {
        "A" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
        "a" => b"abcdefghijklmnopqrstuvwxyz0123456789",
        "U" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
        "h" => b"0123456789abcdef",
        "H" => b"0123456789ABCDEF",
        "d" => b"1234567890",
        "B" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
        "b" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        "w" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-",
        _ => return None,
    })
}

/// A small generator with a fixed seed, so that a failure repeats.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next()).unwrap_or_default() % limit.max(1)
    }
}
