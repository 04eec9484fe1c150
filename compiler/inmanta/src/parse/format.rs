//! f-strings: the format-string mini language of Python's `str.format`. Spec, 2.5.

use super::interpolate::words;
use super::literal::Text;
use super::unexpected::syntax;
use super::{Parsed, Parser};
use crate::ast::{ExprId, ExprKind, Format, FormatField, Ref};
use mclive_base::span::Span;
use std::collections::BTreeSet;

/// A piece of a format string.
enum Piece<'a> {
    Text(&'a str),
    Brace(char),
    Field(Raw<'a>),
}

/// A replacement field as it is written.
struct Raw<'a> {
    name: &'a str,
    conversion: Option<&'a str>,
    spec: &'a str,
    /// Where the name and the specification begin in the whole text.
    name_at: usize,
    spec_at: usize,
}

/// The pieces of a text that begins at this position of the whole one.
fn pieces(text: &str, start: usize) -> Result<Vec<Piece<'_>>, &'static str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        if at > 0 {
            pieces.push(Piece::Text(&rest[..at]));
        }
        let brace = if rest.as_bytes()[at] == b'{' { '{' } else { '}' };
        let behind = &rest[at + 1..];
        if behind.starts_with(brace) {
            pieces.push(Piece::Brace(brace));
            rest = &behind[1..];
        } else if brace == '}' {
            return Err("Single '}' encountered in format string");
        } else if behind.is_empty() {
            return Err("Single '{' encountered in format string");
        } else {
            let (raw, after) = field(behind, start + text.len() - behind.len())?;
            pieces.push(Piece::Field(raw));
            rest = after;
        }
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest));
    }
    Ok(pieces)
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

/// The fields that the original recognises. Spec, 2.5, the quirk.
struct Recognized {
    names: BTreeSet<String>,
    is_open: bool,
}

/// The state of reading an f-string.
struct Reading<'a> {
    text: &'a Text,
    /// The token: errors in a field are reported there.
    span: Span,
    recognized: Recognized,
}

impl Parser<'_> {
    pub(super) fn fstring(&mut self, span: Span) -> Parsed<ExprId> {
        let text = self.decode(span, 2, 1, "f-string")?;
        self.at += 1;
        let recognized = Recognized { names: BTreeSet::new(), is_open: true };
        let (fields, tail) = self
            .fields(&text.text, 0, 0, &mut Reading { text: &text, span, recognized })?
            .map_err(|reason| syntax(format!("Invalid f-string: {reason}"), span))?;
        let format = Format { text: text.text, fields, tail };
        self.expr(ExprKind::FString(Box::new(format)), span, span, true)
    }

    #[allow(clippy::type_complexity, reason = "the outer error is a bound, the inner one the text's own")]
    fn fields(
        &mut self,
        text: &str,
        start: usize,
        depth: usize,
        reading: &mut Reading<'_>,
    ) -> Parsed<Result<(Vec<FormatField>, String), &'static str>> {
        let pieces = match pieces(text, start) {
            Ok(pieces) => pieces,
            Err(reason) => return Ok(Err(reason)),
        };
        let mut fields = Vec::new();
        let mut before = String::new();
        for piece in pieces {
            match piece {
                Piece::Text(text) => before.push_str(text),
                Piece::Brace(brace) => {
                    before.push(brace);
                    reading.recognized.is_open = false;
                }
                Piece::Field(raw) => {
                    let reference = self.field_reference(&raw, depth, reading)?;
                    let (spec, spec_tail) = if depth > 1 {
                        (Vec::new(), raw.spec.to_owned())
                    } else {
                        match self.fields(raw.spec, raw.spec_at, depth + 1, reading)? {
                            Ok(spec) => spec,
                            Err(reason) => return Ok(Err(reason)),
                        }
                    };
                    let before = std::mem::take(&mut before);
                    let conversion = raw.conversion.map(str::to_owned);
                    fields.push(FormatField { before, reference, conversion, spec, spec_tail });
                }
            }
        }
        Ok(Ok((fields, before)))
    }

    fn field_reference(&mut self, raw: &Raw<'_>, depth: usize, reading: &mut Reading<'_>) -> Parsed<Ref> {
        let recognized = &mut reading.recognized;
        if raw.name.is_empty() {
            recognized.is_open = false;
            return Ok(Ref::Empty);
        }
        if depth > 1 || !recognized.is_open {
            if !recognized.names.contains(raw.name) {
                return Ok(Ref::Unseen(raw.name.to_owned()));
            }
        } else {
            recognized.names.insert(raw.name.to_owned());
        }
        let words = words(raw.name, raw.name_at, reading.text);
        Ok(Ref::Expr(self.reference(&words, reading.span, Some(reading.span))?))
    }
}
