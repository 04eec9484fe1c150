//! [`Link`]: a relay on a loopback port whose connections a test can cut, as a network does.

use crate::socket;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;
use std::time::Duration;

/// The pause after a connection that could not be accepted.
const PAUSE: Duration = Duration::from_millis(10);

/// A relay to an address.
pub struct Link {
    address: SocketAddr,
    state: Arc<Mutex<Relay>>,
}

#[derive(Default)]
struct Relay {
    to: String,
    passes: Passes,
    /// The process whose connections lose all bytes.
    loses_from: Option<u32>,
    connections: Vec<Connection>,
}

struct Connection {
    /// Both ends; first the one of the program that opened it.
    ends: [TcpStream; 2],
    passage: Arc<Passage>,
}

#[derive(Default)]
struct Passage {
    /// All its bytes get lost.
    is_lost: AtomicBool,
    /// One side has ended it, and the other one has not been told.
    has_half_ended: AtomicBool,
    /// What the program that opened it has sent first.
    began: OnceLock<Vec<u8>>,
}

impl Passage {
    fn began_with(&self, text: &str) -> bool {
        let began = self.began.get().map(Vec::as_slice).unwrap_or_default();
        String::from_utf8_lossy(began).contains(text)
    }
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Passes {
    #[default]
    All,
    /// New connections are closed.
    Nothing,
    /// Bytes are lost silently.
    Silence,
    /// The link is gone.
    Over,
}

impl Link {
    /// Opens a link to an address, such as `127.0.0.1:2379`.
    pub fn to(address: &str) -> Link {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a loopback port");
        let own = listener.local_addr().expect("its address");
        let state = Arc::new(Mutex::new(Relay { to: address.to_owned(), ..Relay::default() }));
        let relay = state.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                match (passes(&relay), stream) {
                    (Passes::Over, _) => return,
                    (Passes::All | Passes::Silence, Ok(stream)) => connect(stream, &relay),
                    (Passes::Nothing, Ok(stream)) => drop(stream),
                    // Its other end has given up, or this process has too many files. Later ones may have more luck.
                    (_, Err(_)) => thread::sleep(PAUSE),
                }
            }
        });
        Link { address: own, state }
    }

    /// The address of this end.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// New connections lead to another address.
    pub fn leads_to(&self, address: &str) {
        self.state.lock().expect("no holder panics").to = address.to_owned();
    }

    /// Ends all connections, and refuses new ones.
    pub fn cut(&self) {
        self.end_all(Passes::Nothing);
    }

    /// Drops all bytes from now on. Connections stay open, even if one side closes them.
    pub fn fall_silent(&self) {
        self.set(Passes::Silence);
    }

    /// Drops all bytes of the existing connections that began with this request, and keeps them open. All other and later
    /// connections work.
    pub fn stall(&self, request: &str) {
        let relay = self.state.lock().expect("no holder panics");
        let stalls = relay.connections.iter().filter(|connection| connection.passage.began_with(request));
        stalls.for_each(|connection| connection.passage.is_lost.store(true, Ordering::Relaxed));
    }

    /// Ends the present connections, except those that began with this request.
    pub fn end_others(&self, request: &str) {
        let mut relay = self.state.lock().expect("no holder panics");
        relay.end(|connection| !connection.passage.began_with(request));
    }

    /// Loses all bytes of the connections that a process has opened or will open; those of others pass.
    pub fn loses_from(&self, process: u32) {
        let mut relay = self.state.lock().expect("no holder panics");
        relay.loses_from = Some(process);
        for Connection { ends: [near, _], passage } in &relay.connections {
            if socket::is_opened_by(near, process) {
                passage.is_lost.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Passes everything again. Connections that have lost bytes end first.
    pub fn heal(&self) {
        let mut relay = self.state.lock().expect("no holder panics");
        if relay.loses_from.take().is_some() || relay.passes == Passes::Silence {
            relay.end(|_| true);
        }
        relay.passes = Passes::All;
    }

    fn set(&self, passes: Passes) {
        self.state.lock().expect("no holder panics").passes = passes;
    }

    fn end_all(&self, passes: Passes) {
        let mut relay = self.state.lock().expect("no holder panics");
        relay.passes = passes;
        relay.end(|_| true);
    }
}

impl Relay {
    fn end(&mut self, is_meant: impl Fn(&Connection) -> bool) {
        self.connections.retain(|connection| {
            let ends = is_meant(connection);
            if ends {
                connection.ends.iter().for_each(|stream| drop(stream.shutdown(Shutdown::Both)));
            }
            !ends
        });
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.end_all(Passes::Over);
        // Wakes the thread that accepts.
        let _ = TcpStream::connect_timeout(&self.address, Duration::from_secs(1));
    }
}

fn passes(relay: &Mutex<Relay>) -> Passes {
    relay.lock().expect("no holder panics").passes
}

fn connect(stream: TcpStream, relay: &Arc<Mutex<Relay>>) {
    let to = relay.lock().expect("no holder panics").to.clone();
    let Ok(other) = TcpStream::connect(to) else { return };
    for stream in [&stream, &other] {
        let _ = stream.set_nodelay(true);
    }
    let passage = Arc::new(Passage::default());
    let mut ways = Vec::new();
    for (from, to) in [(&stream, &other), (&other, &stream)] {
        let (Ok(from), Ok(to)) = (from.try_clone(), to.try_clone()) else { return };
        ways.push((from, to));
    }
    {
        // Before its first byte passes: anyone who has used a connection can rely on the next fault.
        let mut relay = relay.lock().expect("no holder panics");
        if matches!(relay.passes, Passes::Nothing | Passes::Over) {
            // The link was cut while the other end was reached.
            return;
        }
        let is_hit = relay.loses_from.is_some_and(|process| socket::is_opened_by(&stream, process));
        passage.is_lost.store(is_hit, Ordering::Relaxed);
        relay.connections.push(Connection { ends: [stream, other], passage: passage.clone() });
    }
    for (nth, (from, to)) in ways.into_iter().enumerate() {
        let (relay, passage) = (relay.clone(), passage.clone());
        thread::spawn(move || carry(from, to, &relay, &passage, nth == 0));
    }
}

fn carry(mut from: TcpStream, mut to: TcpStream, relay: &Mutex<Relay>, passage: &Arc<Passage>, is_first: bool) {
    let mut bytes = [0; 16 << 10];
    loop {
        match from.read(&mut bytes) {
            Ok(n) if n > 0 => {
                if is_first {
                    let _ = passage.began.set(bytes[..n].to_vec());
                }
                let passes = passes(relay) == Passes::All && !passage.is_lost.load(Ordering::Relaxed);
                if passes && to.write_all(&bytes[..n]).is_err() {
                    break;
                }
            }
            Ok(_) | Err(_) => break,
        }
    }
    // The end gets lost as bytes do: the other side hears of it when the link is healed, unless it has ended as well.
    let is_silent = passes(relay) == Passes::Silence || passage.is_lost.load(Ordering::Relaxed);
    if is_silent && !passage.has_half_ended.swap(true, Ordering::Relaxed) {
        return;
    }
    let _ = to.shutdown(Shutdown::Both);
    let _ = from.shutdown(Shutdown::Both);
    // It is over, and takes up no more files: a test may open thousands.
    relay.lock().expect("no holder panics").connections.retain(|other| !Arc::ptr_eq(&other.passage, passage));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::until;
    use std::io::ErrorKind;

    fn echo() -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                thread::spawn(move || {
                    let mut byte = [0];
                    while stream.read_exact(&mut byte).is_ok() && stream.write_all(&byte).is_ok() {}
                });
            }
        });
        address
    }

    /// As soon as it may be.
    const SOON: Duration = Duration::from_secs(60);
    /// Long enough to notice an answer that should not come.
    const SHORT: Duration = Duration::from_millis(300);

    fn answers(stream: &mut TcpStream, within: Duration) -> bool {
        stream.set_read_timeout(Some(within)).unwrap();
        stream.write_all(b"x").is_ok() && stream.read_exact(&mut [0]).is_ok()
    }

    #[test]
    fn a_link_is_cut_silent_and_healed() {
        let link = Link::to(&echo());
        let open = || TcpStream::connect(link.address()).unwrap();
        let mut stream = open();
        assert!(answers(&mut stream, SOON));
        link.cut();
        assert!(!answers(&mut stream, SHORT) && !answers(&mut open(), SHORT));
        link.heal();
        let mut stream = open();
        assert!(answers(&mut stream, SOON));
        link.fall_silent();
        assert!(!answers(&mut stream, SHORT));
        link.heal();
        assert!(!answers(&mut stream, SHORT), "it has lost bytes");
        assert!(answers(&mut open(), SOON));
    }

    #[test]
    fn a_connection_that_has_ended_takes_up_no_files() {
        let link = Link::to(&echo());
        let n_open = || link.state.lock().unwrap().connections.len();
        let mut streams: Vec<TcpStream> = (0..3).map(|_| TcpStream::connect(link.address()).unwrap()).collect();
        assert!(streams.iter_mut().all(|stream| answers(stream, SOON)));
        assert_eq!(n_open(), 3);
        streams.truncate(1);
        until("two of them are forgotten", || n_open() == 1, || n_open().to_string());
        assert!(answers(&mut streams[0], SOON));
    }

    #[test]
    fn an_end_gets_lost_in_silence_and_arrives_when_the_link_is_healed() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let link = Link::to(&listener.local_addr().unwrap().to_string());
        let near = TcpStream::connect(link.address()).unwrap();
        let (mut far, _) = listener.accept().unwrap();
        (&near).write_all(b"x").unwrap();
        far.read_exact(&mut [0]).unwrap();
        link.fall_silent();
        drop(near);
        far.set_read_timeout(Some(SHORT)).unwrap();
        let read = far.read(&mut [0]).map_err(|error| error.kind());
        assert!(matches!(read, Err(ErrorKind::WouldBlock | ErrorKind::TimedOut)), "{read:?}");
        link.heal();
        far.set_read_timeout(Some(SOON)).unwrap();
        assert_eq!(far.read(&mut [0]).unwrap(), 0);
    }

    #[test]
    fn connections_stall_and_later_ones_pass() {
        let link = Link::to(&echo());
        let open = || TcpStream::connect(link.address()).unwrap();
        let mut stream = open();
        assert!(answers(&mut stream, SOON));
        link.stall("other");
        assert!(answers(&mut stream, SOON));
        link.stall("x");
        assert!(!answers(&mut stream, SHORT) && answers(&mut open(), SOON));
        // The first one is still open: nothing arrives, not even an end.
        let read = stream.read(&mut [0]).map_err(|error| error.kind());
        assert!(matches!(read, Err(ErrorKind::WouldBlock | ErrorKind::TimedOut)), "{read:?}");
    }

    #[test]
    fn connections_end_except_those_that_began_with_a_request() {
        let link = Link::to(&echo());
        let mut streams = ["GET /a", "GET /b"].map(|request| {
            let mut stream = TcpStream::connect(link.address()).unwrap();
            stream.write_all(request.as_bytes()).unwrap();
            // It has passed.
            stream.read_exact(&mut vec![0; request.len()]).unwrap();
            stream
        });
        link.end_others("GET /a");
        assert!(answers(&mut streams[0], SOON) && !answers(&mut streams[1], SOON));
        assert!(answers(&mut TcpStream::connect(link.address()).unwrap(), SOON));
    }

    #[test]
    fn the_connections_of_one_process_lose_their_bytes() {
        let link = Link::to(&echo());
        let open = || TcpStream::connect(link.address()).unwrap();
        let mut stream = open();
        assert!(answers(&mut stream, SOON));
        // Not those of another one.
        link.loses_from(std::os::unix::process::parent_id());
        assert!(answers(&mut stream, SOON) && answers(&mut open(), SOON));
        link.loses_from(std::process::id());
        assert!(!answers(&mut stream, SHORT) && !answers(&mut open(), SHORT));
        link.heal();
        assert!(answers(&mut open(), SOON));
    }
}
