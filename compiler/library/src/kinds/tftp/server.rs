//! `tftp:server`: Read-only TFTP server for grouped files and an optional directory. Resource spec,
//! 9.

use crate::kinds::address::listen;
use crate::kinds::rules::absolute_dir;
use crate::kinds::rules::ensure;
use crate::kinds::{Field, FieldDefault, HostType, Kind, KindDecl, Traits, Want};

/// The kind `tftp:server`.
pub(crate) struct TftpServer;

static DECL: KindDecl = KindDecl {
    name: "tftp:server",
    doc: "Read-only TFTP server for grouped files and an optional directory.",
    fields: &[
        Field::str("address", "Address", "Listen address such as :69; empty means the resource name."),
        Field::int("timeout", "Timeout", HostType::Uint64, "Per-transfer timeout in seconds.")
            .default(FieldDefault::Int(5)),
        Field::str("root", "Root", "Directory served after the files."),
    ],
    traits: Traits { edgeable_inert: true, groupable: true, groups_others: true, ..Traits::NONE },
    constants: &[],
};

impl Kind for TftpServer {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        listen(&want.effective("address"))?;
        let root = want.text("root");
        if root.is_empty() { Ok(()) } else { absolute_dir("the Root", &root) }
    }

    fn groups(&self, leader: &Want, member: &Want) -> Result<(), String> {
        ensure(member.decl.name == "tftp:file", "this kind does not belong to a tftp:server")?;
        let server = member.text("server");
        ensure(server.is_empty() || server == leader.name, "it belongs to another server")
    }
}
