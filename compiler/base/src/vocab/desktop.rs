//! Desktop settings (GSettings) of each user.

use super::c_integer::c_integer;
use super::subject::never;
use super::{Change, Look, Power};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Write};
use std::str::Chars;

never! { Watch, Fact }

/// A key of one user.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Key {
    /// The schema.
    pub schema: String,
    /// The key.
    pub key: String,
    /// The user; empty: the agent's user.
    pub user: String,
    /// The group to use; empty: the user's own.
    pub group: String,
}

/// → `Value`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Probe {
    /// The key.
    pub key: Key,
}

/// The answer to [`Probe`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    /// The value in GVariant text form: `'12h'`, `uint32 300`, `@as []`.
    Value(String),
}

/// Sets the key.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Step {
    /// The key.
    pub key: Key,
    /// The new value, in the same form.
    pub value: String,
    /// The value that was seen.
    pub now: String,
}

/// The settings database, relative to a user's home.
pub const DATABASE: &str = ".config/dconf/user";

/// A text as a GVariant string.
pub fn quoted(text: &str) -> String {
    let mut quoted = String::from("'");
    for letter in text.chars() {
        match letter {
            '\'' | '\\' => quoted.extend(['\\', letter]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            letter => quoted.push(letter),
        }
    }
    quoted.push('\'');
    quoted
}

/// A number as it is shown; other words as they are.
fn shown(word: &str) -> String {
    let digits = word.strip_prefix('-').unwrap_or(word);
    if let Some(whole) = c_integer(word.strip_prefix('+').unwrap_or(word)) {
        return whole.to_string();
    }
    let is_number = digits.starts_with(|first: char| first.is_ascii_digit() || first == '.');
    match word.parse::<f64>() {
        Ok(number) if is_number && number.is_finite() => (number + 0.0).to_string(),
        _ => word.to_owned(),
    }
}

/// The character that an escape stands for, after its backslash; `None`: the line continues. The tool shows control
/// characters, and those without a shape, only in this way.
fn unescaped(letters: &mut Chars) -> Option<char> {
    Some(match letters.next()? {
        'a' => '\u{7}',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\u{b}',
        'u' => coded(letters, 4).unwrap_or('u'),
        'U' => coded(letters, 8).unwrap_or('U'),
        '\n' => return None,
        other => other,
    })
}

/// The letter with the code in the next hexadecimal digits, which are read only if there is one.
fn coded(letters: &mut Chars, n_digits: usize) -> Option<char> {
    let digits = letters.as_str().get(..n_digits)?;
    if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let letter = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
    letters.by_ref().take(n_digits).for_each(drop);
    Some(letter)
}

/// A normal form of a value, equal for all its spellings: without type names and spaces, with one kind of quotes and of
/// numbers.
pub fn plain(value: &str) -> String {
    const TYPES: [&str; 11] =
        ["boolean", "byte", "int16", "uint16", "int32", "uint32", "handle", "int64", "uint64", "double", "string"];
    let (mut plain, mut word) = (String::new(), String::new());
    let end_word = |word: &mut String, plain: &mut String| {
        if !TYPES.contains(&word.as_str()) && !word.starts_with('@') {
            plain.push_str(&shown(word));
        }
        word.clear();
    };
    let mut letters = value.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' | '"' => {
                end_word(&mut word, &mut plain);
                let mut text = String::new();
                while let Some(inside) = letters.next().filter(|inside| *inside != letter) {
                    match inside {
                        '\\' => text.extend(unescaped(&mut letters)),
                        inside => text.push(inside),
                    }
                }
                plain.push_str(&quoted(&text));
            }
            letter if letter.is_whitespace() => end_word(&mut word, &mut plain),
            '[' | ']' | '(' | ')' | '{' | '}' | ',' | ':' | '<' | '>' if !word.starts_with('@') => {
                end_word(&mut word, &mut plain);
                plain.push(letter);
            }
            letter => word.push(letter),
        }
    }
    end_word(&mut word, &mut plain);
    plain
}

impl Key {
    fn words(&self, f: &mut dyn Write) -> fmt::Result {
        write!(f, "{} {}", self.schema, self.key)?;
        if self.user.is_empty() { Ok(()) } else { write!(f, " of {}", self.user) }
    }
}

impl Look for Probe {
    type Finding = Finding;

    fn waits(&self) -> bool {
        true
    }
}

impl Change for Step {
    fn words(&self, f: &mut dyn Write) -> fmt::Result {
        f.write_str("set ")?;
        self.key.words(f)?;
        write!(f, ": {} → {}", self.now, self.value)
    }

    fn audit(&self, f: &mut dyn Write) -> fmt::Result {
        f.write_str("set ")?;
        self.key.words(f)
    }

    /// Files that the tool creates belong to the group. The owner of the settings is judged by the host, which knows the
    /// account of that name, or of none.
    fn powers(&self) -> Vec<Power<'_>> {
        let group = Some(&*self.key.group).filter(|group| !group.is_empty());
        group.map(|group| Power::Group(group, None)).into_iter().collect()
    }

    fn waits(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_value_are_the_same() {
        for (one, other) in [
            ("'12h'", "\"12h\""),
            ("uint32 300", "300"),
            ("['a', \"b'c\"]", "[ 'a','b\\'c' ]"),
            ("@as []", "[]"),
            ("@a(ss) []", "[]"),
            ("{'a': <uint32 5>}", "{'a':<5>}"),
            ("1.25", "1.250"),
            ("1.0", "1"),
            ("-0.5", "-.5"),
            ("100.0", "1e2"),
            ("uint32 16", "0x10"),
            ("[8, -3]", "[010,-3]"),
            ("18446744073709551615", "uint64 18446744073709551615"),
            ("'a\u{200d}b\r\u{7}'", "'a\\u200db\\r\\a'"),
            ("'\u{1f468}'", "'\\U0001f468'"),
            ("'ab'", "'a\\\nb'"),
            ("'u00'", "'\\u00'"),
        ] {
            assert_eq!(plain(one), plain(other));
        }
        for (one, other) in [("'a b'", "'ab'"), ("1", "'1'"), ("[1, 2]", "[12]"), ("true", "false"), ("1.5", "1")] {
            assert_ne!(plain(one), plain(other));
        }
        assert_eq!(plain(&quoted("it's\\\n")), "'it\\'s\\\\\\n'");
    }

    #[test]
    fn steps_say_old_and_new() {
        let key = Key { schema: "a.b".into(), key: "c".into(), user: "bob".into(), group: String::new() };
        let step = super::super::Step::from(Step { key, value: "'12h'".into(), now: "'24h'".into() });
        assert_eq!(step.to_string(), "set a.b c of bob: '24h' → '12h'");
        assert_eq!(step.audit(), "set a.b c of bob");
        assert_eq!(step.powers(), []);
    }

    #[test]
    fn a_group_is_a_power_and_the_owner_is_judged_by_the_host() {
        let key = Key { schema: "a.b".into(), key: "c".into(), user: String::new(), group: "staff".into() };
        let step = Step { key, value: "1".into(), now: "2".into() };
        assert_eq!(step.powers(), [Power::Group("staff", None)]);
    }
}
