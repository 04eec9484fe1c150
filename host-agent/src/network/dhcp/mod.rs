//! A DHCP server for IPv4: the answers to clients' packets, and their recipients.

pub(crate) mod arp;
mod packet;

use mclive_base::vocab::dhcp::{Boot, Client, Grant, Identifier, Pool, Proposal, Verdict, Watch, mask};
use packet::{Message, Packet, option};
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};

const TO_CLIENT: u16 = 68;
const TO_RELAY: u16 = 67;

/// What to do with a packet.
#[derive(Debug)]
pub(crate) enum Answer {
    /// Send this.
    Send(Vec<u8>, SocketAddr),
    /// Probe an address, report it to the pool, and answer the packet again. The client, by its hardware address, may
    /// have the address already.
    Probe { ip: Ipv4Addr, client: Vec<u8> },
}

/// The answer to a packet. `own` is the interface's address. `None`: no answer.
pub(crate) fn answer(spec: &Watch, pool: &mut Pool, own: Option<Ipv4Addr>, bytes: &[u8], now_s: u64) -> Option<Answer> {
    let asked = Packet::parse(bytes).filter(|packet| !packet.is_reply)?;
    let identifier = match spec.identifier {
        Identifier::Is(ip) => Some(ip),
        Identifier::OfInterface => Some(own?),
        Identifier::Omitted => None,
    };
    let mac: Vec<String> = asked.hardware.iter().map(|byte| format!("{byte:02x}")).collect();
    let is_relayed = !asked.relay.is_unspecified();
    let near = if is_relayed { Some(asked.relay) } else { own };
    let id = asked.option(option::CLIENT).unwrap_or(&asked.hardware).to_vec();
    let client = Client { id: &id, mac: &mac.join(":"), near };
    let chosen = asked.ip(option::SERVER);
    // A client of a server without an identifier may name its address.
    let is_ours = chosen.is_none_or(|chosen| Some(chosen) == identifier.or(own));
    let wanted = asked.ip(option::WANTED_IP);
    let (message, grant) = match asked.message()? {
        // A probe does not get past a relay.
        Message::Discover if is_relayed => (Message::Offer, Some(pool.offer(spec, client, wanted, now_s)?)),
        Message::Discover => match pool.propose(spec, client, wanted, now_s)? {
            Proposal::Offer(grant) => (Message::Offer, Some(grant)),
            Proposal::Probe(ip) => return Some(Answer::Probe { ip, client: asked.hardware }),
            Proposal::Wait => return None,
        },
        // It accepts another server's offer.
        Message::Request if !is_ours => {
            pool.release(&id);
            return None;
        }
        Message::Request => {
            let ip = wanted.or_else(|| (!asked.client.is_unspecified()).then_some(asked.client))?;
            match pool.confirm(spec, client, ip, now_s) {
                Verdict::Granted(grant) => (Message::Ack, Some(grant)),
                Verdict::Refused => (Message::Nak, None),
            }
        }
        Message::Decline if is_ours => {
            pool.decline(spec, &id, wanted?, now_s);
            return None;
        }
        Message::Release if is_ours => {
            pool.release(&id);
            return None;
        }
        Message::Inform => (Message::Ack, None),
        Message::Decline | Message::Release | Message::Offer | Message::Ack | Message::Nak => return None,
    };
    let boot = grant.as_ref().and_then(|grant| grant.boot);
    let is_nak = message == Message::Nak;
    let reply = Packet {
        is_reply: true,
        id: asked.id,
        // A relay broadcasts a refusal: the client's address may be wrong.
        is_broadcast: asked.is_broadcast || is_nak,
        client: if is_nak { Ipv4Addr::UNSPECIFIED } else { asked.client },
        yours: grant.as_ref().map_or(Ipv4Addr::UNSPECIFIED, |grant| grant.ip),
        next: boot.and_then(|boot| boot.server.parse().ok()).unwrap_or(Ipv4Addr::UNSPECIFIED),
        relay: asked.relay,
        hardware: asked.hardware.clone(),
        options: options(spec, &asked, message, identifier, grant.as_ref()),
    };
    let to = if is_relayed {
        SocketAddrV4::new(asked.relay, TO_RELAY)
    } else if !asked.client.is_unspecified() && !is_nak {
        SocketAddrV4::new(asked.client, TO_CLIENT)
    } else {
        SocketAddrV4::new(Ipv4Addr::BROADCAST, TO_CLIENT)
    };
    Some(Answer::Send(reply.bytes(), to.into()))
}

/// The options of an answer: the mandatory ones, then the requested ones in order, then the common ones.
fn options(
    spec: &Watch,
    asked: &Packet,
    message: Message,
    identifier: Option<Ipv4Addr>,
    grant: Option<&Grant>,
) -> Vec<(u8, Vec<u8>)> {
    let ips = |ips: &[Ipv4Addr]| ips.iter().flat_map(Ipv4Addr::octets).collect::<Vec<u8>>();
    let mut options = vec![(option::KIND, vec![message as u8])];
    options.extend(identifier.map(|own| (option::SERVER, own.octets().to_vec())));
    if message == Message::Nak {
        return options;
    }
    let lease = spec.lease_s.filter(|_| grant.is_some());
    options.extend(lease.map(|seconds| (option::LEASE, seconds.to_be_bytes().to_vec())));
    let boot = |part: fn(&Boot) -> &String| {
        let text = grant?.boot.map(part)?;
        (!text.is_empty()).then(|| text.clone().into_bytes())
    };
    let known = |code: u8| match code {
        option::MASK => grant.map(|grant| mask(grant.length).to_be_bytes().to_vec()),
        option::ROUTERS => (!spec.routers.is_empty()).then(|| ips(&spec.routers)),
        option::DNS => (!spec.dns.is_empty()).then(|| ips(&spec.dns)),
        option::RENEW => lease.map(|seconds| (seconds / 2).to_be_bytes().to_vec()),
        option::REBIND => lease.map(|seconds| (seconds - seconds / 8).to_be_bytes().to_vec()),
        option::BOOT_SERVER => boot(|boot| &boot.server),
        option::BOOT_FILE => boot(|boot| &boot.file),
        _ => None,
    };
    let listed = asked.option(option::LIST).unwrap_or_default();
    for code in listed.iter().copied().chain([option::MASK, option::ROUTERS]) {
        if options.iter().all(|(said, _)| *said != code) {
            options.extend(known(code).map(|value| (code, value)));
        }
    }
    options
}

#[cfg(test)]
mod tests;
