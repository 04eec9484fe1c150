//! `iter.range`: consecutive ints.

use crate::corelib::bytes::MAX_ELEMENTS;
use crate::corelib::{Args, CallSite, Example, FnDef, FnError, Label, Run, Shape, Sig};
use crate::types::{self, Type};
use crate::value::Value;

/// The maximum number of elements of a range: a program must not fill the memory.
const MAX_LEN: i128 = MAX_ELEMENTS as i128;

const FORMS: [&str; 3] = ["func(a int) []int", "func(a int, b int) []int", "func(a int, b int, c int) []int"];

pub(super) static DEF: FnDef = FnDef {
    path: "iter.range",
    sig: Sig::Inferred { infer, check: |_, _| Ok(()), shown: &FORMS },
    doc: "Returns the ints from a start (default 0) up to, but not including, a stop, by a step (default 1).\n\nOne \
          argument is the stop, two are start and stop, three are start, stop and step.",
    examples: &[
        Example { call: "iter.range(3)", gives: "[0, 1, 2]" },
        Example { call: "iter.range(1, 3)", gives: "[1, 2]" },
        Example { call: "iter.range(5, 0, -2)", gives: "[5, 3, 1]" },
        Example { call: "iter.range(-3)", gives: "[]" },
        Example {
            call: "iter.range(9223372036854775800, 9223372036854775807, 5)",
            gives: "[9223372036854775800, 9223372036854775805]",
        },
        Example { call: "iter.range(0, 5, 0)", gives: "error: step value cannot be 0" },
    ],
    shape: Shape::STATIC.labelled(Label::Short("range")),
    run: Run::Pure(run),
};

fn infer(site: &CallSite) -> Result<Type, String> {
    let form = site.args.len().checked_sub(1).and_then(|at| FORMS.get(at));
    let form = form.ok_or("it takes 1 to 3 arguments")?;
    types::parse(form).ok_or_else(|| "malformed signature".into())
}

fn run(args: &Args) -> Result<Value, FnError> {
    let (start, stop) = if args.len() == 1 { (0, args.int(0)?) } else { (args.int(0)?, args.int(1)?) };
    let step = if args.len() == 3 { args.int(2)? } else { 1 };
    if step == 0 {
        return Err(FnError::fatal("step value cannot be 0").said("the step of a range cannot be 0"));
    }
    let (way, stride) = (i128::from(stop) - i128::from(start), i128::from(step));
    // Rounded up: the last stride may end past the stop.
    let len = (way + stride - stride.signum()) / stride;
    if len > MAX_LEN {
        return Err(FnError::fatal(format!("a range has at most {MAX_LEN} elements, not {len}")));
    }
    Ok(Value::list((0..len.max(0)).map(|at| Value::Int((i128::from(start) + at * stride) as i64))))
}
