//! The election, as a pure function of the votes and the previous result: every host computes the same result, and the
//! host that changes a vote writes it. World spec, 16.

use super::{Datum, KeyStore, Keys, Lease, Options, Strategy};
use crate::sort;
use std::fmt::Write;

/// A host's vote in a pool.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Vote {
    /// Its place in the order of arrival.
    pub arrived: u64,
    /// Its options.
    pub options: Options,
}

const POOLS: &str = "pool/";
const CHOSEN: &str = "chosen";
const VOTES: &str = "vote/";

/// The key prefix of a pool in the store, with a trailing slash.
pub fn place(namespace: &str) -> String {
    let mut place = String::from(POOLS);
    for letter in namespace.chars() {
        match letter {
            '/' | '%' | '\0'..='\x1f' | '\x7f' => {
                let _ = write!(place, "%{:02X}", u32::from(letter));
            }
            letter => place.push(letter),
        }
    }
    place + "/"
}

fn unescaped(name: &str) -> Option<String> {
    let mut parts = name.split('%');
    let mut text = parts.next()?.to_owned();
    for part in parts {
        text.push(char::from(u8::from_str_radix(part.get(..2)?, 16).ok()?));
        text.push_str(&part[2..]);
    }
    (!name.contains('/')).then_some(text)
}

/// The pool's keys and values in the shared store after a host has voted or withdrawn its vote.
pub fn cast(keys: &dyn Keys, namespace: &str, host: &str, options: Option<&Options>) -> [(String, Option<Datum>); 2] {
    let place = place(namespace);
    let mut votes = votes_of(keys, namespace);
    // Changing a vote keeps its place in the order.
    let before = votes.iter().position(|(voter, _)| voter == host).map(|at| votes.remove(at).1.arrived);
    let last = votes.iter().map(|(_, vote)| vote.arrived).max().unwrap_or(0);
    let vote =
        options.map(|options| Vote { arrived: before.unwrap_or(last.saturating_add(1)), options: options.clone() });
    let text = vote.as_ref().map(|vote| Datum::text(vote.encode()));
    votes.extend(vote.map(|vote| (host.to_owned(), vote)));
    let chosen = elect(&mut votes, chosen(keys, namespace));
    let chosen = (!chosen.is_empty()).then(|| Datum::List(chosen.into_iter().map(Datum::text).collect()));
    [(format!("{place}{VOTES}{host}"), text), (format!("{place}{CHOSEN}"), chosen)]
}

/// The votes of a pool by host. An unreadable vote counts with the default options.
pub fn votes_of(keys: &dyn Keys, namespace: &str) -> Vec<(String, Vote)> {
    let place = format!("{}{VOTES}", place(namespace));
    let votes = keys.below(KeyStore::World, &place).into_iter();
    votes.map(|(key, value)| (key[place.len()..].to_owned(), Vote::decode(&text(&value)))).collect()
}

/// The pools in which a host has voted, with the lease of each vote.
pub fn votes_by(keys: &dyn Keys, host: &str) -> Vec<(String, Lease)> {
    let end = format!("/{VOTES}{host}");
    let votes = keys.below(KeyStore::World, POOLS).into_iter();
    let pool = |key: &str| key.strip_prefix(POOLS)?.strip_suffix(&end).and_then(unescaped);
    votes.filter_map(|(key, value)| Some((pool(&key)?, Vote::decode(&text(&value)).options.lease))).collect()
}

/// The pools of which a store has votes or a result.
pub fn pools(keys: &dyn Keys) -> Vec<String> {
    let pool = |key: &str| unescaped(key.strip_prefix(POOLS)?.split_once('/')?.0);
    let keys = keys.below(KeyStore::World, POOLS).into_iter();
    let mut pools: Vec<String> = keys.filter_map(|(key, _)| pool(&key)).collect();
    // What is below one prefix stands together.
    pools.dedup();
    pools
}

/// Whether a key holds a vote or the result of a pool.
pub fn is_of_pool(key: &str) -> bool {
    key.starts_with(POOLS)
}

/// The pool whose result a key holds.
pub fn pool_of(key: &str) -> Option<String> {
    key.strip_prefix(POOLS)?.strip_suffix(CHOSEN)?.strip_suffix('/').and_then(unescaped)
}

/// The last result, in order.
pub fn chosen(keys: &dyn Keys, namespace: &str) -> Vec<String> {
    match keys.get(KeyStore::World, &format!("{}{CHOSEN}", place(namespace))) {
        Some(Datum::List(hosts)) => hosts.iter().map(text).collect(),
        _ => Vec::new(),
    }
}

/// The hosts of the last result that the votes elect as well, in order: anyone may have written that result.
pub fn confirmed(keys: &dyn Keys, namespace: &str) -> Vec<String> {
    let before = chosen(keys, namespace);
    let mut hosts = elect(&mut votes_of(keys, namespace), before.clone());
    hosts.retain(|host| before.contains(host));
    hosts
}

/// The host whose vote determines the options of a pool, with these options, if the vote of `host` has different ones.
pub fn overrules(keys: &dyn Keys, namespace: &str, host: &str) -> Option<(String, Options)> {
    let mut votes = votes_of(keys, namespace);
    in_order(&mut votes);
    let (first, Vote { options: counts, .. }) = votes.first()?;
    let (_, Vote { options: own, .. }) = votes.iter().find(|(voter, _)| voter == host)?;
    ((own.strategy, own.max) != (counts.strategy, counts.max)).then(|| (first.clone(), counts.clone()))
}

fn in_order(votes: &mut [(String, Vote)]) {
    sort::by(votes, |(one, a), (other, b)| a.arrived.cmp(&b.arrived).then_with(|| one.cmp(other)));
}

/// The options of the earliest vote apply.
fn elect(votes: &mut [(String, Vote)], before: Vec<String>) -> Vec<String> {
    in_order(votes);
    let Some((_, Vote { options, .. })) = votes.first() else { return Vec::new() };
    let mut hosts: Vec<String> = votes.iter().map(|(host, _)| host.clone()).collect();
    match options.strategy {
        // The sort is stable, so newcomers keep their order.
        Strategy::RoundRobin => {
            sort::by_key(&mut hosts, |host| before.iter().position(|chosen| chosen == host).unwrap_or(usize::MAX));
        }
        Strategy::Alphabetical => hosts.sort(),
        Strategy::Idle => hosts.clear(),
    }
    hosts.truncate(usize::try_from(options.max).unwrap_or(usize::MAX));
    hosts
}

fn text(value: &Datum) -> String {
    match value {
        Datum::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        _ => String::new(),
    }
}

impl Vote {
    fn encode(&self) -> String {
        let Vote { arrived, options: Options { strategy, max, lease } } = self;
        let strategy = match strategy {
            Strategy::RoundRobin => "rr",
            Strategy::Alphabetical => "alpha",
            Strategy::Idle => "",
        };
        let persist = *lease == Lease::Endless;
        let ttl = if let Lease::For(s) = lease { format!("&ttl={s}") } else { String::new() };
        format!("arrived={arrived}&max={max}&persist={persist}&strategy={strategy}{ttl}")
    }

    fn decode(text: &str) -> Vote {
        let options = Options { strategy: Strategy::RoundRobin, max: 1, lease: Lease::Held };
        let mut vote = Vote { arrived: 0, options };
        for (name, value) in text.split('&').filter_map(|part| part.split_once('=')) {
            let number = value.parse::<u64>().ok();
            match (name, value) {
                ("arrived", _) => vote.arrived = number.unwrap_or(0),
                ("max", _) => vote.options.max = number.unwrap_or(1),
                ("persist", "true") => vote.options.lease = Lease::Endless,
                ("strategy", "alpha") => vote.options.strategy = Strategy::Alphabetical,
                ("strategy", "") => vote.options.strategy = Strategy::Idle,
                ("ttl", _) => vote.options.lease = number.map_or(Lease::Held, Lease::For),
                _ => {}
            }
        }
        vote
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(strategy: Strategy, max: u64) -> Options {
        Options { strategy, max, lease: Lease::Held }
    }

    #[track_caller]
    fn check(first: Strategy, max: u64, before: &[&str], expect: &[&str]) {
        // Order of arrival: c, a, b; only the first vote's options count.
        let mut votes: Vec<(String, Vote)> = [("a", 2), ("b", 3), ("c", 1)]
            .map(|(host, arrived)| {
                let options = if host == "c" { options(first, max) } else { options(Strategy::Idle, 9) };
                (host.to_owned(), Vote { arrived, options })
            })
            .to_vec();
        assert_eq!(elect(&mut votes, before.iter().map(|host| (*host).to_owned()).collect()), expect);
    }

    #[test]
    fn who_is_elected_stays_and_newcomers_follow_in_order() {
        check(Strategy::RoundRobin, 1, &[], &["c"]);
        check(Strategy::RoundRobin, 2, &["b"], &["b", "c"]);
        check(Strategy::RoundRobin, 2, &["gone", "a"], &["a", "c"]);
        check(Strategy::RoundRobin, 9, &["b", "a"], &["b", "a", "c"]);
        check(Strategy::Alphabetical, 2, &["c"], &["a", "b"]);
        check(Strategy::Idle, 2, &["c"], &[]);
        assert!(elect(&mut [], vec!["a".into()]).is_empty());
    }

    /// Keys that someone has written.
    struct Written(Vec<(String, Datum)>);

    impl Keys for Written {
        fn get(&self, _: KeyStore, key: &str) -> Option<Datum> {
            self.0.iter().find(|(written, _)| written == key).map(|(_, value)| value.clone())
        }

        fn below(&self, _: KeyStore, prefix: &str) -> Vec<(String, Datum)> {
            self.0.iter().filter(|(written, _)| written.starts_with(prefix)).cloned().collect()
        }
    }

    #[test]
    fn a_vote_that_claims_to_be_the_last_one_of_all_leaves_room_for_others() {
        let vote = Datum::text(format!("arrived={}&max=2", u64::MAX));
        let keys = Written(vec![("pool/web/vote/a".to_owned(), vote)]);
        let [(_, vote), (_, chosen)] = cast(&keys, "web", "b", Some(&options(Strategy::RoundRobin, 1)));
        assert!(vote.is_some());
        assert_eq!(chosen, Some(Datum::List(vec![Datum::text("a"), Datum::text("b")])));
    }

    #[test]
    fn a_result_is_confirmed_as_far_as_the_votes_elect_the_same_hosts() {
        let vote = |host: &str, arrived: u64, strategy: Strategy| {
            let vote = Vote { arrived, options: options(strategy, 2) };
            (format!("pool/web/vote/{host}"), Datum::text(vote.encode()))
        };
        let confirmed = |strategy: Strategy, result: &str| {
            let votes = [vote("a", 1, strategy), vote("b", 2, strategy), vote("c", 3, strategy)];
            let result = Datum::List(result.split_whitespace().map(Datum::text).collect());
            let keys = votes.into_iter().chain([("pool/web/chosen".to_owned(), result)]).collect();
            confirmed(&Written(keys), "web").join(" ")
        };
        for (strategy, result, expect) in [
            (Strategy::Alphabetical, "a b", "a b"),
            (Strategy::Alphabetical, "b c", "b"),
            (Strategy::Alphabetical, "z", ""),
            (Strategy::RoundRobin, "c a", "c a"),
            // The vote of `z` has ended, and the next host does not act before the result names it.
            (Strategy::RoundRobin, "z b", "b"),
            // At most two, and each once.
            (Strategy::RoundRobin, "c b a", "c b"),
            (Strategy::RoundRobin, "b b", "b"),
            (Strategy::Idle, "a", ""),
            (Strategy::RoundRobin, "", ""),
        ] {
            assert_eq!(confirmed(strategy, result), expect, "{strategy:?} {result:?}");
        }
    }

    #[test]
    fn the_first_vote_overrules_those_with_other_options_than_its_own() {
        let vote = |host: &str, arrived: u64, max: u64, lease: Lease| {
            let vote = Vote { arrived, options: Options { lease, ..options(Strategy::RoundRobin, max) } };
            (format!("pool/web/vote/{host}"), Datum::text(vote.encode()))
        };
        let votes = [vote("a", 2, 2, Lease::Held), vote("b", 1, 1, Lease::Held), vote("c", 3, 1, Lease::For(30))];
        let keys = Written(votes.to_vec());
        let overrules = |host: &str| overrules(&keys, "web", host);
        assert_eq!(overrules("a"), Some(("b".to_owned(), options(Strategy::RoundRobin, 1))));
        assert_eq!([overrules("b"), overrules("c"), overrules("nobody")], [None, None, None]);
    }

    #[test]
    fn a_pool_may_have_any_name() {
        for name in ["web", "a/b", "100%", "ä\n"] {
            let place = place(name);
            assert_eq!(place.matches('/').count(), 2, "{place}");
            assert_eq!(unescaped(place.trim_start_matches(POOLS).trim_end_matches('/')).as_deref(), Some(name));
        }
        assert_eq!(unescaped("a/vote/b"), None);
        assert_eq!(pool_of("pool/a%2Fb/chosen").as_deref(), Some("a/b"));
        for other in ["pool/web/vote/chosen", "pool/web/vote/h1", "strings/chosen"] {
            assert_eq!(pool_of(other), None, "{other}");
        }
    }

    #[test]
    fn a_vote_comes_back_from_its_text() {
        for lease in [Lease::Held, Lease::For(30), Lease::Endless] {
            for strategy in [Strategy::RoundRobin, Strategy::Alphabetical, Strategy::Idle] {
                let vote = Vote { arrived: 7, options: Options { strategy, max: 3, lease } };
                assert_eq!(Vote::decode(&vote.encode()), vote);
            }
        }
        assert_eq!(Vote::decode("nonsense").options, options(Strategy::RoundRobin, 1));
        // Hosts of several versions vote in one pool: the text stays, and what later versions add is passed over.
        let lease = Lease::For(30);
        let vote = Vote { arrived: 7, options: Options { lease, ..options(Strategy::Alphabetical, 3) } };
        let text = "arrived=7&max=3&persist=false&strategy=alpha&ttl=30";
        assert_eq!(vote.encode(), text);
        assert_eq!(Vote::decode(&format!("{text}&later=1")), vote);
    }
}
