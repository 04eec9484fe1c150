//! The grammar of the small shell, for the commands of lessons and tests after `sh -c`.
//!
//! ```text
//! list    = item { (";" | newline) item }
//! item    = command { ("&&" | "||") command }
//! command = ["!"] (simple | "for" NAME "in" words ";" "do" list "done"
//!         | "if" branch | "while" list "do" list "done" | "{" list "}")
//! branch  = list "then" list ("elif" branch | ["else" list] "fi")
//! simple  = { NAME"="word } { word | redirection }
//! ```
//!
//! Every other feature of a real shell is reported as a syntax error.

mod token;

use std::rc::Rc;
use token::{Token, tokens};

#[derive(Debug)]
pub(super) enum Node {
    Simple(Simple),
    /// With `and` the right side runs after success, otherwise after failure.
    AndOr {
        left: Rc<Node>,
        and: bool,
        right: Rc<Node>,
    },
    Not(Rc<Node>),
    For {
        name: String,
        words: Vec<Word>,
        body: List,
    },
    If {
        condition: List,
        then: List,
        otherwise: List,
    },
    While {
        condition: List,
        body: List,
    },
    Group(List),
}

pub(super) type List = Rc<[Rc<Node>]>;

#[derive(Debug)]
pub(super) struct Simple {
    pub(super) assignments: Vec<(String, Word)>,
    pub(super) words: Vec<Word>,
    pub(super) redirections: Vec<Redirection>,
}

/// Parts that are joined when the command runs.
#[derive(Clone, Debug, Default)]
pub(super) struct Word {
    pub(super) parts: Vec<Part>,
    pub(super) quoted: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Part {
    Text(String),
    Variable(String),
}

#[derive(Debug)]
pub(super) enum Redirection {
    /// Descriptor, file, append.
    Write {
        from: u8,
        to: Word,
        append: bool,
    },
    Read(Word),
    /// `>&2`, `2>&1`.
    Same {
        from: u8,
        to: u8,
    },
}

const DEEPEST: usize = 50;

/// Parses a script. Errors: the part that is not understood.
pub(super) fn parse(text: &str) -> Result<List, String> {
    let mut parser = Parser { tokens: tokens(text)?, at: 0, depth: 0 };
    let list = parser.list()?;
    match parser.tokens.get(parser.at) {
        None => Ok(list),
        Some(token) => Err(format!("syntax error near {token:?}")),
    }
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
}

impl Parser {
    fn list(&mut self) -> Result<List, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("syntax error: nested too deeply".into());
        }
        let mut items = Vec::new();
        loop {
            while self.take_op(";") {}
            if self.at >= self.tokens.len() || self.at_end_word() {
                break;
            }
            items.push(self.item()?);
            if !self.take_op(";") {
                break;
            }
        }
        self.depth -= 1;
        Ok(items.into())
    }

    fn item(&mut self) -> Result<Rc<Node>, String> {
        let mut left = self.command()?;
        loop {
            let and = if self.take_op("&&") {
                true
            } else if self.take_op("||") {
                false
            } else {
                return Ok(left);
            };
            let right = self.command()?;
            left = Rc::new(Node::AndOr { left, and, right });
        }
    }

    fn command(&mut self) -> Result<Rc<Node>, String> {
        if self.take_word("!") {
            return Ok(Rc::new(Node::Not(self.command()?)));
        }
        let node = if self.take_word("for") {
            let name = self.plain_word()?;
            self.need("in")?;
            let mut words = Vec::new();
            while let Some(Token::Word(word)) = self.tokens.get(self.at) {
                words.push(word.clone());
                self.at += 1;
            }
            while self.take_op(";") {}
            self.need("do")?;
            let body = self.list()?;
            self.need("done")?;
            Node::For { name, words, body }
        } else if self.take_word("while") {
            let condition = self.list()?;
            self.need("do")?;
            let body = self.list()?;
            self.need("done")?;
            Node::While { condition, body }
        } else if self.take_word("if") {
            self.branch()?
        } else if self.take_word("{") {
            let body = self.list()?;
            self.need("}")?;
            Node::Group(body)
        } else {
            Node::Simple(self.simple()?)
        };
        Ok(Rc::new(node))
    }

    fn branch(&mut self) -> Result<Node, String> {
        let condition = self.list()?;
        self.need("then")?;
        let then = self.list()?;
        let otherwise: List = if self.take_word("elif") {
            self.depth += 1;
            let rest = self.branch()?;
            self.depth -= 1;
            Rc::from([Rc::new(rest)])
        } else {
            let otherwise = if self.take_word("else") { self.list()? } else { Rc::from([]) };
            self.need("fi")?;
            otherwise
        };
        Ok(Node::If { condition, then, otherwise })
    }

    fn simple(&mut self) -> Result<Simple, String> {
        let mut simple = Simple { assignments: Vec::new(), words: Vec::new(), redirections: Vec::new() };
        while let Some(token) = self.tokens.get(self.at).cloned() {
            match token {
                Token::Word(word) => {
                    self.at += 1;
                    match assignment(&word) {
                        Some(assigned) if simple.words.is_empty() => simple.assignments.push(assigned),
                        _ => simple.words.push(word),
                    }
                }
                Token::Redirect { from, op } => {
                    self.at += 1;
                    let Some(Token::Word(to)) = self.tokens.get(self.at).cloned() else {
                        return Err(format!("syntax error: missing target after `{op}`"));
                    };
                    self.at += 1;
                    simple.redirections.push(match op {
                        "<" => Redirection::Read(to),
                        ">&" => match plain(&to).and_then(|to| to.parse().ok()) {
                            Some(to) => Redirection::Same { from, to },
                            None => return Err("syntax error: expected a number after `>&`".into()),
                        },
                        op => Redirection::Write { from, to, append: op == ">>" },
                    });
                }
                Token::Op(_) => break,
            }
        }
        if simple.words.is_empty() && simple.assignments.is_empty() && simple.redirections.is_empty() {
            return Err("syntax error: expected a command".into());
        }
        Ok(simple)
    }

    fn take_op(&mut self, op: &str) -> bool {
        let found = matches!(self.tokens.get(self.at), Some(Token::Op(known)) if *known == op);
        self.at += usize::from(found);
        found
    }

    fn is_word(&self, text: &str) -> bool {
        matches!(self.tokens.get(self.at), Some(Token::Word(word)) if !word.quoted && plain(word) == Some(text))
    }

    fn take_word(&mut self, text: &str) -> bool {
        let found = self.is_word(text);
        self.at += usize::from(found);
        found
    }

    fn need(&mut self, text: &str) -> Result<(), String> {
        if self.take_word(text) { Ok(()) } else { Err(format!("syntax error: expected `{text}`")) }
    }

    fn plain_word(&mut self) -> Result<String, String> {
        match self.tokens.get(self.at) {
            Some(Token::Word(word)) if plain(word).is_some() => {
                let text = plain(word).unwrap_or_default().to_string();
                self.at += 1;
                Ok(text)
            }
            _ => Err("syntax error: expected a name".into()),
        }
    }

    fn at_end_word(&self) -> bool {
        ["do", "done", "then", "else", "elif", "fi", "}"].iter().any(|word| self.is_word(word))
    }
}

fn plain(word: &Word) -> Option<&str> {
    match word.parts.as_slice() {
        [] => Some(""),
        [Part::Text(text)] => Some(text),
        _ => None,
    }
}

fn assignment(word: &Word) -> Option<(String, Word)> {
    let Some(Part::Text(first)) = word.parts.first() else { return None };
    let (name, rest) = first.split_once('=')?;
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if !is_name || name.is_empty() || name.as_bytes()[0].is_ascii_digit() {
        return None;
    }
    let mut parts = vec![Part::Text(rest.to_string())];
    parts.extend(word.parts[1..].iter().cloned());
    Some((name.to_string(), Word { parts, quoted: true }))
}
