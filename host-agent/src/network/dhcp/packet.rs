//! The packets of DHCP (RFC 2131) and their options (RFC 2132, 3396).

use std::net::Ipv4Addr;

const COOKIE: [u8; 4] = [99, 130, 83, 99];
/// The size without options.
const HEAD: usize = 236;
/// The minimum size that the oldest clients and relays accept.
const SMALLEST: usize = 300;
/// The last option.
const END: u8 = 255;

pub(super) mod option {
    pub(in super::super) const MASK: u8 = 1;
    pub(in super::super) const ROUTERS: u8 = 3;
    pub(in super::super) const DNS: u8 = 6;
    pub(in super::super) const WANTED_IP: u8 = 50;
    pub(in super::super) const LEASE: u8 = 51;
    pub(in super::super) const KIND: u8 = 53;
    pub(in super::super) const SERVER: u8 = 54;
    pub(in super::super) const LIST: u8 = 55;
    pub(in super::super) const RENEW: u8 = 58;
    pub(in super::super) const REBIND: u8 = 59;
    pub(in super::super) const CLIENT: u8 = 61;
    pub(in super::super) const BOOT_SERVER: u8 = 66;
    pub(in super::super) const BOOT_FILE: u8 = 67;
}

/// The type of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Message {
    Discover = 1,
    Offer = 2,
    Request = 3,
    Decline = 4,
    Ack = 5,
    Nak = 6,
    Release = 7,
    Inform = 8,
}

/// A packet of a client, or an answer to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Packet {
    pub(super) is_reply: bool,
    pub(super) id: [u8; 4],
    pub(super) is_broadcast: bool,
    /// The client's address, its new one, the boot server, the relay.
    pub(super) client: Ipv4Addr,
    pub(super) yours: Ipv4Addr,
    pub(super) next: Ipv4Addr,
    pub(super) relay: Ipv4Addr,
    pub(super) hardware: Vec<u8>,
    pub(super) options: Vec<(u8, Vec<u8>)>,
}

impl Packet {
    /// `None`: it is not a valid packet.
    pub(super) fn parse(bytes: &[u8]) -> Option<Packet> {
        let head = bytes.get(..HEAD)?;
        let ip = |at: usize| Ipv4Addr::new(head[at], head[at + 1], head[at + 2], head[at + 3]);
        // An Ethernet address, and not longer than its field.
        let (is_reply, n_hardware) = (head[0] == 2, usize::from(head[2]));
        if !matches!(head[0], 1 | 2) || n_hardware == 0 || n_hardware > 16 || bytes.get(HEAD..HEAD + 4)? != COOKIE {
            return None;
        }
        let mut options: Vec<(u8, Vec<u8>)> = Vec::new();
        let mut rest = &bytes[HEAD + 4..];
        while let Some((&code, after)) = rest.split_first() {
            rest = match code {
                0 => after,
                END => break,
                code => {
                    let (&length, after) = after.split_first()?;
                    let (value, after) = after.split_at_checked(usize::from(length))?;
                    // A value that is too long for one option continues in the next with the same code.
                    match options.iter_mut().find(|(known, _)| *known == code) {
                        Some((_, known)) => known.extend(value),
                        None => options.push((code, value.to_vec())),
                    }
                    after
                }
            };
        }
        Some(Packet {
            is_reply,
            id: [head[4], head[5], head[6], head[7]],
            is_broadcast: head[10] & 0x80 != 0,
            client: ip(12),
            yours: ip(16),
            next: ip(20),
            relay: ip(24),
            hardware: head[28..28 + n_hardware].to_vec(),
            options,
        })
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; HEAD];
        bytes[0] = if self.is_reply { 2 } else { 1 };
        bytes[1] = 1;
        bytes[2] = self.hardware.len() as u8;
        bytes[4..8].copy_from_slice(&self.id);
        bytes[10] = if self.is_broadcast { 0x80 } else { 0 };
        for (at, ip) in [(12, self.client), (16, self.yours), (20, self.next), (24, self.relay)] {
            bytes[at..at + 4].copy_from_slice(&ip.octets());
        }
        bytes[28..28 + self.hardware.len()].copy_from_slice(&self.hardware);
        bytes.extend(COOKIE);
        for (code, value) in &self.options {
            for part in value.chunks(255) {
                bytes.extend([*code, part.len() as u8]);
                bytes.extend(part);
            }
        }
        bytes.push(END);
        bytes.resize(bytes.len().max(SMALLEST), 0);
        bytes
    }

    pub(super) fn option(&self, code: u8) -> Option<&[u8]> {
        self.options.iter().find(|(known, _)| *known == code).map(|(_, value)| value.as_slice())
    }

    pub(super) fn ip(&self, code: u8) -> Option<Ipv4Addr> {
        self.option(code).and_then(|value| <[u8; 4]>::try_from(value).ok()).map(Ipv4Addr::from)
    }

    pub(super) fn message(&self) -> Option<Message> {
        use Message::{Ack, Decline, Discover, Inform, Nak, Offer, Release, Request};
        let all = [Discover, Offer, Request, Decline, Ack, Nak, Release, Inform];
        let [kind] = self.option(option::KIND)? else { return None };
        all.into_iter().find(|message| *message as u8 == *kind)
    }
}
