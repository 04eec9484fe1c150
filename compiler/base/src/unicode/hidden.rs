//! Invisible characters, which can make one text look like another. The lexer warns of them, and no output shows them
//! raw.

/// Why a character is invisible.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hidden {
    /// It changes the text direction.
    Direction,
    /// It has no width.
    ZeroWidth,
    /// A tag character, a copy of ASCII that is never shown.
    Tag,
}

impl Hidden {
    /// A description for messages.
    pub fn name(self) -> &'static str {
        match self {
            Hidden::Direction => "a bidirectional control character",
            Hidden::ZeroWidth => "a zero-width character",
            Hidden::Tag => "an invisible tag character",
        }
    }
}

/// Why this character is invisible, if it is. Variation selectors are not counted: they follow the character they
/// modify, mostly in emoji.
pub fn hidden(char: char) -> Option<Hidden> {
    if char.is_ascii() {
        return None;
    }
    match char {
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            Some(Hidden::Direction)
        }
        '\u{ad}'
        | '\u{34f}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180e}'
        | '\u{200b}'..='\u{200d}'
        | '\u{2028}'
        | '\u{2029}'
        | '\u{2060}'..='\u{2065}'
        | '\u{206a}'..='\u{206f}'
        | '\u{3164}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{1d173}'..='\u{1d17a}' => Some(Hidden::ZeroWidth),
        '\u{e0000}'..='\u{e007f}' => Some(Hidden::Tag),
        _ => None,
    }
}

/// The invisible characters of a text with their offsets. Joiners between two non-ASCII characters are skipped: several
/// scripts and emoji need them.
pub fn hidden_in(text: &str) -> impl Iterator<Item = (usize, char, Hidden)> + '_ {
    let is_beyond_ascii = |char: Option<char>| char.is_some_and(|char| !char.is_ascii() && hidden(char).is_none());
    text.char_indices().filter(|(_, char)| !char.is_ascii()).filter_map(move |(at, char)| {
        let why = hidden(char)?;
        let joins = matches!(char, '\u{200c}' | '\u{200d}')
            && is_beyond_ascii(text[..at].chars().next_back())
            && is_beyond_ascii(text[at + char.len_utf8()..].chars().next());
        (!joins).then_some((at, char, why))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joiners_are_part_of_scripts_and_emoji() {
        let found = |text: &str| hidden_in(text).map(|(at, ..)| at).collect::<Vec<_>>();
        assert_eq!(found("a\u{200d}b \u{202e}x \u{e0041}"), [1, 6, 11]);
        assert_eq!(found("\u{1f468}\u{200d}\u{1f469} \u{645}\u{200c}\u{645} \u{2764}\u{fe0f}"), [0; 0]);
        assert_eq!(hidden('\u{200b}'), Some(Hidden::ZeroWidth));
    }
}
