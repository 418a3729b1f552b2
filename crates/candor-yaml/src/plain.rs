//! What a scalar without quotes means, by the YAML 1.2 core schema: `yes` and `no` are words.

/// What a scalar without quotes means.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Plain {
    /// Nothing: an empty place, `~`, `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Any other number.
    Float(f64),
    /// A text as it is.
    Text,
}

impl Plain {
    /// Says what this text means.
    pub fn of(text: &str) -> Self {
        match text {
            "" | "~" | "null" | "Null" | "NULL" => Self::Null,
            "true" | "True" | "TRUE" => Self::Bool(true),
            "false" | "False" | "FALSE" => Self::Bool(false),
            _ => number(text).unwrap_or(Self::Text),
        }
    }
}

fn number(text: &str) -> Option<Plain> {
    let radix = |prefix: &str, radix| {
        text.strip_prefix(prefix).and_then(|digits| i64::from_str_radix(digits, radix).ok())
    };
    if let Some(number) = radix("0x", 16).or_else(|| radix("0o", 8)) {
        return Some(Plain::Int(number));
    }
    if !text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) {
        return None;
    }
    text.parse().map(Plain::Int).ok().or_else(|| {
        let is_float = text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
        if is_float { text.parse().map(Plain::Float).ok() } else { None }
    })
}
