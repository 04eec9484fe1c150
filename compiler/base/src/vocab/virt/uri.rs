//! URIs of libvirt, as its library reads them: `driver+transport://user@host:port/path?name=value`.
//!
//! Some of them do more than locate libvirt: they name a program that connects to it, or a file that is read or written
//! in the process. Everything that is not known to be harmless is refused, for any program.

use std::net::IpAddr;

/// The ways to libvirt that run no program of the URI's choice, which `ext` does.
const TRANSPORTS: [&str; 7] = ["", "libssh", "libssh2", "ssh", "tcp", "tls", "unix"];
/// Parameters that name no program, no file that is written and no further host. `netcat` is a program of the other host.
const PARAMETERS: [&str; 13] = [
    "auto_answer",
    "keyfile",
    "known_hosts_verify",
    "mode",
    "name",
    "netcat",
    "no_sanity",
    "no_tty",
    "no_verify",
    "pkipath",
    "sshauth",
    "tls_priority",
    "transport",
];

/// The parameters among them that name files to read: a key, and a folder of keys and certificates.
const FILES: [&str; 2] = ["keyfile", "pkipath"];

/// The parts of a URI. A text without a colon is a name that the administrator has given to one.
struct Parts<'a> {
    driver: &'a str,
    transport: &'a str,
    /// With the user and the port; empty without one.
    authority: &'a str,
    path: &'a str,
    query: &'a str,
}

fn parts(uri: &str) -> Option<Parts<'_>> {
    let (scheme, rest) = uri.split_once(':')?;
    let (driver, transport) = scheme.split_once('+').unwrap_or((scheme, ""));
    let rest = rest.split('#').next().unwrap_or_default();
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, path) = match rest.strip_prefix("//") {
        Some(rest) => rest.split_at(rest.find('/').unwrap_or(rest.len())),
        None => ("", rest),
    };
    Some(Parts { driver, transport, authority, path, query })
}

/// The parameters with their values.
fn pairs(query: &str) -> impl Iterator<Item = (&str, &str)> {
    let pairs = query.split(['&', ';']).filter(|pair| !pair.is_empty());
    pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")))
}

fn is_file(name: &str) -> bool {
    FILES.iter().any(|file| name.eq_ignore_ascii_case(file))
}

/// The files that it names.
pub(super) fn files(uri: &str) -> impl Iterator<Item = &str> {
    let query = parts(uri).map_or("", |parts| parts.query);
    pairs(query).filter(|(name, file)| is_file(name) && !file.is_empty()).map(|(_, file)| file)
}

/// Whether it names a host.
pub(super) fn has_host(uri: &str) -> bool {
    parts(uri).is_some_and(|parts| !parts.authority.is_empty())
}

pub(super) fn is_remote(uri: &str) -> bool {
    parts(uri).is_some_and(|parts| {
        let is_local = parts.transport.eq_ignore_ascii_case("unix") || is_this_host(parts.authority);
        !parts.authority.is_empty() && !is_local
    })
}

/// The names and addresses by which every host reaches itself.
fn is_this_host(authority: &str) -> bool {
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    match host.parse::<IpAddr>() {
        Ok(address) => address.to_canonical().is_loopback() || address.is_unspecified(),
        // Resolvers take `127.1`, `0x7f000001` and their like for addresses.
        Err(_) => {
            let last = host.rsplit('.').next().unwrap_or_default();
            last == "localhost" || last.starts_with(|c: char| c.is_ascii_digit())
        }
    }
}

/// Errors: what is wrong with it.
pub(super) fn checked(uri: &str) -> Result<(), String> {
    if uri.contains(|c: char| c.is_control() || c.is_whitespace()) {
        return Err("it contains spaces or control characters".into());
    }
    let Some(Parts { driver, transport, authority, path, query }) = parts(uri) else { return Ok(()) };
    if !TRANSPORTS.contains(&&*transport.to_ascii_lowercase()) {
        let known = TRANSPORTS[1..].join(", ");
        return Err(format!("its transport is `{transport}`; expected one of {known}"));
    }
    // The library decodes a host before it hands it to `ssh`, which may run a shell with it.
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._:@[]".contains(c);
    if !authority.chars().all(is_plain) || authority.split('@').any(|part| part.starts_with('-')) {
        return Err("its host contains characters other than letters, digits and `-._:@[]`".into());
    }
    for (name, value) in pairs(query) {
        // The library decodes it, and reads what a relative path means to it.
        if is_file(name) && (!value.starts_with('/') || value.contains('%')) {
            return Err(format!("the file of `{name}` is not an absolute path, or contains a percent sign"));
        }
        if !PARAMETERS.contains(&&*name.to_ascii_lowercase()) {
            return Err(format!("it has the parameter `{name}`, which may name a program, a file or another host"));
        }
    }
    // The test driver reads a file there.
    if driver.eq_ignore_ascii_case("test") && !["", "/", "/default"].contains(&path) {
        return Err("the test driver only supports the path `/default`".into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_of_connections() {
        for uri in ["qemu+ssh://root@far/system", "esx://far", "qemu+tls://10.0.0.1/system", "qemu://far:16514/system"]
        {
            assert!(is_remote(uri) && has_host(uri), "{uri}");
        }
        for uri in ["", "qemu:///system", "test:///default?x=1", "qemu:/system", "far"] {
            assert!(!is_remote(uri) && !has_host(uri), "{uri}");
        }
        // Whatever they say, they lead to this host.
        for uri in [
            "qemu+unix://far/system",
            "qemu+UNIX://far/system",
            "qemu+tcp://localhost/system",
            "qemu+ssh://root@LocalHost.:22/system",
            "qemu+tcp://a.localhost/system",
            "qemu+tcp://127.1/system",
            "qemu+tcp://0x7f000001/system",
            "qemu+tcp://[::1]:16509/system",
            "qemu+tcp://[::ffff:127.0.0.1]/system",
            "qemu+tcp://0.0.0.0/system",
        ] {
            assert!(!is_remote(uri) && has_host(uri), "{uri}");
        }
    }

    #[test]
    fn no_uri_runs_a_program_or_names_a_file() {
        for uri in [
            "",
            "mine",
            "qemu:///system",
            "qemu:///session",
            "test:///default",
            "test+unix:///default",
            "lxc:///system",
            "qemu+ssh://root@far:2222/system?keyfile=/root/.ssh/id&no_verify=1",
            "esx://user@far/?no_verify=1",
            "qemu+tls://[fd00::1]/system",
        ] {
            assert_eq!(checked(uri), Ok(()), "{uri}");
        }
        for (uri, why) in [
            ("qemu+ext:///system?command=/srv/x", "transport"),
            ("qemu+EXT:/system?command=/srv/x", "transport"),
            ("qemu+ssh://far/system?command=/srv/x", "`command`"),
            ("qemu+ssh://far/system?no_tty=1;COMMAND=/srv/x", "`COMMAND`"),
            ("qemu+ssh://far/system?c%6fmmand=/srv/x", "`c%6fmmand`"),
            ("qemu+libssh2://far/system?known_hosts=/etc/cron.d/x", "`known_hosts`"),
            ("qemu:///embed?root=/srv/x", "`root`"),
            ("qemu:///system?socket=/srv/x", "`socket`"),
            ("esx://far/?proxy=http://other", "`proxy`"),
            ("qemu+ssh://$(x)/system", "host"),
            ("qemu+ssh://a%40b/system", "host"),
            ("qemu+ssh://-oProxyCommand=x/system", "host"),
            ("qemu+ssh://root@-oX/system", "host"),
            ("test:///etc/shadow", "test driver"),
            ("TEST+unix:///etc/shadow", "test driver"),
            ("test:/etc/shadow", "test driver"),
            ("qemu:///system\n", "spaces"),
            ("qemu+ssh://far/system?keyfile=id", "`keyfile`"),
            ("qemu+tls://far/system?no_verify=1;PKIPATH=%2froot", "`PKIPATH`"),
        ] {
            assert!(checked(uri).unwrap_err().contains(why), "{uri}");
        }
    }
}
