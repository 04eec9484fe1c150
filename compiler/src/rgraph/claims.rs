//! Which resource offers the identity that another one wants? Resource spec, 1.6.

use crate::kinds::Claim;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The claims of all resources, in the order in which they were added.
#[derive(Default)]
pub(super) struct Claims {
    exact: BTreeMap<Claim, Vec<usize>>,
    users: Accounts,
    groups: Accounts,
    remotes: Vec<(String, usize)>,
    systems: Vec<usize>,
}

/// Users or groups, whose name and number count only where both sides know them.
#[derive(Default)]
struct Accounts {
    claims: Vec<(Option<String>, Option<u32>, usize)>,
    /// Places in `claims`, ascending.
    by_name: FxHashMap<Option<String>, Vec<usize>>,
    by_id: FxHashMap<Option<u32>, Vec<usize>>,
}

impl Accounts {
    fn add(&mut self, name: &Option<String>, id: Option<u32>, owner: usize) {
        let at = self.claims.len();
        self.claims.push((name.clone(), id, owner));
        self.by_name.entry(name.clone()).or_default().push(at);
        self.by_id.entry(id).or_default().push(at);
    }

    fn find(&self, name: &Option<String>, id: Option<u32>, not: usize) -> Option<usize> {
        let places = |list: Option<&Vec<usize>>| list.cloned().unwrap_or_default();
        let (some, unknown) = match name {
            Some(_) => (places(self.by_name.get(name)), places(self.by_name.get(&None))),
            None => (places(self.by_id.get(&id)), places(self.by_id.get(&None))),
        };
        let fits = |at: &usize| {
            let (known_name, known_id, owner) = &self.claims[*at];
            let same_name = name.is_none() || known_name.is_none() || name == known_name;
            let same_id = id.is_none() || known_id.is_none() || id == *known_id;
            *owner != not && same_name && same_id
        };
        let first = |list: Vec<usize>| list.into_iter().find(|at| fits(at));
        let found = first(some).into_iter().chain(first(unknown)).min()?;
        Some(self.claims[found].2)
    }
}

impl Claims {
    pub(super) fn add(&mut self, claim: Claim, owner: usize) {
        match claim {
            Claim::User { name, uid } => self.users.add(&name, uid, owner),
            Claim::Group { name, gid } => self.groups.add(&name, gid, owner),
            Claim::FwupdRemote(id) => self.remotes.push((id, owner)),
            Claim::FwupdSystem => self.systems.push(owner),
            Claim::DockerImage(name) => {
                self.exact.entry(Claim::DockerImage(tagged(&name))).or_default().push(owner);
            }
            claim @ (Claim::File(_)
            | Claim::Svc { .. }
            | Claim::Cron { .. }
            | Claim::Pkg(_)
            | Claim::PkgFile(_)
            | Claim::FwupdDevice(_)) => self.exact.entry(claim).or_default().push(owner),
        }
    }

    /// The first other resource that offers it.
    pub(super) fn find(&self, want: &Claim, not: usize) -> Option<usize> {
        let other = |owner: &&usize| **owner != not;
        match want {
            Claim::User { name, uid } => self.users.find(name, *uid, not),
            Claim::Group { name, gid } => self.groups.find(name, *gid, not),
            Claim::FwupdRemote(id) => {
                let fits = |(known, owner): &&(String, usize)| {
                    *owner != not && (known == id || known.is_empty() || id.is_empty())
                };
                self.remotes.iter().find(fits).map(|(_, owner)| *owner)
            }
            Claim::FwupdSystem => self.systems.iter().find(other).copied(),
            Claim::DockerImage(name) => self.exact.get(&Claim::DockerImage(tagged(name)))?.iter().find(other).copied(),
            // The peer never compares them, and graphs are to be alike.
            Claim::PkgFile(_) => None,
            Claim::File(_) | Claim::Svc { .. } | Claim::Cron { .. } | Claim::Pkg(_) | Claim::FwupdDevice(_) => {
                self.exact.get(want)?.iter().find(other).copied()
            }
        }
    }
}

/// An image without a tag means the latest one.
fn tagged(name: &str) -> String {
    let last = name.rsplit('/').next().unwrap_or(name);
    if last.contains(':') || last.contains('@') { name.to_owned() } else { format!("{name}:latest") }
}
