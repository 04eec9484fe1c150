//! `file`: manages one file, directory or symbolic link: existence, contents (literal, copied, or assembled from
//! fragments), ownership, mode and SELinux label. Resource spec, 9.

mod apply;
mod at_once;
mod attributes;
mod contents;
mod copy;
mod decided;
pub(crate) mod mode;
pub(crate) mod path;
mod surplus;
mod undo;
mod validate;

use crate::kinds::accounts::{wanted_group, wanted_user};
use crate::kinds::kind::{Decision, Seen};
use crate::kinds::required::{PolicyList, Required};
use crate::kinds::rules::ensure;
use crate::kinds::{
    Claim, Constant, Decided, Direction, Field, Kind, KindDecl, Params, Read, Traits, Want, WantBatch, compare,
};
use crate::vocab::{Finding, Probe, Watch};

/// The kind `file`.
pub(crate) struct File;

static DECL: KindDecl = KindDecl {
    name: "file",
    doc: "Manages a file, directory or symbolic link: its existence, content (literal, copied, or assembled from \
          fragments), owner, group, mode and SELinux label.",
    fields: &[
        Field::str("path", "Path", "Absolute path; defaults to the resource name. A trailing slash means a directory.")
            .effective(),
        Field::str("dirname", "Dirname", "Replaces the directory part of the path. Must end with a slash.").effective(),
        Field::str(
            "basename",
            "Basename",
            "Replaces the last component of the path. Must not begin with a slash; a \
                                            trailing slash means a directory.",
        )
        .effective(),
        Field::str(
            "state",
            "State",
            "`exists` or `absent`; empty means that existence is not managed. No other field \
                                      implies it.",
        ),
        Field::str(
            "content",
            "Content",
            "Content of the file; if unset, the content is not managed. An empty string means an empty file.",
        )
        .nullable(),
        Field::str(
            "source",
            "Source",
            "Path to copy from (a file, or a directory), or the target of the link if \
                                        `symlink` is true.",
        ),
        Field::strs(
            "fragments",
            "Fragments",
            "Absolute paths of files, or of directories with a trailing slash, that \
                                               are concatenated in this order, at most 64 MiB in total.",
        ),
        Field::str("owner", "Owner", "Owner: a user name, or a uid as a string."),
        Field::str("group", "Group", "Group name, or gid as a string."),
        Field::str(
            "mode",
            "Mode",
            "Octal number such as `0644`, or symbolic assignments such as `u=rwx,g=rx,o=`. The \
                                    operators `+` and `-` are not supported.",
        ),
        Field::bool(
            "recurse",
            "Recurse",
            "Create missing parent directories, copy and watch directories recursively, \
                                           and remove them with their content if `state` is `absent`.",
        ),
        Field::bool(
            "force",
            "Force",
            "Allow replacing an existing object of a different type: a directory with a \
                                       file, a file with a directory, anything with a link.",
        ),
        Field::bool(
            "purge",
            "Purge",
            "Delete entries of the directory that are neither in `source` nor managed by \
                                       another resource.",
        ),
        Field::bool("symlink", "Symlink", "Create a symbolic link to `source`."),
        Field::str("selinux", "SELinux", "Full SELinux context. An empty string removes the label.").nullable(),
    ],
    traits: Traits { edgeable: true, recvable: true, reversible: true, graph_queryable: true, ..Traits::NONE },
    constants: &[
        ("state.exists", Constant::Str("exists")),
        ("state.absent", Constant::Str("absent")),
        ("state.undefined", Constant::Str("")),
    ],
    policy: &[
        Required::list(PolicyList::Paths),
        Required::list(PolicyList::Reads),
        Required::list(PolicyList::Privileges).case("modes with set-ID bits"),
    ],
};

impl Kind for File {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn backend(&self) -> &'static str {
        "system calls. Files are watched with inotify."
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
    fn queries_paths(&self, want: &Want) -> bool {
        want.bool("purge")
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

    fn decides<'a>(&self, want: &Want<'a>) -> Vec<Decided<'a>> {
        decided::decided(want)
    }

    fn subject(&self, want: &Want) -> Option<String> {
        Some(decided::place(want))
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

    fn reads(&self, want: &Want) -> Vec<Read> {
        let fragments = want.texts("fragments");
        let dirs = fragments.iter().filter(|path| path.ends_with('/')).map(|path| Read::entries(path));
        // The target of a link need not exist.
        let source = Read::of(&want.text("source")).filter(|_| !want.bool("symlink"));
        // A directory is busy as long as something is mounted there.
        let removed = (want.text("state") == "absent").then(|| path::effective(want));
        let mounts = removed.filter(|path| path.ends_with('/')).map(|path| Read::mounts(&path));
        dirs.chain(source).chain(mounts).collect()
    }

    fn wants_above(&self, want: &Want) -> Option<String> {
        Some(path::clean(&path::effective(want)))
    }
}
