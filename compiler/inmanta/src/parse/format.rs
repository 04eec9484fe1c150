//! f-strings: their pieces are those of Python's `str.format`, with variables as the names of fields. Spec, 2.5.

use super::interpolate::words;
use super::literal::Text;
use super::unexpected::syntax;
use super::{Parsed, Parser};
use crate::ast::{ExprId, ExprKind, Format, FormatField, Ref};
use crate::value::{Piece, Raw, pieces};
use mclive_base::span::Span;
use std::collections::BTreeSet;

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
        let pieces = match pieces(text, start).collect::<Result<Vec<Piece<'_>>, &'static str>>() {
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
