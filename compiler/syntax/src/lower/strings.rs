//! Strings: decodes escapes and interpolation. Language spec, section 5.1 and 5.2.

use super::{Lowering, raw, refuse};
use crate::ast;
use crate::diag::Diagnostic;
use crate::hir::{Call, Callee, ExprId, ExprKind};
use crate::parse::MAX_HEIGHT;
use crate::source::Source;
use crate::span::Span;
use crate::types::Type;

/// A part of a string.
enum Part<'s> {
    /// Decoded.
    Text(Vec<u8>),
    Hole {
        name: &'s str,
        span: Span,
    },
}

/// The names interpolated in a raw string literal at `literal` (including quotes), with their spans; empty if it cannot
/// be read.
pub fn holes(source: &Source, literal: Span) -> Vec<(String, Span)> {
    let text = &source.text[literal.start as usize..literal.end as usize];
    let text = text.strip_prefix(b"\"").unwrap_or(text);
    let text = text.strip_suffix(b"\"").unwrap_or(text);
    let parts = split(text, Span { start: literal.start + 1, ..literal }).unwrap_or_default();
    let hole = |part| match part {
        Part::Hole { name, span } => Some((name.to_owned(), span)),
        Part::Text(_) => None,
    };
    parts.into_iter().filter_map(hole).collect()
}

impl Lowering<'_> {
    /// A string literal: a literal, the variable if it is the whole string, or a chain of `concat`.
    pub(super) fn string(&mut self, literal: &ast::Expr) -> ExprId {
        let source = self.source;
        let text = raw(source, literal);
        if memchr::memchr2(b'\\', b'$', text).is_none() && std::str::from_utf8(text).is_ok() {
            return self.push(ExprKind::Str(text.into()), literal.span);
        }
        let inside = Span { start: literal.span.start + 1, ..literal.span };
        let parts = match split(text, inside) {
            Ok(parts) => parts,
            Err(diagnostic) => {
                self.diags.push(*diagnostic);
                return self.push(ExprKind::Error, literal.span);
            }
        };
        for part in &parts {
            if let Part::Hole { name, span } = part
                && name.contains("__")
            {
                self.diags.push(refuse::double_underscore_in_hole(name, *span));
                return self.push(ExprKind::Error, literal.span);
            }
        }
        if parts.len() > MAX_HEIGHT as usize {
            self.diags.push(refuse::too_many_holes(parts.len(), literal.span));
            return self.push(ExprKind::Error, literal.span);
        }
        self.joined(parts, literal.span)
    }

    /// `concat(p1, concat(p2, … pn))`.
    fn joined(&mut self, parts: Vec<Part<'_>>, span: Span) -> ExprId {
        if let [Part::Text(_)] | [] = parts.as_slice() {
            let text = parts.into_iter().find_map(|part| match part {
                Part::Text(text) => Some(text),
                Part::Hole { .. } => None,
            });
            return self.push(ExprKind::Str(text.unwrap_or_default().into()), span);
        }
        let mut joined: Option<ExprId> = None;
        for part in parts.into_iter().rev() {
            let part = match part {
                Part::Text(text) => self.push(ExprKind::Str(text.into()), span),
                Part::Hole { name, span } => {
                    let name = self.name(name);
                    self.push(ExprKind::Var(name), span)
                }
            };
            joined = Some(match joined {
                None => part,
                Some(rest) => {
                    let callee = Callee::Named(self.name("concat"));
                    let call = Call { callee, args: vec![part, rest], callee_span: span };
                    self.push(ExprKind::Call(call), span)
                }
            });
        }
        let joined = joined.expect("an interpolated string has parts");
        self.exprs[joined].known = Some(Type::Str);
        joined
    }
}

/// The parts of a raw string; text parts are never adjacent or empty. `place` is the start of the text.
fn split(text: &[u8], place: Span) -> Result<Vec<Part<'_>>, Box<Diagnostic>> {
    let span =
        |from: usize, to: usize| Span { start: place.start + from as u32, end: place.start + to as u32, ..place };
    let mut parts = Vec::new();
    let mut plain: Vec<u8> = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let run = memchr::memchr2(b'\\', b'$', &text[at..]).unwrap_or(text.len() - at);
        push_text(&mut plain, &text[at..at + run]);
        at += run;
        match text.get(at) {
            None => {}
            Some(b'\\') => {
                let Some(escaped) = text.get(at + 1) else {
                    return Err(Box::new(refuse::lone_backslash(span(at, at + 1))));
                };
                let Some(decoded) = unescape(*escaped) else {
                    let c = first_char(&text[at + 1..]);
                    return Err(Box::new(refuse::unknown_escape(c, span(at, at + 1 + c.len_utf8()))));
                };
                plain.push(decoded);
                at += 2;
            }
            Some(_) if text.get(at + 1) == Some(&b'{') => {
                let inside = &text[at + 2..];
                let len = hole_len(inside);
                if len == 0 || inside.get(len) != Some(&b'}') {
                    let close = inside.iter().position(|b| *b == b'}');
                    if len > 0 && close.is_none() {
                        let name = String::from_utf8_lossy(&inside[..len]);
                        return Err(Box::new(refuse::open_hole(&name, span(at, at + 2 + len))));
                    }
                    let end = close.map_or(text.len(), |close| at + 2 + close + 1);
                    let shown = String::from_utf8_lossy(&inside[..close.unwrap_or(inside.len())]);
                    return Err(Box::new(refuse::bad_hole(&shown, span(at, end))));
                }
                if !plain.is_empty() {
                    parts.push(Part::Text(std::mem::take(&mut plain)));
                }
                let name = std::str::from_utf8(&inside[..len]).expect("a name is ASCII");
                parts.push(Part::Hole { name, span: span(at + 2, at + 2 + len) });
                at += 2 + len + 1;
            }
            Some(_) => {
                plain.push(b'$');
                at += 1;
            }
        }
    }
    if !plain.is_empty() {
        parts.push(Part::Text(plain));
    }
    Ok(parts)
}

/// An invalid UTF-8 byte is read as the replacement character.
fn push_text(out: &mut Vec<u8>, text: &[u8]) {
    if std::str::from_utf8(text).is_ok() {
        return out.extend_from_slice(text);
    }
    for chunk in text.utf8_chunks() {
        out.extend_from_slice(chunk.valid().as_bytes());
        for _ in chunk.invalid() {
            out.extend_from_slice("\u{fffd}".as_bytes());
        }
    }
}

fn first_char(bytes: &[u8]) -> char {
    let head = &bytes[..bytes.len().min(4)];
    head.utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next()).unwrap_or(char::REPLACEMENT_CHARACTER)
}

fn unescape(escaped: u8) -> Option<u8> {
    Some(match escaped {
        b'a' => 0x07,
        b'b' => 0x08,
        b'f' => 0x0c,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 0x0b,
        b'\\' | b'"' | b'$' => escaped,
        _ => return None,
    })
}

/// The length of the dotted name at the start of an interpolation:
/// `lower { lower | digit | "_" | "." ( lower | digit | "_" ) }`.
fn hole_len(text: &[u8]) -> usize {
    let is_word = |b: Option<&u8>| matches!(b, Some(b'a'..=b'z' | b'0'..=b'9' | b'_'));
    if !matches!(text.first(), Some(b'a'..=b'z')) {
        return 0;
    }
    let mut len = 1;
    loop {
        if is_word(text.get(len)) {
            len += 1;
        } else if text.get(len) == Some(&b'.') && is_word(text.get(len + 1)) {
            len += 2;
        } else {
            return len;
        }
    }
}
