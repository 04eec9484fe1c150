//! Hosts without agents that share a store.

use crate::cluster::{Cluster, Member, News};
use crate::protocol::Moment;
use crate::vocab::schedule::{Lease, Options, Strategy};
use crate::vocab::{Datum, KeyStore};
use crate::{SimHost, World};
use std::collections::BTreeMap;

#[derive(Clone)]
struct Lone {
    host: SimHost,
    now: Moment,
}

impl Member for Lone {
    fn next_at(&self) -> Option<Moment> {
        self.host.world().session.next_arrival()
    }

    fn skip(&mut self, to: Moment) {
        self.now = self.now.max(to);
        self.host.set_now(self.now);
    }

    fn step(&mut self, until: Moment) -> bool {
        let Some(at) = self.next_at().filter(|at| *at <= until) else { return false };
        self.skip(at);
        self.host.change(World::hear_what_arrived)
    }

    fn take_news(&mut self) -> News {
        self.host.take_news()
    }

    fn hear(&mut self, news: &News) {
        self.host.change(|world| world.hear(news));
    }

    fn disconnect(&mut self, since: Moment) {
        self.host.change(|world| world.disconnect(since));
    }

    fn reconnect(&mut self, missed: &News) {
        self.host.change(|world| world.reconnect(missed));
    }

    fn known_as(&self) -> Option<String> {
        None
    }

    fn released(&self) -> BTreeMap<String, Moment> {
        self.host.released()
    }
}

struct Few(Cluster<Lone>);

impl Few {
    fn new(hosts: &[&str]) -> Few {
        let mut few = Few(Cluster::default());
        hosts.iter().for_each(|host| few.join(host));
        few
    }

    fn join(&mut self, name: &str) {
        let host = Lone { host: SimHost::new(name), now: self.0.now() };
        self.0.join(name, host).expect("there is room");
    }

    fn change(&mut self, name: &str, change: impl FnOnce(&mut World)) {
        self.0.at_hand(name).expect("it is there").host.change(change);
        self.0.spread(name);
    }

    fn set(&mut self, name: &str, key: &str, value: Option<&str>) {
        self.change(name, |world| world.set_key(KeyStore::World, key, value.map(Datum::text)));
    }

    fn vote(&mut self, name: &str, strategy: Strategy, lease: Lease) {
        let options = Options { strategy, max: 1, lease };
        self.change(name, |world| {
            world.subjects.schedule.cast("web", Some(lease));
            world.vote("web", Some(&options));
        });
    }

    fn withdraw(&mut self, name: &str) {
        self.change(name, |world| {
            world.subjects.schedule.cast("web", None);
            world.vote("web", None);
        });
    }

    /// Until this moment. Units: milliseconds.
    fn pass(&mut self, until_ms: u64) {
        let until = Moment::default().plus_ms(until_ms);
        while self.0.step(until).is_some() {}
        self.0.skip(until);
    }

    fn world(&self, name: &str) -> &World {
        self.0.get(name).expect("it is there").host.world()
    }

    /// What a host reads.
    fn value(&self, name: &str, key: &str) -> Option<String> {
        match self.world(name).key(KeyStore::World, key)? {
            Datum::Bytes(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
            other => panic!("{other:?}"),
        }
    }

    #[track_caller]
    fn all_have(&self, key: &str, expect: Option<&str>) {
        for name in self.0.names() {
            assert_eq!(self.value(name, key).as_deref(), expect, "{key} on {name}");
        }
    }

    /// Whom a host sees elected.
    fn elected(&self, name: &str) -> Vec<String> {
        self.world(name).elected("web")
    }
}

#[test]
fn writes_wait_and_the_last_values_hold() {
    let mut few = Few::new(&["a", "b"]);
    few.set("a", "strings/x", Some("1"));
    few.set("a", "strings/gone", Some("1"));
    few.0.disconnect("a").expect("it is there");
    few.set("a", "strings/x", Some("2"));
    few.set("a", "strings/x", Some("3"));
    few.set("a", "strings/gone", None);
    few.set("b", "strings/y", Some("4"));
    few.all_have("strings/x", Some("1"));
    few.all_have("strings/gone", Some("1"));
    assert_eq!(few.value("a", "strings/y"), None);
    // Its resources see what they have written.
    let written = |few: &Few, key: &str| few.world("a").written(KeyStore::World, key).cloned();
    assert_eq!(written(&few, "strings/x"), Some(Datum::text("3")));
    assert_eq!(written(&few, "strings/gone"), None);
    few.0.reconnect("a").expect("it is there");
    few.all_have("strings/x", Some("3"));
    few.all_have("strings/gone", None);
    few.all_have("strings/y", Some("4"));
}

#[test]
fn a_write_that_waited_does_not_replace_what_another_host_has_written_meanwhile() {
    let mut few = Few::new(&["a", "b"]);
    few.set("a", "strings/x", Some("1"));
    few.set("a", "strings/y", Some("1"));
    few.0.disconnect("a").expect("it is there");
    for key in ["strings/x", "strings/y"] {
        few.set("a", key, Some("a"));
        few.set("b", key, Some("b"));
    }
    few.set("b", "strings/y", Some("1"));
    few.0.reconnect("a").expect("it is there");
    few.all_have("strings/x", Some("b"));
    // This one is as it was.
    few.all_have("strings/y", Some("a"));
}

#[test]
fn the_exports_of_a_host_are_its_own() {
    let mut few = Few::new(&["a", "b"]);
    let keys = ["exported/*/a/file//kept", "exported/*/a/file//gone", "exported/*/a/file//changed"];
    keys.iter().for_each(|key| few.set("a", key, Some("1")));
    few.0.disconnect("a").expect("it is there");
    few.set("a", keys[1], None);
    few.set("a", keys[2], Some("2"));
    few.pass(60_000);
    assert!(keys.iter().all(|key| few.value("b", key).is_none() && few.value("a", key).is_some()));
    few.0.reconnect("a").expect("it is there");
    few.all_have(keys[0], Some("1"));
    few.all_have(keys[1], None);
    few.all_have(keys[2], Some("2"));
}

#[test]
fn who_is_disconnected_gives_up_before_others_are_elected() {
    let mut few = Few::new(&["a", "b"]);
    few.vote("a", Strategy::RoundRobin, Lease::For(20));
    few.vote("b", Strategy::RoundRobin, Lease::For(20));
    few.pass(5_000);
    few.0.disconnect("a").expect("it is there");
    few.pass(23_999);
    assert_eq!((few.elected("a"), few.elected("b")), (vec!["a".to_owned()], vec!["a".to_owned()]));
    few.pass(24_000);
    assert_eq!((few.elected("a"), few.elected("b")), (vec![], vec!["a".to_owned()]));
    few.pass(24_500);
    few.0.reconnect("a").expect("it is there");
    assert_eq!(few.elected("a"), ["a"], "its vote is still there");
    few.0.disconnect("a").expect("it is there");
    few.pass(44_500);
    assert_eq!((few.elected("a"), few.elected("b")), (vec![], vec!["b".to_owned()]));
    few.0.reconnect("a").expect("it is there");
    assert_eq!(few.elected("a"), ["b"]);
}

#[test]
fn a_vote_for_ever_is_relied_on_for_ever() {
    let mut few = Few::new(&["a", "b"]);
    few.vote("a", Strategy::RoundRobin, Lease::Endless);
    few.vote("b", Strategy::RoundRobin, Lease::Held);
    few.0.disconnect("a").expect("it is there");
    few.pass(3_600_000);
    assert_eq!((few.elected("a"), few.elected("b")), (vec!["a".to_owned()], vec!["a".to_owned()]));
    few.withdraw("a");
    assert_eq!((few.elected("a"), few.elected("b")), (vec![], vec!["a".to_owned()]));
    few.0.reconnect("a").expect("it is there");
    assert_eq!((few.elected("a"), few.elected("b")), (vec!["b".to_owned()], vec!["b".to_owned()]));
}

#[test]
fn a_vote_that_was_let_go_before_is_not_relied_on() {
    let mut few = Few::new(&["a", "b"]);
    few.vote("a", Strategy::RoundRobin, Lease::For(20));
    few.change("a", |world| {
        world.subjects.schedule.watch(1, "web");
        assert_eq!(world.subjects.schedule.leave(1).len(), 1);
    });
    few.0.disconnect("a").expect("it is there");
    assert_eq!(few.elected("a"), [""; 0]);
    // The new vote waits, and the old one may end at any time.
    few.vote("a", Strategy::RoundRobin, Lease::For(20));
    assert_eq!((few.elected("a"), few.elected("b")), (vec![], vec!["a".to_owned()]));
    few.0.reconnect("a").expect("it is there");
    assert_eq!(few.elected("a"), ["a"]);
}

#[test]
fn a_vote_counts_when_the_store_has_it() {
    let mut few = Few::new(&["a", "b"]);
    few.0.disconnect("a").expect("it is there");
    few.vote("a", Strategy::RoundRobin, Lease::Held);
    assert_eq!(few.elected("a"), [""; 0]);
    assert!(few.world("a").own_vote("web").is_some());
    few.vote("b", Strategy::RoundRobin, Lease::Held);
    few.0.reconnect("a").expect("it is there");
    assert_eq!((few.elected("a"), few.elected("b")), (vec!["b".to_owned()], vec!["b".to_owned()]));
    few.withdraw("b");
    assert_eq!(few.elected("b"), ["a"]);
}

#[test]
fn who_takes_the_place_of_one_that_cannot_know_waits_for_its_vote() {
    let mut few = Few::new(&["c", "d"]);
    few.vote("c", Strategy::Alphabetical, Lease::Held);
    few.vote("d", Strategy::Alphabetical, Lease::Held);
    few.0.disconnect("c").expect("it is there");
    few.pass(2_000);
    few.join("a");
    few.vote("a", Strategy::Alphabetical, Lease::Held);
    // It is gone before it may act on it, and the next one has not seen that.
    few.pass(4_000);
    few.join("b");
    few.vote("b", Strategy::Alphabetical, Lease::Held);
    few.withdraw("a");
    assert_eq!((few.elected("c"), few.elected("d"), few.elected("b")), (vec!["c".into()], vec!["b".into()], vec![]));
    few.pass(13_999);
    assert_eq!((few.elected("c"), few.elected("b")), (vec![], vec![]));
    few.pass(14_000);
    assert_eq!(few.elected("b"), ["b"]);
}

#[test]
fn a_new_agent_reads_what_was_on_the_way_and_is_not_told_of_it() {
    let mut few = Few::new(&["a", "b"]);
    few.change("b", |world| world.session.delay.set_latency(5_000));
    few.set("a", "motto", Some("one"));
    assert_eq!(few.value("b", "motto"), None);
    few.0.at_hand("b").expect("it is there").host.replace();
    assert_eq!(few.value("b", "motto").as_deref(), Some("one"));
    assert!(few.world("b").changed_keys.is_empty());
}

#[test]
fn whatever_the_latencies_all_hosts_end_with_the_last_values() {
    const NAMES: [&str; 3] = ["a", "b", "c"];
    for seed in 0..300_u64 {
        let mut state = seed;
        let mut chance = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let mut few = Few::new(&NAMES);
        let mut now_ms = 0;
        let mut paused: BTreeMap<&str, bool> = BTreeMap::new();
        let mut last: BTreeMap<String, Option<String>> = BTreeMap::new();
        for number in 0..60 {
            let name = NAMES[chance(3) as usize];
            let is_paused = paused.get(name).copied().unwrap_or(false);
            match chance(12) {
                0 => {
                    let ms = [0, 10, 500, 3_000][chance(4) as usize];
                    few.change(name, |world| world.session.delay.set_latency(ms));
                }
                1 => few.change(name, |world| world.session.delay.compact()),
                2 if is_paused => few.0.resume(name).expect("it is there"),
                2 => few.0.pause(name).expect("it is there"),
                3..=5 => {
                    now_ms += chance(1_000);
                    few.pass(now_ms);
                }
                _ if is_paused => {}
                _ => {
                    let key = format!("key {}", chance(3));
                    let value = (chance(4) > 0).then(|| number.to_string());
                    few.set(name, &key, value.as_deref());
                    last.insert(key, value);
                }
            }
            paused.insert(name, few.0.is_paused(name));
        }
        for name in NAMES {
            few.0.resume(name).expect("it is there");
        }
        few.pass(now_ms + 60_000);
        for (key, value) in &last {
            few.all_have(key, value.as_deref());
        }
    }
}
