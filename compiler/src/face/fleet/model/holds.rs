//! What holds of a fleet after every event, and in quiet.

use super::Run;
use super::cut::{self, Cut};
use super::draft::{NAMES, Pool};
use crate::protocol::Moment;
use crate::sim::World;
use crate::vocab::{Datum, KeyStore, schedule};
use mclive_base::shapes::host::HostHealth;
use std::collections::{BTreeMap, BTreeSet};

/// How long exports outlive their host. Units: seconds.
const EXPORTS_S: u64 = 15;

/// A host that is paused, disconnected or gone, and what it had when it was lost.
pub(super) struct Lost {
    since: Moment,
    /// What stays until its lease ends: it was there, and nothing was underway.
    keeps: BTreeMap<String, Moment>,
}

impl Lost {
    pub(super) fn now(run: &Run, host: &str) -> Lost {
        let since = run.fleet.now();
        let mut keeps = BTreeMap::new();
        if run.is_calm {
            let world = run.running.first().map(|other| run.world(other));
            let keys = world.into_iter().flat_map(World::shared_keys).map(|(key, _)| key);
            keeps.extend(keys.filter_map(|key| Some((key.to_owned(), ends(run, host, since, key)?))));
        }
        Lost { since, keeps }
    }
}

/// When a key ends with a host that was lost at a moment; `None`: it does not.
fn ends(run: &Run, host: &str, since: Moment, key: &str) -> Option<Moment> {
    let after = |s: u64| since.plus_ms(s * 1000);
    let parts: Vec<&str> = key.split('/').collect();
    match parts[..] {
        ["exported", _, from, ..] if from == host => Some(after(EXPORTS_S)),
        ["pool", pool, "vote", voter] if voter == host => {
            let pool = run.pools.iter().find(|known| known.name == pool).expect("a pool of the program");
            pool.lease_s().map(after)
        }
        _ => None,
    }
}

pub(super) fn texts(value: Option<&Datum>) -> Vec<String> {
    match value {
        Some(Datum::List(hosts)) => hosts.iter().map(text).collect(),
        _ => Vec::new(),
    }
}

pub(super) fn text(value: &Datum) -> String {
    match value {
        Datum::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        other => format!("{other:?}"),
    }
}

fn elected(world: &World, pool: &Pool) -> Vec<String> {
    texts(world.key(KeyStore::World, &format!("pool/{}/chosen", pool.name)))
}

fn voters(world: &World, pool: &Pool) -> BTreeSet<String> {
    schedule::votes_of(world, pool.name).into_iter().map(|(host, _)| host).collect()
}

/// After every event.
pub(super) fn always(run: &Run) {
    cut::always(run);
    let Some(first) = run.running.first().map(|host| run.world(host)) else { return };
    let (seed, now) = (run.seed, run.fleet.now());
    for host in &run.running {
        assert!(run.world(host).shared_keys().eq(first.shared_keys()), "seed {seed}: {host} has another store");
    }
    for pool in &run.pools {
        let (elected, voters) = (elected(first, pool), voters(first, pool));
        assert!(elected.len() <= pool.max, "seed {seed}: {elected:?} of {pool:?}");
        assert!(elected.iter().all(|host| voters.contains(host)), "seed {seed}: {elected:?} of {voters:?}");
        assert_eq!(elected.is_empty(), voters.is_empty(), "seed {seed}: {elected:?} of {voters:?}");
    }
    for (host, lost) in &run.lost {
        for (key, _) in first.shared_keys() {
            let is_over = ends(run, host, lost.since, key).is_some_and(|end| end < now);
            assert!(!is_over, "seed {seed}: {key} is still there, and {host} was lost at {:?}", lost.since);
        }
        for (key, end) in &lost.keeps {
            let is_there = first.key(KeyStore::World, key).is_some();
            assert!(is_there || *end <= now, "seed {seed}: {key} ended before {end:?}");
        }
    }
}

/// A host that was just added has no data of an earlier one with the same name.
pub(super) fn is_new(run: &Run, host: &str) {
    for (key, _) in run.world(host).shared_keys() {
        assert_eq!(ends(run, host, run.fleet.now(), key), None, "seed {}: {key} is of another host", run.seed);
    }
}

/// In quiet: every host that runs has done its part, and sees that of all others.
pub(super) fn at_rest(run: &mut Run) {
    let (seed, program) = (run.seed, &run.program);
    for card in run.fleet.cards() {
        let is_good = match run.fleet.present.hosts.is_paused(&card.host) {
            true => card.health == HostHealth::Paused,
            false => matches!(card.health, HostHealth::Converged | HostHealth::UpToDate),
        };
        let cut = run.cut.get(card.host.as_str());
        assert_eq!(card.is_disconnected, cut.is_some(), "seed {seed}: {card:?}");
        assert!(is_good || cut.is_some_and(Cut::is_contradictory), "seed {seed}: {card:?}");
    }
    run.cut.iter().for_each(|(host, cut)| cut.at_rest(run, host));
    let Some(first) = run.running.first().map(|host| run.world(host)) else { return };
    let here = |hosts: &BTreeSet<&'static str>| -> BTreeSet<&'static str> { hosts & &run.running };

    // Values.
    for host in here(&program.mapped) {
        let value = first.key(KeyStore::World, &format!("strings/map/{host}")).map(text);
        assert_eq!(value, Some(program.own(host)), "seed {seed}: the value of {host}");
    }
    let word = first.key(KeyStore::World, "strings/word").map(text);
    if !here(&program.word).is_empty() {
        assert_eq!(word, Some(program.word()), "seed {seed}");
    }

    // Exports: those of the hosts that run, and no others.
    let exported = |from: &'static str| {
        program.targets.iter().map(move |to| format!("exported/{to}/{from}/file//srv/from-{from}"))
    };
    let expect: BTreeSet<String> = here(&program.exporters).into_iter().flat_map(exported).collect();
    let keys = first.shared_keys().map(|(key, _)| key.to_owned());
    let found: BTreeSet<String> = keys.filter(|key| key.starts_with("exported/")).collect();
    assert_eq!(found, expect, "seed {seed}");

    // Schedules.
    let mut all_elected = Vec::new();
    for ((pool, may_vote), incumbents) in run.pools.iter().zip(&program.voters).zip(&run.incumbents) {
        let (voters, elected) = (voters(first, pool), elected(first, pool));
        let expect: BTreeSet<String> = here(may_vote).into_iter().map(str::to_owned).collect();
        match pool.persists {
            true => assert!(voters.is_superset(&expect), "seed {seed}: {voters:?} of {expect:?} in {pool:?}"),
            false => assert_eq!(voters, expect, "seed {seed}: {pool:?}"),
        }
        assert_eq!(elected.len(), pool.max.min(voters.len()), "seed {seed}: {elected:?} in {pool:?}");
        if pool.is_alphabetical {
            assert!(elected.iter().eq(voters.iter().take(pool.max)), "seed {seed}: {elected:?} of {voters:?}");
        } else {
            let stays = |host: &&'static str| elected.iter().any(|elected| elected == host);
            assert!(incumbents.iter().all(stays), "seed {seed}: {incumbents:?} but {elected:?}");
        }
        all_elected.push(elected);
    }

    // What each host shows.
    let maps: BTreeMap<String, String> = {
        let keys =
            first.shared_keys().filter_map(|(key, value)| Some((key.strip_prefix("strings/map/")?, text(value))));
        keys.map(|(host, value)| (host.to_owned(), value)).collect()
    };
    let map: String = maps.iter().map(|(host, value)| format!("{host}={value}\n")).collect();
    let mut shown = vec![("map".to_owned(), map), ("word".to_owned(), word.unwrap_or_default())];
    let hand = first.key(KeyStore::World, "strings/hand").map(text).unwrap_or_default();
    shown.push(("hand".to_owned(), hand));
    for (pool, mut elected) in run.pools.iter().zip(all_elected.iter().cloned()) {
        elected.sort();
        shown.push((pool.name.to_owned(), elected.iter().map(|host| format!("{host}\n")).collect()));
    }
    for host in &run.running {
        let read = |name: &str| run.world(host).read(&format!("/srv/{name}")).map(String::from_utf8_lossy);
        for (name, expect) in &shown {
            assert_eq!(read(name).as_deref(), Ok(expect.as_str()), "seed {seed}: {name} on {host}");
        }
        let graph = run.fleet.host(host).expect("it runs").resources_dot();
        for from in NAMES {
            let name = format!("from-{from}");
            if run.running.contains(from) && program.collects(host, from) {
                assert_eq!(
                    read(&name).as_deref(),
                    Ok(program.exported(from).as_str()),
                    "seed {seed}: {name} on {host}"
                );
            } else if from != *host {
                assert!(!graph.contains(&format!("/srv/{name}")), "seed {seed}: {host} still collects of {from}");
            }
        }
    }

    run.incumbents = Default::default();
    for (incumbents, elected) in run.incumbents.iter_mut().zip(&all_elected) {
        incumbents.extend(NAMES.into_iter().filter(|name| elected.iter().any(|host| host == name)));
        incumbents.retain(|host| run.running.contains(host));
    }
}
