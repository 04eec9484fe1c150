//! [`Permit`]: the places of the file system that may be used in one way. Every file operation takes one.

use super::list::List;
use super::privileges::{Lends, Word, lacking};
use mclive_base::vocab::path::{escaped, shown};
use mclive_base::vocab::{HostError, HostErrorKind};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// It judges the place itself, resolved and held open, never only the text of a program.
#[derive(Clone, Copy)]
pub(crate) struct Permit<'a> {
    bounds: Option<Bounds<'a>>,
    lends: Lends,
}

#[derive(Clone, Copy)]
struct Bounds<'a> {
    way: Way,
    paths: &'a List,
    reads: &'a List,
}

/// How a place is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    Change,
    Read,
    /// As the target of a new link.
    Link,
}

impl<'a> Permit<'a> {
    /// For the agent's own files, and if the policy omits the list.
    pub(crate) const ALL: Permit<'static> = Permit { bounds: None, lends: Lends::ALL };

    pub(super) fn new(way: Way, paths: &'a List, reads: &'a List, lends: Lends) -> Permit<'a> {
        let is_bounded = match way {
            Way::Change | Way::Link => paths.is_given(),
            Way::Read => reads.is_given(),
        };
        Permit { bounds: is_bounded.then_some(Bounds { way, paths, reads }), lends }
    }

    /// Whether every place is permitted, so that the place need not be known.
    pub(crate) fn is_all(&self) -> bool {
        self.bounds.is_none()
    }

    pub(crate) fn allows(&self, place: &OsStr) -> bool {
        let Some(Bounds { way, paths, reads }) = self.bounds else { return true };
        match way {
            Way::Change => paths.names_place(place),
            Way::Read | Way::Link => paths.names_place(place) || reads.names_place(place),
        }
    }

    /// Checks that everything below this place is permitted, whatever its name.
    pub(crate) fn judge_below(&self, place: &OsStr) -> Result<(), HostError> {
        let Some(Bounds { way, paths, reads }) = self.bounds else { return Ok(()) };
        if paths.names_below(place) || way != Way::Change && reads.names_below(place) {
            return Ok(());
        }
        let (verb, why) = self.words();
        let place = escaped(place.as_bytes());
        let place = shown(&place);
        Err(self.refusal(&format!("{verb}everything in `{place}`: {why}, as `{place}/**` does")))
    }

    /// Checks the text of a new link. `..` after a name leads to another place as soon as that name is a link.
    pub(crate) fn judge_text(&self, target: &str) -> Result<(), HostError> {
        let mut parts = target.split('/').filter(|part| !matches!(*part, "" | ".")).skip_while(|part| *part == "..");
        if self.is_all() || !parts.any(|part| part == "..") {
            return Ok(());
        }
        Err(self.refusal(&format!("a link to `{}`: it contains `..` after a name", shown(target))))
    }

    /// Which rights files may grant to those who run them.
    pub(crate) fn lends(&self) -> Lends {
        self.lends
    }

    /// Checks that a file other than a directory may have this mode.
    pub(crate) fn judge_mode(&self, mode: u32, asked: &str) -> Result<(), HostError> {
        let (bit, word) = match self.lends {
            Lends { setuid: false, .. } if mode & 0o4000 != 0 => ("set-user-ID", Word::Setuid),
            Lends { setgid: false, .. } if mode & 0o2000 != 0 => ("set-group-ID", Word::Setgid),
            _ => return Ok(()),
        };
        Err(self.refusal(&lacking(&format!("the {bit} bit on the file `{}`", shown(asked)), word)))
    }

    /// Checks that the mode or owner of a device file may change, which could give others access to the device.
    pub(crate) fn judge_device(&self, asked: &str) -> Result<(), HostError> {
        if self.lends.devices {
            return Ok(());
        }
        Err(self.refusal(&lacking(&format!("changing the device file `{}`", shown(asked)), Word::Devices)))
    }

    /// Checks that a virtual machine may set the modes of files in a folder of this host.
    pub(crate) fn judge_shared(&self, asked: &str) -> Result<(), HostError> {
        let (bit, word) = match self.lends {
            Lends { setuid: false, .. } => ("set-user-ID", Word::Setuid),
            Lends { setgid: false, .. } => ("set-group-ID", Word::Setgid),
            _ => return Ok(()),
        };
        let what = format!("sharing `{}` with a machine, which could set the {bit} bit on files in it", shown(asked));
        Err(self.refusal(&lacking(&what, word)))
    }

    /// The folders of the patterns that match this place.
    pub(crate) fn roots(&self, place: &OsStr) -> Vec<PathBuf> {
        let Some(Bounds { way, paths, reads }) = self.bounds else { return Vec::new() };
        let reads = (way != Way::Change).then_some(reads);
        std::iter::once(paths).chain(reads).flat_map(|list| list.roots(place)).collect()
    }

    /// Checks that this place is permitted. `asked` is the original path.
    pub(crate) fn judge(&self, place: &OsStr, asked: &str) -> Result<(), HostError> {
        self.judge_alias(place, place, asked)
    }

    /// The same for another path of the place, which is mounted twice.
    pub(crate) fn judge_alias(&self, alias: &OsStr, place: &OsStr, asked: &str) -> Result<(), HostError> {
        if self.allows(alias) {
            return Ok(());
        }
        let text = |place: &OsStr| shown(&escaped(place.as_bytes())).into_owned();
        let (alias_text, place_text, asked) = (text(alias), text(place), shown(asked));
        let led = if alias != place {
            format!(", which is also mounted at `{place_text}`")
        } else if asked.trim_end_matches('/') != place_text {
            format!(", which `{asked}` resolves to")
        } else {
            String::new()
        };
        Err(self.refusal(&format!("{}`{alias_text}`{led}: {}", self.words().0, self.words().1)))
    }

    /// Refuses a file with several hard links if it is used in place, because its other names may be anywhere.
    pub(crate) fn judge_names(&self, n_names: u64, place: &OsStr) -> Result<(), HostError> {
        if self.is_all() || n_names <= 1 {
            return Ok(());
        }
        let place = escaped(place.as_bytes());
        let words = self.words().0;
        Err(self.refusal(&format!("{words}`{}`: it has {n_names} hard links, which may be anywhere", shown(&place))))
    }

    fn refusal(&self, what: &str) -> HostError {
        HostError::new(HostErrorKind::Refused, format!("the policy does not allow {what}"))
    }

    fn words(&self) -> (&'static str, &'static str) {
        match self.bounds.map_or(Way::Change, |bounds| bounds.way) {
            Way::Change => ("changing ", "no pattern of `paths` matches it"),
            Way::Read => ("reading ", "no pattern of `reads` or `paths` matches it"),
            Way::Link => ("a link to ", "no pattern of `paths` or `reads` matches it"),
        }
    }
}
