//! `dhcp:server`: DHCPv4 server made of grouped dhcp:host and dhcp:range resources. Resource spec,
//! 9.

use super::serving;
use crate::kinds::address::listen;
use crate::kinds::required::{PolicyList, Required};
use crate::kinds::rules::ensure;
use crate::kinds::rules::one_of;
use crate::kinds::{Decision, Field, Kind, KindDecl, Seen, Traits, Want, compare, duration};
use crate::vocab::Watch;
use std::net::Ipv4Addr;

/// The kind `dhcp:server`.
pub(crate) struct DhcpServer;

static DECL: KindDecl = KindDecl {
    name: "dhcp:server",
    doc: "DHCPv4 server for its grouped `dhcp:host` and `dhcp:range` resources.",
    fields: &[
        Field::str("address", "Address", "Listen address such as `:67`; defaults to the resource name."),
        Field::str("interface", "Interface", "Network interface to bind to.").required(),
        Field::str("serverid", "ServerID", "Server identifier; derived if unset. An empty string omits it.").nullable(),
        Field::str(
            "leasetime",
            "LeaseTime",
            "Lease duration such as `10m`, which is used if unset. An empty string omits it.",
        )
        .nullable()
        .effective(),
        Field::strs("dns", "DNS", "DNS servers to offer."),
        Field::strs("routers", "Routers", "Routers to offer."),
        Field::str("nbp", "NBP", "Default network boot URL (`tftp://host/path`) for its hosts and ranges."),
    ],
    traits: Traits { edgeable_inert: true, groupable: true, groups_others: true, ..Traits::NONE },
    constants: &[],
    policy: &[Required::list(PolicyList::Listen)],
};

impl Kind for DhcpServer {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        ensure(!want.text("interface").is_empty(), "`interface` is empty")?;
        if let Some(address) = listen(&want.effective("address"))? {
            ensure(address.is_ipv4(), format!("`address` must be an IPv4 address, found `{address}`"))?;
        }
        if let Some(serverid) = want.text_if_set("serverid").filter(|text| !text.is_empty()) {
            ip4(&serverid)?;
        }
        if let Some(leasetime) = want.text_if_set("leasetime").filter(|text| !text.is_empty()) {
            duration::parse(&leasetime)?;
        }
        want.texts("dns").iter().chain(&want.texts("routers")).try_for_each(|address| ip4(address))?;
        super::boot_url(&want.text("nbp"))
    }

    fn compare(&self, one: &Want, other: &Want) -> Result<(), String> {
        ensure(lease(one) == lease(other), "the LeaseTime differs")?;
        compare::fields(one, other)
    }

    fn backend(&self) -> &'static str {
        "the DHCP server of the agent (RFC 2131). It waits until the interface exists and has an address, selects the \
         pool for relayed requests by the address of the relay, and rejects requests for addresses outside its pools. \
         An address of a range is probed by ARP for half a second before it is offered: one that another machine uses \
         is reported and left out for ten minutes. Relayed clients and hosts without the capability `CAP_NET_RAW` get \
         addresses without a probe."
    }

    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        serving::decide(want, seen)
    }

    fn watches(&self, want: &Want) -> Vec<Watch> {
        serving::watches(want)
    }

    fn groups(&self, leader: &Want, member: &Want) -> Result<(), String> {
        one_of(member.decl.name, &["dhcp:host", "dhcp:range"], || "this kind does not belong to a dhcp:server".into())?;
        let server = member.text("server");
        ensure(server.is_empty() || server == leader.name, "it belongs to another server")
    }
}

fn ip4(text: &str) -> Result<(), String> {
    ensure(text.parse::<Ipv4Addr>().is_ok(), format!("`{text}` is not an IPv4 address"))
}

/// The lease time in nanoseconds, ten minutes by default; `None`: left out.
pub(super) fn lease(want: &Want) -> Option<i64> {
    let text = want.text_if_set("leasetime").unwrap_or("10m".into());
    duration::parse(&text).ok()
}
