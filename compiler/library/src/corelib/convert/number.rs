//! Numbers from text, by Go's rules. Functions spec, 15.1 and 15.2.

use crate::corelib::FnError;
use crate::corelib::math::power::scale;
use crate::value::quote;

/// Why a text is not a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NumberError {
    Syntax,
    Range,
}

/// The error that names the text: `strconv.ParseInt: parsing "x": invalid syntax`.
pub(crate) fn refused(function: &str, text: &[u8], why: NumberError) -> FnError {
    let why = match why {
        NumberError::Syntax => "invalid syntax",
        NumberError::Range => "value out of range",
    };
    let message = format!("strconv.{function}: parsing {}: {why}", quote(text));
    FnError { said: in_words(function, text, why), ..FnError::catchable(message) }
}

/// Go's text about a number or a bool, in the words of the language. `None` if it is about something else.
pub(crate) fn in_words(function: &str, text: &[u8], why: &str) -> Option<String> {
    let text = quote(text);
    let noun = match function {
        "ParseBool" => "a bool",
        "ParseFloat" => "a number",
        _ => "an integer",
    };
    match why {
        "invalid syntax" => Some(format!("{text} is not {noun}")),
        "value out of range" => Some(format!("{text} is out of range")),
        _ => None,
    }
}

/// A decimal int: an optional sign and ASCII digits. The first problem from the left is reported.
pub(crate) fn parse_int(text: &[u8]) -> Result<i64, NumberError> {
    let (is_negative, digits) = signed(text);
    if digits.is_empty() {
        return Err(NumberError::Syntax);
    }
    let mut value: u64 = 0;
    for byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return Err(NumberError::Syntax);
        }
        // Go reads 64 bits before it looks at the sign.
        value =
            value.checked_mul(10).and_then(|value| value.checked_add(u64::from(digit))).ok_or(NumberError::Range)?;
    }
    let value = if is_negative { -i128::from(value) } else { i128::from(value) };
    i64::try_from(value).map_err(|_| NumberError::Range)
}

fn signed(text: &[u8]) -> (bool, &[u8]) {
    match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    }
}

/// A float: decimal or hexadecimal digits with single underscores between them, `inf`,
/// `infinity` or an unsigned `nan` in any case.
pub(crate) fn parse_float(text: &[u8]) -> Result<f64, NumberError> {
    rounded(text, Width::Double)
}

/// The same, rounded once to single precision and in its range.
pub(crate) fn parse_single(text: &[u8]) -> Result<f64, NumberError> {
    rounded(text, Width::Single)
}

#[derive(Clone, Copy)]
enum Width {
    Single,
    Double,
}

fn rounded(text: &[u8], width: Width) -> Result<f64, NumberError> {
    let (is_negative, rest) = signed(text);
    let sign = if is_negative { -1.0 } else { 1.0 };
    let is_word = |word: &str| rest.eq_ignore_ascii_case(word.as_bytes());
    if is_word("inf") || is_word("infinity") {
        return Ok(sign * f64::INFINITY);
    }
    if text.eq_ignore_ascii_case(b"nan") {
        return Ok(f64::NAN);
    }
    let value = match rest {
        [b'0', b'x' | b'X', rest @ ..] => hexadecimal(rest, width)?,
        _ => decimal(rest, width)?,
    };
    if value.is_infinite() { Err(NumberError::Range) } else { Ok(sign * value) }
}

/// The parts of an unsigned float: digits before and after the point, and the exponent.
struct Parts {
    whole: Vec<u8>,
    fraction: Vec<u8>,
    exponent: Option<String>,
}

fn parts(text: &[u8], is_digit: fn(&u8) -> bool, mark: u8, after_prefix: bool) -> Result<Parts, NumberError> {
    for (at, _) in text.iter().enumerate().filter(|(_, byte)| **byte == b'_') {
        let left = at.checked_sub(1).map_or(after_prefix, |left| is_digit(&text[left]));
        if !left || !text.get(at + 1).is_some_and(is_digit) {
            return Err(NumberError::Syntax);
        }
    }
    let (digits, exponent) = match text.iter().position(|byte| byte.eq_ignore_ascii_case(&mark)) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    };
    let (whole, fraction) = match digits.iter().position(|byte| *byte == b'.') {
        Some(at) => (&digits[..at], &digits[at + 1..]),
        None => (digits, &digits[..0]),
    };
    let clean = |digits: &[u8]| digits.iter().copied().filter(|byte| *byte != b'_').collect::<Vec<u8>>();
    let (whole, fraction) = (clean(whole), clean(fraction));
    if whole.len() + fraction.len() == 0 || !whole.iter().chain(&fraction).all(is_digit) {
        return Err(NumberError::Syntax);
    }
    let exponent = exponent.map(|exponent| {
        let exponent = clean(exponent);
        let digits = signed(&exponent).1;
        let is_fine = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
        if is_fine { String::from_utf8(exponent).map_err(|_| NumberError::Syntax) } else { Err(NumberError::Syntax) }
    });
    Ok(Parts { whole, fraction, exponent: exponent.transpose()? })
}

fn decimal(text: &[u8], width: Width) -> Result<f64, NumberError> {
    let parts = parts(text, u8::is_ascii_digit, b'e', false)?;
    let digits = |digits: Vec<u8>| String::from_utf8(digits).map_err(|_| NumberError::Syntax);
    let exponent = parts.exponent.unwrap_or_else(|| "0".into());
    let text = format!("0{}.{}0e{exponent}", digits(parts.whole)?, digits(parts.fraction)?);
    match width {
        // Going through a double would round twice.
        Width::Single => text.parse::<f32>().map(f64::from),
        Width::Double => text.parse(),
    }
    .map_err(|_| NumberError::Syntax)
}

fn hexadecimal(text: &[u8], width: Width) -> Result<f64, NumberError> {
    let parts = parts(text, u8::is_ascii_hexdigit, b'p', true)?;
    let exponent = parts.exponent.ok_or(NumberError::Syntax)?;
    // Beyond this every result is 0 or infinite, whatever the digits.
    let limit = 1 << 40;
    let exponent = exponent.parse::<i64>().unwrap_or(if exponent.starts_with('-') { -limit } else { limit });
    let mut exponent = exponent.clamp(-limit, limit) - 4 * parts.fraction.len() as i64;
    let mut mantissa: u64 = 0;
    for byte in parts.whole.iter().chain(&parts.fraction) {
        let digit = u64::from(char::from(*byte).to_digit(16).unwrap_or_default());
        if mantissa >> 60 == 0 {
            mantissa = mantissa << 4 | digit;
        } else {
            // Digits that no longer fit only matter for which side of a half the number is on.
            mantissa |= u64::from(digit != 0);
            exponent += 4;
        }
    }
    if mantissa == 0 {
        return Ok(0.0);
    }
    exponent -= i64::from(mantissa.leading_zeros());
    mantissa <<= mantissa.leading_zeros();
    // Subnormal numbers have fewer digits: round once, to the available ones.
    let (most, least, greatest) = match width {
        Width::Single => (24, 126, f64::from(f32::MAX)),
        Width::Double => (53, 1022, f64::MAX),
    };
    let n_bits = most + (exponent + 63 + least).min(0);
    if n_bits < 0 {
        return Ok(0.0);
    }
    let dropped = (64 - n_bits) as u32;
    let wide = u128::from(mantissa);
    let (kept, rest, half) = (wide >> dropped, wide & ((1 << dropped) - 1), 1u128 << (dropped - 1));
    let kept = kept + u128::from(rest > half || rest == half && kept & 1 == 1);
    let value = scale(kept as f64, exponent + i64::from(dropped));
    Ok(if value > greatest { f64::INFINITY } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats() {
        let fine: &[(&str, f64)] = &[
            (".5", 0.5),
            ("5.", 5.0),
            ("+1E+3", 1000.0),
            ("1_000.000_1", 1000.0001),
            ("1e1_0", 1e10),
            ("0X1.8P1", 3.0),
            ("0x.8p1", 1.0),
            ("0x_1p0", 1.0),
            ("1e-400", 0.0),
            ("3e-324", 5e-324),
            ("2e-324", 0.0),
            ("0x1p-1074", 5e-324),
            ("0x1.fffffffffffffp1023", f64::MAX),
            ("0x1p-1076", 0.0),
            ("0x0.00000000000008p-1022", 0.0),
            ("0x0.0000000000000801p-1022", 5e-324),
        ];
        for (text, value) in fine {
            assert_eq!(parse_float(text.as_bytes()), Ok(*value), "{text}");
        }
        for text in [
            "", ".", "+", " 1", "1 ", "1e", "1e+", "e1", "_1", "1_", "1__0", "1_.5", "1._5", "0x10", "0x1p", "0xp1",
            "0b1", "0o7", "-nan", "+nan", "infin", "1f", "1,5", "٣",
        ] {
            assert_eq!(parse_float(text.as_bytes()), Err(NumberError::Syntax), "{text}");
        }
        for text in ["1e400", "0x1p1024", "1.7976931348623159e308", "0x1.fffffffffffff8p1023"] {
            assert_eq!(parse_float(text.as_bytes()), Err(NumberError::Range), "{text}");
        }
        assert!(parse_float(b"-1e-400").is_ok_and(|zero| zero.is_sign_negative()));
    }

    #[test]
    fn single_precision_is_rounded_once() {
        let greatest = f64::from(f32::MAX);
        let fine: &[(&str, f64)] = &[
            ("340282356779733661637539395458142568447", greatest),
            ("0x1.fffffefffffffffp127", greatest),
            ("0x1.000001000000001p0", 1.0 + f64::from(f32::EPSILON)),
            ("0x1.000001p0", 1.0),
            ("1e-46", 0.0),
            ("0x1p-149", f64::from(f32::from_bits(1))),
        ];
        for (text, value) in fine {
            assert_eq!(parse_single(text.as_bytes()), Ok(*value), "{text}");
        }
        for text in ["340282356779733661637539395458142568448", "0x1.ffffffp127", "1e39"] {
            assert_eq!(parse_single(text.as_bytes()), Err(NumberError::Range), "{text}");
        }
    }

    #[test]
    fn ints() {
        assert_eq!(parse_int(b"-9223372036854775808"), Ok(i64::MIN));
        assert_eq!(parse_int(b"9223372036854775808"), Err(NumberError::Range));
        for text in ["", "+", " 1", "1_000", "1.0", "x"] {
            assert_eq!(parse_int(text.as_bytes()), Err(NumberError::Syntax), "{text}");
        }
    }
}
