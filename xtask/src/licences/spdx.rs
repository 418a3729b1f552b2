//! Licence expressions: `(MIT OR Apache-2.0) AND Unicode-3.0`, `Apache-2.0 WITH LLVM-exception`.

use anyhow::{Result, bail};

/// Deeper nesting than any licence has: what keeps a broken manifest from exhausting the stack.
const DEPTH_MAX: usize = 16;

/// Whether the licences on the list are enough to use something under this expression.
pub fn satisfied(expression: &str, allowed: &[String]) -> Result<bool> {
    // Old manifests write a slash where they mean OR.
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut parser = Parser { words: spaced.split_whitespace().collect(), at: 0, allowed };
    let satisfied = parser.any(0)?;
    match parser.words.get(parser.at) {
        Some(word) => bail!("`{word}` is not expected there"),
        None => Ok(satisfied),
    }
}

struct Parser<'a> {
    words: Vec<&'a str>,
    at: usize,
    allowed: &'a [String],
}

impl<'a> Parser<'a> {
    fn any(&mut self, depth: usize) -> Result<bool> {
        let mut satisfied = self.all(depth)?;
        while self.take("OR") {
            satisfied |= self.all(depth)?;
        }
        Ok(satisfied)
    }

    /// AND binds tighter than OR.
    fn all(&mut self, depth: usize) -> Result<bool> {
        let mut satisfied = self.one(depth)?;
        while self.take("AND") {
            satisfied &= self.one(depth)?;
        }
        Ok(satisfied)
    }

    fn one(&mut self, depth: usize) -> Result<bool> {
        if depth > DEPTH_MAX {
            bail!("too many parentheses");
        }
        if self.take("(") {
            let satisfied = self.any(depth + 1)?;
            if !self.take(")") {
                bail!("a parenthesis is not closed");
            }
            return Ok(satisfied);
        }
        let licence = self.name()?;
        let licence =
            if self.take("WITH") { format!("{licence} WITH {}", self.name()?) } else { licence.to_owned() };
        Ok(self.allowed.contains(&licence))
    }

    fn name(&mut self) -> Result<&'a str> {
        match self.words.get(self.at) {
            Some(word) if !matches!(*word, "OR" | "AND" | "WITH" | "(" | ")") => {
                self.at += 1;
                Ok(word)
            }
            Some(word) => bail!("`{word}` stands where a licence should"),
            None => bail!("it ends where a licence should stand"),
        }
    }

    fn take(&mut self, word: &str) -> bool {
        let found = self.words.get(self.at) == Some(&word);
        self.at += usize::from(found);
        found
    }
}
