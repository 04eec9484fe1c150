//! Desktop settings: a table in the world, in place of each user's file.

use super::{Answer, Context, Play, Simulated, absent, done};
use crate::World;
use crate::vocab::desktop::{DATABASE, Finding, Key, Probe, Step};
use crate::vocab::subjects::Desktop;
use crate::vocab::{Datum, HostError, HostErrorKind, Outcome};
use std::collections::BTreeMap;

impl Simulated for Desktop {
    /// The settings, by user, schema and key; the user is empty for the agent's own.
    type State = BTreeMap<(String, String, String), String>;
}

impl Play for Desktop {
    absent! { fact }

    fn probe(at: &mut Context, Probe { key }: &Probe) -> Answer<Finding> {
        setting(at.world, key).map(|value| Finding::Value(value.clone())).into()
    }

    fn step(at: &mut Context, Step { key, value, .. }: &Step) -> Answer<Outcome> {
        let set = setting(at.world, key).map(|now| now.clone_from(value));
        let home = match at.world.users.get(&key.user) {
            Some(user) => user.home.clone(),
            None => "/root".to_owned(),
        };
        let dir = at.world.tree.make_dir(&format!("{home}/.config/dconf"), true, None);
        done(set.and(dir).and_then(|()| at.world.write(&format!("{home}/{DATABASE}"), format!("{key:?} {value}"))))
    }
}

fn setting<'a>(world: &'a mut World, key: &Key) -> Result<&'a mut String, HostError> {
    let Key { schema, key, user, .. } = key;
    let failed = || HostError::new(HostErrorKind::Other, format!("gsettings: No such key “{key}” of “{schema}”"));
    world.subjects.desktop.get_mut(&(user.clone(), schema.clone(), key.clone())).ok_or_else(failed)
}
