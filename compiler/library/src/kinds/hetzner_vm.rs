//! `hetzner:vm`: Manages a Hetzner Cloud server by name; polling only. Resource spec, 9.

use crate::kinds::rules::ensure;
use crate::kinds::rules::{known_state, one_of};
use crate::kinds::{Field, FieldDefault, HostType, Kind, KindDecl, Traits, Want};

/// The kind `hetzner:vm`.
pub(crate) struct HetznerVm;

static DECL: KindDecl = KindDecl {
    name: "hetzner:vm",
    doc: "Manages a Hetzner Cloud server by name; polling only.",
    fields: &[
        Field::str("apitoken", "APIToken", "API token (mandatory).").required().secret(),
        Field::str("state", "State", "exists, running, off, absent or empty."),
        Field::str(
            "allowrebuild",
            "AllowRebuild",
            "empty errors, ignore skips, ifneeded performs destructive rebuilds.",
        ),
        Field::str("servertype", "ServerType", "Server type."),
        Field::str("datacenter", "Datacenter", "Datacenter."),
        Field::str("image", "Image", "OS image."),
        Field::str("userdata", "UserData", "Creation-time user data.").secret(),
        Field::str("serverrescuemode", "ServerRescueMode", "linux32, linux64, freebsd64 or empty."),
        Field::strs("serverrescuekeys", "ServerRescueSSHKeys", "Names of SSH keys for rescue mode."),
        Field::int("waitinterval", "WaitInterval", HostType::Uint32, "Seconds between polls while waiting.")
            .default(FieldDefault::Int(5)),
        Field::int("waittimeout", "WaitTimeout", HostType::Uint32, "Seconds before a wait fails.")
            .default(FieldDefault::Int(300)),
    ],
    traits: Traits::NONE,
    constants: &[],
};

impl Kind for HetznerVm {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        ensure(!want.text("apitoken").is_empty(), "empty token string")?;
        let state = want.text("state");
        known_state(&state, &["", "exists", "running", "off", "absent"])?;
        let rebuild = want.text("allowrebuild");
        one_of(&rebuild, &["", "ignore", "ifneeded"], || format!("invalid allowrebuild: {rebuild}"))?;
        let rescue = want.text("serverrescuemode");
        one_of(&rescue, &["", "linux32", "linux64", "freebsd64"], || format!("invalid serverrescuemode: {rescue}"))?;
        ensure(want.meta.poll >= 1, "invalid polling interval (minimum 1 s)")
    }
}
