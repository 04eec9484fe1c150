//! Parses JSON like Python's `json.loads`: keys in insertion order, whole numbers of any size, `NaN` and `Infinity`,
//! and the same error messages.

use super::{Int, Value};
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use std::sync::Arc;

/// Maximum nesting of lists and objects.
const MOST_DEPTH: usize = 128;

/// Parses a text with a single value. The error says what was expected, and where.
pub fn json(text: &str) -> Result<Value, String> {
    let mut reader = Reader { text, at: 0, depth: 0 };
    if text.starts_with('\u{feff}') {
        return Err(reader.wrong("Unexpected UTF-8 BOM (decode using utf-8-sig)", 0));
    }
    reader.blanks();
    let value = reader.value()?;
    reader.blanks();
    if reader.at < text.len() { Err(reader.wrong("Extra data", reader.at)) } else { Ok(value) }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn wrong(&self, what: &str, at: usize) -> String {
        let before = &self.text[..at];
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|char| *char != '\n').count() + 1;
        format!("{what}: line {line} column {column} (char {})", before.chars().count())
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Consumes this byte after spaces.
    fn takes(&mut self, byte: u8) -> bool {
        self.blanks();
        let is_it = self.peek() == Some(byte);
        self.at += usize::from(is_it);
        is_it
    }

    fn value(&mut self) -> Result<Value, String> {
        const WORDS: [(&str, fn() -> Value); 6] = [
            ("null", || Value::Null),
            ("true", || Value::Bool(true)),
            ("false", || Value::Bool(false)),
            ("NaN", || Value::Float(f64::NAN)),
            ("Infinity", || Value::Float(f64::INFINITY)),
            ("-Infinity", || Value::Float(f64::NEG_INFINITY)),
        ];
        let begins = self.at;
        let rest = &self.text[begins..];
        match self.peek() {
            Some(b'"') => self.string().map(|text| Value::str(&text)),
            Some(b'{') => self.nested(Reader::object),
            Some(b'[') => self.nested(Reader::list),
            _ => {
                if let Some((word, value)) = WORDS.iter().find(|(word, _)| rest.starts_with(word)) {
                    self.at += word.len();
                    return Ok(value());
                }
                self.number().unwrap_or_else(|| Err(self.wrong("Expecting value", begins)))
            }
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Result<Value, String>) -> Result<Value, String> {
        let too_deep = || "the value nests too deeply".to_owned();
        if self.depth == MOST_DEPTH {
            return Err(too_deep());
        }
        self.depth += 1;
        self.at += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn list(&mut self) -> Result<Value, String> {
        let mut items = Vec::new();
        if self.takes(b']') {
            return Ok(Value::raw_list(items));
        }
        loop {
            self.blanks();
            items.push(self.value()?);
            if self.takes(b']') {
                return Ok(Value::raw_list(items));
            }
            self.comma(b']', "array")?;
        }
    }

    fn object(&mut self) -> Result<Value, String> {
        let mut entries: IndexMap<Arc<str>, Value, FxBuildHasher> = IndexMap::default();
        let mut is_over = self.takes(b'}');
        while !is_over {
            self.blanks();
            if self.peek() != Some(b'"') {
                return Err(self.wrong("Expecting property name enclosed in double quotes", self.at));
            }
            let key = self.string()?;
            if !self.takes(b':') {
                return Err(self.wrong("Expecting ':' delimiter", self.at));
            }
            self.blanks();
            // A duplicate key has its first position and its last value.
            entries.insert(key.into(), self.value()?);
            is_over = self.takes(b'}');
            if !is_over {
                self.comma(b'}', "object")?;
            }
        }
        Value::dict(entries).map_err(|_| "the value nests too deeply".into())
    }

    /// The comma before a further element of a list or object, which `end` cannot follow.
    fn comma(&mut self, end: u8, of: &str) -> Result<(), String> {
        if !self.takes(b',') {
            return Err(self.wrong("Expecting ',' delimiter", self.at));
        }
        let comma = self.at - 1;
        if self.takes(end) {
            return Err(self.wrong(&format!("Illegal trailing comma before end of {of}"), comma));
        }
        Ok(())
    }

    fn string(&mut self) -> Result<String, String> {
        let begins = self.at;
        self.at += 1;
        let mut read = String::new();
        loop {
            let rest = &self.text[self.at..];
            let plain = rest.find(|char: char| matches!(char, '"' | '\\') || char < ' ').unwrap_or(rest.len());
            read.push_str(&rest[..plain]);
            self.at += plain;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(read);
                }
                Some(b'\\') => read.push(self.escape(begins)?),
                Some(_) => return Err(self.wrong("Invalid control character at", self.at)),
                None => return Err(self.wrong("Unterminated string starting at", begins)),
            }
        }
    }

    /// The part after a backslash, in a text that starts at `begins`.
    fn escape(&mut self, begins: usize) -> Result<char, String> {
        let slash = self.at;
        self.at += 2;
        Ok(match self.text.as_bytes().get(slash + 1) {
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(*byte),
            Some(b'u') => {
                let first = self.unit(slash + 1)?;
                let is_pair = (0xd800..0xdc00).contains(&first) && self.text[self.at..].starts_with("\\u");
                let second = if is_pair { self.unit(self.at + 1).ok() } else { None };
                let units = [first, second.unwrap_or(0)];
                let read = char::decode_utf16(units[..1 + usize::from(second.is_some())].iter().copied()).next();
                match read {
                    Some(Ok(char)) => char,
                    // Texts are Unicode here: half a surrogate pair is invalid.
                    _ => return Err(self.wrong("Unpaired surrogate", slash)),
                }
            }
            Some(_) => return Err(self.wrong("Invalid \\escape", slash)),
            None => return Err(self.wrong("Unterminated string starting at", begins)),
        })
    }

    /// The four digits after the `u`.
    fn unit(&mut self, u: usize) -> Result<u16, String> {
        let digits = self.text.get(u + 1..u + 5).filter(|it| it.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let unit = digits.and_then(|digits| u16::from_str_radix(digits, 16).ok());
        self.at = u + 5;
        unit.ok_or_else(|| self.wrong("Invalid \\uXXXX escape", u))
    }

    /// `None`: no number begins here.
    fn number(&mut self) -> Option<Result<Value, String>> {
        let bytes = self.text.as_bytes();
        let digits = |from: usize| from + bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let begins = self.at;
        let first = begins + usize::from(self.peek() == Some(b'-'));
        // Digits after a leading zero are not part of the number.
        let whole = if bytes.get(first) == Some(&b'0') { first + 1 } else { digits(first) };
        if whole == first {
            return None;
        }
        let mut end = whole;
        if bytes.get(end) == Some(&b'.') && digits(end + 1) > end + 1 {
            end = digits(end + 1);
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            if digits(end + 1 + sign) > end + 1 + sign {
                end = digits(end + 1 + sign);
            }
        }
        let text = &self.text[begins..end];
        self.at = end;
        if end > whole {
            return Some(text.parse().map(Value::Float).map_err(|_| self.wrong("Expecting value", begins)));
        }
        let too_long = || self.wrong("The number has too many digits", begins);
        Some(Int::parse(text).map(Value::Int).ok_or_else(too_long))
    }
}

#[cfg(test)]
mod tests {
    use super::super::python_json;
    use super::*;

    #[test]
    fn what_is_read_is_written_as_it_was() {
        let texts = [
            r#"{"b": 1, "a": [null, true, false], "": {}}"#,
            "12345678901234567890123",
            "-7",
            "1.5",
            "[NaN, Infinity, -Infinity]",
            r#""\"\\\n\t\u00e9""#,
            r#""\ud83d\ude00""#,
        ];
        for text in texts {
            assert_eq!(python_json(&json(text).unwrap()).as_deref(), Some(text));
        }
        assert_eq!(python_json(&json(" {\"a\":1 ,\"b\":2,\"a\":3}\n").unwrap()).unwrap(), r#"{"a": 3, "b": 2}"#);
        assert_eq!(python_json(&json("1e5").unwrap()).unwrap(), "100000.0");
    }

    #[test]
    fn what_is_wrong_is_told_in_the_words_of_python() {
        for (text, said) in [
            ("", "Expecting value: line 1 column 1 (char 0)"),
            ("{", "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"),
            ("{\"a\"", "Expecting ':' delimiter: line 1 column 5 (char 4)"),
            ("{\"a\":", "Expecting value: line 1 column 6 (char 5)"),
            ("{\"a\":1", "Expecting ',' delimiter: line 1 column 7 (char 6)"),
            ("{\"a\":1,", "Expecting property name enclosed in double quotes: line 1 column 8 (char 7)"),
            ("{\"a\":1 ,\n }", "Illegal trailing comma before end of object: line 1 column 8 (char 7)"),
            ("[1, ]", "Illegal trailing comma before end of array: line 1 column 3 (char 2)"),
            ("[1,,2]", "Expecting value: line 1 column 4 (char 3)"),
            ("[,]", "Expecting value: line 1 column 2 (char 1)"),
            ("\"ab", "Unterminated string starting at: line 1 column 1 (char 0)"),
            ("\"\\", "Unterminated string starting at: line 1 column 1 (char 0)"),
            ("\"a\\q\"", "Invalid \\escape: line 1 column 3 (char 2)"),
            ("\"a\nb\"", "Invalid control character at: line 1 column 3 (char 2)"),
            ("\"\\u12\"", "Invalid \\uXXXX escape: line 1 column 3 (char 2)"),
            ("[1,\n é]", "Expecting value: line 2 column 2 (char 5)"),
            ("1 2", "Extra data: line 1 column 3 (char 2)"),
            ("01", "Extra data: line 1 column 2 (char 1)"),
            ("1.", "Extra data: line 1 column 2 (char 1)"),
            ("\u{feff}1", "Unexpected UTF-8 BOM (decode using utf-8-sig): line 1 column 1 (char 0)"),
        ] {
            assert_eq!(json(text).unwrap_err(), said, "{text:?}");
        }
        assert!(json(&"[".repeat(1_000_000)).unwrap_err().contains("too deeply"));
        assert!(json(&"9".repeat(1_000_000)).is_err());
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_answered(text in r#"([\[\]{}:,"\\0-9eE.u-]|null|NaN|\\u[0-9a-f]{4}|é| |\n){0,24}"#) {
            let _ = json(&text);
        }
    }
}
