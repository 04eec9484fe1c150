//! Passwords: tokens by resource name, and letters from the world's seed.

use super::{Answer, Context, Play, Simulated, SubjectState, absent, hash, mix, no_such};
use crate::World;
use crate::vocab::password::{Finding, Probe, Secret, Step, Watch, password};
use crate::vocab::subjects::Password;
use crate::vocab::{Datum, HostError, Outcome};
use mclive_base::shapes::host::{Alteration, Thing};
use std::collections::BTreeMap;

/// The passwords of a host.
#[derive(Clone, Default)]
pub struct Passwords {
    /// Their tokens, by resource.
    pub tokens: BTreeMap<String, String>,
    n_drawn: u64,
}

impl SubjectState for Passwords {
    fn of_new_host(_: &str) -> Passwords {
        Passwords::default()
    }

    fn n_entries(&self) -> usize {
        self.tokens.len()
    }
}

impl Simulated for Password {
    type State = Passwords;
}

impl Play for Password {
    const TITLE: &'static str = "Passwords";

    /// Whether each is stored, but not the password itself.
    fn holds(world: &World) -> Vec<Thing> {
        let tokens = world.subjects.password.tokens.iter();
        let stored = |token: &String| if token.is_empty() { "no" } else { "yes" };
        tokens.map(|(name, token)| Thing::new(name).fixed("stored", stored(token)).verbs(&["delete"])).collect()
    }

    fn alter(world: &mut World, thing: &str, how: &Alteration) -> Result<(), HostError> {
        let is_deletion = matches!(how, Alteration::Do { verb } if verb == "delete");
        let deleted = is_deletion.then(|| world.subjects.password.tokens.remove(thing)).flatten();
        deleted.map(drop).ok_or_else(|| no_such(thing, how))
    }

    absent! { fact }

    fn probe(at: &mut Context, probe: &Probe) -> Answer<Finding> {
        let seed = at.world.seed;
        let passwords = &mut at.world.subjects.password;
        Answer::Now(Ok(match probe {
            Probe::Token => Finding::Token(passwords.tokens.get(&*at.id.name).cloned().map(Secret)),
            Probe::Draw { length } => {
                passwords.n_drawn += 1;
                let start = mix(seed ^ mix(passwords.n_drawn));
                let bytes = (0..).map(|n: u64| mix(start.wrapping_add(n)) as u8);
                Finding::Drawn(password(*length, bytes).unwrap_or_default())
            }
        }))
    }

    fn step(at: &mut Context, step: &Step) -> Answer<Outcome> {
        at.world.subjects.password.tokens.insert(at.id.name.to_string(), step.token.0.clone());
        Answer::Now(Ok(Outcome::Done))
    }

    fn fingerprint(world: &World, watch: &Watch) -> Option<u64> {
        Some(hash(&world.subjects.password.tokens.get(&watch.name)))
    }
}
