//! Classes of characters: `[...]`.

use super::{BadPattern, Parser};
use crate::pattern::set::{Class, Set};

impl Parser {
    pub(super) fn set(&mut self, start: usize) -> Result<Set, BadPattern> {
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

    /// A character of a class; `None` for a nested class, such as `\d`.
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
}
