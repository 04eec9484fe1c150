//! Format specifications: `[[fill]align][sign][z][#][0][width][grouping][.precision][type]`. Spec, 2.5.

mod floats;

use super::{Int, Value};

/// A parsed specification.
#[derive(Debug, Default)]
pub struct Spec {
    fill: Option<char>,
    align: Option<char>,
    sign: Option<char>,
    no_negative_zero: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    grouping: Option<char>,
    precision: Option<usize>,
    kind: Option<char>,
}

/// Why a value cannot be formatted under a specification.
#[derive(Debug)]
pub enum SpecError {
    /// With this reason.
    Reason(String),
    /// The kind of value supports no specifications at all.
    Unsupported(&'static str),
}

/// The maximum width and precision.
const MAX_WIDTH: usize = 100_000;

fn reason<T>(text: impl Into<String>) -> Result<T, SpecError> {
    Err(SpecError::Reason(text.into()))
}

/// A format code in an error: `\x20` for a space, as for characters outside ASCII.
fn shown(code: char) -> String {
    if code > ' ' && code.is_ascii() { code.to_string() } else { format!("\\x{:x}", u32::from(code)) }
}

fn is_align(char: char) -> bool {
    matches!(char, '<' | '>' | '=' | '^')
}

impl Spec {
    fn parse(text: &str, object: &str) -> Result<Spec, SpecError> {
        let chars: Vec<char> = text.chars().collect();
        let mut spec = Spec::default();
        let mut at = 0;
        let peek = |at: usize| chars.get(at).copied();
        if peek(1).is_some_and(is_align) {
            (spec.fill, spec.align) = (peek(0), peek(1));
            at = 2;
        } else if peek(0).is_some_and(is_align) {
            spec.align = peek(0);
            at = 1;
        }
        let eat = |at: &mut usize, wanted: char| {
            let eats = peek(*at) == Some(wanted);
            *at += usize::from(eats);
            eats
        };
        if let Some(sign) = peek(at).filter(|char| matches!(char, '+' | '-' | ' ')) {
            spec.sign = Some(sign);
            at += 1;
        }
        spec.no_negative_zero = eat(&mut at, 'z');
        spec.alternate = eat(&mut at, '#');
        if peek(at) == Some('0') {
            spec.zero = true;
            at += 1;
        }
        let number = |at: &mut usize| -> Result<Option<usize>, SpecError> {
            let digits: String = chars[*at..].iter().take_while(|char| char.is_ascii_digit()).collect();
            *at += digits.len();
            if digits.is_empty() {
                return Ok(None);
            }
            match digits.parse::<usize>() {
                Ok(number) if number <= MAX_WIDTH => Ok(Some(number)),
                _ => reason("Too many decimal digits in format string"),
            }
        };
        spec.width = number(&mut at)?.unwrap_or(0);
        if let Some(grouping) = peek(at).filter(|char| matches!(char, ',' | '_')) {
            spec.grouping = Some(grouping);
            at += 1;
            match (grouping, peek(at)) {
                (',', Some(',')) => return reason("Cannot specify ',' with ','."),
                ('_', Some('_')) => return reason("Cannot specify '_' with '_'."),
                (_, Some(',' | '_')) => return reason("Cannot specify both ',' and '_'."),
                _ => {}
            }
        }
        if eat(&mut at, '.') {
            match number(&mut at)? {
                Some(precision) => spec.precision = Some(precision),
                None => return reason("Format specifier missing precision"),
            }
        }
        spec.kind = peek(at);
        if chars.len() > at + 1 {
            return reason(format!("Invalid format specifier '{text}' for object of type '{object}'"));
        }
        Ok(spec)
    }

    /// Formats a value under a specification.
    pub fn format(text: &str, value: &Value) -> Result<String, SpecError> {
        if let Some(kind) = unsupported(value) {
            return Err(SpecError::Unsupported(kind));
        }
        Spec::parse(text, value.kind())?.apply(value)
    }

    fn apply(&self, value: &Value) -> Result<String, SpecError> {
        self.check_grouping(value)?;
        match value {
            Value::Str(value) => self.string(value),
            Value::Int(int) => self.whole(int, "int"),
            Value::Bool(value) => self.whole(&Int::from(i64::from(*value)), "bool"),
            Value::Float(float) => self.float(*float, "float"),
            Value::Null | Value::List(_) | Value::Dict(_) | Value::Instance(_) | Value::Unknown(_) => {
                Err(SpecError::Unsupported(value.kind()))
            }
        }
    }

    /// `,` groups decimal digits, and `_` digits of any base.
    fn check_grouping(&self, value: &Value) -> Result<(), SpecError> {
        let Some(grouping) = self.grouping else { return Ok(()) };
        let kind = match (self.kind, value) {
            (Some(kind), _) => kind,
            (None, Value::Str(_)) => 's',
            (None, _) => return Ok(()),
        };
        match kind {
            'd' | 'e' | 'E' | 'f' | 'F' | 'g' | 'G' | '%' => Ok(()),
            'b' | 'o' | 'x' | 'X' if grouping == '_' => Ok(()),
            kind => reason(format!("Cannot specify '{grouping}' with '{}'.", shown(kind))),
        }
    }

    fn unknown_code<T>(&self, kind: char, object: &str) -> Result<T, SpecError> {
        reason(format!("Unknown format code '{}' for object of type '{object}'", shown(kind)))
    }

    fn string(&self, value: &str) -> Result<String, SpecError> {
        if let Some(kind) = self.kind.filter(|kind| *kind != 's') {
            return self.unknown_code(kind, "str");
        }
        if let Some(sign) = self.sign {
            let what = if sign == ' ' { "Space" } else { "Sign" };
            return reason(format!("{what} not allowed in string format specifier"));
        }
        if self.no_negative_zero {
            return reason("Negative zero coercion (z) not allowed in string format specifier");
        }
        if self.alternate {
            return reason("Alternate form (#) not allowed in string format specifier");
        }
        if self.align == Some('=') {
            return reason("'=' alignment not allowed in string format specifier");
        }
        let text: String = match self.precision {
            Some(precision) => value.chars().take(precision).collect(),
            None => value.to_owned(),
        };
        let fill = self.fill.unwrap_or(if self.zero { '0' } else { ' ' });
        Ok(pad("", &text, self.width, fill, self.align.unwrap_or('<')))
    }

    fn whole(&self, int: &Int, object: &str) -> Result<String, SpecError> {
        match self.kind {
            None | Some('b' | 'c' | 'd' | 'o' | 'x' | 'X' | 'n') => {}
            Some('e' | 'E' | 'f' | 'F' | 'g' | 'G' | '%') => match int.to_f64() {
                Some(float) => return self.float(float, object),
                None => return reason("int too large to convert to float"),
            },
            Some(kind) => return self.unknown_code(kind, object),
        }
        if self.precision.is_some() {
            return reason("Precision not allowed in integer format specifier");
        }
        if self.no_negative_zero {
            return reason("Negative zero coercion (z) not allowed in integer format specifier");
        }
        if self.kind == Some('c') {
            return self.character(int);
        }
        let (radix, prefix, group) = match self.kind {
            Some('b') => (2, "0b", 4),
            Some('o') => (8, "0o", 4),
            Some('x') => (16, "0x", 4),
            Some('X') => (16, "0X", 4),
            _ => (10, "", 3),
        };
        let text = int.to_radix(radix);
        let mut digits = text.trim_start_matches('-').to_owned();
        if self.kind == Some('X') {
            digits = digits.to_uppercase();
        }
        let sign = self.sign_text(int.is_negative());
        let head = format!("{sign}{}", if self.alternate { prefix } else { "" });
        Ok(self.number(&head, &digits, "", group))
    }

    fn character(&self, int: &Int) -> Result<String, SpecError> {
        if self.sign.is_some() {
            return reason("Sign not allowed with integer format specifier 'c'");
        }
        if self.alternate {
            return reason("Alternate form (#) not allowed with integer format specifier 'c'");
        }
        let char = int.to_i64().and_then(|code| u32::try_from(code).ok()).and_then(char::from_u32);
        match char {
            Some(char) => {
                let fill = self.fill.unwrap_or(if self.zero { '0' } else { ' ' });
                Ok(pad("", &char.to_string(), self.width, fill, self.align.unwrap_or('>')))
            }
            None => reason("%c arg not in range(0x110000)"),
        }
    }

    fn sign_text(&self, is_negative: bool) -> &'static str {
        match (is_negative, self.sign) {
            (true, _) => "-",
            (false, Some('+')) => "+",
            (false, Some(' ')) => " ",
            (false, _) => "",
        }
    }

    /// Sign and prefix, digits in groups, padding.
    fn number(&self, head: &str, whole: &str, rest: &str, group: usize) -> String {
        let (fill, align) = match (self.align, self.zero) {
            (Some(align), zero) => (self.fill.unwrap_or(if zero { '0' } else { ' ' }), align),
            (None, true) => ('0', '='),
            (None, false) => (' ', '>'),
        };
        let grouped = |digits: &str| match self.grouping {
            Some(separator) if digits.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
                group_digits(digits, separator, group)
            }
            _ => digits.to_owned(),
        };
        let mut whole_text = grouped(whole);
        if fill == '0' && align == '=' && self.grouping.is_some() {
            // The zeros take part in the grouping, and no group begins with a separator.
            let room = self.width.saturating_sub(head.chars().count() + rest.chars().count());
            let n_digits = room - room / (group + 1) + usize::from(room.is_multiple_of(group + 1) && room > 0);
            let zeros = n_digits.saturating_sub(whole.len());
            whole_text = grouped(&format!("{}{whole}", "0".repeat(zeros)));
        }
        pad(head, &format!("{whole_text}{rest}"), self.width, fill, align)
    }
}

/// The kind of a value that supports no specifications at all.
fn unsupported(value: &Value) -> Option<&'static str> {
    match value {
        Value::Str(_) | Value::Int(_) | Value::Bool(_) | Value::Float(_) => None,
        Value::Null | Value::List(_) | Value::Dict(_) | Value::Instance(_) | Value::Unknown(_) => Some(value.kind()),
    }
}

fn group_digits(digits: &str, separator: char, group: usize) -> String {
    let mut out = String::new();
    for (nr, digit) in digits.chars().enumerate() {
        if nr > 0 && (digits.len() - nr).is_multiple_of(group) {
            out.push(separator);
        }
        out.push(digit);
    }
    out
}

fn pad(head: &str, body: &str, width: usize, fill: char, align: char) -> String {
    let len = head.chars().count() + body.chars().count();
    let missing = width.saturating_sub(len);
    let fills = |n: usize| fill.to_string().repeat(n);
    match align {
        '<' => format!("{head}{body}{}", fills(missing)),
        '^' => format!("{}{head}{body}{}", fills(missing / 2), fills(missing - missing / 2)),
        '=' => format!("{head}{}{body}", fills(missing)),
        _ => format!("{}{head}{body}", fills(missing)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(spec: &str, value: Value) -> String {
        Spec::format(spec, &value).expect(spec)
    }

    fn why(spec: &str, value: Value) -> String {
        match Spec::format(spec, &value) {
            Err(SpecError::Reason(reason)) => reason,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn digits_without_an_end_are_zeros() {
        for (spec, len) in [(".70000f", 70_002), (".70000e", 70_006), ("#.70000g", 70_001), (".70000%", 70_005)] {
            let written = text(spec, Value::Float(1.5));
            assert!(written.len() == len && written.contains("0000"), "{spec}: {}", written.len());
        }
        assert_eq!(text(".70000g", Value::Float(1.5)), "1.5");
        assert_eq!(text(".1100e", Value::Float(5e-324)).len(), 1_107);
    }

    #[test]
    fn numbers() {
        let int = |value: i64| Value::int(value);
        assert_eq!(text("5", int(2)), "    2");
        assert_eq!(text("*^+9,d", int(1234)), "*+1,234**");
        assert_eq!(text("#010x", int(255)), "0x000000ff");
        assert_eq!(text("08,", int(1234)), "0,001,234");
        assert_eq!(text(".2f", int(2)), "2.00");
        assert_eq!(text(".3", Value::Float(1234.5)), "1.23e+03");
        assert_eq!(text("g", Value::Float(0.00001)), "1e-05");
        assert_eq!(text("%", Value::Float(0.25)), "25.000000%");
        assert_eq!(text("e", Value::Float(12345.678)), "1.234568e+04");
        assert_eq!(text("", Value::Float(2.5)), "2.5");
        assert_eq!(text("_b", int(255)), "1111_1111");
        assert_eq!(text("c", int(65)), "A");
    }

    #[test]
    fn strings_and_reasons() {
        assert_eq!(text(">4.2", Value::str("abc")), "  ab");
        assert_eq!(why("s", Value::int(1)), "Unknown format code 's' for object of type 'int'");
        assert_eq!(why("zz", Value::str("t")), "Unknown format code 'z' for object of type 'str'");
        assert_eq!(why("5 ", Value::int(1)), r"Unknown format code '\x20' for object of type 'int'");
        assert_eq!(why("5é", Value::Float(2.5)), r"Unknown format code '\xe9' for object of type 'float'");
        assert_eq!(why(", ", Value::int(1)), r"Cannot specify ',' with '\x20'.");
        assert_eq!(why(".2d", Value::int(1)), "Precision not allowed in integer format specifier");
    }
}
