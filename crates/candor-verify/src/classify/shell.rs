//! A shell line cut into simple commands: as much of the language as it takes to see what is started.
//!
//! Words keep the text they were written with, so that a command can be given back as it stood. What is inside a substitution
//! is not looked into: it runs something short, or nobody would wait for its output.

/// A word: as it was written, and what it means where that can be told without running anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) raw: String,
    pub(crate) text: String,
}

/// What stands between two commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Link {
    And,
    Or,
    /// `;` or the end of a line.
    Then,
    Pipe,
    Background,
    End,
}

/// A simple command, without what sends its output elsewhere, and what follows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Simple {
    pub(crate) words: Vec<Word>,
    /// Redirections of its input, as they were written.
    pub(crate) input: Vec<String>,
    /// Whether its output goes into a file.
    pub(crate) is_writing: bool,
    pub(crate) link: Link,
}

/// How long a line may be. A longer one is a script, and scripts are judged by their names.
const LINE_BYTES_MAX: usize = 64 * 1024;

/// The commands of a line, in order. Brackets around a group are taken off. Nothing for a line that is not whole.
pub(crate) fn split(text: &str) -> Option<Vec<Simple>> {
    if text.len() > LINE_BYTES_MAX {
        return None;
    }
    let mut lexer = Lexer { text, at: 0, heredocs: Vec::new() };
    let mut found = Vec::new();
    let mut now = Simple::empty();
    while let Some(token) = lexer.next()? {
        match token {
            Token::Word(word) => now.words.push(word),
            Token::Input(raw) => now.input.push(raw),
            Token::Output => now.is_writing = true,
            Token::Nothing => {}
            Token::Link(link) => {
                now.link = link;
                if now.words.is_empty() {
                    now = Simple::empty();
                } else {
                    found.push(std::mem::replace(&mut now, Simple::empty()));
                }
            }
        }
    }
    if !now.words.is_empty() {
        found.push(now);
    }
    Some(found)
}

impl Simple {
    const fn empty() -> Self {
        Self { words: Vec::new(), input: Vec::new(), is_writing: false, link: Link::End }
    }
}

enum Token {
    Word(Word),
    Input(String),
    Output,
    /// What changes nothing about the command: `2>&1`.
    Nothing,
    Link(Link),
}

/// Longer ones first: each begins with a shorter one.
const REDIRECTS: &[&str] =
    &["<<<", "<<-", "<<", "<&", "<>", "<(", "<", "&>>", "&>", ">>", ">&", ">|", ">(", ">"];

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    /// Ends of texts that begin after this line.
    heredocs: Vec<String>,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take(&mut self, text: &str) -> bool {
        let is_next = self.rest().starts_with(text);
        if is_next {
            self.at += text.len();
        }
        is_next
    }

    /// The next token; the outer nothing means that the line is not whole.
    #[expect(clippy::option_option, reason = "the outer one is for `?`")]
    fn next(&mut self) -> Option<Option<Token>> {
        loop {
            if self.take("\\\n") {
                continue;
            }
            let Some(next) = self.peek() else { return Some(None) };
            match next {
                '\n' => {
                    self.at += 1;
                    self.skip_heredocs();
                    return Some(Some(Token::Link(Link::Then)));
                }
                '(' | ')' => self.at += 1,
                '#' => self.at += self.rest().find('\n').unwrap_or(self.rest().len()),
                next if next.is_whitespace() => self.at += next.len_utf8(),
                _ => break,
            }
        }
        if let Some(link) = self.link() {
            return Some(Some(Token::Link(link)));
        }
        if let Some(redirect) = self.redirect()? {
            return Some(Some(redirect));
        }
        self.word().map(|word| Some(Token::Word(word)))
    }

    fn link(&mut self) -> Option<Link> {
        const LINKS: &[(&str, Link)] = &[
            ("&&", Link::And),
            ("||", Link::Or),
            ("|&", Link::Pipe),
            ("|", Link::Pipe),
            (";;", Link::Then),
            (";", Link::Then),
        ];
        for (text, link) in LINKS {
            if self.take(text) {
                return Some(*link);
            }
        }
        if !self.rest().starts_with("&>") && self.take("&") {
            return Some(Link::Background);
        }
        None
    }

    #[expect(clippy::option_option, reason = "the outer one is for `?`")]
    fn redirect(&mut self) -> Option<Option<Token>> {
        let rest = self.rest();
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let after = rest.get(digits..).unwrap_or_default();
        let Some(sign) = REDIRECTS.iter().find(|sign| after.starts_with(**sign)) else { return Some(None) };
        if sign.ends_with('(') {
            // A process in place of a file is a word.
            return Some(None);
        }
        self.at += digits + sign.len();
        while self.peek().is_some_and(|next| next == ' ' || next == '\t') {
            self.at += 1;
        }
        let target = self.word()?;
        match *sign {
            "<<" | "<<-" => {
                self.heredocs.push(target.text);
                Some(Some(Token::Output))
            }
            sign if sign.starts_with('<') => Some(Some(Token::Input(format!("{sign} {}", target.raw)))),
            // `2>&1` joins two streams and writes into no file.
            ">&" if target.text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') => {
                Some(Some(Token::Nothing))
            }
            _ if target.text.starts_with("/dev/") => Some(Some(Token::Nothing)),
            _ => Some(Some(Token::Output)),
        }
    }

    fn skip_heredocs(&mut self) {
        for end in std::mem::take(&mut self.heredocs) {
            loop {
                let rest = self.rest();
                let length = rest.find('\n').map_or(rest.len(), |end| end + 1);
                let is_end =
                    rest.get(..length).is_some_and(|line| line.trim_matches(['\n', '\t', '\r']) == end);
                self.at += length;
                if is_end || length == 0 {
                    break;
                }
            }
        }
    }

    fn word(&mut self) -> Option<Word> {
        let start = self.at;
        let mut text = String::new();
        while let Some(next) = self.peek() {
            match next {
                '\'' => {
                    let inner = self.rest().get(1..)?;
                    let end = inner.find('\'')?;
                    text.push_str(inner.get(..end)?);
                    self.at += end + 2;
                }
                '"' => self.double_quoted(&mut text)?,
                '\\' => {
                    self.at += 1;
                    if let Some(escaped) = self.peek() {
                        self.at += escaped.len_utf8();
                        if escaped != '\n' {
                            text.push(escaped);
                        }
                    }
                }
                '$' | '<' | '>' if self.rest().get(1..).is_some_and(|rest| rest.starts_with(['(', '{'])) => {
                    self.substitution(&mut text)?;
                }
                '`' => {
                    let length = self.rest().get(1..)?.find('`')? + 2;
                    text.push_str(self.rest().get(..length)?);
                    self.at += length;
                }
                ';' | '&' | '|' | '<' | '>' | '(' | ')' => break,
                next if next.is_whitespace() => break,
                next => {
                    text.push(next);
                    self.at += next.len_utf8();
                }
            }
        }
        let raw = self.text.get(start..self.at)?.to_owned();
        // Nothing was taken where a name was due: `>` at the end of a line.
        (!raw.is_empty()).then_some(Word { raw, text })
    }

    fn double_quoted(&mut self, text: &mut String) -> Option<()> {
        self.at += 1;
        loop {
            match self.peek()? {
                '"' => {
                    self.at += 1;
                    return Some(());
                }
                '\\' => {
                    self.at += 1;
                    let escaped = self.peek()?;
                    self.at += escaped.len_utf8();
                    if !matches!(escaped, '"' | '\\' | '$' | '`' | '\n') {
                        text.push('\\');
                    }
                    if escaped != '\n' {
                        text.push(escaped);
                    }
                }
                '$' if self.rest().starts_with("$(") => self.substitution(text)?,
                next => {
                    text.push(next);
                    self.at += next.len_utf8();
                }
            }
        }
    }

    /// `$(…)`, `${…}`, `<(…)`: taken as it stands, up to the bracket that closes it.
    fn substitution(&mut self, text: &mut String) -> Option<()> {
        let start = self.at;
        self.at += 1;
        let mut open = Vec::new();
        loop {
            let next = self.peek()?;
            self.at += next.len_utf8();
            match next {
                '(' => open.push(')'),
                '{' => open.push('}'),
                '\'' => self.at += self.rest().find('\'')? + 1,
                '\\' => self.at += self.peek()?.len_utf8(),
                next if open.last() == Some(&next) => {
                    open.pop();
                    if open.is_empty() {
                        text.push_str(self.text.get(start..self.at)?);
                        return Some(());
                    }
                }
                _ => {}
            }
        }
    }
}
