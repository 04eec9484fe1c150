//! The parts of a float: sign, exponent, neighbours; infinities and not-a-number.

use super::{of, of_two};
use crate::corelib::golang::go_functions;
use crate::value::Value;

go_functions! {
    ABS "golang/math.abs" "func(x float) float" "Returns the absolute value of `x`."
    ["math.abs(-1.5)" => "1.5", "math.abs(-0.0)" => "0", "math.abs(math.inf(-1))" => "+Inf"]
    |args| of(args, libm::fabs);

    COPYSIGN "golang/math.copysign" "func(f float, sign float) float" "Returns the magnitude of `f` with the sign of `sign`."
    ["math.copysign(3.0, -0.0)" => "-3", "math.copysign(-3.0, 1.0)" => "3", "math.copysign(0.0, -1.0)" => "-0"]
    |args| of_two(args, libm::copysign);

    ILOGB "golang/math.ilogb" "func(x float) int" "Returns the binary exponent of `x` as an int."
    ["math.ilogb(8.0)" => "3", "math.ilogb(0.0)" => "-2147483648", "math.ilogb(math.inf(1))" => "2147483647"]
    |args| {
        let x = args.float(0)?;
        Ok(Value::Int(match x {
            0.0 => -(1 << 31),
            _ if !x.is_finite() => (1 << 31) - 1,
            _ => exponent(x),
        }))
    };

    INF "golang/math.inf" "func(sign int) float" "Returns positive infinity, or negative infinity if `sign` is negative."
    ["math.inf(1)" => "+Inf", "math.inf(0)" => "+Inf", "math.inf(-1)" => "-Inf"]
    |args| Ok(Value::Float(if args.int(0)? >= 0 { f64::INFINITY } else { f64::NEG_INFINITY }));

    IS_INF "golang/math.is_inf" "func(f float, sign int) bool"
    "Reports whether `f` is infinite. A positive `sign` checks for +Inf, a negative one for -Inf, 0 for either."
    ["math.is_inf(math.inf(1), 0)" => "true", "math.is_inf(math.inf(1), -1)" => "false", "math.is_inf(1.0, 0)" => "false"]
    |args| {
        let (f, sign) = (args.float(0)?, args.int(1)?);
        Ok(Value::Bool(sign >= 0 && f == f64::INFINITY || sign <= 0 && f == f64::NEG_INFINITY))
    };

    IS_NA_N "golang/math.is_na_n" "func(f float) bool" "Reports whether `f` is `NaN`."
    ["math.is_na_n(math.na_n())" => "true", "math.is_na_n(1.0)" => "false", "math.is_na_n(math.inf(1))" => "false"]
    |args| Ok(Value::Bool(args.float(0)?.is_nan()));

    LDEXP "golang/math.ldexp" "func(frac float, exp int) float" "Returns `frac` times 2 to the power of `exp`."
    ["math.ldexp(0.5, 4)" => "8", "math.ldexp(1.0, -1075)" => "0", "math.ldexp(1.0, 5000)" => "+Inf"]
    |args| {
        let exponent = args.int(1)?.clamp(-10_000, 10_000);
        Ok(Value::Float(libm::ldexp(args.float(0)?, exponent as i32)))
    };

    LOGB "golang/math.logb" "func(x float) float" "Returns the binary exponent of `x` as a float; -Inf for 0, +Inf for \
                                                   an infinity."
    ["math.logb(8.0)" => "3", "math.logb(0.0)" => "-Inf", "math.logb(math.inf(-1))" => "+Inf"]
    |args| of(args, |x| match x {
        0.0 => f64::NEG_INFINITY,
        _ if x.is_infinite() => f64::INFINITY,
        _ if x.is_nan() => x,
        _ => exponent(x) as f64,
    });

    NA_N "golang/math.na_n" "func() float" "Returns `NaN`."
    ["math.na_n()" => "NaN", "math.na_n() == math.na_n()" => "false", "math.na_n() + 1.0" => "NaN"]
    |_| Ok(Value::Float(f64::NAN));

    NEXTAFTER "golang/math.nextafter" "func(x float, y float) float" "Returns the next float after `x` towards `y`."
    ["math.nextafter(1.0, 2.0)" => "1.0000000000000002", "math.nextafter(0.0, -0.0)" => "0", "math.nextafter(1.0, math.na_n())" => "NaN"]
    |args| of_two(args, |x, y| if x == y { x } else { libm::nextafter(x, y) });

    SIGNBIT "golang/math.signbit" "func(x float) bool" "Reports whether `x` is negative or -0."
    ["math.signbit(-1.0)" => "true", "math.signbit(-0.0)" => "true", "math.signbit(0.0)" => "false"]
    |args| Ok(Value::Bool(args.float(0)?.is_sign_negative()));
}

/// The exponent of a finite non-zero float whose mantissa is in [1, 2).
fn exponent(x: f64) -> i64 {
    i64::from(libm::frexp(x).1) - 1
}
