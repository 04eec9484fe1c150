//! Users and groups: those of [`World::users`] and [`World::groups`].

use super::{Answer, Place, Play, absent, hash};
use crate::World;
use crate::vocab::account::{Fact, Finding, Probe, Watch};
use crate::vocab::subjects::Account;
use crate::vocab::{Datum, HostError, HostErrorKind, Outcome};

impl Play for Account {
    absent! { step }

    fn probe(at: &mut Place, probe: &Probe) -> Answer<Finding> {
        let world = &at.world;
        let found = match probe {
            Probe::User { name } => {
                let by_id = || world.users.values().map(|user| user.id).find(|id| id.to_string() == *name);
                by_id().or_else(|| world.users.get(name).map(|user| user.id)).ok_or_else(|| unknown("user", name))
            }
            Probe::Group { name } => {
                let by_id = || world.groups.values().copied().find(|id| id.to_string() == *name);
                by_id().or_else(|| world.groups.get(name).copied()).ok_or_else(|| unknown("group", name))
            }
        };
        found.map(Finding::Id).into()
    }

    fn fingerprint(world: &World, watch: &Watch) -> u64 {
        match watch {
            Watch::Users => hash(&world.users),
            Watch::Groups => hash(&world.groups),
        }
    }

    fn fact(world: &mut World, _: u64, Fact::User { name }: &Fact) -> Result<Datum, HostError> {
        let name = if name.is_empty() { "root" } else { name };
        let missing = || HostError::new(HostErrorKind::NotFound, format!("user: unknown user {name}"));
        let account = world.users.get(name).ok_or_else(missing)?;
        let gid = world.groups.get(name).copied().unwrap_or(account.id);
        Ok(Datum::Struct(vec![
            ("name".into(), Datum::text(name)),
            ("uid".into(), Datum::Int(account.id.into())),
            ("gid".into(), Datum::Int(gid.into())),
            ("home".into(), Datum::text(account.home.as_str())),
        ]))
    }
}

fn unknown(what: &str, name: &str) -> HostError {
    HostError::new(HostErrorKind::NotFound, format!("unknown {what} {name}"))
}
