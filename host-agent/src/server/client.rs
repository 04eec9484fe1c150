//! [`Client`]: the account of a request, and [`Range`]: the proxies that are trusted to report the client.

use crate::network::http::{HeaderMap, Peer, Request, header, network_of};
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::str::FromStr;

/// An address without the part that a person may choose: of IPv6 only the network.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Client(pub(super) IpAddr);

impl Client {
    pub(crate) fn of(address: IpAddr) -> Client {
        Client(network_of(address))
    }
}

/// For logs, which must not identify a person: a network of 256 addresses, or an IPv6 site.
impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            IpAddr::V4(address) => write!(f, "{}/24", Ipv4Addr::from_bits(address.to_bits() >> 8 << 8)),
            IpAddr::V6(address) => write!(f, "{}/48", Ipv6Addr::from_bits(address.to_bits() >> 80 << 80)),
        }
    }
}

/// Addresses with the same prefix: `10.0.0.0/8`, or a single one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Range {
    network: IpAddr,
    prefix: u8,
}

impl Range {
    pub(super) fn contains(&self, address: IpAddr) -> bool {
        match (self.network, address.to_canonical()) {
            (IpAddr::V4(network), IpAddr::V4(address)) => {
                let differs = network.to_bits() ^ address.to_bits();
                differs.leading_zeros() >= u32::from(self.prefix)
            }
            (IpAddr::V6(network), IpAddr::V6(address)) => {
                let differs = network.to_bits() ^ address.to_bits();
                differs.leading_zeros() >= u32::from(self.prefix)
            }
            (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => false,
        }
    }
}

impl FromStr for Range {
    type Err = String;

    fn from_str(text: &str) -> Result<Range, String> {
        let wrong = || format!("`{text}` is not an IP address or a network such as 10.0.0.0/8");
        let (network, prefix) = text.split_once('/').map_or((text, None), |(network, prefix)| (network, Some(prefix)));
        let network: IpAddr = network.parse().map_err(|_| wrong())?;
        let widest = if network.is_ipv4() { 32 } else { 128 };
        let prefix: u8 = prefix.map_or(Ok(widest), str::parse).map_err(|_| wrong())?;
        if prefix > widest {
            return Err(wrong());
        }
        // Addresses are compared in their canonical form, so `::ffff:10.0.0.0/104` is 10.0.0.0/8.
        match (network.to_canonical(), prefix.checked_sub(96)) {
            (canonical @ IpAddr::V4(_), Some(of_four)) if network.is_ipv6() => {
                Ok(Range { network: canonical, prefix: of_four })
            }
            _ => Ok(Range { network, prefix }),
        }
    }
}

/// The client, and the address of the server that it used.
pub(super) struct Asker {
    pub(super) client: Client,
    /// The start of links to this server, as in the request.
    pub(super) origin: String,
}

impl Asker {
    pub(super) fn of<B>(request: &Request<B>, proxies: &[Range]) -> Asker {
        let unknown = IpAddr::V6(Ipv6Addr::UNSPECIFIED);
        let peer = request.extensions().get::<Peer>().map_or(unknown, |peer| peer.address.ip());
        let is_trusted = |address: IpAddr| proxies.iter().any(|range| range.contains(address));
        let headers = request.headers();
        let is_proxied = is_trusted(peer);
        let client = if is_proxied { behind(headers, peer, is_trusted) } else { peer };
        let is_secret = match request.extensions().get::<Peer>() {
            Some(peer) if peer.is_secret => true,
            _ => is_proxied && headers.get("x-forwarded-proto").is_some_and(|scheme| scheme == "https"),
        };
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
        // It may be empty.
        let host = host.filter(|host| !host.is_empty()).unwrap_or("localhost");
        let origin = format!("{}://{host}", if is_secret { "https" } else { "http" });
        Asker { client: Client::of(client), origin }
    }
}

/// The neighbour that names other clients without being trusted: probably the operator's own proxy.
pub(super) fn distrusted<B>(request: &Request<B>, proxies: &[Range]) -> Option<IpAddr> {
    let peer = request.extensions().get::<Peer>()?.address.ip().to_canonical();
    let is_near = match peer {
        IpAddr::V4(address) => address.is_loopback() || address.is_private(),
        IpAddr::V6(address) => address.is_loopback() || address.is_unique_local(),
    };
    let is_trusted = proxies.iter().any(|range| range.contains(peer));
    (is_near && !is_trusted && request.headers().contains_key("x-forwarded-for")).then_some(peer)
}

/// The last address on the path that is not a trusted proxy: earlier ones may be forged.
fn behind(headers: &HeaderMap, peer: IpAddr, is_trusted: impl Fn(IpAddr) -> bool) -> IpAddr {
    let lines = headers.get_all("x-forwarded-for").iter();
    let hops: Vec<&[u8]> = lines.flat_map(|line| line.as_bytes().split(|byte| *byte == b',')).collect();
    let mut nearest = peer;
    for hop in hops.into_iter().rev() {
        // An invalid address ends the path: earlier ones cannot be trusted.
        let Some(address) = hop_address(hop) else { return nearest };
        nearest = address;
        if !is_trusted(address) {
            break;
        }
    }
    nearest
}

/// The address of a hop, which some proxies write with a port.
fn hop_address(hop: &[u8]) -> Option<IpAddr> {
    let hop = std::str::from_utf8(hop).ok()?.trim();
    let with_port = || hop.parse::<SocketAddr>().ok().map(|hop| hop.ip());
    hop.trim_matches(['[', ']']).parse().ok().or_else(with_port)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn ranges_hold_their_addresses() {
        let range = |text: &str| text.parse::<Range>();
        assert!(range("10.0.0.0/8").unwrap().contains(address("10.255.0.1")));
        assert!(!range("10.0.0.0/8").unwrap().contains(address("11.0.0.1")));
        assert!(range("127.0.0.1").unwrap().contains(address("::ffff:127.0.0.1")));
        assert!(range("2001:db8::/32").unwrap().contains(address("2001:db8:9::1")));
        let mapped = range("::ffff:10.0.0.0/104").unwrap();
        assert!(mapped == range("10.0.0.0/8").unwrap() && mapped.contains(address("::ffff:10.9.9.9")));
        assert!(
            range("0.0.0.0/0").unwrap().contains(address("9.9.9.9"))
                && !range("::/0").unwrap().contains(address("9.9.9.9"))
        );
        for wrong in ["", "10.0.0.0/33", "10.0.0.0/", "host", "::/129"] {
            assert!(range(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn only_trusted_proxies_name_their_clients() {
        let proxies: Vec<Range> = ["127.0.0.1", "10.0.0.0/8"].map(|range| range.parse().unwrap()).into();
        let ask_bytes = |peer: &str, forwarded: &[&[u8]]| {
            let mut request = Request::builder();
            for line in forwarded {
                request = request.header("x-forwarded-for", *line);
            }
            let mut request = request.header("host", "h").header("x-forwarded-proto", "https").body(()).unwrap();
            request.extensions_mut().insert(Peer { address: (address(peer), 1).into(), is_secret: false });
            let asker = Asker::of(&request, &proxies);
            (asker.client, asker.origin)
        };
        let ask = |peer: &str, forwarded: &[&str]| {
            ask_bytes(peer, &forwarded.iter().map(|line| line.as_bytes()).collect::<Vec<_>>())
        };
        let client = |text: &str| Client::of(address(text));
        assert_eq!(ask("1.2.3.4", &["5.6.7.8"]), (client("1.2.3.4"), "http://h".into()));
        assert_eq!(ask("127.0.0.1", &["9.9.9.9, 5.6.7.8, 10.1.1.1"]), (client("5.6.7.8"), "https://h".into()));
        assert_eq!(ask("127.0.0.1", &["9.9.9.9", "5.6.7.8"]).0, client("5.6.7.8"));
        assert_eq!(ask("127.0.0.1", &["5.6.7.8, garbage, 10.1.1.1"]).0, client("10.1.1.1"));
        assert_eq!(ask("127.0.0.1", &[]).0, client("127.0.0.1"));
        assert_eq!(ask("127.0.0.1", &["5.6.7.8:4711, [10.1.1.1]:80"]).0, client("127.0.0.1"));
        assert_eq!(ask("127.0.0.1", &["5.6.7.8:4711, 10.1.1.1:80"]).0, client("5.6.7.8"));
        assert_eq!(ask("127.0.0.1", &["[2001:db8::1]:443"]).0, client("2001:db8::1"));
        // What a client forges before its own address hides it from no proxy.
        assert_eq!(ask_bytes("127.0.0.1", &[b"\xff\xfe, 5.6.7.8"]).0, client("5.6.7.8"));
        assert_eq!(ask_bytes("127.0.0.1", &[b"\xe9", b"5.6.7.8"]).0, client("5.6.7.8"));
    }

    #[test]
    fn no_link_begins_with_an_empty_host() {
        let request = Request::builder().header("host", "").body(()).unwrap();
        assert_eq!(Asker::of(&request, &[]).origin, "http://localhost");
    }

    #[test]
    fn logs_do_not_tell_who_it_was() {
        assert_eq!(Client::of(address("203.0.113.77")).to_string(), "203.0.113.0/24");
        assert_eq!(Client::of(address("2001:db8:1:2:3:4:5:6")).to_string(), "2001:db8:1::/48");
        assert_eq!(Client::of(address("2001:db8:1:2:3:4:5:6")), Client::of(address("2001:db8:1:2::9")));
    }
}
