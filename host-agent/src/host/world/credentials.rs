//! [`Credentials`]: how a host or an operator authenticates the store and itself: custom authorities, a client
//! certificate, and a user with a password. Each is a file that is read again after it has changed, so a renewed
//! certificate or a new password needs no restart. Their contents are never shown.

use super::gateway::Failure;
use crate::host::{io_words, read_small};
use crate::lock::Mutex;
use crate::network::http::Trust;
use crate::output;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

/// The longest password. Units: bytes.
const LONGEST: u64 = 4096;
/// How often to look whether a file has changed.
const LOOKS: Duration = Duration::from_secs(1);

#[derive(Default)]
pub(crate) struct Credentials {
    /// Certificates of the authorities that sign for the store. `None`: those of the system.
    authorities: Option<PathBuf>,
    /// The client's certificate and its key.
    pair: Option<(PathBuf, PathBuf)>,
    user: Option<User>,
    last: Mutex<LastRead>,
}

/// A user of the store, and the file with the password.
#[derive(Clone)]
pub(crate) struct User {
    pub(crate) name: String,
    pub(crate) password: PathBuf,
}

/// What was read from the files.
#[derive(Default)]
struct LastRead {
    trust: Option<(Vec<Stamp>, Trust)>,
    /// Why newer files cannot be used.
    problem: Option<String>,
}

/// Tells a version of a file from another one. `None`: there is no file.
type Stamp = Option<(u64, u64, i64, i64, u64)>;

fn stamp(path: &Path) -> Stamp {
    let file = fs::metadata(path).ok()?;
    Some((file.dev(), file.ino(), file.mtime(), file.mtime_nsec(), file.len()))
}

impl Credentials {
    /// Reads the files. Returns warnings as well. Errors: the file that cannot be used, and why.
    pub(crate) fn new(
        authorities: Option<PathBuf>,
        pair: Option<(PathBuf, PathBuf)>,
        user: Option<User>,
    ) -> Result<(Credentials, Vec<String>), String> {
        let credentials = Credentials { authorities, pair, user, last: Mutex::default() };
        credentials.read()?;
        let mut warnings = Vec::new();
        if let Some(User { password, .. }) = &credentials.user {
            read_password(password)?;
            warnings.extend(open_to_others(password, 0o077));
        }
        if let Some((_, key)) = &credentials.pair {
            // Debian gives keys to a group, `ssl-cert`.
            warnings.extend(open_to_others(key, 0o007));
        }
        Ok((credentials, warnings))
    }

    pub(super) fn user(&self) -> Option<&User> {
        self.user.as_ref()
    }

    pub(super) fn authorities(&self) -> Option<&Path> {
        self.authorities.as_deref()
    }

    /// The client's certificate.
    pub(super) fn certificate(&self) -> Option<&Path> {
        self.pair.as_ref().map(|(certificate, _)| certificate.as_path())
    }

    /// How to recognise the store. `None`: as usual on this host.
    pub(super) async fn trust(self: &Arc<Self>) -> Result<Option<Trust>, Failure> {
        if self.authorities.is_none() && self.pair.is_none() {
            return Ok(None);
        }
        let own = self.clone();
        let read = spawn_blocking(move || own.read()).await;
        read.unwrap_or_else(|error| Err(error.to_string())).map_err(Failure::Away)
    }

    /// As the files say now. While they cannot be used, the ones before are.
    fn read(&self) -> Result<Option<Trust>, String> {
        let files = self.files();
        if files.is_empty() {
            return Ok(None);
        }
        // Before they are read: a later change is then noticed.
        let stamps: Vec<Stamp> = files.iter().map(|path| stamp(path)).collect();
        let mut last = self.last.lock();
        if let Some((_, trust)) = last.trust.as_ref().filter(|(of, _)| *of == stamps) {
            return Ok(Some(trust.clone()));
        }
        let pair = self.pair.as_ref().map(|(certificate, key)| (certificate.as_path(), key.as_path()));
        match (Trust::read(self.authorities.as_deref(), pair), last.trust.as_ref().map(|(_, trust)| trust.clone())) {
            (Ok(trust), _) => {
                *last = LastRead { trust: Some((stamps, trust.clone())), problem: None };
                Ok(Some(trust))
            }
            (Err(why), Some(before)) => {
                if last.problem.as_ref() != Some(&why) {
                    output::tell(&format!("mclive: warning: {why}; still using the previous certificates"));
                    last.problem = Some(why);
                }
                Ok(Some(before))
            }
            (Err(why), None) => Err(why),
        }
    }

    /// The files of encrypted connections.
    fn files(&self) -> Vec<&Path> {
        let pair = self.pair.iter().flat_map(|(certificate, key)| [certificate.as_path(), key.as_path()]);
        self.authorities.as_deref().into_iter().chain(pair).collect()
    }

    /// Waits until one of the files has changed.
    pub(super) async fn change(&self) {
        let mut files: Vec<PathBuf> = self.files().into_iter().map(Path::to_path_buf).collect();
        files.extend(self.user.iter().map(|user| user.password.clone()));
        if files.is_empty() {
            return std::future::pending().await;
        }
        let files = Arc::new(files);
        let look = || {
            let files = files.clone();
            spawn_blocking(move || files.iter().map(|path| stamp(path)).collect::<Vec<_>>())
        };
        let Ok(before) = look().await else { return };
        loop {
            sleep(LOOKS).await;
            if look().await.ok().as_ref() != Some(&before) {
                return;
            }
        }
    }
}

impl User {
    /// The password that the file has now.
    pub(super) async fn password(&self) -> Result<String, Failure> {
        let path = self.password.clone();
        let read = spawn_blocking(move || read_password(&path)).await;
        read.unwrap_or_else(|error| Err(error.to_string())).map_err(Failure::Refused)
    }
}

/// The password in a file with one line.
fn read_password(path: &Path) -> Result<String, String> {
    let wrong = |why: &str| format!("{}: {why}", path.display());
    let bytes = read_small(path, LONGEST).map_err(|error| wrong(&io_words(&error)))?;
    let text = String::from_utf8(bytes).map_err(|_| wrong("the password is not UTF-8"))?;
    let password = text.strip_suffix('\n').unwrap_or(&text);
    let password = password.strip_suffix('\r').unwrap_or(password);
    match password {
        "" => Err(wrong("it contains no password")),
        _ if password.contains(['\n', '\r', '\0']) => Err(wrong("expected one line with the password")),
        _ => Ok(password.to_owned()),
    }
}

/// What to do about a file that others may read. Containers get their secrets with such modes, so it is not an error.
fn open_to_others(path: &Path, bits: u32) -> Option<String> {
    let mode = fs::metadata(path).ok()?.mode() & 0o7777;
    let path = path.display();
    (mode & bits != 0).then(|| format!("other users can access {path} (mode {mode:04o}): use `chmod 600 {path}`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::scratch::Scratch;
    use std::os::unix::fs::PermissionsExt;

    fn with_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_password_is_one_line() {
        let folder = Scratch::new("world-password");
        let path = folder.join("password");
        for (content, expect) in [("a b\n", "a b"), ("secret", "secret"), ("secret\r\n", "secret"), (" \n", " ")] {
            fs::write(&path, content).unwrap();
            assert_eq!(read_password(&path).as_deref(), Ok(expect));
        }
        let long = "x".repeat(5000);
        for wrong in ["", "\n", "one\ntwo\n", long.as_str()] {
            fs::write(&path, wrong).unwrap();
            let why = read_password(&path).unwrap_err();
            assert!(why.starts_with(&format!("{}: ", path.display())) && !why.contains("two"), "{why}");
        }
        fs::write(&path, [0xff]).unwrap();
        assert!(read_password(&path).unwrap_err().ends_with("is not UTF-8"));
        assert!(read_password(&folder.join("missing")).unwrap_err().ends_with("no such file or directory"));
    }

    #[test]
    fn a_password_that_others_can_read_is_reported() {
        let folder = Scratch::new("world-modes");
        let password = folder.join("password");
        fs::write(&password, "secret\n").unwrap();
        let warnings = |mode| {
            with_mode(&password, mode);
            let user = User { name: "web1".into(), password: password.clone() };
            Credentials::new(None, None, Some(user)).unwrap().1
        };
        assert_eq!(warnings(0o600), Vec::<String>::new());
        assert_eq!(warnings(0o400), Vec::<String>::new());
        for mode in [0o640, 0o604] {
            let told = warnings(mode).join("\n");
            assert!(told.contains(&format!("(mode {mode:04o})")) && !told.contains("secret"), "{told}");
        }
    }

    #[test]
    fn files_that_cannot_be_used_are_named() {
        let folder = Scratch::new("world-files");
        let (empty, missing) = (folder.join("empty.pem"), folder.join("missing.pem"));
        fs::write(&empty, "nothing\n").unwrap();
        let why = |ca: &PathBuf| Credentials::new(Some(ca.clone()), None, None).map(drop).unwrap_err();
        assert_eq!(why(&empty), format!("{}: it contains no PEM certificate", empty.display()));
        assert_eq!(why(&missing), format!("{}: no such file or directory", missing.display()));
    }
}
