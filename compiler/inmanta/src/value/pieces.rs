//! The pieces of a format string: text, literal braces and replacement fields, as in Python's `str.format`. Spec, 2.5.

/// A piece of a format string.
pub(crate) enum Piece<'a> {
    Text(&'a str),
    Brace(char),
    Field(Raw<'a>),
}

/// A replacement field as it is written.
pub(crate) struct Raw<'a> {
    pub(crate) name: &'a str,
    /// One character.
    pub(crate) conversion: Option<&'a str>,
    pub(crate) spec: &'a str,
    /// Where the name and the specification begin in the whole text.
    pub(crate) name_at: usize,
    pub(crate) spec_at: usize,
}

/// The pieces of a text that begins at this position of the whole one. What cannot be read is the last of them.
pub(crate) fn pieces(text: &str, start: usize) -> Pieces<'_> {
    Pieces { rest: text, at: start }
}

pub(crate) struct Pieces<'a> {
    rest: &'a str,
    /// Where the rest begins in the whole text.
    at: usize,
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Result<Piece<'a>, &'static str>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.rest;
        let first = rest.chars().next()?;
        let read = match rest.find(['{', '}']) {
            Some(0) => behind_brace(first, &rest[1..], self.at + 1),
            end => {
                let (text, after) = rest.split_at(end.unwrap_or(rest.len()));
                Ok((Piece::Text(text), after))
            }
        };
        let after = read.as_ref().map_or("", |(_, after)| *after);
        self.at += rest.len() - after.len();
        self.rest = after;
        Some(read.map(|(piece, _)| piece))
    }
}

/// The piece that begins with a brace, and what follows it. `text` begins after the brace, at this position.
fn behind_brace(brace: char, text: &str, at: usize) -> Result<(Piece<'_>, &str), &'static str> {
    if let Some(after) = text.strip_prefix(brace) {
        return Ok((Piece::Brace(brace), after));
    }
    match brace {
        '}' => Err("Single '}' encountered in format string"),
        _ if text.is_empty() => Err("Single '{' encountered in format string"),
        _ => field(text, at).map(|(raw, after)| (Piece::Field(raw), after)),
    }
}

/// What a specification that does not end is called in Python.
const OPEN_SPEC: &str = "unmatched '{' in format spec";

/// The field after an opening brace, at this position of the whole text, and what follows its closing brace.
fn field(text: &str, name_at: usize) -> Result<(Raw<'_>, &str), &'static str> {
    let name_len = name_len(text)?;
    let (name, end, behind) = (&text[..name_len], text.as_bytes()[name_len], &text[name_len + 1..]);
    let (conversion, spec) = match end {
        b'}' => return Ok((Raw { name, conversion: None, spec: "", name_at, spec_at: name_at }, behind)),
        b':' => (None, behind),
        _ => {
            let first = behind.chars().next().ok_or("end of string while looking for conversion specifier")?;
            let (conversion, behind) = behind.split_at(first.len_utf8());
            let conversion = Some(conversion);
            match behind.bytes().next().ok_or(OPEN_SPEC)? {
                b'}' => return Ok((Raw { name, conversion, spec: "", name_at, spec_at: name_at }, &behind[1..])),
                b':' => (conversion, &behind[1..]),
                _ => return Err("expected ':' after conversion specifier"),
            }
        }
    };
    let spec_at = name_at + text.len() - spec.len();
    let len = spec_len(spec).ok_or(OPEN_SPEC)?;
    Ok((Raw { name, conversion, spec: &spec[..len], name_at, spec_at }, &spec[len + 1..]))
}

/// The length of a name: what is between brackets belongs to it.
fn name_len(text: &str) -> Result<usize, &'static str> {
    let mut is_in_brackets = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b']' => is_in_brackets = false,
            _ if is_in_brackets => {}
            b'[' => is_in_brackets = true,
            b'{' => return Err("unexpected '{' in field name"),
            b'}' | b':' | b'!' => return Ok(at),
            _ => {}
        }
    }
    Err("expected '}' before end of string")
}

/// The length of a specification up to the field's closing brace.
fn spec_len(text: &str) -> Option<usize> {
    let mut open = 1;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => open += 1,
            b'}' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each piece as it is read.
    fn read(text: &str) -> Vec<String> {
        let shown = |piece: Result<Piece<'_>, &'static str>| match piece {
            Ok(Piece::Text(text)) => text.to_owned(),
            Ok(Piece::Brace(brace)) => brace.to_string(),
            Ok(Piece::Field(raw)) => format!("{}|{}|{}", raw.name, raw.conversion.unwrap_or_default(), raw.spec),
            Err(reason) => reason.to_owned(),
        };
        pieces(text, 0).map(shown).collect()
    }

    #[test]
    fn pieces_are_read_in_order() {
        assert_eq!(read("a {{b}} {x.y!r:>{w}}{z}"), ["a ", "{", "b", "}", " ", "x.y|r|>{w}", "z||"]);
        // What is in brackets belongs to the name.
        assert_eq!(read("{a[b:c!}]:d}"), ["a[b:c!}]||d"]);
        assert!(read("").is_empty());
    }

    #[test]
    fn what_cannot_be_read_is_last() {
        for (text, reason) in [
            ("{", "Single '{' encountered in format string"),
            ("a } b", "Single '}' encountered in format string"),
            ("{x", "expected '}' before end of string"),
            ("{x[", "expected '}' before end of string"),
            ("{x{y}}", "unexpected '{' in field name"),
            ("{x:", "unmatched '{' in format spec"),
            ("{x:{y}", "unmatched '{' in format spec"),
            ("{x!r", "unmatched '{' in format spec"),
            ("{x!", "end of string while looking for conversion specifier"),
            ("{x!rs}", "expected ':' after conversion specifier"),
        ] {
            assert_eq!(read(text).last().map(String::as_str), Some(reason), "{text}");
        }
    }
}
