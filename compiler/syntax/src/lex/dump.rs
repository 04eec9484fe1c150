//! Tokens as stable text: one per line, `start..end NAME text`.

use super::Tokens;
use crate::source::Source;
use crate::value::quote;
use std::fmt::Write;

/// The tokens, then the comments, then the problems.
pub fn dump(tokens: &Tokens, source: &Source) -> String {
    let mut out = String::new();
    let mut line = |start: u32, end: u32, name: &str| {
        let text = quote(&source.text[start as usize..end as usize]);
        let _ = writeln!(out, "{start}..{end} {name} {text}");
    };
    tokens.tokens.iter().for_each(|token| line(token.start, token.end, token.kind.name()));
    tokens.comments.iter().for_each(|comment| line(comment.start, comment.end, "comment"));
    tokens.problems.iter().for_each(|problem| line(problem.span.start, problem.span.end, "problem"));
    if let Some(lost) = tokens.lost {
        line(lost.start, lost.end, "lost");
    }
    out
}
