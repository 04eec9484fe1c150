//! Literals. Spec, 2.4 and 2.5.

use super::unexpected::syntax;
use super::{Parsed, Parser};
use crate::ast::{ExprId, ExprKind, Flavour};
use crate::fault::{Class, Fault, Location, PARSER_WARNING, Warning};
use crate::lex::escape::{self, Origins};
use crate::lex::{Keyword, Tok};
use crate::pattern::Pattern;
use crate::value::{Int, Value};
use mclive_base::span::{FileId, Span};
use std::sync::Arc;

/// The text of a string, and its position in the file.
pub(super) struct Text {
    pub(super) text: Arc<str>,
    origins: Origins,
    file: FileId,
    /// The start of the text, after its opening quotes.
    start: usize,
}

impl Text {
    /// The span of a part.
    pub(super) fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.file, self.start + self.origins.raw(start), self.start + self.origins.raw(end))
    }
}

impl Parser<'_> {
    /// A constant, or `None` if the next token is not one.
    pub(super) fn literal(&mut self) -> Parsed<Option<ExprId>> {
        let span = self.span();
        let (value, flavour) = match self.tok() {
            Tok::Int => (self.int(span)?, Flavour::Number),
            Tok::Float => (self.float(span)?, Flavour::Number),
            Tok::Keyword(Keyword::Null) => (Value::Null, Flavour::Word),
            Tok::Keyword(Keyword::True) => (Value::Bool(true), Flavour::Word),
            Tok::Keyword(Keyword::False) => (Value::Bool(false), Flavour::Word),
            Tok::RawString => (Value::str(self.inside(span, 2, 1)), Flavour::Raw),
            Tok::String => return self.string(span, Flavour::Plain).map(Some),
            Tok::LongString => return self.string(span, Flavour::Long).map(Some),
            Tok::FString => return self.fstring(span).map(Some),
            Tok::Regex => return self.regex(span).map(Some),
            _ => return Ok(None),
        };
        self.at += 1;
        let is_precise = flavour == Flavour::Raw;
        self.constant_expr(ExprKind::Literal(flavour), Some(value), span, span, is_precise).map(Some)
    }

    fn slice(&self, span: Span) -> &str {
        &self.text[span.start as usize..span.end as usize]
    }

    /// A token's text without its delimiters.
    pub(super) fn inside(&self, span: Span, front: usize, back: usize) -> &str {
        let text = self.slice(span);
        &text[front..text.len() - back]
    }

    fn int(&self, span: Span) -> Parsed<Value> {
        let too_long = || Fault::new(Class::Limit, "this number has too many digits").at(Location::Column(span));
        Int::parse(self.slice(span)).map(Value::Int).ok_or_else(too_long)
    }

    fn float(&self, span: Span) -> Parsed<Value> {
        let text = self.slice(span);
        let float = text.parse::<f64>().ok().filter(|float| float.is_finite());
        let too_large = || Fault::new(Class::Limit, "this number is too large for a float").at(Location::Column(span));
        float.map(Value::Float).ok_or_else(too_large)
    }

    /// Decodes escapes; warns of invalid ones.
    pub(super) fn decode(&mut self, span: Span, front: usize, back: usize, what: &str) -> Parsed<Text> {
        let decoded = escape::decode(self.inside(span, front, back), self.reading).map_err(|bad| {
            let codec = "'unicodeescape' codec can't decode bytes in position";
            let message =
                format!("UnicodeDecodeError: {codec} {}-{}: {}", bad.start, bad.end.saturating_sub(1), bad.reason);
            let start = span.start as usize + front + bad.start;
            let also = Span::new(span.file, start, start + bad.end - bad.start);
            Fault::new(Class::Internal, message).at(Location::Column(also))
        })?;
        if decoded.has_invalid {
            let message = format!("Invalid escape sequence in {what}.");
            self.warnings.push(Warning { class: PARSER_WARNING, message, span: Some(span) });
        }
        let start = span.start as usize + front;
        Ok(Text { text: decoded.text.into(), origins: decoded.origins, file: span.file, start })
    }

    fn string(&mut self, span: Span, flavour: Flavour) -> Parsed<ExprId> {
        let is_long = flavour == Flavour::Long;
        let quotes = if is_long { 3 } else { 1 };
        let what = if is_long { "multi-line string" } else { "string" };
        let text = self.decode(span, quotes, quotes, what)?;
        self.at += 1;
        let parts = self.references(&text)?;
        let text = text.text;
        if parts.is_empty() {
            let value = Some(Value::Str(text));
            return self.constant_expr(ExprKind::Literal(flavour), value, span, span, is_long);
        }
        self.expr(ExprKind::Interpolated { text, parts, flavour }, span, span, is_long)
    }

    pub(super) fn regex(&mut self, span: Span) -> Parsed<ExprId> {
        let text = self.slice(span);
        let start = text.find('/').unwrap_or(0);
        let source = text[start + 1..text.len() - 1].to_owned();
        let place = Span::new(span.file, span.start as usize + start, span.end as usize);
        let pattern =
            Pattern::new(&source).map_err(|bad| syntax(format!("Regex error in /{source}/: '{bad}'"), place))?;
        self.at += 1;
        self.expr(ExprKind::Regex(Arc::new(pattern)), place, place, true)
    }
}
