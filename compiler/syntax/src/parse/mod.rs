//! Parses tokens to the syntax tree, with nom over the token slice.
//!
//! In: [`Tokens`]. Out: a [`Tree`] and diagnostics; broken parts become `Error` nodes, and the rest is kept. Grammar
//! functions are named after the rules of the language spec, section 2, which they quote.
//!
//! Invariant: the parser has the viable prefix property. It commits on one token of lookahead and never consumes an
//! unexpected token, so its first error is at exactly the token where the existing LALR parser finds it (language spec,
//! 3.2 to 3.4). So both report the same first error; errors found after recovery follow. A mistake with a clear
//! intention (`mistakes`, `unforeseen`) is reported at its own place, keeps that token as its
//! [`reference`](crate::diag::Diagnostic::reference), and parsing continues as if the correct text were there.

mod beside;
mod block;
mod expr;
mod foreign;
mod hint;
mod input;
mod lists;
mod mistakes;
mod nearby;
mod operators;
pub mod recover;
mod refuse;
mod resource;
mod session;
mod stand;
mod stmt;
mod ty;
mod typed_bind;
mod unfinished;
mod unforeseen;
mod written;

pub use written::foreign_fields;

use crate::ast::Tree;
use crate::diag::Diags;
use crate::lex::{Tokens, Unclosed, lex_again};
use crate::source::Source;

/// Maximum nesting of brackets, blocks, functions and types.
pub(crate) const MAX_NESTING: u32 = 200;

/// Maximum height of a tree: nesting, and left chains of `[…]` and `->`. Operators do not count: they are walked as a
/// chain ([`Tree::chain`]).
pub const MAX_HEIGHT: u32 = 500;

/// The maximum number of expressions of a file. A hostile file would otherwise fill the memory before its copies are
/// counted.
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

/// The maximum number of unclosed strings repaired per file; each costs another pass.
const MAX_UNCLOSED: usize = 8;

/// Parses; if a string turns out to be unclosed, parses again with it closed at the end of its line.
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
