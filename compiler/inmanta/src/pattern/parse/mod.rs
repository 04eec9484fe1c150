//! Parses a pattern to nodes; errors are in the words of the original.

mod class;
mod escape;
mod group;

use super::{Mode, Node};
use std::collections::BTreeMap;

/// Why a pattern is invalid.
#[derive(Debug, PartialEq, Eq)]
pub struct BadPattern {
    reason: String,
    /// In characters.
    position: Option<usize>,
}

impl BadPattern {
    pub(super) fn new(reason: impl Into<String>, position: impl Into<Option<usize>>) -> BadPattern {
        BadPattern { reason: reason.into(), position: position.into() }
    }
}

impl std::fmt::Display for BadPattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.position {
            Some(position) => write!(f, "{} at position {position}", self.reason),
            None => write!(f, "{}", self.reason),
        }
    }
}

/// A parsed pattern.
pub(super) struct Parsed {
    pub(super) node: Node,
    pub(super) n_groups: usize,
}

#[derive(Clone, Copy, Default)]
struct Flags {
    folds: bool,
    each_line: bool,
    newlines: bool,
    verbose: bool,
}

struct Parser {
    chars: Vec<char>,
    at: usize,
    n_groups: usize,
    names: BTreeMap<String, usize>,
    /// Closed groups, which may be referenced.
    closed: Vec<bool>,
    nesting: usize,
    /// Only comments and flags of the whole pattern precede this place, so more flags may follow.
    begun: usize,
    /// The groups of conditions, which may come later, each with its first place.
    conditions: Vec<(usize, usize)>,
}

pub(super) fn parse(source: &str) -> Result<Parsed, BadPattern> {
    let chars: Vec<char> = source.chars().collect();
    let (names, closed, conditions) = (BTreeMap::new(), vec![true], Vec::new());
    let mut parser = Parser { chars, at: 0, n_groups: 0, names, closed, nesting: 0, begun: 0, conditions };
    let parsed = parser.whole();
    // Python reads ahead, so it reports a backslash at the end before an error in the character before it.
    let n_last = parser.chars.iter().rev().take_while(|char| **char == '\\').count();
    let last = parser.chars.len().saturating_sub(1);
    match parsed {
        Err(_) if n_last % 2 == 1 && parser.at >= last => Err(BadPattern::new("bad escape (end of pattern)", last)),
        parsed => parsed,
    }
}

impl Parser {
    fn whole(&mut self) -> Result<Parsed, BadPattern> {
        let node = self.either(&mut Flags::default())?;
        if self.peek().is_some() {
            return Err(BadPattern::new("unbalanced parenthesis", self.at));
        }
        match self.conditions.iter().find(|(group, _)| *group > self.n_groups) {
            Some((group, at)) => Err(BadPattern::new(format!("invalid group reference {group}"), *at)),
            None => Ok(Parsed { node, n_groups: self.n_groups }),
        }
    }

    /// What was read from `start` on is not part of the pattern itself, so that flags of all of it may follow.
    fn stays_at_start(&mut self, start: usize) {
        if start == self.begun {
            self.begun = self.at;
        }
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn eat(&mut self, wanted: char) -> bool {
        let eats = self.peek() == Some(wanted);
        self.at += usize::from(eats);
        eats
    }

    fn either(&mut self, flags: &mut Flags) -> Result<Node, BadPattern> {
        let mut branches = vec![self.sequence(flags)?];
        while self.eat('|') {
            branches.push(self.sequence(flags)?);
        }
        Ok(if branches.len() == 1 { branches.remove(0) } else { Node::Either(branches) })
    }

    fn sequence(&mut self, flags: &mut Flags) -> Result<Node, BadPattern> {
        let mut nodes = Vec::new();
        while let Some(char) = self.peek().filter(|char| !matches!(char, '|' | ')')) {
            let start = self.at;
            if flags.verbose && char.is_whitespace() {
                self.at += 1;
                self.stays_at_start(start);
                continue;
            }
            if flags.verbose && char == '#' {
                while self.peek().is_some_and(|char| char != '\n') {
                    self.at += 1;
                }
                self.stays_at_start(start);
                continue;
            }
            if let Some((min, max)) = self.repetition()? {
                let Some(node) = nodes.pop().filter(can_repeat) else {
                    return Err(BadPattern::new("nothing to repeat", start));
                };
                if matches!(node, Node::Repeat { .. }) {
                    return Err(BadPattern::new("multiple repeat", start));
                }
                let mode = if self.eat('?') {
                    Mode::Lazy
                } else if self.eat('+') {
                    Mode::Possessive
                } else {
                    Mode::Greedy
                };
                nodes.push(Node::Repeat { node: Box::new(node), min, max, mode });
                continue;
            }
            // Comments and flags cannot be repeated.
            match self.atom(flags)? {
                Node::Empty => {}
                node => nodes.push(node),
            }
        }
        Ok(if nodes.len() == 1 { nodes.remove(0) } else { Node::Sequence(nodes) })
    }

    /// `*`, `+`, `?` or `{m,n}` at this position.
    fn repetition(&mut self) -> Result<Option<(u32, Option<u32>)>, BadPattern> {
        let bounds = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => return self.counted(),
            _ => return Ok(None),
        };
        self.at += 1;
        Ok(Some(bounds))
    }

    fn counted(&mut self) -> Result<Option<(u32, Option<u32>)>, BadPattern> {
        let start = self.at;
        self.at += 1;
        let low = self.digits();
        let has_comma = self.eat(',');
        let high = if has_comma { self.digits() } else { low.clone() };
        if !self.eat('}') || (low.is_empty() && !has_comma) {
            // A literal brace.
            self.at = start;
            return Ok(None);
        }
        let count = |digits: &str| {
            digits.parse::<u32>().map_err(|_| BadPattern::new("the repetition number is too large", None))
        };
        let min = if low.is_empty() { 0 } else { count(&low)? };
        let max = if high.is_empty() { None } else { Some(count(&high)?) };
        if max.is_some_and(|max| max < min) {
            return Err(BadPattern::new("min repeat greater than max repeat", start + 1));
        }
        Ok(Some((min, max)))
    }

    fn digits(&mut self) -> String {
        let mut digits = String::new();
        while let Some(digit) = self.peek().filter(char::is_ascii_digit) {
            digits.push(digit);
            self.at += 1;
        }
        digits
    }

    fn atom(&mut self, flags: &mut Flags) -> Result<Node, BadPattern> {
        let start = self.at;
        let Some(char) = self.peek() else { return Ok(Node::Empty) };
        self.at += 1;
        Ok(match char {
            '.' => Node::Any { newlines: flags.newlines },
            '^' => Node::LineStart { each_line: flags.each_line },
            '$' => Node::LineEnd { each_line: flags.each_line },
            '[' => Node::Set { set: Box::new(self.set(start)?), folds: flags.folds },
            '(' => return self.group(start, flags),
            '\\' => return self.escape(start, flags),
            char => Node::Char { char, folds: flags.folds },
        })
    }
}

fn can_repeat(node: &Node) -> bool {
    !matches!(
        node,
        Node::LineStart { .. } | Node::LineEnd { .. } | Node::TextStart | Node::TextEnd | Node::WordEdge { .. }
    )
}
