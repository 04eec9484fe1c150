//! Error function, gamma function, Bessel functions.

#![allow(clippy::excessive_precision, reason = "the coefficients stand as they were published")]

use super::of;
use crate::corelib::golang::go_functions;
use crate::value::Value;

go_functions! {
    ERF "golang/math.erf" "func(x float) float" "Returns the error function of `x`."
    ["math.erf(0.0)" => "0", "math.erf(1.0)" => "0.8427007929497149", "math.erf(math.inf(1))" => "1"]
    |args| of(args, libm::erf);

    ERFC "golang/math.erfc" "func(x float) float" "Returns 1 minus the error function of `x`."
    ["math.erfc(0.0)" => "1", "math.erfc(1.0)" => "0.15729920705028513", "math.erfc(math.inf(-1))" => "2"]
    |args| of(args, libm::erfc);

    ERFCINV "golang/math.erfcinv" "func(x float) float" "Returns the inverse of `erfc`."
    ["math.erfcinv(1.0)" => "0", "math.erfcinv(0.0)" => "+Inf", "math.erfcinv(3.0)" => "NaN"]
    |args| of(args, |x| erfinv(1.0 - x));

    ERFINV "golang/math.erfinv" "func(x float) float" "Returns the inverse of `erf`; infinite at -1 and 1, `NaN` outside."
    ["math.erfinv(0.0)" => "0", "math.erfinv(0.5)" => "0.4769362762044699", "math.erfinv(-1.0)" => "-Inf"]
    |args| of(args, erfinv);

    GAMMA "golang/math.gamma" "func(x float) float" "Returns the gamma function of `x`; `NaN` for negative whole numbers."
    ["math.gamma(5.0)" => "24", "math.gamma(0.0)" => "+Inf", "math.gamma(-1.0)" => "NaN"]
    |args| of(args, |x| if x == f64::NEG_INFINITY { f64::NAN } else { libm::tgamma(x) });

    J_0 "golang/math.j_0" "func(x float) float" "Returns the Bessel function of the first kind, order 0."
    ["math.j_0(0.0)" => "1", "math.j_0(1.0) > 0.765" => "true", "math.j_0(math.inf(1))" => "0"]
    |args| of(args, libm::j0);

    J_1 "golang/math.j_1" "func(x float) float" "Returns the Bessel function of the first kind, order 1."
    ["math.j_1(0.0)" => "0", "math.j_1(1.0)" => "0.4400505857449335", "math.j_1(-0.0)" => "0"]
    |args| of(args, |x| jn(1, x));

    JN "golang/math.jn" "func(n int, x float) float" "Returns the Bessel function of the first kind, order `n`."
    ["math.jn(2, 0.0)" => "0", "math.jn(2, 1.0) > 0.1149" => "true", "math.jn(0, 0.0)" => "1"]
    |args| Ok(Value::Float(jn(order(args.int(0)?), args.float(1)?)));

    Y_0 "golang/math.y_0" "func(x float) float" "Returns the Bessel function of the second kind, order 0."
    ["math.y_0(1.0)" => "0.08825696421567697", "math.y_0(0.0)" => "-Inf", "math.y_0(-1.0)" => "NaN"]
    |args| of(args, libm::y0);

    Y_1 "golang/math.y_1" "func(x float) float" "Returns the Bessel function of the second kind, order 1."
    ["math.y_1(1.0)" => "-0.7812128213002887", "math.y_1(0.0)" => "-Inf", "math.y_1(-1.0)" => "NaN"]
    |args| of(args, libm::y1);

    YN "golang/math.yn" "func(n int, x float) float" "Returns the Bessel function of the second kind, order `n`."
    ["math.yn(2, 1.0)" => "-1.6506826068162543", "math.yn(2, 0.0)" => "-Inf", "math.yn(-1, 0.0)" => "+Inf"]
    |args| {
        let (n, x) = (order(args.int(0)?), args.float(1)?);
        let at_zero = if n < 0 && n % 2 != 0 { f64::INFINITY } else { f64::NEG_INFINITY };
        Ok(Value::Float(if x == 0.0 { at_zero } else { libm::yn(n, x) }))
    };
}

/// Orders beyond a few hundred give the same result for any float; this keeps the recurrence short.
fn order(n: i64) -> i32 {
    const MAX: i64 = 100_000;
    let parity = n % 2;
    if n > MAX {
        (MAX + parity) as i32
    } else if n < -MAX {
        (-MAX + parity) as i32
    } else {
        n as i32
    }
}

/// Zero has no sign here, as in the language's own implementation.
fn jn(n: i32, x: f64) -> f64 {
    match n {
        0 => libm::j0(x),
        _ if x == 0.0 || x.is_infinite() => 0.0,
        1 => libm::j1(x),
        n => libm::jn(n, x),
    }
}

/// The inverse error function, by the normal quantile of Wichura's algorithm AS 241 (1988).
fn erfinv(x: f64) -> f64 {
    if x.is_nan() || !(-1.0..=1.0).contains(&x) {
        return f64::NAN;
    }
    if x.abs() == 1.0 {
        return x * f64::INFINITY;
    }
    let (sign, x) = (1f64.copysign(x), x.abs());
    let quantile = if x <= 0.85 {
        // Near the middle.
        let r = 0.180625 - 0.25 * x * x;
        let (above, below) = polynomials(r, &MIDDLE);
        x * above / below * 0.5
    } else {
        let r = libm::sqrt(std::f64::consts::LN_2 - libm::log(1.0 - x));
        if r <= 5.0 { ratio(r - 1.6, &TAIL) } else { ratio(r - 5.0, &FAR_TAIL) }
    };
    // Keeps the sign of zero.
    sign * quantile * std::f64::consts::FRAC_1_SQRT_2
}

/// A ratio of two polynomials, lowest coefficients first.
fn ratio(r: f64, coefficients: &([f64; 8], [f64; 8])) -> f64 {
    let (above, below) = polynomials(r, coefficients);
    above / below
}

fn polynomials(r: f64, (above, below): &([f64; 8], [f64; 8])) -> (f64, f64) {
    let polynomial = |coefficients: &[f64; 8]| coefficients.iter().rev().fold(0.0, |sum, c| sum * r + c);
    (polynomial(above), polynomial(below))
}

static MIDDLE: ([f64; 8], [f64; 8]) = (
    [
        3.387132872796366608,
        133.14166789178437745,
        1971.5909503065514427,
        13731.693765509461125,
        45921.953931549871457,
        67265.770927008700853,
        33430.575583588128105,
        2509.0809287301226727,
    ],
    [
        1.0,
        42.313330701600911252,
        687.1870074920579083,
        5394.1960214247511077,
        21213.794301586595867,
        39307.89580009271061,
        28729.085735721942674,
        5226.495278852854561,
    ],
);

static TAIL: ([f64; 8], [f64; 8]) = (
    [
        1.42343711074968357734,
        4.6303378461565452959,
        5.7694972214606914055,
        3.64784832476320460504,
        1.27045825245236838258,
        0.24178072517745061177,
        0.0227238449892691845833,
        7.7454501427834140764e-4,
    ],
    [
        1.0,
        2.05319162663775882187,
        1.6763848301838038494,
        0.68976733498510000455,
        0.14810397642748007459,
        0.0151986665636164571966,
        5.475938084995344946e-4,
        1.05075007164441684324e-9,
    ],
);

static FAR_TAIL: ([f64; 8], [f64; 8]) = (
    [
        6.6579046435011037772,
        5.4637849111641143699,
        1.7848265399172913358,
        0.29656057182850489123,
        0.026532189526576123093,
        0.0012426609473880784386,
        2.71155556874348757815e-5,
        2.01033439929228813265e-7,
    ],
    [
        1.0,
        0.59983220655588793769,
        0.13692988092273580531,
        0.0148753612908506148525,
        7.868691311456132591e-4,
        1.8463183175100546818e-5,
        1.4215117583164458887e-7,
        2.04426310338993978564e-15,
    ],
);
