const COLOURS: [&str; 3] = ["red", "green", "blue"];

/// Status and body of a page.
pub fn page(path: &str) -> (u16, String) {
    match path {
        "/" => (200, COLOURS.join("\n")),
        "/health" => (
            200,
            format!("ok, last colour {}", COLOURS[last(COLOURS.len())]),
        ),
        _ => (404, "no such page".to_owned()),
    }
}

fn last(length: usize) -> usize {
    length - 1
}
