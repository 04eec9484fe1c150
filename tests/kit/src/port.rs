//! [`free`]: a port for a program that is about to listen on it, and perhaps again later.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::net::{TcpListener, UdpSocket};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// They are below those that the kernel gives to whoever asks for any port or connects to someone
/// (`ip_local_port_range`). One of those may be taken before the program listens on it, and while its server is away, a
/// client may even be connected to itself.
const FIRST: u16 = 10_000;
const N_PORTS: u16 = 22_000;

/// A loopback port that is not in use. Each call returns another one.
pub fn free() -> u16 {
    static NEXT: OnceLock<AtomicU32> = OnceLock::new();
    let next = NEXT.get_or_init(|| AtomicU32::new(begin()));
    for _ in 0..N_PORTS {
        let nth = next.fetch_add(1, Ordering::Relaxed) % u32::from(N_PORTS);
        let port = FIRST + u16::try_from(nth).expect("it is less than their number");
        let at = ("127.0.0.1", port);
        if TcpListener::bind(at).is_ok() && UdpSocket::bind(at).is_ok() {
            return port;
        }
    }
    panic!("no port is free");
}

/// Where this process begins: another test binary at the same time gets other ports.
fn begin() -> u32 {
    let bytes = RandomState::new().build_hasher().finish().to_ne_bytes();
    u32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_is_another_one_below_those_of_the_kernel() {
        let ports: BTreeSet<u16> = (0..50).map(|_| free()).collect();
        assert_eq!(ports.len(), 50);
        assert!(ports.iter().all(|port| (10_000..32_000).contains(port)), "{ports:?}");
    }
}
