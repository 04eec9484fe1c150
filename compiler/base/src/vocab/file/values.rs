//! The fields that a file step changes.

use super::{Attributes, Content, FileKind, FileStat, Step};
use crate::hash::sha256;
use crate::vocab::values::{FieldChange, Findings};

/// The maximum number of bytes hashed for display.
const LONGEST_HASHED: usize = 8 << 20;

pub(super) fn values(step: &Step, findings: &Findings) -> Vec<FieldChange> {
    let changes = match step {
        Step::Write { path, content, attributes } => written(path, content, attributes, findings),
        Step::Create { path, mode } => made(path, "file", *mode, findings),
        Step::MakeDir { path, mode, .. } => made(path, "directory", *mode, findings),
        Step::Remove { path, .. } => match findings.stat(path, false) {
            Some(Some(stat)) => {
                let size = (stat.kind == FileKind::File).then(|| stat.size.to_string());
                vec![change("state", Some(word(stat.kind)), Some("absent")), between("size", size, None)]
            }
            Some(None) | None => vec![change("state", None, Some("absent"))],
        },
        Step::Symlink { path, target } => {
            let old = findings.stat(path, false).flatten();
            let state = findings.stat(path, false).map(|stat| stat.map_or("absent", |stat| word(stat.kind)));
            let text = old.and_then(|stat| stat.target.clone());
            vec![change("state", state, Some("link")), between("target", text, Some(target.clone()))]
        }
        Step::SetMode { path, mode } => vec![between("mode", old_mode(path, findings), Some(octal(*mode)))],
        Step::SetOwner { path, uid, gid } => vec![owner(findings.stat(path, true).flatten(), *uid, *gid, findings)],
        Step::SetLabel { label, .. } => vec![between("label", None, label.as_deref().map(text))],
        // The summary already says it.
        Step::Edit { .. } => Vec::new(),
    };
    changes.into_iter().flatten().collect()
}

fn written(path: &str, content: &Content, attributes: &Attributes, findings: &Findings) -> Vec<Option<FieldChange>> {
    let old = findings.stat(path, true);
    let there = old.flatten().filter(|stat| stat.kind == FileKind::File);
    let state = old.map(|stat| stat.map_or("absent", |stat| word(stat.kind)));
    let (size, hash) = match content {
        Content::Bytes(bytes) => {
            let hash = (bytes.len() <= LONGEST_HASHED).then(|| sha256(bytes));
            (Some(bytes.len().to_string()), hash)
        }
        Content::CopyOf(source) => {
            (findings.stat(source, true).flatten().map(|stat| stat.size.to_string()), findings.hash(source))
        }
    };
    let old_hash = there.and_then(|_| findings.hash(path));
    vec![
        change("state", state, Some("file")),
        between("size", there.map(|stat| stat.size.to_string()), size),
        hash.and_then(|hash| between("sha256", old_hash.map(|hash| hex(&hash)), Some(hex(&hash)))),
        attributes.mode.and_then(|mode| between("mode", there.map(|stat| octal(stat.mode)), Some(octal(mode)))),
        owner(there, attributes.uid, attributes.gid, findings),
        attributes.label.as_deref().and_then(|label| between("label", None, Some(text(label)))),
    ]
}

fn made(path: &str, what: &str, mode: Option<u32>, findings: &Findings) -> Vec<Option<FieldChange>> {
    let state = findings.stat(path, true).map(|stat| stat.map_or("absent", |stat| word(stat.kind)));
    vec![change("state", state, Some(what)), mode.and_then(|mode| between("mode", None, Some(octal(mode))))]
}

fn owner(there: Option<&FileStat>, uid: Option<u32>, gid: Option<u32>, findings: &Findings) -> Option<FieldChange> {
    let both = |uid: u32, gid: u32| findings.owner(uid, gid);
    match (there, uid, gid) {
        (_, None, None) => None,
        (Some(stat), uid, gid) => {
            let (new_uid, new_gid) = (uid.unwrap_or(stat.uid), gid.unwrap_or(stat.gid));
            between("owner", Some(both(stat.uid, stat.gid)), Some(both(new_uid, new_gid)))
        }
        (None, Some(uid), Some(gid)) => between("owner", None, Some(both(uid, gid))),
        (None, Some(uid), None) => between("owner", None, both(uid, 0).split(':').next().map(str::to_owned)),
        (None, None, Some(gid)) => between("group", None, both(0, gid).split(':').nth(1).map(str::to_owned)),
    }
}

fn old_mode(path: &str, findings: &Findings) -> Option<String> {
    findings.stat(path, true).flatten().map(|stat| octal(stat.mode))
}

fn change(field: &str, old: Option<&str>, new: Option<&str>) -> Option<FieldChange> {
    between(field, old.map(str::to_owned), new.map(str::to_owned))
}

fn between(field: &str, old: Option<String>, new: Option<String>) -> Option<FieldChange> {
    FieldChange::between(field, old, new)
}

fn word(kind: FileKind) -> &'static str {
    match kind {
        FileKind::File => "file",
        FileKind::Dir => "directory",
        FileKind::Symlink => "link",
        FileKind::Other => "special file",
    }
}

fn octal(mode: u32) -> String {
    format!("{mode:04o}")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned()
}

fn hex(hash: &[u8; 32]) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocab::file::{Finding, Probe};
    use crate::vocab::{self, account};

    fn stat(kind: FileKind, mode: u32, size: u64) -> FileStat {
        let (uid, gid, mtime_ns, device, inode) = (0, 0, 0, 1, 1);
        FileStat { kind, mode, uid, gid, size, mtime_ns, device, inode, target: None }
    }

    fn told(step: &Step, seen: &[(vocab::Probe, vocab::Finding)]) -> Vec<String> {
        let findings = Findings::of(seen.iter().map(|(probe, finding)| (probe, finding)));
        let or =
            |value: &Option<String>| value.as_deref().map_or("?".to_owned(), |value| value.chars().take(9).collect());
        values(step, &findings).iter().map(|one| format!("{} {} > {}", one.field, or(&one.old), or(&one.new))).collect()
    }

    fn at(path: &str, found: Option<FileStat>) -> (vocab::Probe, vocab::Finding) {
        (Probe::Stat { path: path.into(), follow: true }.into(), Finding::Stat(found).into())
    }

    #[test]
    fn each_field_has_its_old_and_new_value() {
        let path = || "/t/a".to_owned();
        let write = |attributes| Step::Write { path: path(), content: Content::Bytes(b"hello".to_vec()), attributes };
        let new = told(&write(Attributes::of_mode(Some(0o600))), &[at("/t/a", None)]);
        assert_eq!(new, ["state absent > file", "size ? > 5", "sha256 ? > 2cf24dba5", "mode ? > 0600"]);
        let held = (Probe::Read { path: path(), limit: 9 }.into(), Finding::Bytes(b"x".to_vec()).into());
        let nobody = account::Probe::UserId { name: "nobody".into() };
        let seen =
            [at("/t/a", Some(stat(FileKind::File, 0o644, 1))), held, (nobody.into(), account::Finding::Id(9).into())];
        let attributes = Attributes { uid: Some(9), ..Attributes::of_mode(Some(0o644)) };
        assert_eq!(
            told(&write(attributes), &seen),
            ["size 1 > 5", "sha256 2d711642b > 2cf24dba5", "owner 0:0 > nobody:0"]
        );
        assert_eq!(told(&Step::SetMode { path: path(), mode: 0o600 }, &seen), ["mode 0644 > 0600"]);
        let entries = vec![("b/c".to_owned(), stat(FileKind::Dir, 0o755, 0))];
        let listed = (Probe::List { path: "/t/".into(), recursive: true }.into(), Finding::Entries(entries).into());
        let remove = Step::Remove { path: "/t/b/c".into(), recursive: true };
        assert_eq!(told(&remove, &[listed]), ["state directory > absent"]);
        let link = FileStat { target: Some("old".into()), ..stat(FileKind::Symlink, 0o777, 3) };
        let seen = (Probe::Stat { path: path(), follow: false }.into(), Finding::Stat(Some(link)).into());
        assert_eq!(told(&Step::Symlink { path: path(), target: "new".into() }, &[seen]), ["target old > new"]);
    }

    /// A plan gives new accounts ids that no account has: they are shown in no field.
    #[test]
    fn an_id_that_is_not_chosen_yet_is_not_shown() {
        let new = account::PLANNED_FROM + 1;
        assert_eq!((account::shown_id(new), account::shown_id(u32::MAX - 1)), ("(new)".into(), "4294967294".into()));
        let owned = |uid, gid| Step::SetOwner { path: "/t/a".to_owned(), uid, gid };
        assert_eq!(told(&owned(Some(new), Some(new)), &[at("/t/a", None)]), ["owner ? > (new):(ne"]);
        assert_eq!(told(&owned(Some(new), None), &[at("/t/a", None)]), ["owner ? > (new)"]);
        assert_eq!(told(&owned(None, Some(new)), &[at("/t/a", None)]), ["group ? > (new)"]);
        let there = at("/t/a", Some(stat(FileKind::File, 0o644, 1)));
        assert_eq!(told(&owned(Some(new), None), &[there]), ["owner 0:0 > (new):0"]);
        let (name, id) = ("alice".to_owned(), account::Finding::Id(new));
        let known = (account::Probe::UserId { name }.into(), id.into());
        assert_eq!(told(&owned(Some(new), Some(0)), &[at("/t/a", None), known]), ["owner ? > alice:0"]);
    }
}
