//! `math.mod`: the remainder of a division.

use crate::corelib::{Args, Example, FnDef, FnError, Run, Shape, Sig};
use crate::value::Value;

pub(super) static DEF: FnDef = FnDef {
    path: "math.mod",
    sig: Sig::OneOf { sig: "func(?1, ?1) ?1", accepts: &["func(int, int) int", "func(float, float) float"] },
    doc: "Returns the remainder of a division, with the sign of the dividend.\n\nInts are converted to floats, so they \
          lose precision beyond 2^53.",
    examples: &[
        Example { call: "math.mod(7, 3)", gives: "1" },
        Example { call: "math.mod(-7, 3)", gives: "-1" },
        Example { call: "math.mod(5.5, 2.0)", gives: "1.5" },
        Example { call: "math.mod(9223372036854775807, 10)", gives: "8" },
        Example { call: "math.mod(1, 0)", gives: "error: result is not a number" },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(run),
};

fn run(args: &Args) -> Result<Value, FnError> {
    let number = |value: &Value| match value {
        Value::Int(int) => Ok(*int as f64),
        Value::Float(float) => Ok(*float),
        other => {
            let kind = other.kind();
            let said = format!("expected `int` or `float`, found `{kind}`");
            Err(FnError::fatal(format!("unsupported kind: {kind}")).said(said))
        }
    };
    let rest = number(&args.values[0])? % number(&args.values[1])?;
    if rest.is_nan() {
        return Err(FnError::catchable("result is not a number"));
    }
    Ok(if args.values[0].as_int().is_some() { Value::Int(rest as i64) } else { Value::Float(rest) })
}
