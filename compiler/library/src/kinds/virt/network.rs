//! `virt:network`: manages a libvirt NAT network including its DHCP hosts and ranges. Resource spec, 9.

use super::{AUTH, check_startup, place};
use crate::kinds::address::{canonical_mac, prefix4};
use crate::kinds::required::{PolicyList, Required};
use crate::kinds::rules::{ensure, known_state, one_of, one_of_named};
use crate::kinds::walk::{Walk, cannot_tell};
use crate::kinds::{Decision, Field, Kind, KindDecl, Seen, Traits, Want};
use crate::vocab::virt::network::{Block, Host, Lan, Move, Network, Range};
use crate::vocab::virt::{self, Part};
use crate::vocab::{Finding, Step, Watch};
use std::collections::BTreeSet;
use std::net::Ipv4Addr;

/// The kind `virt:network`.
pub(crate) struct VirtNetwork;

static DECL: KindDecl = KindDecl {
    name: "virt:network",
    doc: "Manages a libvirt NAT network with its DHCP hosts and ranges.",
    fields: &[
        Field::str("uri", "URI", "Libvirt connection URI."),
        Field::str("state", "State", "`up`, `down` or empty."),
        Field::bool("transient", "Transient", "Define the network only while it is up."),
        Field::str("startup", "Startup", "Autostart: `enabled`, `disabled` or empty."),
        Field::str("uuid", "UUID", "UUID; chosen by libvirt if empty."),
        Field::str("device", "Device", "Bridge device; defaults to `virbr0`."),
        Field::str("mode", "Mode", "Forward mode; only `nat`, the default, is supported."),
        Field::str("mac", "Mac", "MAC address of the bridge in canonical form."),
        Field::str("ip", "IP", "Address of the router with prefix length."),
        Field::bool("purge_hosts", "PurgeHosts", "Remove DHCP hosts that are not declared."),
        Field::bool("purge_ranges", "PurgeRanges", "Remove DHCP ranges that are not declared."),
        AUTH,
    ],
    traits: Traits { edgeable_inert: true, groupable: true, groups_others: true, background: true, ..Traits::NONE },
    constants: &[],
    policy: &[
        Required::list(PolicyList::Virtual),
        Required::list(PolicyList::Sysctl).entry("`net.ipv4.ip_forward`"),
        Required::list(PolicyList::Commands).entry("`/usr/bin/virsh`"),
        Required::list(PolicyList::Hosts).case("the URI of another host"),
        Required::list(PolicyList::Reads).case("files in the URI"),
    ],
};

impl Kind for VirtNetwork {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        let state = want.text("state");
        known_state(&state, &["up", "down", ""])?;
        check_startup(want)?;
        let uuid = want.text("uuid");
        ensure(uuid.is_empty() || is_uuid(&uuid), format!("`uuid` must be a UUID, not `{uuid}`"))?;
        one_of_named("mode", &want.text("mode"), &["", "nat"])?;
        if want.bool("transient") && state == "down" {
            return Ok(());
        }
        canonical_mac(&want.text("mac"))?;
        prefix4(&want.text("ip")).map(drop)
    }

    fn backend(&self) -> &'static str {
        "libvirt through `virsh` (packages `libvirt-clients` and `libvirt-daemon-system`, and `dnsmasq-base` for \
         DHCP). Changes are detected through its events and the stored definition. Hosts and ranges are changed while \
         the network is up; a change to the address, bridge, MAC or UUID restarts it."
    }

    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        walk(want, &mut Walk::new(seen)).unwrap_or_else(|decision| decision)
    }

    fn watches(&self, want: &Want) -> Vec<Watch> {
        vec![virt::Watch::Network(place(want)).into()]
    }

    fn groups(&self, leader: &Want, member: &Want) -> Result<(), String> {
        let members = ["virt:network:host", "virt:network:range"];
        one_of(member.decl.name, &members, || "this kind does not belong to a virt:network".into())?;
        let network = member.text("network");
        ensure(network.is_empty() || network == leader.name, "it belongs to another network")
    }
}

fn walk(want: &Want, walk: &mut Walk) -> Result<Decision, Decision> {
    let place = place(want);
    let is_gone = want.bool("transient") && want.text("state") == "down";
    let lan = if is_gone { Lan::default() } else { lan(want).map_err(Decision::CannotTell)? };
    let now = match &walk.look(vec![virt::Probe::Network(place.clone()).into()])?[0] {
        Finding::Virt(virt::Finding::Network(now)) => now.as_deref(),
        other => return Err(cannot_tell(other)),
    };
    let moves = match now {
        Some(now) if is_gone => removed(now),
        None if is_gone => Vec::new(),
        Some(now) => changed(want, lan, now)?,
        None => made(want, lan),
    };
    let step = |change| Step::Virt(virt::Step { place: place.clone(), change: virt::Move::Network(change) });
    walk.mend(moves.into_iter().map(step).collect())
}

fn removed(now: &Network) -> Vec<Move> {
    let stop = now.live.is_some().then_some(Move::Stop);
    stop.into_iter().chain(now.stored.is_some().then_some(Move::Undefine)).collect()
}

fn made(want: &Want, lan: Lan) -> Vec<Move> {
    let is_up = want.text("state") == "up";
    if want.bool("transient") {
        return if is_up { vec![Move::Create(Box::new(lan))] } else { Vec::new() };
    }
    let mut moves = vec![Move::Define(Box::new(lan))];
    if is_up {
        moves.push(Move::Start);
    }
    if want.text("startup") == "enabled" {
        moves.push(Move::Autostart(true));
    }
    moves
}

fn changed(want: &Want, lan: Lan, now: &Network) -> Result<Vec<Move>, Decision> {
    let (state, is_transient) = (want.text("state"), want.bool("transient"));
    let mut moves = Vec::new();
    let mut is_up = now.live.is_some();
    if state == "down" && is_up {
        moves.push(Move::Stop);
        is_up = false;
    }
    match (&now.stored, is_transient) {
        (Some(_), true) => {
            moves.push(Move::Undefine);
            if !is_up {
                moves.extend((state == "up").then(|| Move::Create(Box::new(lan))));
                return Ok(moves);
            }
        }
        // A stopped transient network is gone.
        (None, false) if !is_up => {
            moves.extend(made(want, lan));
            return Ok(moves);
        }
        (None, false) => moves.push(Move::Persist),
        (Some(_), false) | (None, true) => {}
    }
    let stored = now.stored.as_ref().or(now.live.as_ref()).filter(|_| !is_transient);
    let live = now.live.as_ref().filter(|_| is_up);
    let mut differences: Vec<String> = Vec::new();
    for differs in [stored, live].into_iter().flatten().flat_map(|has| lan.differences(has)) {
        if !differences.contains(&differs) {
            differences.push(differs);
        }
    }
    if let Some(block) = lan.blocks.first().filter(|_| !differences.is_empty()) {
        let unclear = |has: &&Lan| has.blocks.len() > 1 && has.block(block).is_none();
        if let Some(has) = [stored, live].into_iter().flatten().find(unclear) {
            let all: Vec<String> = has.blocks.iter().map(Block::address).collect();
            let why = format!("{} has several IPv4 addresses, none of which is {}", want.name, block.address());
            return Err(Decision::CannotTell(format!("{why}: {}", all.join(", "))));
        }
        // It is started from the stored configuration.
        match (stored, live) {
            (Some(has), _) => entries(want, &lan, has, Part::Stored, &mut moves),
            (None, Some(has)) => entries(want, &lan, has, Part::Live, &mut moves),
            (None, None) => {}
        }
        moves.push(Move::Rebase { lan: Box::new(lan), is_up, differences });
    } else {
        stored.into_iter().for_each(|has| entries(want, &lan, has, Part::Stored, &mut moves));
        live.into_iter().for_each(|has| entries(want, &lan, has, Part::Live, &mut moves));
    }
    if state == "up" && !is_up {
        moves.push(Move::Start);
    }
    let autostart = match &*want.text("startup") {
        "" => None,
        startup => Some(startup == "enabled"),
    };
    moves.extend(autostart.filter(|on| *on != now.autostart).map(Move::Autostart));
    Ok(moves)
}

/// Changes the hosts, by hardware address, and the ranges of one configuration to the wanted ones. Removals come first,
/// since they may conflict.
fn entries(want: &Want, lan: &Lan, now: &Lan, part: Part, moves: &mut Vec<Move>) {
    let Some((wanted, at)) = lan.blocks.first().and_then(|wanted| Some((wanted, now.block(wanted)?))) else { return };
    let (has, block) = (&now.blocks[at], at as u64);
    let host = |now: Option<&Host>, to: Option<&Host>| Move::Host { part, block, now: now.cloned(), to: to.cloned() };
    let range = |range: Range, is_wanted| Move::Range { part, block, range, is_wanted };
    let is_known = |host: &&Host| wanted.hosts.iter().any(|wanted| wanted.mac == host.mac);
    if want.bool("purge_hosts") {
        moves.extend(has.hosts.iter().filter(|has| !is_known(has)).map(|has| host(Some(has), None)));
    }
    if want.bool("purge_ranges") {
        moves.extend(has.ranges.iter().filter(|has| !wanted.ranges.contains(has)).map(|has| range(*has, false)));
    }
    for wanted in &wanted.hosts {
        let has = has.hosts.iter().find(|has| has.mac == wanted.mac);
        if has != Some(wanted) {
            moves.push(host(has, Some(wanted)));
        }
    }
    moves.extend(wanted.ranges.iter().filter(|wanted| !has.ranges.contains(wanted)).map(|wanted| range(*wanted, true)));
}

/// The wanted network with its children. Errors: inconsistent settings.
fn lan(want: &Want) -> Result<Lan, String> {
    let (ip, length) = prefix4(&want.text("ip"))?;
    let mask = u32::MAX.checked_shl(32 - u32::from(length)).unwrap_or(0);
    let (first, last) = (u32::from(ip) & mask, u32::from(ip) | !mask);
    let usable = |what: &Want, it: Ipv4Addr| {
        let inside = (first..=last).contains(&it.into());
        ensure(inside, format!("{what}: {it} is outside the network {}/{length}", Ipv4Addr::from(first)))?;
        let ends = [first, last].contains(&it.into());
        ensure(!ends || length > 30, format!("{what}: {it} is the network address or the broadcast address"))?;
        ensure(it != ip, format!("{what}: {it} is the address of the router"))
    };
    let (mut hosts, mut ranges): (Vec<Host>, Vec<Range>) = (Vec::new(), Vec::new());
    let (mut macs, mut ips) = (BTreeSet::new(), BTreeSet::new());
    for member in want.members() {
        if member.decl.name == "virt:network:host" {
            let (ip, its_length) = prefix4(&member.text("ip"))?;
            ensure(
                its_length == length,
                format!("{member}: expected the prefix length /{length} of the network, found /{its_length}"),
            )?;
            usable(&member, ip)?;
            let host =
                Host { mac: member.text("mac").into_owned(), name: member.effective("hostname").into_owned(), ip };
            ensure(macs.insert(host.mac.clone()), format!("{member}: another host has the MAC {}", host.mac))?;
            ensure(ips.insert(ip), format!("{member}: another host has the address {ip}"))?;
            hosts.push(host);
        } else {
            let end = |field: &str| {
                let text = member.text(field);
                text.parse::<Ipv4Addr>().map_err(|_| format!("`{field}` must be an IPv4 address, found `{text}`"))
            };
            let range = Range { start: end("start")?, end: end("end")? };
            usable(&member, range.start).and_then(|()| usable(&member, range.end))?;
            let overlaps = |other: &&Range| range.start <= other.end && other.start <= range.end;
            if let Some(other) = ranges.iter().find(overlaps) {
                return Err(format!("{member}: overlaps with the range {} to {}", other.start, other.end));
            }
            ensure(!(range.start..=range.end).contains(&ip), format!("{member}: contains the router's address {ip}"))?;
            ranges.push(range);
        }
    }
    let inside = |host: &&Host| ranges.iter().any(|range| (range.start..=range.end).contains(&host.ip));
    if let Some(host) = hosts.iter().find(inside) {
        return Err(format!("a range contains {}, which is reserved for {}", host.ip, host.mac));
    }
    let text = |field: &str, usual: &str| {
        let text = want.text(field);
        if text.is_empty() { usual.to_owned() } else { text.into_owned() }
    };
    Ok(Lan {
        uuid: canonical_uuid(&want.text("uuid")),
        mode: text("mode", "nat"),
        bridge: text("device", "virbr0"),
        mac: want.text("mac").into_owned(),
        blocks: vec![Block { ip, length, hosts, ranges }],
    })
}

/// In libvirt's spelling; empty stays empty.
fn canonical_uuid(text: &str) -> String {
    let digits = text.trim_start_matches("urn:uuid:").chars().filter(char::is_ascii_hexdigit);
    let digits: String = digits.map(|digit| digit.to_ascii_lowercase()).collect();
    match digits.len() {
        32 => [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join("-"),
        _ => digits,
    }
}

/// Thirty-two digits, with dashes in the usual places or none.
fn is_uuid(text: &str) -> bool {
    let text = text.strip_prefix("urn:uuid:").unwrap_or(text);
    let text = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or(text);
    let groups: Vec<&str> = text.split('-').collect();
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    let digits = groups.iter().all(|group| group.bytes().all(|byte| byte.is_ascii_hexdigit()));
    digits && (lengths == [32] || lengths == [8, 4, 4, 4, 12])
}
