//! Ints in any base, by Go's `ParseInt` and `FormatInt`. Functions spec, 15.1.

/// Why a text is not an int of that width.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::corelib::golang) enum IntError {
    Syntax,
    Range,
    Base(i64),
    Bits(i64),
}

/// Checked in this order: empty text, base, width, digits, range.
pub(in crate::corelib::golang) fn parse(text: &[u8], base: i64, bits: i64) -> Result<i64, IntError> {
    let (is_negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    if digits.is_empty() {
        return Err(IntError::Syntax);
    }
    let (radix, digits, free) = match base {
        0 => prefix(digits),
        2..=36 => (base as u64, digits, false),
        _ => return Err(IntError::Base(base)),
    };
    let bits = match bits {
        0 => 64,
        1..=64 => bits as u32,
        _ => return Err(IntError::Bits(bits)),
    };
    let value = match digits_value(digits, radix, base == 0, u64::MAX >> (64 - bits)) {
        // One bit holds 0 and -1, and everything below counts as -1.
        Err(IntError::Range) if bits == 1 && is_negative => return Ok(-1),
        value => value?,
    };
    if base == 0 && !underscores_fit(digits, free) {
        return Err(IntError::Syntax);
    }
    let limit = 1_u64 << (bits - 1);
    match (is_negative, value) {
        (false, value) if value < limit => Ok(value as i64),
        (true, value) if value <= limit => Ok((value as i64).wrapping_neg()),
        _ => Err(IntError::Range),
    }
}

/// An unsigned int of the widest range, with a prefix and underscores as for base 0.
pub(in crate::corelib::golang) fn parse_unsigned(text: &[u8]) -> Option<u64> {
    let (radix, digits, free) = prefix(text);
    let value = digits_value(digits, radix, true, u64::MAX).ok()?;
    underscores_fit(digits, free).then_some(value)
}

/// The base of a prefix, the digits after it, and whether there was one.
fn prefix(digits: &[u8]) -> (u64, &[u8], bool) {
    match digits {
        [b'0', b'x' | b'X', _, ..] => (16, &digits[2..], true),
        [b'0', b'o' | b'O', _, ..] => (8, &digits[2..], true),
        [b'0', b'b' | b'B', _, ..] => (2, &digits[2..], true),
        [b'0', ..] => (8, &digits[1..], true),
        _ => (10, digits, false),
    }
}

/// The first problem from the left is reported.
fn digits_value(digits: &[u8], radix: u64, underscores: bool, max: u64) -> Result<u64, IntError> {
    let mut value: u64 = 0;
    for byte in digits {
        if *byte == b'_' && underscores {
            continue;
        }
        let digit = char::from(*byte).to_digit(radix as u32).ok_or(IntError::Syntax)?;
        let next = value.checked_mul(radix).and_then(|value| value.checked_add(u64::from(digit)));
        value = next.filter(|next| *next <= max).ok_or(IntError::Range)?;
    }
    Ok(value)
}

/// Single ones between digits, or after a prefix.
fn underscores_fit(digits: &[u8], after_prefix: bool) -> bool {
    let mut before_is_digit = after_prefix;
    for (at, byte) in digits.iter().enumerate() {
        let is_digit = *byte != b'_';
        if !is_digit && (!before_is_digit || at + 1 == digits.len()) {
            return false;
        }
        before_is_digit = is_digit;
    }
    true
}

/// The digits of an int; `None` for a base outside 2 to 36.
pub(super) fn format(value: i64, base: i64) -> Option<String> {
    let radix = u64::try_from(base).ok().filter(|base| (2..=36).contains(base))?;
    let mut rest = value.unsigned_abs();
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit((rest % radix) as u32, radix as u32)?);
        rest /= radix;
        if rest == 0 {
            break;
        }
    }
    let sign = if value < 0 { "-" } else { "" };
    Some(sign.chars().chain(digits.into_iter().rev()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bases_and_widths() {
        for (text, base, bits, expect) in [
            ("0x_ff", 0, 0, Ok(255)),
            ("017", 0, 0, Ok(15)),
            ("0_7", 0, 0, Ok(7)),
            ("0", 0, 0, Ok(0)),
            ("09", 0, 0, Err(IntError::Syntax)),
            ("_1", 0, 0, Err(IntError::Syntax)),
            ("1__0", 0, 0, Err(IntError::Syntax)),
            ("1_", 0, 0, Err(IntError::Syntax)),
            ("1_0", 10, 0, Err(IntError::Syntax)),
            ("ZZ", 36, 0, Ok(1295)),
            ("-0x8000000000000000", 0, 64, Ok(i64::MIN)),
            ("99999999999999999999x", 10, 0, Err(IntError::Range)),
            ("1", 10, 1, Err(IntError::Range)),
            ("-1", 10, 1, Ok(-1)),
            ("-9x", 10, 1, Ok(-1)),
            ("300x", 10, 8, Err(IntError::Range)),
            ("200x", 10, 8, Err(IntError::Syntax)),
            ("", 99, 0, Err(IntError::Syntax)),
            ("1", 99, 0, Err(IntError::Base(99))),
            ("x", 10, 65, Err(IntError::Bits(65))),
        ] {
            assert_eq!(parse(text.as_bytes(), base, bits), expect, "{text}");
        }
        assert_eq!(format(i64::MIN, 2).map(|text| text.len()), Some(65));
    }
}
