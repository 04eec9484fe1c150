//! String literals of templates. minijinja supports different escapes than Jinja2, so they are decoded first.

use crate::lex::escape::{Reading, decode};
use minijinja::machinery::{Token, tokenize};
use minijinja::syntax::SyntaxConfig;
use std::borrow::Cow;
use std::fmt::Write as _;

/// A literal that minijinja refuses.
const REFUSED: &str = r#""\x""#;

/// A template whose literals minijinja reads as Jinja2 does.
pub(super) struct Literals<'t> {
    pub(super) text: Cow<'t, str>,
    /// The error of the first literal with an invalid escape, and its line.
    pub(super) wrong: Option<(&'static str, usize)>,
}

impl<'t> Literals<'t> {
    pub(super) fn of(text: &'t str) -> Literals<'t> {
        let mut all = Literals { text: Cow::Borrowed(text), wrong: None };
        if !text.contains('\\') {
            return all;
        }
        let plain = without_escapes(text);
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        for (token, span) in tokenize(&plain, false, SyntaxConfig::default()).map_while(Result::ok) {
            let (start, end) = (span.start_offset as usize, span.end_offset as usize);
            let is_literal = matches!(token, Token::Str(_) | Token::String(_));
            let Some(raw) = text.get(start + 1..end.saturating_sub(1)).filter(|_| is_literal) else { continue };
            let literal = match decode(&encoded(raw), Reading::Text) {
                Ok(_) if is_read_alike(raw) => continue,
                Ok(decoded) => written(&decoded.text, raw),
                Err(bad) => {
                    all.wrong.get_or_insert((bad.reason, span.start_line as usize));
                    REFUSED.to_owned()
                }
            };
            out.push_str(&text[done..start]);
            out.push_str(&literal);
            done = end;
        }
        if done > 0 {
            out.push_str(&text[done..]);
            all.text = Cow::Owned(out);
        }
        all
    }
}

/// The text with the same literals at the same places, but no escapes, of which minijinja would refuse some.
fn without_escapes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut is_escaped = false;
    for char in text.chars() {
        let is_quote = matches!(char, '\\' | '\'' | '"');
        out.push(if char == '\\' || (is_escaped && is_quote) { '_' } else { char });
        is_escaped = char == '\\' && !is_escaped;
    }
    out
}

/// What Python decodes: a character outside ASCII is an escape itself, so a backslash before it escapes that one.
fn encoded(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut is_escaped = false;
    for char in raw.chars() {
        let code = u32::from(char);
        let _ = match code {
            0x80..=0xff if is_escaped => write!(out, "\\x{code:02x}"),
            0x100..=0xffff if is_escaped => write!(out, "\\u{code:04x}"),
            0x1_0000.. if is_escaped => write!(out, "\\U{code:08x}"),
            _ => out.write_char(char),
        };
        is_escaped = char == '\\' && !is_escaped;
    }
    out
}

/// Whether minijinja reads the escapes of a literal as Python does, if they are correct.
fn is_read_alike(raw: &str) -> bool {
    let mut chars = raw.chars();
    while let Some(char) = chars.next() {
        if char != '\\' {
            continue;
        }
        match chars.next() {
            Some('/' | 'a' | 'v' | 'U' | 'N' | '4'..='7' | '\n') => return false,
            Some(escaped) if !escaped.is_ascii() => return false,
            Some(_) | None => {}
        }
    }
    true
}

/// A text as a literal of minijinja, on as many lines as before.
fn written(text: &str, raw: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for char in text.chars() {
        match char {
            '"' | '\\' => out.extend(['\\', char]),
            '\n' => out.push_str("\\n"),
            char => out.push(char),
        }
    }
    out.push('"');
    out.extend(raw.chars().filter(|char| *char == '\n'));
    out
}

#[cfg(test)]
mod tests {
    use super::Literals;

    #[test]
    fn literals_are_read_as_python_does() {
        for (text, read) in [
            (r#"{{ "\a" }} \a"#, "{{ \"\u{7}\" }} \\a"),
            (r"{{ '\N{BULLET}\U0001F600\/\777' }}", "{{ \"•😀\\\\/ǿ\" }}"),
            ("{{ 'a\\\nb\\n\\v' }}\nc", "{{ \"ab\\n\u{b}\"\n }}\nc"),
            (r#"{{ 'it\'s \N{BULLET} "' ~ 'x\n' }}"#, r#"{{ "it's • \"" ~ 'x\n' }}"#),
            (r"{{ '\é' }}", r#"{{ "\\xe9" }}"#),
            (r"C:\{{ 'a' }}\{% raw %}{{ '\a' }}{% endraw %}", r"C:\{{ 'a' }}\{% raw %}{{ '\a' }}{% endraw %}"),
        ] {
            let all = Literals::of(text);
            assert_eq!((&*all.text, all.wrong), (read, None));
        }
    }

    #[test]
    fn wrong_escapes_are_refused() {
        let all = Literals::of("{{ 'a' }}\n{{ '\\x+1' }}{{ '\\N{NONE}' }}");
        assert_eq!(&*all.text, "{{ 'a' }}\n{{ \"\\x\" }}{{ \"\\x\" }}");
        assert_eq!(all.wrong, Some(("truncated \\xXX escape", 2)));
    }
}
