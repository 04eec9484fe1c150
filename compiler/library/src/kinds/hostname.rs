//! `hostname`: Sets the pretty, static and transient host names through systemd-hostnamed. Resource
//! spec, 9.

use crate::kinds::{Field, Kind, KindDecl, Traits};

/// The kind `hostname`.
pub(crate) struct Hostname;

static DECL: KindDecl = KindDecl {
    name: "hostname",
    doc: "Sets the pretty, static and transient host names through systemd-hostnamed.",
    fields: &[
        Field::str(
            "hostname",
            "Hostname",
            "Value used for each of the three that is not given; empty means the resource name.",
        )
        .not_compared(),
        Field::str("pretty_hostname", "PrettyHostname", "Free-form name. Empty string leaves it unmanaged.").nullable(),
        Field::str("static_hostname", "StaticHostname", "Name stored on disk. Empty string leaves it unmanaged.")
            .nullable(),
        Field::str("transient_hostname", "TransientHostname", "Kernel name. Empty string leaves it unmanaged.")
            .nullable(),
    ],
    traits: Traits::NONE,
    constants: &[],
};

impl Kind for Hostname {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }
}
