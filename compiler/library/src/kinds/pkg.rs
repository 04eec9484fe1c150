//! `pkg`: Installs, removes or upgrades a distribution package through PackageKit. Resource spec,
//! 9.

use crate::kinds::rules::ensure;
use crate::kinds::rules::one_of;
use crate::kinds::{Claim, Field, FieldDefault, Kind, KindDecl, Params, Traits, Want};

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

    fn validate(&self, want: &Want) -> Result<(), String> {
        let state = want.text("state");
        ensure(!state.is_empty(), "state cannot be empty")?;
        ensure(state != "latest", "state is invalid, did you mean newest?")
    }

    /// Which files it owns only its host knows.
    fn claims(&self, want: &Want) -> Vec<Claim> {
        vec![Claim::Pkg(want.name.to_owned())]
    }

    /// Packages of one state are handled in one transaction, unless the state is a version.
    fn groups(&self, leader: &Want, member: &Want) -> Result<(), String> {
        ensure(member.decl.name == leader.decl.name, "only packages are grouped into a package")?;
        let state = member.text("state");
        one_of(&state, &["installed", "uninstalled", "newest"], || "a version stands alone".into())?;
        ensure(state == leader.text("state"), "it has another state")
    }

    /// `installed` and `newest` come to `newest`.
    fn merge(&self, one: &Want, other: &Want) -> Result<Params, String> {
        for flag in ["allowdowngrade", "allowuntrusted", "allownonfree", "allowunsupported"] {
            let (one, other) = (one.bool(flag), other.bool(flag));
            ensure(one == other, format!("{flag} differs: {one} vs {other}"))?;
        }
        let (state, other_state) = (one.text("state"), other.text("state"));
        let either = |text: &str| matches!(text, "installed" | "newest");
        let adaptable = state == other_state || either(&state) && either(&other_state);
        ensure(adaptable, format!("state differs in an incompatible way: {state} vs {other_state}"))?;
        Ok(if state == "newest" { one.params.clone() } else { other.params.clone() })
    }

    /// A version stands alone.
    fn leads(&self, want: &Want) -> bool {
        matches!(&*want.text("state"), "installed" | "uninstalled" | "newest")
    }
}
