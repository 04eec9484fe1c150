//! `os.family` and `os.is_family_*`: derived from the files of a system.

use crate::corelib::facts::{ask, bool_field, known};
use crate::corelib::{CallContext, Example, FnDef, FnError, Run, Shape, Sig};
use crate::value::Value;
use crate::vocab::{FactSpec, file};

const REDHAT: &str = "/etc/redhat-release";
const DEBIAN: &str = "/etc/debian_version";
const ARCHLINUX: &str = "/etc/arch-release";

pub(super) static FAMILY: FnDef = FnDef {
    path: "os.family",
    sig: Sig::Fixed("func() str"),
    doc: "Returns the operating system family of this host: `redhat`, `debian`, `archlinux`, or empty.",
    examples: &[
        Example { call: "os.family()", gives: r#""debian""# },
        Example { call: r#"os.family() == "redhat""#, gives: "false" },
        Example { call: "len(os.family())", gives: "6" },
    ],
    shape: Shape::DYNAMIC,
    run: Run::World(|world, _| {
        for (path, family) in [(REDHAT, "redhat"), (DEBIAN, "debian"), (ARCHLINUX, "archlinux")] {
            if known!(exists(world, path)) {
                return Ok(Some(Value::str(family)));
            }
        }
        Ok(Some(Value::str("")))
    }),
};

macro_rules! is_family {
    ($name:ident, $path:literal, $file:expr, $doc:literal, $gives:literal, $not:literal) => {
        pub(super) static $name: FnDef = FnDef {
            path: $path,
            sig: Sig::Fixed("func() bool"),
            doc: $doc,
            examples: &[
                Example { call: concat!($path, "()"), gives: $gives },
                Example { call: concat!("not ", $path, "()"), gives: $not },
                Example { call: concat!($path, "() or true"), gives: "true" },
            ],
            shape: Shape::DYNAMIC,
            run: Run::World(|world, _| Ok(Some(Value::Bool(known!(exists(world, $file)))))),
        };
    };
}

is_family!(
    IS_REDHAT,
    "os.is_family_redhat",
    REDHAT,
    "Reports whether this host belongs to the Red Hat family.",
    "false",
    "true"
);
is_family!(
    IS_DEBIAN,
    "os.is_family_debian",
    DEBIAN,
    "Reports whether this host belongs to the Debian family.",
    "true",
    "false"
);
is_family!(
    IS_ARCHLINUX,
    "os.is_family_archlinux",
    ARCHLINUX,
    "Reports whether this host belongs to the Arch Linux family.",
    "false",
    "true"
);

/// Whether something exists at a path, following symbolic links.
pub(super) fn exists(world: &mut dyn CallContext, path: &str) -> Result<Option<bool>, FnError> {
    let state = known!(ask(world, &FactSpec::File(file::Fact::State { path: path.into() })));
    Ok(Some(bool_field(&state, "exists")))
}
