//! The format of `fmt.printf`: literal pieces and verbs. Functions spec, section 8.

use crate::types::Type;

/// A piece of a format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Piece<'a> {
    Text(&'a [u8]),
    Verb(Verb),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verb {
    Bool,
    Str,
    Quoted,
    Int,
    Float,
    Any,
    TypeOf,
}

impl Verb {
    /// The required type of a value; `None` for any.
    pub(super) fn ty(self) -> Option<Type> {
        match self {
            Verb::Bool => Some(Type::Bool),
            Verb::Str | Verb::Quoted => Some(Type::Str),
            Verb::Int => Some(Type::Int),
            Verb::Float => Some(Type::Float),
            Verb::Any | Verb::TypeOf => None,
        }
    }
}

/// Parses a format. A lone percent sign at the end is dropped.
///
/// Errors: the offset of an invalid verb.
pub(super) fn parse(format: &[u8]) -> Result<Vec<Piece<'_>>, usize> {
    let mut pieces = Vec::new();
    let (mut from, mut at) = (0, 0);
    while at < format.len() {
        if format[at] != b'%' {
            at += 1;
            continue;
        }
        if from < at {
            pieces.push(Piece::Text(&format[from..at]));
        }
        let Some(byte) = format.get(at + 1) else { return Ok(pieces) };
        pieces.push(match byte {
            b't' => Piece::Verb(Verb::Bool),
            b's' => Piece::Verb(Verb::Str),
            b'q' => Piece::Verb(Verb::Quoted),
            b'd' => Piece::Verb(Verb::Int),
            b'f' => Piece::Verb(Verb::Float),
            b'v' => Piece::Verb(Verb::Any),
            b'T' => Piece::Verb(Verb::TypeOf),
            b'%' => Piece::Text(&format[at..=at]),
            _ => return Err(at + 1),
        });
        at += 2;
        from = at;
    }
    if from < at {
        pieces.push(Piece::Text(&format[from..]));
    }
    Ok(pieces)
}

/// The verbs of a format in order.
pub(super) fn verbs(pieces: &[Piece]) -> Vec<Verb> {
    let verb = |piece: &Piece| match piece {
        Piece::Verb(verb) => Some(*verb),
        Piece::Text(_) => None,
    };
    pieces.iter().filter_map(verb).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verb_is_exactly_one_byte() {
        assert_eq!(parse(b"a%5%"), Err(2));
        assert_eq!(parse(b"%\n"), Err(1));
        assert_eq!(parse(b"%%%"), Ok(vec![Piece::Text(b"%")]));
        assert_eq!(parse(b"abc%"), Ok(vec![Piece::Text(b"abc")]));
        assert_eq!(parse(b"%sx"), Ok(vec![Piece::Verb(Verb::Str), Piece::Text(b"x")]));
    }
}
