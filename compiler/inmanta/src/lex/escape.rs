//! Escapes in strings. Spec, 2.5.

/// How the text between the quotes is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Reading {
    /// As characters.
    #[default]
    Text,
    /// As bytes: each byte of a non-ASCII character becomes one character (the *quirk* of spec 2.5).
    Latin1,
}

/// A decoded string.
#[derive(Debug, PartialEq, Eq)]
pub struct Decoded {
    /// The text.
    pub text: String,
    /// Whether it contains a backslash that is not an escape.
    pub has_invalid: bool,
    /// Positions in the raw text.
    pub origins: Origins,
}

/// The position in the raw text of each byte of the decoded text.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Origins {
    /// By byte of the text, and its end; `None` while positions are identical.
    moved: Option<Vec<u32>>,
}

impl Origins {
    /// The position in the raw text of a position in the decoded one.
    pub fn raw(&self, at: usize) -> usize {
        match &self.moved {
            Some(moved) => moved.get(at).map_or(at, |raw| *raw as usize),
            None => at,
        }
    }
}

/// Why a string cannot be decoded.
#[derive(Debug, PartialEq, Eq)]
pub struct BadEscape {
    /// Offset of its first byte in the raw text.
    pub start: usize,
    /// Offset after its last byte.
    pub end: usize,
    /// What is wrong.
    pub reason: &'static str,
}

/// Decodes the escapes of a string.
pub fn decode(raw: &str, reading: Reading) -> Result<Decoded, BadEscape> {
    let mut decoder = Decoder { raw, out: String::with_capacity(raw.len()), reading, has_invalid: false };
    let moves = raw.contains('\\') || (reading == Reading::Latin1 && !raw.is_ascii());
    let mut moved: Vec<u32> = Vec::new();
    let mut at = 0;
    while let Some(char) = raw[at..].chars().next() {
        let behind = if char == '\\' { decoder.escape(at)? } else { decoder.plain(at, char) };
        if moves {
            let n_new = decoder.out.len() - moved.len();
            // Characters of several bytes keep the position of each byte if they stand for themselves.
            let keeps = behind - at == n_new;
            moved.extend((0..n_new).map(|nr| (if keeps { at + nr } else { at }) as u32));
        }
        at = behind;
    }
    moved.push(at as u32);
    let origins = Origins { moved: moves.then_some(moved) };
    Ok(Decoded { text: decoder.out, has_invalid: decoder.has_invalid, origins })
}

struct Decoder<'a> {
    raw: &'a str,
    out: String,
    reading: Reading,
    has_invalid: bool,
}

impl Decoder<'_> {
    /// A literal character; returns the position after it.
    fn plain(&mut self, at: usize, char: char) -> usize {
        let end = at + char.len_utf8();
        match self.reading {
            Reading::Text => self.out.push(char),
            Reading::Latin1 => self.out.extend(self.raw.as_bytes()[at..end].iter().map(|byte| char::from(*byte))),
        }
        end
    }

    /// The escape at `at`; returns the position after it.
    fn escape(&mut self, at: usize) -> Result<usize, BadEscape> {
        let Some(char) = self.raw[at + 1..].chars().next() else {
            self.out.push('\\');
            return Ok(at + 1);
        };
        let simple = match char {
            '\n' => return Ok(at + 2),
            '\\' | '\'' | '"' => char,
            'a' => '\u{7}',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{b}',
            '0'..='7' => return Ok(self.octal(at + 1)),
            'x' => return self.hex(at, 2, "truncated \\xXX escape"),
            'u' => return self.hex(at, 4, "truncated \\uXXXX escape"),
            'U' => return self.hex(at, 8, "truncated \\UXXXXXXXX escape"),
            'N' => return self.named(at),
            _ => {
                self.has_invalid = true;
                self.out.push('\\');
                return Ok(self.plain(at + 1, char));
            }
        };
        self.out.push(simple);
        Ok(at + 2)
    }

    fn octal(&mut self, start: usize) -> usize {
        let digits = self.raw[start..].bytes().take(3).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
        let code = u32::from_str_radix(&self.raw[start..start + digits], 8).unwrap_or_default();
        self.out.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
        start + digits
    }

    fn hex(&mut self, at: usize, n_digits: usize, truncated: &'static str) -> Result<usize, BadEscape> {
        let start = at + 2;
        let digits = self.raw[start..].bytes().take(n_digits).take_while(u8::is_ascii_hexdigit).count();
        if digits < n_digits {
            return Err(BadEscape { start: at, end: start + digits, reason: truncated });
        }
        let code = u32::from_str_radix(&self.raw[start..start + digits], 16).unwrap_or(u32::MAX);
        if code > 0x10_ffff {
            return Err(BadEscape { start: at, end: start + digits, reason: "illegal Unicode character" });
        }
        // Half of a surrogate pair is not a character.
        self.out.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
        Ok(start + digits)
    }

    fn named(&mut self, at: usize) -> Result<usize, BadEscape> {
        let malformed = |end| BadEscape { start: at, end, reason: "malformed \\N character escape" };
        let rest = self.raw[at + 2..].strip_prefix('{').ok_or_else(|| malformed(at + 2))?;
        let len = rest.find('}').filter(|len| *len > 0).ok_or_else(|| malformed(self.raw.len()))?;
        let end = at + 3 + len + 1;
        let unknown = BadEscape { start: at, end, reason: "unknown Unicode character name" };
        self.out.push(unicode_names2::character(&rest[..len]).ok_or(unknown)?);
        Ok(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(raw: &str) -> String {
        decode(raw, Reading::Text).expect("no bad escape").text
    }

    #[test]
    fn escapes() {
        assert_eq!(text(r"\101\60\7.\1234 \x41 \u00e9 \U0001F600"), "A0\u{7}.S4 A é 😀");
        assert_eq!(text(r"\N{LATIN SMALL LETTER E WITH ACUTE}\t\q"), "é\t\\q");
        assert!(decode(r"\q", Reading::Text).expect("kept").has_invalid);
        assert!(decode(r"\x4", Reading::Text).is_err() && decode(r"\N{NO SUCH}", Reading::Text).is_err());
    }

    #[test]
    fn places_are_those_of_the_raw_text() {
        let decoded = decode("é\\n{\\x61b}", Reading::Text).expect("fine");
        assert_eq!(decoded.text, "é\n{ab}");
        let raw: Vec<usize> = (0..=decoded.text.len()).map(|at| decoded.origins.raw(at)).collect();
        assert_eq!(raw, [0, 1, 2, 4, 5, 9, 10, 11]);
    }

    #[test]
    fn latin_reading_takes_bytes() {
        assert_eq!(decode("é\\u00e9", Reading::Latin1).expect("fine").text, "Ã©é");
    }
}
