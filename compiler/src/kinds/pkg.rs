//! `pkg`: Installs, removes or upgrades a distribution package through PackageKit. Resource spec,
//! 9.

use crate::kinds::{Field, FieldDefault, Kind, KindDecl, Traits};

/// The kind `pkg`.
pub(crate) struct Pkg;

static DECL: KindDecl = KindDecl {
    name: "pkg",
    doc: "Installs, removes or upgrades a distribution package through PackageKit.",
    fields: &[
        Field::str("state", "State", "installed, uninstalled, newest, or an exact version string.")
            .default(FieldDefault::Str("installed")),
        Field::bool("allowdowngrade", "AllowDowngrade", "Allow a pinned version lower than the installed one."),
        Field::bool("allowuntrusted", "AllowUntrusted", "Allow packages without a trusted signature."),
        Field::bool("allownonfree", "AllowNonFree", "Also consider packages not flagged free."),
        Field::bool(
            "allowunsupported",
            "AllowUnsupported",
            "Also consider packages not flagged as supported by the distribution.",
        ),
    ],
    traits: Traits { edgeable: true, groupable: true, groups_others: true, compatible: true, ..Traits::NONE },
    constants: &[],
};

impl Kind for Pkg {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }
}
