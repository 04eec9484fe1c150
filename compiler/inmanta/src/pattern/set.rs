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

fn to_lower(char: char) -> char {
    char.to_lowercase().next().unwrap_or(char)
}

/// The capital letter, if it is a single one.
fn to_upper(char: char) -> char {
    let mut upper = char.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(upper), None) => upper,
        _ => char,
    }
}

/// Whether two characters differ at most in case: `s` and `ſ` have the same capital letter.
pub(super) fn equal_folded(a: char, b: char) -> bool {
    to_lower(a) == to_lower(b) || to_upper(a) == to_upper(b)
}

pub(super) fn is_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

impl Set {
    /// The same for a character in either case.
    pub(super) fn has_folded(&self, char: char) -> bool {
        let lower = to_lower(char);
        let cases = [lower, to_upper(lower)];
        let is_in = |(from, to): &(char, char)| match from == to {
            true => equal_folded(*from, char),
            false => cases.iter().any(|char| (*from..=*to).contains(char)),
        };
        let has = self.ranges.iter().any(is_in) || self.classes.iter().any(|class| class.has(lower));
        has != self.negated
    }

    pub(super) fn has(&self, char: char) -> bool {
        let has = self.ranges.iter().any(|(from, to)| (*from..=*to).contains(&char))
            || self.classes.iter().any(|class| class.has(char));
        has != self.negated
    }
}
