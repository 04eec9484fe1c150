//! `http:server:ui`: Serves a small web form whose controls are grouped http:server:ui:input
//! resources. Resource spec, 9.

use crate::kinds::rules::absolute_dir;
use crate::kinds::rules::ensure;
use crate::kinds::{Field, HostField, HostType, Kind, KindDecl, Traits, Want};

/// The kind `http:server:ui`.
pub(crate) struct HttpServerUi;

static DECL: KindDecl = KindDecl {
    name: "http:server:ui",
    doc: "Serves a small web form whose controls are grouped http:server:ui:input resources.",
    fields: &[
        Field::str("server", "Server", "Name of the http:server to join."),
        Field::str("path", "Path", "URL prefix (absolute, trailing slash); empty means the resource name."),
        Field::new(
            "data",
            "Data",
            HostType::Struct(&[HostField::new("title", HostType::Str), HostField::new("head", HostType::Str)]),
            "Page decorations.",
        )
        .nullable()
        .not_compared(),
    ],
    traits: Traits { edgeable_inert: true, groupable: true, groups_others: true, ..Traits::NONE },
    constants: &[],
};

impl Kind for HttpServerUi {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        absolute_dir("the Path", &want.effective("path"))
    }

    fn groups(&self, leader: &Want, member: &Want) -> Result<(), String> {
        let part = member.decl.name.strip_prefix("http:server:ui:");
        ensure(part.is_some_and(|part| !part.contains(':')), "this kind does not belong to an http:server:ui")?;
        let path = member.text("path");
        ensure(path.is_empty() || path == leader.name, "it belongs to another http:server:ui")
    }
}
