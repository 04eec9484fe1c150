//! `line`: ensures that a block of one or more lines is present in, or absent from, a text file. Resource spec, 9.

use crate::kinds::required::{PolicyList, Required};
use crate::kinds::rules::ensure;
use crate::kinds::rules::known_state;
use crate::kinds::walk::{Walk, cannot_tell};
use crate::kinds::{Claim, Decided, Decision, Field, Kind, KindDecl, Read, Seen, Traits, Want, accounts};
use crate::vocab::file::FileKind;
use crate::vocab::path::clean;
use crate::vocab::{Edit, Finding, HostErrorKind, Probe, Step, Watch, account, file};

/// The kind `line`.
pub(crate) struct Line;

static DECL: KindDecl = KindDecl {
    name: "line",
    doc: "Ensures that a line, or a block of lines, is present in or absent from a text file.",
    fields: &[
        Field::str("file", "File", "Absolute path, or a path that begins with `~` or `~user`.").required(),
        Field::str("state", "State", "`exists` or `absent`.").required(),
        Field::str("content", "Content", "One or more lines. If empty, the resource does nothing."),
        Field::bool("trim", "Trim", "Strip leading and trailing whitespace from `content` first."),
    ],
    traits: Traits::NONE,
    constants: &[],
    policy: &[Required::list(PolicyList::Paths)],
};

impl Kind for Line {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        check_file(&want.text("file"))?;
        known_state(&want.text("state"), &["exists", "absent"])
    }

    /// For each text in a file.
    fn decides<'a>(&self, want: &Want<'a>) -> Vec<Decided<'a>> {
        let lines = match edit(&wanted_text(want), true) {
            Edit::Add(lines) if !lines.is_empty() => lines,
            _ => return Vec::new(),
        };
        let file = want.text("file");
        let file = if file.starts_with('/') { clean(&file) } else { file.into_owned() };
        vec![Decided::shown(format!("the text {:?} in {file}", lines.join("\n")), want.text("state"))]
    }

    fn wants_on_hosts(&self, want: &Want) -> Vec<Claim> {
        accounts::wanted_home(&want.text("file")).into_iter().collect()
    }

    fn puts(&self, want: &Want) -> Vec<String> {
        (want.text("state") == "exists").then(|| want.text("file").into_owned()).into_iter().collect()
    }

    fn reads(&self, want: &Want) -> Vec<Read> {
        Read::of(&want.text("file")).into_iter().collect()
    }

    fn backend(&self) -> &'static str {
        "files, which are replaced atomically and watched with inotify."
    }

    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        let edit = edit(&wanted_text(want), want.text("state") == "exists");
        let edits = |text: &[u8]| -> Vec<Edit> { edit.apply(text).map(|_| edit.clone()).into_iter().collect() };
        apply(&mut Walk::new(seen), &want.text("file"), &edits, None).unwrap_or_else(|decision| decision)
    }

    fn watches(&self, want: &Want) -> Vec<Watch> {
        watches(&want.text("file"))
    }
}

/// The maximum number of bytes of a file to edit.
const LONGEST: u64 = 8 << 20;
/// The mode of a new file: it may contain secrets.
const NEW: u32 = 0o600;

fn wanted_text(want: &Want) -> String {
    let text = want.text("content");
    if want.bool("trim") { text.trim().to_owned() } else { text.into_owned() }
}

/// Ensures that a block of lines is present or absent.
fn edit(text: &str, exists: bool) -> Edit {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let lines = if text.is_empty() { Vec::new() } else { text.split('\n').map(str::to_owned).collect() };
    if exists { Edit::Add(lines) } else { Edit::Remove(lines) }
}

/// Applies the edits that its text needs to a file. A new file gets `owner` before its content: if the agent is killed in
/// between, an empty file remains, which is recognised.
pub(super) fn apply(
    walk: &mut Walk,
    file: &str,
    edits: &dyn Fn(&[u8]) -> Vec<Edit>,
    owner: Option<(u32, u32)>,
) -> Result<Decision, Decision> {
    let (path, _) = accounts::expanded(walk, file)?;
    let read = Probe::File(file::Probe::Read { path: path.clone(), limit: LONGEST });
    let (text, is_new) = match &walk.look(vec![read])?[0] {
        Finding::File(file::Finding::Bytes(text)) => (text.as_slice(), false),
        Finding::Failed(error) if error.kind == HostErrorKind::NotFound => (&[][..], true),
        other => return Err(cannot_tell(other)),
    };
    let edits = edits(text);
    if edits.is_empty() {
        return Ok(Decision::InState(Vec::new()));
    }
    let mut steps = Vec::new();
    if let Some((uid, gid)) = owner {
        if is_new {
            steps.push(Step::File(file::Step::Create { path: path.clone(), mode: Some(NEW) }));
        }
        if is_new || text.is_empty() && is_left(walk, &path, FileKind::File, NEW, uid)? {
            steps.push(Step::File(file::Step::SetOwner { path: path.clone(), uid: Some(uid), gid: Some(gid) }));
        }
    }
    let step = |edit| Step::File(file::Step::Edit { path: path.clone(), edit, mode: Some(NEW) });
    steps.extend(edits.into_iter().map(step));
    walk.mend(steps)
}

/// Whether this is a user's `.ssh` or a file in it, as the agent leaves it if it is killed before it sets the owner: the
/// SSH server cannot read it, so it is never intended. Links are not followed, since the user may make them.
pub(super) fn is_left(walk: &mut Walk, path: &str, kind: FileKind, mode: u32, uid: u32) -> Result<bool, Decision> {
    if uid == 0 || !path.split('/').any(|name| name == ".ssh") {
        return Ok(false);
    }
    let look = Probe::File(file::Probe::Stat { path: path.to_owned(), follow: false });
    match &walk.look(vec![look])?[0] {
        Finding::File(file::Finding::Stat(stat)) => {
            Ok(stat.as_ref().is_some_and(|stat| (stat.kind, stat.mode, stat.uid) == (kind, mode, 0)))
        }
        other => Err(cannot_tell(other)),
    }
}

/// The file, wherever its home directory currently is.
pub(super) fn watches(file: &str) -> Vec<Watch> {
    let path = file.to_owned();
    vec![if file.starts_with('~') {
        account::Watch::Home { path }.into()
    } else {
        file::Watch { path, recursive: false }.into()
    }]
}

/// A path, absolute or in a home directory, that is not a directory.
pub(super) fn check_file(file: &str) -> Result<(), String> {
    ensure(!file.is_empty(), "`file` must be set")?;
    ensure(file.starts_with(['/', '~']), "`file` must be absolute")?;
    ensure(!file.ends_with('/'), "`file` must not end with a slash")
}
