//! What hosts make of votes that were signed, forged or left over, and of lists of voters.

use super::*;
use crate::deploy::OperatorKey;
use crate::host::world::leases::Tick;
use crate::host::world::mirror::{Held, Snapshot};
use mclive_base::vocab::schedule::{Lease, Options, Strategy, cast};
use std::time::Duration;

const RESULT: &str = "pool/web/chosen";
const LEASE: i64 = 7;

/// What a host knows of a pool.
struct Host {
    inside: Inside,
    revision: i64,
    now: Tick,
}

/// A key with its new value and lease.
type Write = (String, Option<Datum>, i64);

impl Host {
    /// `operators`: those that it trusts, if it requires signed votes.
    fn new(operators: Option<&OperatorKey>) -> Host {
        let operators = operators.map(|key| ("operators".into(), Operators::parse(&key.line()).unwrap()));
        let electorate = Electorate::new("main", operators);
        let mut inside = Inside { electorate, ..Inside::default() };
        let now = Tick(Duration::from_secs(100));
        inside.replace("h1", Snapshot { cluster: "1".into(), revision: 1, ..Snapshot::default() }, now);
        Host { inside, revision: 1, now }
    }

    /// A transaction; returns the keys that are reported.
    fn sees(&mut self, writes: Vec<Write>) -> Vec<String> {
        self.revision += 1;
        let revision = self.revision;
        let held = |value, lease| Held { value, modified: revision, lease };
        let change = |(key, value, lease): Write| Change { key, revision, held: value.map(|value| held(value, lease)) };
        let changes = writes.into_iter().map(change).collect();
        self.inside.apply("h1", revision, changes, self.now)
    }

    fn elected(&self) -> Vec<String> {
        self.inside.elected("web")
    }

    /// What a voter would write as the result.
    fn right(&self, host: &str) -> Vec<String> {
        let options = Options { strategy: Strategy::RoundRobin, max: 1, lease: Lease::For(20) };
        let [_, (_, result)] = cast(&self.inside.counting(), "web", host, Some(&options));
        match result {
            Some(Datum::List(hosts)) => hosts.iter().map(text).collect(),
            _ => Vec::new(),
        }
    }

    fn obstacle(&self) -> Option<String> {
        self.inside.electorate.obstacle("pool/web/")
    }

    fn n_refused(&self) -> Option<usize> {
        self.inside.electorate.n_refused()
    }
}

fn text(value: &Datum) -> String {
    bytes(value).map(|bytes| String::from_utf8_lossy(bytes).into_owned()).unwrap_or_default()
}

fn key(name: &str) -> OperatorKey {
    OperatorKey::generate(name).unwrap().0
}

/// A vote of a host, the only one that is elected; `signed`: with this key, and with the number of this list.
fn vote(host: &str, arrived: u64, signed: Option<(&OperatorKey, u64)>) -> Vec<Write> {
    let key = format!("pool/web/vote/{host}");
    let value = format!("arrived={arrived}&max=1&persist=false&strategy=rr&ttl=20");
    let ballot = Ballot { cluster: "main", key: &key, value: value.as_bytes(), lease: LEASE };
    let statement = signed.map(|(signer, list)| Datum::Bytes(ballot.signed(signer, list).bytes()));
    let place = vote_place(&key).unwrap();
    vec![(key, Some(Datum::text(value)), LEASE), (place, statement, LEASE)]
}

/// The list with these keys.
fn list(n: u64, by: &OperatorKey, keys: &[&OperatorKey]) -> Vec<Write> {
    let lines: Vec<String> = keys.iter().map(|key| key.line()).collect();
    let voters = Voters::of_text(&lines.join("\n"), n, "main", by).unwrap();
    vec![(VOTERS.to_owned(), Some(Datum::Bytes(voters.bytes())), 0)]
}

fn result(hosts: &[&str]) -> Vec<Write> {
    vec![(RESULT.to_owned(), Some(Datum::List(hosts.iter().map(|host| Datum::text(*host)).collect())), 0)]
}

#[test]
fn votes_of_anyone_count_until_there_is_a_list_of_voters() {
    let [alice, h1] = ["alice", "h1"].map(key);
    let mut host = Host::new(None);
    host.sees([vote("h1", 1, None), result(&["h1"])].concat());
    assert_eq!((host.elected(), host.n_refused()), (vec!["h1".to_owned()], None));
    let reported = host.sees(list(1, &alice, &[&h1]));
    assert_eq!(reported, [VOTERS, "pool/web/vote/h1", RESULT]);
    assert_eq!((host.elected(), host.n_refused()), (vec![], Some(1)));
    // Those who sign before the list is published go on.
    let mut host = Host::new(None);
    host.sees([vote("h1", 1, Some((&h1, 0))), result(&["h1"])].concat());
    assert_eq!(host.sees(list(1, &alice, &[&h1])), [VOTERS]);
    assert_eq!((host.elected(), host.n_refused()), (vec!["h1".to_owned()], Some(0)));
    // Without the list, all votes count again.
    host.sees(vote("h1", 1, None));
    assert_eq!(host.elected(), [""; 0]);
    host.sees(vec![(VOTERS.to_owned(), None, 0)]);
    assert_eq!((host.elected(), host.n_refused()), (vec!["h1".to_owned()], None));
}

#[test]
fn neither_a_forged_vote_nor_a_forged_result_elects_a_host() {
    let [alice, h1, h2, eve] = ["alice", "h1", "h2", "eve"].map(key);
    let mut host = Host::new(Some(&alice));
    host.sees(list(1, &alice, &[&h1, &h2]));
    host.sees([vote("h1", 1, Some((&h1, 1))), result(&["h1"])].concat());
    assert_eq!(host.elected(), ["h1"]);
    for signed in [None, Some((&eve, 1)), Some((&h1, 1))] {
        host.sees([vote("h2", 0, signed), result(&["h2"])].concat());
        assert_eq!((host.elected(), host.right("h1")), (vec![], vec!["h1".to_owned()]));
        assert_eq!(host.n_refused(), Some(1));
    }
    // The result names more hosts than the votes elect.
    host.sees([vote("h2", 2, Some((&h2, 1))), result(&["h1", "h2"])].concat());
    assert_eq!((host.elected(), host.n_refused()), (vec!["h1".to_owned()], Some(0)));
    // A vote without the name of a host would come first, and elect both.
    let nameless = ("pool/web/vote/".to_owned(), Some(Datum::text("arrived=0&max=9&strategy=rr")), 0);
    host.sees(vec![nameless]);
    assert_eq!((host.elected(), host.n_refused()), (vec!["h1".to_owned()], Some(1)));
    // A vote that is under another lease than its host has signed may be an earlier one.
    host.sees(result(&["h1"]));
    let [mut vote, mut statement] = <[Write; 2]>::try_from(vote("h1", 1, Some((&h1, 1)))).unwrap();
    (vote.2, statement.2) = (LEASE + 1, LEASE + 1);
    let reported = host.sees(vec![vote, statement]);
    assert!(reported.contains(&"pool/web/vote/h1".to_owned()) && reported.contains(&RESULT.to_owned()), "{reported:?}");
    assert_eq!((host.elected(), host.right("h2")), (vec![], vec!["h2".to_owned()]));
}

#[test]
fn a_key_is_replaced_while_votes_stand() {
    let [alice, old, new] = ["alice", "h1", "h1"].map(key);
    let mut host = Host::new(Some(&alice));
    host.sees(list(1, &alice, &[&old]));
    host.sees([vote("h1", 1, Some((&old, 1))), result(&["h1"])].concat());
    host.sees(list(2, &alice, &[&old, &new]));
    assert_eq!(host.elected(), ["h1"]);
    let may = |host: &Host, key: &OperatorKey| host.inside.electorate.may_vote("h1", Some(key.public()));
    assert_eq!((may(&host, &old), may(&host, &new)), (Ok(()), Ok(())));
    host.sees(vote("h1", 1, Some((&new, 2))));
    host.sees(list(3, &alice, &[&new]));
    assert_eq!((host.elected(), host.inside.electorate.number()), (vec!["h1".to_owned()], 3));
    assert!(may(&host, &old).unwrap_err().starts_with("list 3 of voters does not have the key "));
    assert!(host.inside.electorate.may_vote("h1", None).is_err());
    // One that is removed too early takes the vote along.
    host.sees(list(4, &alice, &[&old]));
    assert_eq!((host.elected(), host.n_refused()), (vec![], Some(1)));
}

#[test]
fn a_host_that_requires_signed_votes_keeps_the_latest_list_of_an_operator() {
    let [alice, eve, h1] = ["alice", "eve", "h1"].map(key);
    let mut host = Host::new(Some(&alice));
    assert!(host.obstacle().unwrap().starts_with("there is no list of voters; "));
    let votes = |list: u64| [vote("h1", 1, Some((&h1, list))), result(&["h1"])].concat();
    host.sees(votes(0));
    assert_eq!(host.elected(), [""; 0]);
    host.sees(list(9, &eve, &[&h1]));
    assert!(host.obstacle().unwrap().starts_with("list 9 of voters is signed with an unknown key, "));
    host.sees(list(3, &alice, &[&h1]));
    let number = |host: &Host| host.inside.electorate.number();
    assert_eq!((host.elected(), number(&host), host.obstacle()), (vec!["h1".to_owned()], 3, None));
    let garbage = vec![(VOTERS.to_owned(), Some(Datum::text("{}")), 0)];
    let removed = vec![(VOTERS.to_owned(), None, 0)];
    for writes in [list(9, &eve, &[&eve]), garbage.clone(), removed, list(2, &alice, &[&eve])] {
        host.sees(writes);
        assert_eq!((host.elected(), number(&host)), (vec!["h1".to_owned()], 3));
    }
    host.sees(list(4, &alice, &[&h1]));
    assert_eq!(number(&host), 4);
    // The operator who signed it is removed from the file, and added again.
    let mut trusts = |key: &OperatorKey| {
        let changed = host.inside.trust_again("h1", Operators::parse(&key.line()));
        (host.inside.elected("web"), changed.contains(&VOTERS.to_owned()))
    };
    assert_eq!((trusts(&eve), trusts(&alice)), ((vec![], true), (vec!["h1".to_owned()], true)));
    assert_eq!(trusts(&alice), (vec!["h1".to_owned()], false));
    // Another host uses any list, and none that it cannot read.
    let mut other = Host::new(None);
    other.sees([list(9, &eve, &[&h1]), votes(9)].concat());
    assert_eq!(other.elected(), ["h1"]);
    other.sees(garbage);
    assert!(other.elected().is_empty() && other.obstacle().unwrap().starts_with("the list of voters in the store is "));
}

#[test]
fn a_host_that_has_just_started_recognises_a_list_that_was_set_back() {
    let [alice, h1, h2] = ["alice", "h1", "h2"].map(key);
    let mut host = Host::new(Some(&alice));
    host.sees([list(2, &alice, &[&h1]), vote("h1", 1, Some((&h1, 3))), result(&["h1"])].concat());
    let why = host.obstacle().unwrap();
    assert!(why.starts_with("h1 has seen list 3 of voters, but the one in the store is 2: "), "{why}");
    assert_eq!((host.elected(), host.n_refused()), (vec![], Some(0)));
    // A host that is not in the list has no say in this.
    host.sees([vote("h2", 2, Some((&h2, 9))), vote("h1", 1, Some((&h1, 2)))].concat());
    assert_eq!((host.obstacle(), host.elected()), (None, vec!["h1".to_owned()]));
    host.sees(list(3, &alice, &[&h1, &h2]));
    assert!(host.obstacle().unwrap().starts_with("h2 has seen list 9 "));
    host.sees(list(10, &alice, &[&h1, &h2]));
    assert_eq!((host.obstacle(), host.elected()), (None, vec!["h1".to_owned()]));
}

#[test]
fn who_takes_the_place_of_a_host_without_a_key_waits_for_its_vote() {
    let [alice, h1, h2] = ["alice", "h1", "h2"].map(key);
    let mut host = Host::new(Some(&alice));
    host.sees(list(1, &alice, &[&h1, &h2]));
    let votes = [vote("h2", 1, Some((&h2, 1))), vote("h1", 2, Some((&h1, 1))), result(&["h2"])];
    host.sees(votes.concat());
    assert_eq!(host.elected(), ["h2"]);
    host.now = Tick(Duration::from_secs(200));
    host.sees(list(2, &alice, &[&h1]));
    assert_eq!(host.elected(), [""; 0]);
    host.now = Tick(Duration::from_secs(201));
    host.sees(result(&["h1"]));
    assert_eq!(host.elected(), ["h1"]);
    assert_eq!(host.inside.handover.from("web"), Some(Duration::from_secs(220)));
}
