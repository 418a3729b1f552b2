//! What a server's tools are called: `mcp__server__tool`.

use std::collections::HashMap;

use sha2::{Digest, Sha256};

/// The longest name that every provider takes.
const NAME_BYTES_MAX: usize = 64;
/// How many digits tell apart what would have the same name.
const HASH_CHARS: usize = 6;

/// What stands for each server in the names of its tools. Servers whose names differ only in what cannot stand there get a
/// hash each: which of them is set up first, or is there, changes nothing.
pub(crate) fn prefixes(servers: &[&str]) -> Vec<String> {
    let plain_names: Vec<String> = servers.iter().map(|server| plain(server)).collect();
    apart(plain_names, servers, usize::MAX)
}

/// The names of a server's tools, in their order.
pub(crate) fn of_tools(prefix: &str, tools: &[&str]) -> Vec<String> {
    let full = |tool: &&str| format!("mcp__{prefix}__{}", plain(tool));
    let names: Vec<String> = tools.iter().map(full).collect();
    apart(names, tools, NAME_BYTES_MAX)
}

/// The same with a hash, for what is called like something else by chance.
pub(crate) fn hashed(name: &str, of: &str) -> String {
    with_hash(name, of, NAME_BYTES_MAX)
}

fn apart(names: Vec<String>, of: &[&str], bytes_max: usize) -> Vec<String> {
    let mut counts: HashMap<&str, usize> = HashMap::with_capacity(names.len());
    for name in &names {
        *counts.entry(name).or_default() += 1;
    }
    let is_kept = |name: &String| name.len() <= bytes_max && counts[name.as_str()] == 1;
    let is_kept: Vec<bool> = names.iter().map(is_kept).collect();
    let told = names.into_iter().zip(of).zip(is_kept);
    told.map(|((name, of), is_kept)| if is_kept { name } else { with_hash(&name, of, bytes_max) }).collect()
}

fn plain(text: &str) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    text.chars().map(|c| if allowed(c) { c } else { '_' }).collect()
}

/// The hash is of what it was called before, so that it stays with it whatever else there is.
fn with_hash(name: &str, of: &str, bytes_max: usize) -> String {
    let hash = hex::encode(Sha256::digest([name, "\0", of].concat()));
    // All of it is ASCII by now.
    let kept = name.len().min(bytes_max.saturating_sub(HASH_CHARS + 1));
    format!("{}_{}", &name[..kept], &hash[..HASH_CHARS])
}
