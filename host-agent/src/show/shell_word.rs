//! [`shell_word`]: a text as a word of a command that people copy to a shell.

/// A word of a shell command.
pub(crate) fn shell_word(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+,@%".contains(&byte);
    match !text.is_empty() && !text.starts_with('-') && text.bytes().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_a_shell() {
        for (text, expect) in
            [("web1", "web1"), ("a b", "'a b'"), ("it's", r"'it'\''s'"), ("$(x)", "'$(x)'"), ("", "''"), ("-x", "'-x'")]
        {
            assert_eq!(shell_word(text), expect);
        }
    }
}
