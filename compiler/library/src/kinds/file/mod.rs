//! `file`: manages one file, directory or symbolic link: existence, contents (literal, copied, or assembled from
//! fragments), ownership, mode and SELinux label. Resource spec, 9.

mod apply;
mod at_once;
mod attributes;
mod contents;
mod copy;
pub(crate) mod mode;
pub(crate) mod path;
mod undo;
mod validate;

use crate::kinds::accounts::{wanted_group, wanted_user};
use crate::kinds::kind::{Decision, Seen};
use crate::kinds::rules::ensure;
use crate::kinds::{Claim, Constant, Direction, Field, Kind, KindDecl, Params, Traits, Want, WantBatch, compare};
use crate::vocab::{Finding, Probe, Watch};

/// The kind `file`.
pub(crate) struct File;

static DECL: KindDecl = KindDecl {
    name: "file",
    doc: "Manages one file, directory or symbolic link: existence, contents (literal, copied, or assembled from fragments), ownership, mode and SELinux label.",
    fields: &[
        Field::str("path", "Path", "Absolute destination. Empty means use the resource name. A trailing slash selects directory mode.").effective(),
        Field::str("dirname", "Dirname", "Replaces the directory part of the destination. Must end in a slash when given.").effective(),
        Field::str("basename", "Basename", "Replaces the last component of the destination. Must not begin with a slash; may end with one (directory).").effective(),
        Field::str("state", "State", "Desired existence: exists, absent, or empty for unmanaged. Never implied by other fields."),
        Field::str("content", "Content", "Literal bytes of the file. Null means contents are not managed; empty string means an empty file.").nullable(),
        Field::str("source", "Source", "Path to copy from (file to file, or directory to directory), or the link target when symlink is true."),
        Field::strs("fragments", "Fragments", "Ordered absolute paths (files, or directories with trailing slash) whose bytes are concatenated to build the file."),
        Field::str("owner", "Owner", "User name, or decimal uid as text."),
        Field::str("group", "Group", "Group name, or decimal gid as text."),
        Field::str("mode", "Mode", "Octal number or comma-separated symbolic assignments (u=rwx,g=rx,o=); the + and - operators are not accepted."),
        Field::bool("recurse", "Recurse", "Recursive watch; recursive directory copy; mkdir -p behaviour; recursive delete when absent."),
        Field::bool("force", "Force", "Permit replacing an object of a different type (dir by file, file by dir, anything by symlink)."),
        Field::bool("purge", "Purge", "Delete entries found in the directory that are neither in source nor owned by another file resource in the graph."),
        Field::bool("symlink", "Symlink", "The object is a symbolic link whose target is source."),
        Field::str("selinux", "SELinux", "Full SELinux context to store in the security.selinux xattr. Empty string removes the xattr.").nullable(),
    ],
    traits: Traits { edgeable: true, recvable: true, reversible: true, graph_queryable: true, ..Traits::NONE },
    constants: &[("state.exists", Constant::Str("exists")), ("state.absent", Constant::Str("absent")), ("state.undefined", Constant::Str(""))],
};

impl Kind for File {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn backend(&self) -> &'static str {
        "system calls on files; inotify wakes it. What a policy must allow: `paths` and `reads`; \
         modes with set-ID bits need a word in `privileges`."
    }

    fn probes(&self, want: &Want) -> Vec<Probe> {
        apply::probes(want)
    }

    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        apply::decide(want, seen)
    }

    fn watches(&self, want: &Want) -> Vec<Watch> {
        apply::watches(want)
    }

    /// Only a purge must know what else is managed there.
    fn queries_below(&self, want: &Want) -> Option<String> {
        want.bool("purge").then(|| path::effective(want).into_owned())
    }

    fn reverse_probes(&self, want: &Want) -> Result<Vec<Probe>, String> {
        undo::probes(want)
    }

    fn reverse(&self, want: &Want, findings: &[Finding]) -> Result<Params, String> {
        undo::params(want, findings)
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        validate::validate(want)
    }

    fn compare(&self, one: &Want, other: &Want) -> Result<(), String> {
        ensure(path::effective(one) == path::effective(other), "the Path differs")?;
        compare::fields(one, other)
    }

    fn claims(&self, want: &Want) -> Vec<Claim> {
        vec![Claim::File(path::effective(want).into_owned())]
    }

    /// Every fragment.
    fn wants(&self, want: &Want) -> Vec<WantBatch> {
        let file = |path: String| (Claim::File(path), Direction::Before);
        let fragments = want.texts("fragments").into_iter().map(|path| file(path.into_owned())).collect();
        vec![WantBatch { claims: fragments, first_only: false }]
    }

    fn wants_on_hosts(&self, want: &Want) -> Vec<Claim> {
        [wanted_user(&want.text("owner")), wanted_group(&want.text("group"))].into_iter().flatten().collect()
    }

    fn wants_in(&self, want: &Want) -> Vec<String> {
        let dirs = want.texts("fragments").into_iter().filter(|path| path.ends_with('/'));
        dirs.map(|path| format!("{}/", path::clean(&path).trim_end_matches('/'))).collect()
    }

    fn wants_above(&self, want: &Want) -> Option<String> {
        Some(path::clean(&path::effective(want)))
    }
}
