//! [`Link`]: a relay on a loopback port whose connections a test can cut, as a network does.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// A relay to an address.
pub struct Link {
    address: SocketAddr,
    state: Arc<Mutex<Relay>>,
}

#[derive(Default)]
struct Relay {
    to: String,
    passes: Passes,
    /// Both ends of each connection.
    streams: Vec<TcpStream>,
    /// Whether the connections since the last stall have stalled.
    has_stalled: Arc<AtomicBool>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Passes {
    #[default]
    All,
    /// New connections are closed.
    Nothing,
    /// Bytes get lost, and nobody is told.
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
            for stream in listener.incoming().map_while(Result::ok) {
                match passes(&relay) {
                    Passes::Over => return,
                    Passes::Nothing => drop(stream),
                    Passes::All | Passes::Silence => connect(stream, &relay),
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
        self.set(Passes::Nothing);
        self.end_all();
    }

    /// Loses all bytes from now on; connections stay open.
    pub fn fall_silent(&self) {
        self.set(Passes::Silence);
    }

    /// Loses all bytes of the present connections, which stay open; later ones pass everything.
    pub fn stall(&self) {
        let before = std::mem::take(&mut self.state.lock().expect("no holder panics").has_stalled);
        before.store(true, Ordering::Relaxed);
    }

    /// Passes everything again. Connections that have lost bytes end.
    pub fn heal(&self) {
        let was = passes(&self.state);
        self.set(Passes::All);
        if was == Passes::Silence {
            self.end_all();
        }
    }

    fn set(&self, passes: Passes) {
        self.state.lock().expect("no holder panics").passes = passes;
    }

    fn end_all(&self) {
        let streams = std::mem::take(&mut self.state.lock().expect("no holder panics").streams);
        streams.iter().for_each(|stream| drop(stream.shutdown(Shutdown::Both)));
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.set(Passes::Over);
        self.end_all();
        // Wakes the thread that accepts.
        let _ = TcpStream::connect_timeout(&self.address, Duration::from_secs(1));
    }
}

fn passes(relay: &Mutex<Relay>) -> Passes {
    relay.lock().expect("no holder panics").passes
}

fn connect(stream: TcpStream, relay: &Arc<Mutex<Relay>>) {
    let (to, has_stalled) = {
        let relay = relay.lock().expect("no holder panics");
        (relay.to.clone(), relay.has_stalled.clone())
    };
    let Ok(other) = TcpStream::connect(to) else { return };
    for stream in [&stream, &other] {
        let _ = stream.set_nodelay(true);
    }
    for (from, to) in [(&stream, &other), (&other, &stream)] {
        let (Ok(from), Ok(to)) = (from.try_clone(), to.try_clone()) else { return };
        let (relay, has_stalled) = (relay.clone(), has_stalled.clone());
        thread::spawn(move || carry(from, to, &relay, &has_stalled));
    }
    relay.lock().expect("no holder panics").streams.extend([stream, other]);
}

fn carry(mut from: TcpStream, mut to: TcpStream, relay: &Mutex<Relay>, has_stalled: &AtomicBool) {
    let mut bytes = [0; 16 << 10];
    loop {
        match from.read(&mut bytes) {
            Ok(n) if n > 0 => {
                let passes = passes(relay) == Passes::All && !has_stalled.load(Ordering::Relaxed);
                if passes && to.write_all(&bytes[..n]).is_err() {
                    break;
                }
            }
            Ok(_) | Err(_) => break,
        }
    }
    let _ = to.shutdown(Shutdown::Both);
    let _ = from.shutdown(Shutdown::Both);
}

#[cfg(test)]
mod tests {
    use super::*;
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
    fn connections_stall_and_later_ones_pass() {
        let link = Link::to(&echo());
        let open = || TcpStream::connect(link.address()).unwrap();
        let mut stream = open();
        assert!(answers(&mut stream, SOON));
        link.stall();
        assert!(!answers(&mut stream, SHORT) && answers(&mut open(), SOON));
        // The first one is still open: nothing arrives, not even an end.
        let read = stream.read(&mut [0]).map_err(|error| error.kind());
        assert!(matches!(read, Err(ErrorKind::WouldBlock | ErrorKind::TimedOut)), "{read:?}");
    }
}
