//! Characters that nobody sees: they make a text look like another one. The lexer warns of them, and no output for
//! people shows them raw.

/// Why a character is not seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hidden {
    /// It changes the direction in which text is shown.
    Direction,
    /// It takes no room.
    ZeroWidth,
    /// It belongs to the tags, a copy of ASCII that is never shown.
    Tag,
}

impl Hidden {
    /// What it is, for a message.
    pub fn name(self) -> &'static str {
        match self {
            Hidden::Direction => "a bidirectional control character",
            Hidden::ZeroWidth => "a zero-width character",
            Hidden::Tag => "an invisible tag character",
        }
    }
}

/// Is it one of these? Variation selectors are not: they stand behind what they vary, in emoji most of all.
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

/// The hidden characters of a text with their offsets. A joiner between two characters beyond ASCII is how several
/// scripts, and emoji, are written: it hides nothing.
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
