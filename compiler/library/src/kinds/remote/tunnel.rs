//! The tunnel of a remote agent to the store that this agent shares.

use crate::kinds::address::split_host_port;
use crate::kinds::rules::ensure;
use crate::kinds::{Seen, Want};
use crate::vocab::remote::{Store, Tunnel};
use std::net::IpAddr;

/// The default of `tunnel_addr`.
pub(super) const DEFAULT: &str = "127.0.0.1:2379";

/// The way of the remote agent to the store that this host shares. `None`: it has its own store.
pub(super) fn to_store(want: &Want, seen: &Seen, store: Option<&Store>) -> Result<Option<Tunnel>, String> {
    if !want.bool("tunnelled") {
        return Ok(None);
    }
    let Some(store) = store else {
        // By default there is a tunnel where it leads somewhere.
        ensure(
            want.set("tunnelled").is_none(),
            "`tunnelled` connects the remote agent to the store that this agent shares, but this agent runs without \
             `--world URL`: use that option, or set `tunnelled => false`",
        )?;
        return Ok(None);
    };
    let hostname = want.text("hostname");
    ensure(
        hostname.is_empty() || *hostname != *seen.hostname,
        "`hostname` is the name of this host in the shared store: choose another one for the remote agent",
    )?;
    Ok(Some(Tunnel { listen: loopback(&want.text("tunnel_addr"))?, store: store.clone() }))
}

/// The listen address of a tunnel. No network of the other host leads to the store.
fn loopback(address: &str) -> Result<String, String> {
    let (host, port) = split_host_port("tunnel_addr", if address.is_empty() { DEFAULT } else { address })?;
    let is_loopback = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    ensure(
        is_loopback,
        format!("the host of `tunnel_addr` must be a loopback address, such as `127.0.0.1`, not `{host}`"),
    )?;
    let number = port.parse::<u16>().ok().filter(|number| *number > 0);
    let number =
        number.ok_or_else(|| format!("the port of `tunnel_addr` must be a number from 1 to 65535, not `{port}`"))?;
    Ok(if host.contains(':') { format!("[{host}]:{number}") } else { format!("{host}:{number}") })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::check::Draft;

    #[test]
    fn a_tunnel_leads_from_the_loopback_there_to_the_store_that_this_host_shares() {
        let store = Store { url: "http://etcd1:2379".into(), group: "main".into() };
        let seen = Seen { hostname: "here", ..Seen::first() };
        let listen = |draft: Draft, store: Option<&Store>| {
            to_store(&draft.want(), &seen, store).map(|tunnel| tunnel.map(|tunnel| tunnel.listen))
        };
        let remote = || Draft::new("remote", "h");
        let at = |address: &str| listen(remote().text("tunnel_addr", address), Some(&store));
        assert_eq!(listen(remote(), Some(&store)), Ok(Some(DEFAULT.to_owned())));
        for (address, expect) in
            [("", DEFAULT), ("localhost:1", "localhost:1"), ("[::1]:23", "[::1]:23"), ("127.9.9.9:9", "127.9.9.9:9")]
        {
            assert_eq!(at(address), Ok(Some(expect.to_owned())), "{address}");
        }
        for address in ["0.0.0.0:2379", "[::]:2379", ":2379", "10.0.0.1:2379", "127.1:2379", "*:2379"] {
            assert!(at(address).unwrap_err().contains("must be a loopback address"), "{address}");
        }
        for address in ["127.0.0.1:0", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:99999"] {
            assert!(at(address).unwrap_err().contains("must be a number from 1 to 65535"), "{address}");
        }
        // Without a shared store, only the default does without it.
        assert_eq!(listen(remote(), None), Ok(None));
        assert!(listen(remote().set("tunnelled", true.into()), None).unwrap_err().contains("`--world URL`"));
        assert_eq!(listen(remote().set("tunnelled", false.into()), Some(&store)), Ok(None));
        let twin = listen(remote().text("hostname", "here"), Some(&store));
        assert!(twin.unwrap_err().contains("choose another one"));
    }
}
