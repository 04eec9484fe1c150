//! The parameters of filters by name, as in Jinja2: an argument may be given by its place or by its name.

use minijinja::value::Kwargs;
use minijinja::{Error, ErrorKind, Value};

/// How a filter of minijinja takes its arguments after the first one.
enum Takes {
    ByPlace(&'static [&'static str]),
    ByName(&'static [&'static str]),
}

use Takes::{ByName, ByPlace};

#[rustfmt::skip]
const PARAMS: &[(&str, Takes)] = &[
    ("attr",           ByPlace(&["name"])),
    ("batch",          ByPlace(&["linecount", "fill_with"])),
    ("center",         ByPlace(&["width"])),
    ("d",              ByPlace(&["default_value", "boolean"])),
    ("default",        ByPlace(&["default_value", "boolean"])),
    ("dictsort",       ByName(&["case_sensitive", "by", "reverse"])),
    ("filesizeformat", ByPlace(&["binary"])),
    ("float",          ByPlace(&["default"])),
    ("groupby",        ByName(&["attribute", "default", "case_sensitive"])),
    ("indent",         ByPlace(&["width", "first", "blank"])),
    ("int",            ByPlace(&["default", "base"])),
    ("join",           ByPlace(&["d", "attribute"])),
    ("max",            ByName(&["case_sensitive", "attribute"])),
    ("min",            ByName(&["case_sensitive", "attribute"])),
    ("replace",        ByPlace(&["old", "new", "count"])),
    ("round",          ByPlace(&["precision", "method"])),
    ("slice",          ByPlace(&["slices", "fill_with"])),
    ("sort",           ByName(&["reverse", "case_sensitive", "attribute"])),
    ("tojson",         ByPlace(&["indent"])),
    ("trim",           ByPlace(&["chars"])),
    ("truncate",       ByPlace(&["length", "killwords", "end", "leeway"])),
    ("unique",         ByName(&["case_sensitive", "attribute"])),
    ("urlize",         ByPlace(&["trim_url_limit", "nofollow", "target", "rel", "extra_schemes"])),
    ("wordwrap",       ByPlace(&["width", "break_long_words", "wrapstring", "break_on_hyphens"])),
    ("xmlattr",        ByPlace(&["autospace"])),
];

/// The arguments of a filter in the form that it takes.
///
/// Errors: there are more than parameters.
pub(super) fn brought(filter: &str, args: Vec<Value>) -> Result<Vec<Value>, Error> {
    match PARAMS.iter().find(|(name, _)| *name == filter) {
        Some((_, ByPlace(params))) => by_place(params, args),
        Some((_, ByName(params))) => by_name(params, args),
        None => Ok(args),
    }
}

/// Takes the arguments given by name off the end.
fn named(args: &mut Vec<Value>) -> Result<Vec<(String, Value)>, Error> {
    let Some(last) = args.pop_if(|last| last.is_kwargs()) else { return Ok(Vec::new()) };
    let kwargs = Kwargs::try_from(last)?;
    kwargs.args().map(|name| Ok((name.to_owned(), kwargs.peek::<Value>(name)?))).collect()
}

fn by_place(params: &[&str], mut args: Vec<Value>) -> Result<Vec<Value>, Error> {
    let mut others = Vec::new();
    for (name, value) in named(&mut args)? {
        match params.iter().position(|param| *param == name) {
            Some(at) if args.get(at + 1).is_none_or(Value::is_undefined) => {
                if args.len() <= at + 1 {
                    args.resize(at + 2, Value::UNDEFINED);
                }
                args[at + 1] = value;
            }
            _ => others.push((name, value)),
        }
    }
    // `default(boolean=true)`
    if params[0] == "default_value" && args.get(1).is_some_and(Value::is_undefined) {
        args[1] = Value::from("");
    }
    if !others.is_empty() {
        args.push(Kwargs::from_iter(others).into());
    }
    Ok(args)
}

fn by_name(params: &[&str], mut args: Vec<Value>) -> Result<Vec<Value>, Error> {
    let mut all = named(&mut args)?;
    if args.len() > params.len() + 1 {
        return Err(Error::from(ErrorKind::TooManyArguments));
    }
    let given = args.split_off(args.len().min(1));
    all.extend(params.iter().zip(given).map(|(param, value)| ((*param).to_owned(), value)));
    for (name, value) in &mut all {
        // A place in a list.
        if name == "attribute" && value.is_number() {
            *value = Value::from(value.to_string());
        }
    }
    if !all.is_empty() {
        args.push(Kwargs::from_iter(all).into());
    }
    Ok(args)
}
