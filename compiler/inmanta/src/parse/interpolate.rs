//! `{{ references }}` in strings. Spec, 2.5.

use super::literal::Text;
use super::{Parsed, Parser};
use crate::ast::{ExprId, ExprKind, Path};
use mclive_base::span::Span;
use std::sync::Arc;

/// A match: its whole span, and the name inside.
struct Hit<'a> {
    start: usize,
    end: usize,
    name: &'a str,
    name_start: usize,
}

fn hits(text: &str) -> Vec<Hit<'_>> {
    let bytes = text.as_bytes();
    let blank = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0xb;
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(open) = text[at..].find("{{").map(|open| at + open) {
        let skip = |from: usize| from + bytes[from..].iter().take_while(|byte| blank(byte)).count();
        let name_start = skip(open + 2);
        let name_len = bytes[name_start..]
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
            .count();
        let close = skip(name_start + name_len);
        if name_len > 0 && bytes[close..].starts_with(b"}}") {
            let name = &text[name_start..name_start + name_len];
            found.push(Hit { start: open, end: close + 2, name, name_start });
            at = close + 2;
        } else {
            at = open + 1;
        }
    }
    found
}

impl Parser<'_> {
    /// The references of a string, each with the text it replaces.
    pub(super) fn references(&mut self, text: &Text) -> Parsed<Vec<(Arc<str>, ExprId)>> {
        let mut parts = Vec::new();
        for hit in hits(&text.text) {
            let words: Vec<(&str, Span)> = words(hit.name, hit.name_start, text);
            let place = text.span(hit.name_start, hit.name_start + hit.name.len());
            let expr = self.reference(&words, place, None)?;
            parts.push((text.text[hit.start..hit.end].into(), expr));
        }
        Ok(parts)
    }

    /// `v.a.b` as an expression. Errors are reported at its own names, or at one place for all of it.
    pub(super) fn reference(&mut self, words: &[(&str, Span)], span: Span, at: Option<Span>) -> Parsed<ExprId> {
        let mut words = words.iter();
        let (first, first_span) = words.next().copied().unwrap_or(("", span));
        let at = at.unwrap_or(first_span);
        let path = Path { namespace: None, name: self.names.intern(first), span: first_span };
        let mut expr = self.expr(ExprKind::Var(path), first_span, at, true)?;
        for (word, word_span) in words {
            let kind = ExprKind::Attr { base: expr, name: self.names.intern(word), name_span: *word_span };
            expr = self.expr(kind, first_span.to(*word_span), at, true)?;
        }
        Ok(expr)
    }
}

/// The parts of `a.b.c` with their spans; spaces around each of them are ignored.
pub(super) fn words<'a>(name: &'a str, start: usize, text: &Text) -> Vec<(&'a str, Span)> {
    let mut at = start;
    name.split('.')
        .map(|part| {
            let word = part.trim();
            let from = at + (part.len() - part.trim_start().len());
            at += part.len() + 1;
            (word, text.span(from, from + word.len()))
        })
        .collect()
}
