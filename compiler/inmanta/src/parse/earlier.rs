//! Mistakes of an earlier line, which are noticed at a later token: a value or the bounds of a relation are missing.

use super::Parser;
use super::foreign::ENDS;
use crate::lex::{Keyword, Tok, Token};

/// The maximum number of tokens of a line that are looked at.
const MOST: usize = 16;

const VALUE: &str = "the line before this one ends without a value: write it there";

impl Parser<'_> {
    /// What is missing at the end of the line before.
    pub(super) fn earlier_line(&self) -> Option<&'static str> {
        let first = self.first_of_line();
        let is_here = first == self.at || first + 1 == self.at && *self.tok() == Tok::Sign('=');
        let before = &self.tokens[..first];
        if !is_here {
            return None;
        }
        match before {
            [.., last] if wants_value(&last.tok) => Some(VALUE),
            [.., Token { tok: Tok::Sign('.'), .. }, Token { tok: Tok::Id(_), .. }] if first == self.at => {
                let start = (0..first).rev().take(MOST).find(|at| self.is_first(*at)).unwrap_or(first);
                before[start..].iter().any(|token| token.tok == Tok::Arrow).then_some(ENDS)
            }
            _ => None,
        }
    }

    /// Whether the innermost bracket before this place, on this line, is that of a constructor.
    pub(super) fn is_in_constructor(&self) -> bool {
        let open = self.open_bracket(self.first_of_line()).filter(|(_, bracket)| *bracket == '(');
        let before = open.and_then(|(at, _)| self.tokens.get(at.checked_sub(1)?));
        before.is_some_and(|token| matches!(token.tok, Tok::Cid(_)))
    }

    /// Whether the line is an import.
    pub(super) fn is_import(&self) -> bool {
        self.tokens[self.first_of_line()].tok == Tok::Keyword(Keyword::Import)
    }
}

/// Whether an operand or a value follows this token.
fn wants_value(tok: &Tok) -> bool {
    match tok {
        Tok::Plus | Tok::Minus | Tok::Slash | Tok::Power | Tok::Compare(_) | Tok::Add => true,
        Tok::Keyword(Keyword::And | Keyword::Or | Keyword::Not | Keyword::In) => true,
        Tok::Sign(sign) => matches!(sign, '*' | '=' | '%'),
        _ => false,
    }
}
