//! The register of diagnostic codes. A number is never reused; bands tell the stage:
//! `E01` lex, `E02` parse and init, `E03` scope, `E04` types, `E05` function graph,
//! `E06` running functions, `E07` resource graph, `E08` host and engine.
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
    E0101 UNRECOGNIZED "a character that is not part of the language";
    E0102 CARRIAGE_RETURN "a line that ends with a carriage return";
    E0103 UNCLOSED_STRING "a string that is never closed";
    E0104 INT_OVERFLOW "a number that does not fit in an int";
    E0105 FLOAT_OVERFLOW "a number that does not fit in a float";
    E0106 HIDDEN_CHARACTER "an invisible character";
    E0107 UNKNOWN_ESCAPE "an unknown escape sequence";
    E0108 BAD_HOLE "an interpolation of something other than a variable";
    E0109 TOO_MANY_HOLES "a string with too many interpolations";
    E0110 WRONG_QUOTES "a string in the wrong quotes";

    // E02: syntax, and what a look at the tree alone shows
    E0201 UNEXPECTED_TOKEN "an unexpected word or symbol";
    E0202 UNEXPECTED_END "a file that ends too early";
    E0203 TOO_DEEP "nesting that is too deep";
    E0204 ADDITIONAL_EQUALS "a bind with two equals signs";
    E0205 MISSING_COMMA "a field without its comma";
    E0206 UNKNOWN_ITEM_WORD "an unknown item in a resource";
    E0207 REPEATED_TYPE_FIELD "a struct type with a field twice";
    E0208 REPEATED_TYPE_PARAM "a function type with a parameter twice";
    E0209 TYPED_BIND "a literal that does not have its type";
    E0210 DUPLICATE_FIELD "a field that is set twice";
    E0211 DUPLICATE_META "a meta parameter that is set twice";
    E0212 UNKNOWN_EDGE_PROPERTY "an unknown kind of edge";
    E0213 UNKNOWN_META "an unknown meta parameter";
    E0214 DOUBLE_UNDERSCORE "a variable with two underscores in a row";
    E0215 MIXED_MAP_KEYS "a map whose keys differ in type";
    E0216 UNHASHABLE_MAP_KEY "an unhashable map key";
    E0217 DUPLICATE_MAP_KEY "a map with a key twice";
    E0218 DUPLICATE_STRUCT_FIELD "a struct with a field twice";
    E0219 EMPTY_IMPORT "an import without a name";
    E0220 IMPORT_IN_LOOP "an import in a loop";
    E0221 DUPLICATE_CLASS "a class that is defined twice";
    E0222 UNCLOSED_BRACKET "a bracket that is never closed";
    E0223 MISSING_DOLLAR "a variable without its dollar sign";
    E0224 FOREIGN_COMMENT "a comment from another language";
    E0225 FOREIGN_SYNTAX "syntax from another language";
    E0226 UNQUOTED_TEXT "text without quotes";
    E0227 ELSE_IF "an `else if`";
    E0228 LOWERCASE_EDGE "an edge in lower case";
    E0229 FOREIGN_SIGN "a symbol from another language";
    E0230 DANGLING_DOT "a name that ends in a dot";
    E0231 NUMBER_WITH_UNIT "a number with a unit";

    // E03: names and imports
    E0301 UNKNOWN_VARIABLE "a variable that is not defined";
    E0302 UNKNOWN_FUNCTION "a function that is not defined";
    E0303 UNKNOWN_CLASS "a class that is not defined";
    E0304 CLASS_ARGUMENTS "an include with the wrong number of arguments";
    E0305 DEFINED_TWICE "a name that is defined twice in one block";
    E0306 RECURSION "a circular definition";
    E0307 BAD_IMPORT_NAME "an invalid import name";
    E0308 UNKNOWN_MODULE "a core module that does not exist";
    E0309 MODULE_NOT_FOUND "a module that cannot be found";
    E0310 IMPORTED_TWICE "the same import twice in one block";
    E0311 ALIAS_TWICE "an alias that is used twice in one block";
    E0312 IMPORTS_CLASH "two imports that bring the same name";
    E0313 RECURSIVE_IMPORT "a circular import";
    E0314 STATEMENT_IN_MODULE "a statement with effects in an imported file";
    E0315 NESTED_TOO_DEEPLY "blocks, includes or imports that nest too deeply";
    E0316 PROGRAM_TOO_LARGE "a program that is too large";

    // E04: types
    E0401 TYPES_DIFFER "mismatched types";
    E0402 AMBIGUOUS "a type that cannot be inferred";
    E0403 STRUCTS_DIFFER "two structs differ in their fields";
    E0404 ARG_COUNT "wrong number of arguments";
    E0405 UNKNOWN_FIELD "a resource kind has no such field";
    E0406 UNKNOWN_KIND "there is no such resource kind";
    E0407 LONE_HALF "an edge with one half";
    E0408 CANNOT_SEND "a value cannot be sent there";
    E0409 BAD_CALL "a function refuses these arguments";
    E0410 VALUE_INCONSISTENT "a declared type contradicts the value";
    E0411 INFINITE_TYPE "a type that contains itself";
    E0412 UNHASHABLE_KEY "map keys of an unhashable type";
    E0413 CANNOT_BUILD "a function does not work on these types";
    E0414 TYPE_TOO_DEEP "a type that is too large";
    E0415 VARIANT "a value of type variant";

    // E05: the function graph
    E0501 META_TWICE "a meta parameter is set twice";
    E0502 GRAPH_TOO_LARGE "a program computes too much at once";

    // E06: functions at work
    E0601 UNCAUGHT "a function fails and nothing catches it";
    E0602 FATAL "a function ends the program";
    // E0603 was a bound of our own that no program reaches.
    E0604 NO_VALUE "a value never arrives";
    E0605 VALUE_TOO_BIG "a value that is too large";
    E0606 TOO_MUCH_WORK "a program computes too much after one change";

    // E07: resources and their graph
    E0701 META_RANGE "a meta parameter is out of range";
    E0702 EMPTY_NAME "a resource has an empty name";
    E0703 NO_SUCH_KIND "a resource of an unknown kind";
    E0704 FIELD_VALUE "an invalid value for a field";
    E0705 NOT_VALID "a resource is not valid";
    E0706 DUPLICATE "duplicate resources with different fields";
    E0707 DUPLICATE_EXPORT "two exports of one resource differ";
    E0708 NO_SUCH_RESOURCE "an edge to an unknown resource";
    E0709 DUPLICATE_RECEIVE "a field receives from two senders";
    E0710 HIDDEN_SENDER "a hidden resource cannot send";
    E0711 CYCLE "a circular dependency between resources";
    E0712 GROUP_CYCLE "automatic edges make a cycle";
    E0713 BAD_COLLECT "exported resources cannot be collected";
    E0714 TOO_MANY_EDGES "a program makes too many edges";

    // E08: the host
    E0801 NO_INPUT "the program's main file cannot be read";

    // W00: lints
    W0001 UNUSED_VARIABLE "a variable that is never used";
    W0002 UNUSED_IMPORT "an import that is never used";
    W0003 UNUSED_FUNCTION "a function that is never called";
    W0004 UNUSED_CLASS "a class that is never included";
    W0005 UNUSED_PARAMETER "a parameter that is never used";
    W0006 BROKEN_DEFINITION "an unused definition with a type error";
    W0007 IGNORED_NOTIFICATION "a notification to a kind that ignores it";
    W0008 CONSTANT_CONDITION "a condition that is always the same";
    W0010 DUPLICATE_META_LATER "a meta parameter that is set twice in a body that runs later";
    W0011 CONFLICTING_FIELDS "a field without effect";
    W0012 UNKNOWN_LINT "a switch for an unknown lint";
    W0013 DOLLAR_IN_TEXT "the name of a variable in a text";
    W0014 NEVER_CREATED "a file that is never created";
    W0015 SHELL_SYNTAX "shell syntax without a shell";
    W0016 ALWAYS_FAILS "a resource that fails on every host";
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
