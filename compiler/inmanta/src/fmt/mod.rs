//! The formatter for files of a model.
//!
//! In: text. Out: the same tokens and comments, laid out by these rules:
//!
//! - A definition or statement per line, blocks indented by four spaces, `end` below the word that opens its block.
//! - The content of brackets is on one line if it fits into [`WIDTH`] columns; otherwise, or with a trailing comma,
//!   each element is on a separate line. Nothing else is broken or joined.
//! - Operators and the signs of assignments have spaces around them, those of named arguments have none.
//! - Up to one blank line between lines stays; an entity or implementation has one before it.
//! - Comments stay where they are, at the end of a line or before one. A comment in the middle of a statement goes
//!   before it, or before the element that it is in.
//!
//! The layout depends only on tokens, comments and blank lines, so formatting is idempotent. The result is checked to
//! have the same tokens before it is returned.

mod brackets;
mod lines;
mod spacing;

use crate::fault::{Class, Failure, Fault, diagnose};
use crate::lex::{self, Lexed, Tok, escape::Reading};
use crate::parse;
use mclive_base::diag::{Diagnostic, Diags, Stage, codes};
use mclive_base::ident::Interner;
use mclive_base::source::{Source, Sources};
use mclive_base::span::FileId;

/// The maximum line width, if there is something to break. Units: characters.
pub const WIDTH: usize = 100;

/// Formats a file.
///
/// Errors: why it does not parse.
pub fn format(text: &[u8]) -> Result<Vec<u8>, Diags> {
    let refused = |fault: Failure| {
        let mut diags = Diags::default();
        diagnose(&fault).into_iter().for_each(|diagnostic| diags.push(diagnostic));
        diags
    };
    let Ok(text) = std::str::from_utf8(text) else {
        return Err(refused(Fault::new(Class::Parser, "the file is not UTF-8 text")));
    };
    let text = lex::normalize(text);
    let mut sources = Sources::default();
    let file = sources.add(Source::new("/main.cf", text.as_bytes()));
    let (mut tree, mut names) = (crate::ast::Tree::default(), Interner::default());
    let parsed = parse::parse(file, &text, Reading::default(), &mut tree, &mut names);
    if !parsed.faults.is_empty() {
        let mut diags = Diags::default();
        parsed.faults.iter().flat_map(|fault| diagnose(fault)).for_each(|diagnostic| diags.push(diagnostic));
        return Err(diags);
    }
    let lexed = lex::lex(file, &text, &mut names);
    let laid_out = lines::lay_out(&text, &lexed, &tree, &parsed.tree);
    if !is_same(file, &text, &laid_out, &lexed) {
        let mut diags = Diags::default();
        let message = "formatting would change the meaning of this file, so it was not changed";
        diags.push(Diagnostic::error(codes::BUG, Stage::Parse, message));
        return Err(diags);
    }
    Ok(laid_out.into_bytes())
}

/// Whether the new text has the same tokens and comments.
fn is_same(file: FileId, old: &str, new: &str, lexed: &Lexed) -> bool {
    let mut names = Interner::default();
    let again = lex::lex(file, new, &mut names);
    let comments = |text: &str, lexed: &Lexed| -> Vec<String> {
        let mut comments: Vec<String> = lexed.comments.iter().map(|span| comment(text, *span).to_owned()).collect();
        comments.sort();
        comments
    };
    lexed.tokens.len() == again.tokens.len()
        && lexed.tokens.iter().zip(&again.tokens).all(|(a, b)| token(old, a) == token(new, b))
        && comments(old, lexed) == comments(new, &again)
}

/// A comment without trailing spaces.
fn comment(text: &str, span: mclive_base::span::Span) -> &str {
    text[span.start as usize..span.end as usize].trim_end()
}

/// A token in its formatted form.
fn token(text: &str, token: &lex::Token) -> String {
    let own = &text[token.span.start as usize..token.span.end as usize];
    match token.tok {
        Tok::Regex => format!("matching {}", own["matching".len()..].trim_start()),
        _ => own.to_owned(),
    }
}
