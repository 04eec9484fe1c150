//! `panic` and `panic_debug`: end the program on purpose. Functions spec, section 6.

use crate::corelib::{Example, FnDef, FnError, Run, Shape, Sig};
use crate::value::Value;

pub(super) static DEF: FnDef = FnDef {
    path: "panic",
    sig: Sig::OneOf { sig: "func(x ?1) bool", accepts: &["func(x bool) bool", "func(x str) bool"] },
    doc: "Stops the program with an error if its argument is true or a non-empty string; otherwise returns \
          false.\n\nIt is used as a statement: `panic(c)`.",
    examples: &[],
    shape: Shape::DYNAMIC,
    run: Run::Pure(|args| match &args.values[0] {
        Value::Bool(true) => Err(FnError::fatal("bool panic occurred").said("`panic` was called")),
        Value::Str(text) if !text.is_empty() => {
            let text = String::from_utf8_lossy(text);
            Err(FnError::fatal(format!("str panic occurred: {text}")).said(format!("`panic` was called: {text}")))
        }
        _ => Ok(Value::Bool(false)),
    }),
};

pub(super) static DEBUG: FnDef = FnDef {
    path: "panic_debug",
    sig: Sig::Fixed("func(x bool, err str) bool"),
    doc: "Stops the program with a message if its first argument is true; otherwise returns false.",
    examples: &[
        Example { call: r#"panic_debug(false, "no")"#, gives: "false" },
        Example { call: r#"panic_debug(true, "why")"#, gives: "error: `panic_debug` was called: why" },
        Example { call: r#"panic_debug(true, "")"#, gives: "error: `panic_debug` was called" },
    ],
    shape: Shape::DYNAMIC,
    run: Run::Pure(|args| {
        if args.bool(0)? {
            let text = args.text(1)?;
            let colon = if text.is_empty() { "" } else { ": " };
            let said = format!("`panic_debug` was called{colon}{text}");
            return Err(FnError::fatal(format!("bool panic occurred: {text}")).said(said));
        }
        Ok(Value::Bool(false))
    }),
};
