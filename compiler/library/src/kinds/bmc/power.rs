//! `bmc:power`: turns a machine on or off through its management controller; polling only. Resource spec, 9.

use crate::kinds::required::{PolicyList, Required};
use crate::kinds::rules::{ensure, one_of};
use crate::kinds::walk::{Walk, cannot_tell};
use crate::kinds::{Decision, Field, HostType, Kind, KindDecl, Seen, Traits, Want};
use crate::vocab::Finding;
use crate::vocab::controller::{self, Probe, Step};
use std::borrow::Cow;

/// The kind `bmc:power`.
pub(crate) struct BmcPower;

static DECL: KindDecl = KindDecl {
    name: "bmc:power",
    doc: "Turns a machine on or off through its management controller. Polling only.",
    fields: &[
        Field::str("hostname", "Hostname", "BMC host. If empty, the resource name is parsed as a URL."),
        Field::int("port", "Port", HostType::Int, "Port; 0 means the one in the resource name, or 443."),
        Field::str("username", "Username", "User. If empty, it is taken from the resource name."),
        Field::str("password", "Password", "Password.").secret(),
        Field::bool("insecure_password", "InsecurePassword", "Allow a password in the resource name."),
        Field::str(
            "driver",
            "Driver",
            "`gofish` or `rpc`, or `gofishs` or `rpcs` for https. If empty, the URL scheme of the resource name is used.",
        ),
        Field::str("state", "State", "`on` or `off`."),
    ],
    traits: Traits::NONE,
    constants: &[],
    policy: &[Required::list(PolicyList::Hosts).entry("the controller")],
};

impl Kind for BmcPower {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        ensure(want.meta.poll != 0, "events are not yet supported, use polling")?;
        ensure(!super::hostname(want).is_empty(), "`hostname` is required")?;
        let driver = driver(want);
        ensure(!driver.is_empty(), "`driver` is required")?;
        one_of(&driver, &["gofish", "gofishs", "rpc", "rpcs"], || {
            format!("unknown driver `{driver}`: expected `gofish`, `gofishs`, `rpc` or `rpcs`")
        })?;
        super::pinned(want, &driver).map(drop)
    }

    fn backend(&self) -> &'static str {
        "the Redfish interface of the management controller (`gofish`, or `gofishs` over TLS), or a JSON RPC service \
         whose requests are signed with the password (`rpc`, `rpcs`). The host must trust the certificate, or the \
         resource name must end with its SHA-256: `gofishs://root@10.0.0.9#sha256=…`, as `openssl x509 -fingerprint \
         -sha256` prints it. The controller is polled every `Meta:poll` seconds. While it restarts and answers 502, \
         503 or 504, the agent waits for up to 60 seconds."
    }

    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        walk(want, &mut Walk::new(seen)).unwrap_or_else(|decision| decision)
    }
}

fn driver<'a>(want: &Want<'a>) -> Cow<'a, str> {
    let driver = want.text("driver");
    if driver.is_empty() { super::url(want).scheme.into() } else { driver }
}

fn walk(want: &Want, walk: &mut Walk) -> Result<Decision, Decision> {
    let controller = super::controller(want, &driver(want))?;
    let state = want.text("state").to_lowercase();
    let now = match &walk.look(vec![Probe::Power(controller.clone()).into()])?[0] {
        Finding::Controller(controller::Finding::Power(now)) => now,
        other => return Err(cannot_tell(other)),
    };
    // A resource without a state changes nothing.
    if state.is_empty() || state == *now {
        return Ok(Decision::InState(Vec::new()));
    }
    one_of(&state, &["on", "off"], || format!("`state` must be `on` or `off`, not `{state}`"))
        .map_err(Decision::CannotTell)?;
    walk.mend(vec![Step::Power { controller, on: state == "on", now: now.clone() }.into()])
}
