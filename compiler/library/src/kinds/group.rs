//! `group`: manages a local group with the shadow utilities. Resource spec, 9.

use crate::kinds::accounts;
use crate::kinds::required::{PolicyList, Required};
use crate::kinds::rules::ensure;
use crate::kinds::rules::exists_or_absent;
use crate::kinds::rules::is_account_name;
use crate::kinds::walk::Walk;
use crate::kinds::{Claim, Decision, Field, HostType, Kind, KindDecl, Seen, Traits, Want};
use crate::vocab::account::{Probe as Look, Step as Change, Watch as Database};
use crate::vocab::{Probe, Step, Watch};

/// The kind `group`.
pub(crate) struct Group;

static DECL: KindDecl = KindDecl {
    name: "group",
    doc: "Manages a local group.",
    fields: &[
        Field::str("state", "State", "`exists` or `absent`.").required(),
        Field::int("gid", "GID", HostType::Uint32, "Group ID (gid).").nullable(),
    ],
    traits: Traits { edgeable: true, ..Traits::NONE },
    constants: &[],
    policy: &[Required::list(PolicyList::Groups), Required::list(PolicyList::Commands)],
};

impl Kind for Group {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        exists_or_absent(&want.text("state"))?;
        ensure(
            is_account_name(want.name),
            "the name of a group has at most 31 letters, digits, `_` and `-`, and begins with a letter or `_`",
        )
    }

    fn claims(&self, want: &Want) -> Vec<Claim> {
        let gid = want.set("gid").and_then(|gid| u32::try_from(gid.as_int()?).ok());
        vec![Claim::Group { name: Some(want.name.to_owned()), gid }]
    }

    /// The tools refuse to remove the group of a user that is there, which is often the one of its name.
    fn wants_on_hosts(&self, want: &Want) -> Vec<Claim> {
        let is_absent = want.text("state") == "absent";
        is_absent.then(|| Claim::User { name: Some(want.name.to_owned()), uid: None }).into_iter().collect()
    }

    fn backend(&self) -> &'static str {
        "`groupadd`, `groupmod` and `groupdel` (package `passwd`). `/etc/group` is watched."
    }

    fn probes(&self, want: &Want) -> Vec<Probe> {
        let mut probes = vec![Look::Group { name: want.name.to_owned() }.into()];
        probes.extend(wanted_gid(want).map(|gid| Probe::Account(Look::GroupOf { gid })));
        probes
    }

    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        walk(self.probes(want), want, &mut Walk::new(seen)).unwrap_or_else(|decision| decision)
    }

    fn watches(&self, _want: &Want) -> Vec<Watch> {
        vec![Database::Groups.into()]
    }
}

fn wanted_gid(want: &Want) -> Option<u32> {
    let exists = want.text("state") == "exists";
    want.set("gid").filter(|_| exists).and_then(|gid| u32::try_from(gid.as_int()?).ok())
}

fn walk(probes: Vec<Probe>, want: &Want, walk: &mut Walk) -> Result<Decision, Decision> {
    let name = want.name.to_owned();
    let found = walk.look(probes)?;
    let now = accounts::group(&found[0])?;
    let in_state = Ok(Decision::InState(Vec::new()));
    let step = if want.text("state") == "absent" {
        match now {
            Some(now) if now.is_local => Change::RemoveGroup { name, gid: now.gid },
            Some(_) | None => return in_state,
        }
    } else {
        let gid = wanted_gid(want);
        match now {
            Some(now) if gid.is_none_or(|gid| gid == now.gid) => return in_state,
            Some(now) if !now.is_local => return accounts::not_here("group", &name),
            Some(_) | None => {}
        }
        if let Some(other) = found.get(1).map(accounts::group).transpose()?.flatten()
            && other.name != name
        {
            return Err(Decision::CannotTell(format!(
                "the requested GID belongs to another group: {} has {}",
                other.name, other.gid
            )));
        }
        Change::PutGroup { name, gid, now: now.cloned() }
    };
    walk.mend(vec![Step::Account(step)])
}
