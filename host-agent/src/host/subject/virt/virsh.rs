//! [`Virsh`]: the tool of libvirt, set up for one connection.

use super::{Context, other};
use crate::host::subject::tool;
use mclive_base::vocab::virt::{Connection, Login};
use mclive_base::vocab::{CommandSpec, HostError, HostErrorKind};
use std::fs::File;

pub(super) const TOOL: &str = "virsh";
/// The variables that locate connections, credentials and host keys.
const INHERITED: [&str; 5] = ["HOME", "LIBVIRT_DEFAULT_URI", "SSH_AUTH_SOCK", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"];

pub(super) struct Virsh {
    words: Vec<String>,
    env: Vec<(String, String)>,
    is_remote: bool,
    /// The tool reads it by the path in its environment.
    _login: Option<File>,
}

impl Virsh {
    /// Errors: it is not installed, the connection would do more than lead to libvirt, or a login cannot be told.
    pub(super) fn to(connection: &Connection) -> Result<Virsh, HostError> {
        connection.checked()?;
        let mut words = vec![tool::find(TOOL, "libvirt-clients")?, "--quiet".to_owned()];
        if !connection.uri.is_empty() {
            words.extend(["--connect".to_owned(), connection.uri.clone()]);
        }
        let value = |name: &str| std::env::var(name).ok().map(|value| (name.to_owned(), value));
        let mut env: Vec<(String, String)> = INHERITED.into_iter().filter_map(value).collect();
        let login = connection.login.as_ref().map(credentials).transpose()?;
        env.extend(login.as_ref().map(|file| ("LIBVIRT_AUTH_FILE".to_owned(), tool::path(file))));
        Ok(Virsh { words, env, is_remote: connection.is_remote(), _login: login })
    }

    /// What it names is on another host.
    pub(super) fn is_remote(&self) -> bool {
        self.is_remote
    }

    pub(super) fn spec(&self, words: &[&str]) -> CommandSpec {
        let words = words.iter().map(|word| (*word).to_owned());
        CommandSpec {
            argv: self.words.iter().cloned().chain(words).collect(),
            env: self.env.clone(),
            ..CommandSpec::default()
        }
    }

    /// Runs it. Returns its output. Errors: its error message.
    pub(super) fn ask(&self, at: &Context, words: &[&str]) -> Result<String, HostError> {
        let outcome = tool::run(at, self.spec(words))?;
        match outcome.status {
            Some(0) => Ok(String::from_utf8_lossy(outcome.stdout.as_deref().unwrap_or_default()).into_owned()),
            _ => Err(self.failed(words[0], &tool::said(outcome.stderr.as_deref()))),
        }
    }

    /// The same with a description after the first word.
    pub(super) fn tell(&self, at: &Context, word: &str, xml: &str, flags: &[&str]) -> Result<(), HostError> {
        let file = tool::memory("description", xml.as_bytes())?;
        self.ask(at, &[&[word, &tool::path(&file)], flags].concat()).map(drop)
    }

    fn failed(&self, what: &str, said: &str) -> HostError {
        let said = said.split("; ").map(|line| line.trim_start_matches("error: ")).collect::<Vec<_>>().join("; ");
        let said = said.trim_end_matches("; ");
        if !said.contains("failed to connect to the hypervisor") {
            return other(format!("virsh {what}: {said}"));
        }
        let help = match self.is_remote {
            true => "",
            false => ": install the package `libvirt-daemon-system`, and start libvirt with `systemctl start libvirtd`",
        };
        HostError::new(HostErrorKind::Unavailable, format!("cannot connect to libvirt: {said}{help}"))
    }
}

/// A login in libvirt's format, for any service that asks for it.
fn credentials(login: &Login) -> Result<File, HostError> {
    let parts = [&login.username, &login.password.0];
    if parts.iter().any(|part| part.contains(['\n', '\r', '\0'])) {
        return Err(HostError::new(HostErrorKind::Refused, "libvirt credentials cannot contain line breaks"));
    }
    let mut text = format!("[credentials-mclive]\nusername={}\npassword={}\n", parts[0], parts[1]);
    for service in ["libvirt", "esx", "hyperv", "test"] {
        text += &format!("[auth-{service}-default]\ncredentials=mclive\n");
    }
    tool::memory("login", text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use mclive_base::vocab::password::Secret;
    use std::io::Read;

    #[test]
    fn a_login_is_in_no_word() {
        let login = |password: &str| Login { username: "bob".into(), password: Secret(password.into()) };
        let mut text = String::new();
        credentials(&login("hush hush")).unwrap().read_to_string(&mut text).unwrap();
        assert!(text.contains("username=bob\npassword=hush hush\n") && text.contains("[auth-libvirt-default]"));
        assert!(credentials(&login("a\n[auth-x]")).is_err());
    }

    #[test]
    fn no_connection_runs_a_program() {
        let connection = Connection { uri: "qemu+ext:///system?command=/srv/x".into(), login: None };
        let error = Virsh::to(&connection).map(drop).unwrap_err();
        assert!(error.kind == HostErrorKind::Refused && error.message.contains("its transport is `ext`"), "{error:?}");
    }

    #[test]
    fn what_it_complains_of() {
        let virsh = |is_remote| Virsh { words: Vec::new(), env: Vec::new(), is_remote, _login: None };
        let said = "error: failed to connect to the hypervisor; error: Failed to connect socket";
        let local = virsh(false).failed("list", said);
        assert!(local.kind == HostErrorKind::Unavailable && local.message.contains("`systemctl start libvirtd`"));
        assert!(!virsh(true).failed("list", said).message.contains("systemctl"));
        assert_eq!(
            virsh(false).failed("start", "error: Failed to start; error: no disk").message,
            "virsh start: Failed to start; no disk"
        );
    }
}
