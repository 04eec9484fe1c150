//! A pattern's text to nodes; what is malformed is told in the words of the original.

use super::set::{Class, Set};
use super::{Mode, Node};
use std::collections::BTreeMap;

/// Why a pattern is malformed.
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

/// So deep may groups nest.
const MAX_NESTING: usize = 100;

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
    /// Groups that are closed, so that references to them are fine.
    closed: Vec<bool>,
    nesting: usize,
}

pub(super) fn parse(source: &str) -> Result<Parsed, BadPattern> {
    let chars: Vec<char> = source.chars().collect();
    let mut parser = Parser { chars, at: 0, n_groups: 0, names: BTreeMap::new(), closed: vec![true], nesting: 0 };
    let node = parser.either(&mut Flags::default())?;
    if parser.peek().is_some() {
        return Err(BadPattern::new("unbalanced parenthesis", parser.at));
    }
    Ok(Parsed { node, n_groups: parser.n_groups })
}

impl Parser {
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
                continue;
            }
            if flags.verbose && char == '#' {
                while self.peek().is_some_and(|char| char != '\n') {
                    self.at += 1;
                }
                continue;
            }
            if let Some((min, max)) = self.repetition()? {
                let Some(node) = nodes.pop().filter(|node| can_repeat(node)) else {
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
            nodes.push(self.atom(flags)?);
        }
        Ok(if nodes.len() == 1 { nodes.remove(0) } else { Node::Sequence(nodes) })
    }

    /// `*`, `+`, `?` or `{m,n}` here.
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
            // No repetition, but a brace.
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

    fn escape(&mut self, start: usize, flags: &Flags) -> Result<Node, BadPattern> {
        let Some(char) = self.peek() else { return Err(BadPattern::new("bad escape (end of pattern)", start)) };
        let folds = flags.folds;
        let simple = match char {
            'A' => Node::TextStart,
            'Z' => Node::TextEnd,
            'b' => Node::WordEdge { negated: false },
            'B' => Node::WordEdge { negated: true },
            '1'..='9' => return self.reference(start, folds),
            _ if Class::of(char).is_some() => {
                let set = Set { classes: Class::of(char).into_iter().collect(), ..Set::default() };
                Node::Set { set: Box::new(set), folds: false }
            }
            _ => return Ok(Node::Char { char: self.char_escape(start)?, folds }),
        };
        self.at += 1;
        Ok(simple)
    }

    fn reference(&mut self, start: usize, folds: bool) -> Result<Node, BadPattern> {
        let rest = &self.chars[self.at..];
        let octal = rest.len() >= 3 && rest[..3].iter().all(|char| matches!(char, '0'..='7'));
        if octal {
            return Ok(Node::Char { char: self.char_escape(start)?, folds });
        }
        let digits: String = rest.iter().take(2).take_while(|char| char.is_ascii_digit()).collect();
        self.at += digits.len();
        let group: usize = digits.parse().unwrap_or(0);
        if group > self.n_groups {
            return Err(BadPattern::new(format!("invalid group reference {group}"), start + 1));
        }
        if !self.closed[group] {
            return Err(BadPattern::new("cannot refer to an open group", start));
        }
        Ok(Node::Reference { group, folds })
    }

    /// A character behind a backslash, in and outside of classes.
    fn char_escape(&mut self, start: usize) -> Result<char, BadPattern> {
        let Some(char) = self.peek() else { return Err(BadPattern::new("bad escape (end of pattern)", start)) };
        self.at += 1;
        let bad = |parser: &Parser, end: usize| {
            let text: String = parser.chars[start..end.min(parser.chars.len())].iter().collect();
            BadPattern::new(format!("bad escape {text}"), start)
        };
        let hex = |parser: &mut Parser, wanted: usize| {
            let digits: String =
                parser.chars[parser.at..].iter().take(wanted).take_while(|char| char.is_ascii_hexdigit()).collect();
            if digits.len() < wanted {
                return Err(BadPattern::new(format!("incomplete escape \\{char}{digits}"), start));
            }
            parser.at += wanted;
            u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32).ok_or_else(|| bad(parser, parser.at))
        };
        Ok(match char {
            'a' => '\u{7}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{b}',
            'x' => hex(self, 2)?,
            'u' => hex(self, 4)?,
            'U' => hex(self, 8)?,
            '0'..='7' => {
                let mut digits = String::from(char);
                while digits.len() < 3 && self.peek().is_some_and(|char| matches!(char, '0'..='7')) {
                    digits.extend(self.peek());
                    self.at += 1;
                }
                u32::from_str_radix(&digits, 8).ok().and_then(char::from_u32).unwrap_or('\0')
            }
            char if char.is_ascii_alphanumeric() => return Err(bad(self, start + 2)),
            char => char,
        })
    }

    fn set(&mut self, start: usize) -> Result<Set, BadPattern> {
        let mut set = Set { negated: self.eat('^'), ..Set::default() };
        let first = self.at;
        loop {
            let at = self.at;
            let Some(char) = self.peek() else { return Err(BadPattern::new("unterminated character set", start)) };
            self.at += 1;
            if char == ']' && at > first {
                return Ok(set);
            }
            let low = self.member(char, at, &mut set)?;
            let is_range = self.peek() == Some('-') && self.chars.get(self.at + 1).is_some_and(|next| *next != ']');
            if !is_range {
                if self.peek() == Some('-') && self.chars.get(self.at + 1).is_none() {
                    return Err(BadPattern::new("unterminated character set", start));
                }
                set.ranges.extend(low.map(|low| (low, low)));
                continue;
            }
            self.at += 1;
            let end_at = self.at;
            let Some(char) = self.peek() else { return Err(BadPattern::new("unterminated character set", start)) };
            self.at += 1;
            let high = self.member(char, end_at, &mut set)?;
            match (low, high) {
                (Some(low), Some(high)) if low <= high => set.ranges.push((low, high)),
                _ => {
                    let text: String = self.chars[at..self.at].iter().collect();
                    return Err(BadPattern::new(format!("bad character range {text}"), at));
                }
            }
        }
    }

    /// A character of a class; `None` for a class of its own, such as `\d`.
    fn member(&mut self, char: char, at: usize, set: &mut Set) -> Result<Option<char>, BadPattern> {
        if char != '\\' {
            return Ok(Some(char));
        }
        match self.peek() {
            Some('b') => {
                self.at += 1;
                Ok(Some('\u{8}'))
            }
            Some(char) if Class::of(char).is_some() => {
                self.at += 1;
                set.classes.extend(Class::of(char));
                Ok(None)
            }
            _ => self.char_escape(at).map(Some),
        }
    }

    fn group(&mut self, start: usize, flags: &mut Flags) -> Result<Node, BadPattern> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return Err(BadPattern::new("groups nest too deeply", start));
        }
        let node = self.group_inside(start, flags);
        self.nesting -= 1;
        node
    }

    fn group_inside(&mut self, start: usize, flags: &mut Flags) -> Result<Node, BadPattern> {
        if !self.eat('?') {
            let number = self.open_group();
            return self.closing(start, flags, |node| Node::Group { number: Some(number), node }, Some(number));
        }
        let after = self.at;
        let Some(char) = self.peek() else { return Err(BadPattern::new("unexpected end of pattern", after)) };
        self.at += 1;
        match char {
            ':' => self.closing(start, flags, |node| Node::Group { number: None, node }, None),
            '=' | '!' => {
                let negated = char == '!';
                self.closing(start, flags, |node| Node::Look { ahead: true, negated, node }, None)
            }
            '>' => {
                let possessive = |node| Node::Repeat { node, min: 1, max: Some(1), mode: Mode::Possessive };
                let node = self.closing(start, flags, possessive, None)?;
                Ok(Node::Group { number: None, node: Box::new(node) })
            }
            '#' => {
                while self.peek().is_some_and(|char| char != ')') {
                    self.at += 1;
                }
                if self.eat(')') {
                    Ok(Node::Empty)
                } else {
                    Err(BadPattern::new("missing ), unterminated comment", start))
                }
            }
            '<' => {
                let negated = match self.peek() {
                    Some('=') => false,
                    Some('!') => true,
                    other => {
                        let other = other.map(String::from).unwrap_or_default();
                        return Err(BadPattern::new(format!("unknown extension ?<{other}"), after - 1));
                    }
                };
                self.at += 1;
                self.closing(start, flags, |node| Node::Look { ahead: false, negated, node }, None)
            }
            'P' => self.named(start, after, flags),
            '(' => self.if_group(start, flags),
            'i' | 'm' | 's' | 'x' | 'a' | 'u' | 'L' | '-' => self.inline_flags(char, start, after, flags),
            char => Err(BadPattern::new(format!("unknown extension ?{char}"), after - 1)),
        }
    }

    fn open_group(&mut self) -> usize {
        self.n_groups += 1;
        self.closed.push(false);
        self.n_groups
    }

    /// The rest of a group up to its bracket.
    fn closing(
        &mut self,
        start: usize,
        flags: &Flags,
        make: impl FnOnce(Box<Node>) -> Node,
        group: Option<usize>,
    ) -> Result<Node, BadPattern> {
        let node = self.either(&mut flags.clone())?;
        if !self.eat(')') {
            return Err(BadPattern::new("missing ), unterminated subpattern", start));
        }
        if let Some(group) = group {
            self.closed[group] = true;
        }
        Ok(make(Box::new(node)))
    }

    fn name_until(&mut self, end: char) -> Result<String, BadPattern> {
        let start = self.at;
        let mut name = String::new();
        while let Some(char) = self.peek().filter(|char| *char != end) {
            name.push(char);
            self.at += 1;
        }
        if !self.eat(end) {
            return Err(BadPattern::new(format!("missing {end}, unterminated name"), start));
        }
        if name.is_empty() {
            return Err(BadPattern::new("missing group name", start));
        }
        Ok(name)
    }

    fn named(&mut self, start: usize, after: usize, flags: &Flags) -> Result<Node, BadPattern> {
        if self.eat('<') {
            let name_at = self.at;
            let name = self.name_until('>')?;
            let is_word =
                name.chars().all(super::set::is_word) && !name.starts_with(|char: char| char.is_ascii_digit());
            if !is_word {
                return Err(BadPattern::new(format!("bad character in group name '{name}'"), name_at));
            }
            let number = self.open_group();
            if let Some(earlier) = self.names.insert(name.clone(), number) {
                let reason = format!("redefinition of group name '{name}' as group {number}; was group {earlier}");
                return Err(BadPattern::new(reason, name_at));
            }
            return self.closing(start, flags, |node| Node::Group { number: Some(number), node }, Some(number));
        }
        if self.eat('=') {
            let name_at = self.at;
            let name = self.name_until(')')?;
            let Some(group) = self.names.get(&name) else {
                return Err(BadPattern::new(format!("unknown group name '{name}'"), name_at));
            };
            return Ok(Node::Reference { group: *group, folds: flags.folds });
        }
        let other = self.peek().map(String::from).unwrap_or_default();
        Err(BadPattern::new(format!("unknown extension ?P{other}"), after - 1))
    }

    fn if_group(&mut self, start: usize, flags: &Flags) -> Result<Node, BadPattern> {
        let name_at = self.at;
        let name = self.name_until(')')?;
        let group = match name.parse::<usize>() {
            Ok(0) => return Err(BadPattern::new("bad group number", name_at)),
            Ok(number) => number,
            Err(_) => match self.names.get(&name) {
                Some(number) => *number,
                None => return Err(BadPattern::new(format!("unknown group name '{name}'"), name_at)),
            },
        };
        if group > self.n_groups {
            return Err(BadPattern::new(format!("invalid group reference {group}"), name_at));
        }
        let yes = self.sequence(&mut flags.clone())?;
        let no = if self.eat('|') { self.sequence(&mut flags.clone())? } else { Node::Empty };
        if self.peek() == Some('|') {
            return Err(BadPattern::new("conditional backref with more than two branches", self.at));
        }
        if !self.eat(')') {
            return Err(BadPattern::new("missing ), unterminated subpattern", start));
        }
        Ok(Node::IfGroup { group, yes: Box::new(yes), no: Box::new(no) })
    }

    fn inline_flags(&mut self, first: char, start: usize, after: usize, flags: &mut Flags) -> Result<Node, BadPattern> {
        let mut inner = *flags;
        let mut on = true;
        let mut next = Some(first);
        while let Some(char) = next {
            match char {
                'i' => inner.folds = on,
                'm' => inner.each_line = on,
                's' => inner.newlines = on,
                'x' => inner.verbose = on,
                'a' | 'u' => {}
                '-' if on => on = false,
                ':' => return self.closing(start, &inner, |node| Node::Group { number: None, node }, None),
                ')' if start == 0 && on => {
                    *flags = inner;
                    return Ok(Node::Empty);
                }
                ')' => return Err(BadPattern::new("global flags not at the start of the expression", start)),
                _ => return Err(BadPattern::new("unknown flag", self.at - 1)),
            }
            next = self.peek();
            self.at += 1;
        }
        Err(BadPattern::new("missing -, : or )", after))
    }
}

fn can_repeat(node: &Node) -> bool {
    !matches!(node, Node::Empty | Node::LineStart { .. } | Node::TextStart)
}
