//! `fwattr`: Sets a firmware (BIOS) attribute exposed by the kernel. Resource spec, 9.

use crate::kinds::rules::{ensure, file_exists};
use crate::kinds::{Field, FieldDefault, Kind, KindDecl, Traits, Want};
use crate::vocab::{Datum, FactSpec, file};

/// The kind `fwattr`.
pub(crate) struct Fwattr;

static DECL: KindDecl = KindDecl {
    name: "fwattr",
    doc: "Sets a firmware (BIOS) attribute exposed by the kernel.",
    fields: &[
        Field::str("driver", "Driver", "Driver directory; empty picks the only one present."),
        Field::str("key", "Key", "Attribute; empty means the resource name."),
        Field::str("value", "Value", "Value in the kernel's own spelling."),
        Field::bool("check", "Check", "Validate the value against the attribute's type.")
            .default(FieldDefault::Bool(true)),
        Field::bool("strict", "Strict", "Do not use the built-in alternate-value table."),
        Field::bool("skip", "Skip", "Do nothing when the attribute (or the whole interface) is missing."),
    ],
    traits: Traits::NONE,
    constants: &[],
};

impl Kind for Fwattr {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        ensure(!want.effective("key").contains('/'), "key contains slashes")?;
        // Without a driver that can be one there is no attribute: nothing to do, with `skip`.
        ensure(want.bool("skip") || !want.text("driver").contains('/'), "driver contains slashes")
    }

    /// The attribute's file, or, where only the host knows the driver, what holds all drivers.
    fn asks_host(&self, want: &Want) -> Vec<FactSpec> {
        let (driver, key) = (want.text("driver"), want.effective("key"));
        let all = "/sys/class/firmware-attributes";
        let path =
            if driver.is_empty() { all.into() } else { format!("{all}/{driver}/attributes/{key}/current_value") };
        vec![FactSpec::File(file::Fact::State { path })]
    }

    fn validate_there(&self, want: &Want, facts: &[Option<Datum>]) -> Result<(), String> {
        let exists = facts.iter().flatten().all(file_exists);
        ensure(exists || want.bool("skip"), "this host has no such firmware attribute")
    }
}
