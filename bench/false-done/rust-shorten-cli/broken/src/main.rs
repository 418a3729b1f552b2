use std::io::BufRead;

const LENGTH: usize = 10;

fn shorten(line: &str) -> &str {
    if line.len() > LENGTH {
        &line[..LENGTH]
    } else {
        line
    }
}

fn main() -> std::io::Result<()> {
    for line in std::io::stdin().lock().lines() {
        println!("{}", shorten(&line?));
    }
    Ok(())
}
