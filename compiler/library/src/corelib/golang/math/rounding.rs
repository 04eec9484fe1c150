//! Rounding, remainders, minimum and maximum.

use super::{of, of_two};
use crate::corelib::golang::go_functions;
use crate::value::Value;

go_functions! {
    CEIL "golang/math.ceil" "func(x float) float" "Returns the smallest whole number greater than or equal to `x`."
    ["math.ceil(1.2)" => "2", "math.ceil(-0.5)" => "-0", "math.ceil(3.0)" => "3"]
    |args| of(args, libm::ceil);

    DIM "golang/math.dim" "func(x float, y float) float" "Returns `x - y`, or 0 if that is negative."
    ["math.dim(5.0, 3.0)" => "2", "math.dim(3.0, 5.0)" => "0", "math.dim(math.inf(1), math.inf(1))" => "NaN"]
    |args| of_two(args, |x, y| {
        let difference = x - y;
        if difference <= 0.0 { 0.0 } else { difference }
    });

    FLOOR "golang/math.floor" "func(x float) float" "Returns the largest whole number less than or equal to `x`."
    ["math.floor(1.8)" => "1", "math.floor(-1.2)" => "-2", "math.floor(-0.0)" => "-0"]
    |args| of(args, libm::floor);

    FMA "golang/math.fma" "func(x float, y float, z float) float" "Returns `x * y + z`, rounded only once."
    ["math.fma(2.0, 3.0, 4.0)" => "10", "math.fma(0.1, 10.0, -1.0)" => "0.00000000000000005551115123125783", "math.fma(math.inf(1), 0.0, 1.0)" => "NaN"]
    |args| Ok(Value::Float(libm::fma(args.float(0)?, args.float(1)?, args.float(2)?)));

    MAX "golang/math.max" "func(x float, y float) float" "Returns the larger of two floats. If either is +Inf, the \
                                                          result is +Inf; otherwise, if either is `NaN`, it is `NaN`."
    ["math.max(1.0, 2.0)" => "2", "math.max(-0.0, 0.0)" => "0", "math.max(math.na_n(), math.inf(1))" => "+Inf", "math.max(math.na_n(), 1.0)" => "NaN"]
    |args| of_two(args, |x, y| larger(x, y, f64::INFINITY));

    MIN "golang/math.min" "func(x float, y float) float" "Returns the smaller of two floats. If either is -Inf, the \
                                                          result is -Inf; otherwise, if either is `NaN`, it is `NaN`."
    ["math.min(1.0, 2.0)" => "1", "math.min(-0.0, 0.0)" => "-0", "math.min(math.na_n(), math.inf(-1))" => "-Inf"]
    |args| of_two(args, |x, y| -larger(-x, -y, f64::INFINITY));

    MOD "golang/math.mod" "func(x float, y float) float"
    "Returns the remainder of `x / y` with the sign of `x`; `NaN` if `y` is 0."
    ["math.mod(-7.0, 3.0)" => "-1", "math.mod(5.5, 2.0)" => "1.5", "math.mod(1.0, 0.0)" => "NaN"]
    |args| of_two(args, libm::fmod);

    REMAINDER "golang/math.remainder" "func(x float, y float) float"
    "Returns the IEEE 754 remainder: `x` minus the nearest multiple of `y`, ties to even."
    ["math.remainder(7.0, 4.0)" => "-1", "math.remainder(5.0, 2.0)" => "1", "math.remainder(1.0, 0.0)" => "NaN"]
    |args| of_two(args, |x, y| {
        let rest = libm::remainder(x, y);
        if rest == 0.0 { libm::copysign(0.0, x) } else { rest }
    });

    ROUND "golang/math.round" "func(x float) float" "Rounds `x` to the nearest whole number, halves away from zero."
    ["math.round(2.5)" => "3", "math.round(-0.5)" => "-1", "math.round(0.49999999999999994)" => "0"]
    |args| of(args, libm::round);

    ROUND_TO_EVEN "golang/math.round_to_even" "func(x float) float" "Rounds `x` to the nearest whole number, halves to even."
    ["math.round_to_even(2.5)" => "2", "math.round_to_even(3.5)" => "4", "math.round_to_even(-0.5)" => "-0"]
    |args| of(args, libm::roundeven);

    TRUNC "golang/math.trunc" "func(x float) float" "Returns the integer part of `x`."
    ["math.trunc(1.9)" => "1", "math.trunc(-1.9)" => "-1", "math.trunc(-0.5)" => "-0"]
    |args| of(args, libm::trunc);
}

fn larger(x: f64, y: f64, winner: f64) -> f64 {
    if x == winner || y == winner {
        winner
    } else if x.is_nan() || y.is_nan() {
        f64::NAN
    } else if x == 0.0 && y == 0.0 {
        // The positive zero is greater than the negative one.
        if x.is_sign_negative() { y } else { x }
    } else if x > y {
        x
    } else {
        y
    }
}
