//! `random1`: a random text that does not change. Functions spec, section 6.

use crate::corelib::{Args, CallContext, CallState, Example, FnDef, FnError, Run, Shape, Sig};
use crate::value::Value;
use crate::vocab::{Datum, FactSpec, program};

pub(super) static DEF: FnDef = FnDef {
    path: "random1",
    sig: Sig::Fixed("func(length int) str"),
    doc: "Returns a random string of `length` letters.\n\nThe string stays the same until `length` changes.",
    examples: &[
        Example { call: "random1(0)", gives: r#""""# },
        Example { call: "random1(-1)", gives: "error: can't generate an invalid length" },
        Example { call: "random1(65536)", gives: "error: can't generate an invalid length" },
    ],
    shape: Shape::DYNAMIC,
    run: Run::World(run),
};

const LETTERS: &[u8; 52] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// The requested length, and the number of the draw.
#[derive(Clone)]
struct Drawn {
    length: i64,
    nonce: u64,
}

fn run(world: &mut dyn CallContext, args: &Args) -> Result<Option<Value>, FnError> {
    let length = args.int(0)?;
    if !(0..=65535).contains(&length) {
        *world.state() = None;
        return Err(FnError::fatal("can't generate an invalid length"));
    }
    let known = world.state().as_ref().and_then(CallState::get::<Drawn>);
    let nonce = match known.filter(|drawn| drawn.length == length) {
        Some(drawn) => drawn.nonce,
        None => world.nonce(),
    };
    *world.state() = Some(CallState::new(Drawn { length, nonce }));
    if length == 0 {
        return Ok(Some(Value::str("")));
    }
    // Four bytes per letter make the bias of the remainder negligible.
    match world.fact(&FactSpec::Program(program::Fact::Random { n_bytes: length as u32 * 4, nonce })) {
        None => Ok(None),
        Some(Ok(Datum::Bytes(bytes))) => {
            let letter = |part: &[u8]| {
                let number = part.iter().fold(0u64, |number, byte| number << 8 | u64::from(*byte));
                LETTERS[(number % 52) as usize]
            };
            Ok(Some(Value::from(bytes.chunks_exact(4).map(letter).collect::<Vec<u8>>())))
        }
        Some(Ok(_)) => Err(FnError::fatal("unexpected answer of the host")),
        Some(Err(error)) => Err(FnError::fatal(error.message)),
    }
}
