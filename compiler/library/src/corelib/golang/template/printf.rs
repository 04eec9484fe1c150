//! The `printf` of templates: Go's verbs, flags, widths and argument indexes; errors become part of the result.
//! Functions spec, 9.4 and 15.2.

use super::builtins::too_long;
use super::data::Data;
use super::render::{Flags, render};

/// The maximum width; parsing stops above it.
const MAX_WIDTH: i64 = 1_000_000;

/// The position in the format, and the next value.
struct Printer<'a> {
    format: &'a [u8],
    at: usize,
    values: &'a [Data],
    next: usize,
    /// Whether an index such as `[2]` was used anywhere. Then unused values are not an error.
    is_reordered: bool,
    is_position_bad: bool,
    /// The `[n]` comes right before the verb.
    is_behind_position: bool,
    /// The address of an addressable value was requested.
    has_address: bool,
}

/// Errors: the result would be longer than `limit`, or contain an address, which differs in each run.
pub(super) fn printf(format: &[u8], values: &[Data], limit: usize) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    let mut printer = Printer {
        format,
        at: 0,
        values,
        next: 0,
        is_reordered: false,
        is_position_bad: false,
        is_behind_position: false,
        has_address: false,
    };
    while printer.at < format.len() {
        if format[printer.at] != b'%' {
            out.push(format[printer.at]);
            printer.at += 1;
            continue;
        }
        printer.at += 1;
        printer.verb(&mut out);
        if printer.has_address {
            return Err("the verb p is not supported for lists and maps".into());
        }
        if out.len() > limit {
            return Err(too_long());
        }
    }
    if !printer.is_reordered && printer.next < values.len() {
        out.extend_from_slice(b"%!(EXTRA ");
        for (index, value) in values[printer.next..].iter().enumerate() {
            if index > 0 {
                out.extend_from_slice(b", ");
            }
            match value {
                Data::Nil => out.extend_from_slice(b"<nil>"),
                value => {
                    out.extend_from_slice(value.type_name().as_bytes());
                    out.push(b'=');
                    render(&mut out, value, 'v', &Flags::default());
                }
            }
        }
        out.push(b')');
    }
    if out.len() <= limit { Ok(out) } else { Err(too_long()) }
}

impl Printer<'_> {
    fn peek(&self) -> Option<u8> {
        self.format.get(self.at).copied()
    }

    fn verb(&mut self, out: &mut Vec<u8>) {
        let mut flags = Flags::default();
        self.is_position_bad = false;
        self.is_behind_position = false;
        while let Some(byte) = self.peek() {
            match byte {
                b'#' => flags.sharp = true,
                b'0' => flags.zero = true,
                b'+' => flags.plus = true,
                b'-' => flags.minus = true,
                b' ' => flags.space = true,
                _ => break,
            }
            self.at += 1;
        }
        self.position();
        self.width(&mut flags, out);
        self.precision(&mut flags, out);
        if !self.is_behind_position {
            self.position();
        }
        let rest = &self.format[self.at..];
        let Some(found) = crate::corelib::bytes::chars(&rest[..rest.len().min(4)]).next() else {
            out.extend_from_slice(b"%!(NOVERB)");
            return;
        };
        self.at += found.map_or(1, char::len_utf8);
        let verb = found.unwrap_or(char::REPLACEMENT_CHARACTER);
        let complain = |out: &mut Vec<u8>, what: &str| out.extend_from_slice(format!("%!{verb}({what})").as_bytes());
        if verb == '%' {
            out.push(b'%');
        } else if self.is_position_bad {
            complain(out, "BADINDEX");
        } else if let Some(value) = self.values.get(self.next) {
            self.next += 1;
            self.has_address = verb == 'p' && matches!(value, Data::List(..) | Data::Map(_));
            if matches!(verb, 'v' | 'w') {
                (flags.syntax, flags.names) = (std::mem::take(&mut flags.sharp), std::mem::take(&mut flags.plus));
            }
            render(out, value, verb, &flags);
        } else {
            complain(out, "MISSING");
        }
    }

    /// `[n]`: the next value to use, from 1.
    fn position(&mut self) {
        self.is_behind_position = false;
        if self.peek() != Some(b'[') {
            return;
        }
        self.is_reordered = true;
        let rest = &self.format[self.at..];
        let Some(end) = rest.iter().position(|byte| *byte == b']').filter(|_| rest.len() >= 3) else {
            self.is_position_bad = true;
            self.at += 1;
            return;
        };
        let number = std::str::from_utf8(&self.format[self.at + 1..self.at + end]).unwrap_or_default();
        self.at += end + 1;
        let digits = number.bytes().all(|byte| byte.is_ascii_digit());
        match number.parse::<usize>() {
            Ok(number) if digits => {
                self.is_behind_position = true;
                if (1..=self.values.len()).contains(&number) {
                    self.next = number - 1;
                } else {
                    self.is_position_bad = true;
                }
            }
            _ => self.is_position_bad = true,
        }
    }

    /// A number; one that is far too long consumes the rest of the format.
    fn digits(&mut self) -> Option<i64> {
        let from = self.at;
        let mut value = 0_i64;
        while let Some(byte) = self.peek().filter(u8::is_ascii_digit) {
            if value > MAX_WIDTH {
                self.at = self.format.len();
                return None;
            }
            value = value * 10 + i64::from(byte - b'0');
            self.at += 1;
        }
        (self.at > from).then_some(value)
    }

    /// The value of a `*`.
    fn star(&mut self) -> Option<i64> {
        self.at += 1;
        self.is_behind_position = false;
        let found = self.values.get(self.next)?.int();
        self.next += 1;
        found.filter(|number| (-MAX_WIDTH..=MAX_WIDTH).contains(number))
    }

    fn width(&mut self, flags: &mut Flags, out: &mut Vec<u8>) {
        if self.peek() != Some(b'*') {
            flags.width = self.digits().map(|width| width as usize);
            if self.is_behind_position && flags.width.is_some() {
                self.is_position_bad = true;
            }
            return;
        }
        match self.star() {
            Some(width) => {
                if width < 0 {
                    (flags.minus, flags.zero) = (true, false);
                }
                flags.width = Some(width.unsigned_abs() as usize);
            }
            None => out.extend_from_slice(b"%!(BADWIDTH)"),
        }
    }

    fn precision(&mut self, flags: &mut Flags, out: &mut Vec<u8>) {
        // At the end of the format a point is the verb.
        if self.peek() != Some(b'.') || self.at + 1 == self.format.len() {
            return;
        }
        self.at += 1;
        if self.is_behind_position {
            self.is_position_bad = true;
        }
        self.position();
        if self.peek() != Some(b'*') {
            flags.precision = Some(self.digits().unwrap_or(0) as usize);
            return;
        }
        match self.star() {
            Some(precision) if precision >= 0 => flags.precision = Some(precision as usize),
            Some(_) | None => out.extend_from_slice(b"%!(BADPREC)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(format: &str, values: &[Data]) -> String {
        String::from_utf8(printf(format.as_bytes(), values, 1000).expect("short")).expect("UTF-8")
    }

    #[test]
    fn widths_flags_and_positions() {
        let seven = [Data::Int64(7), Data::Int64(7), Data::Int64(7), Data::Int64(7)];
        assert_eq!(shown("%5d|%-5d|%05d|%+d", &seven), "    7|7    |00007|+7");
        assert_eq!(shown("%[2]d %[1]d", &[Data::Int(1), Data::Int(2)]), "2 1");
        assert_eq!(shown("%*d", &[Data::Int(5), Data::Int(3)]), "    3");
        assert_eq!(shown("%6.2f|%08.3f", &[Data::Float(2.25), Data::Float(2.25)]), "  2.25|0002.250");
        assert_eq!(shown("%.2s|%q|% X", &[Data::text("héy"), Data::text("\""), Data::text("hi")]), "hé|\"\\\"\"|68 69");
    }

    #[test]
    fn mistakes_are_part_of_the_result() {
        assert_eq!(shown("%d", &[Data::text("x")]), "%!d(string=x)");
        assert_eq!(shown("%d %d", &[Data::Int64(1)]), "1 %!d(MISSING)");
        assert_eq!(shown("%d", &[Data::Int64(1), Data::Int(2), Data::text("a")]), "1%!(EXTRA int=2, string=a)");
        assert_eq!(shown("%[5]d|%!", &[Data::Int(1)]), "%!d(BADINDEX)|%!!(int=1)");
        assert_eq!(shown("%5d%", &[Data::text("x")]), "%!d(string=    x)%!(NOVERB)");
        assert_eq!(shown("%[]", &[]), "%!](BADINDEX)");
        assert_eq!(shown("%123456789d|", &[Data::Int(1)]), "%!(NOVERB)%!(EXTRA int=1)");
        assert_eq!(shown("%#U|%#U", &[Data::Int(0x41), Data::Int(2)]), "U+0041 'A'|U+0002");
    }

    #[test]
    fn the_result_is_bounded() {
        assert!(printf(b"%999999d", &[Data::Int(1)], 1000).is_err());
    }
}
