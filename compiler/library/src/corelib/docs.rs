//! Documentation of the library, from its definitions: as JSON for tools, as Markdown for the site and for a terminal.
//! `mclive docs functions`.

use super::mcl::names::{self, What, Written};
use super::variables::{self, Builtin, Variable};
use super::{Example, FnDef, Long, Run, Sig, all, symbols};
use serde_json::{Value as Json, json};
use std::fmt::Write;

/// Documentation of one function, operator, constant or variable.
#[derive(Debug)]
pub struct Doc {
    /// The name with the full module name: `golang/strings.to_upper`, `$hostname`, `<|>`.
    pub name: String,
    /// The module; empty for names that need no import.
    pub module: &'static str,
    /// The signature, with variables if several forms are accepted; `None` if it is computed per call.
    pub signature: Option<String>,
    /// Every accepted form; for a constant or variable, its type.
    pub signatures: Vec<&'static str>,
    /// What it is.
    pub kind: DocKind,
    /// The description, in Markdown.
    pub doc: &'static str,
    /// Examples; may be empty.
    pub examples: &'static [Example],
    /// The value of a constant, in value notation.
    pub value: Option<String>,
}

/// The kind of an entry. Functions spec, 1.3.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DocKind {
    /// The result depends only on the arguments (and on the time zone).
    Pure,
    /// It has a signature with type variables.
    Buildable,
    /// Its signature is computed per call.
    Inferred,
    /// Its result changes over time.
    Streaming,
    /// It reads something outside the program when it is evaluated.
    Io,
    /// A constant.
    Const,
    /// A variable.
    Variable,
    /// An operator.
    Operator,
    /// A class to include.
    Class,
}

impl DocKind {
    /// The name in the JSON output.
    pub fn name(self) -> &'static str {
        match self {
            DocKind::Pure => "pure",
            DocKind::Buildable => "buildable",
            DocKind::Inferred => "inferred",
            DocKind::Streaming => "streaming",
            DocKind::Io => "io",
            DocKind::Const => "const",
            DocKind::Variable => "variable",
            DocKind::Operator => "operator",
            DocKind::Class => "class",
        }
    }
}

/// Every entry: functions, operators, constants and variables, then the names written in MCL.
pub fn entries() -> impl Iterator<Item = Doc> {
    let builtin =
        all().map(function).chain(symbols::ALL.iter().map(operator)).chain(variables::ALL.iter().map(variable));
    builtin.chain(names::ALL.iter().map(written))
}

/// Entries as a JSON list: `name`, `module`, `signature`, `signatures`, `kind`, `doc`, `examples` with `call` and
/// `gives`, `errors`, and `value` for constants.
///
/// `signature` is null if it is computed per call.
pub fn json(entries: impl IntoIterator<Item = Doc>) -> Json {
    entries.into_iter().map(entry_json).collect()
}

fn entry_json(entry: Doc) -> Json {
    let mut out = json!({
        "name": entry.name,
        "module": entry.module,
        "signature": entry.signature,
        "signatures": entry.signatures,
        "kind": entry.kind.name(),
        "doc": entry.doc,
        "examples": entry.examples.iter().map(|example| json!({ "call": example.call, "gives": example.gives })).collect::<Json>(),
        "errors": errors(entry.examples),
    });
    if let Some(value) = entry.value {
        out["value"] = value.into();
    }
    out
}

/// The errors in examples.
fn errors(examples: &[Example]) -> Vec<&'static str> {
    examples.iter().filter_map(|example| example.gives.strip_prefix("error: ")).collect()
}

/// Entries as one page, with a section per module.
pub fn markdown(entries: impl IntoIterator<Item = Doc>) -> String {
    let mut out = String::from("# Functions\n");
    let mut section = None;
    for entry in entries {
        if section != Some(entry.module) {
            let title = if entry.module.is_empty() { "Without an import" } else { entry.module };
            let _ = write!(out, "\n## {title}\n");
            section = Some(entry.module);
        }
        let _ = write!(out, "\n### `{}`\n\n", entry.name);
        for signature in &entry.signatures {
            let _ = writeln!(out, "- `{signature}`");
        }
        let _ = write!(out, "\n{}\n", entry.doc);
        if let Some(value) = &entry.value {
            let _ = write!(out, "\nValue: `{value}`.\n");
        }
        if !entry.examples.is_empty() {
            out.push_str("\n```mcl\n");
            for Example { call, gives } in entry.examples {
                let _ = writeln!(out, "{call} # {gives}");
            }
            out.push_str("```\n");
        }
    }
    out
}

fn function(def: &'static FnDef) -> Doc {
    let (signature, signatures) = match def.sig {
        Sig::Fixed(sig) => (Some(sig), vec![sig]),
        Sig::OneOf { sig, accepts } => (Some(sig), accepts.to_vec()),
        Sig::Inferred { shown, .. } => (None, shown.to_vec()),
    };
    let kind = kind(def, &signatures);
    // A function that every call refuses is shown with its only form.
    let signature = signature.or((kind != DocKind::Inferred).then(|| signatures[0]));
    Doc {
        signature: signature.map(String::from),
        name: def.path.into(),
        module: def.module().unwrap_or_default(),
        kind,
        signatures,
        doc: def.doc,
        examples: def.examples,
        value: None,
    }
}

/// Functions whose result changes over time, though their definition does not say so.
const STREAMING: [&str; 33] = [
    "history",
    "datetime.now",
    "datetime.str_now",
    "datetime.weekday_fast",
    "example.flipflop",
    "example.vumeter",
    "net.interface_cidr",
    "net.macs",
    "net.wired_interface",
    "net/http.response",
    "os.file_exists",
    "os.modinfo_loaded",
    "os.readfile",
    "os.system",
    "os.user_exists",
    "sys.cpu_count",
    "sys.hostname",
    "sys.load",
    "sys.uptime",
    "sys/fwupd.reboot_needed",
    "test.fastcount",
    "test.forkvloop",
    "test.forloop",
    "test.one_stream",
    "value.get",
    "value.get_bool",
    "value.get_str",
    "value.get_int",
    "value.get_float",
    "world.getval",
    "world.kvlookup",
    "world.schedule",
    "world/collect.res",
];

fn kind(def: &FnDef, signatures: &[&str]) -> DocKind {
    if STREAMING.contains(&def.path) {
        return DocKind::Streaming;
    }
    match (&def.sig, &def.run) {
        (Sig::Inferred { .. }, _) => DocKind::Inferred,
        (Sig::OneOf { .. }, _) => DocKind::Buildable,
        (Sig::Fixed(_), _) if signatures.iter().any(|sig| sig.contains('?')) => DocKind::Buildable,
        // The module path is not an argument.
        (Sig::Fixed(_), Run::Pure(_)) if def.path == "deploy.abspath" => DocKind::Io,
        (Sig::Fixed(_), Run::Pure(_) | Run::Iter(_) | Run::Long(Long { is_pure: true, .. })) => DocKind::Pure,
        // It only fails.
        (Sig::Fixed(_), Run::World(_)) if def.path == "golang/runtime.cpu_profile" => DocKind::Pure,
        // A time zone hardly ever changes.
        (Sig::Fixed(_), Run::World(_)) if def.module() == Some("datetime") => DocKind::Pure,
        (Sig::Fixed(_), Run::World(_) | Run::Long(_)) => DocKind::Io,
    }
}

/// A fixed type, and a result that does not change over time: what a template can call.
pub(super) fn is_of_the_moment(def: &'static FnDef) -> bool {
    matches!(function(def).kind, DocKind::Pure | DocKind::Io)
}

fn operator(symbol: &'static symbols::Symbol) -> Doc {
    let signature = match symbol.signatures {
        [single] => (*single).to_string(),
        // Both operands have the same type, and so has the result unless it differs between forms.
        forms => {
            let result = |form: &str| form.rsplit(' ').next().unwrap_or_default().to_string();
            let is_fixed = forms.iter().all(|form| result(form) == result(forms[0]));
            format!("func(a ?1, b ?1) {}", if is_fixed { result(forms[0]) } else { "?1".into() })
        }
    };
    Doc {
        signature: Some(signature),
        name: symbol.text.into(),
        module: "",
        signatures: symbol.signatures.to_vec(),
        kind: DocKind::Operator,
        doc: symbol.doc,
        examples: symbol.examples,
        value: None,
    }
}

fn variable(variable: &'static Variable) -> Doc {
    let (ty, value, kind) = match variable.value {
        Builtin::Hostname => ("str", None, DocKind::Variable),
        Builtin::Str(text) => ("str", Some(crate::value::quote(text.as_bytes())), constant_kind(variable)),
        Builtin::Int(int) => ("int", Some(int.to_string()), constant_kind(variable)),
    };
    let module = variable.module.unwrap_or_default();
    let prefix = if module.is_empty() { String::new() } else { format!("{module}.") };
    Doc {
        name: format!("${prefix}{}", variable.name),
        module,
        signature: Some(ty.into()),
        signatures: vec![ty],
        kind,
        doc: variable.doc,
        examples: &[],
        value,
    }
}

fn written(written: &'static Written) -> Doc {
    // Classes and variables are written with the last part of the module name.
    let short = written.module.rsplit('/').next().unwrap_or_default();
    let (name, kind, value) = match written.what {
        What::Function => (format!("{short}.{}", written.name), DocKind::Pure, None),
        What::Variable(value) => (format!("${short}.{}", written.name), DocKind::Variable, Some(value.to_string())),
        What::Class => (format!("class {short}.{}", written.name), DocKind::Class, None),
    };
    let signatures = if written.signature.is_empty() { vec![] } else { vec![written.signature] };
    let signature = signatures.first().map(|signature| (*signature).to_string());
    Doc {
        name,
        module: written.module,
        signature,
        signatures,
        kind,
        doc: written.doc,
        examples: written.examples,
        value,
    }
}

fn constant_kind(variable: &Variable) -> DocKind {
    if variable.per_use { DocKind::Variable } else { DocKind::Const }
}
