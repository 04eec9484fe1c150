//! Text to tokens.
//!
//! In: a [`Source`]. Out: [`Tokens`], which tile the text: every byte is in exactly one token, comment, problem, blank
//! or in the lost tail. Nothing is refused here: text that matches no rule becomes a [`Problem`], and the parser
//! reports it in order, since a problem after the first syntax error matters less than that error. Language spec,
//! section 1.

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

/// The tokens of one file, with comments and problems.
#[derive(Clone, Debug)]
pub struct Tokens {
    /// The file.
    pub file: FileId,
    /// The tokens; the last one is an empty [`TokenKind::End`].
    pub tokens: Vec<Token>,
    /// From the `#` to the end of the line, in source order.
    pub comments: Vec<Span>,
    /// Text that matches no rule, in source order.
    pub problems: Vec<Problem>,
    /// The text after a string whose only closing quotes are escaped; it is not read.
    pub lost: Option<Span>,
    /// Set if the file is above the limit ([`MAX_TOKENS`]). Nothing of it is kept then.
    pub cut: Option<Span>,
}

/// Splits a file into tokens. Only warnings go to `diags`; errors are [`Tokens::problems`].
///
/// Cost: linear.
pub fn lex(source: &Source, file: FileId, diags: &mut Diags) -> Tokens {
    let tokens = lexer::Lexer::new(&source.text, file, &[]).run();
    problem::warn_of_hidden(&source.text, file, diags);
    problem::warn_of_bytes(&source.text, &tokens, diags);
    tokens
}

/// A string that closes only at a quote meant to open another one, as found by the parser.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unclosed {
    /// The byte of its opening quote.
    pub(crate) start: u32,
    /// The span where the reference implementation reports the consequences.
    pub(crate) reference: Span,
}

/// Lexes a file again, with these strings ending on their lines.
pub(crate) fn lex_again(source: &Source, file: FileId, unclosed: &[Unclosed]) -> Tokens {
    lexer::Lexer::new(&source.text, file, unclosed).run()
}
