//! `http:server:ui`: serves a small web form whose controls are grouped http:server:ui:input resources. Resource spec,
//! 9.

use super::page;
use crate::kinds::required::{PolicyList, Required};
use crate::kinds::rules::absolute_dir;
use crate::kinds::rules::ensure;
use crate::kinds::{Decision, Field, HostField, HostType, Kind, KindDecl, Seen, Sent, Traits, Want};

/// The kind `http:server:ui`.
pub(crate) struct HttpServerUi;

static DECL: KindDecl = KindDecl {
    name: "http:server:ui",
    doc: "Serves a web form whose controls are `http:server:ui:input` resources. Forms that browsers post from pages of \
          other sites get 403. So do all forms behind a reverse proxy that rewrites the `Host` header; configure it to \
          pass the original header on.",
    fields: &[
        Field::str("server", "Server", "Name of the `http:server` it belongs to."),
        Field::str("path", "Path", "Absolute URL prefix with a trailing slash; defaults to the resource name."),
        Field::new(
            "data",
            "Data",
            HostType::Struct(&[HostField::new("title", HostType::Str), HostField::new("head", HostType::Str)]),
            "Title and other decorations of the page.",
        )
        .nullable()
        .not_compared(),
    ],
    traits: Traits { edgeable_inert: true, groupable: true, groups_others: true, ..Traits::NONE },
    constants: &[],
    policy: &[Required::list(PolicyList::Listen).case("the server"), Required::list(PolicyList::Markup).case("`head`")],
};

impl Kind for HttpServerUi {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        absolute_dir("`path`", &want.effective("path"))
    }

    fn backend(&self) -> &'static str {
        "the HTTP server of the agent. The page works without JavaScript; with it, a saved value appears immediately \
         on all open pages. Forms submitted from other sites are rejected. Scripts in `head` are loaded only from \
         files on the same server."
    }

    /// Without a server it has nothing to do.
    fn decide(&self, _want: &Want, _seen: &Seen) -> Decision {
        Decision::InState(Vec::new())
    }

    fn members_send(&self, want: &Want, _seen: &Seen) -> Vec<(&'static str, String, Sent)> {
        page::begin(want)
    }

    fn groups(&self, leader: &Want, member: &Want) -> Result<(), String> {
        let part = member.decl.name.strip_prefix("http:server:ui:");
        ensure(part.is_some_and(|part| !part.contains(':')), "this kind does not belong to an http:server:ui")?;
        let path = member.text("path");
        ensure(path.is_empty() || path == leader.name, "it belongs to another http:server:ui")
    }
}
