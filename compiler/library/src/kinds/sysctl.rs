//! `sysctl`: Sets a kernel parameter at run time and/or persistently. Resource spec, 9.

use crate::kinds::rules::{ensure, file_exists};
use crate::kinds::{Field, FieldDefault, Kind, KindDecl, Traits, Want};
use crate::vocab::{Datum, FactSpec, file};

/// The kind `sysctl`.
pub(crate) struct Sysctl;

static DECL: KindDecl = KindDecl {
    name: "sysctl",
    doc: "Sets a kernel parameter at run time and/or persistently.",
    fields: &[
        Field::str("value", "Value", "Value text (mandatory).").required(),
        Field::bool("runtime", "Runtime", "Write under /proc/sys.").default(FieldDefault::Bool(true)),
        Field::bool("persist", "Persist", "Write a sysctl.d file.").default(FieldDefault::Bool(true)),
        Field::str("path", "Filename", "Persistent file; default /etc/sysctl.d/99-NAME.conf."),
    ],
    traits: Traits::NONE,
    constants: &[],
};

impl Kind for Sysctl {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        let name = want.name;
        ensure(!name.contains('/'), "name contains slashes")?;
        ensure(!name.contains('='), "name contains an equals sign")?;
        ensure(!name.starts_with('.') && !name.ends_with('.'), "name begins or ends with a dot")?;
        ensure(name.trim() == name, "name contains leading or trailing whitespace")?;
        let value = want.text("value");
        ensure(!value.is_empty(), "value is empty")?;
        ensure(value.trim() == value, "value contains leading or trailing whitespace")?;
        ensure(want.bool("runtime") || want.bool("persist"), "at least one of Runtime and Persist is needed")?;
        let path = want.text("path");
        if want.bool("persist") && !path.is_empty() {
            ensure(path.starts_with('/'), "path must be absolute")?;
            ensure(path.ends_with(".conf"), "path must end with .conf")?;
        }
        Ok(())
    }

    /// The kernel must know the parameter, even where only the file counts.
    fn asks_host(&self, want: &Want) -> Vec<FactSpec> {
        vec![FactSpec::File(file::Fact::State { path: kernel_path(want.name) })]
    }

    fn validate_there(&self, want: &Want, facts: &[Option<Datum>]) -> Result<(), String> {
        let exists = facts.iter().flatten().all(file_exists);
        ensure(exists, format!("name is not a valid kernel path: {}", kernel_path(want.name)))
    }
}

fn kernel_path(name: &str) -> String {
    format!("/proc/sys/{}", name.replace('.', "/"))
}
