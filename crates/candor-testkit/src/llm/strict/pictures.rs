//! What all providers want of a picture: base64, of a kind that they read.

/// The kinds of pictures that most providers read.
pub(super) const KINDS: &[&str] = &["image/png", "image/jpeg", "image/gif", "image/webp"];

/// Whether this is base64, and not nothing.
pub(super) fn is_base64(data: &str) -> bool {
    let digits = data.trim_end_matches('=');
    let known = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/';
    let is_padded = data.len().is_multiple_of(4) && data.len() - digits.len() <= 2;
    !digits.is_empty() && is_padded && digits.bytes().all(known)
}

/// The kind and the base64 of a picture in an address of its own.
pub(super) fn data_url(url: &str) -> Option<(&str, &str)> {
    url.strip_prefix("data:")?.split_once(";base64,")
}
