//! `_operator`: every infix and prefix operator. Functions spec, section 4; language spec, 9.9.

use crate::corelib::{Args, CallSite, Example, FnDef, FnError, Run, Shape, Sig};
use crate::types::Type;
use crate::value::Value;

pub(super) static DEF: FnDef = FnDef {
    path: "_operator",
    sig: Sig::Inferred {
        infer,
        check: |_, _| Ok(()),
        shown: &[
            "func(op str, a ?1, b ?1) ?1",
            "func(op str, a ?1, b ?1) bool",
            "func(op str, a ?1, b ?1) float",
            "func(op str, a bool, b bool) bool",
            "func(op str, a bool) bool",
            "func(op str) float",
        ],
    },
    doc: "Implements all operators. All operands are evaluated first: `and` and `or` do not short-circuit.",
    examples: &[
        Example { call: "1 + 2 * 3", gives: "7" },
        Example { call: r#"not ("a" == "b")"#, gives: "true" },
        Example { call: "true or 1 / 0 == 1.0", gives: "error: division by zero" },
    ],
    shape: Shape::STATIC,
    run: Run::Pure(run),
};

/// The signatures of an operator after `op`, by its text.
fn operands(op: &str) -> Option<(Vec<Type>, Type)> {
    let any = Type::Var(1);
    Some(match op {
        "+" | "-" | "*" => (vec![any.clone(), any.clone()], any),
        "/" => (vec![any.clone(), any], Type::Float),
        "==" | "!=" | "<" | ">" | "<=" | ">=" => (vec![any.clone(), any], Type::Bool),
        "and" | "or" => (vec![Type::Bool, Type::Bool], Type::Bool),
        "not" => (vec![Type::Bool], Type::Bool),
        "π" => (vec![], Type::Float),
        _ => return None,
    })
}

fn infer(site: &CallSite) -> Result<Type, String> {
    let op = site.text(0).ok_or("the operator's text is not known")?;
    let fail = |why: &str| format!("error finding signature for operator `{op}`: {why}");
    let (types, ret) = operands(&op).ok_or_else(|| fail("operator not found"))?;
    if types.len() + 1 != site.args.len() {
        return Err(fail("operator has wrong size"));
    }
    let mut params = vec![("op".into(), Type::Str)];
    params.extend(["a", "b"].into_iter().map(Into::into).zip(types));
    Ok(Type::func(params, ret))
}

fn run(args: &Args) -> Result<Value, FnError> {
    let op = args.text(0)?;
    match (&*op, &args.values[1..]) {
        ("not", [_]) => Ok(Value::Bool(!args.bool(1)?)),
        ("π", []) => Ok(Value::Float(std::f64::consts::PI)),
        (op, [a, b]) => binary(op, a, b),
        (op, _) => Err(FnError::fatal(format!("error finding signature for operator `{op}`: operator has wrong size"))),
    }
}

fn binary(op: &str, a: &Value, b: &Value) -> Result<Value, FnError> {
    Ok(match (op, a, b) {
        ("+", Value::Str(a), Value::Str(b)) => Value::str([&**a, &**b].concat()),
        ("+", Value::Int(a), Value::Int(b)) => Value::Int(a.wrapping_add(*b)),
        ("+", Value::Float(a), Value::Float(b)) => Value::Float(a + b),
        ("-", Value::Int(a), Value::Int(b)) => Value::Int(a.wrapping_sub(*b)),
        ("-", Value::Float(a), Value::Float(b)) => Value::Float(a - b),
        ("*", Value::Int(a), Value::Int(b)) => Value::Int(a.wrapping_mul(*b)),
        ("*", Value::Float(a), Value::Float(b)) => Value::Float(a * b),
        ("/", Value::Int(a), Value::Int(b)) => divide(*a as f64, *b as f64)?,
        ("/", Value::Float(a), Value::Float(b)) => divide(*a, *b)?,
        ("==" | "!=", Value::Func(_), _) => return Err(unsupported(op, a)),
        ("==", a, b) => Value::Bool(a == b),
        ("!=", a, b) => Value::Bool(a != b),
        ("<" | ">" | "<=" | ">=", Value::Int(a), Value::Int(b)) => Value::Bool(compare(op, a, b)),
        ("<" | ">" | "<=" | ">=", Value::Float(a), Value::Float(b)) => Value::Bool(compare(op, a, b)),
        ("and", Value::Bool(a), Value::Bool(b)) => Value::Bool(*a && *b),
        ("or", Value::Bool(a), Value::Bool(b)) => Value::Bool(*a || *b),
        ("+", Value::List(_), _) => {
            return Err(unsupported(op, a).help("join lists with `list.concat($a, $b)`, after `import \"list\"`"));
        }
        ("+", Value::Map(_), _) => {
            let help = "maps cannot be joined: write all pairs in one map, `{\"a\" => 1, \"b\" => 2}`";
            return Err(unsupported(op, a).help(help));
        }
        ("<" | ">" | "<=" | ">=", Value::Str(_), _) => {
            let help = "strings have no order: compare them with `==` or `!=`, or compare numbers";
            return Err(unsupported(op, a).help(help));
        }
        ("-", Value::Str(_), _) => {
            let help =
                "to remove a part, write `strings.replace_all($text, \"part\", \"\")`, after `import \"strings\"`";
            return Err(unsupported(op, a).help(help));
        }
        _ => return Err(unsupported(op, a)),
    })
}

fn divide(a: f64, b: f64) -> Result<Value, FnError> {
    if b == 0.0 {
        return Err(FnError::catchable("can't divide by zero").said("division by zero"));
    }
    Ok(Value::Float(a / b))
}

fn compare<T: PartialOrd>(op: &str, a: &T, b: &T) -> bool {
    match op {
        "<" => a < b,
        ">" => a > b,
        "<=" => a <= b,
        _ => a >= b,
    }
}

fn unsupported(op: &str, operand: &Value) -> FnError {
    let kind = operand.kind();
    FnError::fatal(format!("unsupported kind: {kind}")).said(format!("`{op}` does not work on `{kind}`"))
}
