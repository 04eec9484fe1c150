//! Floats under a format specification, digit for digit as in CPython.

use super::{Spec, SpecError};
use crate::value::shortest;

impl Spec {
    pub(super) fn float(&self, float: f64, object: &str) -> Result<String, SpecError> {
        let kind = match self.kind {
            None => None,
            Some(kind @ ('e' | 'E' | 'f' | 'F' | 'g' | 'G' | '%')) => Some(kind),
            Some('n') => Some('g'),
            Some(kind) => return self.unknown_code(kind, object),
        };
        let scaled = if kind == Some('%') { float * 100.0 } else { float };
        let magnitude = scaled.abs();
        let body = match kind {
            _ if !magnitude.is_finite() => {
                if magnitude.is_nan() {
                    "nan".into()
                } else {
                    "inf".into()
                }
            }
            None => self.general(magnitude, self.precision, true),
            Some('g' | 'G') => self.general(magnitude, Some(self.precision.unwrap_or(6)), false),
            Some('e' | 'E') => scientific(magnitude, self.precision.unwrap_or(6), self.alternate),
            Some(_) => fixed(magnitude, self.precision.unwrap_or(6), self.alternate),
        };
        let body = if matches!(kind, Some('E' | 'G' | 'F')) { body.to_uppercase() } else { body };
        let is_zero = body.bytes().all(|byte| matches!(byte, b'0' | b'.' | b'e' | b'+'));
        let is_negative = scaled.is_sign_negative() && !(self.no_negative_zero && is_zero) && !scaled.is_nan();
        let end = body.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(body.len());
        let (whole, rest) = body.split_at(end);
        let percent = if kind == Some('%') { "%" } else { "" };
        Ok(self.number(self.sign_text(is_negative), whole, &format!("{rest}{percent}"), 3))
    }

    /// `g`, and no type at all, which is similar but keeps a fraction and all necessary digits.
    fn general(&self, float: f64, precision: Option<usize>, is_plain: bool) -> String {
        let (digits, exponent, limit) = match precision {
            None => {
                let (digits, exponent) = shortest(float);
                (digits, exponent, 16)
            }
            Some(precision) => {
                let precision = precision.max(1);
                let (mantissa, exponent) = mantissa(float, precision - 1);
                (mantissa.replace('.', ""), exponent, precision as i32)
            }
        };
        let limit = if is_plain && precision.is_some() { limit - 1 } else { limit };
        let digits = if self.alternate { digits } else { trimmed(&digits) };
        if exponent < -4 || exponent >= limit {
            let (first, rest) = digits.split_at(1);
            let point = if rest.is_empty() && !self.alternate { "" } else { "." };
            return format!("{first}{point}{rest}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs());
        }
        let mut text = if exponent < 0 {
            format!("0.{}{digits}", "0".repeat(exponent.unsigned_abs() as usize - 1))
        } else {
            let whole = exponent as usize + 1;
            if digits.len() <= whole {
                format!("{digits}{}", "0".repeat(whole - digits.len()))
            } else {
                format!("{}.{}", &digits[..whole], &digits[whole..])
            }
        };
        if !text.contains('.') {
            match (is_plain, self.alternate) {
                (true, _) => text.push_str(".0"),
                (false, true) => text.push('.'),
                (false, false) => {}
            }
        }
        text
    }
}

fn trimmed(digits: &str) -> String {
    let short = digits.trim_end_matches('0');
    if short.is_empty() { "0".into() } else { short.into() }
}

fn scientific(float: f64, precision: usize, alternate: bool) -> String {
    let (mantissa, exponent) = mantissa(float, precision);
    let point = if alternate && precision == 0 { "." } else { "" };
    format!("{mantissa}{point}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}

fn fixed(float: f64, precision: usize, alternate: bool) -> String {
    let point = if alternate && precision == 0 { "." } else { "" };
    let digits = precision.min(MAX_DIGITS);
    format!("{float:.digits$}{}{point}", "0".repeat(precision - digits))
}

/// The maximum number of non-zero digits after the point of a float: those of the smallest one. The standard library's
/// formatting panics above 65535 digits.
const MAX_DIGITS: usize = 1_100;

/// The digits of a float, one before the point and `precision` after it, and its exponent.
fn mantissa(float: f64, precision: usize) -> (String, i32) {
    let digits = precision.min(MAX_DIGITS);
    let text = format!("{float:.digits$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    (format!("{mantissa}{}", "0".repeat(precision - digits)), exponent.parse().unwrap_or(0))
}
