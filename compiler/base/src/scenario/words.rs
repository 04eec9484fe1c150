//! A line as words.
//!
//! ```text
//! write /etc/motd "two words\n"     # a comment
//! ```
//!
//! Words are separated by spaces. A text in double quotes is one word, with `\n`, `\t`, `\"` and `\\` in it.

/// One word of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Word {
    pub(super) text: String,
    /// It was quoted, so it is never a keyword.
    pub(super) quoted: bool,
}

/// Splits a line into words, without its comment. Errors: what is wrong with it.
pub(super) fn words(line: &str) -> Result<Vec<Word>, String> {
    let mut words = Vec::new();
    let mut rest = line.trim_start();
    while let Some(first) = rest.chars().next() {
        if first == '#' {
            break;
        }
        let after = match rest.strip_prefix('"') {
            Some(inner) => {
                let (text, after) = quoted(inner)?;
                words.push(Word { text, quoted: true });
                after
            }
            None => {
                let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
                words.push(Word { text: rest[..end].to_owned(), quoted: false });
                &rest[end..]
            }
        };
        if after.starts_with(|next: char| !next.is_whitespace()) {
            return Err("missing space after the closing quote".into());
        }
        rest = after.trim_start();
    }
    Ok(words)
}

/// The text up to the closing quote, and the rest.
fn quoted(inner: &str) -> Result<(String, &str), String> {
    let mut text = String::new();
    let mut chars = inner.char_indices();
    while let Some((at, next)) = chars.next() {
        match next {
            '"' => return Ok((text, &inner[at + 1..])),
            '\\' => text.push(match chars.next() {
                Some((_, 'n')) => '\n',
                Some((_, 't')) => '\t',
                Some((_, same @ ('"' | '\\'))) => same,
                Some((_, other)) => {
                    return Err(format!(r#"unknown escape `\{other}`; the escapes are \n, \t, \" and \\"#));
                }
                None => break,
            }),
            next => text.push(next),
        }
    }
    Err("missing closing quote".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_comments() {
        let texts = |line| words(line).map(|words| words.into_iter().map(|word| word.text).collect::<Vec<_>>());
        assert_eq!(texts(r#"  write /a "b \"c\"\n"  # why"#).unwrap(), ["write", "/a", "b \"c\"\n"]);
        assert_eq!(texts("# nothing").unwrap(), [""; 0]);
        assert_eq!(texts("a#b").unwrap(), ["a#b"]);
        assert!(texts(r#""a"#).unwrap_err().contains("closing quote"));
        assert!(texts(r#""a"b"#).unwrap_err().contains("missing space"));
        assert!(texts(r#""\q""#).unwrap_err().contains(r"\q"));
    }
}
