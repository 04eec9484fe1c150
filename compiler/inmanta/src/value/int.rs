//! [`Int`]: a whole number of any size; small ones need no allocation.

use num_bigint::BigInt;
use num_traits::{FromPrimitive, Signed, ToPrimitive, Zero};
use std::cmp::Ordering;
use std::sync::Arc;

/// A whole number.
#[derive(Clone, Debug)]
pub enum Int {
    /// A 64-bit number.
    Small(i64),
    /// A number that does not fit in 64 bits.
    Big(Arc<BigInt>),
}

/// Why a computation has no result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoResult {
    /// Division by zero.
    DivisionByZero,
    /// The result exceeds the limit.
    TooLarge,
    /// A root of a negative number.
    NotReal,
    /// Infinity less infinity, and the like.
    NotANumber,
}

impl From<i64> for Int {
    fn from(value: i64) -> Int {
        Int::Small(value)
    }
}

impl From<BigInt> for Int {
    fn from(value: BigInt) -> Int {
        value.to_i64().map_or_else(|| Int::Big(Arc::new(value)), Int::Small)
    }
}

impl Int {
    /// The maximum number of bits of a number: a program must not make a host compute for hours.
    pub const MAX_BITS: u64 = 1 << 17;

    /// The maximum number of digits that Python reads as a decimal number: this takes the longer for each digit the
    /// more there are.
    pub const MAX_READ: usize = 4300;

    /// Parses a decimal number with an optional sign.
    pub fn parse(text: &str) -> Option<Int> {
        if let Ok(small) = text.parse::<i64>() {
            return Some(Int::Small(small));
        }
        if text.trim_start_matches(['-', '+']).len() > Int::MAX_READ {
            return None;
        }
        text.parse::<BigInt>().ok().map(Int::from)
    }

    fn big(&self) -> BigInt {
        match self {
            Int::Small(small) => BigInt::from(*small),
            Int::Big(big) => (**big).clone(),
        }
    }

    /// The approximate number of decimal digits.
    pub fn n_digits(&self) -> u64 {
        match self {
            Int::Small(_) => 0,
            Int::Big(big) => big.bits() / 3,
        }
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        matches!(self, Int::Small(0))
    }

    /// Whether it is negative.
    pub fn is_negative(&self) -> bool {
        match self {
            Int::Small(small) => *small < 0,
            Int::Big(big) => big.is_negative(),
        }
    }

    /// As a 64-bit number, if it fits.
    pub fn to_i64(&self) -> Option<i64> {
        if let Int::Small(small) = self { Some(*small) } else { None }
    }

    /// The nearest float; `None` if it is too large.
    pub fn to_f64(&self) -> Option<f64> {
        match self {
            Int::Small(small) => Some(*small as f64),
            Int::Big(big) => big.to_f64().filter(|float| float.is_finite()),
        }
    }

    /// The integral part of a float.
    pub fn of_float(float: f64) -> Option<Int> {
        BigInt::from_f64(libm::trunc(float)).map(Int::from)
    }

    fn checked(value: BigInt) -> Result<Int, NoResult> {
        if value.bits() > Int::MAX_BITS { Err(NoResult::TooLarge) } else { Ok(Int::from(value)) }
    }

    /// The sum.
    pub fn add(&self, other: &Int) -> Result<Int, NoResult> {
        match (self, other) {
            (Int::Small(a), Int::Small(b)) if a.checked_add(*b).is_some() => Ok(Int::Small(a + b)),
            (a, b) => Int::checked(a.big() + b.big()),
        }
    }

    /// The difference.
    pub fn sub(&self, other: &Int) -> Result<Int, NoResult> {
        match (self, other) {
            (Int::Small(a), Int::Small(b)) if a.checked_sub(*b).is_some() => Ok(Int::Small(a - b)),
            (a, b) => Int::checked(a.big() - b.big()),
        }
    }

    /// The product.
    pub fn mul(&self, other: &Int) -> Result<Int, NoResult> {
        match (self, other) {
            (Int::Small(a), Int::Small(b)) if a.checked_mul(*b).is_some() => Ok(Int::Small(a * b)),
            (a, b) => Int::checked(a.big() * b.big()),
        }
    }

    /// The remainder of floor division: it has the sign of the divisor.
    pub fn modulo(&self, other: &Int) -> Result<Int, NoResult> {
        if other.is_zero() {
            return Err(NoResult::DivisionByZero);
        }
        let (a, b) = (self.big(), other.big());
        let rest = &a % &b;
        Ok(Int::from(if !rest.is_zero() && rest.is_negative() != b.is_negative() { rest + b } else { rest }))
    }

    /// Floor division: the quotient, rounded down.
    pub fn floor_divide(&self, other: &Int) -> Result<Int, NoResult> {
        let rest = self.modulo(other)?;
        Ok(Int::from((self.big() - rest.big()) / other.big()))
    }

    /// The power with a non-negative exponent.
    pub fn power(&self, exponent: &Int) -> Result<Int, NoResult> {
        match self {
            Int::Small(base @ (0 | 1)) => return Ok(Int::Small(if exponent.is_zero() { 1 } else { *base })),
            Int::Small(-1) => {
                let is_even = exponent.modulo(&Int::Small(2))?.is_zero();
                return Ok(Int::Small(if is_even { 1 } else { -1 }));
            }
            Int::Small(_) | Int::Big(_) => {}
        }
        let base = self.big();
        let exponent = exponent.to_i64().and_then(|exponent| u32::try_from(exponent).ok());
        let exponent = exponent.ok_or(NoResult::TooLarge)?;
        if base.bits().saturating_mul(u64::from(exponent)) > Int::MAX_BITS {
            return Err(NoResult::TooLarge);
        }
        Ok(Int::from(base.pow(exponent)))
    }

    /// True division: the float nearest to the quotient.
    pub fn divide(&self, other: &Int) -> Result<f64, NoResult> {
        if other.is_zero() {
            return Err(NoResult::DivisionByZero);
        }
        let is_exact = |int: i64| int.unsigned_abs() <= 1 << f64::MANTISSA_DIGITS;
        match (self, other) {
            (Int::Small(a), Int::Small(b)) if is_exact(*a) && is_exact(*b) => Ok(*a as f64 / *b as f64),
            (a, b) => quotient(&a.big(), &b.big()),
        }
    }

    /// The text in this base, from 2 to 16, with a minus sign if negative.
    pub fn to_radix(&self, radix: u32) -> String {
        self.big().to_str_radix(radix)
    }
}

/// The float nearest to the quotient of numbers that are not floats themselves, rounded once.
fn quotient(a: &BigInt, b: &BigInt) -> Result<f64, NoResult> {
    // So many bits, or one more, of which the last also stands for the rest.
    const BITS: i64 = 61;
    let is_negative = a.is_negative() != b.is_negative();
    let (a, b) = (a.abs(), b.abs());
    let shift = BITS + b.bits() as i64 - a.bits() as i64;
    let by = shift.unsigned_abs();
    let (a, b) = if shift < 0 { (a, b << by) } else { (a << by, b) };
    let (whole, rest) = (&a / &b, &a % &b);
    let bits = whole.to_u64().ok_or(NoResult::TooLarge)? | u64::from(!rest.is_zero());
    let result = libm::ldexp(bits as f64, i32::try_from(-shift).map_err(|_| NoResult::TooLarge)?);
    match is_negative {
        _ if !result.is_finite() => Err(NoResult::TooLarge),
        true => Ok(-result),
        false => Ok(result),
    }
}

impl PartialEq for Int {
    fn eq(&self, other: &Int) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Int {}

impl PartialOrd for Int {
    fn partial_cmp(&self, other: &Int) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Int {
    fn cmp(&self, other: &Int) -> Ordering {
        match (self, other) {
            (Int::Small(a), Int::Small(b)) => a.cmp(b),
            (Int::Big(a), Int::Big(b)) => a.cmp(b),
            // A big number is beyond every small one.
            (Int::Small(_), Int::Big(big)) if big.is_negative() => Ordering::Greater,
            (Int::Small(_), Int::Big(_)) => Ordering::Less,
            (Int::Big(big), Int::Small(_)) if big.is_negative() => Ordering::Less,
            (Int::Big(_), Int::Small(_)) => Ordering::Greater,
        }
    }
}

impl std::fmt::Display for Int {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Int::Small(small) => write!(f, "{small}"),
            Int::Big(big) => write!(f, "{big}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(text: &str) -> Int {
        Int::parse(text).expect("a number")
    }

    #[test]
    fn grows_beyond_64_bits_and_back() {
        let big = int("9223372036854775807").add(&int("1")).expect("fits");
        assert_eq!(big.to_string(), "9223372036854775808");
        assert!(matches!(big.sub(&int("1")), Ok(Int::Small(i64::MAX))));
        assert_eq!(int("2").power(&int("100")).expect("fits").to_string(), "1267650600228229401496703205376");
        assert_eq!(int("2").power(&int("1000000")), Err(NoResult::TooLarge));
        let nines = |n: usize| Int::parse(&format!("-{}", "9".repeat(n)));
        assert!(nines(Int::MAX_READ).is_some() && nines(Int::MAX_READ + 1).is_none());
    }

    #[test]
    fn remainders_follow_the_divisor() {
        let modulo = |a: &str, b: &str| int(a).modulo(&int(b)).expect("not zero").to_string();
        assert_eq!((modulo("-7", "3"), modulo("7", "-3")), ("2".into(), "-2".into()));
        assert_eq!(int("1").modulo(&int("0")), Err(NoResult::DivisionByZero));
        let floor = |a: &str, b: &str| int(a).floor_divide(&int(b)).expect("not zero").to_string();
        assert_eq!((floor("-7", "3"), floor("7", "-3")), ("-3".into(), "-3".into()));
        assert_eq!(floor("-9223372036854775808", "-1"), "9223372036854775808");
        assert_eq!(int("1").floor_divide(&int("0")), Err(NoResult::DivisionByZero));
    }

    #[test]
    fn a_power_of_minus_one_needs_no_exponent_of_a_size() {
        let power = |exponent: &str| int("-1").power(&int(exponent)).expect("fits").to_string();
        assert_eq!((power("9223372036854775808"), power("9223372036854775809")), ("1".into(), "-1".into()));
    }

    #[test]
    fn a_quotient_is_rounded_once() {
        let divided = |a: &str, b: &str| int(a).divide(&int(b));
        assert_eq!(divided("9007199254740993", "3"), Ok(3_002_399_751_580_331.0));
        assert_eq!(divided("-7", "2"), Ok(-3.5));
        let ten = |exponent: &str| int("10").power(&int(exponent)).expect("fits");
        assert_eq!(ten("400").divide(&ten("399")), Ok(10.0));
        assert_eq!(ten("20").divide(&int("-3")), Ok(-3.333_333_333_333_333e19));
        assert_eq!(int("0").divide(&ten("20")), Ok(0.0));
        assert_eq!(ten("400").divide(&int("3")), Err(NoResult::TooLarge));
        assert_eq!(int("1").divide(&int("0")), Err(NoResult::DivisionByZero));
    }
}
