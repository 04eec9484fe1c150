//! Columns as the original counts them.
//!
//! A line end inside a token, which is in a long string or between `matching` and its pattern, begins a line, but the
//! columns continue: what follows on that line is counted from the line on which the token begins.

use super::{Tok, Token, lex};
use mclive_base::ident::Interner;
use mclive_base::span::FileId;

/// The maximum number of bytes before a position that are searched for the start of its line.
const MAX_LINE: usize = 4_096;

/// The number of characters that the original counts before the line of a position.
pub(crate) fn carried(text: &[u8], at: usize) -> u32 {
    let (Some(before), Some(behind)) = (text.get(..at), text.get(at..)) else { return 0 };
    let near = before.len().saturating_sub(MAX_LINE);
    let Some(line) = before[near..].iter().rposition(|byte| *byte == b'\n').map(|end| near + end + 1) else { return 0 };
    // It takes the whole file to find such a token, but nearly every line shows that there is none: a pattern would be
    // the first on its line, and the end of a string would have no beginning there.
    let begins_with_slash = before[line..].iter().chain(behind).find(|byte| !byte.is_ascii_whitespace()) == Some(&b'/');
    let n_quotes = before[line..].split(|byte| *byte != b'"').filter(|quotes| quotes.len() >= 3).count();
    if !begins_with_slash && n_quotes.is_multiple_of(2) {
        return 0;
    }
    let Ok(text) = std::str::from_utf8(text) else { return 0 };
    let tokens = lex(FileId(0), text, &mut Interner::default()).tokens;
    text[counted_from(text, &tokens, line, at)..line].chars().count() as u32
}

/// Where the original begins to count the columns of a position, whose line begins here.
pub(crate) fn counted_from(text: &str, tokens: &[Token], line: usize, at: usize) -> usize {
    let mut start = line;
    while let Some(token) = token_across(tokens, start, at) {
        start = text[..token.span.start as usize].rfind('\n').map_or(0, |end| end + 1);
    }
    start
}

/// The token that contains the line end before this line and ends before the position. A pattern itself comes after the
/// line end in its token.
fn token_across(tokens: &[Token], line: usize, at: usize) -> Option<&Token> {
    let n_before = tokens.partition_point(|token| (token.span.start as usize) < line);
    let token = &tokens[n_before.checked_sub(1)?];
    let end = token.span.end as usize;
    (line <= end && (end <= at || token.tok == Tok::Regex)).then_some(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_go_on_after_a_line_end_inside_a_token() {
        for (text, wanted, n_chars) in [
            ("x = \"\"\"a\nb\"\"\" }", "}", 9),
            ("x = \"\"\"ä\n\"\"\" + \"\"\"b\nc\"\"\" }", "}", 20),
            ("typedef t as string matching\n/a(/", "/", 29),
            // The line of the string's end is over, or the string itself is not.
            ("x = \"\"\"a\nb\"\"\"\n}", "}", 0),
            ("\"\"\"a\n/ {{ b }}\"\"\"", "b", 0),
            ("y = 1\nx = 4 / z", "z", 0),
        ] {
            let at = text.find(wanted).expect(wanted);
            assert_eq!(carried(text.as_bytes(), at), n_chars, "{text}");
        }
    }
}
