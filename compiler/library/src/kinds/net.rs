//! `net`: Configures a network interface: link state, addresses, default gateway, and a matching
//! systemd-networkd file. Resource spec, 9.

use crate::kinds::address::prefix;
use crate::kinds::rules::ensure;
use crate::kinds::rules::one_of;
use crate::kinds::{Constant, Field, Kind, KindDecl, Traits, Want, compare};
use crate::value::Value;
use crate::vocab::{Datum, FactSpec, link};

/// The kind `net`.
pub(crate) struct Net;

static DECL: KindDecl = KindDecl {
    name: "net",
    doc: "Configures a network interface: link state, addresses, default gateway, and a matching systemd-networkd file.",
    fields: &[
        Field::str("state", "State", "up, down, or empty."),
        Field::strs("addrs", "Addrs", "Addresses with prefix length. Null leaves addresses alone.").empty_differs(),
        Field::str("gateway", "Gateway", "IPv4 default gateway."),
        Field::bool("ip_forward", "IPForward", "IPForward= in the networkd file; null omits it.")
            .nullable()
            .not_compared(),
    ],
    traits: Traits { reversible: true, uses_vardir: true, ..Traits::NONE },
    constants: &[
        ("state.up", Constant::Str("up")),
        ("state.down", Constant::Str("down")),
        ("state.undefined", Constant::Str("")),
    ],
};

impl Kind for Net {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        let state = want.text("state");
        one_of(&state, &["up", "down", ""], || "state must be up, down or empty".into())?;
        for address in want.texts("addrs") {
            ensure(prefix(&address).is_some(), format!("error parsing addr: invalid CIDR address: {address}"))?;
        }
        let gateway = want.text("gateway");
        let valid = gateway.is_empty() || gateway.parse::<std::net::IpAddr>().is_ok();
        ensure(valid, format!("error parsing gateway: {gateway}"))
    }

    /// The order of the addresses does not count.
    fn compare(&self, one: &Want, other: &Want) -> Result<(), String> {
        compare::unordered("addrs", one, other)?;
        let others = one.decl.fields.iter().filter(|field| !matches!(field.name, "addrs" | "ip_forward"));
        others.into_iter().try_for_each(|field| compare::field_equal(field, one.set(field.name), other.set(field.name)))
    }

    fn asks_host(&self, _want: &Want) -> Vec<FactSpec> {
        vec![FactSpec::Link(link::Fact::Interfaces)]
    }

    fn validate_there(&self, want: &Want, facts: &[Option<Datum>]) -> Result<(), String> {
        let [Some(Datum::List(interfaces))] = facts else { return Ok(()) };
        let name = |interface: &Datum| Value::from(interface).as_struct()?.get("name")?.as_text().map(String::from);
        let exists = interfaces.iter().any(|interface| name(interface).as_deref() == Some(want.name));
        ensure(exists, format!("error finding interface: {}: no such network interface", want.name))
    }
}
