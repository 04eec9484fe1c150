//! `x->f` and `x->f <|> d`: a field of a struct. Functions spec, section 5; language spec, 9.7.

use crate::corelib::{Args, CallSite, Example, FnDef, FnError, Run, Shape, Sig};
use crate::types::{self, FuncType, Type};
use crate::value::Value;

pub(super) static DEF: FnDef = FnDef {
    path: "_struct_lookup",
    sig: Sig::Inferred { infer, check, shown: &["func(struct ?1, field str) ?2"] },
    doc: "Implements `x->field`: returns a field of a struct.",
    examples: &[
        Example { call: "struct{a => 1}->a", gives: "1" },
        Example { call: r#"struct{a => struct{b => "x"}}->a->b + "y""#, gives: r#""xy""# },
        Example { call: "struct{a => 1}->b + 1", gives: "error: unknown field `b`" },
    ],
    shape: Shape::STATIC,
    run: Run::Pure(|args| field(args)?.ok_or_else(|| FnError::fatal("field was not found in struct"))),
};

pub(super) static OPTIONAL: FnDef = FnDef {
    path: "_struct_lookup_optional",
    sig: Sig::Inferred {
        infer: infer_optional,
        check: check_optional,
        shown: &["func(struct ?1, field str, optional ?2) ?2"],
    },
    doc: "Implements `x->field <|> default`: returns the field if the type of the struct has it, otherwise the \
          default.\n\nOnly the type is checked: if the chosen value fails, the error is not caught.",
    examples: &[
        Example { call: "struct{a => 1}->a <|> 2", gives: "1" },
        Example { call: "struct{a => 1}->b <|> 2", gives: "2" },
        Example { call: r#"struct{a => 1}->a <|> "x""#, gives: "error: " },
        Example {
            call: "struct{a => [1][5]}->a <|> 2",
            gives: "error: list index not present, got: 5, len is: 1, in: [1]",
        },
    ],
    shape: Shape::STATIC,
    run: Run::Pure(|args| Ok(field(args)?.unwrap_or_else(|| args.values[2].clone()))),
};

/// The static type of the struct, and of the field if it is known.
fn known(site: &CallSite) -> Result<(Type, Option<Type>), String> {
    let name = site.text(1).ok_or("the field's name is not known")?;
    let Some(of) = site.args[0].ty.clone() else { return Ok((Type::Var(1), None)) };
    let found = field_type(&of, &name).cloned();
    Ok((of, found))
}

fn field_type<'a>(of: &'a Type, name: &str) -> Option<&'a Type> {
    let Type::Struct(fields) = of else { return None };
    fields.iter().find(|(field, _)| **field == *name).map(|(_, ty)| ty)
}

fn infer(site: &CallSite) -> Result<Type, String> {
    if site.args.len() != 2 {
        return Err("must have exactly two args".into());
    }
    let (of, found) = known(site)?;
    Ok(Type::func(vec![("struct".into(), of), ("field".into(), Type::Str)], found.unwrap_or(Type::Var(2))))
}

fn infer_optional(site: &CallSite) -> Result<Type, String> {
    if site.args.len() != 3 {
        return Err("must have exactly three args".into());
    }
    let (of, found) = known(site)?;
    let ty = found.unwrap_or(Type::Var(2));
    let params = vec![("struct".into(), of), ("field".into(), Type::Str), ("optional".into(), ty.clone())];
    Ok(Type::func(params, ty))
}

/// The solved types of the struct and the field.
fn solved_field<'a>(site: &CallSite, solved: &'a FuncType) -> Result<Option<&'a Type>, String> {
    let Some((_, of @ Type::Struct(_))) = solved.params.first() else {
        let kind = solved.params.first().map_or("none", |(_, ty)| ty.kind().name());
        return Err(format!("first arg must be of kind struct, got: {kind}"));
    };
    Ok(site.text(1).and_then(|name| field_type(of, &name)))
}

fn check(site: &CallSite, solved: &FuncType) -> Result<(), String> {
    let name = site.text(1).unwrap_or_default();
    let ty = solved_field(site, solved)?.ok_or_else(|| format!("field {name} was not found in struct"))?;
    types::compare(&solved.ret, ty).map_err(|differs| format!("field {name} type error: {differs}"))
}

fn check_optional(site: &CallSite, solved: &FuncType) -> Result<(), String> {
    let Some(ty) = solved_field(site, solved)? else { return Ok(()) };
    types::compare(&solved.ret, ty).map_err(|differs| format!("non-optional arg must match return type: {differs}"))
}

fn field(args: &Args) -> Result<Option<Value>, FnError> {
    let fields = args.values[0].as_struct().ok_or_else(|| FnError::fatal("first arg must be of kind struct"))?;
    Ok(fields.get(&args.text(1)?).cloned())
}
