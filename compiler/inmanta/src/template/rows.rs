//! Values in a row without parentheses, `{{ a, b }}` and `{% for x in a, b %}`: a tuple for Jinja2, and an error for
//! minijinja.

use minijinja::machinery::{Token, tokenize};
use minijinja::syntax::SyntaxConfig;

/// The template with parentheses around its rows, if it has any.
pub(super) fn parenthesized(text: &str) -> Option<String> {
    let rows = places(text);
    if rows.is_empty() {
        return None;
    }
    let mut out = String::with_capacity(text.len() + 2 * rows.len());
    let mut done = 0;
    for (start, end) in rows {
        out.push_str(&text[done..start]);
        out.push('(');
        out.push_str(&text[start..end]);
        out.push(')');
        done = end;
    }
    out.push_str(&text[done..]);
    Some(out)
}

/// Where rows begin and end.
fn places(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut row = Row::default();
    for (token, span) in tokenize(text, false, SyntaxConfig::default()).map_while(Result::ok) {
        let (start, end) = (span.start_offset as usize, span.end_offset as usize);
        let is_first = std::mem::replace(&mut row.is_begun, false);
        match token {
            Token::VariableStart => row = Row { is_open: true, ..Row::default() },
            Token::BlockStart => row = Row { is_begun: true, ..Row::default() },
            Token::Ident("for") if is_first => row.is_loop = true,
            Token::Ident("in") if row.is_loop && !row.is_open => row.is_open = true,
            Token::VariableEnd | Token::BlockEnd => found.extend(std::mem::take(&mut row).ended()),
            Token::Ident("if" | "recursive") if row.is_loop && row.depth == 0 => {
                found.extend(std::mem::take(&mut row).ended());
            }
            token => row.add(&token, start, end),
        }
    }
    found
}

/// What was read of a tag.
#[derive(Default)]
struct Row {
    /// Nothing of a block yet.
    is_begun: bool,
    is_loop: bool,
    /// Whether the values have begun.
    is_open: bool,
    first: Option<usize>,
    last: usize,
    has_comma: bool,
    /// The number of open brackets.
    depth: u32,
}

impl Row {
    fn add(&mut self, token: &Token<'_>, start: usize, end: usize) {
        if !self.is_open {
            return;
        }
        self.first.get_or_insert(start);
        self.last = end;
        match token {
            Token::ParenOpen | Token::BracketOpen | Token::BraceOpen => self.depth += 1,
            Token::ParenClose | Token::BracketClose | Token::BraceClose => self.depth = self.depth.saturating_sub(1),
            Token::Comma if self.depth == 0 => self.has_comma = true,
            _ => {}
        }
    }

    fn ended(self) -> Option<(usize, usize)> {
        self.first.filter(|_| self.has_comma).map(|first| (first, self.last))
    }
}

#[cfg(test)]
mod tests {
    use super::parenthesized;

    #[test]
    fn rows_get_parentheses() {
        for (text, expected) in [
            ("{{ a, b }}é{{- [1, 2] -}}{{ 1, -}}", Some("{{ (a, b) }}é{{- [1, 2] -}}{{ (1,) -}}")),
            (
                "{% for x in a, f(b, c) if x in d, e %}{% endfor %}",
                Some("{% for x in (a, f(b, c)) if x in d, e %}{% endfor %}"),
            ),
            ("{% for a, b in x recursive %}{% set c = 1, 2 %}{{ f(1, 2) }}{% endfor %}, {{ a }}", None),
        ] {
            assert_eq!(parenthesized(text).as_deref(), expected, "{text}");
        }
    }
}
