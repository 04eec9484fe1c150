//! `fmt.printf`: text from a format and values. Functions spec, section 8; language spec, 9.7.

use super::format::{Piece, Verb, parse, verbs};
use crate::corelib::{Args, CallSite, Example, FnDef, FnError, Label, OUTER_VARS, Run, Shape, Sig};
use crate::types::{Type, TypeKind};
use crate::value::{Value, quote};

pub(super) static DEF: FnDef = FnDef {
    path: "fmt.printf",
    sig: Sig::Inferred { infer, check: |_, _| Ok(()), shown: &["func(format str, a ?1, b ?2, ...) str"] },
    doc: "Formats values as a string.\n\nVerbs: `%t` bool, `%s` str, `%q` quoted str, `%d` int, `%f` float, `%v` any \
          value, `%T` the type of any value, `%%` a percent sign. Width, precision and flags are not supported.",
    examples: &[
        Example { call: r#"fmt.printf("%s is %d", "a", 1)"#, gives: r#""a is 1""# },
        Example { call: r#"fmt.printf("%v %q", {"b" => 1.50}, "x\"y")"#, gives: r#""{\"b\": 1.5} \"x\\\"y\"""# },
        Example { call: r#"fmt.printf("%s%%%T", "a", [[1.0]])"#, gives: r#""a%[][]float""# },
        Example { call: r#"fmt.printf("abc%")"#, gives: r#""abc""# },
        Example { call: r#"fmt.printf("%5d", 1)"#, gives: "error: `%5` in the format: verbs have no width" },
        Example { call: r#"fmt.printf("%s")"#, gives: "error: the format has 1 verb, but 0 values were given" },
    ],
    shape: Shape::STATIC.labelled(Label::WithType("printf")),
    run: Run::Pure(run),
};

/// The name of an argument after the format: a, b, … z, aa, ab.
fn arg_name(index: usize) -> String {
    let letter = char::from(b'a' + (index % 26) as u8);
    match index / 26 {
        0 => letter.to_string(),
        more => arg_name(more - 1) + &letter.to_string(),
    }
}

fn infer(site: &CallSite) -> Result<Type, String> {
    let (first, rest) = site.args.split_first().ok_or("it takes at least 1 argument")?;
    let format_type = site.ty(0).filter(|ty| !ty.has_vars());
    if let Some(ty) = format_type.filter(|ty| *ty != Type::Str) {
        return Err(format!("format string was a {}", ty.kind()));
    }
    let verbs = match first.value.as_ref().and_then(Value::as_bytes) {
        None => None,
        Some(format) => {
            let pieces = parse(format).map_err(|at| invalid(format, at))?;
            let verbs = verbs(&pieces);
            if verbs.len() != rest.len() {
                let (n_args, n_verbs) = (rest.len(), verbs.len());
                return Err(format!("the format has {}, but {} given", count(n_verbs, "verb"), given(n_args)));
            }
            Some(verbs)
        }
    };
    let mut params = vec![("format".into(), Type::Str)];
    for index in 0..rest.len() {
        let known = site.ty(index + 1);
        let fresh = || Type::Var(index as u32 + 1);
        let wanted = verbs.as_ref().and_then(|verbs| verbs[index].ty());
        let ty = match (known, wanted) {
            (Some(known), Some(wanted)) if !agree(&known, &wanted) => {
                let fits = verb_of(&known);
                return Err(format!("value {} is `{known}`, but its verb takes `{wanted}`: use {fits}", index + 1));
            }
            (Some(known), _) => known,
            (None, Some(wanted)) => wanted,
            (None, None) => fresh(),
        };
        params.push((arg_name(index).into(), ty));
    }
    Ok(Type::func(params, Type::Str))
}

/// The character at an offset follows a percent sign, and is not a verb.
fn invalid(format: &[u8], at: usize) -> String {
    let rest = String::from_utf8_lossy(format.get(at..).unwrap_or_default());
    let char = rest.chars().next().unwrap_or_default();
    if char.is_ascii_digit() || ".+-# ".contains(char) {
        return format!("`%{char}` in the format: verbs have no width, precision or flags, as in `%d`, `%f` or `%s`");
    }
    format!(
        "unknown verb `%{char}` in the format; a string is `%s`, an int `%d`, a float `%f`, a bool `%t`, any value `%v`"
    )
}

fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

fn given(n: usize) -> String {
    format!("{} {}", count(n, "value"), if n == 1 { "was" } else { "were" })
}

/// The verb for values of a type.
fn verb_of(ty: &Type) -> &'static str {
    match ty {
        Type::Bool => "`%t`",
        Type::Str => "`%s`",
        Type::Int => "`%d`",
        Type::Float => "`%f`",
        _ => "`%v`",
    }
}

/// Whether a known type can be the one that a verb needs. A type variable of the surrounding program can, and stays a
/// variable.
fn agree(known: &Type, wanted: &Type) -> bool {
    debug_assert!(!matches!(known, Type::Var(number) if *number < OUTER_VARS));
    known.kind() == TypeKind::Var || known == wanted
}

fn run(args: &Args) -> Result<Value, FnError> {
    let format = args.bytes(0)?;
    let refused = |at| FnError::fatal(format!("invalid format string at {at}")).said(invalid(format, at));
    let pieces = parse(format).map_err(refused)?;
    let (mut out, mut index) = (Vec::new(), 0);
    for piece in pieces {
        match piece {
            Piece::Text(text) => out.extend_from_slice(text),
            Piece::Verb(verb) => {
                index += 1;
                let value = args
                    .values
                    .get(index)
                    .ok_or_else(|| FnError::fatal(format!("more specifiers ({index}) than values ({})", index - 1)))?;
                let ty = args.ty.params.get(index).map(|(_, ty)| ty);
                push(&mut out, verb, value, ty)?;
            }
        }
    }
    Ok(Value::from(out))
}

fn push(out: &mut Vec<u8>, verb: Verb, value: &Value, ty: Option<&Type>) -> Result<(), FnError> {
    if let Some(wanted) = verb.ty().map(|ty| ty.kind()).filter(|wanted| *wanted != value.kind()) {
        let differs = format!("unexpected type: base kind does not match ({wanted} != {})", value.kind());
        return Err(FnError::fatal(differs).said(format!("expected `{wanted}`, found `{}`", value.kind())));
    }
    match (verb, value) {
        (Verb::TypeOf, value) => {
            // The value knows the names of parameters, the solved type the element type of an empty list.
            let ty = value.type_of().filter(|ty| !ty.has_vars()).or_else(|| ty.cloned());
            out.extend(ty.map(|ty| ty.to_string()).unwrap_or_default().into_bytes());
        }
        (Verb::Quoted, Value::Str(text)) => out.extend(quote(text).into_bytes()),
        (_, Value::Str(text)) => out.extend_from_slice(text),
        (_, Value::Func(_)) => return Err(FnError::fatal("a function cannot be formatted as text")),
        (_, value) => out.extend(value.to_text()),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_on_behind_z() {
        assert_eq!([0, 25, 26, 27, 51, 52].map(arg_name), ["a", "z", "aa", "ab", "az", "ba"]);
    }
}
