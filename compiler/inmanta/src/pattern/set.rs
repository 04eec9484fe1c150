//! [`Set`]: a character class.

/// A class of characters.
#[derive(Clone, Default, Debug)]
pub(super) struct Set {
    pub(super) negated: bool,
    pub(super) ranges: Vec<(char, char)>,
    pub(super) classes: Vec<Class>,
}

/// `\d`, `\s`, `\w` and their complements.
#[derive(Clone, Copy, Debug)]
pub(super) struct Class {
    pub(super) letter: char,
    pub(super) negated: bool,
}

impl Class {
    pub(super) fn of(char: char) -> Option<Class> {
        let letter = char.to_ascii_lowercase();
        matches!(letter, 'd' | 's' | 'w').then_some(Class { letter, negated: char.is_ascii_uppercase() })
    }

    fn has(self, char: char) -> bool {
        let has = match self.letter {
            'd' => char.is_ascii_digit() || (!char.is_ascii() && char.is_numeric()),
            's' => char.is_whitespace() || matches!(char, '\u{1c}'..='\u{1f}'),
            _ => is_word(char),
        };
        has != self.negated
    }
}

pub(super) fn is_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

impl Set {
    pub(super) fn has(&self, char: char) -> bool {
        let has = self.ranges.iter().any(|(from, to)| (*from..=*to).contains(&char))
            || self.classes.iter().any(|class| class.has(char));
        has != self.negated
    }
}
