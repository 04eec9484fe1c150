//! Closes a listener without dropping connections that wait to be accepted. Closing it resets the connections that the
//! kernel has already accepted, so new ones are blocked first.

use socket2::{SockFilter, SockRef};
use std::net::TcpListener;

/// The offset of the flags in a TCP header, where the kernel's view of a packet begins.
const FLAGS: u32 = 13;
const SYN: u32 = 0x02;

/// The instructions of the kernel's packet filters, from `linux/bpf_common.h`.
const LOAD_BYTE: u16 = 0x30;
const JUMP_IF_ANY_BIT: u16 = 0x45;
const RETURN: u16 = 0x06;

/// Blocks new connections from now on. Those that have begun are accepted: their handshakes take a round trip. A client
/// that is blocked retries by itself: it finds the next server, or none.
pub(super) fn shut(listener: &TcpListener) {
    let filter = [
        SockFilter::new(LOAD_BYTE, 0, 0, FLAGS),
        SockFilter::new(JUMP_IF_ANY_BIT, 0, 1, SYN),
        SockFilter::new(RETURN, 0, 0, 0),
        SockFilter::new(RETURN, 0, 0, u32::MAX),
    ];
    // A kernel without filters resets who connects in this moment, as all others do.
    let _ = SockRef::from(listener).attach_filter(&filter);
}
