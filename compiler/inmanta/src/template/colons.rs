//! The colon at the end of a tag that opens a block, as in `{% if x: %}`: Jinja2 skips it, and minijinja does not
//! accept it.

use minijinja::machinery::{Token, tokenize};
use minijinja::syntax::SyntaxConfig;

/// The tags after which Jinja2 skips a colon.
const OPENING: [&str; 9] = ["if", "elif", "else", "for", "macro", "call", "filter", "block", "autoescape"];

/// The template with spaces in place of these colons, if there are any.
pub(super) fn dropped(text: &str) -> Option<String> {
    let has_colon = |(at, _): (usize, &str)| text[..at].trim_end_matches(['-', '+']).trim_end().ends_with(':');
    if !text.match_indices("%}").any(has_colon) {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for at in places(text) {
        out.push_str(&text[done..at]);
        out.push(' ');
        done = at + 1;
    }
    out.push_str(&text[done..]);
    Some(out)
}

/// The places of these colons.
fn places(text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut tag = Tag::default();
    for (token, span) in tokenize(text, false, SyntaxConfig::default()).map_while(Result::ok) {
        let last = tag.colon.take();
        match token {
            Token::BlockStart => tag = Tag { is_begun: true, ..Tag::default() },
            Token::BlockEnd => {
                // A `set` with a value does not open a block.
                let opens = tag.word.is_some_and(|word| OPENING.contains(&word) || word == "set" && !tag.has_value);
                found.extend(last.filter(|_| opens));
            }
            Token::Ident(word) if tag.is_begun => tag.word = Some(word),
            Token::Colon if tag.depth == 0 => tag.colon = Some(span.start_offset as usize),
            Token::Assign => tag.has_value = true,
            Token::ParenOpen | Token::BracketOpen | Token::BraceOpen => tag.depth += 1,
            Token::ParenClose | Token::BracketClose | Token::BraceClose => tag.depth = tag.depth.saturating_sub(1),
            _ => {}
        }
        tag.is_begun &= matches!(token, Token::BlockStart);
    }
    found
}

/// What was read of a tag.
#[derive(Default)]
struct Tag<'t> {
    /// Nothing yet.
    is_begun: bool,
    /// Its first word.
    word: Option<&'t str>,
    has_value: bool,
    /// The number of open brackets.
    depth: u32,
    /// The last token, if it is a colon.
    colon: Option<usize>,
}

#[cfg(test)]
mod tests {
    use super::dropped;

    #[test]
    fn colons_at_the_end_of_opening_tags_are_dropped() {
        for (text, plain) in [
            ("{% if x: %}a{% else : -%}b{% endif %}", Some("{% if x  %}a{% else   -%}b{% endif %}")),
            (
                "{% for i in x[1:]: %}é{% set y: %}{% endset %}{% endfor %}",
                Some("{% for i in x[1:]  %}é{% set y  %}{% endset %}{% endfor %}"),
            ),
            ("{% if x %}: %}{% endif %}", Some("{% if x %}: %}{% endif %}")),
            ("{% set y = 1: %}{% endif: %}{% if x[1: %}", Some("{% set y = 1: %}{% endif: %}{% if x[1: %}")),
            ("{{ x[1:] }} a: {% if x %}{% endif %}", None),
        ] {
            assert_eq!(dropped(text).as_deref(), plain, "{text}");
        }
    }
}
