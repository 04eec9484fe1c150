//! The programs that `mount` starts: the tool of a file system, and the server of a FUSE file system.

use super::super::Context;
use super::spec;
use crate::host::program::Asker;
use mclive_base::vocab::mount::is_bind;
use mclive_base::vocab::{CommandSpec, HostError};

/// A policy that lists allowed programs judges them as well.
pub(super) fn judge(at: &Context, kind: &str, source: &str, options: &[String]) -> Result<(), HostError> {
    if !at.shared.policy.judges_programs() || is_bind(options) {
        return Ok(());
    }
    // For `fuse.sshfs`, `mount` tries the tool of `fuse.sshfs` and then that of `fuse`.
    let base = kind.split_once('.').map(|(base, _)| base);
    let helpers = [Some(kind), base].into_iter().flatten().filter(|kind| !kind.is_empty());
    // Without a tool the kernel mounts directly.
    for helper in helpers.filter_map(|kind| spec(&format!("mount.{kind}"), Vec::new()).ok()) {
        at.shared.may_run(Asker::Tool(&at.id.kind), &helper)?;
    }
    let Some(server) = server(kind, source) else { return Ok(()) };
    let server = CommandSpec { argv: vec![server.to_owned()], ..CommandSpec::default() };
    at.shared.may_run(Asker::Tool(&at.id.kind), &server).map(drop)
}

/// The program that serves a file system: `sshfs` for the type `fuse.sshfs`, or for the source `sshfs#server:/`.
fn server<'a>(kind: &'a str, source: &'a str) -> Option<&'a str> {
    match kind.strip_prefix("fuse.") {
        Some(server) => Some(server),
        None if kind == "fuse" => Some(source.split('#').next().unwrap_or(source)),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_named_by_the_type_or_the_source() {
        assert_eq!(server("fuse.sshfs", "host:/"), Some("sshfs"));
        assert_eq!(server("fuse", "/srv/evil#x"), Some("/srv/evil"));
        assert_eq!(server("fuse", "/srv/evil"), Some("/srv/evil"));
        assert_eq!(server("ext4", "/dev/vdb"), None);
    }
}
