//! Text to tokens.
//!
//! In: a [`Source`]. Out: [`Tokens`], which tile the text: every byte is in exactly one token,
//! comment, problem, blank or in the lost tail. Nothing is refused here: what no rule takes
//! becomes a [`Problem`], and the parser says it at its turn, since a problem behind the first
//! syntax error counts less than that error. Language spec, section 1.

mod dump;
mod lexer;
mod problem;
mod token;

pub use dump::dump;
pub(crate) use lexer::MAX_TOKENS;
pub use problem::{Problem, ProblemKind};
pub use token::{Token, TokenKind};

use crate::diag::Diags;
use crate::source::Source;
use crate::span::{FileId, Span};

/// The tokens of one file, and what is kept aside.
#[derive(Clone, Debug)]
pub struct Tokens {
    pub file: FileId,
    /// Ends with one [`TokenKind::End`], which is empty.
    pub tokens: Vec<Token>,
    /// From the `#` to the end of the line, in source order.
    pub comments: Vec<Span>,
    /// What no rule takes, in source order.
    pub problems: Vec<Problem>,
    /// The text behind a string whose only closing quotes are escaped: nothing there is read.
    pub lost: Option<Span>,
    /// Where there was more than a file may have ([`MAX_TOKENS`]). Nothing of the file is kept then.
    pub cut: Option<Span>,
}

/// Splits a file into tokens. Only warnings go to `diags`; errors are [`Tokens::problems`].
///
/// Cost: linear.
pub fn lex(source: &Source, file: FileId, diags: &mut Diags) -> Tokens {
    let tokens = lexer::Lexer::new(&source.text, file, &[]).run();
    problem::warn_of_hidden(&source.text, file, diags);
    tokens
}

/// A string that closes only at a quote which was meant to open another one, as the parser found out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unclosed {
    /// The byte of its first quote.
    pub(crate) start: u32,
    /// Where the reference implementation reports the consequences.
    pub(crate) reference: Span,
}

/// Splits a file once more, with these strings ending on their lines.
pub(crate) fn lex_again(source: &Source, file: FileId, unclosed: &[Unclosed]) -> Tokens {
    lexer::Lexer::new(&source.text, file, unclosed).run()
}
