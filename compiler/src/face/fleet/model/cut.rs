//! The rules for a host that is disconnected from the store: it continues with the program and the values that it had.

use super::Run;
use super::draft::{Draft, NAMES};
use super::holds::{text, texts};
use crate::vocab::Datum;
use std::collections::BTreeMap;

/// What a host knew when it was disconnected.
pub(super) struct Cut {
    host: &'static str,
    keys: BTreeMap<String, Datum>,
    program: Draft,
}

/// After every event: the disconnected hosts know what they knew, and no more hosts act as elected than a pool has
/// places.
pub(super) fn always(run: &Run) {
    let seed = run.seed;
    for (host, cut) in &run.cut {
        let known = cut.keys.iter().map(|(key, value)| (key.as_str(), value));
        assert!(run.world(host).shared_keys().eq(known), "seed {seed}: {host} knows something else");
    }
    let acting: Vec<&str> = run.cut.keys().copied().filter(|host| !run.fleet.present.hosts.is_paused(host)).collect();
    // An endless vote has no end to wait for.
    for pool in run.pools.iter().filter(|pool| !pool.persists || !pool.is_alphabetical) {
        let hosts = run.running.iter().copied().chain(acting.iter().copied());
        let acts = |host: &&str| run.world(host).elected(pool.name).iter().any(|elected| elected == host);
        let elected: Vec<&str> = hosts.filter(acts).collect();
        assert!(elected.len() <= pool.max, "seed {seed}: {elected:?} act in {pool:?}");
    }
}

impl Cut {
    pub(super) fn now(run: &Run, host: &'static str) -> Cut {
        let keys = run.world(host).shared_keys().map(|(key, value)| (key.to_owned(), value.clone())).collect();
        Cut { host, keys, program: run.program.clone() }
    }

    /// The resources that it knows of a host, by who is to have them.
    fn exports_of(&self, from: &str) -> impl Iterator<Item = &Datum> {
        let prefixes = ["*", self.host].map(|to| format!("exported/{to}/{from}/"));
        let is_one = move |key: &str| prefixes.iter().any(|prefix| key.starts_with(prefix.as_str()));
        self.keys.iter().filter(move |(key, _)| is_one(key)).map(|(_, value)| value)
    }

    /// Whether a host was about to change what it exports: what is known of it is not one program.
    pub(super) fn is_contradictory(&self) -> bool {
        NAMES.into_iter().any(|from| {
            let mut known = self.exports_of(from);
            let first = known.next();
            known.any(|other| Some(other) != first)
        })
    }

    /// In quiet.
    pub(super) fn at_rest(&self, run: &Run, host: &str) {
        let seed = run.seed;
        if self.is_contradictory() || run.fleet.present.hosts.is_paused(host) {
            return;
        }
        let value = |key: &str| self.keys.get(key).map(text).unwrap_or_default();
        let of_map = self.keys.iter().filter_map(|(key, value)| Some((key.strip_prefix("strings/map/")?, text(value))));
        let map: String = of_map.map(|(of, value)| format!("{of}={value}\n")).collect();
        let mut shown = vec![("map", map), ("word", value("strings/word")), ("hand", value("strings/hand"))];
        for pool in &run.pools {
            let mut elected = texts(self.keys.get(&format!("pool/{}/chosen", pool.name)));
            elected.retain(|elected| pool.persists || elected != host);
            elected.sort();
            shown.push((pool.name, elected.iter().map(|host| format!("{host}\n")).collect()));
        }
        for (name, expect) in &shown {
            let path = format!("/srv/{name}");
            let read = run.world(host).read(&path).map(String::from_utf8_lossy);
            assert_eq!(read.as_deref(), Ok(expect.as_str()), "seed {seed}: {name} on {host}, which is disconnected");
        }
        let graph = run.fleet.host(host).expect("it is there").resources_dot();
        for from in NAMES.into_iter().filter(|from| *from != host) {
            let collects = self.program.collectors.contains(host) && self.exports_of(from).next().is_some();
            assert_eq!(graph.contains(&format!("/srv/from-{from}")), collects, "seed {seed}: {from} on {host}");
        }
    }
}
