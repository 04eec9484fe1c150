//! Groups: `(...)` and everything that begins with `(?`.

use super::{BadPattern, Flags, Parser};
use crate::pattern::{Mode, Node, set};
use crate::value::quoted_text;

/// Maximum nesting of groups.
const MAX_NESTING: usize = 100;
const GROUP_NAME: &str = "group name";

impl Flags {
    /// Sets the flag of a letter; `false` if the letter is not a flag.
    fn switch(&mut self, letter: char, on: bool) -> bool {
        match letter {
            'i' => self.folds = on,
            'm' => self.each_line = on,
            's' => self.newlines = on,
            'x' => self.verbose = on,
            'a' | 'u' => {}
            _ => return false,
        }
        true
    }
}

impl Parser {
    pub(super) fn group(&mut self, start: usize, flags: &mut Flags) -> Result<Node, BadPattern> {
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
                    self.stays_at_start(start);
                    Ok(Node::Empty)
                } else {
                    Err(BadPattern::new("missing ), unterminated comment", start))
                }
            }
            '<' => {
                let negated = match self.peek() {
                    Some('=') => false,
                    Some('!') => true,
                    Some(_) => return Err(self.unknown_extension("<", after)),
                    None => return Err(BadPattern::new("unexpected end of pattern", self.at)),
                };
                self.at += 1;
                self.closing(start, flags, |node| Node::Look { ahead: false, negated, node }, None)
            }
            'P' => self.named(start, after, flags),
            '(' => self.if_group(start, flags),
            'i' | 'm' | 's' | 'x' | 'a' | 'u' | 'L' | '-' => self.inline_flags(char, start, flags),
            _ => Err(self.unknown_extension("", after)),
        }
    }

    /// The error about the characters after a question mark. Python treats an escape as one character.
    fn unknown_extension(&mut self, begun: &str, after: usize) -> BadPattern {
        let rest = &self.chars[after + begun.len()..];
        let n_chars = if rest.first() == Some(&'\\') { 2 } else { 1 };
        let found: String = rest.iter().take(n_chars).collect();
        self.at = after + begun.len() + n_chars;
        BadPattern::new(format!("unknown extension ?{begun}{found}"), after - 1)
    }

    fn open_group(&mut self) -> usize {
        self.n_groups += 1;
        self.closed.push(false);
        self.n_groups
    }

    /// The rest of a group up to its parenthesis.
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

    /// A name up to its end, which is consumed; `what` is the kind of name.
    pub(super) fn name_until(&mut self, end: char, what: &str) -> Result<String, BadPattern> {
        let start = self.at;
        let name: String = self.chars[start..].iter().take_while(|char| **char != end).collect();
        self.at += name.chars().count();
        if name.is_empty() {
            return Err(BadPattern::new(format!("missing {what}"), start));
        }
        if !self.eat(end) {
            return Err(BadPattern::new(format!("missing {end}, unterminated name"), start));
        }
        Ok(name)
    }

    fn named(&mut self, start: usize, after: usize, flags: &Flags) -> Result<Node, BadPattern> {
        if self.eat('<') {
            let name_at = self.at;
            let name = self.name_until('>', GROUP_NAME)?;
            check_name(&name, name_at)?;
            let number = self.open_group();
            if let Some(earlier) = self.names.insert(name.clone(), number) {
                let reason = format!("redefinition of group name '{name}' as group {number}; was group {earlier}");
                return Err(BadPattern::new(reason, name_at));
            }
            return self.closing(start, flags, |node| Node::Group { number: Some(number), node }, Some(number));
        }
        if self.eat('=') {
            let name_at = self.at;
            let name = self.name_until(')', GROUP_NAME)?;
            return Ok(Node::Reference { group: self.group_of(&name, name_at)?, folds: flags.folds });
        }
        Err(match self.peek() {
            Some(_) => self.unknown_extension("P", after),
            None => BadPattern::new("unexpected end of pattern", self.at),
        })
    }

    /// The number of a group that has this name.
    fn group_of(&self, name: &str, at: usize) -> Result<usize, BadPattern> {
        check_name(name, at)?;
        let unknown = || BadPattern::new(format!("unknown group name {}", quoted_text(name)), at);
        self.names.get(name).copied().ok_or_else(unknown)
    }

    fn if_group(&mut self, start: usize, flags: &Flags) -> Result<Node, BadPattern> {
        let name_at = self.at;
        let name = self.name_until(')', GROUP_NAME)?;
        let group = match name.parse::<usize>() {
            _ if !name.bytes().all(|byte| byte.is_ascii_digit()) => self.group_of(&name, name_at)?,
            Ok(0) => return Err(BadPattern::new("bad group number", name_at)),
            Ok(number) => number,
            Err(_) => return Err(BadPattern::new(format!("invalid group reference {name}"), name_at)),
        };
        if self.conditions.iter().all(|(known, _)| *known != group) {
            self.conditions.push((group, name_at));
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

    /// Flag letters, for the rest of the pattern or for the group.
    fn inline_flags(&mut self, first: char, start: usize, flags: &mut Flags) -> Result<Node, BadPattern> {
        let mut inner = *flags;
        let mut switched = Vec::new();
        let mut next = Some(first);
        loop {
            match next {
                Some(')') if start == self.begun => {
                    *flags = inner;
                    self.stays_at_start(start);
                    return Ok(Node::Empty);
                }
                Some(')') => {
                    return Err(BadPattern::new("global flags not at the start of the expression", start));
                }
                Some(':') => return self.flagged(start, &inner),
                Some('-') => break,
                Some('L') => {
                    return Err(BadPattern::new("bad inline flags: cannot use 'L' flag with a str pattern", self.at));
                }
                Some(char) if inner.switch(char, true) => {
                    let is_type = matches!(char, 'a' | 'u');
                    if is_type && switched.iter().any(|other| matches!(other, 'a' | 'u') && *other != char) {
                        let reason = "bad inline flags: flags 'a', 'u' and 'L' are incompatible";
                        return Err(BadPattern::new(reason, self.at));
                    }
                    switched.push(char);
                }
                other => return Err(self.no_flag(other, "missing -, : or )")),
            }
            next = self.take();
        }
        let mut missing = "missing flag";
        loop {
            match self.take() {
                Some(':') if missing == "missing :" => return self.flagged(start, &inner),
                Some('a' | 'u' | 'L') => {
                    let reason = "bad inline flags: cannot turn off flags 'a', 'u' and 'L'";
                    return Err(BadPattern::new(reason, self.at));
                }
                Some(char) if switched.contains(&char) => {
                    // It is reported at the end of the letters, where both lists are known.
                    let end = self.chars[self.at..].iter().take_while(|char| **char != ':').count();
                    return Err(BadPattern::new("bad inline flags: flag turned on and off", self.at + end));
                }
                Some(char) if inner.switch(char, false) => missing = "missing :",
                other => return Err(self.no_flag(other, missing)),
            }
        }
    }

    fn take(&mut self) -> Option<char> {
        let char = self.peek();
        self.at += usize::from(char.is_some());
        char
    }

    fn flagged(&mut self, start: usize, flags: &Flags) -> Result<Node, BadPattern> {
        self.closing(start, flags, |node| Node::Group { number: None, node }, None)
    }

    fn no_flag(&self, found: Option<char>, missing: &str) -> BadPattern {
        match found {
            None => BadPattern::new(missing, self.at),
            Some(char) if char.is_alphabetic() => BadPattern::new("unknown flag", self.at - 1),
            Some(_) => BadPattern::new(missing, self.at - 1),
        }
    }
}

/// Errors: it is not the name of a group.
fn check_name(name: &str, at: usize) -> Result<(), BadPattern> {
    match name.chars().all(set::is_word) && !name.starts_with(|char: char| char.is_ascii_digit()) {
        true => Ok(()),
        false => Err(BadPattern::new(format!("bad character in group name {}", quoted_text(name)), at)),
    }
}
