//! How many arguments a filter, test, function or method takes: Jinja2 looks at them before the call, and a wrong number
//! is an error in the words of Python.

use minijinja::value::{Kwargs, ValueKind};
use minijinja::{Error, ErrorKind, Value};

/// What takes the arguments.
#[derive(Debug)]
pub(super) struct Signature {
    /// The names in templates.
    names: &'static [&'static str],
    /// The name in errors.
    function: &'static str,
    takes: Takes,
}

#[derive(Debug)]
enum Takes {
    /// The number of arguments that Jinja2 itself passes first, the parameters that need an argument, and the others.
    Named(usize, &'static [&'static str], &'static [&'static str]),
    /// Exactly this number of arguments, by place only: the function is not written in Python.
    One,
    Two,
    /// By place at most one, and any by name.
    UpToOne,
}

use Takes::{Named, One, Two, UpToOne};

const fn takes(names: &'static [&'static str], function: &'static str, takes: Takes) -> Signature {
    Signature { names, function, takes }
}

#[rustfmt::skip]
static FILTERS: &[Signature] = &[
    takes(&["abs"],             "abs",               One),
    takes(&["attr"],            "do_attr",           Named(1, &["obj", "name"], &[])),
    takes(&["batch"],           "do_batch",          Named(0, &["value", "linecount"], &["fill_with"])),
    takes(&["capitalize"],      "do_capitalize",     Named(0, &["s"], &[])),
    takes(&["center"],          "do_center",         Named(0, &["value"], &["width"])),
    takes(&["count", "length"], "len",               One),
    takes(&["d", "default"],    "do_default",        Named(0, &["value"], &["default_value", "boolean"])),
    takes(&["dictsort"],        "do_dictsort",       Named(0, &["value"], &["case_sensitive", "by", "reverse"])),
    takes(&["e", "escape"],     "escape",            Named(0, &["s"], &[])),
    takes(&["filesizeformat"],  "do_filesizeformat", Named(0, &["value"], &["binary"])),
    takes(&["first"],           "sync_do_first",     Named(1, &["seq"], &[])),
    takes(&["float"],           "do_float",          Named(0, &["value"], &["default"])),
    takes(&["forceescape"],     "do_forceescape",    Named(0, &["value"], &[])),
    takes(&["groupby"],         "sync_do_groupby",   Named(1, &["value", "attribute"], &["default", "case_sensitive"])),
    takes(&["indent"],          "do_indent",         Named(0, &["s"], &["width", "first", "blank"])),
    takes(&["int"],             "do_int",            Named(0, &["value"], &["default", "base"])),
    takes(&["items"],           "do_items",          Named(0, &["value"], &[])),
    takes(&["join"],            "sync_do_join",      Named(1, &["value"], &["d", "attribute"])),
    takes(&["last"],            "do_last",           Named(1, &["seq"], &[])),
    takes(&["list"],            "sync_do_list",      Named(0, &["value"], &[])),
    takes(&["lower"],           "do_lower",          Named(0, &["s"], &[])),
    takes(&["max"],             "do_max",            Named(1, &["value"], &["case_sensitive", "attribute"])),
    takes(&["min"],             "do_min",            Named(1, &["value"], &["case_sensitive", "attribute"])),
    takes(&["pprint"],          "do_pprint",         Named(0, &["value"], &[])),
    takes(&["replace"],         "do_replace",        Named(1, &["s", "old", "new"], &["count"])),
    takes(&["reverse"],         "do_reverse",        Named(0, &["value"], &[])),
    takes(&["round"],           "do_round",          Named(0, &["value"], &["precision", "method"])),
    takes(&["safe"],            "do_mark_safe",      Named(0, &["value"], &[])),
    takes(&["slice"],           "sync_do_slice",     Named(0, &["value", "slices"], &["fill_with"])),
    takes(&["sort"],            "do_sort",           Named(1, &["value"], &["reverse", "case_sensitive", "attribute"])),
    takes(&["string"],          "soft_str",          Named(0, &["s"], &[])),
    takes(&["striptags"],       "do_striptags",      Named(0, &["value"], &[])),
    takes(&["sum"],             "sync_do_sum",       Named(1, &["iterable"], &["attribute", "start"])),
    takes(&["title"],           "do_title",          Named(0, &["s"], &[])),
    takes(&["tojson"],          "do_tojson",         Named(1, &["value"], &["indent"])),
    takes(&["trim"],            "do_trim",           Named(0, &["value"], &["chars"])),
    takes(&["truncate"],        "do_truncate",       Named(1, &["s"], &["length", "killwords", "end", "leeway"])),
    takes(&["unique"],          "sync_do_unique",    Named(1, &["value"], &["case_sensitive", "attribute"])),
    takes(&["upper"],           "do_upper",          Named(0, &["s"], &[])),
    takes(&["urlencode"],       "do_urlencode",      Named(0, &["value"], &[])),
    takes(&["urlize"],          "do_urlize",
          Named(1, &["value"], &["trim_url_limit", "nofollow", "target", "rel", "extra_schemes"])),
    takes(&["wordcount"],       "do_wordcount",      Named(0, &["s"], &[])),
    takes(&["wordwrap"],        "do_wordwrap",
          Named(1, &["s"], &["width", "break_long_words", "wrapstring", "break_on_hyphens"])),
    takes(&["xmlattr"],         "do_xmlattr",        Named(1, &["d"], &["autospace"])),
];

#[rustfmt::skip]
static TESTS: &[Signature] = &[
    takes(&["boolean"],                "test_boolean",     Named(0, &["value"], &[])),
    takes(&["callable"],               "callable",         One),
    takes(&["defined"],                "test_defined",     Named(0, &["value"], &[])),
    takes(&["divisibleby"],            "test_divisibleby", Named(0, &["value", "num"], &[])),
    takes(&["eq", "equalto", "=="],    "eq",               Two),
    takes(&["escaped"],                "test_escaped",     Named(0, &["value"], &[])),
    takes(&["even"],                   "test_even",        Named(0, &["value"], &[])),
    takes(&["false"],                  "test_false",       Named(0, &["value"], &[])),
    takes(&["filter"],                 "test_filter",      Named(1, &["value"], &[])),
    takes(&["float"],                  "test_float",       Named(0, &["value"], &[])),
    takes(&["ge", ">="],               "ge",               Two),
    takes(&["gt", "greaterthan", ">"], "gt",               Two),
    takes(&["in"],                     "test_in",          Named(0, &["value", "seq"], &[])),
    takes(&["integer"],                "test_integer",     Named(0, &["value"], &[])),
    takes(&["iterable"],               "test_iterable",    Named(0, &["value"], &[])),
    takes(&["le", "<="],               "le",               Two),
    takes(&["lower"],                  "test_lower",       Named(0, &["value"], &[])),
    takes(&["lt", "lessthan", "<"],    "lt",               Two),
    takes(&["mapping"],                "test_mapping",     Named(0, &["value"], &[])),
    takes(&["ne", "!="],               "ne",               Two),
    takes(&["none"],                   "test_none",        Named(0, &["value"], &[])),
    takes(&["number"],                 "test_number",      Named(0, &["value"], &[])),
    takes(&["odd"],                    "test_odd",         Named(0, &["value"], &[])),
    takes(&["sameas"],                 "test_sameas",      Named(0, &["value", "other"], &[])),
    takes(&["sequence"],               "test_sequence",    Named(0, &["value"], &[])),
    takes(&["string"],                 "test_string",      Named(0, &["value"], &[])),
    takes(&["test"],                   "test_test",        Named(1, &["value"], &[])),
    takes(&["true"],                   "test_true",        Named(0, &["value"], &[])),
    takes(&["undefined"],              "test_undefined",   Named(0, &["value"], &[])),
    takes(&["upper"],                  "test_upper",       Named(0, &["value"], &[])),
];

static FUNCTIONS: &[Signature] =
    &[takes(&["dict", "namespace"], "dict", UpToOne), takes(&["joiner"], "Joiner.__init__", Named(1, &[], &["sep"]))];

/// The signatures of filters, tests and functions. Those that take any arguments, or that Jinja2 does not have, have none.
pub(super) fn signatures() -> [&'static [Signature]; 3] {
    [FILTERS, TESTS, FUNCTIONS]
}

impl Signature {
    pub(super) fn is_of(&self, name: &str) -> bool {
        self.names.contains(&name)
    }

    /// Errors: it does not take these arguments, the first of which is the value of a filter or test.
    pub(super) fn check(&self, args: &[Value]) -> Result<(), Error> {
        let function = self.function;
        let (by_place, by_name) = parted(args)?;
        let n_given = by_place.len();
        match self.takes {
            Named(n_hidden, needed, others) => self.check_named(n_hidden, [needed, others], n_given, &by_name),
            UpToOne if n_given > 1 => wrong(format!("{function} expected at most 1 argument, got {n_given}")),
            UpToOne => Ok(()),
            One | Two if !by_name.is_empty() => wrong(format!("{function}() takes no keyword arguments")),
            One if n_given != 1 => wrong(format!("{function}() takes exactly one argument ({n_given} given)")),
            Two if n_given != 2 => wrong(format!("{function} expected 2 arguments, got {n_given}")),
            One | Two => Ok(()),
        }
    }

    fn check_named(
        &self,
        n_hidden: usize,
        [needed, others]: [&[&str]; 2],
        n_given: usize,
        by_name: &[String],
    ) -> Result<(), Error> {
        let function = self.function;
        let place = |name: &str| needed.iter().chain(others).position(|param| *param == name);
        for name in by_name {
            match place(name) {
                None => return wrong(format!("{function}() got an unexpected keyword argument '{name}'")),
                Some(place) if place < n_given => {
                    return wrong(format!("{function}() got multiple values for argument '{name}'"));
                }
                Some(_) => {}
            }
        }
        let (least, most) = (n_hidden + needed.len(), n_hidden + needed.len() + others.len());
        if n_hidden + n_given > most {
            let takes = if least < most { format!("from {least} to {most}") } else { most.to_string() };
            let word = if most == 1 && least == most { "argument" } else { "arguments" };
            let n_given = n_hidden + n_given;
            return wrong(format!("{function}() takes {takes} positional {word} but {n_given} were given"));
        }
        let is_missing = |param: &&&str| !by_name.iter().any(|name| name == **param);
        let missing: Vec<String> =
            needed.iter().skip(n_given).filter(is_missing).map(|param| format!("'{param}'")).collect();
        let (n_missing, names) = (missing.len(), listed(&missing));
        match n_missing {
            0 => Ok(()),
            1 => wrong(format!("{function}() missing 1 required positional argument: {names}")),
            _ => wrong(format!("{function}() missing {n_missing} required positional arguments: {names}")),
        }
    }
}

/// Errors: the method of a string, list or dict does not take these arguments.
pub(super) fn check_method(value: &Value, method: &str, args: &[Value]) -> Result<(), Error> {
    let kind = match (value.as_str(), value.kind()) {
        (Some(_), _) => "str",
        (None, ValueKind::Seq) => "list",
        (None, ValueKind::Map) => "dict",
        _ => return Ok(()),
    };
    let (by_place, by_name) = parted(args)?;
    let n_given = by_place.len();
    // The bounds, and whether Python says what it "expected" or what the method "takes".
    let (least, most, is_expected) = match (kind, method) {
        ("str", "center" | "ljust" | "rjust") | ("dict", "get") => (1, 2, true),
        ("str", "lstrip" | "rstrip" | "strip") => (0, 1, true),
        ("str", "replace") => (2, 3, true),
        ("list", "index") => (1, 3, true),
        ("str", "count" | "endswith" | "find" | "index" | "rfind" | "rindex" | "startswith") => (1, 3, false),
        ("str", "expandtabs" | "splitlines" | "split" | "rsplit") => {
            let most = if method.ends_with("split") { 2 } else { 1 };
            let n_given = n_given + by_name.len();
            return match n_given > most {
                true => wrong(format!("{method}() takes at most {} ({n_given} given)", counted(most))),
                false => Ok(()),
            };
        }
        ("str", "join" | "partition" | "removeprefix" | "removesuffix" | "rpartition" | "zfill")
        | ("list", "count") => {
            let call = format!("{kind}.{method}()");
            return match (by_name.is_empty(), n_given) {
                (false, _) => wrong(format!("{call} takes no keyword arguments")),
                (true, 1) => Ok(()),
                (true, _) => wrong(format!("{call} takes exactly one argument ({n_given} given)")),
            };
        }
        // It takes any arguments, or there is no such method.
        ("str", "format" | "get" | "items" | "keys" | "values") | ("list", _) => return Ok(()),
        ("dict", method) if !matches!(method, "items" | "keys" | "values") => return Ok(()),
        _ => {
            let call = format!("{kind}.{method}()");
            return match (by_name.is_empty(), n_given) {
                (false, _) => wrong(format!("{call} takes no keyword arguments")),
                (true, 0) => Ok(()),
                (true, _) => wrong(format!("{call} takes no arguments ({n_given} given)")),
            };
        }
    };
    if !by_name.is_empty() {
        let of = if is_expected { format!("{kind}.") } else { String::new() };
        return wrong(format!("{of}{method}() takes no keyword arguments"));
    }
    let (bound, word) = match n_given {
        n if n < least => (least, "least"),
        n if n > most => (most, "most"),
        _ => return Ok(()),
    };
    let bound = counted(bound);
    wrong(match is_expected {
        true => format!("{method} expected at {word} {bound}, got {n_given}"),
        false => format!("{method}() takes at {word} {bound} ({n_given} given)"),
    })
}

/// The arguments by place, and the names of the others.
fn parted(args: &[Value]) -> Result<(&[Value], Vec<String>), Error> {
    match args.split_last() {
        Some((last, before)) if last.is_kwargs() => {
            let named = Kwargs::try_from(last.clone())?;
            Ok((before, named.args().map(str::to_owned).collect()))
        }
        _ => Ok((args, Vec::new())),
    }
}

fn counted(n: usize) -> String {
    if n == 1 { "1 argument".into() } else { format!("{n} arguments") }
}

fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [name] => name.clone(),
        [first, second] => format!("{first} and {second}"),
        [others @ .., last] => format!("{}, and {last}", others.join(", ")),
    }
}

fn wrong(text: String) -> Result<(), Error> {
    Err(Error::new(ErrorKind::InvalidOperation, format!("TypeError: {text}")))
}
