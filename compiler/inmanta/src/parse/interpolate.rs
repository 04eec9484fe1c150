//! `{{ references }}` in strings. Spec, 2.5.

use super::{Parsed, Parser};
use crate::ast::{ExprId, ExprKind, Path};
use mclive_base::span::Span;
use std::sync::Arc;

/// A hit: where the whole of it stands, and the name inside.
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
    /// The references of a string, each with the text that is replaced.
    pub(super) fn references(&mut self, text: &Arc<str>, span: Span, quotes: usize) -> Parsed<Vec<(Arc<str>, ExprId)>> {
        let found = hits(text);
        if found.is_empty() {
            return Ok(Vec::new());
        }
        // Where escapes moved nothing, each name has a place of its own.
        let raw = self.inside(span, quotes, quotes).to_owned();
        let places: Vec<usize> = hits(&raw).iter().map(|hit| hit.name_start).collect();
        let exact = places.len() == found.len();
        let mut parts = Vec::with_capacity(found.len());
        for (nr, hit) in found.iter().enumerate() {
            let place = if exact {
                let start = span.start as usize + quotes + places[nr];
                Span::new(span.file, start, start + hit.name.len())
            } else {
                span
            };
            let words: Vec<(&str, Span)> = words(hit.name, place, exact);
            let expr = self.reference(&words, place)?;
            parts.push((text[hit.start..hit.end].into(), expr));
        }
        Ok(parts)
    }

    /// `v.a.b` as an expression.
    pub(super) fn reference(&mut self, words: &[(&str, Span)], span: Span) -> Parsed<ExprId> {
        let mut words = words.iter();
        let (first, first_span) = words.next().copied().unwrap_or(("", span));
        let path = Path { namespace: None, name: self.names.intern(first), span: first_span };
        let mut expr = self.expr(ExprKind::Var(path), first_span, first_span, true)?;
        for (word, word_span) in words {
            let kind = ExprKind::Attr { base: expr, name: self.names.intern(word), name_span: *word_span };
            expr = self.expr(kind, first_span.to(*word_span), first_span, true)?;
        }
        Ok(expr)
    }
}

/// The parts of `a.b.c`, with their places where those are known.
fn words(name: &str, place: Span, exact: bool) -> Vec<(&str, Span)> {
    let mut at = place.start as usize;
    name.split('.')
        .map(|word| {
            let span = if exact { Span::new(place.file, at, at + word.len()) } else { place };
            at += word.len() + 1;
            (word, span)
        })
        .collect()
}
