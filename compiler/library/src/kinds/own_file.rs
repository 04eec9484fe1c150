//! A file that belongs to one resource as a whole, such as the settings that `sysctl` writes for the next boot.

use super::kind::Decision;
use super::walk::{Walk, cannot_tell};
use crate::vocab::{FileKind, Finding, HostErrorKind, Probe, file};

/// What is at the path of the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Held<'a> {
    Nothing,
    /// A file with this content.
    Bytes(&'a [u8]),
    /// A link to nowhere, or to a device such as `/dev/null`: programs ignore such a file. The link must be removed
    /// before the file is written.
    Masked,
}

/// Looks at the file. Errors: it cannot be read, or is longer than the limit.
pub(super) fn look<'a>(walk: &mut Walk<'a>, path: &str, limit: u64) -> Result<Held<'a>, Decision> {
    let read = Probe::File(file::Probe::Read { path: path.to_owned(), limit });
    let read = &walk.look(vec![read])?[0];
    let is_missing = match read {
        Finding::File(file::Finding::Bytes(bytes)) => return Ok(Held::Bytes(bytes)),
        Finding::Failed(error) if error.kind == HostErrorKind::NotFound => true,
        Finding::Failed(error) if error.kind == HostErrorKind::Other => false,
        other => return Err(cannot_tell(other)),
    };
    let stat = |follow| Probe::File(file::Probe::Stat { path: path.to_owned(), follow });
    let is_link = is_a(&walk.look(vec![stat(false)])?[0], FileKind::Symlink);
    match (is_missing, is_link) {
        (true, true) => Ok(Held::Masked),
        (true, false) => Ok(Held::Nothing),
        (false, true) if is_a(&walk.look(vec![stat(true)])?[0], FileKind::Other) => Ok(Held::Masked),
        (false, _) => Err(cannot_tell(read)),
    }
}

fn is_a(finding: &Finding, kind: FileKind) -> bool {
    matches!(finding, Finding::File(file::Finding::Stat(Some(stat))) if stat.kind == kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::Seen;
    use crate::vocab::{FileStat, HostError};

    #[test]
    fn a_link_to_nowhere_or_to_a_device_masks_a_file() {
        let failed = |kind| Finding::Failed(HostError::new(kind, "read /etc/x: not a regular file"));
        let stat = |kind| {
            let (mode, uid, gid, size, mtime_ns, device, inode, target) = (0o644, 0, 0, 0, 0, 1, 1, None);
            let stat = FileStat { kind, mode, uid, gid, size, mtime_ns, device, inode, target };
            Finding::File(file::Finding::Stat(Some(stat)))
        };
        let check = |findings: &[Finding], expect: Result<Held, &str>| {
            let seen = Seen { findings, ..Seen::first() };
            let found = look(&mut Walk::new(&seen), "/etc/x", 9);
            assert_eq!(found, expect.map_err(|why| Decision::CannotTell(why.to_owned())));
        };
        let odd = || failed(HostErrorKind::Other);
        check(&[Finding::File(file::Finding::Bytes(b"x".to_vec()))], Ok(Held::Bytes(b"x")));
        let (missing, nothing) = (|| failed(HostErrorKind::NotFound), Finding::File(file::Finding::Stat(None)));
        check(&[missing(), nothing], Ok(Held::Nothing));
        check(&[missing(), stat(FileKind::Symlink)], Ok(Held::Masked));
        check(&[odd(), stat(FileKind::Symlink), stat(FileKind::Other)], Ok(Held::Masked));
        let why = "read /etc/x: not a regular file";
        check(&[odd(), stat(FileKind::Other)], Err(why));
        check(&[odd(), stat(FileKind::Symlink), stat(FileKind::File)], Err(why));
        check(&[failed(HostErrorKind::Refused)], Err(why));
    }
}
