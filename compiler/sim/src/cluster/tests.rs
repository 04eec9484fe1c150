//! Hosts that only have a copy of the store.

use super::*;
use crate::vocab::schedule::{self, Lease, Options, Strategy};
use crate::vocab::store::Keys;
use crate::vocab::{Datum, KeyStore};

#[derive(Clone, Default)]
struct Peer {
    keys: BTreeMap<String, Datum>,
    news: News,
    /// How often it was told something.
    n_heard: usize,
    released: BTreeMap<String, Moment>,
}

impl Peer {
    fn set(&mut self, key: &str, value: Option<&str>) {
        self.write(key.to_owned(), value.map(Datum::text));
    }

    fn write(&mut self, key: String, value: Option<Datum>) {
        self.apply(&key, value.as_ref());
        self.news.insert(key, value);
    }

    fn apply(&mut self, key: &str, value: Option<&Datum>) {
        match value {
            Some(value) => drop(self.keys.insert(key.to_owned(), value.clone())),
            None => drop(self.keys.remove(key)),
        }
    }
}

impl Keys for Peer {
    fn get(&self, _: KeyStore, key: &str) -> Option<Datum> {
        self.keys.get(key).cloned()
    }

    fn below(&self, _: KeyStore, prefix: &str) -> Vec<(String, Datum)> {
        let found = self.keys.iter().filter(|(key, _)| key.starts_with(prefix));
        found.map(|(key, value)| (key.clone(), value.clone())).collect()
    }
}

impl Member for Peer {
    fn next_at(&self) -> Option<Moment> {
        None
    }

    fn skip(&mut self, _: Moment) {}

    fn step(&mut self, _: Moment) -> bool {
        false
    }

    fn take_news(&mut self) -> News {
        std::mem::take(&mut self.news)
    }

    fn hear(&mut self, news: &News) {
        self.n_heard += usize::from(!news.is_empty());
        news.iter().for_each(|(key, value)| self.apply(key, value.as_ref()));
    }

    fn disconnect(&mut self, _: Moment) {}

    fn reconnect(&mut self, missed: &News) {
        self.hear(missed);
    }

    fn known_as(&self) -> Option<String> {
        None
    }

    fn released(&self) -> BTreeMap<String, Moment> {
        self.released.clone()
    }
}

fn cluster(hosts: &[&str]) -> Cluster<Peer> {
    let mut cluster = Cluster::default();
    hosts.iter().for_each(|host| cluster.join(host, Peer::default()).expect("there is room"));
    cluster
}

fn write(cluster: &mut Cluster<Peer>, host: &str, key: &str, value: Option<&str>) {
    cluster.at_hand(host).expect("it is there").set(key, value);
    cluster.spread(host);
}

fn vote(cluster: &mut Cluster<Peer>, host: &str, ttl: u64) {
    let options = Options { strategy: Strategy::RoundRobin, max: 1, lease: Lease::For(ttl) };
    let copy = cluster.at_hand(host).expect("it is there");
    let written = schedule::cast(copy, "web", host, Some(&options));
    written.into_iter().for_each(|(key, value)| copy.write(key, value));
    cluster.spread(host);
}

/// Until this second.
fn pass(cluster: &mut Cluster<Peer>, until_s: u64) {
    let until = Moment::default().plus_ms(until_s * 1000);
    while cluster.step(until).is_some() {}
    cluster.skip(until);
}

fn value(cluster: &Cluster<Peer>, host: &str, key: &str) -> Option<String> {
    cluster.get(host)?.keys.get(key).map(|value| format!("{value:?}"))
}

/// The hosts whose votes a host knows.
fn voters(cluster: &Cluster<Peer>, host: &str) -> Vec<String> {
    let copy = cluster.get(host).expect("it is there");
    schedule::votes_of(copy, "web").into_iter().map(|(host, _)| host).collect()
}

#[test]
fn a_lease_ends_in_its_time_whoever_else_is_lost() {
    let mut cluster = cluster(&["a", "b", "c", "d"]);
    vote(&mut cluster, "a", 10);
    cluster.pause("a").expect("it is there");
    pass(&mut cluster, 8);
    cluster.pause("c").expect("it is there");
    cluster.leave("d").expect("it is there");
    // Once more is nothing new.
    cluster.pause("a").expect("it is there");
    pass(&mut cluster, 9);
    assert_eq!(voters(&cluster, "b"), ["a"]);
    cluster.leave("a").expect("it is there");
    pass(&mut cluster, 10);
    assert!(voters(&cluster, "b").is_empty());
}

#[test]
fn leases_end_while_no_host_is_there() {
    let mut cluster = cluster(&["a", "b"]);
    vote(&mut cluster, "a", 10);
    vote(&mut cluster, "b", 60);
    cluster.pause("b").expect("it is there");
    cluster.pause("a").expect("it is there");
    pass(&mut cluster, 30);
    cluster.resume("b").expect("it is there");
    assert_eq!(voters(&cluster, "b"), ["b"], "its own vote lasts longer");
    pass(&mut cluster, 100);
    assert_eq!(voters(&cluster, "b"), ["b"], "and is renewed again");
}

#[test]
fn a_vote_that_was_let_go_does_not_get_more_time_when_its_host_is_lost() {
    let mut cluster = cluster(&["a", "b"]);
    vote(&mut cluster, "a", 10);
    let end = Moment::default().plus_ms(10_000);
    cluster.at_hand("a").expect("it is there").released.insert("web".to_owned(), end);
    pass(&mut cluster, 6);
    cluster.leave("a").expect("it is there");
    pass(&mut cluster, 9);
    assert_eq!(voters(&cluster, "b"), ["a"]);
    pass(&mut cluster, 10);
    assert!(voters(&cluster, "b").is_empty());
}

#[test]
fn a_host_that_comes_while_all_others_are_paused_has_the_same_store() {
    let mut cluster = cluster(&["a"]);
    write(&mut cluster, "a", "strings/x", Some("1"));
    cluster.pause("a").expect("it is there");
    cluster.join("b", Peer::default()).expect("there is room");
    write(&mut cluster, "b", "strings/y", Some("2"));
    cluster.resume("a").expect("it is there");
    for host in ["a", "b"] {
        for key in ["strings/x", "strings/y"] {
            assert!(value(&cluster, host, key).is_some(), "{key} on {host}");
        }
    }
}

#[test]
fn what_was_changed_by_hand_on_a_paused_host_is_the_same_everywhere_afterwards() {
    let mut cluster = cluster(&["a", "b"]);
    cluster.pause("a").expect("it is there");
    write(&mut cluster, "a", "strings/x", Some("by hand"));
    write(&mut cluster, "b", "strings/x", Some("written"));
    write(&mut cluster, "b", "strings/y", Some("written"));
    cluster.resume("a").expect("it is there");
    assert_eq!(value(&cluster, "a", "strings/x"), value(&cluster, "b", "strings/x"));
    assert_eq!(value(&cluster, "a", "strings/x"), Some(format!("{:?}", Datum::text("by hand"))));
    assert_eq!(value(&cluster, "a", "strings/y"), value(&cluster, "b", "strings/y"));
    // A new host that has something already.
    let mut new = Peer::default();
    new.set("strings/y", Some("prepared"));
    cluster.join("c", new).expect("there is room");
    cluster.spread("c");
    assert_eq!(value(&cluster, "c", "strings/y"), value(&cluster, "b", "strings/y"));
}

#[test]
fn exports_end_after_their_host_and_are_there_again_with_it() {
    let mut cluster = cluster(&["a", "b"]);
    let (own, other) = ("exported/*/a/file//x/y", "exported/a/b/file//x");
    write(&mut cluster, "a", own, Some("1"));
    write(&mut cluster, "b", other, Some("1"));
    cluster.pause("a").expect("it is there");
    pass(&mut cluster, 14);
    assert!(value(&cluster, "b", own).is_some());
    pass(&mut cluster, 15);
    assert_eq!(value(&cluster, "b", own), None);
    assert!(value(&cluster, "b", other).is_some());
    cluster.resume("a").expect("it is there");
    for host in ["a", "b"] {
        assert!(value(&cluster, host, own).is_some(), "{host}");
    }
    // Another host of its name has none of them.
    cluster.leave("a").expect("it is there");
    cluster.join("a", Peer::default()).expect("there is room");
    assert_eq!((value(&cluster, "a", own), value(&cluster, "b", own)), (None, None));
    pass(&mut cluster, 60);
    assert!(value(&cluster, "a", other).is_some());
}

#[test]
fn a_host_that_is_disconnected_hears_at_once_of_everything_when_it_is_back() {
    let mut cluster = cluster(&["a", "b"]);
    write(&mut cluster, "a", "strings/x", Some("1"));
    cluster.disconnect("a").expect("it is there");
    let n_heard = |cluster: &Cluster<Peer>, host: &str| cluster.get(host).expect("it is there").n_heard;
    let before = (n_heard(&cluster, "a"), n_heard(&cluster, "b"));
    for text in ["2", "3", "4"] {
        write(&mut cluster, "b", "strings/x", Some(text));
        write(&mut cluster, "b", "strings/y", Some(text));
    }
    write(&mut cluster, "a", "strings/own", Some("a"));
    assert_eq!((n_heard(&cluster, "a"), n_heard(&cluster, "b")), before);
    assert_eq!((value(&cluster, "b", "strings/own"), value(&cluster, "a", "strings/y")), (None, None));
    cluster.reconnect("a").expect("it is there");
    assert_eq!((n_heard(&cluster, "a"), n_heard(&cluster, "b")), (before.0 + 1, before.1 + 1));
    for key in ["strings/own", "strings/x", "strings/y"] {
        assert_eq!(value(&cluster, "a", key), value(&cluster, "b", key), "{key}");
    }
    assert_eq!(value(&cluster, "a", "strings/x"), Some(format!("{:?}", Datum::text("4"))));
    // Again, without anything that happened in between.
    cluster.reconnect("a").expect("it is there");
    assert_eq!((n_heard(&cluster, "a"), n_heard(&cluster, "b")), (before.0 + 1, before.1 + 1));
}

#[test]
fn leases_end_once_in_their_time_however_a_host_is_kept_away() {
    let mut cluster = cluster(&["a", "b"]);
    let own = "exported/*/a/file//x";
    vote(&mut cluster, "a", 10);
    write(&mut cluster, "a", own, Some("1"));
    cluster.disconnect("a").expect("it is there");
    pass(&mut cluster, 5);
    cluster.pause("a").expect("it is there");
    pass(&mut cluster, 8);
    // It is still paused.
    cluster.reconnect("a").expect("it is there");
    pass(&mut cluster, 9);
    assert_eq!(voters(&cluster, "b"), ["a"]);
    pass(&mut cluster, 10);
    assert!(voters(&cluster, "b").is_empty());
    cluster.disconnect("a").expect("it is there");
    // It is still disconnected.
    cluster.resume("a").expect("it is there");
    pass(&mut cluster, 14);
    assert!(value(&cluster, "b", own).is_some());
    pass(&mut cluster, 15);
    assert_eq!(value(&cluster, "b", own), None);
    cluster.reconnect("a").expect("it is there");
    assert!(value(&cluster, "b", own).is_some());
    // It is lost while it is away, and another one gets its name.
    cluster.disconnect("a").expect("it is there");
    cluster.leave("a").expect("it is there");
    assert!(value(&cluster, "b", own).is_some());
    cluster.join("a", Peer::default()).expect("there is room");
    assert_eq!(value(&cluster, "b", own), None);
    assert!(!cluster.is_disconnected("a"));
    assert_eq!(cluster.disconnect("c"), Err("cannot find host c".to_owned()));
}

/// A host with events that are all due at once.
struct Busy {
    n_left: usize,
}

impl Member for Busy {
    fn next_at(&self) -> Option<Moment> {
        (self.n_left > 0).then_some(Moment(1))
    }

    fn skip(&mut self, _: Moment) {}

    fn step(&mut self, _: Moment) -> bool {
        self.n_left -= 1;
        true
    }

    fn take_news(&mut self) -> News {
        News::new()
    }

    fn hear(&mut self, _: &News) {}

    fn disconnect(&mut self, _: Moment) {}

    fn reconnect(&mut self, _: &News) {}

    fn known_as(&self) -> Option<String> {
        None
    }

    fn released(&self) -> BTreeMap<String, Moment> {
        BTreeMap::new()
    }
}

/// The hosts on which something happens, in turn.
fn turns(seed: u64) -> Vec<String> {
    let mut cluster = Cluster::default();
    cluster.set_order(Order::of_seed(seed));
    for host in ["a", "b", "c"] {
        cluster.join(host, Busy { n_left: 4 }).expect("there is room");
    }
    let step = || match cluster.step(Moment(1))? {
        Happened::On(host) => Some(host),
        Happened::InStore => panic!("nothing is in the store"),
    };
    std::iter::from_fn(step).collect()
}

#[test]
fn hosts_with_events_at_the_same_moment_take_turns_as_the_seed_says() {
    let usual = turns(0);
    assert_eq!(usual.concat(), "aaaabbbbcccc");
    let drawn: Vec<Vec<String>> = (1..=10).map(turns).collect();
    assert_eq!((1..=10).map(turns).collect::<Vec<_>>(), drawn);
    for turns in &drawn {
        let mut sorted = turns.clone();
        sorted.sort();
        assert_eq!(sorted, usual, "{turns:?}");
    }
    // The events of one host do not have to come one after the other.
    assert!(drawn.iter().any(|turns| turns.windows(2).filter(|pair| pair[0] != pair[1]).count() > 2), "{drawn:?}");
    let names = || ["a", "b", "c"].map(str::to_owned).to_vec();
    assert_eq!(Cluster::<Busy>::default().in_turn(names()), names());
    let in_turn = |seed| {
        let mut cluster = Cluster::<Busy>::default();
        cluster.set_order(Order::of_seed(seed));
        cluster.in_turn(names())
    };
    assert!((1..=10).any(|seed| in_turn(seed) != names()));
}
