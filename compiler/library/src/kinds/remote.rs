//! `remote`: copies this program to another host over SSH and keeps it running there, or stops it. Resource spec, 6.3
//! and 9.45.

mod tunnel;

use crate::hash::sha256;
use crate::kinds::address::split_host_port;
use crate::kinds::required::{PolicyList, Required};
use crate::kinds::rules::{ensure, known_state};
use crate::kinds::url::decoded;
use crate::kinds::walk::{Walk, cannot_tell};
use crate::kinds::{
    Decision, Field, FieldDefault, HostType, Kind, KindDecl, Seen, Traits, Want, compare, deploy_tar, made, ssh_key,
};
use crate::vocab::password::Secret;
use crate::vocab::remote::{self, Join, Move, Place, Start, Tunnel};
use crate::vocab::{Finding, Watch};
use std::borrow::Cow;

/// The kind `remote`.
pub(crate) struct Remote;

static DECL: KindDecl = KindDecl {
    name: "remote",
    doc: "Copies this program to another host over SSH, and runs or stops it there.",
    fields: &[
        Field::str("remote", "Remote", "`[ssh://][user[:pass]@]host[:port]`; defaults to the resource name.")
            .effective()
            .url(),
        Field::str(
            "hostname",
            "Hostname",
            "`--hostname` for the remote agent. If empty, the host name of the remote \
                                            host is used.",
        ),
        Field::str("state", "State", "`running` or `stopped`.").default(FieldDefault::Str("running")),
        Field::str(
            "ssh_id",
            "SSHID",
            "Path of the private key; if unset, `~/.ssh` is searched. An empty string disables key authentication.",
        )
        .nullable(),
        Field::str("hostkey", "HostKey", "Base64 host key to accept in addition to those in `known_hosts`."),
        Field::bool("interactive", "Interactive", "Allow a password prompt."),
        Field::int(
            "interactive_timeout",
            "InteractiveTimeout",
            HostType::Uint,
            "Seconds to wait at the prompt; 0 means no limit.",
        ),
        Field::int(
            "max_password_tries",
            "MaxPasswordTries",
            HostType::Int,
            "Number of attempts at the prompt; 0 or less means no limit.",
        ),
        Field::bool("allow_cleartext_password", "AllowCleartextPassword", "Allow a password in the URL."),
        Field::bool("caching", "Caching", "Keep the binary and the working directory on the remote host.")
            .default(FieldDefault::Bool(true)),
        Field::bool("transient", "Transient", "Wait until the remote agent exits.").default(FieldDefault::Bool(true)),
        Field::bool(
            "tunnelled",
            "Tunnelled",
            "Connect the remote agent through SSH to the store that this agent shares (`--world`). Without `--world`, the \
             default has no effect, and `true` is an error.",
        )
        .default(FieldDefault::Bool(true)),
        Field::str(
            "tunnel_addr",
            "TunnelAddr",
            "Listen address of the reverse tunnel on the remote host, which must be a loopback address.",
        )
        .default(FieldDefault::Str(tunnel::DEFAULT)),
        Field::bool("install_deps", "InstallDeps", "Install runtime libraries first if the binary does not start."),
        Field::int(
            "converger_timeout",
            "ConvergerTimeout",
            HostType::Int,
            "`--converger-timeout` for a transient remote agent; if unset, inherited if this agent exits on convergence.",
        )
        .nullable(),
    ],
    traits: Traits { interruptable: true, ..Traits::NONE },
    constants: &[],
    policy: &[
        Required::list(PolicyList::Hosts),
        Required::list(PolicyList::Hosts).entry("the etcd members").case("a tunnel"),
        Required::list(PolicyList::Commands).entry("`/usr/bin/ssh`"),
        Required::list(PolicyList::Reads).case("the private key"),
    ],
};

impl Kind for Remote {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        let target = want.effective("remote");
        let target = Target::parse(&target).map_err(|why| format!("`remote` is not an SSH address: {why}"))?;
        let password = target.password.is_some();
        ensure(
            !password || want.bool("allow_cleartext_password"),
            "a password in `remote` needs `allow_cleartext_password => true`",
        )?;
        let state = want.text("state");
        known_state(&state, &["running", "stopped"])?;
        ensure(want.int("converger_timeout") >= 0, "`converger_timeout` must not be negative")?;
        ensure(want.int("interactive_timeout") <= 9_223_372_036, "`interactive_timeout` is too large")?;
        let transient = want.bool("transient");
        ensure(transient || !want.bool("tunnelled"), "`tunnelled` needs `transient => true`")?;
        let timeout = want.set("converger_timeout").is_some();
        ensure(transient || !timeout, "`converger_timeout` needs `transient => true`")?;
        let tunnel = want.text("tunnel_addr");
        if want.bool("tunnelled") && !tunnel.is_empty() {
            split_host_port("tunnel_addr", &tunnel)?;
        }
        let hostkey = want.text("hostkey");
        if !hostkey.is_empty() {
            ssh_key::parse(&hostkey).map_err(|why| format!("`hostkey` is not a public key: {why}"))?;
        }
        // The user's keys are unknown here; the empty text rules them out.
        let keys = want.text_if_set("ssh_id").is_none_or(|id| !id.is_empty());
        ensure(password || keys || want.bool("interactive"), "no way to authenticate: set `ssh_id` or `interactive`")
    }

    /// The target is compared by its parts.
    fn compare(&self, one: &Want, other: &Want) -> Result<(), String> {
        let (one_text, other_text) = (one.effective("remote"), other.effective("remote"));
        ensure(Target::parse(&one_text) == Target::parse(&other_text), "the Remote differs")?;
        compare::fields(one, other)
    }

    fn is_of_program(&self) -> bool {
        true
    }

    fn backend(&self) -> &'static str {
        "`ssh` (package `openssh-client`) with the keys, agent and configuration of the user. Only host keys in \
         `known_hosts` or `hostkey` are accepted. This binary and the files of this program are copied to \
         `/var/lib/mclive/remote` on the remote host, or to `~/.mclive/remote` without `caching`, and run there with a \
         separate state directory. The remote host needs `sh`, `tar`, `setsid` and `sha256sum`, and the same processor \
         architecture. The connection stays open to detect when the remote agent exits. With `tunnelled`, if this \
         agent runs with `--world`, the connection is also a tunnel (`ssh -R`) from `tunnel_addr` to the etcd member \
         that this agent uses, and the remote agent joins the same group in the store. The remote agent is not started \
         without the tunnel. While it runs, a lost tunnel is reopened; when this agent switches to another member of \
         `--world`, so does the tunnel. Credentials are not copied: the remote agent uses those of the remote host. If \
         `/etc/mclive/remote.toml` exists there, it is passed to `--config`; its table `[run]` can set `world-ca`, \
         `world-cert`, `world-key`, `world-user` and `world-password-file`. The certificate of an `https` store must \
         be valid for the host in `tunnel_addr`; without `https`, every user of the remote host can use the store \
         through the tunnel. Password prompts are not supported. A tunnel never leads to a member that the policy does \
         not allow."
    }

    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        walk(want, seen, &mut Walk::new(seen)).unwrap_or_else(|decision| decision)
    }

    /// A remote agent that ends by itself is waited for, and a stopped one is looked at on request.
    fn watches(&self, want: &Want) -> Vec<Watch> {
        match place(want) {
            Ok(place) if want.text("state") == "running" && !want.bool("transient") => {
                vec![remote::Watch { place }.into()]
            }
            Ok(_) | Err(_) => Vec::new(),
        }
    }
}

fn walk(want: &Want, seen: &Seen, walk: &mut Walk) -> Result<Decision, Decision> {
    let place = place(want).map_err(Decision::CannotTell)?;
    let (there, ours, store) = match &walk.look(vec![remote::Probe { place: place.clone() }.into()])?[0] {
        Finding::Remote(remote::Finding::State { there, ours }) => (there, ours, None),
        Finding::Remote(remote::Finding::Sharing { there, ours, store }) => (there, ours, Some(store)),
        other => return Err(cannot_tell(other)),
    };
    let host = place.target.host.clone();
    let step = |change| vec![remote::Step { place: place.clone(), change }.into()];
    let stop = there.pid.map(|pid| step(Move::Stop { pid }));
    if want.text("state") == "stopped" {
        let Some(stop) = stop else { return Ok(Decision::InState(Vec::new())) };
        return walk.mend(stop);
    }
    if there.program.machine != ours.machine {
        let why =
            format!("{host} is a {} machine, but this agent was built for {}", there.program.machine, ours.machine);
        return Err(Decision::CannotTell(why));
    }
    let tunnel = tunnel::to_store(want, seen, store).map_err(Decision::CannotTell)?;
    let start = start(want, seen, tunnel.as_ref()).map_err(Decision::CannotTell)?;
    let transient = want.bool("transient");
    let is_right = there.pid.is_some() && there.program.binary == ours.binary && there.digest == start.digest;
    if is_right && !transient {
        return Ok(Decision::InState(Vec::new()));
    }
    let mut steps = Vec::new();
    if !is_right {
        steps.extend(stop.into_iter().flatten());
        // A directory that is not kept is removed with the stopped agent.
        if there.program.binary != ours.binary || !place.is_kept && there.pid.is_some() {
            steps.extend(step(Move::Copy { installs: want.bool("install_deps") }));
        }
    }
    let start = (!is_right).then_some(start);
    match tunnel {
        Some(tunnel) => steps.extend(step(Move::Join(Box::new(Join { start, tunnel })))),
        None => {
            steps.extend(start.into_iter().flat_map(|start| step(Move::Start(start))));
            if transient {
                steps.extend(step(Move::Await));
            }
        }
    }
    walk.mend(steps)
}

fn place(want: &Want) -> Result<Place, String> {
    let text = want.effective("remote");
    let Target { user, password, host, port } = Target::parse(&text)?;
    let (user, password) = (decoded(user), password.map(decoded));
    // OpenSSH accepts no brackets, and a leading dash would be a flag.
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    ensure(!host.starts_with('-') && !user.starts_with('-'), "a host or user name must not begin with a dash")?;
    // An `ssh` configuration may pass both to a command, which a shell reads.
    let is_plain = |text: &str, also: &str| text.chars().all(|c| c.is_alphanumeric() || also.contains(c));
    ensure(
        is_plain(host, "-._:%") && is_plain(&user, "-._@+\\"),
        "a host or user name must not contain characters that are special in a shell",
    )?;
    let url = if host.contains(':') { format!("ssh://[{host}]:{port}") } else { format!("ssh://{host}:{port}") };
    let host_key = want.text("hostkey");
    let host_key = match host_key.is_empty() {
        true => String::new(),
        false => format!("{} {host_key}", ssh_key::parse(&host_key)?),
    };
    let target = remote::Target {
        url,
        user,
        host: host.to_owned(),
        port,
        password: Secret(password.unwrap_or_default()),
        key: want.text_if_set("ssh_id").map(Cow::into_owned),
        host_key,
    };
    let mut id = made::hex(&sha256(format!("remote:{}", want.name).as_bytes()));
    id.truncate(10);
    Ok(Place { target, id, is_kept: want.bool("caching") })
}

/// The files of this program, and how to run them.
fn start(want: &Want, seen: &Seen, tunnel: Option<&Tunnel>) -> Result<Start, String> {
    let at_top = |path: &&str| path.ends_with(".mcl") && path.rfind('/') == Some(0);
    let mut tops = seen.program.files().map(|(path, _)| path).filter(at_top);
    let entry = match (tops.next(), tops.next()) {
        (Some(only), None) => only,
        _ => "/main.mcl",
    };
    let transient = want.bool("transient");
    let own = want.set("converger_timeout").map(|_| want.int("converger_timeout") as u64);
    let ends_after_s = own.or(seen.ends_after_s).filter(|_| transient);
    let files = deploy_tar::packed(seen.program)?;
    let hostname = want.text("hostname").into_owned();
    let mut digest = format!("{hostname}|{ends_after_s:?}|{entry}|{}", made::hex(&sha256(&files)));
    if let Some(tunnel) = tunnel {
        digest += &format!("|{}|{}", tunnel.url(), tunnel.store.group);
    }
    let digest = made::hex(&sha256(digest.as_bytes()));
    Ok(Start { files, entry: entry.to_owned(), hostname, ends_after_s, stays: !transient, digest })
}

/// `[ssh://][user[:password]@]host[:port]`, with defaults for missing parts.
#[derive(PartialEq, Eq)]
struct Target<'a> {
    user: &'a str,
    password: Option<&'a str>,
    host: &'a str,
    port: u16,
}

impl<'a> Target<'a> {
    fn parse(text: &'a str) -> Result<Target<'a>, String> {
        let rest = text.strip_prefix("ssh://").unwrap_or(text);
        ensure(!rest.contains("://"), "the scheme must be `ssh`")?;
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        ensure(!rest.contains(['/', '?', '#', ' ']), "unexpected text after the host")?;
        let (user, rest) = rest.rsplit_once('@').unwrap_or(("root", rest));
        let (user, password) = match user.split_once(':') {
            Some((user, password)) => (user, Some(password)),
            None => (user, None),
        };
        let has_port = rest.rfind(':') > rest.rfind(']');
        let (host, port) = if has_port { rest.rsplit_once(':').unwrap_or((rest, "22")) } else { (rest, "22") };
        ensure(!host.is_empty(), "the host is empty")?;
        let port = port.parse().map_err(|_| format!("the port must be a number from 0 to 65535, not `{port}`"))?;
        Ok(Target { user, password, host, port })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::check::Draft;
    use crate::value::Value;

    #[test]
    fn an_agent_that_is_waited_for_ends_as_this_one_does() {
        let seen = Seen { ends_after_s: Some(5), ..Seen::first() };
        let ends_after_s = |draft: Draft| start(&draft.want(), &seen, None).unwrap().ends_after_s;
        let remote = || Draft::new("remote", "h");
        assert_eq!(ends_after_s(remote()), Some(5));
        assert_eq!(ends_after_s(remote().set("converger_timeout", Value::Int(1))), Some(1));
        assert_eq!(ends_after_s(remote().set("transient", false.into()).set("tunnelled", false.into())), None);
    }

    #[test]
    fn an_agent_with_another_way_to_the_store_is_another_one() {
        let digest = |tunnel: Option<(&str, &str)>| {
            let tunnel = tunnel.map(|(url, group)| Tunnel {
                listen: tunnel::DEFAULT.into(),
                store: remote::Store { url: url.into(), group: group.into() },
            });
            start(&Draft::new("remote", "h").want(), &Seen::first(), tunnel.as_ref()).unwrap().digest
        };
        let main = digest(Some(("http://etcd1:2379", "main")));
        assert_ne!(main, digest(None));
        assert_ne!(main, digest(Some(("http://etcd1:2379", "other"))));
        assert_ne!(main, digest(Some(("https://etcd1:2379", "main"))));
        // It need not know which member is used.
        assert_eq!(main, digest(Some(("http://etcd2:2379", "main"))));
    }

    #[test]
    fn a_password_may_have_any_letters() {
        let target = place(&Draft::new("remote", "ssh://bob:p%40w%2f@h").want()).unwrap().target;
        assert_eq!((target.user.as_str(), target.password.0.as_str(), target.host.as_str()), ("bob", "p@w/", "h"));
    }

    #[test]
    fn no_host_and_no_user_is_a_flag_or_a_word_of_a_shell() {
        let of = |name: &str| place(&Draft::new("remote", name).want());
        for good in ["root@host.example:2222", r"DOMAIN\bob@h", "[fe80::1%eth0]:22", "ssh://a_b@h-1", "é.example"] {
            assert!(of(good).is_ok(), "{good}");
        }
        for bad in ["-oProxyCommand=x", "root@-x", "-l@h", "$(x)@h", "h;x", "`x`", "a&b@h", "h\nx", "a|b", "'h'"] {
            assert!(of(bad).is_err(), "{bad}");
        }
    }
}
