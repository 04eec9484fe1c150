//! Trigonometric and hyperbolic functions.

use super::{of, of_two};
use crate::corelib::golang::go_functions;
use crate::corelib::math::exp::exp;

go_functions! {
    ACOS "golang/math.acos" "func(x float) float" "Returns the arc cosine of `x` in radians; `NaN` outside -1 to 1."
    ["math.acos(1.0)" => "0", "math.acos(-1.0)" => "3.141592653589793", "math.acos(2.0)" => "NaN"]
    |args| of(args, libm::acos);

    ACOSH "golang/math.acosh" "func(x float) float" "Returns the inverse hyperbolic cosine of `x`; `NaN` below 1."
    ["math.acosh(1.0)" => "0", "math.acosh(2.0)" => "1.3169578969248166", "math.acosh(0.5)" => "NaN", "math.acosh(-16174008.2)" => "NaN"]
    |args| of(args, |x| if x < 1.0 { f64::NAN } else { libm::acosh(x) });

    ASIN "golang/math.asin" "func(x float) float" "Returns the arc sine of `x` in radians; `NaN` outside -1 to 1."
    ["math.asin(0.0)" => "0", "math.asin(1.0)" => "1.5707963267948966", "math.asin(2.0)" => "NaN"]
    |args| of(args, libm::asin);

    ASINH "golang/math.asinh" "func(x float) float" "Returns the inverse hyperbolic sine of `x`."
    ["math.asinh(0.0)" => "0", "math.asinh(1.0)" => "0.881373587019543", "math.asinh(-0.0)" => "-0"]
    |args| of(args, libm::asinh);

    ATAN "golang/math.atan" "func(x float) float" "Returns the arc tangent of `x` in radians."
    ["math.atan(0.0)" => "0", "math.atan(1.0)" => "0.7853981633974483", "math.atan(math.inf(1))" => "1.5707963267948966"]
    |args| of(args, libm::atan);

    ATAN_2 "golang/math.atan_2" "func(y float, x float) float"
    "Returns the angle of the point (`x`, `y`) in radians. Note that `y` comes first."
    ["math.atan_2(1.0, 1.0)" => "0.7853981633974483", "math.atan_2(0.0, -1.0)" => "3.141592653589793", "math.atan_2(-1.0, 0.0)" => "-1.5707963267948966"]
    |args| of_two(args, libm::atan2);

    ATANH "golang/math.atanh" "func(x float) float"
    "Returns the inverse hyperbolic tangent of `x`; infinite at -1 and 1, `NaN` outside."
    ["math.atanh(0.0)" => "0", "math.atanh(1.0)" => "+Inf", "math.atanh(2.0)" => "NaN"]
    |args| of(args, libm::atanh);

    COS "golang/math.cos" "func(x float) float" "Returns the cosine of an angle in radians."
    ["math.cos(0.0)" => "1", "math.cos(1.0)" => "0.5403023058681398", "math.cos(math.inf(1))" => "NaN"]
    |args| of(args, libm::cos);

    COSH "golang/math.cosh" "func(x float) float" "Returns the hyperbolic cosine of `x`."
    ["math.cosh(0.0)" => "1", "math.cosh(1.0)" => "1.5430806348152437", "math.cosh(1000.0)" => "+Inf"]
    |args| of(args, cosh);

    HYPOT "golang/math.hypot" "func(p float, q float) float"
    "Returns the length of the vector (`p`, `q`), avoiding overflow.\n\nThe result is infinite if either argument is \
     infinite, even if the other is `NaN`."
    ["math.hypot(3.0, 4.0)" => "5", "math.hypot(math.inf(-1), math.na_n())" => "+Inf", "math.hypot(math.na_n(), 1.0)" => "NaN"]
    |args| of_two(args, |p, q| if p.is_infinite() || q.is_infinite() { f64::INFINITY } else { libm::hypot(p, q) });

    SIN "golang/math.sin" "func(x float) float" "Returns the sine of an angle in radians."
    ["math.sin(0.0)" => "0", "math.sin(1.0)" => "0.8414709848078965", "math.sin(math.inf(1))" => "NaN"]
    |args| of(args, libm::sin);

    SINH "golang/math.sinh" "func(x float) float" "Returns the hyperbolic sine of `x`."
    ["math.sinh(0.0)" => "0", "math.sinh(1.0)" => "1.1752011936438014", "math.sinh(-1000.0)" => "-Inf"]
    |args| of(args, libm::sinh);

    TAN "golang/math.tan" "func(x float) float" "Returns the tangent of an angle in radians."
    ["math.tan(0.0)" => "0", "math.tan(0.5)" => "0.5463024898437905", "math.tan(math.inf(1))" => "NaN"]
    |args| of(args, libm::tan);

    TANH "golang/math.tanh" "func(x float) float" "Returns the hyperbolic tangent of `x`."
    ["math.tanh(0.0)" => "0", "math.tanh(1.0)" => "0.7615941559557649", "math.tanh(math.inf(1))" => "1"]
    |args| of(args, libm::tanh);
}

fn cosh(x: f64) -> f64 {
    let x = x.abs();
    if x > 21.0 {
        // The other exponential is below the last digit; two halves keep the largest results finite.
        let half = exp(x * 0.5);
        return half * 0.5 * half;
    }
    let power = exp(x);
    (power + 1.0 / power) * 0.5
}
