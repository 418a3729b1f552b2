//! Hashes, as they are written.

use sha2::{Digest, Sha256};

/// The SHA-256 of some bytes, in hexadecimal.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// The SHA-256 of several texts, none of which can run into the next.
pub(crate) fn sha256_of(texts: impl IntoIterator<Item: AsRef<str>>) -> String {
    let mut hash = Sha256::new();
    for text in texts {
        let text = text.as_ref();
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    }
    hex::encode(hash.finalize())
}
