//! Firmware: what fwupd knows of devices, of releases for them, and of the remotes that have those.

use super::subject::never;
use super::{Change, Listen, Look, Power};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Write};

never! { Fact }

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Probe {
    /// → `Devices`.
    Devices,
    /// → `Releases`: those that fit a device, the newest first.
    Releases {
        /// Its id.
        device: String,
    },
    /// → `Remotes`.
    Remotes,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    Devices(Vec<Device>),
    Releases(Vec<Release>),
    Remotes(Vec<Remote>),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Device {
    pub id: String,
    pub guids: Vec<String>,
    pub name: String,
    pub version: String,
    pub is_updatable: bool,
    /// An update is there, and in use from the next boot on.
    pub awaits_reboot: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Release {
    pub version: String,
    /// The id of its remote.
    pub remote: String,
    /// As its remote names it: a URL, or a file beside the remote's metadata.
    pub location: String,
    /// In hexadecimal digits, of the archive.
    pub checksums: Vec<String>,
    pub is_upgrade: bool,
    pub is_downgrade: bool,
    /// Why fwupd would not install it.
    pub blocked: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Remote {
    pub id: String,
    pub is_enabled: bool,
    /// Where its metadata is fetched; empty: it lies on this host.
    pub url: String,
    /// Where its metadata lies.
    pub cache: String,
    /// What stands before the names of its archives, if that is another place.
    pub base_url: String,
    /// Since its metadata was fetched; `None`: it never was. Units: seconds.
    pub age_s: Option<u64>,
}

/// Where an archive or metadata is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Origin {
    File(String),
    Url(String),
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Step {
    Install(Box<Install>),
    Enable {
        remote: String,
        on: bool,
    },
    /// Fetches the metadata of a remote, and its signature beside it.
    Refresh {
        remote: String,
        url: String,
        age_s: Option<u64>,
    },
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Install {
    pub device: String,
    /// For people.
    pub name: String,
    pub now: String,
    pub version: String,
    pub source: Origin,
    /// SHA-256 in hexadecimal digits. An archive of the network has one.
    pub sha256: Option<String>,
    pub allow_older: bool,
}

/// Devices and remotes as fwupd tells of them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Watch {
    /// An empty id: all of them.
    Device {
        id: String,
    },
    Remotes,
}

impl Device {
    /// By its id or one of its GUIDs.
    pub fn is(&self, named: &str) -> bool {
        std::iter::once(&self.id).chain(&self.guids).any(|own| own.eq_ignore_ascii_case(named))
    }
}

impl Release {
    pub fn sha256(&self) -> Option<&String> {
        self.checksums.iter().find(|sum| sum.len() == 64)
    }
}

impl Remote {
    /// Where one of its archives is. Errors: nowhere that can be read.
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
}

impl Change for Step {
    fn words(&self, f: &mut dyn Write) -> fmt::Result {
        match self {
            Step::Install(install) => {
                write!(f, "install the firmware {} on {} (has {})", install.version, install.name, install.now)
            }
            Step::Enable { remote, on } => {
                let word = |on| if on { "enabled" } else { "disabled" };
                write!(f, "the firmware remote {remote}: {} → {}", word(!on), word(*on))
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

    /// A device is written once.
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
        let words = "fetch the metadata of the firmware remote lvfs (is 2 h old)";
        assert_eq!(super::super::Step::from(step).to_string(), words);
    }
}
