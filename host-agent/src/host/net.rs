//! Network interfaces, and the kernel's word that one changed (rtnetlink).

use super::errno::{failed, io_failed};
use mclive_base::vocab::{Datum, HostError, HostErrorKind};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::net::netlink::SocketAddrNetlink;
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, bind, recv, sendto, socket_with};
use std::collections::BTreeMap;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::path::Path;
use std::time::Duration;

/// Groups of link, IPv4 and IPv6 address changes.
const CHANGES: u32 = 0x1 | 0x10 | 0x100;
const RTM_NEWADDR: u16 = 20;
const RTM_GETADDR: u16 = 22;
const NLMSG_ERROR: u16 = 2;
const NLMSG_DONE: u16 = 3;
const NLM_F_REQUEST_DUMP: u16 = 0x301;
/// The kernel answers at once, or not at all.
const PATIENCE: Duration = Duration::from_secs(5);

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

/// Waits for the next change; many at once are one. What was lost because there were too many is a change, too.
pub(crate) fn wait(changes: &OwnedFd) -> rustix::io::Result<()> {
    let mut buffer = vec![0u8; 32 << 10];
    loop {
        match recv(changes, buffer.as_mut_slice(), RecvFlags::empty()) {
            Ok(_) | Err(Errno::NOBUFS) => break,
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
    while matches!(recv(changes, buffer.as_mut_slice(), RecvFlags::DONTWAIT), Ok(_) | Err(Errno::NOBUFS)) {}
    Ok(())
}

const INTERFACES: &str = "/sys/class/net";

/// Every interface, in the system's order.
pub(crate) fn interfaces() -> Result<Datum, HostError> {
    let addresses = addresses().map_err(|errno| failed("netlink", "addresses", errno))?;
    let mut found: Vec<(u32, Datum)> = Vec::new();
    let unreadable = |error: std::io::Error| io_failed("readdir", INTERFACES, &error);
    for entry in std::fs::read_dir(INTERFACES).map_err(unreadable)? {
        found.extend(interface(&entry.map_err(unreadable)?, &addresses)?);
    }
    found.sort_by_key(|(index, _)| *index);
    Ok(Datum::List(found.into_iter().map(|(_, datum)| datum).collect()))
}

/// An interface with its number; `None` when it has just left, or is only a file such as `bonding_masters`.
fn interface(
    entry: &std::fs::DirEntry,
    addresses: &BTreeMap<u32, Vec<String>>,
) -> Result<Option<(u32, Datum)>, HostError> {
    let dir = entry.path();
    let [Some(index), Some(flags), Some(mac)] = [text(&dir, "ifindex")?, text(&dir, "flags")?, text(&dir, "address")?]
    else {
        return Ok(None);
    };
    let odd = |name: &str| HostError::new(HostErrorKind::Other, format!("{}/{name} is not a number", dir.display()));
    let index: u32 = index.parse().map_err(|_| odd("ifindex"))?;
    let flags = u32::from_str_radix(flags.trim_start_matches("0x"), 16).map_err(|_| odd("flags"))?;
    let mac: Vec<u8> = mac.split(':').filter_map(|byte| u8::from_str_radix(byte, 16).ok()).collect();
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
    Ok(Some((index, Datum::Struct(fields))))
}

/// A file of an interface; `None` when it is not there.
fn text(dir: &Path, name: &str) -> Result<Option<String>, HostError> {
    let path = dir.join(name);
    match std::fs::read_to_string(&path) {
        Ok(text) => Ok(Some(text.trim().to_owned())),
        Err(error) if matches!(Errno::from_io_error(&error), Some(Errno::NOENT | Errno::NOTDIR | Errno::NODEV)) => {
            Ok(None)
        }
        Err(error) => Err(io_failed("read", &path.to_string_lossy(), &error)),
    }
}

/// Addresses with their prefixes, by interface.
fn addresses() -> rustix::io::Result<BTreeMap<u32, Vec<String>>> {
    let socket = route_socket(0)?;
    set_socket_timeout(&socket, Timeout::Recv, Some(PATIENCE))?;
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
                NLMSG_ERROR => {
                    let code = body.get(..4).and_then(|code| code.try_into().ok()).map_or(0, i32::from_ne_bytes);
                    return Err(Errno::from_raw_os_error(code.saturating_neg()));
                }
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
        let shown = format!("{:?}", interfaces().unwrap());
        assert!(shown.contains(&format!("{:?}", b"lo".to_vec())), "{shown}");
    }
}
