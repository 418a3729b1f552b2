//! How the tables of commands are read. Line breaks, tabs and characters that nobody sees are written as escapes.

/// The verdicts and commands of a table.
pub(crate) fn cases(table: &str) -> Vec<(&str, String)> {
    table
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .map(|(verdict, text)| (verdict, plain(text)))
        .collect()
}

/// The text without its escapes.
fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('u') => {
                let digits: String = chars.by_ref().skip(1).take_while(|c| *c != '}').collect();
                out.extend(u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32));
            }
            Some(c) => out.push(c),
            None => panic!("a backslash at the end: {text}"),
        }
    }
    out
}
