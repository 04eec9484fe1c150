//! [`Pool`]: the leases, in memory.
//!
//! ```text
//! probe --(free)--> offer --(30 s)--> confirm --(lease)--> confirm ... --> release, or it runs out
//!   in use: unused for ten minutes                           decline: unused for one lease time
//! ```

use super::{Boot, Watch, mask};
use std::collections::BTreeMap;
use std::net::Ipv4Addr;

/// How long an offer is reserved. Units: seconds.
const OFFERED_S: u64 = 30;
/// How long an endless lease, or an address that is in use by an unknown machine, is kept. Units: seconds.
const LONG_S: u64 = 600;
/// How long the result of a probe is waited for. Units: seconds.
const PROBING_S: u64 = 2;
/// The maximum number of addresses that are offered or leased at once.
const MOST_LEASES: usize = 65_536;
const MOST_OFFERS: usize = 4096;
/// The maximum number of addresses of one network card, under whatever identifiers: it must not take all of a range.
const MOST_OF_CARD: usize = 16;

/// The leases of one server, by address.
#[derive(Clone, Default, Debug)]
pub struct Pool(BTreeMap<Ipv4Addr, Lease>);

#[derive(Clone, Debug)]
struct Lease {
    /// `None`: the address is in use by an unknown machine.
    client: Option<Vec<u8>>,
    /// The MAC address of the client that requested it; empty if there is none.
    mac: String,
    until_s: u64,
    stage: Stage,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// Chosen for a client, if it is not in use elsewhere.
    Probing,
    Offered,
    Leased,
}

/// The client of a request.
#[derive(Clone, Copy, Debug)]
pub struct Client<'a> {
    /// Its unique identifier.
    pub id: &'a [u8],
    /// Its MAC address, in lower case with colons.
    pub mac: &'a str,
    /// An address of the client's network: that of the relay, or of our interface.
    pub near: Option<Ipv4Addr>,
}

/// The address given to a client.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grant<'a> {
    /// The address.
    pub ip: Ipv4Addr,
    /// Prefix length of its network.
    pub length: u8,
    /// What to boot.
    pub boot: Option<&'a Boot>,
}

/// An address that a client holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Leased<'a> {
    /// The address.
    pub ip: Ipv4Addr,
    /// The client's MAC address.
    pub mac: &'a str,
    /// When the lease ends, if it is not renewed. Units: seconds.
    pub until_s: u64,
}

/// What to do for a client that looks for an address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Proposal<'a> {
    /// Offer it.
    Offer(Grant<'a>),
    /// Find out whether a machine uses this address, report it with [`Pool::probed`], and call [`Pool::propose`] again.
    Probe(Ipv4Addr),
    /// An address is being probed for this client.
    Wait,
}

/// The answer to a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict<'a> {
    /// The client may use this address.
    Granted(Grant<'a>),
    /// The client may not use the address it asked for.
    Refused,
}

impl Pool {
    /// An address for a client, without a probe: its current one, the one it asks for, or the first free one.
    pub fn offer<'a>(
        &mut self,
        server: &'a Watch,
        client: Client,
        wanted: Option<Ipv4Addr>,
        now_s: u64,
    ) -> Option<Grant<'a>> {
        if let Some(grant) = reserved(server, client) {
            return Some(grant);
        }
        let (grant, _) = self.choose(server, client, wanted, now_s)?;
        self.probed(grant.ip, false, now_s);
        Some(grant)
    }

    /// As [`Pool::offer`], but a new address of a range is probed first. A reserved one is its client's in any case.
    pub fn propose<'a>(
        &mut self,
        server: &'a Watch,
        client: Client,
        wanted: Option<Ipv4Addr>,
        now_s: u64,
    ) -> Option<Proposal<'a>> {
        if let Some(grant) = reserved(server, client) {
            return Some(Proposal::Offer(grant));
        }
        let (grant, stage) = self.choose(server, client, wanted, now_s)?;
        Some(match stage {
            None => Proposal::Probe(grant.ip),
            Some(Stage::Probing) => Proposal::Wait,
            Some(Stage::Offered | Stage::Leased) => Proposal::Offer(grant),
        })
    }

    /// The result of a probe: whether another machine uses the address. `false`: the client has lost interest.
    pub fn probed(&mut self, ip: Ipv4Addr, is_in_use: bool, now_s: u64) -> bool {
        let Some(lease) = self.0.get_mut(&ip).filter(|lease| lease.stage == Stage::Probing) else { return false };
        if is_in_use {
            *lease = Lease { client: None, mac: String::new(), until_s: now_s + LONG_S, stage: Stage::Leased };
        } else {
            (lease.stage, lease.until_s) = (Stage::Offered, now_s + OFFERED_S);
        }
        true
    }

    /// An address for a client, with its stage. `None`: it is new, and reserved for the time of a probe.
    fn choose<'a>(
        &mut self,
        server: &'a Watch,
        client: Client,
        wanted: Option<Ipv4Addr>,
        now_s: u64,
    ) -> Option<(Grant<'a>, Option<Stage>)> {
        self.0.retain(|_, lease| lease.until_s > now_s);
        let fits = |ip: &Ipv4Addr| of_range(server, client, *ip).is_some();
        let is_free = |ip: &Ipv4Addr| !self.0.contains_key(ip);
        let own = self.0.iter().find(|(_, lease)| lease.is_of(client.id)).map(|(ip, lease)| (*ip, lease.stage));
        let own = own.filter(|(ip, _)| fits(ip));
        let free =
            || ranges(server, client).find_map(|range| addresses(server, range).find(|ip| is_free(ip) && fits(ip)));
        if let Some((ip, stage)) = own {
            return of_range(server, client, ip).map(|grant| (grant, Some(stage)));
        }
        let ip = wanted.filter(|ip| fits(ip) && is_free(ip)).or_else(free)?;
        let n_offers = self.0.values().filter(|lease| lease.stage != Stage::Leased).count();
        if n_offers >= MOST_OFFERS || self.0.len() >= MOST_LEASES || self.has_enough(client.mac, now_s) {
            return None;
        }
        self.0.insert(ip, Lease::of(client, now_s + PROBING_S, Stage::Probing));
        of_range(server, client, ip).map(|grant| (grant, None))
    }

    /// Confirms or renews an address. A client may also take an address that no other client holds, for example after
    /// the leases were lost.
    pub fn confirm<'a>(&mut self, server: &'a Watch, client: Client, ip: Ipv4Addr, now_s: u64) -> Verdict<'a> {
        if let Some(grant) = reserved(server, client) {
            return if grant.ip == ip { Verdict::Granted(grant) } else { Verdict::Refused };
        }
        let Some(grant) = of_range(server, client, ip) else { return Verdict::Refused };
        self.0.retain(|_, lease| lease.until_s > now_s);
        let is_refused = match self.0.get(&ip) {
            Some(lease) => !lease.is_of(client.id),
            None => self.0.len() >= MOST_LEASES,
        };
        if is_refused {
            return Verdict::Refused;
        }
        self.release(client.id);
        if self.has_enough(client.mac, now_s) {
            return Verdict::Refused;
        }
        let until_s = now_s + server.lease_s.map_or(LONG_S, u64::from);
        self.0.insert(ip, Lease::of(client, until_s, Stage::Leased));
        Verdict::Granted(grant)
    }

    /// Releases a client's address, also when it accepts another server's offer.
    pub fn release(&mut self, client: &[u8]) {
        self.0.retain(|_, lease| !lease.is_of(client));
    }

    /// The current leases, by address: without offers, and without reserved addresses, which need none.
    pub fn leases(&self, now_s: u64) -> impl Iterator<Item = Leased<'_>> {
        let all = self.0.iter();
        let held = all
            .filter(move |(_, lease)| lease.stage == Stage::Leased && lease.client.is_some() && lease.until_s > now_s);
        held.map(|(ip, lease)| Leased { ip: *ip, mac: &lease.mac, until_s: lease.until_s })
    }

    /// Takes an address out of use because the client found it in use by another machine.
    pub fn decline(&mut self, server: &Watch, client: &[u8], ip: Ipv4Addr, now_s: u64) {
        if let Some(lease) = self.0.get_mut(&ip).filter(|lease| lease.is_of(client)) {
            lease.until_s = now_s + server.lease_s.map_or(LONG_S, u64::from);
            (lease.client, lease.stage) = (None, Stage::Leased);
        }
    }

    /// Whether a network card has as many addresses as one may have, those that it declined among them.
    fn has_enough(&self, mac: &str, now_s: u64) -> bool {
        self.0.values().filter(|lease| lease.mac == mac && lease.until_s > now_s).count() >= MOST_OF_CARD
    }
}

impl Lease {
    fn of(client: Client, until_s: u64, stage: Stage) -> Lease {
        Lease { client: Some(client.id.to_vec()), mac: client.mac.to_owned(), until_s, stage }
    }

    fn is_of(&self, client: &[u8]) -> bool {
        self.client.as_deref() == Some(client)
    }
}

fn reserved<'a>(server: &'a Watch, client: Client) -> Option<Grant<'a>> {
    let host = server.hosts.iter().find(|host| host.mac == client.mac)?;
    Some(Grant { ip: host.ip, length: host.length, boot: host.boot.as_ref() })
}

/// The ranges of the client's network; all ranges if there are none for it.
fn ranges<'a>(server: &'a Watch, client: Client) -> impl Iterator<Item = &'a super::Range> {
    let is_near = move |range: &super::Range| {
        let network = |ip: Ipv4Addr| u32::from(ip) & mask(range.length);
        client.near.is_some_and(|near| network(near) == network(range.first))
    };
    let any_near = server.ranges.iter().any(is_near);
    server.ranges.iter().filter(move |range| !any_near || is_near(range))
}

/// The addresses that a range may give out.
fn addresses<'a>(server: &'a Watch, range: &'a super::Range) -> impl Iterator<Item = Ipv4Addr> + 'a {
    let all = (u32::from(range.first)..=u32::from(range.last)).map(Ipv4Addr::from);
    all.filter(|ip| may_give(server, range, *ip))
}

fn may_give(server: &Watch, range: &super::Range, ip: Ipv4Addr) -> bool {
    let is_own = matches!(server.identifier, super::Identifier::Is(own) if own == ip);
    !is_own
        && !range.skip.contains(&ip)
        && !server.routers.contains(&ip)
        && server.hosts.iter().all(|host| host.ip != ip)
}

fn of_range<'a>(server: &'a Watch, client: Client, ip: Ipv4Addr) -> Option<Grant<'a>> {
    let holds = |range: &&super::Range| (range.first..=range.last).contains(&ip) && may_give(server, range, ip);
    let range = ranges(server, client).find(holds).filter(|_| client.near != Some(ip))?;
    Some(Grant { ip, length: range.length, boot: range.boot.as_ref() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocab::dhcp::{Identifier, Range, Reserved};

    fn ip(last: u8) -> Ipv4Addr {
        Ipv4Addr::new(10, 0, 0, last)
    }

    fn server() -> Watch {
        let range = |first, last| Range { first, last, length: 24, skip: vec![ip(11)], boot: None };
        Watch {
            address: ":67".into(),
            interface: "eth0".into(),
            identifier: Identifier::OfInterface,
            lease_s: Some(60),
            dns: Vec::new(),
            routers: vec![ip(12)],
            hosts: vec![Reserved { mac: "aa".into(), ip: ip(13), length: 24, boot: None }],
            ranges: vec![range(ip(10), ip(15)), range(Ipv4Addr::new(10, 9, 0, 1), Ipv4Addr::new(10, 9, 0, 2))],
        }
    }

    fn client(id: &str) -> Client<'_> {
        Client { id: id.as_bytes(), mac: id, near: Some(ip(1)) }
    }

    fn offered(pool: &mut Pool, id: &str, now: u64) -> Option<Ipv4Addr> {
        pool.offer(&server(), client(id), None, now).map(|grant| grant.ip)
    }

    #[test]
    fn the_first_free_address_is_offered_and_kept_a_while() {
        let mut pool = Pool::default();
        assert_eq!(offered(&mut pool, "one", 0), Some(ip(10)));
        assert_eq!(offered(&mut pool, "one", 5), Some(ip(10)));
        assert_eq!(offered(&mut pool, "two", 5), Some(ip(14)), "skipped, the router's and reserved ones are left out");
        assert_eq!(offered(&mut pool, "three", 5), Some(ip(15)));
        assert_eq!(offered(&mut pool, "four", 5), None);
        assert_eq!(offered(&mut pool, "four", 31), Some(ip(10)), "what nobody asked for is free again");
        assert_eq!(offered(&mut pool, "aa", 5), Some(ip(13)));
        let server = server();
        let far = Client { near: Some(Ipv4Addr::new(10, 9, 0, 77)), ..client("far") };
        assert_eq!(pool.offer(&server, far, None, 5).unwrap().ip, Ipv4Addr::new(10, 9, 0, 1));
    }

    #[test]
    fn a_lease_is_its_clients_until_it_ends() {
        let (mut pool, server) = (Pool::default(), server());
        let granted = |verdict: Verdict| matches!(verdict, Verdict::Granted(_));
        assert!(granted(pool.confirm(&server, client("one"), ip(14), 0)), "nobody else has it");
        assert!(!granted(pool.confirm(&server, client("two"), ip(14), 59)));
        assert!(granted(pool.confirm(&server, client("one"), ip(14), 59)));
        assert_eq!(pool.offer(&server, client("two"), Some(ip(14)), 100).unwrap().ip, ip(10));
        assert!(granted(pool.confirm(&server, client("two"), ip(14), 119)), "it ran out");
        for bad in [ip(11), ip(12), ip(13), ip(16), ip(1), Ipv4Addr::new(192, 168, 0, 1)] {
            assert_eq!(pool.confirm(&server, client("two"), bad, 119), Verdict::Refused, "{bad}");
        }
        assert_eq!(pool.confirm(&server, client("aa"), ip(14), 119), Verdict::Refused, "another one is reserved");
        pool.release(b"two");
        assert_eq!(pool.offer(&server, client("one"), Some(ip(14)), 120).unwrap().ip, ip(14));
        pool.decline(&server, b"one", ip(14), 120);
        assert_eq!(pool.offer(&server, client("one"), Some(ip(14)), 121).unwrap().ip, ip(10));
        assert_eq!(offered(&mut pool, "", 121), Some(ip(15)), "a client without an identifier has no declined address");
    }

    #[test]
    fn who_has_an_address_keeps_it_when_there_is_no_room_for_others() {
        let server = server();
        let lease = |id: &str| Lease::of(client(id), 60, Stage::Leased);
        let others = (1..MOST_LEASES as u32).map(|n| (Ipv4Addr::from(0x0b00_0000 + n), lease("other")));
        let mut pool = Pool(others.chain([(ip(14), lease("one"))]).collect());
        let mut granted =
            |id: &str, last, now_s| pool.confirm(&server, client(id), ip(last), now_s) != Verdict::Refused;
        assert!(granted("one", 14, 59));
        assert!(!granted("two", 15, 59));
        assert!(granted("two", 15, 60), "what has run out takes no room");
    }

    #[test]
    fn a_card_does_not_get_all_addresses_under_other_names() {
        let (mut pool, mut server) = (Pool::default(), server());
        server.ranges[0].last = ip(200);
        let names: Vec<String> = (0..40).map(|n| format!("name {n}")).collect();
        let of_card = |id| Client { mac: "bb", ..client(id) };
        let offers = names.iter().filter_map(|name| pool.offer(&server, of_card(name), None, 0));
        let offers: Vec<Ipv4Addr> = offers.map(|grant| grant.ip).collect();
        assert_eq!(offers.len(), MOST_OF_CARD);
        // What it declines, or asks for without an offer, is not in addition.
        pool.decline(&server, names[0].as_bytes(), offers[0], 1);
        assert_eq!(pool.offer(&server, of_card("another"), None, 1), None);
        assert_eq!(pool.confirm(&server, of_card("another"), ip(180), 1), Verdict::Refused);
        assert!(pool.offer(&server, client("other card"), None, 1).is_some());
        assert!(matches!(pool.confirm(&server, of_card(&names[1]), offers[1], 1), Verdict::Granted(_)));
    }

    #[test]
    fn a_new_address_is_offered_after_a_probe_found_nobody() {
        let (mut pool, server) = (Pool::default(), server());
        let ask = |pool: &mut Pool, id: &str, now_s| pool.propose(&server, client(id), None, now_s);
        let offer = |last| Some(Proposal::Offer(Grant { ip: ip(last), length: 24, boot: None }));
        assert_eq!(ask(&mut pool, "aa", 0), offer(13), "a reserved address is its client's");
        assert_eq!(ask(&mut pool, "one", 0), Some(Proposal::Probe(ip(10))));
        assert_eq!(ask(&mut pool, "one", 1), Some(Proposal::Wait));
        assert_eq!(ask(&mut pool, "two", 1), Some(Proposal::Probe(ip(14))), "one probe per address");
        assert!(pool.probed(ip(10), true, 1));
        assert!(pool.probed(ip(14), false, 1));
        assert_eq!(ask(&mut pool, "one", 1), Some(Proposal::Probe(ip(15))));
        assert_eq!(ask(&mut pool, "two", 2), offer(14), "an offer is not probed again");
        assert_eq!(ask(&mut pool, "three", 1), None);
        assert_eq!(pool.confirm(&server, client("three"), ip(10), 2), Verdict::Refused, "somebody uses it");
        assert_eq!(ask(&mut pool, "one", 3), Some(Proposal::Probe(ip(15))), "the result was lost");
        pool.release(b"one");
        assert!(!pool.probed(ip(15), false, 3), "it accepted the offer of another server");
        assert_eq!(ask(&mut pool, "one", 600), Some(Proposal::Probe(ip(14))));
        assert_eq!(ask(&mut pool, "two", 601), Some(Proposal::Probe(ip(10))), "ten minutes later it may be free");
    }
}
