//! `math.pow` and `math.sqrt`. Functions spec, 7.12 and 15.2.

use super::exp::exp;
use crate::corelib::{Example, FnDef, FnError, Run, Shape, Sig};
use crate::value::Value;

pub(super) static DEF: FnDef = FnDef {
    path: "math.pow",
    sig: Sig::Fixed("func(x float, y float) float"),
    doc: "Returns `x` to the power of `y`.\n\nA result that is `NaN` or infinite is an error, which `<|>` can catch.",
    examples: &[
        Example { call: "math.pow(2.0, 10.0)", gives: "1024" },
        Example { call: "math.pow(1.1, 10.0)", gives: "2.593742460100002" },
        Example { call: "math.pow(2.0, 0.5) == math.sqrt(2.0)", gives: "true" },
        Example { call: "math.pow(-8.0, 0.5)", gives: "error: result is not a number" },
        Example { call: "math.pow(10.0, 400.0)", gives: "error: result is positive infinity" },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|args| finite(pow(args.float(0)?, args.float(1)?))),
};

pub(super) static SQRT: FnDef = FnDef {
    path: "math.sqrt",
    sig: Sig::Fixed("func(x float) float"),
    doc: "Returns the square root of `x`.\n\nA result that is `NaN` is an error, which `<|>` can catch.",
    examples: &[
        Example { call: "math.sqrt(2.25)", gives: "1.5" },
        Example { call: "math.sqrt(-0.0)", gives: "-0" },
        Example { call: "math.sqrt(-1.0)", gives: "error: result is not a number" },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|args| finite(args.float(0)?.sqrt())),
};

fn finite(result: f64) -> Result<Value, FnError> {
    if result.is_nan() {
        Err(FnError::catchable("result is not a number"))
    } else if result == f64::INFINITY {
        Err(FnError::catchable("result is positive infinity"))
    } else if result == f64::NEG_INFINITY {
        Err(FnError::catchable("result is negative infinity"))
    } else {
        Ok(Value::Float(result))
    }
}

/// A power as the reference computes it: by repeated squaring, whose last digit differs from the C library's in more
/// than half of all results with an integer exponent.
pub(crate) fn pow(x: f64, y: f64) -> f64 {
    if y == 0.0 || x == 1.0 || y == 1.0 {
        return if y == 1.0 { x } else { 1.0 };
    }
    if y.abs() == 0.5 && x.is_finite() && x != 0.0 {
        return if y > 0.0 { x.sqrt() } else { 1.0 / x.sqrt() };
    }
    // The special cases of zero, infinity and NaN are those of C.
    if x == 0.0 || !x.is_finite() || !y.is_finite() {
        return libm::pow(x, y);
    }
    let (mut whole, mut fraction) = (y.abs().trunc(), y.abs().fract());
    if fraction != 0.0 && x < 0.0 {
        return f64::NAN;
    }
    if whole >= 9.223_372_036_854_776e18 {
        return libm::pow(x, y);
    }
    let mut result = 1.0;
    if fraction != 0.0 {
        if fraction > 0.5 {
            fraction -= 1.0;
            whole += 1.0;
        }
        result = exp(fraction * libm::log(x));
    }
    let (mut mantissa, mut exponent) = split(x);
    let mut sum: i64 = 0;
    let mut bits = whole as i64;
    while bits != 0 {
        // Far out of range already; avoid overflow of the sum.
        if !(-(1 << 12)..1 << 12).contains(&exponent) {
            sum += exponent;
            break;
        }
        if bits & 1 == 1 {
            result *= mantissa;
            sum += exponent;
        }
        mantissa *= mantissa;
        exponent <<= 1;
        if mantissa < 0.5 {
            mantissa += mantissa;
            exponent -= 1;
        }
        bits >>= 1;
    }
    if y < 0.0 {
        result = 1.0 / result;
        sum = -sum;
    }
    scale(result, sum)
}

/// `x` as a mantissa in [0.5, 1), and a power of two.
fn split(x: f64) -> (f64, i64) {
    const UP: f64 = (1u64 << 54) as f64;
    let (x, shifted) = if x.abs() < f64::MIN_POSITIVE { (x * UP, -54) } else { (x, 0) };
    let bits = x.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i64 - 1022;
    (f64::from_bits(bits & !(0x7ff << 52) | 1022 << 52), exponent + shifted)
}

/// `x * 2^exponent`, rounded once.
pub(crate) fn scale(x: f64, exponent: i64) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    let (mantissa, own) = split(x);
    let exponent = own + exponent;
    match exponent {
        1025.. => f64::INFINITY.copysign(x),
        -1021..1025 => mantissa * 2.0 * power_of_two(exponent - 1),
        -1080..-1021 => mantissa * power_of_two(exponent + 100) * power_of_two(-100),
        _ => 0f64.copysign(x),
    }
}

/// `2^exponent` for a normal result.
fn power_of_two(exponent: i64) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_digits_are_those_of_repeated_squaring() {
        assert_eq!(pow(1.1, 10.0), 2.593742460100002);
        assert_eq!(pow(0.9, -13.0), 3.9341179571912748);
        assert_eq!(pow(1.01, 365.0), 37.78343433288732);
        assert_eq!(pow(2.0, -1074.0), 5e-324);
        assert_eq!(pow(2.0, 1023.0), f64::from_bits(2046 << 52));
    }

    #[test]
    fn special_cases() {
        assert_eq!(pow(-1.0, f64::INFINITY), 1.0);
        assert_eq!(pow(1.0, f64::NAN), 1.0);
        assert_eq!(pow(-0.0, -3.0), f64::NEG_INFINITY);
        assert!(pow(-8.0, 0.5).is_nan());
        assert_eq!(pow(-2.0, 3.0), -8.0);
        assert_eq!(pow(10.0, 400.0), f64::INFINITY);
        assert_eq!(pow(10.0, -400.0), 0.0);
    }
}
