//! The validated options for the connection to a shared store: URLs, the name of the cluster, certificates and a user.

use super::super::{is_file_name, unusable};
use crate::cli::Access;
use crate::host::{Cluster, Credentials, User};
use crate::output::tell;
use crate::program::Failure;
use mclive_base::unicode::visible;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

/// The longest name of a cluster.
const LONGEST: usize = 253;

/// The cluster, and a warning for each file that is not protected.
pub(in super::super) fn cluster(urls: &[String], name: &str, access: &Access) -> Result<Cluster, Failure> {
    let urls = urls.iter().map(|text| endpoint(text)).collect::<Result<Vec<_>, _>>().map_err(unusable)?;
    protected(&urls, access).map_err(unusable)?;
    let name = named(name)?.to_owned();
    let (credentials, warnings) = credentials(access).map_err(unusable)?;
    for warning in warnings {
        tell(&format!("mclive: warning: {}", visible(&warning)));
    }
    Ok(Cluster { urls, name, credentials: Arc::new(credentials) })
}

/// The name of a cluster.
pub(super) fn named(name: &str) -> Result<&str, Failure> {
    let letters = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    if !letters || !(1..=LONGEST).contains(&name.len()) {
        return Err(unusable(format!("invalid --world-name `{name}`: use letters, digits, `.`, `_` and `-`")));
    }
    Ok(name)
}

/// A URL of a member of the store, without a slash at its end.
fn endpoint(text: &str) -> Result<String, String> {
    let url = text.trim().trim_end_matches('/');
    let authority = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
    match authority {
        Some(authority) if !authority.is_empty() && !authority.contains(['/', '?', '#', '@']) => Ok(url.to_owned()),
        _ => Err(format!(
            "invalid --world URL `{text}`: expected the address of an etcd member, such as https://10.0.0.1:2379"
        )),
    }
}

/// Anyone who can change the store, or what comes from it, decides what the hosts apply. So what leaves this machine is
/// encrypted, unless the user declares the network protected; a password is never sent in clear text.
fn protected(urls: &[String], access: &Access) -> Result<(), String> {
    let has_certificates = access.world_ca.is_some() || access.world_cert.is_some() || access.world_key.is_some();
    if has_certificates && !urls.iter().any(|url| url.starts_with("https://")) {
        return Err("--world-ca, --world-cert and --world-key require an https URL in --world".into());
    }
    let Some(open) = urls.iter().find(|url| url.strip_prefix("http://").is_some_and(|place| !is_here(place))) else {
        return Ok(());
    };
    if access.world_user.is_some() {
        return Err(format!("{open} would receive the password of --world-user unencrypted: use https"));
    }
    if !access.world_plain {
        return Err(format!(
            "{open} is not encrypted: anyone on the network could change what the hosts apply. Use https, or \
             --world-plain if the network itself is protected"
        ));
    }
    Ok(())
}

/// Whether an address, with or without a port, is on this machine.
fn is_here(place: &str) -> bool {
    let (host, port) = place.rsplit_once(':').unwrap_or((place, ""));
    let host = if port.ends_with(']') { place } else { host };
    if let Some(inner) = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        return inner.parse::<Ipv6Addr>().is_ok_and(|address| IpAddr::V6(address).is_loopback());
    }
    host.eq_ignore_ascii_case("localhost") || host.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback())
}

/// Reads certificates and password once, so that a mistake is found at the start.
fn credentials(access: &Access) -> Result<(Credentials, Vec<String>), String> {
    let files = [
        ("--world-ca", &access.world_ca),
        ("--world-cert", &access.world_cert),
        ("--world-key", &access.world_key),
        ("--world-password-file", &access.world_password_file),
    ];
    for (option, path) in files {
        path.as_deref().map_or(Ok(()), |path| is_file_name(option, path))?;
    }
    let pair = match (&access.world_cert, &access.world_key) {
        (Some(certificate), Some(key)) => Some((certificate.clone(), key.clone())),
        (None, None) => None,
        (Some(_), None) => return Err("--world-cert requires --world-key".into()),
        (None, Some(_)) => return Err("--world-key requires --world-cert".into()),
    };
    let user = match (&access.world_user, &access.world_password_file) {
        (Some(name), Some(_)) if name.is_empty() => return Err("--world-user cannot be empty".into()),
        (Some(name), Some(password)) => Some(User { name: name.clone(), password: password.clone() }),
        (None, None) => None,
        (Some(_), None) => return Err("--world-user requires --world-password-file".into()),
        (None, Some(_)) => return Err("--world-password-file requires --world-user".into()),
    };
    Credentials::new(access.world_ca.clone(), pair, user)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn access() -> Access {
        let (world_ca, world_cert, world_key, world_user, world_password_file) = Default::default();
        Access { world_ca, world_cert, world_key, world_user, world_password_file, world_plain: false }
    }

    #[test]
    fn an_endpoint_is_a_scheme_and_an_address() {
        assert_eq!(endpoint(" http://10.0.0.1:2379/ ").as_deref(), Ok("http://10.0.0.1:2379"));
        for wrong in ["10.0.0.1:2379", "ftp://h:1", "http://", "http://u:p@h:1", "http://h:1/path"] {
            assert!(endpoint(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_leaves_this_machine_is_encrypted() {
        let refused = |url: &str, access: &Access| protected(&[url.to_owned()], access).err().unwrap_or_default();
        let (plain, user) =
            (Access { world_plain: true, ..access() }, Access { world_user: Some("web1".into()), ..access() });
        let here =
            ["http://127.0.0.1:2379", "http://127.9.9.9", "http://localhost:1", "http://[::1]:2379", "http://[::1]"];
        for url in here.into_iter().chain(["https://10.0.0.1:2379"]) {
            for access in [&access(), &plain, &user] {
                assert_eq!(refused(url, access), "", "{url}");
            }
        }
        for url in
            ["http://10.0.0.1:2379", "http://etcd1", "http://127.0.0.1.example:1", "http://[fe80::1]:1", "http://[::]"]
        {
            assert!(refused(url, &access()).contains("is not encrypted"), "{url}");
            assert_eq!(refused(url, &plain), "", "{url}");
            let both = Access { world_plain: true, ..user.clone() };
            assert!(refused(url, &both).ends_with("unencrypted: use https"), "{url}");
        }
        let certificates = Access { world_ca: Some(PathBuf::from("ca.pem")), ..access() };
        assert!(refused("http://127.0.0.1:1", &certificates).contains("require an https URL"));
    }

    #[test]
    fn halves_of_credentials_are_refused() {
        let some = || Some(PathBuf::from("file"));
        let why = |access: Access| credentials(&access).map(drop).unwrap_err();
        assert_eq!(why(Access { world_cert: some(), ..access() }), "--world-cert requires --world-key");
        assert_eq!(why(Access { world_key: some(), ..access() }), "--world-key requires --world-cert");
        assert_eq!(
            why(Access { world_user: Some("a".into()), ..access() }),
            "--world-user requires --world-password-file"
        );
        assert_eq!(
            why(Access { world_password_file: some(), ..access() }),
            "--world-password-file requires --world-user"
        );
        assert!(credentials(&access()).is_ok());
    }
}
