//! Network interfaces, and the kernel's word that one changed (rtnetlink).

use mclive_base::vocab::Datum;
use rustix::fd::OwnedFd;
use rustix::net::netlink::SocketAddrNetlink;
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, bind, recv, sendto, socket_with};
use std::collections::BTreeMap;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::path::Path;

/// Groups of link, IPv4 and IPv6 address changes.
const CHANGES: u32 = 0x1 | 0x10 | 0x100;
const RTM_NEWADDR: u16 = 20;
const RTM_GETADDR: u16 = 22;
const NLMSG_DONE: u16 = 3;
const NLM_F_REQUEST_DUMP: u16 = 0x301;

fn route_socket(groups: u32) -> rustix::io::Result<OwnedFd> {
    // Protocol 0 is rtnetlink.
    let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, None)?;
    bind(&socket, &SocketAddrNetlink::new(0, groups))?;
    Ok(socket)
}

/// A socket that can be read whenever a link or address changed.
pub(crate) fn changes() -> rustix::io::Result<OwnedFd> {
    route_socket(CHANGES)
}

/// Waits for the next change; many at once are one.
pub(crate) fn wait(changes: &OwnedFd) -> rustix::io::Result<()> {
    let mut buffer = vec![0u8; 32 << 10];
    recv(changes, buffer.as_mut_slice(), RecvFlags::empty())?;
    while recv(changes, buffer.as_mut_slice(), RecvFlags::DONTWAIT).is_ok() {}
    Ok(())
}

/// Every interface, in the system's order.
pub(crate) fn interfaces() -> Datum {
    let addresses = addresses().unwrap_or_default();
    let mut found: Vec<(u32, Datum)> = Vec::new();
    for entry in std::fs::read_dir("/sys/class/net").into_iter().flatten().flatten() {
        let dir = entry.path();
        let Some(index) = text(&dir, "ifindex").parse::<u32>().ok() else { continue };
        let flags = u32::from_str_radix(text(&dir, "flags").trim_start_matches("0x"), 16).unwrap_or(0);
        let mac: Vec<u8> =
            text(&dir, "address").split(':').filter_map(|byte| u8::from_str_radix(byte, 16).ok()).collect();
        let mac = if mac.iter().all(|byte| *byte == 0) { Vec::new() } else { mac };
        let addresses = addresses.get(&index).into_iter().flatten().map(Datum::text).collect();
        let fields = vec![
            ("name".to_owned(), Datum::text(entry.file_name().to_string_lossy())),
            ("loopback".to_owned(), Datum::Bool(flags & 0x8 != 0)),
            ("up".to_owned(), Datum::Bool(flags & 0x1 != 0)),
            ("wireless".to_owned(), Datum::Bool(dir.join("wireless").exists() || dir.join("phy80211").exists())),
            ("mac".to_owned(), Datum::Bytes(mac)),
            ("addresses".to_owned(), Datum::List(addresses)),
        ];
        found.push((index, Datum::Struct(fields)));
    }
    found.sort_by_key(|(index, _)| *index);
    Datum::List(found.into_iter().map(|(_, datum)| datum).collect())
}

fn text(dir: &Path, name: &str) -> String {
    std::fs::read_to_string(dir.join(name)).unwrap_or_default().trim().to_owned()
}

/// Addresses with their prefixes, by interface.
fn addresses() -> rustix::io::Result<BTreeMap<u32, Vec<String>>> {
    let socket = route_socket(0)?;
    // A header (length, type, flags, sequence, port) and an empty address message of any family.
    let mut request = Vec::new();
    request.extend(24u32.to_ne_bytes());
    request.extend(RTM_GETADDR.to_ne_bytes());
    request.extend(NLM_F_REQUEST_DUMP.to_ne_bytes());
    request.extend([0; 16]);
    sendto(&socket, &request, SendFlags::empty(), &SocketAddrNetlink::new(0, 0))?;
    let mut found: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    let mut buffer = vec![0u8; 64 << 10];
    loop {
        let (_, len) = recv(&socket, buffer.as_mut_slice(), RecvFlags::empty())?;
        let mut rest = &buffer[..len.min(buffer.len())];
        if rest.is_empty() {
            return Ok(found);
        }
        while let Some((kind, body, after)) = message(rest) {
            match kind {
                NLMSG_DONE => return Ok(found),
                RTM_NEWADDR => {
                    if let Some((index, address)) = address(body) {
                        found.entry(index).or_default().push(address);
                    }
                }
                _ => {}
            }
            rest = after;
        }
    }
}

/// The first message: its type, its body, and what follows.
fn message(bytes: &[u8]) -> Option<(u16, &[u8], &[u8])> {
    let len = u32::from_ne_bytes(bytes.get(..4)?.try_into().ok()?) as usize;
    let kind = u16::from_ne_bytes(bytes.get(4..6)?.try_into().ok()?);
    let body = bytes.get(16..len)?;
    Some((kind, body, bytes.get(len.next_multiple_of(4)..).unwrap_or_default()))
}

/// An address message: family, prefix, flags, scope, index, then attributes.
fn address(body: &[u8]) -> Option<(u32, String)> {
    let prefix = *body.get(1)?;
    let index = u32::from_ne_bytes(body.get(4..8)?.try_into().ok()?);
    let (mut rest, mut of_peer, mut local) = (body.get(8..)?, None, None);
    while rest.len() >= 4 {
        let len = usize::from(u16::from_ne_bytes(rest[..2].try_into().ok()?));
        let value = rest.get(4..len)?;
        let shown = match value.len() {
            4 => Some(Ipv4Addr::from(<[u8; 4]>::try_from(value).ok()?).to_string()),
            16 => Some(Ipv6Addr::from(<[u8; 16]>::try_from(value).ok()?).to_string()),
            _ => None,
        };
        match u16::from_ne_bytes(rest[2..4].try_into().ok()?) {
            1 => of_peer = shown,
            2 => local = shown,
            _ => {}
        }
        rest = rest.get(len.next_multiple_of(4)..).unwrap_or_default();
    }
    // On a point-to-point link the first is the other end's.
    local.or(of_peer).map(|address| (index, format!("{address}/{prefix}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loopback_interface_is_found_with_its_address() {
        let shown = format!("{:?}", interfaces());
        assert!(shown.contains(&format!("{:?}", b"lo".to_vec())), "{shown}");
    }
}
