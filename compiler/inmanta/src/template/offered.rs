//! The offer to templates: each filter, test, function and method with its cost.
//!
//! The lists are complete: an environment begins empty, so additions of a new version of minijinja are unavailable
//! until they have a line here, and with it a cost.

use super::arity::Signature;
use super::costs::{self, Cost};
use super::shown::python_kind;
use super::{json, links, markup, numbers, objects, operators, order, texts, whole, wrap};
use minijinja::value::{DynObject, Kwargs, ObjectRepr, Rest, ValueKind, ValueOrKwargs};
use minijinja::{Error, ErrorKind, State, Value, filters, functions, tests};
use minijinja_contrib::filters as more;

/// An entry of the offer.
pub(super) struct Offer {
    pub(super) name: &'static str,
    pub(super) cost: Cost,
    pub(super) run: Value,
    /// Whether the result is a part of an argument, so that it need not be checked.
    pub(super) gives_part: bool,
    /// The arguments that it takes in Jinja2, if their number is limited.
    pub(super) signature: Option<&'static Signature>,
}

macro_rules! offers {
    ($($name:literal $cost:ident $run:expr $(, $part:ident)?;)*) => {
        vec![$(Offer {
            name: $name,
            cost: costs::$cost,
            run: Value::from_function($run),
            gives_part: [$(stringify!($part)),*].contains(&"part"),
            signature: None,
        }),*]
    };
}

#[rustfmt::skip]
pub(super) fn filters() -> Vec<Offer> {
    offers! {
        "abs"            read            numbers::abs;
        "attr"           read            filters::attr, part;
        "batch"          grouped         filters::batch;
        "bool"           nothing         filters::bool;
        "capitalize"     copied          filters::capitalize;
        "center"         padded          texts::center;
        "chain"          together        filters::chain;
        "count"          text            texts::length;
        "d"              nothing         filters::default, part;
        "default"        nothing         filters::default, part;
        "dictsort"       sorted          |dict: &Value, options: Kwargs| texts::pairs(&order::dictsort(dict, options)?);
        "e"              escaped         markup::escape;
        "escape"         escaped         markup::escape;
        "filesizeformat" read            numbers::file_size;
        "first"          nothing         filters::first, part;
        "float"          read            numbers::float;
        "forceescape"    escaped         markup::forced;
        "format"         formatted       filters::format;
        "groupby"        sorted_by_first order::groupby;
        "indent"         indented        texts::indent;
        "int"            numbered        numbers::int;
        "items"          each            items;
        "join"           joined          filters::join;
        "last"           reached         texts::last, part;
        "length"         text            texts::length;
        "lines"          lines           filters::lines;
        "list"           each            filters::list;
        "lower"          copied          filters::lower;
        "map"            each            filters::map;
        "max"            sorted          order::max, part;
        "min"            sorted          order::min, part;
        "pprint"         escaped         |value: Value| super::shown::repr(&texts::sorted(&value));
        "reject"         each            filters::reject;
        "rejectattr"     each            filters::rejectattr;
        "replace"        replaced        texts::replace;
        "reverse"        each            |value: &Value| filters::reverse(&texts::keys_of(value)?);
        "round"          divided         numbers::round;
        "safe"           copied          filters::safe;
        "select"         each            filters::select;
        "selectattr"     each            filters::selectattr;
        "slice"          grouped         filters::slice;
        "sort"           sorted          order::sort;
        "split"          split           filters::split;
        "string"         escaped         filters::string;
        "striptags"      copied          more::striptags;
        "sum"            summed          sum;
        "title"          copied          filters::title;
        "tojson"         json            json::tojson;
        "trim"           trimmed         filters::trim;
        "truncate"       copied          texts::truncate;
        "unique"         distinct        filters::unique;
        "upper"          copied          filters::upper;
        "urlencode"      escaped         links::urlencode;
        "urlize"         linked          links::urlize;
        "wordcount"      spelled         texts::wordcount;
        "wordwrap"       wrapped         wrap::wordwrap;
        "xmlattr"        escaped         markup::attributes;
        "zip"            together        filters::zip;
    }
}

#[rustfmt::skip]
pub(super) fn tests() -> Vec<Offer> {
    offers! {
        "undefined"    nothing tests::is_undefined;
        "defined"      nothing tests::is_defined;
        "none"         nothing tests::is_none;
        "safe"         nothing tests::is_safe;
        "escaped"      nothing tests::is_safe;
        "boolean"      nothing tests::is_boolean;
        // What does not exist is an object that can be called, with an error.
        "callable"     nothing |value: &Value| value.is_undefined() || value.as_object().is_some_and(is_callable);
        "odd"          divided |value: &Value| numbers::leaves(value, &Value::from(2), 1);
        "even"         divided |value: &Value| numbers::leaves(value, &Value::from(2), 0);
        "divisibleby"  divided |value: &Value, divisor: &Value| numbers::leaves(value, divisor, 0);
        "number"       nothing |value: &Value| {
            matches!(value.kind(), ValueKind::Bool | ValueKind::Number) || whole::is_big(value)
        };
        "integer"      nothing |value: &Value| value.is_integer() || whole::is_big(value);
        "int"          nothing |value: &Value| value.is_integer() || whole::is_big(value);
        "float"        nothing tests::is_float;
        "string"       nothing tests::is_string;
        "sequence"     nothing |value: &Value| {
            matches!(value.kind(), ValueKind::Seq | ValueKind::String | ValueKind::Map)
        };
        "iterable"     text    |value: &Value| !value.is_none() && tests::is_iterable(value);
        "mapping"      nothing tests::is_mapping;
        "startingwith" copied  tests::is_startingwith;
        "endingwith"   copied  tests::is_endingwith;
        "lower"        read    tests::is_lower;
        "upper"        read    tests::is_upper;
        "sameas"       read    tests::is_sameas;
        "eq"           read    order::is_equal;
        "equalto"      read    order::is_equal;
        "=="           read    order::is_equal;
        "ne"           read    |a: &Value, b: &Value| !order::is_equal(a, b);
        "!="           read    |a: &Value, b: &Value| !order::is_equal(a, b);
        "lt"           read    |a: &Value, b: &Value| order::ordered(a, b, "<");
        "lessthan"     read    |a: &Value, b: &Value| order::ordered(a, b, "<");
        "<"            read    |a: &Value, b: &Value| order::ordered(a, b, "<");
        "le"           read    |a: &Value, b: &Value| order::ordered(a, b, "<=");
        "<="           read    |a: &Value, b: &Value| order::ordered(a, b, "<=");
        "gt"           read    |a: &Value, b: &Value| order::ordered(a, b, ">");
        "greaterthan"  read    |a: &Value, b: &Value| order::ordered(a, b, ">");
        ">"            read    |a: &Value, b: &Value| order::ordered(a, b, ">");
        "ge"           read    |a: &Value, b: &Value| order::ordered(a, b, ">=");
        ">="           read    |a: &Value, b: &Value| order::ordered(a, b, ">=");
        "in"           contained texts::contained;
        "true"         nothing tests::is_true;
        "false"        nothing tests::is_false;
        "filter"       text    texts::is_filter;
        "test"         text    texts::is_test;
    }
}

/// The filters that take a value that does not exist: Jinja2's, and those that only minijinja has.
pub(super) const LENIENT: [&str; 12] =
    ["abs", "bool", "chain", "d", "default", "items", "lines", "pprint", "round", "split", "tojson", "zip"];

/// The tests that take none: they calculate, compare or search. The others see what kind of a value it is.
#[rustfmt::skip]
pub(super) const STRICT: [&str; 23] = [
    "odd", "even", "divisibleby", "iterable", "lower", "upper", "filter", "test", "eq", "equalto", "==", "ne", "!=",
    "lt", "lessthan", "<", "le", "<=", "gt", "greaterthan", ">", "ge", ">=",
];

/// The filters that go through all elements. Jinja2 does not ask the others about a value that counts as false.
pub(super) const ITERATING: [&str; 11] =
    ["batch", "first", "groupby", "join", "list", "max", "min", "slice", "sort", "sum", "unique"];

/// The names of [`functions()`].
pub(super) const FUNCTIONS: [&str; 5] = ["range", "dict", "namespace", "joiner", "cycler"];

#[rustfmt::skip]
pub(super) fn functions() -> Vec<Offer> {
    offers! {
        "range"     counted range;
        "dict"      keyed   |values: Option<Value>, names: Kwargs| dict(values, &names);
        "namespace" kept    namespace;
        "joiner"    kept    |text: Option<Value>, names: Kwargs| objects::joiner(text, &names);
        "cycler"    kept    |items: Rest<Value>| objects::cycler(items.0);
    }
}

/// The entries of a dict. What does not exist has none.
fn items(dict: &Value) -> Result<Value, Error> {
    if dict.is_undefined() {
        return Ok(Value::from(Vec::<Value>::new()));
    }
    texts::pairs(&filters::items(dict)?)
}

/// `sum(list, attribute, start)`: each addition is charged, as that of the operator.
fn sum(state: &mut State<'_, '_>, args: Rest<ValueOrKwargs>) -> Result<Value, Error> {
    state.apply_filter(operators::SUMMED, &args.into_values())
}

/// `range(start, stop, step)`, with the errors of Python.
fn range(args: Rest<Value>) -> Result<Value, Error> {
    let wrong = |text: String| Err(Error::new(ErrorKind::InvalidOperation, text));
    let mut numbers = Vec::new();
    for value in &args.0 {
        if value.is_undefined() {
            return Err(Error::from(ErrorKind::UndefinedError));
        }
        if whole::is_big(value) {
            return wrong("OverflowError: Python int too large to convert to C ssize_t".into());
        }
        if !value.is_integer() && value.kind() != ValueKind::Bool {
            return wrong(format!("TypeError: '{}' object cannot be interpreted as an integer", python_kind(value)));
        }
        numbers.push(isize::try_from(value.clone())?);
    }
    match numbers[..] {
        [] => wrong("TypeError: range expected at least 1 argument, got 0".into()),
        [_, _, 0] => wrong("ValueError: range() arg 3 must not be zero".into()),
        [first] => functions::range(first, None, None),
        [first, stop] => functions::range(first, Some(stop), None),
        [first, stop, step] => functions::range(first, Some(stop), Some(step)),
        _ => wrong(format!("TypeError: range expected at most 3 arguments, got {}", numbers.len())),
    }
}

/// `dict(values, name=value)`: the entries of a dict or a list of pairs, and those given by name.
fn dict(values: Option<Value>, names: &Kwargs) -> Result<Value, Error> {
    let mut entries: Vec<(Value, Value)> = Vec::new();
    let values = values.unwrap_or_else(|| Value::from(Vec::<Value>::new()));
    texts::check_iterable(&values)?;
    let is_dict = values.kind() == ValueKind::Map;
    for item in values.try_iter()? {
        if is_dict {
            let value = values.get_item(&item)?;
            entries.push((item, value));
        } else {
            entries.push((item.get_item_by_index(0)?, item.get_item_by_index(1)?));
        }
    }
    for name in names.args() {
        entries.push((Value::from(name), names.peek(name)?));
    }
    Ok(Value::from_pairs(entries))
}

/// `namespace(values, name=value)`
fn namespace(state: &mut State<'_, '_>, values: Option<Value>, names: Kwargs) -> Result<Value, Error> {
    Value::from_function(functions::namespace).call(state, &[dict(values, &names)?])
}

/// Whether it is a macro, a joiner or a function.
fn is_callable(object: &DynObject) -> bool {
    let name = object.type_name();
    object.repr() == ObjectRepr::Plain
        && ["Macro", "Joiner", "Function", "closure"].iter().any(|part| name.contains(part))
}

/// The methods of strings, lists and dicts ([`super::methods`]), by name.
#[rustfmt::skip]
pub(super) const METHODS: &[(&str, Cost)] = &[
    ("capitalize", costs::copied), ("casefold", costs::copied), ("center", costs::padded), ("count", costs::searched), ("endswith", costs::read), ("expandtabs", costs::expanded), ("find", costs::searched),
    ("format", costs::formatted), ("get", costs::looked_up), ("index", costs::searched), ("isalnum", costs::read),
    ("isalpha", costs::read), ("isascii", costs::read), ("isdecimal", costs::read), ("isdigit", costs::read), ("isidentifier", costs::read), ("islower", costs::read),
    ("isnumeric", costs::read), ("isspace", costs::read), ("istitle", costs::read), ("isupper", costs::read), ("items", costs::each),
    ("join", costs::joins), ("keys", costs::each), ("ljust", costs::padded), ("lower", costs::copied),
    ("lstrip", costs::trimmed), ("partition", costs::copied), ("removeprefix", costs::copied),
    ("removesuffix", costs::copied), ("replace", costs::replaced), ("rfind", costs::searched), ("rindex", costs::searched),
    ("rjust", costs::padded), ("rpartition", costs::copied), ("rsplit", costs::split), ("rstrip", costs::trimmed), ("split", costs::split),
    ("splitlines", costs::lines), ("startswith", costs::read), ("strip", costs::trimmed), ("swapcase", costs::copied),
    ("title", costs::copied), ("upper", costs::copied), ("values", costs::each), ("zfill", costs::padded),
];

#[cfg(test)]
mod checks {
    use super::{FUNCTIONS, functions};

    #[test]
    fn each_function_is_named() {
        let names: Vec<&str> = functions().iter().map(|offer| offer.name).collect();
        assert_eq!(names, FUNCTIONS);
    }
}
