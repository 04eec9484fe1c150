//! The data served by a `dhcp:server` for its grouped children. Resource spec, 7 and 9.9 to 9.11.

use crate::kinds::address::{prefix, prefix4};
use crate::kinds::rules::ensure;
use crate::kinds::url::{Url, decoded};
use crate::kinds::walk::{Walk, cannot_tell};
use crate::kinds::{Decision, Seen, Want, address};
use crate::vocab::dhcp::{Boot, Finding as Found, Identifier, Probe, Range, Reserved, Watch as Server, mask};
use crate::vocab::{Finding, Watch, link};
use std::net::{IpAddr, Ipv4Addr};

/// The server, and the interface that it needs.
pub(super) fn watches(want: &Want) -> Vec<Watch> {
    let interface = link::Watch::One { link: want.text("interface").into_owned() };
    server(want).map(Watch::from).into_iter().chain([interface.into()]).collect()
}

pub(super) fn decide(want: &Want, seen: &Seen) -> Decision {
    walk(want, &mut Walk::new(seen)).unwrap_or_else(|decision| decision)
}

fn walk(want: &Want, walk: &mut Walk) -> Result<Decision, Decision> {
    let server = server(want).map_err(Decision::CannotTell)?;
    let interface = &server.interface;
    let state = match &walk.look(vec![link::Probe::State { link: interface.clone() }.into()])?[0] {
        Finding::Link(link::Finding::State(state)) => state.as_ref(),
        other => return Err(cannot_tell(other)),
    };
    let missing = |why: String| Err(Decision::CannotTell(why));
    let Some(state) = state else { return missing(format!("cannot find network interface {interface}")) };
    if server.identifier == Identifier::OfInterface && !state.addresses.iter().any(|address| address.ip.is_ipv4()) {
        return missing(format!("the interface {interface} has no IPv4 address"));
    }
    match &walk.look(vec![Probe { server }.into()])?[0] {
        Finding::Dhcp(Found::Ready) => Ok(Decision::InState(Vec::new())),
        other => Err(cannot_tell(other)),
    }
}

/// Errors: why it cannot be served.
fn server(want: &Want) -> Result<Server, String> {
    let (mut hosts, mut ranges) = (Vec::new(), Vec::new());
    for member in want.members() {
        let boot = boot(want, &member);
        if member.decl.name == "dhcp:host" {
            let (ip, length) = prefix4(&member.text("ip"))?;
            hosts.push(Reserved { mac: member.text("mac").into_owned(), ip, length, boot });
        } else {
            ranges.push(range(&member, boot).map_err(|why| format!("{member}: {why}"))?);
        }
    }
    let address = want.effective("address").into_owned();
    let listened = address::listen(&address)?;
    let identifier = match (want.text_if_set("serverid").as_deref(), listened) {
        (Some(""), _) => Identifier::Omitted,
        (Some(own), _) => {
            Identifier::Is(own.parse().map_err(|_| format!("`serverid` must be an IPv4 address, found `{own}`"))?)
        }
        (None, Some(IpAddr::V4(own))) if !own.is_unspecified() => Identifier::Is(own),
        (None, _) => Identifier::OfInterface,
    };
    let ips = |field: &str| want.texts(field).iter().filter_map(|ip| ip.parse().ok()).collect();
    // The longest representable lease is forever.
    let seconds = |ns: i64| u32::try_from(ns.max(0) / 1_000_000_000).unwrap_or(u32::MAX);
    Ok(Server {
        address,
        interface: want.text("interface").into_owned(),
        identifier,
        lease_s: super::server::lease(want).map(seconds),
        dns: ips("dns"),
        routers: ips("routers"),
        hosts,
        ranges,
    })
}

fn range(range: &Want, boot: Option<Boot>) -> Result<Range, String> {
    ensure(!range.bool("persist"), "persist not implemented")?;
    let skip = range.texts("skip");
    let plain = |text: &str| text.split('/').next().and_then(|ip| ip.parse().ok());
    let skip = skip.iter().filter_map(|text| plain(text)).collect();
    let (from, to) = (range.text("from"), range.text("to"));
    if from.is_empty() {
        let network = range.effective("network").into_owned();
        let Some((IpAddr::V4(ip), length)) = prefix(&network) else {
            return Err(format!("only IPv4 is supported, found {network}"));
        };
        let (first, last) = (u32::from(ip) & mask(length), u32::from(ip) | !mask(length));
        // The last address is the broadcast address, if the network is big enough to have one.
        let last = if length <= 30 { last - 1 } else { last };
        return Ok(Range { first: (first + 1).into(), last: last.into(), length, skip, boot });
    }
    let end = |text: &str| text.split('/').next().and_then(|ip| ip.parse::<Ipv4Addr>().ok());
    let (first, last) = end(&from).zip(end(&to)).ok_or("the ends of the range must be IPv4 addresses")?;
    ensure(first <= last, format!("the range ends before it begins: {first} to {last}"))?;
    let given = range.text("mask");
    let bits = |text: &str| text.parse::<Ipv4Addr>().ok().map(|mask| u32::from(mask).leading_ones() as u8);
    let length = |text: &str| text.split_once('/').and_then(|(_, length)| length.parse::<u8>().ok());
    let length = length(&to).or_else(|| length(&from)).or_else(|| length(&given)).or_else(|| bits(&given));
    let length = length.ok_or("the prefix length of the network is missing")?;
    Ok(Range { first, last, length, skip, boot })
}

/// From the child, otherwise from its server.
fn boot(server: &Want, child: &Want) -> Option<Boot> {
    let (own, path, usual) = (child.text("nbp"), child.text("nbp_path"), server.text("nbp"));
    let url = if own.is_empty() { usual } else { own };
    if url.is_empty() && path.is_empty() {
        return None;
    }
    let url = Url::parse(&url).unwrap_or_default();
    let in_url = || decoded(url.path.strip_prefix('/').unwrap_or(url.path));
    let file = if path.is_empty() { in_url() } else { path.into_owned() };
    Some(Boot { server: url.hostname().to_owned(), file })
}
