//! Network interfaces (rtnetlink): a brief list for functions, the full state of one, changes, and notifications.
//!
//! `netlink-packet-route` parses the messages. Of a link only the header, the name and the address are parsed, so that
//! attributes of newer kernels cause no errors.

mod change;
mod heard;
mod refusal;
mod state;
#[cfg(test)]
mod tests;
mod wire;

pub(super) use change::Link;
pub(super) use heard::{Ear, Heard};

use crate::host::errno::failed;
use mclive_base::vocab::link::LinkState;
use mclive_base::vocab::{Datum, HostError};
use netlink_packet_route::link::LinkFlags;
use state::Brief;
use std::collections::BTreeMap;
use std::path::Path;

/// All interfaces, in the system's order.
pub(crate) fn interfaces() -> Result<Datum, HostError> {
    let unreadable = |errno| failed("netlink", "interfaces", errno);
    let addresses = addresses().map_err(unreadable)?;
    let mut links = state::links().map_err(unreadable)?;
    links.sort_by_key(|link| link.index);
    Ok(Datum::List(links.iter().map(|link| interface(link, &addresses)).collect()))
}

fn interface(link: &Brief, addresses: &BTreeMap<u32, Vec<String>>) -> Datum {
    let dir = Path::new("/sys/class/net").join(&link.name);
    let mac = if link.mac.iter().all(|byte| *byte == 0) { Vec::new() } else { link.mac.clone() };
    let addresses = addresses.get(&link.index).into_iter().flatten().map(Datum::text).collect();
    Datum::Struct(vec![
        ("name".to_owned(), Datum::text(&link.name)),
        ("loopback".to_owned(), Datum::Bool(link.flags.contains(LinkFlags::Loopback))),
        ("up".to_owned(), Datum::Bool(link.flags.contains(LinkFlags::Up))),
        ("wireless".to_owned(), Datum::Bool(dir.join("wireless").exists() || dir.join("phy80211").exists())),
        ("mac".to_owned(), Datum::Bytes(mac)),
        ("addresses".to_owned(), Datum::List(addresses)),
    ])
}

/// Addresses with their prefixes, by interface.
fn addresses() -> rustix::io::Result<BTreeMap<u32, Vec<String>>> {
    let mut found: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for held in state::addresses()? {
        found.entry(held.link).or_default().push(held.address.to_string());
    }
    Ok(found)
}

/// The full state of an interface; `None` if it does not exist.
pub(crate) fn state(link: &str) -> Result<Option<LinkState>, HostError> {
    state::read(link).map_err(|errno| failed("read the state of", link, errno))
}
