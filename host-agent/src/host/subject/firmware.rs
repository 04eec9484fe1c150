//! Firmware: fwupd, over the system bus. Archives and metadata are downloaded here and passed as descriptors, as its
//! own clients do; fwupd checks their signatures.

use super::{Backend, Context, absent, refused, tool};
use crate::host::bus::{self, Daemon, Line};
use crate::host::fs::open_regular;
use crate::host::{Host, Shared, io_failed};
use crate::network::bus::{Fd, Message, OwnedVariant, Variant, read};
use crate::network::http::Method;
use crate::network::http::client::joined;
use crate::network::http::talk;
use mclive_base::protocol::Ticket;
use mclive_base::vocab::firmware::{Device, Finding, Install, Origin, Probe, Release, Remote, Step, Watch};
use mclive_base::vocab::subjects::Firmware;
use mclive_base::vocab::{Datum, HostError, HostErrorKind, Outcome, Power, request};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{Read, Seek, Write};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub(super) static FWUPD: Daemon = Daemon {
    service: "org.freedesktop.fwupd",
    absent: "fwupd is not available: install the package `fwupd`",
    comes_when_asked: true,
    topic,
};
const MAIN: (&str, &str) = ("/", "org.freedesktop.fwupd");
/// How long the update of a device, and the download of an archive, may take.
const TO_INSTALL: Duration = Duration::from_secs(60 * 60);
const TO_FETCH: Duration = Duration::from_secs(30 * 60);
/// The maximum size of an archive or of metadata. Units: bytes.
const LARGEST: u64 = 512 << 20;
const MOST_REDIRECTIONS: usize = 5;

/// Flags of a device in fwupd: `FwupdDeviceFlags` and `FwupdUpdateState`.
const UPDATABLE: u64 = 1 << 1;
const NEEDS_REBOOT: u64 = 1 << 8;
const PENDING: u32 = 1;
const STATE_NEEDS_REBOOT: u32 = 4;
/// Flags of a release: `FwupdReleaseFlags`.
const IS_UPGRADE: u64 = 1 << 2;
const IS_DOWNGRADE: u64 = 1 << 3;
const BLOCKED_VERSION: u64 = 1 << 4;
const BLOCKED_APPROVAL: u64 = 1 << 5;

type Fields = HashMap<String, OwnedVariant>;

impl Backend for Firmware {
    type State = ();
    absent! { fact }

    fn probe(at: &Context, probe: &Probe) -> Result<Finding, HostError> {
        let probe = probe.clone();
        bus::speak(at, &FWUPD, |line| async move {
            Ok(match probe {
                Probe::Devices => {
                    Finding::Devices(all(&line, "GetDevices", None, "list devices").await?.iter().map(device).collect())
                }
                Probe::Releases { device } => {
                    let what = format!("list releases for {device}");
                    Finding::Releases(
                        all(&line, "GetReleases", Some(&device), &what).await?.iter().map(release).collect(),
                    )
                }
                Probe::Remotes => {
                    Finding::Remotes(all(&line, "GetRemotes", None, "list remotes").await?.iter().map(remote).collect())
                }
            })
        })
    }

    fn step(at: &Context, step: &Step) -> Result<Outcome, HostError> {
        match step {
            Step::Install(install) => self::install(at, install)?,
            Step::Enable { remote, on } => {
                let (remote, on) = (remote.clone(), if *on { "true" } else { "false" });
                bus::speak(at, &FWUPD, move |line| async move {
                    let what = format!("change the remote {remote}");
                    line.ask(MAIN, "ModifyRemote", &(remote.as_str(), "Enabled", on), &what).await.map(drop)
                })?;
            }
            Step::Refresh { remote, url, .. } => {
                // The signature first: it may be of older metadata, never of newer.
                let signature = fetched(at, &format!("{url}.jcat"))?;
                let metadata = fetched(at, url)?;
                let remote = remote.clone();
                bus::speak(at, &FWUPD, move |line| async move {
                    let what = format!("update the metadata of the remote {remote}");
                    let body = (remote.as_str(), Fd::from(&metadata), Fd::from(&signature));
                    line.ask(MAIN, "UpdateMetadata", &body, &what).await.map(drop)
                })?;
            }
        }
        Ok(Outcome::Done)
    }

    fn watch(host: &mut Host, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
        // fwupd's signals contain only device ids, and a program may use a GUID.
        let topic = match watch {
            Watch::Device { .. } => DEVICES,
            Watch::Remotes => REMOTES,
        };
        host.hear_daemon(ticket, &FWUPD, topic)
    }
}

fn install(at: &Context, install: &Install) -> Result<(), HostError> {
    let mut archive = match &install.source {
        Origin::Url(url) => fetched(at, url)?,
        Origin::File(path) => open_regular(at.shared.policy.reads(), path)?,
    };
    if let Some(wanted) = &install.sha256 {
        let sum = hashed(&mut archive).map_err(|error| io_failed("read", &install.name, &error))?;
        if !sum.eq_ignore_ascii_case(wanted) {
            let why =
                format!("the archive of {} {} has the SHA-256 {sum}, not {wanted}", install.name, install.version);
            return Err(HostError::new(HostErrorKind::Other, why));
        }
    }
    // Only one thread updates a device at a time.
    let _mine = at.shared.files.lock("/run/mclive/firmware");
    let install = install.clone();
    bus::speak_for(at, &FWUPD, TO_INSTALL, move |line| async move {
        let mut options: BTreeMap<&str, Variant> = BTreeMap::new();
        options.insert("reason", Variant::from("mclive"));
        options.insert("allow-older", Variant::from(install.allow_older));
        let what = format!("install the firmware {} on {}", install.version, install.name);
        let body = (install.device.as_str(), Fd::from(&archive), options);
        line.ask_within(TO_INSTALL, MAIN, "Install", &body, &what).await.map(drop)
    })
}

fn hashed(file: &mut File) -> std::io::Result<String> {
    let (mut sum, mut buffer) = (Sha256::new(), vec![0; 64 << 10]);
    file.rewind()?;
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            n => sum.update(&buffer[..n]),
        }
    }
    file.rewind()?;
    Ok(sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Downloads a URL to memory, and follows redirections that the policy allows.
fn fetched(at: &Context, url: &str) -> Result<File, HostError> {
    let (shared, url): (Arc<Shared>, String) = (at.shared.myself()?, url.to_owned());
    let mut file = tool::memory("firmware", b"")?;
    at.running.ask(&at.shared.network, TO_FETCH, async move {
        let mut here = url.clone();
        for _ in 0..=MOST_REDIRECTIONS {
            shared.policy.power(&Power::Ask(here.as_str().into())).map_err(refused)?;
            let message = talk::Message::new(Method::GET, here.as_str());
            let patience = message.patience;
            let answer = talk::begin(None, message).await?;
            let status = answer.status();
            if status.is_redirection() {
                let to = answer.headers().get("location").and_then(|to| to.to_str().ok()).unwrap_or_default();
                here = redirected(&here, to)?;
                continue;
            }
            if !status.is_success() {
                return Err(failed(&here, &format!("the server returned {status}")));
            }
            let (mut body, mut size) = (answer.into_body(), 0);
            while let Some(piece) = talk::next(&mut body, &here, patience).await? {
                size += piece.len() as u64;
                if size > LARGEST {
                    return Err(failed(&here, &format!("is longer than {LARGEST} bytes")));
                }
                file.write_all(&piece).map_err(|error| io_failed("write", &request::shown(&here), &error))?;
            }
            file.rewind().map_err(|error| io_failed("seek", &request::shown(&here), &error))?;
            return Ok(file);
        }
        Err(failed(&url, "too many redirects"))
    })
}

/// The target of a redirection.
fn redirected(here: &str, location: &str) -> Result<String, HostError> {
    let to = joined(here, location).filter(|_| !location.is_empty());
    let to = to.ok_or_else(|| failed(here, "redirect without a URL"))?;
    if is_secured(here) && !is_secured(&to) {
        let why = format!("it redirects to {}, which is not HTTPS", request::shown(&to));
        return Err(failed(here, &why));
    }
    Ok(to)
}

fn is_secured(url: &str) -> bool {
    url.get(..8).is_some_and(|start| start.eq_ignore_ascii_case("https://"))
}

fn failed(url: &str, why: &str) -> HostError {
    HostError::new(HostErrorKind::Other, format!("{}: {why}", request::shown(url)))
}

/// A list of objects, each with its fields. "Nothing to do" is an empty list.
async fn all(line: &Line, method: &str, of: Option<&str>, what: &str) -> Result<Vec<Fields>, HostError> {
    let asked = match of {
        Some(of) => line.ask(MAIN, method, &of, what).await,
        None => line.ask(MAIN, method, &(), what).await,
    };
    match asked {
        Ok(answer) => read(&answer, what),
        Err(error) if has_nothing(&error.message) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// Whether an error of fwupd means that a device has no releases, or that there is no metadata yet.
fn has_nothing(why: &str) -> bool {
    ["NothingToDo", "No releases", "no releases", "no firmware", "No supported devices"]
        .iter()
        .any(|known| why.contains(known))
}

fn text(fields: &Fields, name: &str) -> String {
    fields.get(name).and_then(|value| value.downcast_ref::<String>().ok()).unwrap_or_default()
}

fn texts(fields: &Fields, name: &str) -> Vec<String> {
    fields.get(name).and_then(|value| Vec::<String>::try_from(value.clone()).ok()).unwrap_or_default()
}

fn number(fields: &Fields, name: &str) -> u64 {
    let value = fields.get(name);
    let wide = value.and_then(|value| value.downcast_ref::<u64>().ok());
    wide.or_else(|| value?.downcast_ref::<u32>().ok().map(u64::from)).unwrap_or_default()
}

fn device(fields: &Fields) -> Device {
    let (flags, state) = (number(fields, "Flags"), number(fields, "UpdateState"));
    Device {
        id: text(fields, "DeviceId"),
        guids: texts(fields, "Guid"),
        name: text(fields, "Name"),
        version: text(fields, "Version"),
        is_updatable: flags & UPDATABLE != 0,
        awaits_reboot: flags & NEEDS_REBOOT != 0 || [PENDING, STATE_NEEDS_REBOOT].map(u64::from).contains(&state),
    }
}

fn release(fields: &Fields) -> Release {
    let flags = number(fields, "TrustFlags");
    let blocked = match flags {
        flags if flags & BLOCKED_VERSION != 0 => Some("the device does not accept this version"),
        flags if flags & BLOCKED_APPROVAL != 0 => Some("it is not approved"),
        _ => None,
    };
    let location = texts(fields, "Locations").into_iter().next();
    Release {
        version: text(fields, "Version"),
        remote: text(fields, "RemoteId"),
        location: location.unwrap_or_else(|| text(fields, "Uri")),
        checksums: text(fields, "Checksum").split(',').filter(|sum| !sum.is_empty()).map(str::to_owned).collect(),
        is_upgrade: flags & IS_UPGRADE != 0,
        is_downgrade: flags & IS_DOWNGRADE != 0,
        blocked: blocked.map(str::to_owned),
    }
}

fn remote(fields: &Fields) -> Remote {
    // The largest number means never.
    let modified_s = Some(number(fields, "ModificationTime")).filter(|s| *s > 0 && *s < u64::MAX);
    let now_s = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    Remote {
        id: text(fields, "RemoteId"),
        is_enabled: fields.get("Enabled").and_then(|value| value.downcast_ref::<bool>().ok()).unwrap_or_default(),
        url: text(fields, "Uri"),
        cache: text(fields, "FilenameCache"),
        base_url: text(fields, "FirmwareBaseUri"),
        age_s: modified_s.map(|then| now_s.saturating_sub(then)),
    }
}

const DEVICES: &str = "devices";
const REMOTES: &str = "remotes";

/// The subject of a signal. Progress and the status of fwupd are not events.
fn topic(message: &Message) -> Option<String> {
    match message.header().member()?.as_str() {
        "DeviceAdded" | "DeviceRemoved" | "DeviceChanged" => Some(DEVICES.to_owned()),
        // Remotes, and with them releases.
        "Changed" => Some(String::new()),
        _ => None,
    }
}

/// The update state of each device, for a fact.
pub(super) fn states(shared: &Shared) -> Result<Vec<i64>, HostError> {
    let id = mclive_base::protocol::ResourceId::new("fwupd", "facts");
    let at = Context { shared, id: &id, running: &crate::host::running::Running::look() };
    bus::speak(&at, &FWUPD, |line| async move {
        let devices = all(&line, "GetDevices", None, "list devices").await?;
        Ok(devices.iter().map(|fields| number(fields, "UpdateState") as i64).collect())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(pairs: &[(&str, Variant)]) -> Fields {
        let own =
            |(name, value): &(&str, Variant)| ((*name).to_owned(), OwnedVariant::try_from(value.clone()).unwrap());
        pairs.iter().map(own).collect()
    }

    #[test]
    fn what_is_told_of_devices_and_releases() {
        let told =
            fields(&[("DeviceId", "a1".into()), ("Flags", 0x102u64.into()), ("Guid", vec!["x".to_owned()].into())]);
        let seen = device(&told);
        assert!(seen.is_updatable && seen.awaits_reboot && seen.is("X") && seen.is("a1"));
        let told = fields(&[("TrustFlags", 0x17u64.into()), ("Checksum", "aa,bb".into()), ("Uri", "./a.cab".into())]);
        let seen = release(&told);
        assert!(seen.is_upgrade && !seen.is_downgrade && seen.blocked.is_some());
        assert_eq!((seen.checksums.len(), &*seen.location), (2, "./a.cab"));
        let never = remote(&fields(&[("ModificationTime", u64::MAX.into()), ("Enabled", true.into())]));
        assert_eq!((never.age_s, never.is_enabled), (None, true));
    }

    #[test]
    fn no_error_tells_the_password_of_an_address() {
        assert_eq!(failed("https://me:hush-hush@h/a", "no").message, "https://me:•••@h/a: no");
        assert!(is_secured("HTTPS://h/") && !is_secured("http://h/?https://") && !is_secured("https"));
    }

    #[test]
    fn a_redirection_stays_encrypted_and_may_be_a_path() {
        let to = |location: &str| redirected("https://h/a/b.cab", location).map_err(|error| error.message);
        assert_eq!(to("/c.cab").as_deref(), Ok("https://h/c.cab"));
        assert_eq!(to("https://cdn/c.cab").as_deref(), Ok("https://cdn/c.cab"));
        assert_eq!(to("").unwrap_err(), "https://h/a/b.cab: redirect without a URL");
        let open = to("http://h/c.cab").unwrap_err();
        assert_eq!(open, "https://h/a/b.cab: it redirects to http://h/c.cab, which is not HTTPS");
    }

    #[test]
    fn no_release_is_no_failure() {
        assert!(has_nothing("list releases: No releases found") && !has_nothing("device ID x was not found"));
    }
}
