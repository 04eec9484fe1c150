//! `mclive world grants`: commands that set up users and rights in etcd. World specification, 18.
//!
//! A right of etcd is a range of keys, so it separates operators from hosts, but hosts only in part: exports begin with
//! their receiver, and values and votes with their subject.

use crate::host::{AGENTS, EXPORTS, POOLS, STATEMENTS, VALUES};
use crate::show::shell_word;
use std::fmt::Write;

/// What every host may change.
const SHARED: [&str; 3] = [VALUES, EXPORTS, POOLS];
/// What a viewer may read: neither values nor exports, which may contain secrets.
const SHOWN: [&str; 3] = [AGENTS, "deploy/", POOLS];

/// The commands for the users of a cluster. Errors: a name that cannot be a host's.
pub(super) fn commands(cluster: &str, hosts: &[String]) -> Result<String, String> {
    let prefix = format!("/mclive/{cluster}/");
    let mut out = format!(
        "# Users of etcd for the hosts, operators and viewers of the cluster `{cluster}`. Run these commands with a shell, with\n\
         # ETCDCTL_ENDPOINTS set; certificates are set with ETCDCTL_CACERT, ETCDCTL_CERT and ETCDCTL_KEY. If authentication is\n\
         # already enabled, set ETCDCTL_USER=root:PASSWORD. Users that exist keep their passwords; etcdctl reports an error for\n\
         # each role that exists. A new password is written to a file in this directory: copy it to where it is used.\n\
         export ETCDCTL_API=3\numask 077\n\
         # Nothing is changed if etcd cannot be reached.\netcdctl user list > /dev/null || exit 1\n\n"
    );
    let _ = writeln!(out, "# The administrator of etcd.");
    user(&mut out, "root", "root.password", "root");
    out += "\n# An operator: creates deploys, changes everything.\n";
    let operator = format!("mclive/{cluster}/operator");
    role(&mut out, &operator, [("readwrite", prefix.clone())]);
    user(&mut out, &operator, "operator.password", &operator);
    out += "\n# A viewer: lists hosts, deploys and schedules.\n";
    let viewer = format!("mclive/{cluster}/viewer");
    role(&mut out, &viewer, SHOWN.map(|below| ("read", format!("{prefix}{below}"))));
    user(&mut out, &viewer, "viewer.password", &viewer);
    if hosts.is_empty() {
        out += "\n# No hosts were named: use --hosts web1,web2\n";
    }
    for host in hosts {
        // To etcdctl, a colon begins a password.
        if host.is_empty() || host.contains(|c: char| "/:".contains(c) || c.is_control() || c.is_whitespace()) {
            return Err(format!("invalid --hosts: `{}` is not a valid host name", host.escape_debug()));
        }
        let name = format!("mclive/{cluster}/host/{host}");
        let _ = writeln!(out, "\n# The host {host}: reads everything, and cannot create deploys.");
        let own = [AGENTS, STATEMENTS].map(|below| format!("{prefix}{below}{host}/"));
        let written = SHARED.iter().map(|below| format!("{prefix}{below}")).chain(own);
        role(&mut out, &name, [("read", prefix.clone())].into_iter().chain(written.map(|below| ("readwrite", below))));
        user(&mut out, &name, &format!("host-{host}.password"), &name);
    }
    out += "\n# From here on etcd refuses requests without a user. An agent without --world-user keeps its last values.\n\
            etcdctl auth enable\n";
    Ok(out)
}

/// A role with rights to the keys below prefixes.
fn role<'a>(out: &mut String, name: &str, rights: impl IntoIterator<Item = (&'a str, String)>) {
    let name = shell_word(name);
    let _ = writeln!(out, "etcdctl role add {name}");
    for (right, below) in rights {
        let _ = writeln!(out, "etcdctl role grant-permission --prefix=true {name} {right} {}", shell_word(&below));
    }
}

/// A user with a new password in a file, and with a role.
fn user(out: &mut String, name: &str, file: &str, role: &str) {
    let (name, file, role) = (shell_word(name), shell_word(file), shell_word(role));
    // Who exists keeps the password of an earlier run, and so does a file: it may be the only copy.
    let _ = writeln!(out, "etcdctl user get {name} > /dev/null 2>&1 || {{");
    let _ = writeln!(out, "\tset -C; (od -An -tx1 -N24 /dev/urandom | tr -d ' \\n'; echo) > {file} || exit 1; set +C");
    let _ = writeln!(out, "\tetcdctl user add --interactive=false {name} < {file} || {{ rm {file}; exit 1; }}\n}}");
    let _ = writeln!(out, "etcdctl user grant-role {name} {role}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_may_change_its_own_keys_and_those_that_hosts_share() {
        let out = commands("main", &["web1".into()]).unwrap();
        let of_host: Vec<&str> = out
            .lines()
            .filter_map(|line| line.strip_prefix("etcdctl role grant-permission --prefix=true mclive/main/host/web1 "))
            .collect();
        let expect = [
            "read /mclive/main/",
            "readwrite /mclive/main/strings/",
            "readwrite /mclive/main/exported/",
            "readwrite /mclive/main/pool/",
            "readwrite /mclive/main/agent/web1/",
            "readwrite /mclive/main/host/web1/",
        ];
        assert_eq!(of_host, expect);
        assert!(out.contains("\tetcdctl user add --interactive=false mclive/main/host/web1 < host-web1.password ||"));
        assert!(out.ends_with("\netcdctl auth enable\n"));
    }

    #[test]
    fn a_name_that_no_host_can_have_is_refused() {
        for wrong in ["", "a/b", "a:b", "a b", "a\nb"] {
            assert!(commands("main", &[wrong.into()]).is_err(), "{wrong:?}");
        }
    }
}
