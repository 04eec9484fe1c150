//! The exponential function, correct almost to the last digit, the same natively and in wasm.

use super::power::scale;

/// The two parts of ln 2: the upper one has so few digits that its multiples are exact.
const LN_2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// e to the power of `x`.
///
/// Source: the usual reduction to `2^k * e^r` with `|r| <= ln 2 / 2`, and a series for `e^r - 1 - r` that is added
/// last, so its error hardly matters.
pub(crate) fn exp(x: f64) -> f64 {
    if x.is_nan() || x > 709.8 {
        return x + f64::INFINITY;
    }
    if x < -745.2 {
        return 0.0;
    }
    let k = (x * std::f64::consts::LOG2_E).round();
    let (high, low) = (x - k * LN_2_HIGH, k * LN_2_LOW);
    let r = high - low;
    // The rounding error of the subtraction.
    let lost = (high - r) - low;
    let mut series = 0.0;
    for divisor in (3..=14).rev() {
        series = (series + 1.0) * r / f64::from(divisor);
    }
    let rest = r * r * 0.5 * (1.0 + series) + lost * (1.0 + r);
    let sum = 1.0 + r;
    scale(sum + ((r - (sum - 1.0)) + rest), k as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        assert_eq!(exp(0.0), 1.0);
        assert_eq!(exp(1.0), std::f64::consts::E);
        assert_eq!(exp(-1.0), 0.36787944117144233);
        assert_eq!(exp(10.0), 22026.465794806718);
        assert_eq!(exp(709.782712893384), 1.797_693_134_862_273_2e308);
        assert_eq!(exp(-745.13), 5e-324);
        assert_eq!(exp(710.0), f64::INFINITY);
        assert_eq!(exp(f64::NEG_INFINITY), 0.0);
        assert!(exp(f64::NAN).is_nan());
    }
}
