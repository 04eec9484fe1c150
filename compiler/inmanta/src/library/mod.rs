//! The standard library: modules written in the language, and functions as definitions.
//!
//! A module is a `.cf` text below `modules/`; a function is a static [`Definition`] with its signature, docs and
//! examples, which run as tests.

mod addresses;
mod annotation;
mod answers;
mod facts;
pub mod foreign;
mod functions;
mod instances;
mod instead;
mod ip;
mod lists;
mod misnamed;
mod python;
mod sample;
mod signature;
mod texts;
pub(crate) mod undeclared;
mod validate;
pub(crate) mod world;

pub use facts::Fact;
pub use functions::Definition;
pub use instead::{INSTEAD, Instead};
pub(crate) use instead::{instead_of, known_of};
pub use misnamed::misnamed;
pub use signature::{Param, ParamKind};

use crate::eval::{Call, Stop};
use crate::fault::{Class, Fault};
use crate::load::AutoStd;
use crate::program::{Program, Type};
use crate::value::Value;
use signature::Signature;
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// The implementation of a function.
pub type Run = fn(&mut Call<'_, '_>) -> Result<Value, Stop>;

/// A function that models can call.
pub struct Function {
    /// The name with its module.
    pub name: Cow<'static, str>,
    /// The signature.
    pub signature: Cow<'static, str>,
    /// The description, in Markdown.
    pub doc: &'static str,
    /// Calls with their results.
    pub examples: &'static [(&'static str, &'static str)],
    /// What to use instead, if deprecated.
    pub deprecated: Option<Cow<'static, str>>,
    /// Whether arguments may be unknown.
    pub accepts_unknown: bool,
    /// Whether it looks up names where it is called.
    pub looks_up_names: bool,
    /// Whether it asks a server, so that its results may be declared.
    pub asks_a_server: bool,
    /// Whether it is written in Python, so that its results are declared.
    pub is_foreign: bool,
    /// The implementation.
    pub run: Run,
    parsed: Signature,
}

impl Function {
    /// The name without its module.
    pub fn short_name(&self) -> &str {
        self.name.rsplit("::").next().unwrap_or(&self.name)
    }

    /// The parameters.
    pub fn params(&self) -> &[Param] {
        &self.parsed.params
    }

    /// Of a deprecated function: that it is, and what to use instead.
    pub fn deprecation(&self) -> Option<String> {
        let instead = self.deprecated.as_deref()?;
        // The original's words continue "It should be replaced by".
        let instead = instead.strip_prefix("using ").unwrap_or(instead);
        Some(if instead.is_empty() { "Deprecated.".to_owned() } else { format!("Deprecated. Use {instead}.") })
    }

    /// The result type.
    pub fn result_type(&self, program: &Program) -> Type {
        self.parsed.result.resolve(program)
    }

    /// Whether a fault is about the arguments, so that the call itself is reported.
    pub(crate) fn is_argument_fault(&self, fault: &Fault) -> bool {
        fault.class == Class::Runtime && fault.message.contains("()") || fault.message.starts_with("Keyword argument")
    }
}

fn table() -> &'static [Arc<Function>] {
    static TABLE: OnceLock<Vec<Arc<Function>>> = OnceLock::new();
    TABLE.get_or_init(|| functions::all().map(Definition::build).map(Arc::new).collect())
}

/// The functions of a module.
pub fn functions(module: &str) -> impl Iterator<Item = &'static Arc<Function>> {
    let prefix = format!("{module}::");
    table().iter().filter(move |function| function.name.strip_prefix(&prefix).is_some_and(|name| !name.contains("::")))
}

/// Every function, in the order of the modules.
pub fn all_functions() -> impl Iterator<Item = &'static Arc<Function>> {
    table().iter()
}

/// The text of a built-in module's file.
pub fn module(namespace: &str, std: AutoStd) -> Option<&'static str> {
    if std == AutoStd::Mini {
        return (namespace == "std").then_some(include_str!("modules/mini.cf"));
    }
    MODULES.iter().find(|(name, _)| *name == namespace).map(|(_, text)| *text)
}

/// The classic part of `std`, loaded when one of its entities is first mentioned.
pub const CLASSIC: &str = include_str!("modules/classic.cf");

/// The entities of the classic part.
pub const CLASSIC_ENTITIES: &[&str] = &[
    "Reload",
    "File",
    "ConfigFile",
    "Directory",
    "DefaultDirectory",
    "Symlink",
    "Package",
    "Packages",
    "Service",
    "Content",
    "package_state",
    "service_state",
];

/// The built-in modules.
pub const MODULES: &[(&str, &str)] = &[
    ("std", include_str!("modules/std.cf")),
    ("std::testing", include_str!("modules/std_testing.cf")),
    ("fs", include_str!("modules/fs.cf")),
    ("exec", include_str!("modules/exec.cf")),
    ("ip", include_str!("modules/ip.cf")),
    ("ip::services", include_str!("modules/ip_services.cf")),
    ("net", include_str!("modules/net.cf")),
    ("mitogen", include_str!("modules/mitogen.cf")),
    ("posix", include_str!("modules/posix.cf")),
];
