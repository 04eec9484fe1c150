//! Tokens to the syntax tree, with nom over the token slice.
//!
//! In: [`Tokens`]. Out: a [`Tree`] and diagnostics; what is broken becomes `Error` nodes, and the
//! rest is still there. Grammar functions are named after the rules of the language spec, section
//! 2, which they quote.
//!
//! Invariant: the parser has the viable prefix property. It commits on one token of lookahead and
//! never takes a token that cannot follow, so its first error is at the very token where the
//! existing LALR parser finds it (language spec, 3.2 to 3.4). Hence the first error said here is
//! the one that parser says; what recovery finds comes after it. A mistake whose meaning is clear
//! (`mistakes`) is said at its own place, keeps that token as its [`reference`](crate::diag::Diagnostic::reference),
//! and parsing goes on as if the right thing stood there.

mod block;
mod expr;
mod hint;
mod input;
mod lists;
mod mistakes;
mod operators;
pub mod recover;
mod refuse;
mod resource;
mod session;
mod stmt;
mod ty;
mod typed_bind;

use crate::ast::Tree;
use crate::diag::Diags;
use crate::lex::{Tokens, Unclosed, lex_again};
use crate::source::Source;

/// How deep brackets, blocks, functions and types may nest in each other.
pub(crate) const MAX_NESTING: u32 = 200;

/// How high a tree may grow: nesting, and what is chained to the left with `[…]` and `->`. Operators
/// do not count: they are walked as a chain ([`Tree::chain`]).
pub const MAX_HEIGHT: u32 = 500;

/// So many expressions may a file have. A hostile one would fill the memory before anybody counts its copies.
pub(crate) const MAX_EXPRS: usize = 1_000_000;

/// The syntax tree of a file.
///
/// Errors: E01xx for what the lexer could not read, E02xx. Cost: linear.
pub fn parse(tokens: &Tokens, source: &Source, diags: &mut Diags) -> Tree {
    if let Some(at) = tokens.cut {
        diags.push(refuse::too_many_tokens(at));
    }
    parse_with(tokens, source, &mut Vec::new(), diags)
}

/// So many unclosed strings of a file are repaired; each costs another pass.
const MAX_UNCLOSED: usize = 8;

/// Parses, and once more with a string closed at the end of its line when it turns out to be unclosed.
fn parse_with(tokens: &Tokens, source: &Source, unclosed: &mut Vec<Unclosed>, diags: &mut Diags) -> Tree {
    let session = session::Session::new(tokens, source);
    let root = block::file(input::Input::new(&session));
    match session.unclosed() {
        Some(string) if unclosed.len() < MAX_UNCLOSED => unclosed.push(string),
        Some(_) | None => return session.finish(root, diags),
    }
    let again = lex_again(source, tokens.file, unclosed);
    parse_with(&again, source, unclosed, diags)
}
