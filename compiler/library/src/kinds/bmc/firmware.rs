//! `bmc:firmware`: installs a firmware image on a management controller; polling only. Resource spec, 9.

use crate::kinds::required::{PolicyList, Required};
use crate::kinds::rules::ensure;
use crate::kinds::walk::{Walk, cannot_tell};
use crate::kinds::{Decision, Field, HostType, Kind, KindDecl, Seen, Traits, Want};
use crate::vocab::controller::{self, Probe, Step};
use crate::vocab::{Finding, file};

/// The kind `bmc:firmware`.
pub(crate) struct BmcFirmware;

static DECL: KindDecl = KindDecl {
    name: "bmc:firmware",
    doc: "Installs a firmware image on a management controller. Polling only.",
    fields: &[
        Field::str("hostname", "Hostname", "BMC host. If empty, it is taken from the resource name."),
        Field::int("port", "Port", HostType::Int, "Port."),
        Field::str("username", "Username", "User."),
        Field::str("password", "Password", "Password.").secret(),
        Field::bool("insecure_password", "InsecurePassword", "Allow a password in the resource name."),
        Field::str("provider", "Provider", "Vendor plugin such as `supermicro`.").required(),
        Field::str("file", "File", "Absolute path of the image.").required(),
        Field::str("hash", "Hash", "Expected SHA-256 of the image; optional."),
        Field::str("version", "Version", "Version that the image contains.").required(),
        Field::str("block", "Block", "Name of a `bmc:power` resource that must not act during the update."),
    ],
    traits: Traits::NONE,
    constants: &[],
    policy: &[
        Required::list(PolicyList::Hosts).entry("the controller"),
        Required::list(PolicyList::Reads).entry("the image"),
    ],
};

impl Kind for BmcFirmware {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        ensure(want.meta.poll != 0, "events are not yet supported, use polling")?;
        ensure(!super::hostname(want).is_empty(), "`hostname` is required")?;
        ensure(!want.text("provider").is_empty(), "`provider` is required")?;
        let file = want.text("file");
        ensure(file.starts_with('/'), "`file` must be an absolute path")?;
        ensure(!file.ends_with('/'), "`file` must not be a directory")?;
        ensure(!want.text("version").is_empty(), "`version` is empty")?;
        super::pinned(want, driver(want)).map(drop)
    }

    fn backend(&self) -> &'static str {
        "the Redfish interface of the management controller, for any `provider`; over TLS unless the name says `http` \
         or `gofish`. The host must trust the certificate, or the resource name must end with its SHA-256: \
         `https://10.0.0.9#sha256=…`. The image is pushed to the update service and the update task is followed to \
         completion; then the controller must report the expected version. It is polled every `Meta:poll` seconds."
    }

    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        walk(want, &mut Walk::new(seen)).unwrap_or_else(|decision| decision)
    }
}

fn driver(want: &Want) -> &'static str {
    if ["http", "gofish"].contains(&&*super::url(want).scheme) { "gofish" } else { "gofishs" }
}

fn walk(want: &Want, walk: &mut Walk) -> Result<Decision, Decision> {
    let controller = super::controller(want, driver(want))?;
    let text = |field: &str| want.text(field).into_owned();
    let (version, file) = (text("version"), text("file"));
    let now = match &walk.look(vec![Probe::Firmware(controller.clone()).into()])?[0] {
        Finding::Controller(controller::Finding::Firmware(now)) => now,
        other => return Err(cannot_tell(other)),
    };
    if *now == version {
        return Ok(Decision::InState(Vec::new()));
    }
    let hash = match &walk.look(vec![file::Probe::Hash { path: file.clone() }.into()])?[0] {
        Finding::File(file::Finding::Hash(hash)) => *hash,
        other => return Err(cannot_tell(other)),
    };
    let (wanted, found) = (text("hash").to_lowercase(), hash.map(|byte| format!("{byte:02x}")).concat());
    if !wanted.is_empty() && wanted != found {
        return Err(Decision::CannotTell(format!("{file} has the SHA-256 {found}, not {wanted}")));
    }
    let block = text("block");
    walk.mend(vec![Step::Install { controller, file, hash, version, now: now.clone(), block }.into()])
}
