//! `example.vumeter`: the sound level.

use crate::corelib::facts::{ask, known};
use crate::corelib::{Args, CallContext, Example, FnDef, FnError, Run, Shape, Sig};
use crate::value::Value;
use crate::vocab::{FactSpec, machine};

pub(super) static DEF: FnDef = FnDef {
    path: "example.vumeter",
    sig: Sig::Fixed("func(symbol str, multiplier int, peak float) str"),
    doc: "Draws the peak level of the sound input as a bar, once a second.\n\n`symbol` is repeated in proportion to \
          the level times `multiplier`; above `peak`, a warning is appended.",
    examples: &[
        Example { call: r##"example.vumeter("#", 4, 0.9)"##, gives: r###""(0.500000):\n##\n##""### },
        Example { call: r##"example.vumeter("#", 0, 0.9)"##, gives: r###""(0.500000):\n#\n#""### },
        Example { call: r##"example.vumeter("#", 2, 0.4)"##, gives: r###""(0.500000):\n# PEAK!!!\n# PEAK!!!""### },
    ],
    shape: Shape::DYNAMIC,
    run: Run::World(run),
};

fn run(world: &mut dyn CallContext, args: &Args) -> Result<Option<Value>, FnError> {
    let (symbol, multiplier, peak) = (args.text(0)?, args.int(1)?, args.float(2)?);
    let ratio = known!(ask(world, &FactSpec::Machine(machine::Fact::AudioPeak)));
    let ratio = ratio.as_float().ok_or_else(|| FnError::fatal("failed to extract: no number"))?;
    if !(0.0..=1.0).contains(&ratio) {
        return Err(FnError::fatal(format!("could not generate visual: invalid ratio of {ratio}")));
    }
    // A bar of some thousand characters is more than enough.
    let n_symbols = (ratio * multiplier as f64).round().clamp(1.0, 10_000.0) as usize;
    let warning = if ratio > peak { " PEAK!!!" } else { "" };
    let bar = format!("{}{warning}", symbol.repeat(n_symbols));
    Ok(Some(Value::from(format!("({ratio:.6}):\n{bar}\n{bar}"))))
}
