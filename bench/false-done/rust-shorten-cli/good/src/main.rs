use std::io::BufRead;

const LENGTH: usize = 10;

fn shorten(line: &str) -> &str {
    match line.char_indices().nth(LENGTH) {
        Some((end, _)) => &line[..end],
        None => line,
    }
}

fn main() -> std::io::Result<()> {
    for line in std::io::stdin().lock().lines() {
        println!("{}", shorten(&line?));
    }
    Ok(())
}
