//! `http:server:flag`: accepts a POST on a path and sends the value of one form key by send/recv. Resource spec, 9.

use crate::kinds::rules::ensure;
use crate::kinds::{Decision, Field, HostType, Kind, KindDecl, Seen, Sendable, Traits, Want};

/// The kind `http:server:flag`.
pub(crate) struct HttpServerFlag;

static DECL: KindDecl = KindDecl {
    name: "http:server:flag",
    doc: "Accepts POST requests on a path and sends the value of a form key. Forms that browsers post from pages of other \
          sites get 403. So do all forms from browsers behind a reverse proxy that rewrites the `Host` header; configure \
          it to pass the original header on.",
    fields: &[
        Field::str("server", "Server", "Name of the `http:server` it belongs to."),
        Field::str("path", "Path", "URL path; defaults to the resource name."),
        Field::str("key", "Key", "Form key to read. If empty, nothing is read."),
    ],
    traits: Traits {
        edgeable_inert: true,
        groupable: true,
        groups_others: true,
        sends: &[Sendable { name: "value", host: HostType::Str, nullable: true }],
        ..Traits::NONE
    },
    constants: &[],
    policy: &[],
};

impl Kind for HttpServerFlag {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        ensure(want.effective("path").starts_with('/'), "the path must be absolute")
    }

    fn backend(&self) -> &'static str {
        "the HTTP server of the agent; see `http:server`."
    }

    /// Without a server, no form can be posted to it or its members.
    fn decide(&self, _want: &Want, _seen: &Seen) -> Decision {
        Decision::InState(vec![("value", Some("".into()))])
    }

    /// Flags with the same path on one server are one flag.
    fn groups(&self, leader: &Want, member: &Want) -> Result<(), String> {
        ensure(member.decl.name == leader.decl.name, "a flag can only be grouped with another flag")?;
        let same =
            member.text("server") == leader.text("server") && member.effective("path") == leader.effective("path");
        ensure(same, "it has a different server or path")
    }
}
