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
            let len = field_len(behind).ok_or("expected '}' before end of string")?;
            let field_at = start + text.len() - behind.len();
            pieces.push(Piece::Field(raw_field(&behind[..len], field_at)?));
            rest = &behind[len + 1..];
        }
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest));
    }
    Ok(pieces)
}

/// The length of a field up to its closing brace.
fn field_len(text: &str) -> Option<usize> {
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

fn raw_field<'a>(field: &'a str, name_at: usize) -> Result<Raw<'a>, &'static str> {
    let mut brackets = 0;
    let end = field.char_indices().find(|(_, char)| {
        match char {
            '[' => brackets += 1,
            ']' => brackets -= 1,
            _ => {}
        }
        brackets <= 0 && matches!(char, '!' | ':')
    });
    let raw = |name, conversion, spec: &'a str| {
        let spec_at = name_at + field.len() - spec.len();
        Ok(Raw { name, conversion, spec, name_at, spec_at })
    };
    let Some((end, char)) = end else { return raw(field, None, "") };
    let (name, rest) = (&field[..end], &field[end + 1..]);
    if char == ':' {
        return raw(name, None, rest);
    }
    let conversion_len = rest.chars().next().map(char::len_utf8).ok_or("unmatched '{' in format spec")?;
    let (conversion, rest) = rest.split_at(conversion_len);
    match rest.strip_prefix(':') {
        Some(spec) => raw(name, Some(conversion), spec),
        None if rest.is_empty() => raw(name, Some(conversion), ""),
        None => Err("expected ':' after conversion specifier"),
    }
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
