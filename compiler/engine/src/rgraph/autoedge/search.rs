//! The search for the resources that come before or after one.

use super::{AutoEdges, Key, Member, MemberId, reads, wants, wants_above, wants_on_hosts};
use crate::gather;
use crate::kinds::{Claim, Direction, Read};
use std::collections::BTreeSet;

impl AutoEdges {
    /// Searches for the wants of a member.
    pub(super) fn search(&mut self, id: MemberId) {
        self.n_searched += 1;
        let mut n_above = 0;
        let member = self.member(id);
        let mut edges = Vec::new();
        for batch in wants(&member.resource) {
            for (claim, direction) in batch.claims {
                let Some(found) = self.claims.find(&claim, &member.key) else { continue };
                edges.push((found, direction));
                if batch.first_only {
                    break;
                }
            }
        }
        if let Some(path) = wants_above(&member.resource)
            && let Some(found) = self.claims.above(&path, &member.key, &mut n_above)
        {
            edges.push((found, Direction::Before));
        }
        let services = member.owned.claims.iter().filter_map(|claim| self.claims.find(claim, &member.key));
        let files = self.nearest(&member.owned.paths, &member.key);
        let mut later: Vec<MemberId> = services.chain(files).collect();
        later.sort_unstable();
        later.dedup();
        edges.extend(later.into_iter().map(|found| (found, Direction::After)));
        let on_hosts = if self.is_running { self.before_on_hosts(member, &mut n_above) } else { Vec::new() };
        self.n_above += n_above;
        let member = self.member_mut(id);
        (member.edges, member.on_hosts) = (edges, on_hosts);
    }

    /// The members that come before this one on a host.
    fn before_on_hosts(&self, member: &Member, n_above: &mut u64) -> Vec<MemberId> {
        let key = &member.key;
        let wanted = wants_on_hosts(&member.resource);
        let mut found: Vec<MemberId> = wanted.iter().filter_map(|claim| self.claims.find(claim, key)).collect();
        if self.claims.has_mounts()
            && let Some(path) = wants_above(&member.resource)
        {
            // A mount covers what was put below its mount point before.
            found.extend(self.claims.mounted(path.trim_end_matches('/'), key));
        }
        for read in reads(&member.resource) {
            let inside = match &read {
                Read::File(_) => Vec::new(),
                Read::Entries(dir) => self.claims.inside(dir, false, key),
                Read::Tree(dir) => [self.claims.inside(dir, true, key), self.claims.mounted_inside(dir, key)].concat(),
                Read::Mounts(dir) => {
                    found.extend(self.claims.mounted_inside(dir, key));
                    continue;
                }
            };
            found.extend(inside);
            found.extend(self.claims.mounted(read.path(), key));
            let itself = self.claims.find(&Claim::File(read.path().to_owned()), key);
            found.extend(itself.or_else(|| self.claims.above(read.path(), key, n_above)));
        }
        found
    }

    /// The members that claim these paths: of each branch the nearest, from the leaves upwards. Resource spec, 2.4.
    ///
    /// Cost: one lookup for each path and each directory above it.
    fn nearest(&self, paths: &[String], key: &Key) -> Vec<MemberId> {
        let mut found = Vec::new();
        let mut level: BTreeSet<&str> = gather::set(paths.iter().map(String::as_str));
        while !level.is_empty() {
            let mut above: BTreeSet<&str> = BTreeSet::new();
            let mut settled: BTreeSet<&str> = BTreeSet::new();
            for path in leaves(&level) {
                let dir = directory_of(path);
                match self.claims.find(&Claim::File(path.to_owned()), key) {
                    Some(owner) => {
                        found.push(owner);
                        settled.extend(dir);
                    }
                    None => above.extend(dir),
                }
            }
            level = gather::set(above.into_iter().filter(|dir| !settled.contains(dir)));
        }
        found
    }
}

/// The paths that have no other one below them.
fn leaves<'a>(paths: &BTreeSet<&'a str>) -> Vec<&'a str> {
    let next = paths.iter().skip(1).map(Some).chain([None]);
    let pairs = paths.iter().zip(next);
    pairs.filter(|(path, next)| !next.is_some_and(|next| next.starts_with(**path))).map(|(path, _)| *path).collect()
}

/// The directory that contains a path, with its slash; `None` for entries of the root.
fn directory_of(path: &str) -> Option<&str> {
    let end = path.trim_end_matches('/').rfind('/')?;
    (end > 0).then(|| &path[..=end])
}
