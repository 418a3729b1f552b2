//! As much of a POSIX shell as it takes to see how it would cut a line into words. No process is started.

/// What a shell sees in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token {
    /// A word, with its quotes removed.
    Word(String),
    /// A character with a meaning of its own.
    Operator(char),
}

/// Cuts a line into tokens.
///
/// A double quote counts as an operator: the catalogue uses it only around `$(…)`, where single quotes work again,
/// and a test sees to that.
pub(crate) fn tokens(line: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            '\'' => word.get_or_insert_default().extend(chars.by_ref().take_while(|c| *c != '\'')),
            '\\' => word.get_or_insert_default().extend(chars.next()),
            ' ' | '\t' | '\n' => tokens.extend(word.take().map(Token::Word)),
            '"' | '$' | '(' | ')' | '|' | '&' | ';' | '<' | '>' | '`' | '*' | '?' | '[' | '#' | '~' | '='
            | '!' | '{' | '}' => {
                tokens.extend(word.take().map(Token::Word));
                tokens.push(Token::Operator(c));
            }
            c => word.get_or_insert_default().push(c),
        }
    }
    tokens.extend(word.map(Token::Word));
    tokens
}

/// The programs a line starts, each with its arguments; a command substitution is a program and no argument.
pub(crate) fn programs(line: &str) -> Vec<Vec<String>> {
    let mut done = Vec::new();
    let mut current = Vec::new();
    let mut around = Vec::new();
    let mut redirected = false;
    for token in tokens(line) {
        match token {
            Token::Operator('(') => around.push(std::mem::take(&mut current)),
            Token::Operator(')') => {
                done.push(std::mem::replace(&mut current, around.pop().unwrap_or_default()));
            }
            Token::Operator('|' | '&' | ';' | '{' | '}') => done.push(std::mem::take(&mut current)),
            Token::Operator(c) => redirected = matches!(c, '<' | '>'),
            // The word after a redirection is a file.
            Token::Word(_) if redirected => redirected = false,
            Token::Word(word) => current.push(word),
        }
    }
    done.push(current);
    done.retain(|program| !program.is_empty());
    done
}
