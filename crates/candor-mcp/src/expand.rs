//! `${NAME}` and `${NAME:-default}` in the texts of a configuration.

/// The text with what its variables stand for. A variable that is not there and has no default is an error: a server that is
/// called with an empty token fails in a way that nobody understands.
pub(crate) fn expand(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        expanded.push_str(before);
        let Some((inside, behind)) = after.split_once('}') else {
            // No variable: a text may hold anything.
            expanded.push_str("${");
            rest = after;
            continue;
        };
        let (name, default) = match inside.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (inside, None),
        };
        if is_name(name) {
            let value = variable(name).filter(|value| default.is_none() || !value.is_empty());
            let value = value.or_else(|| default.map(str::to_owned));
            expanded.push_str(&value.ok_or_else(|| format!("the variable {name} is not set"))?);
        } else {
            expanded.push_str("${");
            expanded.push_str(inside);
            expanded.push('}');
        }
        rest = behind;
    }
    expanded.push_str(rest);
    Ok(expanded)
}

fn is_name(name: &str) -> bool {
    let is_start = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(is_start) && name.chars().all(|c| is_start(c) || c.is_ascii_digit())
}
