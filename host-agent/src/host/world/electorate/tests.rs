//! What hosts make of votes that were signed, forged or left over, and of lists of voters.

use super::*;
use crate::deploy::OperatorKey;
use crate::host::world::leases::Tick;
use crate::host::world::mirror::{Held, Snapshot};
use mclive_base::vocab::schedule::{Lease, Options, Strategy, cast, chosen};
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

    /// The result that the voter `me` writes. `None`: it finds the one that is there right, or leaves it to others.
    fn writes(&self, me: &str) -> Option<Vec<Write>> {
        let is_left = self.inside.electorate.rival(me, &self.inside.mirror, "pool/web/").is_some();
        let right = self.right(me);
        let is_due = self.obstacle().is_none() && !is_left && right != chosen(&self.inside.mirror, "web");
        let hosts: Vec<&str> = right.iter().map(String::as_str).collect();
        is_due.then(|| result(&hosts))
    }

    /// How many signatures it has verified, and how often it has read the votes of a pool.
    fn effort(&self) -> (usize, usize) {
        let electorate = &self.inside.electorate;
        (electorate.verdicts.n_verified(), electorate.n_reads.load(Ordering::Relaxed))
    }
}

/// Hosts that see the same store.
type Hosts = [(&'static str, Host)];

fn tell(hosts: &mut Hosts, writes: &[Write]) {
    for (_, host) in hosts {
        host.sees(writes.to_vec());
    }
}

/// Which of these voters write the result, one after the other, until none of them does.
fn writers(hosts: &mut Hosts, voters: &[&str]) -> Vec<&'static str> {
    let mut writers = Vec::new();
    loop {
        let mut voting = hosts.iter().filter(|(me, _)| voters.contains(me));
        let next = voting.find_map(|(me, host)| Some((*me, host.writes(me)?)));
        let Some((me, writes)) = next else { return writers };
        tell(hosts, &writes);
        writers.push(me);
        assert!(writers.len() < 10, "they overwrite the results of each other: {writers:?}");
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
    // Those who sign before the list is published continue.
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

#[test]
fn a_list_that_is_replaced_costs_no_host_more_than_one_signature_per_voter() {
    const N: usize = 100;
    let [alice, bob] = ["alice", "bob"].map(key);
    let voters: Vec<(String, OperatorKey)> = (0..N).map(|n| format!("h{n:02}")).map(|h| (h.clone(), key(&h))).collect();
    let keys: Vec<&OperatorKey> = voters.iter().map(|(_, key)| key).collect();
    let votes = |list: u64| voters.iter().map(move |(host, key)| vote(host, 1, Some((key, list))));
    let mut host = Host::new(Some(&alice));
    host.sees(list(1, &alice, &keys));
    votes(1).for_each(|vote| drop(host.sees(vote)));
    host.sees(result(&["h00"]));
    assert_eq!((host.elected(), host.effort().0), (vec!["h00".to_owned()], N));
    // The next list has the same keys.
    host.sees(list(2, &alice, &keys));
    let (verified, reads) = host.effort();
    assert_eq!((verified, host.elected()), (N, vec!["h00".to_owned()]));
    let reads = reads + 1;
    // All voters sign again, each in its own transaction: that does not change the election.
    votes(2).for_each(|mut vote| drop(host.sees(vote.split_off(1))));
    assert_eq!(host.effort(), (2 * N, reads));
    // The operator of the next one is not known here: the first voter that names it decides this.
    host.sees(list(3, &bob, &keys));
    let mut later = votes(3).map(|mut vote| vote.split_off(1));
    host.sees(later.next().unwrap());
    let why = host.obstacle().unwrap();
    assert!(
        why.starts_with("h00 uses list 3 of voters, and this host list 2: list 3 of voters is signed with"),
        "{why}"
    );
    assert!(host.elected().is_empty());
    let before = host.effort();
    later.for_each(|statement| drop(host.sees(statement)));
    assert_eq!(host.effort(), (before.0 + N - 1, before.1));
    // The last one that signs again with this list ends it.
    votes(2).for_each(|mut vote| drop(host.sees(vote.split_off(1))));
    assert_eq!((host.obstacle(), host.elected()), (None, vec!["h00".to_owned()]));
}

#[test]
fn a_pool_is_looked_at_again_when_its_votes_can_be_counted() {
    let [alice, h1] = ["alice", "h1"].map(key);
    let mut host = Host::new(Some(&alice));
    host.sees([list(2, &alice, &[&h1]), vote("h1", 1, Some((&h1, 3)))].concat());
    assert!(host.obstacle().is_some());
    let statement = vote("h1", 1, Some((&h1, 2))).split_off(1);
    let place = statement[0].0.clone();
    assert_eq!(host.sees(statement), [place, RESULT.to_owned()]);
    assert_eq!(host.obstacle(), None);
}

#[test]
fn hosts_with_several_lists_do_not_overwrite_the_results_of_each_other() {
    let [alice, bob, h1, h2] = ["alice", "bob", "h1", "h2"].map(key);
    // The file with the operators of one host is outdated, and the other one requires nothing.
    let mut hosts = [("h1", Host::new(Some(&alice))), ("h2", Host::new(None))];
    tell(&mut hosts, &[list(1, &alice, &[&h1]), vote("h1", 1, Some((&h1, 1)))].concat());
    assert_eq!(writers(&mut hosts, &["h1"]), ["h1"]);
    tell(&mut hosts, &[list(2, &bob, &[&h2]), vote("h2", 2, Some((&h2, 2)))].concat());
    assert_eq!(writers(&mut hosts, &["h1", "h2"]), ["h2"]);
    let elected = |hosts: &Hosts| hosts.iter().map(|(_, host)| host.elected().join(" ")).collect::<Vec<_>>();
    assert_eq!(elected(&hosts), ["", "h2"]);
    let rival = |hosts: &Hosts| hosts[0].1.inside.electorate.rival("h1", &hosts[0].1.inside.mirror, "pool/web/");
    // The list is removed: the other host counts all votes, and says so in its own.
    tell(&mut hosts, &[(VOTERS.to_owned(), None, 0)]);
    for signed in [Some((&h2, 0)), None] {
        tell(&mut hosts, &vote("h2", 2, signed));
        assert_eq!((writers(&mut hosts, &["h1", "h2"]), rival(&hosts)), (vec![], Some("h2".to_owned())));
        assert_eq!(elected(&hosts), ["", "h2"]);
    }
    // No host can use what is there now.
    tell(&mut hosts, &[(VOTERS.to_owned(), Some(Datum::text("{}")), 0)]);
    assert_eq!((rival(&hosts), elected(&hosts)), (None, vec![String::new(); 2]));
    assert_eq!(
        (writers(&mut hosts, &["h1", "h2"]), elected(&hosts)),
        (vec!["h1"], vec!["h1".to_owned(), String::new()])
    );
    // The other voter is gone. Those that keep the same list continue without one in the store.
    let [vote, statement] = <[Write; 2]>::try_from(vote("h2", 2, None)).unwrap();
    tell(
        &mut hosts,
        &[vec![(VOTERS.to_owned(), None, 0), (vote.0, None, 0), (statement.0, None, 0)], result(&[])].concat(),
    );
    assert_eq!((writers(&mut hosts, &["h1"]), elected(&hosts)), (vec!["h1"], vec!["h1".to_owned(); 2]));
}

#[test]
fn a_result_is_not_left_to_hosts_that_cannot_write_it() {
    let [alice, eve, h1, h2, h3] = ["alice", "eve", "h1", "h2", "h3"].map(key);
    let rival = |hosts: &Hosts| hosts[0].1.inside.electorate.rival("h1", &hosts[0].1.inside.mirror, "pool/web/");
    // One host has seen list 2, and the other one has started after list 1 was written again.
    let mut hosts = [("h1", Host::new(Some(&alice))), ("h2", Host::new(Some(&alice)))];
    hosts[0].1.sees(list(2, &alice, &[&h1, &h2]));
    tell(&mut hosts, &list(1, &alice, &[&h1, &h2]));
    tell(&mut hosts, &vote("h2", 1, Some((&h2, 1))));
    assert_eq!((writers(&mut hosts, &["h1", "h2"]), rival(&hosts)), (vec!["h2"], Some("h2".to_owned())));
    // The other one learns from this vote that its list is not the latest.
    tell(&mut hosts, &[vote("h1", 2, Some((&h1, 2))), result(&["h3"])].concat());
    assert!(hosts[1].1.obstacle().is_some());
    assert_eq!((writers(&mut hosts, &["h1", "h2"]), rival(&hosts)), (vec!["h1"], None));
    // Both keep a list, and someone else writes one with its number.
    let mut hosts = [("h1", Host::new(Some(&alice))), ("h2", Host::new(Some(&alice)))];
    let votes = [vote("h1", 1, Some((&h1, 1))), vote("h2", 2, Some((&h2, 1)))].concat();
    tell(&mut hosts, &[list(1, &alice, &[&h1, &h2]), votes].concat());
    tell(&mut hosts, &list(1, &eve, &[&h1, &h2, &h3]));
    assert_eq!((writers(&mut hosts, &["h1", "h2"]), rival(&hosts)), (vec!["h1"], None));
    tell(&mut hosts, &vote("h3", 0, Some((&h3, 1))));
    assert_eq!(rival(&hosts), Some("h3".to_owned()));
}
