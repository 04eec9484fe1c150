//! Requests to the kernel over rtnetlink.

use netlink_packet_core::{
    DecodeError, NLM_F_ACK, NLM_F_DUMP, NLM_F_DUMP_INTR, NLM_F_REQUEST, NLMSG_DONE, NLMSG_ERROR, NetlinkBuffer,
    NetlinkHeader, NetlinkMessage, NetlinkPayload,
};
use netlink_packet_route::RouteNetlinkMessage;
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::net::netlink::SocketAddrNetlink;
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, bind, recv, sendto, socket_with};
use std::time::Duration;

pub(super) const RTM_NEWLINK: u16 = 16;
pub(super) const RTM_DELLINK: u16 = 17;
pub(super) const RTM_NEWADDR: u16 = 20;
pub(super) const RTM_DELADDR: u16 = 21;
pub(super) const RTM_NEWROUTE: u16 = 24;
pub(super) const RTM_DELROUTE: u16 = 25;

/// Larger than any datagram of the kernel.
const LONGEST: usize = 64 << 10;
/// The kernel answers at once, or not at all.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often a list is requested again if it changes during the answer.
const ATTEMPTS: usize = 10;

/// Opens a socket that is subscribed to these groups.
pub(super) fn socket(groups: u32) -> rustix::io::Result<OwnedFd> {
    // Protocol 0 is rtnetlink.
    let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, None)?;
    bind(&socket, &SocketAddrNetlink::new(0, groups))?;
    Ok(socket)
}

/// Receives the next datagram.
pub(super) fn receive(socket: &OwnedFd, flags: RecvFlags) -> rustix::io::Result<Vec<u8>> {
    let mut buffer = vec![0u8; LONGEST];
    loop {
        match recv(socket, buffer.as_mut_slice(), flags) {
            Ok((_, len)) => {
                buffer.truncate(len);
                return Ok(buffer);
            }
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
}

/// The messages of a datagram: type, flags and body of each.
pub(super) fn messages(datagram: &[u8]) -> impl Iterator<Item = Result<(u16, u16, &[u8]), DecodeError>> {
    let mut rest = datagram;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let message = match NetlinkBuffer::new_checked(rest) {
            Ok(message) => message,
            Err(error) => {
                rest = &[];
                return Some(Err(error));
            }
        };
        let len = message.length() as usize;
        let (whole, after) = rest.split_at(len);
        let padding = len.next_multiple_of(4) - len;
        rest = after.get(padding..).unwrap_or_default();
        Some(Ok((message.message_type(), message.flags(), whole.get(16..).unwrap_or_default())))
    })
}

/// Requests a change or one object.
pub(super) fn ask(
    message: RouteNetlinkMessage,
    flags: u16,
    each: impl FnMut(u16, &[u8]) -> Result<(), DecodeError>,
) -> rustix::io::Result<()> {
    exchange(message, flags | NLM_F_ACK, each).map(drop)
}

/// A complete list; it is requested again if it changed during the answer.
pub(super) fn list<T>(
    message: &RouteNetlinkMessage,
    mut each: impl FnMut(u16, &[u8]) -> Result<Option<T>, DecodeError>,
) -> rustix::io::Result<Vec<T>> {
    for _ in 0..ATTEMPTS {
        let mut found = Vec::new();
        let is_whole = exchange(message.clone(), NLM_F_DUMP, |kind, body| {
            found.extend(each(kind, body)?);
            Ok(())
        })?;
        if is_whole {
            return Ok(found);
        }
    }
    Err(Errno::AGAIN)
}

/// Returns whether the list stayed the same during the answer.
fn exchange(
    message: RouteNetlinkMessage,
    flags: u16,
    mut each: impl FnMut(u16, &[u8]) -> Result<(), DecodeError>,
) -> rustix::io::Result<bool> {
    let socket = socket(0)?;
    set_socket_timeout(&socket, Timeout::Recv, Some(PATIENCE))?;
    let mut header = NetlinkHeader::default();
    header.flags = NLM_F_REQUEST | flags;
    let mut request = NetlinkMessage::new(header, NetlinkPayload::InnerMessage(message));
    request.finalize();
    let mut bytes = vec![0; request.buffer_len()];
    request.serialize(&mut bytes);
    sendto(&socket, &bytes, SendFlags::empty(), &SocketAddrNetlink::new(0, 0))?;
    let mut is_whole = true;
    loop {
        let datagram = receive(&socket, RecvFlags::empty())?;
        if datagram.is_empty() {
            return Err(Errno::BADMSG);
        }
        for message in messages(&datagram) {
            let (kind, flags, body) = message.map_err(|_| Errno::BADMSG)?;
            is_whole &= flags & NLM_F_DUMP_INTR == 0;
            match kind {
                NLMSG_DONE | NLMSG_ERROR => {
                    let code = body.get(..4).and_then(|code| code.try_into().ok()).map_or(0, i32::from_ne_bytes);
                    return if code == 0 { Ok(is_whole) } else { Err(Errno::from_raw_os_error(code.saturating_neg())) };
                }
                _ => each(kind, body).map_err(|_| Errno::BADMSG)?,
            }
        }
    }
}
