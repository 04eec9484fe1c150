//! `ssh:authorized_key`: ensures one line in an authorized_keys file, creating ~/.ssh when needed. Resource spec, 9.

use crate::kinds::required::{PolicyList, Required};
use crate::kinds::rules::ensure;
use crate::kinds::rules::exists_or_absent;
use crate::kinds::rules::is_user_name;
use crate::kinds::walk::{Walk, cannot_tell};
use crate::kinds::{
    Claim, Decided, Decision, Field, FieldDefault, Kind, KindDecl, Read, Seen, Traits, Want, accounts, line, ssh_key,
};
use crate::vocab::file::FileKind;
use crate::vocab::path::clean;
use crate::vocab::{Edit, Finding, Probe, Step, Watch, account, file};
use std::borrow::Cow;

/// The kind `ssh:authorized_key`.
pub(crate) struct SshAuthorizedKey;

static DECL: KindDecl = KindDecl {
    name: "ssh:authorized_key",
    doc: "Manages a key in an `authorized_keys` file, and creates `~/.ssh` if needed.",
    fields: &[
        Field::str("state", "State", "`exists` or `absent`.").required(),
        Field::str(
            "file",
            "File",
            "Path of the file, which may begin with `~` or `~user`; takes precedence over `user`.",
        ),
        Field::str("user", "User", "Manage `~user/.ssh/authorized_keys`; created files are owned by this user."),
        Field::str("content", "Content", "Whole line; cannot be combined with `options`, `type`, `key` or `comment`."),
        Field::strs("options", "Options", "Options of the key.").empty_differs(),
        Field::str("type", "Type", "Key type such as `ssh-ed25519`; requires `key`."),
        Field::str("key", "Key", "Key in Base64; requires `type`."),
        Field::str("comment", "Comment", "Comment at the end of the line."),
        Field::bool("mkdir", "Mkdir", "Create the `.ssh` directory with mode 0700 if it is missing.")
            .default(FieldDefault::Bool(true)),
    ],
    traits: Traits { edgeable_inert: true, ..Traits::NONE },
    constants: &[],
    policy: &[Required::list(PolicyList::Paths)],
};

impl Kind for SshAuthorizedKey {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        exists_or_absent(&want.text("state"))?;
        let user = want.text("user");
        ensure(user.is_empty() || is_user_name(&user), "`user` is not a valid name")?;
        let (content, kind, key, comment) =
            (want.text("content"), want.text("type"), want.text("key"), want.text("comment"));
        let options = want.texts("options");
        if !content.is_empty() {
            ensure(options.is_empty(), "`content` cannot be combined with `options`")?;
            ensure(kind.is_empty(), "`content` cannot be combined with `type`")?;
            ensure(key.is_empty(), "`content` cannot be combined with `key`")?;
            ensure(comment.is_empty(), "`content` cannot be combined with `comment`")?;
        }
        ensure(kind.is_empty() || !key.is_empty(), "`type` needs `key`")?;
        ensure(key.is_empty() || !kind.is_empty(), "`key` needs `type`")?;
        let is_line = key.trim().contains(' ');
        ssh_key::authorized_line(&key_line(want)).map_err(|reason| match is_line {
            true => "`key` is only the part in Base64, without type and comment".to_owned(),
            false => reason,
        })?;
        let file = want.text("file");
        if file.is_empty() { Ok(()) } else { line::check_file(&file) }
    }

    /// For each line in a file, as `line` does.
    fn decides<'a>(&self, want: &Want<'a>) -> Vec<Decided<'a>> {
        let file = key_file(want);
        let file = if file.starts_with('/') { clean(&file) } else { file };
        vec![Decided::shown(format!("the text {:?} in {file}", key_line(want)), want.text("state"))]
    }

    fn wants_on_hosts(&self, want: &Want) -> Vec<Claim> {
        let owner = owner_elsewhere(want).and_then(|user| accounts::wanted_user(&user));
        accounts::wanted_home(&key_file(want)).into_iter().chain(owner).collect()
    }

    fn puts(&self, want: &Want) -> Vec<String> {
        (want.text("state") == "exists").then(|| key_file(want)).into_iter().collect()
    }

    fn reads(&self, want: &Want) -> Vec<Read> {
        Read::of(&key_file(want)).into_iter().collect()
    }

    fn backend(&self) -> &'static str {
        "files, which are replaced atomically. A new `.ssh` and a new file belong to the account and its primary \
         group, with the modes 0700 and 0600, regardless of the umask. `absent` removes only this line: the same key \
         with other options or another comment stays, and still grants access. The file and `/etc/passwd` are watched \
         with inotify."
    }

    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        walk(want, &mut Walk::new(seen)).unwrap_or_else(|decision| decision)
    }

    fn watches(&self, want: &Want) -> Vec<Watch> {
        let account = owner_elsewhere(want).map(|_| account::Watch::Users.into());
        line::watches(&key_file(want)).into_iter().chain(account).collect()
    }
}

/// The line of the file.
fn key_line(want: &Want) -> String {
    let (kind, key, comment) = (want.text("type"), want.text("key"), want.text("comment"));
    if !want.text("content").is_empty() || kind.is_empty() {
        return ssh_key::canonical(&want.effective("content"));
    }
    let parts = [&*want.texts("options").join(","), &*kind, &*key, &*comment];
    let given: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    ssh_key::canonical(&given.join(" "))
}

/// The account that gets a file outside its home.
fn owner_elsewhere<'a>(want: &Want<'a>) -> Option<Cow<'a, str>> {
    let user = want.text("user");
    (!user.is_empty() && want.text("file").starts_with('/')).then_some(user)
}

fn key_file(want: &Want) -> String {
    match (&*want.text("file"), &*want.text("user")) {
        ("", user) => format!("~{user}/.ssh/authorized_keys"),
        (file, _) => file.to_owned(),
    }
}

/// The mode of a new `.ssh`.
const MODE: u32 = 0o700;

fn walk(want: &Want, walk: &mut Walk) -> Result<Decision, Decision> {
    let (file, user, exists) = (key_file(want), want.text("user").into_owned(), want.text("state") == "exists");
    let mut owner = None;
    if !user.is_empty() {
        let look = Probe::Account(account::Probe::User { name: user.clone() });
        let Some(entry) = accounts::user(&walk.look(vec![look])?[0])? else {
            return Err(Decision::CannotTell(format!("cannot find user {user}")));
        };
        owner = Some((entry.uid, entry.gid));
    }
    let (path, home) = accounts::expanded(walk, &file)?;
    // `~ann/…` names the account as `user` does; `~/…` is the agent's own.
    let owner = owner.or(home.filter(|_| !file.starts_with("~/")).map(|entry| (entry.uid, entry.gid)));
    let dir = path.rsplit_once('/').map_or("/", |(dir, _)| dir).to_owned();
    let mut made = false;
    if exists && want.bool("mkdir") && dir.ends_with("/.ssh") {
        let look = Probe::File(file::Probe::Stat { path: dir.clone(), follow: true });
        let is_new = match &walk.look(vec![look])?[0] {
            Finding::File(file::Finding::Stat(stat)) => stat.is_none(),
            other => return Err(cannot_tell(other)),
        };
        let mut steps = Vec::new();
        if is_new {
            steps.push(Step::File(file::Step::MakeDir { path: dir.clone(), parents: false, mode: Some(MODE) }));
        }
        if let Some((uid, gid)) = owner
            && (is_new || line::is_left(walk, &dir, FileKind::Dir, MODE, uid)?)
        {
            steps.push(Step::File(file::Step::SetOwner { path: dir, uid: Some(uid), gid: Some(gid) }));
        }
        if !steps.is_empty() {
            walk.act(steps)?;
            made = true;
        }
    }
    let line = key_line(want);
    match line::apply(walk, &path, &|text| edits(text, &line, exists), owner)? {
        Decision::InState(sent) if made => Ok(Decision::Mended(sent)),
        decision => Ok(decision),
    }
}

/// In the file, there may be other spaces between the parts of the line.
fn edits(text: &[u8], line: &str, exists: bool) -> Vec<Edit> {
    let mut there: Vec<&str> = Vec::new();
    for other in text.split(|byte| *byte == b'\n').filter_map(|other| std::str::from_utf8(other).ok()) {
        let other = other.trim_end_matches('\r');
        // Each key of a long file may be a resource, which reads all lines: nearly all differ soon.
        let is_near = solid(other.trim()).eq(solid(line));
        if is_near && !there.contains(&other) && ssh_key::canonical(other) == line {
            there.push(other);
        }
    }
    match exists {
        true if there.is_empty() => vec![Edit::Add(vec![line.to_owned()])],
        true => Vec::new(),
        false => there.into_iter().map(|other| Edit::Remove(vec![other.to_owned()])).collect(),
    }
}

/// A line without its spaces, those in quotes among them.
fn solid(line: &str) -> impl Iterator<Item = u8> {
    line.bytes().filter(|byte| !matches!(byte, b' ' | b'\t'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::check::Draft;

    #[test]
    fn one_line_of_a_file_is_decided_once() {
        let content = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g  me";
        let decided = |name: &str, field: &str, value: &str| {
            let draft = Draft::new("ssh:authorized_key", name).text("state", "absent").text(field, value);
            draft.decides()
        };
        let line = ssh_key::canonical(content);
        let says = |file: &str| vec![format!("the text {line:?} in {file}: absent")];
        assert_eq!(decided(content, "user", "ann"), says("~ann/.ssh/authorized_keys"));
        assert_eq!(decided(&line, "file", "~ann/.ssh/authorized_keys"), says("~ann/.ssh/authorized_keys"));
        assert_eq!(decided(content, "file", "/etc//keys"), says("/etc/keys"));
    }

    #[test]
    fn blanks_between_the_parts_may_differ_and_nothing_else() {
        let line = "from=\"a  b\" ssh-rsa K me";
        let is_there = |other: &str| edits(format!("x\n{other}\ny\n").as_bytes(), line, true).is_empty();
        for same in [line, "\tfrom=\"a  b\"\t ssh-rsa   K me \u{a0}\r", "from=\"a  b\" ssh-rsa K\tme"] {
            assert!(is_there(same), "{same:?}");
        }
        for other in ["from=\"a b\" ssh-rsa K me", "from=\"a  b\" ssh-rsa K m e", "from=\"a  b\" ssh-rsa K", "# K"] {
            assert!(!is_there(other), "{other:?}");
        }
    }
}
