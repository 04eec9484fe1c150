//! Formats one value by one verb, like Go: `%v` is the text form in templates. Functions spec, 9.4 and 15.2.
//!
//! Data is nested no deeper than its type, which the program's text limits.

use super::data::Data;
use super::number;
use crate::corelib::bytes::pieces;
use crate::unicode::is_printable;
use crate::value::{Keep, quote, quote_keeping};
use std::fmt::Write;

#[derive(Clone, Default, Debug)]
pub(super) struct Flags {
    /// `-`: pad on the right.
    pub minus: bool,
    /// `+`: always print the sign.
    pub plus: bool,
    /// `#`: the alternate form.
    pub sharp: bool,
    /// ` `: leave room for the sign.
    pub space: bool,
    /// `0`: pad with zeros.
    pub zero: bool,
    /// `%#v`: Go syntax.
    pub syntax: bool,
    /// `%+v`: with field names.
    pub names: bool,
    /// The minimum width in characters.
    pub width: Option<usize>,
    /// The precision.
    pub precision: Option<usize>,
}

impl Flags {
    /// Pads to the width, which counts characters.
    fn pad(&self, out: &mut Vec<u8>, text: &[u8]) {
        let missing = self.width.unwrap_or(0).saturating_sub(pieces(text).count());
        let fill = if self.zero && !self.minus { b'0' } else { b' ' };
        if self.minus {
            out.extend_from_slice(text);
        }
        out.extend(std::iter::repeat_n(fill, missing));
        if !self.minus {
            out.extend_from_slice(text);
        }
    }

    fn pad_blank(&self, out: &mut Vec<u8>, text: &[u8]) {
        Flags { zero: false, ..self.clone() }.pad(out, text);
    }
}

/// The text form: `%v` without flags.
pub(super) fn text(data: &Data) -> Vec<u8> {
    let mut out = Vec::new();
    render(&mut out, data, 'v', &Flags::default());
    out
}

/// Several values in one text: `print` puts spaces between two values that are not strings, `println` always.
pub(super) fn print(values: &[Data], line: bool) -> Vec<u8> {
    let mut out = Vec::new();
    let is_text = |data: &Data| matches!(data, Data::Str(_));
    for (index, value) in values.iter().enumerate() {
        if index > 0 && (line || !is_text(value) && !is_text(&values[index - 1])) {
            out.push(b' ');
        }
        render(&mut out, value, 'v', &Flags::default());
    }
    if line {
        out.push(b'\n');
    }
    out
}

pub(super) fn render(out: &mut Vec<u8>, data: &Data, verb: char, flags: &Flags) {
    if verb == 'T' {
        return match data {
            Data::Nil => flags.pad(out, b"<nil>"),
            data => string(out, data.type_name().as_bytes(), 's', flags),
        };
    }
    let is_syntax = flags.syntax;
    match (data, verb) {
        (Data::Nil, 'v') => flags.pad(out, b"<nil>"),
        (Data::Bool(value), 't' | 'v') => flags.pad(out, if *value { b"true" } else { b"false" }),
        (Data::Int(value) | Data::Int64(value), 'v' | 'd' | 'b' | 'o' | 'O' | 'x' | 'X' | 'c' | 'q' | 'U') => {
            int(out, *value, verb, flags);
        }
        (Data::Byte(value), 'v' | 'd' | 'b' | 'o' | 'O' | 'x' | 'X' | 'c' | 'q' | 'U') => {
            let in_hex = is_syntax && verb == 'v';
            let flags = Flags { sharp: flags.sharp || in_hex, ..flags.clone() };
            int(out, i64::from(*value), if in_hex { 'x' } else { verb }, &flags);
        }
        (Data::Float(value), 'v' | 'e' | 'E' | 'f' | 'F' | 'g' | 'G' | 'x' | 'X' | 'b') => {
            float(out, *value, verb, flags);
        }
        (Data::Complex(real, imaginary), 'v' | 'e' | 'E' | 'f' | 'F' | 'g' | 'G' | 'x' | 'X' | 'b') => {
            out.push(b'(');
            float(out, *real, verb, flags);
            // The imaginary part always has a sign.
            float(out, *imaginary, verb, &Flags { plus: true, ..flags.clone() });
            out.extend_from_slice(b"i)");
        }
        (Data::Str(value), 's' | 'v' | 'q' | 'x' | 'X') => string(out, value, verb, flags),
        (Data::List(_, items), _) if !matches!(verb, 'p' | 'w') => {
            let (open, between, close) = if is_syntax { ("{", ", ", "}") } else { ("[", " ", "]") };
            if is_syntax {
                out.extend_from_slice(data.type_name().as_bytes());
            }
            out.extend_from_slice(open.as_bytes());
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.extend_from_slice(between.as_bytes());
                }
                element(out, item, verb, flags);
            }
            out.extend_from_slice(close.as_bytes());
        }
        (Data::Map(map), _) if !matches!(verb, 'p' | 'w') => {
            let (open, between, close) = if is_syntax { ("{", ", ", "}") } else { ("map[", " ", "]") };
            if is_syntax {
                out.extend_from_slice(data.type_name().as_bytes());
            }
            out.extend_from_slice(open.as_bytes());
            for (index, (key, value)) in map.entries.iter().enumerate() {
                if index > 0 {
                    out.extend_from_slice(between.as_bytes());
                }
                element(out, key, verb, flags);
                out.push(b':');
                element(out, value, verb, flags);
            }
            out.extend_from_slice(close.as_bytes());
        }
        (Data::Struct(fields), _) if !matches!(verb, 'p' | 'w') => {
            if is_syntax {
                out.extend_from_slice(data.type_name().as_bytes());
            }
            out.push(b'{');
            for (index, (name, value)) in fields.iter().enumerate() {
                if index > 0 {
                    out.extend_from_slice(if is_syntax { b", " } else { b" " });
                }
                if is_syntax || flags.names {
                    out.extend_from_slice(name.as_bytes());
                    out.push(b':');
                }
                element(out, value, verb, flags);
            }
            out.push(b'}');
        }
        _ => bad_verb(out, data, verb, flags),
    }
}

fn element(out: &mut Vec<u8>, data: &Data, verb: char, flags: &Flags) {
    match data {
        Data::Nil if flags.syntax => out.extend_from_slice(b"interface {}(nil)"),
        Data::Nil => out.extend_from_slice(b"<nil>"),
        data => render(out, data, verb, flags),
    }
}

/// `%!d(string=x)`
fn bad_verb(out: &mut Vec<u8>, data: &Data, verb: char, flags: &Flags) {
    out.extend_from_slice(format!("%!{verb}(").as_bytes());
    match data {
        Data::Nil => out.extend_from_slice(b"<nil>"),
        data => {
            out.extend_from_slice(data.type_name().as_bytes());
            out.push(b'=');
            render(out, data, 'v', flags);
        }
    }
    out.push(b')');
}

fn int(out: &mut Vec<u8>, value: i64, verb: char, flags: &Flags) {
    let char = u32::try_from(value).ok().and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER);
    match verb {
        'c' => return flags.pad(out, char.to_string().as_bytes()),
        'q' => return flags.pad(out, quoted_char(char, flags.plus).as_bytes()),
        'U' => {
            let digits = format!("{:X}", value as u64);
            let missing = flags.precision.unwrap_or(4).max(4).saturating_sub(digits.len());
            let mut text = format!("U+{}{digits}", "0".repeat(missing));
            let found = u32::try_from(value).ok().and_then(char::from_u32);
            if let Some(char) = found.filter(|char| flags.sharp && is_printable(*char)) {
                let _ = write!(text, " '{char}'");
            }
            return flags.pad_blank(out, text.as_bytes());
        }
        _ => {}
    }
    let magnitude = value.unsigned_abs();
    let mut digits = match verb {
        'b' => format!("{magnitude:b}"),
        'o' | 'O' => format!("{magnitude:o}"),
        'x' => format!("{magnitude:x}"),
        'X' => format!("{magnitude:X}"),
        _ => magnitude.to_string(),
    };
    let sign = match (value < 0, flags.plus, flags.space) {
        (true, ..) => "-",
        (false, true, _) => "+",
        (false, false, true) => " ",
        (false, false, false) => "",
    };
    let n_digits = match (flags.precision, flags.width) {
        // A zero with precision 0 is empty.
        (Some(0), _) if value == 0 => {
            return flags.pad_blank(out, b"");
        }
        (Some(precision), _) => precision,
        (None, Some(width)) if flags.zero && !flags.minus => width.saturating_sub(sign.len()),
        (None, _) => 0,
    };
    if digits.len() < n_digits {
        digits.insert_str(0, &"0".repeat(n_digits - digits.len()));
    }
    let prefix = match (verb, flags.sharp) {
        ('b', true) => "0b",
        ('o', true) if !digits.starts_with('0') => "0",
        ('x', true) => "0x",
        ('X', true) => "0X",
        ('O', true) if !digits.starts_with('0') => "0o0",
        ('O', _) => "0o",
        _ => "",
    };
    flags.pad_blank(out, format!("{sign}{prefix}{digits}").as_bytes());
}

fn quoted_char(char: char, ascii: bool) -> String {
    let keep = if ascii { Keep::Ascii } else { Keep::Printable };
    match char {
        '\'' => "'\\''".into(),
        '"' => "'\"'".into(),
        char => {
            let text = quote_keeping(char.to_string().as_bytes(), keep);
            format!("'{}'", &text[1..text.len() - 1])
        }
    }
}

fn float(out: &mut Vec<u8>, value: f64, verb: char, flags: &Flags) {
    let byte = if verb == 'v' { b'g' } else { verb as u8 };
    let precision = match byte {
        b'e' | b'E' | b'f' | b'F' => Some(flags.precision.unwrap_or(6)),
        _ => flags.precision,
    };
    let mut text = number::float(value, byte, precision);
    if !text.starts_with(['-', '+']) && (flags.plus || flags.space) {
        text.insert(0, if flags.plus { '+' } else { ' ' });
    } else if text.starts_with('+') && !flags.plus && (flags.space || value.is_finite()) {
        text.replace_range(..1, " ");
    }
    if flags.sharp && byte != b'b' && value.is_finite() {
        text = number::with_point(&text, byte, flags.precision);
    }
    let missing = flags.width.unwrap_or(0).saturating_sub(text.len());
    if flags.zero && !flags.minus && value.is_finite() && missing > 0 {
        let at = usize::from(text.starts_with(['-', '+', ' ']));
        text.insert_str(at, &"0".repeat(missing));
    }
    flags.pad_blank(out, text.as_bytes());
}

fn string(out: &mut Vec<u8>, text: &[u8], verb: char, flags: &Flags) {
    if matches!(verb, 'x' | 'X') {
        let text = &text[..flags.precision.unwrap_or(text.len()).min(text.len())];
        return hexadecimal(out, text, verb == 'X', flags);
    }
    let cut: Vec<u8>;
    let text = match flags.precision {
        None => text,
        Some(precision) => {
            cut = pieces(text).take(precision).flatten().copied().collect();
            &cut
        }
    };
    let quoted = match verb {
        'v' if flags.syntax => quote(text),
        'q' if flags.sharp && fits_backquotes(text) => {
            format!("`{}`", String::from_utf8_lossy(text))
        }
        'q' if flags.plus => quote_keeping(text, Keep::Ascii),
        'q' => quote(text),
        _ => return flags.pad(out, text),
    };
    flags.pad(out, quoted.as_bytes());
}

/// The bytes of a text, separated by spaces if that flag is set.
fn hexadecimal(out: &mut Vec<u8>, text: &[u8], upper: bool, flags: &Flags) {
    let prefix = match (flags.sharp, upper) {
        (true, true) => "0X",
        (true, false) => "0x",
        (false, _) => "",
    };
    let mut digits = String::new();
    for (index, byte) in text.iter().enumerate() {
        if flags.space && index > 0 {
            digits.push(' ');
        }
        if index == 0 || flags.space {
            digits.push_str(prefix);
        }
        let _ = if upper { write!(digits, "{byte:02X}") } else { write!(digits, "{byte:02x}") };
    }
    flags.pad(out, digits.as_bytes());
}

fn fits_backquotes(text: &[u8]) -> bool {
    let fits = |char: char| char == '\t' || !(char.is_ascii_control() || char == '`' || char == '\u{feff}');
    std::str::from_utf8(text).is_ok_and(|text| text.chars().all(fits))
}
