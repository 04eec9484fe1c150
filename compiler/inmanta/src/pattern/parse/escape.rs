//! Escapes: the part after a backslash.

use super::{BadPattern, Flags, Parser};
use crate::pattern::Node;
use crate::pattern::set::{Class, Set};
use crate::value::quoted_text;

impl Parser {
    pub(super) fn escape(&mut self, start: usize, flags: &Flags) -> Result<Node, BadPattern> {
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

    /// The character of an escape, in and outside classes.
    pub(super) fn char_escape(&mut self, start: usize) -> Result<char, BadPattern> {
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
                let value = u32::from_str_radix(&digits, 8).unwrap_or_default();
                if value > 0o377 {
                    let reason = format!("octal escape value \\{digits} outside of range 0-0o377");
                    return Err(BadPattern::new(reason, start));
                }
                char::from_u32(value).unwrap_or('\0')
            }
            'N' => return self.named_char(start),
            char if char.is_ascii_alphanumeric() => return Err(bad(self, start + 2)),
            char => char,
        })
    }

    /// The rest of `\N{NAME}`.
    fn named_char(&mut self, start: usize) -> Result<char, BadPattern> {
        if !self.eat('{') {
            return Err(BadPattern::new("missing {", self.at));
        }
        let name = self.name_until('}', "character name")?;
        unicode_names2::character(&name)
            .ok_or_else(|| BadPattern::new(format!("undefined character name {}", quoted_text(&name)), start))
    }
}
