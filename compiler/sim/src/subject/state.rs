//! The state files of resources.

use super::{Answer, Context, Play, Simulated, absent};
use crate::World;
use crate::vocab::state::{Finding, Probe, Step};
use crate::vocab::subjects::State;
use crate::vocab::{Datum, FileKind, FileStat, HostError, HostErrorKind, Outcome};

impl Simulated for State {
    type State = ();
}

impl Play for State {
    absent! { fact }

    fn probe(at: &mut Context, probe: &Probe) -> Answer<Finding> {
        let place = |name: &String| (at.id.clone(), name.clone());
        let seen = match probe {
            Probe::Read { name } => match at.states.get(&place(name)) {
                Some((bytes, _)) => Ok(Finding::Bytes(bytes.clone())),
                None => Err(HostError::new(HostErrorKind::NotFound, format!("open {name}: no such file or directory"))),
            },
            Probe::Stat { name } => {
                let found = at.states.get(&place(name));
                Ok(Finding::Stat(found.map(|(bytes, mtime_ns)| FileStat {
                    kind: FileKind::File,
                    mode: 0o600,
                    uid: 0,
                    gid: 0,
                    size: bytes.len() as u64,
                    mtime_ns: *mtime_ns,
                    device: 2,
                    inode: 0,
                    target: None,
                })))
            }
            Probe::List { name } => {
                let named = at.states.iter().filter(|((_, known), _)| known == name);
                Ok(Finding::All(named.map(|(_, (bytes, _))| bytes.clone()).collect()))
            }
        };
        seen.into()
    }

    fn step(at: &mut Context, step: &Step) -> Answer<Outcome> {
        let place = (at.id.clone(), step.name().to_owned());
        match step {
            Step::Write { content, .. } => drop(at.states.insert(place, (content.clone(), at.world.tree.now_ns))),
            Step::Remove { .. } => drop(at.states.remove(&place)),
        }
        Answer::Now(Ok(Outcome::Done))
    }
}
