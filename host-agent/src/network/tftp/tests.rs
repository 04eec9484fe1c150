//! A server behind a relay that loses, duplicates and delays packets, and with hostile clients.

use super::*;
use crate::network::Network;
use std::net::UdpSocket as Socket;
use std::time::Instant;

/// The timeout of a server that gives clients up soon.
const SHORT: Duration = Duration::from_millis(400);
/// That of one whose clients may have to wait for a processor. Of both, the real one follows the time of a round trip.
const USUAL: Duration = Duration::from_secs(5);
const LONG: Duration = Duration::from_secs(240);
/// How long a client waits for a server that may have to wait for a processor.
const SILENCE: Duration = Duration::from_secs(30);

struct Memory(Vec<u8>);

impl Files for Memory {
    fn open(&self, name: &str) -> Result<Content, Failure> {
        match name {
            "file" => Ok(Content::Bytes(self.0.clone().into())),
            _ => Err(Failure(Code::NotFound, "file not found".into())),
        }
    }
}

struct Running {
    address: SocketAddr,
    _network: Network,
    _task: crate::network::Task,
    _answers: watch::Sender<bool>,
}

fn serve(content: Vec<u8>) -> Running {
    serve_with(content, USUAL)
}

fn serve_with(content: Vec<u8>, timeout: Duration) -> Running {
    let network = Network::default();
    let socket = Socket::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    socket.set_nonblocking(true).unwrap();
    let (answers, answered) = watch::channel(true);
    let files = Arc::new(Memory(content));
    let socket = {
        let handle = network.handle().unwrap();
        let _in_runtime = handle.enter();
        UdpSocket::from_std(socket).unwrap()
    };
    let task = network.spawn(Server { socket, files, timeout, answers: answered }.run()).unwrap();
    Running { address, _network: network, _task: task, _answers: answers }
}

fn client() -> Socket {
    let socket = Socket::bind("127.0.0.1:0").unwrap();
    socket.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
    socket
}

/// Whether the packet with this number is lost, in one direction.
type Loses = fn(n: usize) -> bool;

/// Fetches the file like a simple client: acknowledges when a window is full, or after a timeout. Packets in both
/// directions are lost as given.
fn fetch(server: SocketAddr, options: &str, block_size: usize, window: usize, loses: Loses) -> Option<Vec<u8>> {
    let socket = client();
    let asked = [b"\0\x01file\0octet\0", options.as_bytes()].concat();
    socket.send_to(&asked, server).unwrap();
    let (mut file, mut n_blocks, mut peer, mut n_packets) = (Vec::new(), 0_usize, None, 0);
    let (mut last, mut silent_since, mut n_unsaid) = (asked, Instant::now(), 0);
    let begun = Instant::now();
    let mut buffer = vec![0; 70_000];
    while begun.elapsed() < LONG {
        let Ok((n, from)) = socket.recv_from(&mut buffer) else {
            if silent_since.elapsed() > SILENCE {
                return None;
            }
            socket.send_to(&last, peer.unwrap_or(server)).unwrap();
            continue;
        };
        n_packets += 1;
        silent_since = Instant::now();
        if loses(n_packets) {
            continue;
        }
        peer = Some(from);
        let ack = |block: usize| [&[0, 4][..], &(block as u16).to_be_bytes()].concat();
        let mut is_over = false;
        match buffer[..n] {
            [0, 6, ..] => last = ack(0),
            [0, 3, high, low, ref bytes @ ..] => {
                if u16::from_be_bytes([high, low]) == (n_blocks + 1) as u16 {
                    n_blocks += 1;
                    n_unsaid += 1;
                    file.extend(bytes);
                    is_over = bytes.len() < block_size;
                } else {
                    // Out of order: acknowledge at once.
                    n_unsaid = window;
                }
                last = ack(n_blocks);
                if n_unsaid < window && !is_over {
                    continue;
                }
                n_unsaid = 0;
            }
            _ => return None,
        }
        n_packets += 1;
        if !loses(n_packets) {
            socket.send_to(&last, from).unwrap();
        }
        if is_over {
            return Some(file);
        }
    }
    None
}

fn content(length: usize) -> Vec<u8> {
    (0..length).map(|n| (n * 7 + n / 256) as u8).collect()
}

#[test]
fn files_of_every_length_arrive_whole() {
    for length in [0, 1, 511, 512, 513, 1024, 100_000] {
        let server = serve(content(length));
        assert!(fetch(server.address, "", 512, 1, |_| false) == Some(content(length)), "{length}");
        let options = "blksize\x001000\0windowsize\x008\0tsize\x000\0";
        assert!(fetch(server.address, options, 1000, 8, |_| false) == Some(content(length)), "{length}");
    }
}

#[test]
fn numbers_of_blocks_go_round_in_a_large_file() {
    let server = serve(content(70_000 * 8 + 3));
    let options = "blksize\08\0windowsize\x0064\0";
    assert!(fetch(server.address, options, 8, 64, |_| false) == Some(content(70_000 * 8 + 3)));
}

#[test]
fn what_is_lost_is_sent_again() {
    let losses: [Loses; 3] = [|n| n % 13 == 0, |n| (n * 2_654_435_761) % 97 < 9, |n| n % 40 < 2];
    for (at, loses) in losses.into_iter().enumerate() {
        let server = serve(content(40_000));
        assert!(fetch(server.address, "", 512, 1, loses) == Some(content(40_000)), "{at}");
        let options = "blksize\x00512\0windowsize\x004\0";
        assert!(fetch(server.address, options, 512, 4, loses) == Some(content(40_000)), "{at} in windows");
    }
}

/// How often the second block is sent to a client that acknowledges the first one twenty times. `None`: the server has
/// given it up.
fn n_second(server: SocketAddr) -> Option<usize> {
    let socket = client();
    socket.set_read_timeout(Some(LONG)).unwrap();
    socket.send_to(b"\0\x01file\0octet\0", server).unwrap();
    let mut buffer = [0; 600];
    let (_, peer) = socket.recv_from(&mut buffer).unwrap();
    for _ in 0..20 {
        socket.send_to(b"\0\x04\0\x01", peer).unwrap();
    }
    socket.send_to(b"\0\x04\0\x02", peer).unwrap();
    let mut n_second = 0;
    // The third block comes after all that the server sends for the first acknowledgements.
    while buffer[..4] != [0, 3, 0, 3] {
        socket.recv_from(&mut buffer).unwrap();
        n_second += usize::from(buffer[..4] == [0, 3, 0, 2]);
        if buffer[..2] == [0, 5] {
            return None;
        }
    }
    Some(n_second)
}

#[test]
fn a_doubled_acknowledgement_doubles_nothing() {
    let server = serve(content(2000));
    // To a client that gets no processor in between, the block is rightly sent again.
    let mut seen = Vec::new();
    while !seen.contains(&Some(1)) {
        assert!(seen.len() < 10, "the second block is sent {seen:?} times");
        seen.push(n_second(server.address));
    }
}

#[test]
fn a_client_that_stalls_is_given_up_and_the_others_are_served() {
    let server = serve_with(content(2000), SHORT);
    let stalls: Vec<Socket> = (0..40).map(|_| client()).collect();
    for socket in &stalls {
        socket.send_to(b"\0\x01file\0octet\0", server.address).unwrap();
    }
    // One host has a limited number of transfers; they end when it does not answer.
    let begun = Instant::now();
    while fetch(server.address, "", 512, 1, |_| false).is_none() {
        assert!(begun.elapsed() < LONG);
    }
    let mut buffer = [0; 600];
    let served = stalls.iter().filter(|socket| socket.recv_from(&mut buffer).is_ok()).count();
    assert_eq!(served, MOST_ALIKE);
}

#[test]
fn nonsense_of_every_kind_is_survived() {
    let server = serve_with(content(2000), SHORT);
    let socket = client();
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u8
    };
    for n in 0..3000_usize {
        let mut packet: Vec<u8> = (0..usize::from(random())).map(|_| random()).collect();
        // Half of them start like valid packets.
        if n % 2 == 0 {
            let heads: [&[u8]; 4] =
                [b"\0\x01", b"\0\x01file\0octet\0blksize\0", b"\0\x01file\0netascii\0", b"\0\x04\0"];
            packet.splice(0..0, heads[n / 2 % 4].iter().copied());
        }
        socket.send_to(&packet, server.address).unwrap();
    }
    let begun = Instant::now();
    let other = || fetch(server.address, "", 512, 1, |_| false);
    let mut got = other();
    while got.is_none() && begun.elapsed() < LONG {
        got = other();
    }
    assert!(got == Some(content(2000)));
}
