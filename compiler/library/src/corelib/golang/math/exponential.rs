//! Powers, roots and logarithms.

use super::{of, of_two};
use crate::corelib::golang::go_functions;
use crate::corelib::math::exp::exp;
use crate::corelib::math::power::pow;
use crate::value::Value;

go_functions! {
    CBRT "golang/math.cbrt" "func(x float) float" "Returns the cube root of `x`."
    ["math.cbrt(27.0)" => "3", "math.cbrt(-8.0)" => "-2", "math.cbrt(-0.0)" => "-0"]
    |args| of(args, libm::cbrt);

    EXP "golang/math.exp" "func(x float) float" "Returns e to the power of `x`."
    ["math.exp(0.0)" => "1", "math.exp(1.0)" => "2.718281828459045", "math.exp(1000.0)" => "+Inf"]
    |args| of(args, exp);

    EXP_2 "golang/math.exp_2" "func(x float) float" "Returns 2 to the power of `x`."
    ["math.exp_2(10.0)" => "1024", "math.exp_2(-1.0)" => "0.5", "math.exp_2(2000.0)" => "+Inf"]
    |args| of(args, libm::exp2);

    EXPM_1 "golang/math.expm_1" "func(x float) float" "Returns e to the power of `x`, minus 1; accurate near 0."
    ["math.expm_1(0.0)" => "0", "math.expm_1(math.inf(-1))" => "-1", "math.expm_1(1000.0)" => "+Inf"]
    |args| of(args, libm::expm1);

    LOG "golang/math.log" "func(x float) float" "Returns the natural logarithm of `x`; -Inf at 0, `NaN` below."
    ["math.log(1.0)" => "0", "math.log(0.0)" => "-Inf", "math.log(-1.0)" => "NaN"]
    |args| of(args, libm::log);

    LOG_10 "golang/math.log_10" "func(x float) float" "Returns the decimal logarithm of `x`; -Inf at 0, `NaN` below."
    ["math.log_10(100.0)" => "2", "math.log_10(0.0)" => "-Inf", "math.log_10(-1.0)" => "NaN"]
    |args| of(args, |x| libm::log(x) * std::f64::consts::LOG10_E);

    LOG_1_P "golang/math.log_1_p" "func(x float) float" "Returns the natural logarithm of 1 + `x`; accurate near 0."
    ["math.log_1_p(0.0)" => "0", "math.log_1_p(-1.0)" => "-Inf", "math.log_1_p(-2.0)" => "NaN"]
    |args| of(args, libm::log1p);

    LOG_2 "golang/math.log_2" "func(x float) float" "Returns the binary logarithm of `x`; exact for powers of two."
    ["math.log_2(1024.0)" => "10", "math.log_2(0.125)" => "-3", "math.log_2(0.0)" => "-Inf"]
    |args| of(args, log2);

    POW "golang/math.pow" "func(x float, y float) float" "Returns `x` to the power of `y`; never an error: the result \
                                                          may be `NaN` or infinite."
    ["math.pow(2.0, 10.0)" => "1024", "math.pow(1.1, 10.0)" => "2.593742460100002", "math.pow(0.0, -1.0)" => "+Inf", "math.pow(-8.0, 0.5)" => "NaN"]
    |args| of_two(args, pow);

    POW_10 "golang/math.pow_10" "func(n int) float" "Returns 10 to the power of `n`; 0 below -323, +Inf above 308."
    ["math.pow_10(3)" => "1000", "math.pow_10(-2)" => "0.01", "math.pow_10(309)" => "+Inf", "math.pow_10(-324)" => "0", "math.pow_10(-29)" => "0.000000000000000000000000000010000000000000001"]
    |args| Ok(Value::Float(pow_10(args.int(0)?)));

    SQRT "golang/math.sqrt" "func(x float) float" "Returns the square root of `x`; `NaN` below 0."
    ["math.sqrt(2.25)" => "1.5", "math.sqrt(-0.0)" => "-0", "math.sqrt(-1.0)" => "NaN"]
    |args| of(args, libm::sqrt);
}

/// From two tables, of every 32nd power and of those between: the last digit may be off.
fn pow_10(n: i64) -> f64 {
    let power = |n: i64| format!("1e{n}").parse().unwrap_or(f64::NAN);
    match n {
        309.. => f64::INFINITY,
        0.. => power(n / 32 * 32) * power(n % 32),
        -323.. => power(n / 32 * 32) / power(-n % 32),
        _ => 0.0,
    }
}

/// The exponent is split off first, so that powers of two are exact.
fn log2(x: f64) -> f64 {
    if x <= 0.0 || !x.is_finite() {
        return libm::log2(x);
    }
    let (fraction, exponent) = libm::frexp(x);
    if fraction == 0.5 {
        return f64::from(exponent - 1);
    }
    libm::log(fraction) * (1.0 / std::f64::consts::LN_2) + f64::from(exponent)
}
