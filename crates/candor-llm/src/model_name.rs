//! Models as tables know them.

/// The bare name of a model, in small letters: without the provider or path before it (`anthropic/…`, `models/…`,
/// `us.anthropic.…`), and with the version of a Claude written one way (some write `4.5`, some `4-5`).
pub(crate) fn bare(model: &str) -> String {
    let name = model.trim().rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let name = name.rsplit_once("anthropic.").map_or(name.as_str(), |(_, name)| name);
    if name.starts_with("claude") { name.replace('.', "-") } else { name.to_owned() }
}

/// The row with the longest name that this bare name begins with.
///
/// The name must end there, or go on with a separator: `gpt-5-2025-08-07` is a `gpt-5`, but `gpt-5.9` is another model
/// that the table does not know.
pub(crate) fn find<'a, T>(table: &'a [(&str, T)], bare: &str) -> Option<&'a T> {
    table
        .iter()
        .filter(|(prefix, _)| {
            bare.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '@', ':']))
        })
        .max_by_key(|(prefix, _)| prefix.len())
        .map(|(_, row)| row)
}
