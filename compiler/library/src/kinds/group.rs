//! `group`: Manages a local group with the shadow utilities. Resource spec, 9.

use crate::kinds::rules::ensure;
use crate::kinds::rules::exists_or_absent;
use crate::kinds::rules::is_account_name;
use crate::kinds::{Claim, Field, HostType, Kind, KindDecl, Traits, Want};

/// The kind `group`.
pub(crate) struct Group;

static DECL: KindDecl = KindDecl {
    name: "group",
    doc: "Manages a local group with the shadow utilities.",
    fields: &[
        Field::str("state", "State", "exists or absent (mandatory).").required(),
        Field::int("gid", "GID", HostType::Uint32, "Numeric group id.").nullable(),
    ],
    traits: Traits { edgeable: true, ..Traits::NONE },
    constants: &[],
};

impl Kind for Group {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        exists_or_absent(&want.text("state"))?;
        ensure(is_account_name(want.name), "group contains invalid character(s)")
    }

    fn claims(&self, want: &Want) -> Vec<Claim> {
        let gid = want.set("gid").and_then(|gid| u32::try_from(gid.as_int()?).ok());
        vec![Claim::Group { name: Some(want.name.to_owned()), gid }]
    }
}
