//! `user`: Manages a local user account with the shadow utilities. Resource spec, 9.

use crate::kinds::rules::ensure;
use crate::kinds::rules::exists_or_absent;
use crate::kinds::rules::is_account_name;
use crate::kinds::{Claim, Direction, Field, HostType, Kind, KindDecl, Traits, Want, WantBatch, compare};

/// The kind `user`.
pub(crate) struct User;

static DECL: KindDecl = KindDecl {
    name: "user",
    doc: "Manages a local user account with the shadow utilities.",
    fields: &[
        Field::str("state", "State", "exists or absent (mandatory).").required(),
        Field::int("uid", "UID", HostType::Uint32, "Numeric id.").nullable(),
        Field::int("gid", "GID", HostType::Uint32, "Numeric primary group id; excludes group.").nullable(),
        Field::str("group", "Group", "Primary group by name; excludes gid.").nullable(),
        Field::strs("groups", "Groups", "Supplementary groups. Null leaves them alone, an empty list removes all."),
        Field::str("homedir", "HomeDir", "Home directory, must end in a slash.").nullable(),
        Field::str("shell", "Shell", "Login shell.").nullable(),
        Field::bool("allowduplicateuid", "AllowDuplicateUID", "Permit a uid already used by another account."),
    ],
    traits: Traits { edgeable: true, ..Traits::NONE },
    constants: &[],
};

impl Kind for User {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        ensure(is_account_name(want.name), "user contains invalid character(s)")?;
        exists_or_absent(&want.text("state"))?;
        let (group, groups) = (want.text_if_set("group"), want.texts("groups"));
        ensure(group.is_none() || want.set("gid").is_none(), "cannot use both GID and Group")?;
        if let Some(group) = &group {
            ensure(!group.is_empty(), "group cannot be empty string")?;
            ensure(is_account_name(group), "group contains invalid character(s)")?;
        }
        for member in &groups {
            ensure(!member.is_empty(), "group cannot be empty string")?;
            ensure(is_account_name(member), "groups list contains invalid character(s)")?;
            ensure(group.as_ref() != Some(member), format!("primary Group \"{member}\" must not appear in Groups"))?;
            ensure(member != want.name, format!("user name \"{member}\" must not appear in Groups"))?;
        }
        let homedir = want.text_if_set("homedir");
        ensure(homedir.is_none_or(|homedir| homedir.ends_with('/')), "the HomeDir should end with a slash")
    }

    /// The order of the groups does not count.
    fn compare(&self, one: &Want, other: &Want) -> Result<(), String> {
        for field in one.decl.fields {
            match field.name {
                "groups" => compare::unordered(field.name, one, other)?,
                name => compare::field_equal(field, one.set(name), other.set(name))?,
            }
        }
        Ok(())
    }

    fn claims(&self, want: &Want) -> Vec<Claim> {
        let uid = want.set("uid").and_then(|uid| u32::try_from(uid.as_int()?).ok());
        vec![Claim::User { name: Some(want.name.to_owned()), uid }]
    }

    /// Its groups come before a user that exists and after one that goes.
    fn wants(&self, want: &Want) -> Vec<WantBatch> {
        let direction = if want.text("state") == "exists" { Direction::Before } else { Direction::After };
        let gid = want.set("gid").and_then(|gid| u32::try_from(gid.as_int()?).ok());
        let by_gid = gid.map(|gid| Claim::Group { name: None, gid: Some(gid) });
        let named = want.text_if_set("group").into_iter().chain(want.texts("groups"));
        let by_name = named.map(|name| Claim::Group { name: Some(name.into_owned()), gid: None });
        let claims = by_gid.into_iter().chain(by_name).map(|claim| (claim, direction)).collect();
        vec![WantBatch { claims, first_only: false }]
    }
}
