//! Firmware: the devices, releases and remotes of fwupd.

use super::subject::never;
use super::{Change, Listen, Look, Power};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Write};

never! { Fact }

/// A query to fwupd.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Probe {
    /// → `Devices`.
    Devices,
    /// → `Releases`: the releases for a device, newest first.
    Releases {
        /// Device id.
        device: String,
    },
    /// → `Remotes`.
    Remotes,
}

/// The answers to [`Probe`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    /// All devices.
    Devices(Vec<Device>),
    /// Releases, newest first.
    Releases(Vec<Release>),
    /// All remotes.
    Remotes(Vec<Remote>),
}

/// A device with firmware.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Device {
    /// The id.
    pub id: String,
    /// Its GUIDs.
    pub guids: Vec<String>,
    /// Its name.
    pub name: String,
    /// The installed version.
    pub version: String,
    /// Whether fwupd can update it.
    pub is_updatable: bool,
    /// An update takes effect at the next boot.
    pub awaits_reboot: bool,
}

/// A release of firmware for a device.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Release {
    /// Its version.
    pub version: String,
    /// The id of its remote.
    pub remote: String,
    /// Where it is: a URL, or a file beside the remote's metadata.
    pub location: String,
    /// Checksums of the archive, in hexadecimal.
    pub checksums: Vec<String>,
    /// Whether it is newer than the installed version.
    pub is_upgrade: bool,
    /// Whether it is older than the installed version.
    pub is_downgrade: bool,
    /// Why fwupd refuses to install it.
    pub blocked: Option<String>,
}

/// A source of firmware.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Remote {
    /// The id.
    pub id: String,
    /// Whether it is enabled.
    pub is_enabled: bool,
    /// URL of its metadata; empty if it is local.
    pub url: String,
    /// The local copy of its metadata.
    pub cache: String,
    /// Base URL of its archives, if it differs.
    pub base_url: String,
    /// The age of its metadata in seconds; `None`: it was never fetched.
    pub age_s: Option<u64>,
}

/// Where an archive or metadata comes from.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Origin {
    /// A path on the host.
    File(String),
    /// A URL.
    Url(String),
}

/// A change through fwupd.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Step {
    /// Installs firmware.
    Install(Box<Install>),
    /// Enables or disables a remote.
    Enable {
        /// The remote.
        remote: String,
        /// Whether to enable it.
        on: bool,
    },
    /// Fetches the metadata of a remote and its signature.
    Refresh {
        /// The remote.
        remote: String,
        /// URL of the metadata.
        url: String,
        /// The age that was seen.
        age_s: Option<u64>,
    },
}

/// One installation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Install {
    /// Device id.
    pub device: String,
    /// Name of the device, for messages.
    pub name: String,
    /// The installed version.
    pub now: String,
    /// The new version.
    pub version: String,
    /// Where the archive is.
    pub source: Origin,
    /// SHA-256 of the archive in hexadecimal; required for downloads.
    pub sha256: Option<String>,
    /// Whether a downgrade is allowed.
    pub allow_older: bool,
}

/// Changes of devices and remotes reported by fwupd.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Watch {
    /// A device; an empty id means all.
    Device {
        /// Device id.
        id: String,
    },
    /// All remotes.
    Remotes,
}

impl Device {
    /// Whether an id or GUID names this device.
    pub fn is(&self, named: &str) -> bool {
        std::iter::once(&self.id).chain(&self.guids).any(|own| own.eq_ignore_ascii_case(named))
    }
}

impl Release {
    /// The SHA-256 of the archive, if there is one.
    pub fn sha256(&self) -> Option<&String> {
        self.checksums.iter().find(|sum| sum.len() == 64)
    }
}

impl Remote {
    /// Where one of its archives is. Errors: the location cannot be read.
    pub fn source(&self, location: &str) -> Result<Origin, String> {
        let file = location.rsplit('/').next().unwrap_or(location);
        let above = |of: &str| of.rsplit_once('/').map_or(String::new(), |(above, _)| above.to_owned());
        if file.is_empty() || file == ".." {
            return Err(format!("the remote {} has an invalid archive location: `{location}`", self.id));
        }
        if !self.base_url.is_empty() {
            return Ok(Origin::Url(format!("{}/{file}", self.base_url.trim_end_matches('/'))));
        }
        if let Some(path) = location.strip_prefix("file://") {
            return Ok(Origin::File(path.to_owned()));
        }
        if location.contains("://") {
            return Ok(Origin::Url(location.to_owned()));
        }
        Ok(match self.url.as_str() {
            "" => Origin::File(format!("{}/{file}", above(&self.cache))),
            url => Origin::Url(format!("{}/{file}", above(url))),
        })
    }
}

impl Look for Probe {
    type Finding = Finding;

    fn waits(&self) -> bool {
        true
    }

    /// The age of the metadata is ignored.
    fn is_same(one: &Finding, other: &Finding) -> bool {
        let ageless = |remote: &Remote| Remote { age_s: remote.age_s.map(|_| 0), ..remote.clone() };
        match (one, other) {
            (Finding::Remotes(one), Finding::Remotes(other)) => one.iter().map(ageless).eq(other.iter().map(ageless)),
            _ => one == other,
        }
    }
}

impl Change for Step {
    fn words(&self, f: &mut dyn Write) -> fmt::Result {
        match self {
            Step::Install(install) => {
                write!(f, "install the firmware {} on {} (has {})", install.version, install.name, install.now)
            }
            Step::Enable { remote, on } => {
                let (verb, now) = if *on { ("enable", "disabled") } else { ("disable", "enabled") };
                write!(f, "{verb} the firmware remote {remote} (is {now})")
            }
            Step::Refresh { remote, age_s, .. } => {
                write!(f, "fetch the metadata of the firmware remote {remote} (")?;
                match age_s {
                    Some(age) if *age < 3600 => write!(f, "{} min old)", age / 60),
                    Some(age) => write!(f, "{} h old)", age / 3600),
                    None => f.write_str("never fetched)"),
                }
            }
        }
    }

    fn powers(&self) -> Vec<Power<'_>> {
        match self {
            Step::Install(install) => {
                let source = match &install.source {
                    Origin::File(path) => Power::Read(path),
                    Origin::Url(url) => Power::Ask(url.as_str().into()),
                };
                vec![source, Power::Firmware(format!("device:{}", install.device))]
            }
            Step::Enable { remote, .. } => vec![Power::Firmware(format!("remote:{remote}"))],
            Step::Refresh { remote, url, .. } => {
                vec![Power::Ask(url.as_str().into()), Power::Firmware(format!("remote:{remote}"))]
            }
        }
    }

    fn waits(&self) -> bool {
        true
    }

    /// A device must not be flashed twice.
    fn repeats(&self) -> bool {
        !matches!(self, Step::Install(_))
    }
}

impl Listen for Watch {
    fn words(&self, f: &mut dyn Write) -> fmt::Result {
        match self {
            Watch::Device { id } if id.is_empty() => f.write_str("devices with firmware"),
            Watch::Device { id } => write!(f, "the firmware of the device {id}"),
            Watch::Remotes => f.write_str("the firmware remotes"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archives_lie_where_their_remote_says() {
        let local = Remote { cache: "/usr/share/f/x.xml".into(), ..Remote::default() };
        assert_eq!(local.source("./a.cab"), Ok(Origin::File("/usr/share/f/a.cab".into())));
        assert_eq!(local.source("../../etc/a.cab"), Ok(Origin::File("/usr/share/f/a.cab".into())));
        assert!(local.source("..").is_err() && local.source("").is_err());
        let url = |url: &str| Ok(Origin::Url(url.into()));
        let far = Remote { url: "https://h/d/x.xml.zst".into(), ..Remote::default() };
        assert_eq!(far.source("a.cab"), url("https://h/d/a.cab"));
        assert_eq!(far.source("https://o/a.cab"), url("https://o/a.cab"));
        let based = Remote { base_url: "https://b/d/".into(), ..far };
        assert_eq!(based.source("https://o/a.cab"), url("https://b/d/a.cab"));
    }

    #[test]
    fn a_remote_is_the_same_with_older_metadata() {
        let found = |age_s: Option<u64>, is_enabled: bool| {
            super::super::Finding::from(Finding::Remotes(vec![Remote { age_s, is_enabled, ..Remote::default() }]))
        };
        let now = found(Some(1), true);
        assert!(now.is_same(&found(Some(9), true)));
        for other in [found(None, true), found(Some(1), false), Finding::Remotes(Vec::new()).into()] {
            assert!(!now.is_same(&other), "{other:?}");
        }
    }

    #[test]
    fn steps_say_what_was_before() {
        let install = Install {
            device: "1".into(),
            name: "Webcam".into(),
            now: "1.2".into(),
            version: "1.3".into(),
            source: Origin::File("/a.cab".into()),
            sha256: None,
            allow_older: false,
        };
        let step = Step::Install(Box::new(install));
        assert_eq!(super::super::Step::from(step.clone()).to_string(), "install the firmware 1.3 on Webcam (has 1.2)");
        assert_eq!(step.powers(), [Power::Read("/a.cab"), Power::Firmware("device:1".into())]);
        let step = Step::Refresh { remote: "lvfs".into(), url: "https://h/x".into(), age_s: Some(7200) };
        let words = "fetch the metadata of the firmware remote lvfs (2 h old)";
        assert_eq!(super::super::Step::from(step).to_string(), words);
    }
}
