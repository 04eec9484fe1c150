//! `dhcp:host`: static reservation inside a dhcp:server. Resource spec, 9.

use crate::kinds::address::{canonical_mac, prefix4};
use crate::kinds::{Decided, Decision, Field, Kind, KindDecl, Seen, Traits, Want};

/// The kind `dhcp:host`.
pub(crate) struct DhcpHost;

static DECL: KindDecl = KindDecl {
    name: "dhcp:host",
    doc: "Static reservation in a `dhcp:server`.",
    fields: &[
        Field::str("server", "Server", "Name of the `dhcp:server` it belongs to; empty means any."),
        Field::str("mac", "Mac", "MAC address with colons, in lower case.").required(),
        Field::str("ip", "IP", "IPv4 address with prefix length.").required(),
        Field::str("nbp", "NBP", "Network boot URL; overrides the default of the server."),
        Field::str("nbp_path", "NBPPath", "Boot file path; overrides the one in `nbp`."),
    ],
    traits: Traits { groupable: true, ..Traits::NONE },
    constants: &[],
    policy: &[],
};

impl Kind for DhcpHost {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        canonical_mac(&want.text("mac"))?;
        prefix4(&want.text("ip"))?;
        super::boot_url(&want.text("nbp"))
    }

    /// The address of a network card. One address may be reserved for several cards of a machine. Hosts of any server belong
    /// to the same one.
    fn decides<'a>(&self, want: &Want<'a>) -> Vec<Decided<'a>> {
        // Without a server it has no effect.
        let Some((ip, length)) = prefix4(&want.text("ip")).ok().filter(|_| want.meta.autogroup) else {
            return Vec::new();
        };
        let server = match &*want.text("server") {
            "" => String::new(),
            server => format!(" in `dhcp:server[{server}]`"),
        };
        vec![Decided::shown(format!("the address of {}{server}", want.text("mac")), format!("{ip}/{length}"))]
    }

    fn backend(&self) -> &'static str {
        "the DHCP server of the agent; see `dhcp:server`."
    }

    /// Without a server it has nothing to do.
    fn decide(&self, _want: &Want, _seen: &Seen) -> Decision {
        Decision::InState(Vec::new())
    }
}

#[cfg(test)]
mod tests {
    use crate::kinds::check::Draft;

    #[test]
    fn a_card_has_one_address() {
        let draft = || Draft::new("dhcp:host", "a").text("mac", "02:00:00:00:00:07").text("ip", "10.0.0.7/024");
        let decided = |server: &str| [format!("the address of 02:00:00:00:00:07{server}: 10.0.0.7/24")];
        assert_eq!(draft().decides(), decided(""));
        assert_eq!(draft().text("server", "lan").decides(), decided(" in `dhcp:server[lan]`"));
        assert_eq!(draft().meta(|meta| meta.autogroup = false).decides(), [""; 0]);
    }
}
