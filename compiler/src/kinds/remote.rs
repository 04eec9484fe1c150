//! `remote`: Copies this program to another host over SSH and keeps it running there, or stops it.
//! Resource spec, 9.

use crate::kinds::{Field, FieldDefault, HostType, Kind, KindDecl, Traits};

/// The kind `remote`.
pub(crate) struct Remote;

static DECL: KindDecl = KindDecl {
    name: "remote",
    doc: "Copies this program to another host over SSH and keeps it running there, or stops it.",
    fields: &[
        Field::str("remote", "Remote", "[ssh://][user[:pass]@]host[:port]; empty means the resource name.").effective(),
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
        Field::bool("transient", "Transient", "The child is expected to exit; block until it does.")
            .default(FieldDefault::Bool(true)),
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
}
