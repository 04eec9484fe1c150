//! ARP probes: whether a machine on an Ethernet network uses an address. RFC 5227, 2.1.1.
//!
//! The sender of a probe has no address, so a probe changes no table, and routers that answer for others stay silent.

use rustix::fd::{AsRawFd, OwnedFd};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};
use std::io;
use std::net::Ipv4Addr;
use std::time::Duration;
use tokio::net::UdpSocket;

/// A machine gets this many probes, since one may be lost, and this time to answer each.
const PROBES: usize = 2;
const PATIENCE: Duration = Duration::from_millis(250);
/// An Ethernet header, and an ARP packet for IPv4.
const HEADER: usize = 14;
const FRAME: usize = HEADER + 28;
/// The start of such a packet: both kinds of addresses and their lengths.
const IPV4_ON_ETHERNET: [u8; 6] = [0, 1, 8, 0, 6, 4];

/// An Ethernet address.
pub(crate) type Mac = [u8; 6];

/// The machine that uses an address on the network of an interface, except for the client. `None`: there was no answer.
///
/// Errors: no probe can be sent, for example without the capability `CAP_NET_RAW`.
pub(crate) async fn user(interface: &str, ip: Ipv4Addr, client: &[u8]) -> io::Result<Option<Mac>> {
    let own = mac(interface)?;
    let socket = open(interface)?;
    tokio::select! {
        biased;
        heard = heard(&socket, ip, [&own, client]) => heard.map(Some),
        asked = ask(&socket, probe(own, ip)) => asked.map(|()| None),
    }
}

async fn ask(socket: &UdpSocket, probe: [u8; FRAME]) -> io::Result<()> {
    for _ in 0..PROBES {
        socket.send(&probe).await?;
        tokio::time::sleep(PATIENCE).await;
    }
    Ok(())
}

async fn heard(socket: &UdpSocket, ip: Ipv4Addr, ignored: [&[u8]; 2]) -> io::Result<Mac> {
    let mut frame = [0u8; FRAME];
    loop {
        let n = socket.recv(&mut frame).await?;
        if let Some(mac) = sender(&frame[..n], ip).filter(|mac| !ignored.contains(&mac.as_slice())) {
            return Ok(mac);
        }
    }
}

/// A socket for the ARP packets of one interface.
fn open(interface: &str) -> io::Result<UdpSocket> {
    let number = of_interface(interface, "ifindex")?.parse::<libc::c_int>().map_err(io::Error::other)?;
    // Without a protocol, it receives nothing before it is bound.
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::PACKET, SocketType::RAW, flags, None)?;
    bind(&socket, number)?;
    // The calls that send and receive are the same for all kinds of sockets.
    UdpSocket::from_std(socket.into())
}

/// Unlike other sockets, this kind is bound to an interface by an address.
fn bind(socket: &OwnedFd, interface: libc::c_int) -> io::Result<()> {
    let address = libc::sockaddr_ll {
        sll_family: libc::AF_PACKET as u16,
        sll_protocol: (libc::ETH_P_ARP as u16).to_be(),
        sll_ifindex: interface,
        sll_hatype: 0,
        sll_pkttype: 0,
        sll_halen: 0,
        sll_addr: [0; 8],
    };
    let length = size_of_val(&address) as libc::socklen_t;
    // SAFETY: the descriptor is open, and the kernel only reads the address, which has this length.
    #[allow(unsafe_code)]
    let said = unsafe { libc::bind(socket.as_raw_fd(), (&raw const address).cast(), length) };
    if said < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

fn mac(interface: &str) -> io::Result<Mac> {
    let text = of_interface(interface, "address")?;
    let bytes: Option<Vec<u8>> = text.split(':').map(|byte| u8::from_str_radix(byte, 16).ok()).collect();
    let mac: Option<Mac> = bytes.and_then(|bytes| bytes.try_into().ok());
    mac.filter(|mac| *mac != [0; 6]).ok_or_else(|| io::Error::other("it is not an Ethernet interface"))
}

fn of_interface(interface: &str, what: &str) -> io::Result<String> {
    Ok(std::fs::read_to_string(format!("/sys/class/net/{interface}/{what}"))?.trim_end().to_owned())
}

/// A broadcast frame: who has this address?
fn probe(own: Mac, ip: Ipv4Addr) -> [u8; FRAME] {
    let (nobody, wanted) = ([0u8; 10], ip.octets());
    let parts: [&[u8]; 8] = [&[0xff; 6], &own, &[0x08, 0x06], &IPV4_ON_ETHERNET, &[0, 1], &own, &nobody, &wanted];
    let mut frame = [0; FRAME];
    let mut at = 0;
    for part in parts {
        frame[at..at + part.len()].copy_from_slice(part);
        at += part.len();
    }
    frame
}

/// The machine that claims an address in its own answer or question.
fn sender(frame: &[u8], ip: Ipv4Addr) -> Option<Mac> {
    let packet = frame.get(HEADER..FRAME)?;
    if !packet.starts_with(&IPV4_ON_ETHERNET) || packet[14..18] != ip.octets() {
        return None;
    }
    packet[8..14].try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: Mac = [2, 0, 0, 0, 0, 1];
    const OTHER: Mac = [2, 0, 0, 0, 0, 2];
    const IP: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 3);

    #[test]
    fn a_probe_asks_everybody_and_has_no_address_of_its_own() {
        let expect = "ffffffffffff 020000000001 0806 0001 0800 06 04 0001 020000000001 00000000 000000000000 0a000003";
        let hex: String = probe(OWN, IP).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, expect.replace(' ', ""));
        assert_eq!(sender(&probe(OWN, IP), IP), None);
    }

    #[test]
    fn an_answer_names_the_machine_that_uses_the_address() {
        let mut answer = probe(OTHER, IP);
        answer[21] = 2;
        answer[28..32].copy_from_slice(&IP.octets());
        assert_eq!(sender(&answer, IP), Some(OTHER));
        assert_eq!(sender(&answer, Ipv4Addr::new(10, 0, 0, 4)), None);
        assert_eq!(sender(&answer[..FRAME - 1], IP), None, "cut off");
        answer[15] = 6;
        assert_eq!(sender(&answer, IP), None, "another kind of network");
    }
}
