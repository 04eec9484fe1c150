//! [`Talk`]: a transaction of PackageKit, from its creation to its last signal.
//!
//! A transaction ends with the connection that created it. Each has its own connection, so dropping the [`Talk`] ends
//! the transaction.

use crate::network::bus::{self, Connection, Message, Object, OwnedObjectPath, Signals};
use mclive_base::vocab::{HostError, HostErrorKind};
use std::path::Path;
use std::time::Duration;

pub(super) const SERVICE: &str = "org.freedesktop.PackageKit";
const DAEMON: Object = Object { service: SERVICE, path: "/org/freedesktop/PackageKit", interface: SERVICE };
const INTERFACE: &str = "org.freedesktop.PackageKit.Transaction";
/// The bus reports new and lost owners of a name with it.
const OWNERS: &str =
    "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged'";
const DOOR: &str = "/run/dbus/system_bus_socket";
/// The limit of an answer that only confirms a start.
const LIMIT: Duration = Duration::from_secs(25);
/// A transaction without signals for this long has failed.
const SILENCE: Duration = Duration::from_secs(300);
/// The role number of a refresh of the package lists.
const REFRESH: u32 = 13;
/// The maximum size of an answer.
const MOST: usize = 1 << 20;

/// Exit codes of a transaction.
const EXIT_SUCCESS: u32 = 1;
const EXIT_CANCELLED: u32 = 3;

/// Error codes.
const NO_NETWORK: u32 = 2;
const PACKAGE_NOT_FOUND: u32 = 8;
const ALREADY_INSTALLED: u32 = 9;
const UNTRUSTED: [u32; 3] = [5, 30, 31];

/// A package: `name;version;arch;data`. The data differs between releases.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Id {
    pub(super) name: String,
    pub(super) version: String,
    arch: String,
    data: String,
}

impl Id {
    pub(super) fn parse(text: &str) -> Option<Id> {
        let mut parts = text.splitn(4, ';').map(str::to_owned);
        let (name, version) = (parts.next()?, parts.next()?);
        Some(Id { name, version, arch: parts.next()?, data: parts.next()? })
    }

    /// Whether `name` or `name:arch` refers to it.
    pub(super) fn is_of(&self, name: &str) -> bool {
        let (name, arch) = name.split_once(':').map_or((name, None), |(name, arch)| (name, Some(arch)));
        self.name == name && arch.is_none_or(|arch| arch == self.arch || arch == "any")
    }

    fn text(&self) -> String {
        format!("{};{};{};{}", self.name, self.version, self.arch, self.data)
    }
}

/// The signals up to the end.
#[derive(Default)]
struct Said {
    packages: Vec<(u32, Id)>,
    files: Vec<String>,
}

/// A transaction that was created but not started.
pub(super) struct Talk {
    connection: Connection,
    signals: Signals,
    path: OwnedObjectPath,
}

impl Talk {
    pub(super) async fn begin() -> Result<Talk, HostError> {
        let (connection, signals) = connect().await?;
        let what = "start a PackageKit transaction";
        let made = bus::call(&connection, DAEMON, "CreateTransaction", &(), LIMIT, what).await.map_err(absent)?;
        let path: OwnedObjectPath = bus::read(&made, what)?;
        // In place before the first request, so that no answer is missed.
        bus::listen(&connection, &format!("type='signal',sender='{SERVICE}',path='{}'", path.as_str())).await?;
        bus::listen(&connection, &format!("{OWNERS},arg0='{SERVICE}'")).await?;
        let talk = Talk { connection, signals, path };
        let hints = ["locale=C", "interactive=false", "background=false"];
        talk.call("SetHints", &&hints[..], what).await?;
        Ok(talk)
    }

    /// The packages with these names. An unknown name is not an error.
    pub(super) async fn resolve(self, filter: u64, names: &[String]) -> Result<Vec<Id>, HostError> {
        // PackageKit does not accept an architecture in a name.
        let names: Vec<&str> = names.iter().map(|name| name.split(':').next().unwrap_or_default()).collect();
        let what = format!("look for {}", shown(&names));
        match self.run("Resolve", &(filter, &names[..]), &what).await {
            Err(error) if error.kind == HostErrorKind::NotFound => Ok(Vec::new()),
            said => said.map(|said| said.packages.into_iter().map(|(_, id)| id).collect()),
        }
    }

    pub(super) async fn files(self, id: &Id) -> Result<Vec<String>, HostError> {
        let ids = [id.text()];
        let said = self.run("GetFiles", &&ids[..], &format!("list the files of {}", id.name)).await?;
        Ok(said.files)
    }

    pub(super) async fn refresh(self) -> Result<(), HostError> {
        self.run("RefreshCache", &true, "refresh the package lists").await.map(drop)
    }

    pub(super) async fn install(self, flags: u64, ids: &[Id]) -> Result<Vec<(u32, Id)>, HostError> {
        self.change("InstallPackages", "install", flags, ids).await
    }

    pub(super) async fn update(self, flags: u64, ids: &[Id]) -> Result<Vec<(u32, Id)>, HostError> {
        self.change("UpdatePackages", "update", flags, ids).await
    }

    /// With packages that depend on them, but without packages that only they needed.
    pub(super) async fn remove(self, flags: u64, ids: &[Id]) -> Result<Vec<(u32, Id)>, HostError> {
        let texts: Vec<String> = ids.iter().map(Id::text).collect();
        let said = self.run("RemovePackages", &(flags, texts, true, false), &whom("remove", ids)).await?;
        Ok(said.packages)
    }

    async fn change(self, method: &str, word: &str, flags: u64, ids: &[Id]) -> Result<Vec<(u32, Id)>, HostError> {
        let texts: Vec<String> = ids.iter().map(Id::text).collect();
        Ok(self.run(method, &(flags, texts), &whom(word, ids)).await?.packages)
    }

    async fn call<B>(&self, method: &str, body: &B, what: &str) -> Result<Message, HostError>
    where
        B: serde::Serialize + bus::DynamicType,
    {
        let object = Object { service: SERVICE, path: self.path.as_str(), interface: INTERFACE };
        bus::call(&self.connection, object, method, body, LIMIT, what).await
    }

    /// Starts it, and listens until the end.
    async fn run<B>(mut self, method: &str, body: &B, what: &str) -> Result<Said, HostError>
    where
        B: serde::Serialize + bus::DynamicType,
    {
        self.call(method, body, what).await?;
        let (mut said, mut failed) = (Said::default(), None);
        loop {
            let silent = |_| HostError::new(HostErrorKind::TimedOut, format!("{what}: PackageKit stopped responding"));
            let Some(message) = tokio::time::timeout(SILENCE, self.signals.next()).await.map_err(silent)? else {
                let why = format!("{what}: the bus connection was lost before it finished");
                return Err(HostError::new(HostErrorKind::Other, why));
            };
            let header = message.header();
            let is_own = header.path().is_some_and(|path| path.as_str() == self.path.as_str());
            match header.member().map(|member| member.as_str()).unwrap_or_default() {
                "NameOwnerChanged" => {
                    let (who, _, owner): (String, String, String) = bus::read(&message, what)?;
                    if who == SERVICE && owner.is_empty() {
                        return Err(ended(what));
                    }
                }
                _ if !is_own => {}
                "Package" => {
                    let (info, id, _): (u32, String, String) = bus::read(&message, what)?;
                    said.hear(info, &id);
                }
                // Many at once, in later releases.
                "Packages" => {
                    let all: Vec<(u32, String, String)> = bus::read(&message, what)?;
                    all.iter().for_each(|(info, id, _)| said.hear(*info, id));
                }
                "Files" => {
                    let (_, files): (String, Vec<String>) = bus::read(&message, what)?;
                    let room = MOST - said.files.len();
                    said.files.extend(files.into_iter().take(room));
                }
                "ErrorCode" => failed = Some(bus::read::<(u32, String)>(&message, what)?),
                "Finished" => {
                    let (exit, _): (u32, u32) = bus::read(&message, what)?;
                    return match (exit, failed) {
                        (EXIT_SUCCESS, _) => Ok(said),
                        (exit, failed) => Err(why(exit, failed, what)),
                    };
                }
                "Destroy" => return Err(ended(what)),
                _ => {}
            }
        }
    }
}

impl Said {
    fn hear(&mut self, info: u32, id: &str) {
        if let Some(id) = Id::parse(id)
            && self.packages.len() < MOST
        {
            self.packages.push((info, id));
        }
    }
}

async fn connect() -> Result<(Connection, Signals), HostError> {
    if !Path::new(DOOR).exists() {
        return Err(HostError::new(HostErrorKind::Unavailable, mclive_base::vocab::package::NO_SYSTEM));
    }
    bus::connect(Path::new(DOOR)).await
}

/// The name has no owner and cannot be activated.
fn absent(error: HostError) -> HostError {
    let is_absent = error.message.contains("ServiceUnknown") || error.message.contains("was not provided by any");
    match is_absent || error.kind == HostErrorKind::NotFound {
        true => HostError::new(HostErrorKind::Unavailable, mclive_base::vocab::package::NO_SYSTEM),
        false => error,
    }
}

/// Seconds since the package lists were fetched; `None` if they never were.
pub(super) async fn lists_age_s() -> Result<Option<u64>, HostError> {
    let (connection, _signals) = connect().await?;
    let what = "get the age of PackageKit's package lists";
    let age = bus::call(&connection, DAEMON, "GetTimeSinceAction", &REFRESH, LIMIT, what).await.map_err(absent)?;
    let age: u32 = bus::read(&age, what)?;
    Ok((age != u32::MAX).then_some(age.into()))
}

fn ended(what: &str) -> HostError {
    HostError::new(HostErrorKind::Other, format!("{what}: PackageKit exited before it finished"))
}

/// Why it failed, in words.
fn why(exit: u32, failed: Option<(u32, String)>, what: &str) -> HostError {
    let (code, text) = failed.unwrap_or_default();
    let text = text.trim().trim_end_matches('.').replace('\n', "; ");
    let (kind, why) = match code {
        _ if exit == EXIT_CANCELLED => (HostErrorKind::Cancelled, "it was canceled".to_owned()),
        NO_NETWORK => (HostErrorKind::Unavailable, format!("no network connection: {text}")),
        PACKAGE_NOT_FOUND => (HostErrorKind::NotFound, text),
        ALREADY_INSTALLED => (
            HostErrorKind::Other,
            format!("higher version already installed, use allowdowngrade to allow pinning to a lower version: {text}"),
        ),
        code if UNTRUSTED.contains(&code) => (
            HostErrorKind::Refused,
            format!("package is not trusted, use allowuntrusted to allow installing untrusted packages: {text}"),
        ),
        _ if text.is_empty() => (HostErrorKind::Other, format!("PackageKit ended with {exit}")),
        _ => (HostErrorKind::Other, text),
    };
    HostError::new(kind, format!("{what}: {why}"))
}

fn whom(word: &str, ids: &[Id]) -> String {
    format!("{word} {}", shown(&ids.iter().map(|id| id.name.as_str()).collect::<Vec<_>>()))
}

/// A few names, and how many there are.
fn shown(names: &[&str]) -> String {
    match names {
        [few @ .., _, _, _] if !few.is_empty() => format!("{}, {} and {} more", names[0], names[1], names.len() - 2),
        all => all.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_is_of_its_name_and_architecture() {
        let id = Id::parse("tiny;1:2.0-1;amd64;auto:main;odd").unwrap();
        assert!(id.is_of("tiny") && id.is_of("tiny:amd64") && id.is_of("tiny:any"));
        assert!(!id.is_of("tiny:i386") && !id.is_of("tin"));
        assert_eq!(id.text(), "tiny;1:2.0-1;amd64;auto:main;odd");
        assert!(Id::parse("tiny;1").is_none());
    }

    #[test]
    fn failures_are_told_as_the_kind_tells_them() {
        let said = |code: u32, text: &str| why(2, Some((code, text.to_owned())), "install tiny");
        assert!(said(30, "bad.").message.contains("use allowuntrusted"));
        assert_eq!(said(2, "offline").kind, HostErrorKind::Unavailable);
        assert_eq!(said(4, "a\nb").message, "install tiny: a; b");
        assert_eq!(why(EXIT_CANCELLED, None, "x").kind, HostErrorKind::Cancelled);
        assert_eq!(shown(&["a", "b", "c"]), "a, b, c");
        assert_eq!(shown(&["a", "b", "c", "d"]), "a, b and 2 more");
    }
}
