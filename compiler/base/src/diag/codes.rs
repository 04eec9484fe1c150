//! The register of diagnostic codes. A number is never reused; each stage has a range: `E01` lex, `E02` parse and init,
//! `E03` scope, `E04` types, `E05` function graph, `E06` running functions, `E07` resource graph, `E08` host and
//! engine.
//!
//! Adding a code is one line here and one page `explain/EXXXX.md` whose example triggers it.

/// A diagnostic's code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Code(pub u16);

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0.checked_sub(LINTS) {
            Some(number) => write!(f, "W{number:04}"),
            None => write!(f, "E{:04}", self.0),
        }
    }
}

/// Codes above this number are lints: `W0001` is `LINTS + 1`.
const LINTS: u16 = 10_000;

impl Code {
    /// Whether this is a lint, a warning that can be switched on and off.
    pub fn is_lint(self) -> bool {
        self.0 >= LINTS
    }
}

/// One entry of the register.
#[derive(Clone, Copy, Debug)]
pub struct Registered {
    /// The code.
    pub code: Code,
    /// A few words, the page's title.
    pub title: &'static str,
    /// The constant's name, `UNUSED_VARIABLE`; switches spell it `unused_variable`.
    pub name: &'static str,
    /// The page, in Markdown: a program that triggers the code, the reason, the fix.
    pub page: &'static str,
}

/// The number in a name like `E0301`.
const fn number(name: &str) -> u16 {
    let digits = name.as_bytes();
    let base = if digits[0] == b'W' { LINTS } else { 0 };
    let mut value = 0;
    let mut at = 1;
    while at < digits.len() {
        value = value * 10 + (digits[at] - b'0') as u16;
        at += 1;
    }
    base + value
}

macro_rules! register {
    ($($number:ident $name:ident $title:literal;)*) => {
        $(
            #[doc = $title]
            pub const $name: Code = Code(number(stringify!($number)));
        )*

        /// Every code, ascending.
        pub static REGISTER: &[Registered] = &[
            $(Registered {
                code: $name,
                title: $title,
                name: stringify!($name),
                page: include_str!(concat!("explain/", stringify!($number), ".md")),
            },)*
        ];
    };
}

/// A broken internal invariant. It has no page, since no program may trigger it.
pub const BUG: Code = Code(0);

register! {
    // E01: the text itself
    E0101 UNRECOGNIZED "invalid character";
    E0102 CARRIAGE_RETURN "carriage return at the end of a line";
    E0103 UNCLOSED_STRING "unclosed string";
    E0104 INT_OVERFLOW "integer too large";
    E0105 FLOAT_OVERFLOW "float too large";
    E0106 HIDDEN_CHARACTER "invisible character";
    E0107 UNKNOWN_ESCAPE "unknown escape sequence";
    E0108 BAD_HOLE "only a variable can be interpolated";
    E0109 TOO_MANY_HOLES "too many interpolations in a string";
    E0110 WRONG_QUOTES "string in the wrong quotes";

    // E02: syntax, and what a look at the tree alone shows
    E0201 UNEXPECTED_TOKEN "unexpected word or symbol";
    E0202 UNEXPECTED_END "unexpected end of file";
    E0203 TOO_DEEP "nested too deeply";
    E0204 ADDITIONAL_EQUALS "`==` used to define a variable";
    E0205 MISSING_COMMA "missing comma after a field";
    E0206 UNKNOWN_ITEM_WORD "unknown item in a resource";
    E0207 REPEATED_TYPE_FIELD "duplicate field in a struct type";
    E0208 REPEATED_TYPE_PARAM "duplicate parameter in a function type";
    E0209 TYPED_BIND "literal of the wrong type";
    E0210 DUPLICATE_FIELD "duplicate field";
    E0211 DUPLICATE_META "duplicate meta parameter";
    E0212 UNKNOWN_EDGE_PROPERTY "unknown edge";
    E0213 UNKNOWN_META "unknown meta parameter";
    E0214 DOUBLE_UNDERSCORE "variable with two underscores in a row";
    E0215 MIXED_MAP_KEYS "map keys of different types";
    E0216 UNHASHABLE_MAP_KEY "unhashable map key";
    E0217 DUPLICATE_MAP_KEY "duplicate key in a map";
    E0218 DUPLICATE_STRUCT_FIELD "duplicate field in a struct";
    E0219 EMPTY_IMPORT "empty import";
    E0220 IMPORT_IN_LOOP "import in a loop";
    E0221 DUPLICATE_CLASS "duplicate class";
    E0222 UNCLOSED_BRACKET "unclosed bracket";
    E0223 MISSING_DOLLAR "missing `$` before a variable";
    E0224 FOREIGN_COMMENT "comment syntax of another language";
    E0225 FOREIGN_SYNTAX "syntax of another language";
    E0226 UNQUOTED_TEXT "missing quotes around a string";
    E0227 ELSE_IF "`else if` is not supported";
    E0228 LOWERCASE_EDGE "edge in lower case";
    E0229 FOREIGN_SIGN "symbol of another language";
    E0230 DANGLING_DOT "name ends with a dot";
    E0231 NUMBER_WITH_UNIT "number with a unit";

    // E03: names and imports
    E0301 UNKNOWN_VARIABLE "cannot find a variable";
    E0302 UNKNOWN_FUNCTION "cannot find a function";
    E0303 UNKNOWN_CLASS "cannot find a class";
    E0304 CLASS_ARGUMENTS "wrong number of arguments for a class";
    E0305 DEFINED_TWICE "duplicate definition";
    E0306 RECURSION "circular definition";
    E0307 BAD_IMPORT_NAME "invalid import name";
    E0308 UNKNOWN_MODULE "cannot find a core module";
    E0309 MODULE_NOT_FOUND "cannot find a module";
    E0310 IMPORTED_TWICE "duplicate import";
    E0311 ALIAS_TWICE "duplicate alias";
    E0312 IMPORTS_CLASH "conflicting names from two imports";
    E0313 RECURSIVE_IMPORT "circular import";
    E0314 STATEMENT_IN_MODULE "statement has no effect in an imported file";
    E0315 NESTED_TOO_DEEPLY "blocks, includes or imports nested too deeply";
    E0316 PROGRAM_TOO_LARGE "program is too large";

    // E04: types
    E0401 TYPES_DIFFER "mismatched types";
    E0402 AMBIGUOUS "cannot infer a type";
    E0403 STRUCTS_DIFFER "mismatched structs";
    E0404 ARG_COUNT "wrong number of arguments";
    E0405 UNKNOWN_FIELD "unknown field of a resource kind";
    E0406 UNKNOWN_KIND "cannot find a resource kind";
    E0407 LONE_HALF "edge with only one end";
    E0408 CANNOT_SEND "value cannot be sent to this field";
    E0409 BAD_CALL "invalid function call";
    E0410 VALUE_INCONSISTENT "declared type does not match the value";
    E0411 INFINITE_TYPE "infinite type";
    E0412 UNHASHABLE_KEY "unhashable type of map keys";
    E0413 CANNOT_BUILD "function does not support these types";
    E0414 TYPE_TOO_DEEP "type is too large";
    E0415 VARIANT "value of type `variant`";

    // E05: the function graph
    E0501 META_TWICE "meta parameter set twice";
    E0502 GRAPH_TOO_LARGE "function graph is too large";

    // E06: functions at work
    E0601 UNCAUGHT "uncaught function error";
    E0602 FATAL "program stopped by a function";
    // E0603 was a bound of our own that no program reaches.
    E0604 NO_VALUE "value never arrives";
    E0605 VALUE_TOO_BIG "value is too large";
    E0606 TOO_MUCH_WORK "work limit exceeded";

    // E07: resources and their graph
    E0701 META_RANGE "meta parameter out of range";
    E0702 EMPTY_NAME "empty resource name";
    E0703 NO_SUCH_KIND "unknown resource kind";
    E0704 FIELD_VALUE "invalid field value";
    E0705 NOT_VALID "invalid resource";
    E0706 DUPLICATE "duplicate resource";
    E0707 DUPLICATE_EXPORT "conflicting exports of a resource";
    E0708 NO_SUCH_RESOURCE "cannot find the resource of an edge";
    E0709 DUPLICATE_RECEIVE "field receives from two senders";
    E0710 HIDDEN_SENDER "hidden resource cannot send";
    E0711 CYCLE "circular dependency between resources";
    E0712 GROUP_CYCLE "automatic edges form a cycle";
    E0713 BAD_COLLECT "cannot collect exported resources";
    E0714 TOO_MANY_EDGES "too many edges";
    E0715 SECRET_EXPORT "secret in an exported resource";

    // E08: the host
    E0801 NO_INPUT "cannot read the main file";

    // W00: lints
    W0001 UNUSED_VARIABLE "unused variable";
    W0002 UNUSED_IMPORT "unused import";
    W0003 UNUSED_FUNCTION "unused function";
    W0004 UNUSED_CLASS "unused class";
    W0005 UNUSED_PARAMETER "unused parameter";
    W0006 BROKEN_DEFINITION "type error in an unused definition";
    W0007 IGNORED_NOTIFICATION "ignored notification";
    W0008 CONSTANT_CONDITION "constant condition";
    W0010 DUPLICATE_META_LATER "meta parameter may be set twice at runtime";
    W0011 CONFLICTING_FIELDS "field has no effect";
    W0012 UNKNOWN_LINT "unknown lint";
    W0013 DOLLAR_IN_TEXT "variable name in a string without `${}`";
    W0014 NEVER_CREATED "file is never created";
    W0015 SHELL_SYNTAX "shell syntax without a shell";
    W0016 ALWAYS_FAILS "resource always fails";
    W0017 SAME_FILE "two paths for the same file";
    W0018 NEGATIVE_META "negative meta parameter";
    W0019 SWAPPED_ARGUMENTS "swapped arguments";
}

/// The register's entry of a code.
pub fn entry(code: Code) -> Option<&'static Registered> {
    REGISTER.iter().find(|entry| entry.code == code)
}

/// The lint that a switch names: `unused_variable`, `unused-variable` or `W0001`.
pub fn lint_named(name: &str) -> Option<&'static Registered> {
    let lints = REGISTER.iter().filter(|entry| entry.code.is_lint());
    let same = |entry: &&Registered| entry.name.eq_ignore_ascii_case(&name.replace('-', "_"));
    lints.clone().find(same).or_else(|| lints.clone().find(|entry| entry.code.to_string().eq_ignore_ascii_case(name)))
}
