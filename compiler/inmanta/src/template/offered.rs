//! The offer to templates: each filter, test, function and method with its cost.
//!
//! The lists are complete: an environment begins empty, so additions of a new version of minijinja are unavailable
//! until they have a line here, and with it a cost.

use super::costs::{self, Cost};
use super::{markup, texts};
use minijinja::value::{Kwargs, Rest, ValueKind};
use minijinja::{Error, Value, filters, functions, tests};
use minijinja_contrib::{filters as more, globals};

/// An entry of the offer.
pub(super) struct Offer {
    pub(super) name: &'static str,
    pub(super) cost: Cost,
    pub(super) run: Value,
    /// Whether the result is a part of an argument, so that it need not be checked.
    pub(super) gives_part: bool,
}

macro_rules! offers {
    ($($name:literal $cost:ident $run:expr $(, $part:ident)?;)*) => {
        vec![$(Offer {
            name: $name,
            cost: costs::$cost,
            run: Value::from_function($run),
            gives_part: [$(stringify!($part)),*].contains(&"part"),
        }),*]
    };
}

#[rustfmt::skip]
pub(super) fn filters() -> Vec<Offer> {
    offers! {
        "abs"            read            filters::abs;
        "attr"           read            filters::attr, part;
        "batch"          grouped         filters::batch;
        "bool"           nothing         filters::bool;
        "capitalize"     copied          filters::capitalize;
        "center"         padded          texts::center;
        "chain"          each            filters::chain;
        "count"          text            filters::length;
        "d"              nothing         filters::default, part;
        "default"        nothing         filters::default, part;
        "dictsort"       sorted          |dict: &Value, options: Kwargs| texts::pairs(&filters::dictsort(dict, options)?);
        "e"              escaped         markup::escape;
        "escape"         escaped         markup::escape;
        "filesizeformat" read            more::filesizeformat;
        "first"          nothing         filters::first, part;
        "float"          read            filters::float;
        "forceescape"    escaped         markup::forced;
        "format"         formatted       filters::format;
        "groupby"        sorted_by_first filters::groupby;
        "indent"         indented        filters::indent;
        "int"            read            filters::int;
        "items"          each            |dict: &Value| texts::pairs(&filters::items(dict)?);
        "join"           joined          filters::join;
        "last"           text            filters::last, part;
        "length"         text            filters::length;
        "lines"          lines           filters::lines;
        "list"           each            filters::list;
        "lower"          copied          filters::lower;
        "map"            each            filters::map;
        "max"            sorted          filters::max, part;
        "min"            sorted          filters::min, part;
        "pprint"         escaped         |value: Value| super::shown::repr(&value);
        "reject"         each            filters::reject;
        "rejectattr"     each            filters::rejectattr;
        "replace"        replaced        filters::replace;
        "reverse"        each            filters::reverse;
        "round"          nothing         filters::round;
        "safe"           copied          filters::safe;
        "select"         each            filters::select;
        "selectattr"     each            filters::selectattr;
        "slice"          grouped         filters::slice;
        "sort"           sorted          filters::sort;
        "split"          split           filters::split;
        "string"         escaped         filters::string;
        "striptags"      copied          more::striptags;
        "sum"            summed          filters::sum;
        "title"          copied          filters::title;
        "tojson"         json            |value: &Value, indent: Option<Value>, options: Kwargs| {
            filters::tojson(&texts::sorted(value), indent, options)
        };
        "trim"           each            filters::trim;
        "truncate"       copied          texts::truncate;
        "unique"         sorted          filters::unique;
        "upper"          copied          filters::upper;
        "urlencode"      escaped         filters::urlencode;
        "wordcount"      text            |text: String| text.split_whitespace().count();
        "wordwrap"       wrapped         texts::wordwrap;
        "xmlattr"        escaped         markup::attributes;
        "zip"            each            filters::zip;
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
        "callable"     nothing |_: &Value| false;
        "odd"          nothing tests::is_odd;
        "even"         nothing tests::is_even;
        "divisibleby"  nothing tests::is_divisibleby;
        "number"       nothing tests::is_number;
        "integer"      nothing tests::is_integer;
        "int"          nothing tests::is_integer;
        "float"        nothing tests::is_float;
        "string"       nothing tests::is_string;
        "sequence"     nothing |value: &Value| {
            matches!(value.kind(), ValueKind::Seq | ValueKind::String | ValueKind::Map)
        };
        "iterable"     text    tests::is_iterable;
        "mapping"      nothing tests::is_mapping;
        "startingwith" copied  tests::is_startingwith;
        "endingwith"   copied  tests::is_endingwith;
        "lower"        read    tests::is_lower;
        "upper"        read    tests::is_upper;
        "sameas"       read    tests::is_sameas;
        "eq"           read    tests::is_eq;
        "equalto"      read    tests::is_eq;
        "=="           read    tests::is_eq;
        "ne"           read    tests::is_ne;
        "!="           read    tests::is_ne;
        "lt"           read    tests::is_lt;
        "lessthan"     read    tests::is_lt;
        "<"            read    tests::is_lt;
        "le"           read    tests::is_le;
        "<="           read    tests::is_le;
        "gt"           read    tests::is_gt;
        "greaterthan"  read    tests::is_gt;
        ">"            read    tests::is_gt;
        "ge"           read    tests::is_ge;
        ">="           read    tests::is_ge;
        "in"           escaped tests::is_in;
        "true"         nothing tests::is_true;
        "false"        nothing tests::is_false;
        "filter"       nothing tests::is_filter;
        "test"         nothing tests::is_test;
    }
}

#[rustfmt::skip]
pub(super) fn functions() -> Vec<Offer> {
    offers! {
        "range"     counted functions::range;
        "dict"      each    functions::dict;
        "namespace" kept    functions::namespace;
        "joiner"    kept    globals::joiner;
        "cycler"    kept    |items: Rest<Value>| -> Result<Value, Error> { globals::cycler(items.0) };
    }
}

/// The methods of strings, lists and dicts ([`super::methods`]), by name.
#[rustfmt::skip]
pub(super) const METHODS: &[(&str, Cost)] = &[
    ("capitalize", costs::copied), ("center", costs::padded), ("count", costs::searched), ("endswith", costs::read), ("find", costs::searched),
    ("format", costs::formatted), ("get", costs::read), ("index", costs::searched), ("isalnum", costs::read),
    ("isalpha", costs::read), ("isascii", costs::read), ("isdecimal", costs::read), ("isdigit", costs::read), ("islower", costs::read),
    ("isnumeric", costs::read), ("isspace", costs::read), ("istitle", costs::read), ("isupper", costs::read), ("items", costs::each),
    ("join", costs::joins), ("keys", costs::each), ("ljust", costs::padded), ("lower", costs::copied),
    ("lstrip", costs::each), ("partition", costs::copied), ("removeprefix", costs::copied),
    ("removesuffix", costs::copied), ("replace", costs::replaced), ("rfind", costs::searched), ("rindex", costs::searched),
    ("rjust", costs::padded), ("rpartition", costs::copied), ("rsplit", costs::split), ("rstrip", costs::each), ("split", costs::split),
    ("splitlines", costs::lines), ("startswith", costs::read), ("strip", costs::each), ("swapcase", costs::copied),
    ("title", costs::copied), ("upper", costs::copied), ("values", costs::each), ("zfill", costs::padded),
];
