//! Judges the places that a mount shows: everything that its source and its options refer to.
//!
//! A file system that is mounted elsewhere has other paths, by which the policy would judge its content. So its sources
//! must be allowed themselves: for reading, and for changing unless it is mounted read-only. The policy cannot
//! recognize the layers of an overlay in its paths, so everything in such a folder must be allowed.

use super::super::Context;
use super::{device, point, programs, table};
use crate::host::errno::failed;
use crate::host::fs::{Last, locate, native};
use crate::policy::Permit;
use mclive_base::vocab::fstab::Entry;
use mclive_base::vocab::mount::{Step, is_bind};
use mclive_base::vocab::path::shown;
use mclive_base::vocab::{Edit, HostError, HostErrorKind};
use rustix::fs::{AtFlags, CWD, FileType, statat};

/// The table that is read at each start.
pub(super) const TABLE: &str = "/etc/fstab";

/// The arguments of `mount`: places without links.
#[derive(PartialEq, Eq)]
pub(super) struct Judged {
    pub(super) target: String,
    pub(super) source: String,
    pub(super) options: Vec<String>,
}

/// Judges by the current places.
pub(super) struct Judge<'a> {
    at: &'a Context<'a>,
    /// The mount happens later: missing places may exist by then.
    is_planned: bool,
}

/// Whether the policy would allow this step in the current state.
pub(super) fn foresee(at: &Context, step: &Step) -> Result<(), HostError> {
    let judge = Judge { at, is_planned: true };
    match step {
        Step::Mount { target, source, kind, options } => judge.mount(target, source, kind, options).map(drop),
        Step::Remount { target, options, .. } => judge.remount(target, options).map(drop),
        Step::Unmount { target } => judge.target(target).map(drop),
    }
}

/// Judges an edit of the table of mounts. Its entries are judged, and where the policy lists allowed mounts, the right
/// to mount includes the right to write the table: with this permit.
pub(in crate::host) fn judge_table<'a>(
    at: &Context<'a>,
    path: &str,
    edit: &Edit,
    is_planned: bool,
) -> Result<Option<Permit<'a>>, HostError> {
    let Edit::Fstab { entry, .. } = edit else { return Ok(None) };
    entry.as_ref().map_or(Ok(()), |entry| judge_entry(at, entry, is_planned))?;
    Ok((path == TABLE && at.shared.policy.keeps_table_of_mounts()).then_some(Permit::ALL))
}

/// It is mounted at the next start at the latest.
fn judge_entry(at: &Context, entry: &Entry, is_planned: bool) -> Result<(), HostError> {
    if !at.shared.policy.judges_mounts() {
        return Ok(());
    }
    let judge = Judge { at, is_planned };
    let Judged { target, source, options } = judge.mount(&entry.target, &entry.spec, &entry.kind, &entry.options)?;
    // The reader of the table follows the links that exist then. Links of tags and devices belong to the system.
    let is_of_system = is_tag(&entry.spec) || entry.spec.starts_with("/dev/");
    let texts = [(&entry.target, &target)].into_iter().chain((!is_of_system).then_some((&entry.spec, &source)));
    let options = words(&entry.options).map(str::to_owned).zip(options).collect::<Vec<_>>();
    let options = options.iter().map(|(asked, place)| (asked, place));
    match texts.chain(options).find(|(asked, place)| bare(asked) != bare(place)) {
        None => Ok(()),
        Some((asked, place)) => Err(refused(format!(
            "the policy does not allow `{}` in /etc/fstab: a link in this path leads to `{}`; use that path instead",
            shown(asked),
            shown(place)
        ))),
    }
}

impl<'a> Judge<'a> {
    pub(super) fn now(at: &'a Context<'a>) -> Judge<'a> {
        Judge { at, is_planned: false }
    }

    pub(super) fn mount(
        &self,
        target: &str,
        source: &str,
        kind: &str,
        options: &[String],
    ) -> Result<Judged, HostError> {
        let target = self.target(target)?;
        let policy = &self.at.shared.policy;
        if !policy.judges_mounts() {
            let source = self.found(point::source(self.at, kind, source), source)?;
            return Ok(Judged { target, source, options: options.to_vec() });
        }
        policy.mounting(kind, options).map_err(refused)?;
        programs::judge(self.at, kind, source, options)?;
        let source = self.source(source, kind, options)?;
        let options = words(options).map(|option| self.option(option)).collect::<Result<_, _>>()?;
        Ok(Judged { target, source, options })
    }

    /// The mount point, if it may get these options.
    pub(super) fn remount(&self, target: &str, options: &[String]) -> Result<String, HostError> {
        let place = self.target(target)?;
        let policy = &self.at.shared.policy;
        if !policy.judges_mounts() {
            return Ok(place);
        }
        let table = table::read()?;
        let Some(now) = table.iter().rfind(|mounted| mounted.target == place) else {
            policy.remounting().map_err(refused)?;
            return Ok(place);
        };
        policy.remounting_as(&now.kind, &now.options, options).map_err(refused)?;
        words(options).try_for_each(|option| self.option(option).map(drop))?;
        // A bind mount has a second path, which the policy judges as well.
        if now.source.starts_with('/') && !is_read_only(options) && !has_bind(options) {
            self.place(policy.changes(), &now.source)?;
        }
        Ok(place)
    }

    pub(super) fn target(&self, path: &str) -> Result<String, HostError> {
        self.found(point::target(self.at, path), path)
    }

    /// A later step may create a missing place.
    fn found(&self, found: Result<String, HostError>, asked: &str) -> Result<String, HostError> {
        match found {
            Err(error) if self.is_planned && error.kind == HostErrorKind::NotFound => Ok(asked.to_owned()),
            found => found,
        }
    }

    fn source(&self, source: &str, kind: &str, options: &[String]) -> Result<String, HostError> {
        let policy = &self.at.shared.policy;
        // The source of a bind mount is a place, whatever the type.
        let kind = if has_bind(options) { "none" } else { kind };
        // The source is a name, or a share of another host.
        if matches!(kind, "tmpfs" | "ramfs" | "overlay" | "cifs" | "smb3") {
            return Ok(source.to_owned());
        }
        let is_limited = !policy.reads().is_all() || !policy.changes().is_all();
        let path = match is_tag(source) && is_limited {
            true => {
                let none = || HostError::new(HostErrorKind::NotFound, format!("cannot find device {}", shown(source)));
                let found = device(self.at, source)?.ok_or_else(none);
                if self.is_planned && found.is_err() {
                    return Ok(source.to_owned());
                }
                found?
            }
            false => source.to_owned(),
        };
        let place = self.found(point::source(self.at, kind, &path), &path)?;
        if !place.starts_with('/') {
            return Ok(place);
        }
        self.place(policy.reads(), &place)?;
        if !is_read_only(options) {
            self.place(policy.changes(), &place)?;
        }
        match statat(CWD, &place, AtFlags::SYMLINK_NOFOLLOW).map_err(|errno| failed("mount", &place, errno)) {
            Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile && !has_bind(options) => {
                policy.loops(options).map_err(refused)?;
            }
            Ok(_) => {}
            Err(error) => drop(self.found(Err(error), &place)?),
        }
        Ok(place)
    }

    /// An option whose value may be a place.
    fn option(&self, option: &str) -> Result<String, HostError> {
        let policy = &self.at.shared.policy;
        let Some((name, value)) = option.split_once('=') else { return Ok(option.to_owned()) };
        let whole = |permit: Permit, path: &str| {
            let place = self.place(permit, path)?;
            permit.judge_below(&native(&place)).map(|()| place)
        };
        let value = match name {
            "lowerdir" => {
                let layers = value.split(':').map(|layer| match layer {
                    // Two colons: data layers follow.
                    "" => Ok(String::new()),
                    layer => whole(policy.reads(), layer),
                });
                layers.collect::<Result<Vec<_>, _>>()?.join(":")
            }
            "upperdir" | "workdir" => {
                whole(policy.changes(), value)?;
                whole(policy.reads(), value)?
            }
            "credentials" | "cred" | "secretfile" => self.place(policy.reads(), value)?,
            _ => return Ok(option.to_owned()),
        };
        Ok(format!("{name}={value}"))
    }

    /// A place that may be used in this way, and that no other user can replace.
    fn place(&self, permit: Permit, path: &str) -> Result<String, HostError> {
        if !path.starts_with('/') {
            return Err(refused(format!("mount: `{}` is not an absolute path", shown(path))));
        }
        let place = locate(permit, "mount", path, Last::Followed);
        let place = place.and_then(|place| point::steady("mount", place.path()));
        let place = self.found(place, path)?;
        // Such a text would have another meaning among the options.
        if place != path && place.contains([',', ':', '"', '\'', '\\']) {
            return Err(refused(format!("mount: `{}` leads to `{}`", shown(path), shown(&place))));
        }
        Ok(place)
    }
}

fn refused(why: String) -> HostError {
    HostError::new(HostErrorKind::Refused, why)
}

/// `mount` splits options at every comma.
fn words(options: &[String]) -> impl Iterator<Item = &str> {
    options.iter().flat_map(|option| option.split(',')).filter(|option| !option.is_empty())
}

fn has_bind(options: &[String]) -> bool {
    words(options).any(|word| is_bind(&[word.to_owned()]))
}

/// The last option counts.
fn is_read_only(options: &[String]) -> bool {
    words(options).filter(|word| matches!(*word, "ro" | "rw")).last() == Some("ro")
}

/// Whether a source names a device by a tag.
fn is_tag(source: &str) -> bool {
    let tags = ["UUID", "LABEL", "PARTUUID", "PARTLABEL", "ID"];
    source.split_once('=').is_some_and(|(tag, _)| tags.contains(&tag))
}

/// A path without trailing slashes.
fn bare(path: &str) -> &str {
    path.trim_end_matches('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_word_says_whether_it_is_written() {
        let texts = |options: &[&str]| options.iter().map(|option| option.to_string()).collect::<Vec<_>>();
        assert!(is_read_only(&texts(&["ro"])) && is_read_only(&texts(&["rw,ro", "noexec"])));
        assert!(!is_read_only(&texts(&["ro,rw"])) && !is_read_only(&texts(&["ro", "rw"])) && !is_read_only(&[]));
        assert!(has_bind(&texts(&["rw,rbind"])) && !has_bind(&texts(&["binds"])));
        assert!(is_tag("LABEL=data") && !is_tag("/dev/vdb") && !is_tag("/srv/UUID=x") && !is_tag("x=y"));
    }
}
