//! `http:server`: serves its grouped children over HTTP/1.1, and optionally a directory tree. Resource spec, 9.

use super::serving;
use crate::kinds::address::listen;
use crate::kinds::required::{PolicyList, Required};
use crate::kinds::rules::absolute_dir;
use crate::kinds::rules::ensure;
use crate::kinds::{Decision, Field, HostType, Kind, KindDecl, Seen, Sent, Traits, Want};
use crate::vocab::{Datum, Watch};

/// The kind `http:server`.
pub(crate) struct HttpServer;

static DECL: KindDecl = KindDecl {
    name: "http:server",
    doc: "Serves the resources that belong to it over HTTP/1.1, and optionally a directory tree.",
    fields: &[
        Field::str("address", "Address", "Listen address as `host:port`; defaults to the resource name."),
        Field::int("timeout", "Timeout", HostType::Uint64, "Default for the other three timeouts, in seconds.")
            .nullable(),
        Field::int("read_timeout", "ReadTimeout", HostType::Uint64, "Time limit for reading a request, in seconds.")
            .nullable(),
        Field::int("write_timeout", "WriteTimeout", HostType::Uint64, "Time limit for writing a response, in seconds.")
            .nullable(),
        Field::int(
            "shutdown_timeout",
            "ShutdownTimeout",
            HostType::Uint64,
            "Time to wait for open requests on shutdown, in seconds. Unset or zero means no limit.",
        )
        .nullable(),
        Field::str("root", "Root", "Directory to serve for all other paths; absolute, with a trailing slash."),
    ],
    traits: Traits { edgeable_inert: true, groupable: true, groups_others: true, interruptable: true, ..Traits::NONE },
    constants: &[],
    policy: &[Required::list(PolicyList::Listen), Required::list(PolicyList::Reads).case("the root")],
};

impl Kind for HttpServer {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        listen(&want.effective("address"))?;
        let root = want.text("root");
        if !root.is_empty() {
            absolute_dir("`root`", &root)?;
        }
        Ok(())
    }

    fn backend(&self) -> &'static str {
        "the HTTP server of the agent. Requests are logged in `requests.log` below its prefix, without headers, bodies \
         and the part of the URL after `?`; the log is rotated like the audit log."
    }

    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        serving::decide(want, seen)
    }

    fn members_send(&self, want: &Want, seen: &Seen) -> Vec<(&'static str, String, Sent)> {
        serving::members_send(want, seen)
    }

    fn keep(&self, want: &Want, seen: &Seen) -> Option<Datum> {
        Some(serving::kept(want, seen))
    }

    fn watches(&self, want: &Want) -> Vec<Watch> {
        serving::watches(want)
    }

    fn groups(&self, leader: &Want, member: &Want) -> Result<(), String> {
        let part = member.decl.name.strip_prefix("http:server:");
        ensure(part.is_some_and(|part| !part.contains(':')), "this kind does not belong to an http:server")?;
        let server = member.text("server");
        ensure(server.is_empty() || server == leader.name, "it belongs to another server")
    }
}
