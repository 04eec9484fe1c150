//! `tftp:server`: read-only TFTP server for grouped files and an optional directory. Resource spec, 9.

use crate::kinds::address::listen;
use crate::kinds::required::{PolicyList, Required};
use crate::kinds::rules::absolute_dir;
use crate::kinds::rules::ensure;
use crate::kinds::walk::cannot_tell;
use crate::kinds::{Decision, Field, FieldDefault, HostType, Kind, KindDecl, Seen, Traits, Want};
use crate::vocab::tftp::{Finding as Found, Payload, Probe, Served, Watch as Server};
use crate::vocab::{Finding, Watch, file};

/// The kind `tftp:server`.
pub(crate) struct TftpServer;

static DECL: KindDecl = KindDecl {
    name: "tftp:server",
    doc: "Read-only TFTP server for its `tftp:file` resources and an optional directory.",
    fields: &[
        Field::str("address", "Address", "Listen address such as `:69`; defaults to the resource name."),
        Field::int("timeout", "Timeout", HostType::Uint64, "Timeout of a transfer in seconds.")
            .default(FieldDefault::Int(5)),
        Field::str("root", "Root", "Directory to serve if no file matches."),
    ],
    traits: Traits { edgeable_inert: true, groupable: true, groups_others: true, ..Traits::NONE },
    constants: &[],
    policy: &[Required::list(PolicyList::Listen), Required::list(PolicyList::Reads).case("the files and the root")],
};

impl Kind for TftpServer {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        listen(&want.effective("address"))?;
        let root = want.text("root");
        if root.is_empty() { Ok(()) } else { absolute_dir("`root`", &root) }
    }

    fn backend(&self) -> &'static str {
        "the TFTP server of the agent (RFC 1350, with the options `blksize`, `tsize`, `timeout` and `windowsize`). It \
         answers read requests once all its files exist."
    }

    fn probes(&self, want: &Want) -> Vec<crate::vocab::Probe> {
        vec![Probe { server: server(want) }.into()]
    }

    fn decide(&self, _want: &Want, seen: &Seen) -> Decision {
        match seen.findings.first() {
            Some(Finding::Tftp(Found::Ready)) => Decision::InState(Vec::new()),
            Some(other) => cannot_tell(other),
            None => Decision::CannotTell("the host did not answer".into()),
        }
    }

    /// The server, and the files whose absence a check reports.
    fn watches(&self, want: &Want) -> Vec<Watch> {
        let server = server(want);
        let places = server.paths().cloned().chain((!server.root.is_empty()).then(|| server.root.clone()));
        let files: Vec<Watch> = places.map(|path| file::Watch { path, recursive: false }.into()).collect();
        std::iter::once(server.into()).chain(files).collect()
    }

    fn groups(&self, leader: &Want, member: &Want) -> Result<(), String> {
        ensure(member.decl.name == "tftp:file", "this kind does not belong to a tftp:server")?;
        let server = member.text("server");
        ensure(server.is_empty() || server == leader.name, "it belongs to another server")
    }
}

fn server(want: &Want) -> Server {
    let served = |file: Want| {
        let source = match file.text("path").into_owned() {
            path if path.is_empty() => Payload::Data(file.bytes("data").to_vec()),
            path => Payload::File(path),
        };
        Served { name: file.effective("filename").into_owned(), source }
    };
    Server {
        address: want.effective("address").into_owned(),
        timeout_s: want.int("timeout").unsigned_abs(),
        files: want.members().map(served).collect(),
        root: want.text("root").into_owned(),
    }
}
