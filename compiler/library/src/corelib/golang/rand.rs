//! Module `golang/math/rand`: random numbers. Functions spec, 11.3. Each vertex draws once, and again if its argument
//! changes.

use super::os::go_readers;
use crate::corelib::facts::{ask, known};
use crate::corelib::{Args, CallContext, CallState, FnError};
use crate::value::Value;
use crate::vocab::{FactSpec, program};

go_readers! {
    EXP_FLOAT_64 "golang/math/rand.exp_float_64" "func() float" "Returns an exponentially distributed float with rate 1."
    ["rand.exp_float_64() >= 0.0" => "true", "rand.exp_float_64() < 800.0" => "true", "rand.exp_float_64() == rand.exp_float_64()" => "false"]
    |world, _| Ok(Some(Value::Float(-libm::log(1.0 - unit(known!(draw(world, 0)))))));

    FLOAT_64 "golang/math/rand.float_64" "func() float" "Returns a random float in [0, 1)."
    ["rand.float_64() < 1.0" => "true", "rand.float_64() >= 0.0" => "true", "rand.float_64() == rand.float_64()" => "false"]
    |world, _| Ok(Some(Value::Float(unit(known!(draw(world, 0))))));

    INT "golang/math/rand.int" "func() int" "Returns a random non-negative int. Only templates can call it."
    [
        r#"golang.template("{{ ge golang_math_rand_int 0 }}")"# => r#""true""#,
        r#"golang.template("{{ printf \"%T\" golang_math_rand_int }}")"# => r#""int64""#,
        r#"golang.template("{{ golang_math_rand_int 1 }}")"# => "error: wrong number of args for golang_math_rand_int: want 0 got 1",
    ]
    |world, _| Ok(Some(Value::Int((known!(draw(world, 0)) >> 1) as i64)));

    INT_63 "golang/math/rand.int_63" "func() int" "Returns a random non-negative int."
    ["rand.int_63() >= 0" => "true", "rand.int_63() == rand.int_63()" => "false", r#"fmt.printf("%T", rand.int_63())"# => r#""int""#]
    |world, _| Ok(Some(Value::Int((known!(draw(world, 0)) >> 1) as i64)));

    INT_63_N "golang/math/rand.int_63_n" "func(n int) int" "Returns a random int in [0, `n`)."
    ["rand.int_63_n(1)" => "0", "rand.int_63_n(10) < 10" => "true", "rand.int_63_n(0)" => "error: invalid argument to Int63n"]
    |world, args| below(world, args, "Int63n");

    INTN "golang/math/rand.intn" "func(n int) int" "Returns a random int in [0, `n`)."
    ["rand.intn(1)" => "0", "rand.intn(10) < 10" => "true", "rand.intn(-1)" => "error: invalid argument to Intn"]
    |world, args| below(world, args, "Intn");

    NORM_FLOAT_64 "golang/math/rand.norm_float_64" "func() float" "Returns a normally distributed float with mean 0 \
                                                                   and standard deviation 1."
    ["rand.norm_float_64() < 40.0" => "true", "rand.norm_float_64() > -40.0" => "true", "rand.norm_float_64() == rand.norm_float_64()" => "false"]
    |world, _| {
        // Box-Muller: two uniform numbers make a normal one.
        let drawn = known!(draw(world, 0));
        let (radius, angle) = (unit(drawn << 32), unit(drawn) * std::f64::consts::TAU);
        Ok(Some(Value::Float(libm::sqrt(-2.0 * libm::log(1.0 - radius)) * libm::cos(angle))))
    };

    READ "golang/math/rand.read" "func(p str) int" "Returns the length of a string in bytes."
    [r#"rand.read("abc")"# => "3", r#"rand.read("")"# => "0", r#"rand.read("é")"# => "2"]
    |_, args| Ok(Some(Value::Int(args.bytes(0)?.len() as i64)));
}

/// The argument of a vertex's draw, and the number of the draw.
#[derive(Clone)]
struct Drawn {
    of: i64,
    nonce: u64,
}

/// 64 random bits.
fn draw(world: &mut dyn CallContext, of: i64) -> Result<Option<u64>, FnError> {
    let known = world.state().as_ref().and_then(CallState::get::<Drawn>);
    let nonce = match known.filter(|drawn| drawn.of == of) {
        Some(drawn) => drawn.nonce,
        None => world.nonce(),
    };
    *world.state() = Some(CallState::new(Drawn { of, nonce }));
    let bytes = known!(ask(world, &FactSpec::Program(program::Fact::Random { n_bytes: 8, nonce })));
    let bits = bytes.as_bytes().and_then(|bytes| <[u8; 8]>::try_from(&**bytes).ok()).map(u64::from_be_bytes);
    bits.map(Some).ok_or_else(|| FnError::fatal("unexpected answer of the host"))
}

/// In [0, 1).
fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1u64 << 53) as f64
}

fn below(world: &mut dyn CallContext, args: &Args, name: &str) -> Result<Option<Value>, FnError> {
    let n = args.int(0)?;
    if n <= 0 {
        return Err(FnError::fatal(format!("invalid argument to {name}")));
    }
    // The upper half of the product is evenly distributed, as far as 64 bits allow.
    let bits = known!(draw(world, n));
    Ok(Some(Value::Int(((u128::from(bits) * n as u128) >> 64) as i64)))
}
