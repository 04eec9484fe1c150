//! Conversations with a server, packet by packet.

use super::*;
use mclive_base::vocab::dhcp::{Range, Reserved};

const MAC: [u8; 6] = [2, 0, 0, 0, 0, 9];

fn ip(last: u8) -> Ipv4Addr {
    Ipv4Addr::new(10, 0, 0, last)
}

fn spec() -> Watch {
    let boot = Some(Boot { server: "10.0.0.1".into(), file: "pxelinux.0".into() });
    Watch {
        address: ":67".into(),
        interface: "eth0".into(),
        identifier: Identifier::OfInterface,
        lease_s: Some(600),
        dns: vec![ip(53), ip(54)],
        routers: vec![ip(1)],
        hosts: vec![Reserved { mac: "02:00:00:00:00:07".into(), ip: ip(77), length: 24, boot: None }],
        ranges: vec![Range { first: ip(10), last: ip(12), length: 24, skip: Vec::new(), boot }],
    }
}

fn asks(message: Message, options: &[(u8, &[u8])]) -> Packet {
    let mut all = vec![(option::KIND, vec![message as u8])];
    all.extend(options.iter().map(|(code, value)| (*code, value.to_vec())));
    Packet {
        is_reply: false,
        id: [1, 2, 3, 4],
        is_broadcast: false,
        client: Ipv4Addr::UNSPECIFIED,
        yours: Ipv4Addr::UNSPECIFIED,
        next: Ipv4Addr::UNSPECIFIED,
        relay: Ipv4Addr::UNSPECIFIED,
        hardware: MAC.to_vec(),
        options: all,
    }
}

/// The answer on a network without addresses that are used without a lease.
fn told(pool: &mut Pool, packet: &Packet) -> Option<(Packet, String)> {
    match answer(&spec(), pool, Some(ip(1)), &packet.bytes(), 0)? {
        Answer::Send(bytes, to) => {
            assert!(bytes.len() >= 300);
            Some((Packet::parse(&bytes).unwrap(), to.to_string()))
        }
        Answer::Probe { ip, .. } => {
            assert!(pool.probed(ip, false, 0));
            told(pool, packet)
        }
    }
}

fn probed(pool: &mut Pool, packet: &Packet) -> Option<Ipv4Addr> {
    match answer(&spec(), pool, Some(ip(1)), &packet.bytes(), 0)? {
        Answer::Probe { ip, client } => {
            assert_eq!(client, packet.hardware);
            Some(ip)
        }
        Answer::Send(..) => None,
    }
}

#[test]
fn a_client_gets_an_address_with_what_it_asks_for() {
    let mut pool = Pool::default();
    let list = [option::BOOT_FILE, option::DNS, option::MASK, option::RENEW, 200];
    let (offer, to) = told(&mut pool, &asks(Message::Discover, &[(option::LIST, &list)])).unwrap();
    assert_eq!(
        (offer.message(), offer.yours, offer.next, to.as_str()),
        (Some(Message::Offer), ip(10), ip(1), "255.255.255.255:68")
    );
    let codes: Vec<u8> = offer.options.iter().map(|(code, _)| *code).collect();
    assert_eq!(codes, [53, 54, 51, 67, 6, 1, 58, 3], "in the client's order, and then what everybody needs");
    assert_eq!(offer.option(option::DNS).unwrap(), [10, 0, 0, 53, 10, 0, 0, 54]);
    assert_eq!(offer.option(option::MASK).unwrap(), [255, 255, 255, 0]);
    let own = [(option::WANTED_IP, &ip(10).octets()[..]), (option::SERVER, &ip(1).octets()[..])];
    let (ack, _) = told(&mut pool, &asks(Message::Request, &own)).unwrap();
    assert_eq!((ack.message(), ack.yours, ack.id), (Some(Message::Ack), ip(10), [1, 2, 3, 4]));
    assert_eq!(ack.option(option::LEASE).unwrap(), 600_u32.to_be_bytes());
    // A renewal is answered directly to the client.
    let (ack, to) = told(&mut pool, &Packet { client: ip(10), ..asks(Message::Request, &[]) }).unwrap();
    assert_eq!((ack.message(), to.as_str()), (Some(Message::Ack), "10.0.0.10:68"));
}

#[test]
fn a_client_asks_others_after_it_has_tried_to_renew() {
    let list = [option::RENEW, option::REBIND];
    for (lease_s, expect) in [(600, [300, 525]), (4, [2, 4])] {
        let spec = Watch { lease_s: Some(lease_s), ..spec() };
        let wants = [(option::WANTED_IP, &ip(10).octets()[..]), (option::LIST, &list[..])];
        let asked = asks(Message::Request, &wants).bytes();
        let answer = answer(&spec, &mut Pool::default(), Some(ip(1)), &asked, 0);
        let Some(Answer::Send(bytes, _)) = answer else { panic!("it has no answer") };
        let ack = Packet::parse(&bytes).unwrap();
        assert_eq!(list.map(|code| u32::from_be_bytes(ack.option(code).unwrap().try_into().unwrap())), expect);
    }
}

#[test]
fn an_address_is_probed_before_its_first_offer() {
    let (mut pool, discover) = (Pool::default(), asks(Message::Discover, &[]));
    assert_eq!(probed(&mut pool, &discover), Some(ip(10)));
    assert!(told(&mut pool, &discover).is_none(), "a repeated packet does not begin another probe");
    assert!(pool.probed(ip(10), true, 0));
    assert_eq!(probed(&mut pool, &discover), Some(ip(11)));
    assert!(pool.probed(ip(11), false, 0));
    assert_eq!(told(&mut pool, &discover).unwrap().0.yours, ip(11));
    let reserved = Packet { hardware: vec![2, 0, 0, 0, 0, 7], ..discover.clone() };
    assert_eq!(probed(&mut pool, &reserved), None);
    let relayed = Packet { relay: ip(3), hardware: vec![2, 0, 0, 0, 0, 8], ..discover };
    assert_eq!(probed(&mut pool, &relayed), None);
}

#[test]
fn what_is_not_ours_to_give_is_refused_at_once() {
    let mut pool = Pool::default();
    let wants = |ip: Ipv4Addr| asks(Message::Request, &[(option::WANTED_IP, &ip.octets())]);
    for bad in [Ipv4Addr::new(192, 168, 0, 9), ip(200), ip(77)] {
        let (nak, to) = told(&mut pool, &wants(bad)).unwrap();
        assert_eq!(
            (nak.message(), nak.yours, to.as_str()),
            (Some(Message::Nak), Ipv4Addr::UNSPECIFIED, "255.255.255.255:68")
        );
    }
    let relayed = Packet { relay: ip(3), ..wants(Ipv4Addr::new(192, 168, 0, 9)) };
    let (nak, to) = told(&mut pool, &relayed).unwrap();
    assert!(nak.is_broadcast && to == "10.0.0.3:67");
    // The client chose another server: the offered address is free.
    told(&mut pool, &asks(Message::Discover, &[])).unwrap();
    assert!(told(&mut pool, &asks(Message::Request, &[(option::SERVER, &ip(9).octets())])).is_none());
    let other = Packet { hardware: vec![2, 0, 0, 0, 0, 8], ..asks(Message::Discover, &[]) };
    assert_eq!(told(&mut pool, &other).unwrap().0.yours, ip(10));
}

#[test]
fn clients_are_told_apart_by_what_they_say_of_themselves() {
    let mut pool = Pool::default();
    let one = asks(Message::Discover, &[(option::CLIENT, b"one")]);
    let two = asks(Message::Discover, &[(option::CLIENT, b"two")]);
    assert_eq!(told(&mut pool, &one).unwrap().0.yours, ip(10));
    assert_eq!(told(&mut pool, &two).unwrap().0.yours, ip(11));
    let known = Packet { hardware: vec![2, 0, 0, 0, 0, 7], ..asks(Message::Discover, &[]) };
    assert_eq!(told(&mut pool, &known).unwrap().0.yours, ip(77));
    let declined = asks(Message::Decline, &[(option::CLIENT, b"one"), (option::WANTED_IP, &ip(10).octets())]);
    assert!(told(&mut pool, &declined).is_none());
    assert_eq!(told(&mut pool, &one).unwrap().0.yours, ip(12));
    assert!(told(&mut pool, &asks(Message::Release, &[(option::CLIENT, b"two")])).is_none());
    let three = asks(Message::Discover, &[(option::CLIENT, b"three")]);
    assert_eq!(told(&mut pool, &three).unwrap().0.yours, ip(11));
    let (informed, _) = told(&mut pool, &Packet { client: ip(99), ..asks(Message::Inform, &[]) }).unwrap();
    assert_eq!(
        (informed.message(), informed.yours, informed.option(option::LEASE)),
        (Some(Message::Ack), Ipv4Addr::UNSPECIFIED, None)
    );
}

#[test]
fn nonsense_is_survived() {
    let (mut pool, good) = (Pool::default(), asks(Message::Discover, &[(option::LIST, &[1, 3, 6])]).bytes());
    let mut state = 7_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    for n in 0..20_000 {
        let mut packet = good.clone();
        for _ in 0..random() % 8 {
            let at = random() % packet.len();
            packet[at] = random() as u8;
        }
        packet.truncate(if n % 3 == 0 { random() % packet.len() } else { packet.len() });
        match answer(&spec(), &mut pool, Some(ip(1)), &packet, n / 100) {
            Some(Answer::Send(reply, _)) => drop(Packet::parse(&reply).expect("what is answered can be read")),
            Some(Answer::Probe { ip, .. }) => assert!(pool.probed(ip, n % 2 == 0, n / 100)),
            None => {}
        }
    }
    assert!(answer(&spec(), &mut pool, None, &good, 0).is_none(), "an interface without an address does not answer");
}

#[test]
fn a_server_without_an_identifier_leaves_the_clients_of_others_alone() {
    let spec = Watch { identifier: Identifier::Omitted, ..spec() };
    let answered = |server: Ipv4Addr| {
        let (server, wanted) = (server.octets(), ip(10).octets());
        let packet = asks(Message::Request, &[(option::SERVER, &server), (option::WANTED_IP, &wanted)]);
        answer(&spec, &mut Pool::default(), Some(ip(1)), &packet.bytes(), 0).is_some()
    };
    assert!(answered(ip(1)));
    assert!(!answered(ip(2)), "it has chosen another server");
}
