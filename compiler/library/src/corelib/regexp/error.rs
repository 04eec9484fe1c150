//! Why a text is not a valid pattern, in the words of RE2 for Go.

use std::fmt;

/// The problem, and the offending part of the pattern.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct PatternError {
    pub(super) what: &'static str,
    pub(super) part: String,
}

impl PatternError {
    pub(super) fn new(what: &'static str, part: &str) -> PatternError {
        PatternError { what, part: part.into() }
    }
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: `{}`", self.what, self.part)
    }
}

pub(super) const BAD_ESCAPE: &str = "invalid escape sequence";
pub(super) const BAD_NAME: &str = "invalid named capture";
pub(super) const BAD_PERL: &str = "invalid or unsupported Perl syntax";
pub(super) const BAD_RANGE: &str = "invalid character class range";
pub(super) const BAD_REPEAT: &str = "invalid nested repetition operator";
pub(super) const BAD_COUNT: &str = "invalid repeat count";
pub(super) const NO_BRACKET: &str = "missing closing ]";
pub(super) const NO_PAREN: &str = "missing closing )";
pub(super) const NO_REPEATED: &str = "missing argument to repetition operator";
pub(super) const TOO_DEEP: &str = "expression nests too deeply";
pub(super) const TOO_LARGE: &str = "expression too large";
pub(super) const TRAILING_BACKSLASH: &str = "trailing backslash at end of expression";
pub(super) const UNEXPECTED_PAREN: &str = "unexpected )";
pub(super) const NOT_UTF8: &str = "invalid UTF-8";
