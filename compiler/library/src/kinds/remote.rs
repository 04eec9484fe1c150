//! `remote`: Copies this program to another host over SSH and keeps it running there, or stops it.
//! Resource spec, 9.

use crate::kinds::address::split_host_port;
use crate::kinds::rules::ensure;
use crate::kinds::rules::known_state;
use crate::kinds::{Field, FieldDefault, HostType, Kind, KindDecl, Traits, Want, compare, ssh_key};

/// The kind `remote`.
pub(crate) struct Remote;

static DECL: KindDecl = KindDecl {
    name: "remote",
    doc: "Copies this program to another host over SSH and keeps it running there, or stops it.",
    fields: &[
        Field::str("remote", "Remote", "[ssh://][user[:pass]@]host[:port]; empty means the resource name.")
            .effective()
            .url(),
        Field::str("hostname", "Hostname", "--hostname for the child; empty asks the remote host."),
        Field::str("state", "State", "running or stopped.").default(FieldDefault::Str("running")),
        Field::str("ssh_id", "SSHID", "Private key path; null scans ~/.ssh, empty string disables key authentication.")
            .nullable(),
        Field::str("hostkey", "HostKey", "Base64 host key accepted in addition to known_hosts."),
        Field::bool("interactive", "Interactive", "Allow a password prompt."),
        Field::int(
            "interactive_timeout",
            "InteractiveTimeout",
            HostType::Uint,
            "Seconds to wait at the prompt; 0 waits for ever.",
        ),
        Field::int(
            "max_password_tries",
            "MaxPasswordTries",
            HostType::Int,
            "Attempts at the prompt; 0 or less is unlimited.",
        ),
        Field::bool("allow_cleartext_password", "AllowCleartextPassword", "Permit a password inside the URL."),
        Field::bool("caching", "Caching", "Keep the binary and working directory on the remote.")
            .default(FieldDefault::Bool(true)),
        Field::bool("transient", "Transient", "Wait until the child exits.").default(FieldDefault::Bool(true)),
        Field::bool("tunnelled", "Tunnelled", "Route the child's cluster connection back through SSH.")
            .default(FieldDefault::Bool(true)),
        Field::str("tunnel_addr", "TunnelAddr", "Listen address of the reverse tunnel on the remote.")
            .default(FieldDefault::Str("127.0.0.1:2379")),
        Field::bool("install_deps", "InstallDeps", "Install run-time libraries first when the binary does not start."),
        Field::int(
            "converger_timeout",
            "ConvergerTimeout",
            HostType::Int,
            "--converger-timeout for a transient child; null inherits when this process itself exits on convergence.",
        )
        .nullable(),
    ],
    traits: Traits { interruptable: true, ..Traits::NONE },
    constants: &[],
};

impl Kind for Remote {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        let target = want.effective("remote");
        let target = Target::parse(&target).map_err(|why| format!("can't parse Remote: {why}"))?;
        let password = target.password.is_some();
        ensure(!password || want.bool("allow_cleartext_password"), "cleartext password found in URL")?;
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
            split_host_port(&tunnel).map_err(|why| format!("can't parse TunnelAddr: {why}"))?;
        }
        let hostkey = want.text("hostkey");
        if !hostkey.is_empty() {
            ssh_key::parse(&hostkey).map_err(|why| format!("invalid known_hosts key: {why}"))?;
        }
        // Which keys the user has is not known here; the empty text rules them out.
        let keys = want.text_if_set("ssh_id").is_none_or(|id| !id.is_empty());
        ensure(
            password || keys || want.bool("interactive"),
            "can't build auth methods: no authentication methods available",
        )
    }

    /// The target is compared by its parts.
    fn compare(&self, one: &Want, other: &Want) -> Result<(), String> {
        let (one_text, other_text) = (one.effective("remote"), other.effective("remote"));
        ensure(Target::parse(&one_text) == Target::parse(&other_text), "the Remote differs")?;
        compare::fields(one, other)
    }
}

/// `[ssh://][user[:password]@]host[:port]`, with what is there when it says nothing.
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
        ensure(!rest.contains("://"), "the scheme must be ssh")?;
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        ensure(!rest.contains(['/', '?', '#', ' ']), "there is more than a host")?;
        let (user, rest) = rest.rsplit_once('@').unwrap_or(("root", rest));
        let (user, password) = match user.split_once(':') {
            Some((user, password)) => (user, Some(password)),
            None => (user, None),
        };
        let has_port = rest.rfind(':') > rest.rfind(']');
        let (host, port) = if has_port { rest.rsplit_once(':').unwrap_or((rest, "22")) } else { (rest, "22") };
        ensure(!host.is_empty(), "the host is empty")?;
        let port = port.parse().map_err(|_| format!("can't parse port: {port}"))?;
        Ok(Target { user, password, host, port })
    }
}
