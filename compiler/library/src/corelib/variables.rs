//! Constants and variables. Functions spec, section 12; language spec, 6.1.

use crate::value::Value;

/// A builtin constant or variable.
#[derive(Debug)]
pub struct Variable {
    /// The module to import, if any.
    pub module: Option<&'static str>,
    /// The name after the dollar, without the module: `const.res.file.state.exists`.
    pub name: &'static str,
    /// Its value.
    pub value: Builtin,
    /// The description, in Markdown.
    pub doc: &'static str,
    /// Whether each use is a separate vertex, like a literal. Language spec, 10.3.
    pub per_use: bool,
}

/// The value of a builtin constant or variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Builtin {
    /// A string.
    Str(&'static str),
    /// An int.
    Int(i64),
    /// The host name that this instance was started with.
    Hostname,
}

impl Builtin {
    /// The value on a host of this name.
    pub fn value(self, hostname: &str) -> Value {
        match self {
            Builtin::Str(text) => Value::str(text),
            Builtin::Int(int) => Value::Int(int),
            Builtin::Hostname => Value::str(hostname),
        }
    }
}

const fn constant(name: &'static str, value: Builtin, doc: &'static str) -> Variable {
    Variable { module: None, name, value, doc, per_use: false }
}

const fn family(name: &'static str, value: &'static str) -> Variable {
    let doc = "One of the values of `os.family()`.";
    Variable { module: Some("os"), name, value: Builtin::Str(value), doc, per_use: false }
}

use Builtin::{Int, Str};

/// All of them, top-level ones first.
pub(super) static ALL: &[Variable] = &[
    Variable {
        module: None,
        name: "hostname",
        value: Builtin::Hostname,
        doc: "The host name that the agent was started with.",
        per_use: true,
    },
    Variable { module: None, name: "purpleidea", value: Str("hello world!"), doc: "A greeting.", per_use: true },
    constant("const.res.file.state.exists", Str("exists"), "The file must exist."),
    constant("const.res.file.state.absent", Str("absent"), "The file must not exist."),
    constant("const.res.file.state.undefined", Str(""), "Existence of the file is not managed."),
    constant("const.res.net.state.up", Str("up"), "The interface must be up."),
    constant("const.res.net.state.down", Str("down"), "The interface must be down."),
    constant("const.res.net.state.undefined", Str(""), "The state of the interface is not managed."),
    constant("const.res.firewalld.state.exists", Str("exists"), "The rule must exist."),
    constant("const.res.firewalld.state.absent", Str("absent"), "The rule must not exist."),
    constant("const.res.firewalld.state.undefined", Str(""), "Existence of the rule is not managed."),
    constant("const.res.tar.format.unknown", Int(0), "Any archive format."),
    constant("const.res.tar.format.ustar", Int(2), "The USTAR archive format."),
    constant("const.res.tar.format.pax", Int(4), "The PAX archive format."),
    constant("const.res.tar.format.gnu", Int(8), "The GNU archive format."),
    constant("const.res.gzip.level.no_compression", Int(0), "Stored, not compressed."),
    constant("const.res.gzip.level.best_speed", Int(1), "The fastest compression."),
    constant("const.res.gzip.level.best_compression", Int(9), "The smallest result."),
    constant("const.res.gzip.level.default_compression", Int(-1), "The default compromise between speed and size."),
    constant("const.res.gzip.level.huffman_only", Int(-2), "Huffman coding only."),
    family("family_redhat", "redhat"),
    family("family_debian", "debian"),
    family("family_archlinux", "archlinux"),
];
