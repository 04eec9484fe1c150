//! Reads the first JSON value of a text, following Go's decoder. Functions spec, 10 and 15.11.

/// Maximum nesting of arrays and objects.
const MAX_DEPTH: usize = 10_000;

/// A JSON value. Numbers keep their text until the wanted type is known.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Json {
    Null,
    Bool(bool),
    Number(String),
    Str(String),
    Array(Vec<Json>),
    /// In order; a later entry of the same key counts.
    Object(Vec<(String, Json)>),
}

/// A container that is still open.
enum Open {
    Array(Vec<Json>),
    /// The entries, and the key of the next value.
    Object(Vec<(String, Json)>, String),
}

/// The first value; the rest of the text is ignored.
///
/// Errors: a message in the decoder's words. Nesting uses no stack.
pub(super) fn parse(text: &[u8]) -> Result<Json, String> {
    let mut reader = Reader { text, at: 0 };
    reader.skip_space();
    if reader.peek().is_none() {
        return Err("EOF".into());
    }
    let mut open: Vec<Open> = Vec::new();
    loop {
        // A value begins here.
        reader.skip_space();
        let mut value = match reader.peek() {
            Some(bracket @ (b'[' | b'{')) => {
                if open.len() == MAX_DEPTH {
                    return Err(format!("invalid character '{}' exceeded max depth", char::from(bracket)));
                }
                reader.at += 1;
                reader.skip_space();
                match (bracket, reader.peek()) {
                    (b'[', Some(b']')) => reader.step(Json::Array(Vec::new())),
                    (b'{', Some(b'}')) => reader.step(Json::Object(Vec::new())),
                    (b'[', _) => {
                        open.push(Open::Array(Vec::new()));
                        continue;
                    }
                    _ => {
                        let key = reader.key("looking for beginning of object key string")?;
                        open.push(Open::Object(Vec::new(), key));
                        continue;
                    }
                }
            }
            _ => reader.scalar()?,
        };
        // Add it to the containers that end here.
        loop {
            let Some(around) = open.last_mut() else { return Ok(value) };
            reader.skip_space();
            let next = reader.peek();
            match around {
                Open::Array(items) => {
                    items.push(value);
                    match next {
                        Some(b',') => reader.at += 1,
                        Some(b']') => {
                            value = reader.step(Json::Array(std::mem::take(items)));
                            open.pop();
                            continue;
                        }
                        _ => return Err(reader.unexpected("after array element")),
                    }
                }
                Open::Object(entries, key) => {
                    entries.push((std::mem::take(key), value));
                    match next {
                        Some(b',') => {
                            reader.at += 1;
                            reader.skip_space();
                            *key = reader.key("looking for beginning of object key string")?;
                        }
                        Some(b'}') => {
                            value = reader.step(Json::Object(std::mem::take(entries)));
                            open.pop();
                            continue;
                        }
                        _ => return Err(reader.unexpected("after object key:value pair")),
                    }
                }
            }
            break;
        }
    }
}

impl Json {
    /// What it is, for messages.
    pub(super) fn form(&self) -> &'static str {
        match self {
            Json::Null => "`null`",
            Json::Bool(_) => "a bool",
            Json::Number(_) => "a number",
            Json::Str(_) => "a string",
            Json::Array(_) => "an array",
            Json::Object(_) => "an object",
        }
    }
}

/// Drops a value without recursion: it may be nested deeper than the stack.
impl Drop for Json {
    fn drop(&mut self) {
        let mut pending = children(self);
        while let Some(mut value) = pending.pop() {
            pending.extend(children(&mut value));
        }
    }
}

fn children(value: &mut Json) -> Vec<Json> {
    match value {
        Json::Array(items) => std::mem::take(items),
        Json::Object(entries) => std::mem::take(entries).into_iter().map(|(_, value)| value).collect(),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Str(_) => Vec::new(),
    }
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Skips one byte.
    fn step(&mut self, value: Json) -> Json {
        self.at += 1;
        value
    }

    fn unexpected(&self, place: &str) -> String {
        match self.peek() {
            None => "unexpected EOF".into(),
            Some(byte) => format!("invalid character {} {place}", quoted(byte)),
        }
    }

    /// The key of an object and its colon.
    fn key(&mut self, place: &str) -> Result<String, String> {
        if self.peek() != Some(b'"') {
            return Err(self.unexpected(place));
        }
        let key = self.string()?;
        self.skip_space();
        if self.peek() != Some(b':') {
            return Err(self.unexpected("after object key"));
        }
        self.at += 1;
        Ok(key)
    }

    fn scalar(&mut self) -> Result<Json, String> {
        match self.peek() {
            Some(b'"') => self.string().map(Json::Str),
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            Some(b'n') => self.word("null", Json::Null),
            Some(b'-' | b'0'..=b'9') => self.number().map(Json::Number),
            _ => Err(self.unexpected("looking for beginning of value")),
        }
    }

    fn word(&mut self, word: &str, value: Json) -> Result<Json, String> {
        for (index, expected) in word.bytes().enumerate() {
            if self.peek() != Some(expected) {
                let place = format!("in literal {word} (expecting {})", quoted(expected));
                debug_assert!(index > 0);
                return Err(self.unexpected(&place));
            }
            self.at += 1;
        }
        Ok(value)
    }

    fn digits(&mut self) -> usize {
        let from = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        self.at - from
    }

    fn number(&mut self) -> Result<String, String> {
        let from = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else if self.digits() == 0 {
            return Err(self.unexpected("in numeric literal"));
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            if self.digits() == 0 {
                return Err(self.unexpected("after decimal point in numeric literal"));
            }
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if self.digits() == 0 {
                return Err(self.unexpected("in exponent of numeric literal"));
            }
        }
        Ok(String::from_utf8_lossy(&self.text[from..self.at]).into_owned())
    }

    /// A string with its quotes; invalid UTF-8 becomes U+FFFD, byte by byte.
    fn string(&mut self) -> Result<String, String> {
        self.at += 1;
        let mut out = Vec::new();
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    break;
                }
                Some(b'\\') => {
                    self.at += 1;
                    self.escape(&mut out)?;
                }
                Some(byte) if byte < 0x20 => return Err(self.unexpected("in string literal")),
                None => return Err(self.unexpected("in string literal")),
                Some(byte) => {
                    out.push(byte);
                    self.at += 1;
                }
            }
        }
        Ok(crate::corelib::bytes::chars(&out).map(|char| char.unwrap_or(char::REPLACEMENT_CHARACTER)).collect())
    }

    fn escape(&mut self, out: &mut Vec<u8>) -> Result<(), String> {
        let plain = match self.peek() {
            Some(byte @ (b'"' | b'\\' | b'/')) => byte,
            Some(b'b') => 8,
            Some(b'f') => 12,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'u') => {
                self.at += 1;
                let unit = self.unit()?;
                let char = self.after_unit(unit);
                out.extend(char.encode_utf8(&mut [0; 4]).as_bytes());
                return Ok(());
            }
            _ => return Err(self.unexpected("in string escape code")),
        };
        out.push(plain);
        self.at += 1;
        Ok(())
    }

    /// Four hexadecimal digits.
    fn unit(&mut self) -> Result<u32, String> {
        let mut unit = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16));
            unit = unit * 16 + digit.ok_or_else(|| self.unexpected("in \\u hexadecimal character escape"))?;
            self.at += 1;
        }
        Ok(unit)
    }

    /// The character of a unit, combined with the second half of a pair after it; a lone half is U+FFFD.
    fn after_unit(&mut self, unit: u32) -> char {
        if (0xd800..0xdc00).contains(&unit) && self.text[self.at..].starts_with(b"\\u") {
            let back = self.at;
            self.at += 2;
            if let Ok(low @ 0xdc00..0xe000) = self.unit() {
                let code = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
                return char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
            }
            self.at = back;
        }
        char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER)
    }
}

/// A byte in messages: the character with that number.
fn quoted(byte: u8) -> String {
    match byte {
        b'\'' => r"'\''".into(),
        b'"' => "'\"'".into(),
        byte => {
            let quoted = crate::value::quote(char::from(byte).to_string().as_bytes());
            format!("'{}'", &quoted[1..quoted.len() - 1])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_value_counts() {
        assert_eq!(parse(b"01"), Ok(Json::Number("0".into())));
        assert_eq!(parse(b"truex"), Ok(Json::Bool(true)));
        assert_eq!(parse(b"[1]]"), Ok(Json::Array(vec![Json::Number("1".into())])));
        assert_eq!(parse(br#""\ud83d\ude00\ud83d\u0041""#), Ok(Json::Str("😀\u{fffd}A".into())));
    }

    #[test]
    fn errors() {
        for (text, expect) in [
            ("", "EOF"),
            ("1.", "unexpected EOF"),
            ("tru", "unexpected EOF"),
            ("{\"a\"", "unexpected EOF"),
            ("[1,]", "invalid character ']' looking for beginning of value"),
            ("{'a':1}", r"invalid character '\'' looking for beginning of object key string"),
            ("\"\n\"", r"invalid character '\n' in string literal"),
            ("nul1", "invalid character '1' in literal null (expecting 'l')"),
        ] {
            assert_eq!(parse(text.as_bytes()), Err(expect.into()), "{text}");
        }
    }

    #[test]
    fn deep_values_take_no_stack() {
        assert!(parse(&[b"[".repeat(10_000), b"]".repeat(10_000)].concat()).is_ok());
        let error = parse(&b"[".repeat(10_001)).unwrap_err();
        assert_eq!(error, "invalid character '[' exceeded max depth");
    }
}
