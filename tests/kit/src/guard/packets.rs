//! The packet filter of this network namespace, read from the kernel directly, without any tool.
//!
//! Of nftables it records each table, chain, rule and set with its handle. Handles are unique, so a replaced rule has
//! another one; counters and dynamic sets are skipped. Of the legacy tables it records the size of their rules: their
//! tools are seldom installed, and a test adds or removes whole rules.

use super::State;
use rustix::net::netlink::SocketAddrNetlink;
use rustix::net::{AddressFamily, Protocol, RecvFlags, SendFlags, SocketType, netlink, recv, sendto, socket};
use std::fs;
use std::os::fd::AsRawFd;

/// Messages of `nfnetlink`, subsystem nftables: the kind of object, and the attributes that identify it.
const ASKED: [(&str, u16, &[u16]); 4] = [
    // NFT_MSG_GETTABLE: NFTA_TABLE_NAME; NFTA_TABLE_HANDLE
    ("table", 1, &[1, 4]),
    // NFT_MSG_GETCHAIN: NFTA_CHAIN_TABLE, NFTA_CHAIN_NAME; NFTA_CHAIN_HANDLE, NFTA_CHAIN_POLICY
    ("chain", 4, &[1, 3, 2, 5]),
    // NFT_MSG_GETRULE: NFTA_RULE_TABLE, NFTA_RULE_CHAIN; NFTA_RULE_HANDLE
    ("rule", 7, &[1, 2, 3]),
    // NFT_MSG_GETSET: NFTA_SET_TABLE, NFTA_SET_NAME; NFTA_SET_HANDLE
    ("set", 10, &[1, 2, 16]),
];
const SUBSYSTEM: u16 = 10 << 8;
const NLMSG_ERROR: u16 = 2;
const NLMSG_DONE: u16 = 3;
const HEAD: usize = 16;

pub(super) fn rules() -> Result<State, String> {
    let mut state = State::new();
    for (what, message, attributes) in ASKED {
        for found in ask(message)? {
            let values = attributes.iter().filter_map(|number| attribute(&found, *number));
            state.insert(format!("the {what} {}", values.collect::<Vec<_>>().join(" ")), String::new());
        }
    }
    for (what, file, family, level) in [
        ("iptables", "/proc/net/ip_tables_names", libc::AF_INET, libc::IPPROTO_IP),
        ("ip6tables", "/proc/net/ip6_tables_names", libc::AF_INET6, libc::IPPROTO_IPV6),
    ] {
        // Only tables in use: querying another one would load it.
        for table in fs::read_to_string(file).unwrap_or_default().lines() {
            state.insert(format!("the table {table} of {what}"), old_table(family, level, table)?);
        }
    }
    Ok(state)
}

/// All objects of one kind: the attributes of each. Empty on a kernel without nftables.
fn ask(message: u16) -> Result<Vec<Vec<u8>>, String> {
    const REQUEST_DUMP: u16 = 1 | 0x300;
    let fails = |error: rustix::io::Errno| error.to_string();
    let line = match socket(AddressFamily::NETLINK, SocketType::RAW, Some(netlink::NETFILTER)) {
        Err(rustix::io::Errno::PROTONOSUPPORT | rustix::io::Errno::AFNOSUPPORT) => return Ok(Vec::new()),
        line => line.map_err(fails)?,
    };
    // The headers of netlink and nfnetlink: any family, version 0.
    let head = [&20u32.to_ne_bytes()[..], &(SUBSYSTEM | message).to_ne_bytes(), &REQUEST_DUMP.to_ne_bytes()].concat();
    let asks = [&head[..], &[0; 8], &[0; 4]].concat();
    sendto(&line, &asks, SendFlags::empty(), &SocketAddrNetlink::new(0, 0)).map_err(fails)?;
    let mut found = Vec::new();
    let mut buffer = vec![0; 1 << 17];
    loop {
        let (n_read, _) = recv(&line, &mut buffer[..], RecvFlags::empty()).map_err(fails)?;
        let mut rest = &buffer[..n_read];
        while let Some((length, kind)) = head_of(rest) {
            match kind {
                NLMSG_DONE => return Ok(found),
                NLMSG_ERROR => match rest.get(HEAD..HEAD + 4).map(number) {
                    // A kernel with nfnetlink but without nftables.
                    Some(-95 | -93 | -22) => return Ok(Vec::new()),
                    error => return Err(format!("the kernel returned {error:?}")),
                },
                _ => found.push(rest[HEAD + 4..length].to_vec()),
            }
            rest = &rest[length.next_multiple_of(4).min(rest.len())..];
        }
    }
}

fn head_of(bytes: &[u8]) -> Option<(usize, u16)> {
    let length = number(bytes.get(..4)?) as usize;
    let kind = u16::from_ne_bytes(bytes.get(4..6)?.try_into().ok()?);
    (length >= HEAD && length <= bytes.len()).then_some((length, kind))
}

fn number(bytes: &[u8]) -> i32 {
    i32::from_ne_bytes(bytes.try_into().expect("four bytes"))
}

/// One attribute as text: a name as it is, a number in digits.
fn attribute(mut bytes: &[u8], wanted: u16) -> Option<String> {
    loop {
        let length = usize::from(u16::from_ne_bytes(bytes.get(..2)?.try_into().ok()?));
        let kind = u16::from_ne_bytes(bytes.get(2..4)?.try_into().ok()?) & 0x3fff;
        let value = bytes.get(4..length)?;
        if kind == wanted {
            return Some(match value.split_last() {
                Some((0, name)) if !name.is_empty() && name.iter().all(u8::is_ascii_graphic) => {
                    String::from_utf8_lossy(name).into_owned()
                }
                // Numbers of the packet filter are big-endian.
                _ => value.iter().fold(0u64, |sum, byte| sum << 8 | u64::from(*byte)).to_string(),
            });
        }
        bytes = bytes.get(length.next_multiple_of(4)..)?;
    }
}

/// The size of a legacy table: `struct ipt_getinfo`, whose last two numbers are entries and bytes.
fn old_table(family: libc::c_int, level: libc::c_int, table: &str) -> Result<String, String> {
    let raw = Protocol::from_raw(255.try_into().expect("it is not 0"));
    let family = AddressFamily::from_raw(family.cast_unsigned() as u16);
    let line = socket(family, SocketType::RAW, Some(raw)).map_err(|error| error.to_string())?;
    /// The same number for both families.
    const IPT_SO_GET_INFO: libc::c_int = 64;
    let mut info = [0u8; 84];
    info.iter_mut().zip(table.bytes().take(31)).for_each(|(to, from)| *to = from);
    let mut length = info.len() as libc::socklen_t;
    // SAFETY: the kernel writes at most `length` bytes into `info`.
    #[allow(unsafe_code)]
    let failed =
        unsafe { libc::getsockopt(line.as_raw_fd(), level, IPT_SO_GET_INFO, info.as_mut_ptr().cast(), &mut length) };
    if failed != 0 {
        return Err(format!("the table {table}: {}", std::io::Error::last_os_error()));
    }
    Ok(format!("{} entries in {} bytes", number(&info[76..80]), number(&info[80..84])))
}
