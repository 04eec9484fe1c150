//! The DHCP servers that watches open, on the network's thread.
//!
//! A socket is bound to an interface and receives every broadcast there. Leases are kept for the agent's lifetime, by
//! interface, so that a new program on the same interface continues with them. While an address is probed for a client,
//! the packets of others are answered.

use crate::host::Shared;
use crate::host::subject::SubjectState;
use crate::lock::Mutex;
use crate::network::Task;
use crate::network::dhcp::arp::Mac;
use crate::network::dhcp::{Answer, answer, arp};
use mclive_base::protocol::Ticket;
use mclive_base::vocab::dhcp::{Pool, Watch};
use mclive_base::vocab::{HostError, HostErrorKind};
use rustix::net::{AddressFamily, SocketType, bind, socket, sockopt};
use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;

const LARGEST_PACKET: usize = 4096;
/// The maximum number of addresses that are probed for one packet: its client asks again after a few seconds.
const MOST_PROBES: usize = 16;
/// The maximum number of probes at once. Each has a socket.
const MOST_PROBED: usize = 64;
const TO_CLIENT: SocketAddrV4 = SocketAddrV4::new(Ipv4Addr::BROADCAST, 68);

#[derive(Default)]
pub(in crate::host::subject) struct Leases {
    servers: Mutex<BTreeMap<Ticket, Running>>,
    segments: Mutex<BTreeMap<String, Arc<Segment>>>,
}

/// The network at an interface.
#[derive(Default)]
struct Segment {
    pool: Mutex<Pool>,
    /// It was reported that addresses cannot be probed.
    is_told: AtomicBool,
}

/// A packet whose answer needed a probe.
struct Probed {
    packet: Vec<u8>,
    /// The number of probes for it.
    n: usize,
    ip: Ipv4Addr,
    user: io::Result<Option<Mac>>,
}

struct Running {
    spec: Watch,
    /// The interface's number when the socket was bound; a recreated interface has another.
    number: Option<String>,
    answers: watch::Sender<bool>,
    _serving: Task,
}

/// The key of a server: other kinds of servers may have the same address.
pub(super) fn door(spec: &Watch) -> String {
    format!("{} on {} (DHCP)", spec.address, spec.interface)
}

impl Shared {
    /// Errors: the interface or the port is unavailable.
    pub(super) fn open_dhcp(self: &Arc<Shared>, ticket: Ticket, spec: Watch) -> Result<(), HostError> {
        let failed = |error: io::Error| no_server(&spec, &error);
        let port = spec.address.rsplit_once(':').and_then(|(_, port)| port.parse().ok());
        let port = port.ok_or_else(|| failed(io::Error::other("invalid port")))?;
        let runtime = self.network.handle().map_err(failed)?;
        // Before the socket is bound: a socket on an older interface is detected as stale, never the reverse.
        let number = number(&spec.interface);
        let socket = {
            let _in_runtime = runtime.enter();
            open(&spec.interface, port).map_err(failed)?
        };
        let segment = {
            let mut segments = self.subjects.dhcp.segments.lock();
            segments.entry(spec.interface.clone()).or_default().clone()
        };
        let (answers, answered) = watch::channel(false);
        let serving = self.network.spawn(serve(socket, spec.clone(), segment, answered)).map_err(failed)?;
        let running = Running { spec, number, answers, _serving: serving };
        self.subjects.dhcp.servers.lock().insert(ticket, running);
        Ok(())
    }

    /// Whether the server answers. Errors: why it is not open.
    pub(super) fn look_at_dhcp(&self, spec: &Watch) -> Result<(), HostError> {
        if let Some(why) = self.doors.closed(&door(spec)) {
            return Err(why);
        }
        let now = number(&spec.interface);
        let stale = {
            let servers = self.subjects.dhcp.servers.lock();
            let is_stale = |running: &Running| running.spec == *spec && running.number != now;
            servers.iter().find(|(_, running)| is_stale(running)).map(|(ticket, _)| *ticket)
        };
        if let Some((ticket, me)) = stale.zip(self.me.upgrade()) {
            // The new one replaces the old one, which stays stale if there is none yet.
            me.open_dhcp(ticket, spec.clone())?;
        }
        for running in self.subjects.dhcp.servers.lock().values() {
            if running.spec == *spec {
                running.answers.send_replace(true);
            }
        }
        Ok(())
    }
}

impl SubjectState for Leases {
    fn leave(&self, _: &Arc<Shared>, ticket: Ticket) {
        self.servers.lock().remove(&ticket);
    }
}

fn no_server(spec: &Watch, error: &io::Error) -> HostError {
    let why = match error.raw_os_error() {
        Some(code) if code == rustix::io::Errno::NODEV.raw_os_error() => "there is no such interface".to_owned(),
        _ => error.to_string(),
    };
    let message = format!("could not start listener: {} on {}: {why}", spec.address, spec.interface);
    HostError::new(HostErrorKind::Other, message)
}

/// The kernel's number of an interface; `None` if it does not exist.
fn number(interface: &str) -> Option<String> {
    std::fs::read_to_string(format!("/sys/class/net/{interface}/ifindex")).ok()
}

/// A socket on an interface. Other interfaces may have a server on the same port.
fn open(interface: &str, port: u16) -> io::Result<tokio::net::UdpSocket> {
    let socket = socket(AddressFamily::INET, SocketType::DGRAM, None)?;
    sockopt::set_socket_reuseaddr(&socket, true)?;
    sockopt::set_socket_broadcast(&socket, true)?;
    let socket = UdpSocket::from(socket);
    socket.set_nonblocking(true)?;
    let socket = tokio::net::UdpSocket::from_std(socket)?;
    socket.bind_device(Some(interface.as_bytes()))?;
    bind(&socket, &SocketAddr::from((Ipv4Addr::UNSPECIFIED, port)))?;
    Ok(socket)
}

/// The first address of an interface, which broadcasts come from. `None` if it has none.
fn address(interface: &str) -> io::Result<Option<Ipv4Addr>> {
    let socket = open(interface, 0)?;
    if rustix::net::connect(&socket, &SocketAddr::from(TO_CLIENT)).is_err() {
        return Ok(None);
    }
    Ok(match socket.local_addr()? {
        SocketAddr::V4(own) if !own.ip().is_unspecified() => Some(*own.ip()),
        SocketAddr::V4(_) | SocketAddr::V6(_) => None,
    })
}

async fn serve(socket: tokio::net::UdpSocket, spec: Watch, segment: Arc<Segment>, answers: watch::Receiver<bool>) {
    let mut buffer = vec![0; LARGEST_PACKET];
    let mut probes: JoinSet<Probed> = JoinSet::new();
    loop {
        let (packet, n) = tokio::select! {
            received = socket.recv_from(&mut buffer) => {
                let Ok((len, _)) = received else {
                    // The interface is down or gone.
                    tokio::time::sleep(Duration::from_millis(200)).await;
                    continue;
                };
                (buffer[..len].to_vec(), 0)
            }
            Some(Ok(probed)) = probes.join_next() => {
                if !segment.learn(&spec.interface, &probed) {
                    continue;
                }
                (probed.packet, probed.n)
            }
        };
        if !*answers.borrow() {
            continue;
        }
        let own = address(&spec.interface).ok().flatten();
        let answer = answer(&spec, &mut segment.pool.lock(), own, &packet, clock());
        match answer {
            // A packet that does not fit into a queue is lost like any other; the client asks again.
            Some(Answer::Send(bytes, to)) => drop(socket.try_send_to(&bytes, to)),
            Some(Answer::Probe { ip, client }) if n < MOST_PROBES && probes.len() < MOST_PROBED => {
                let interface = spec.interface.clone();
                probes.spawn(async move {
                    let user = arp::user(&interface, ip, &client).await;
                    Probed { packet, n: n + 1, ip, user }
                });
            }
            Some(Answer::Probe { .. }) | None => {}
        }
    }
}

impl Segment {
    /// Reports the result of a probe. `false`: its client does not wait for it any more.
    fn learn(&self, interface: &str, probed: &Probed) -> bool {
        let ip = probed.ip;
        let user = match &probed.user {
            Ok(user) => *user,
            Err(why) => {
                if !self.is_told.swap(true, Ordering::Relaxed) {
                    crate::output::tell(&format!(
                        "mclive: warning: DHCP on {interface}: addresses are offered without checking whether they are \
                         in use, since ARP probes (`CAP_NET_RAW`) are not possible: {why}"
                    ));
                }
                None
            }
        };
        let is_waited_for = self.pool.lock().probed(ip, user.is_some(), clock());
        if let Some(user) = user.filter(|_| is_waited_for) {
            let [a, b, c, d, e, f] = user;
            crate::output::tell(&format!(
                "mclive: warning: DHCP on {interface}: {ip} is not offered for the next 10 minutes, since it is in use \
                 by {a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{f:02x}"
            ));
        }
        is_waited_for
    }
}

/// A clock for all servers, since leases outlive them. Units: seconds.
fn clock() -> u64 {
    u64::try_from(rustix::time::clock_gettime(rustix::time::ClockId::Boottime).tv_sec).unwrap_or(0)
}
