//! The permission for a mount: its options, and the words of `privileges` that it needs.
//!
//! A mount shows files at a place that the policy judges by its path, so everything that determines these files is
//! judged as well. A list of dangerous options is never complete, so there is a list of known ones for each type of
//! file system (`known.rs`). The host judges the places of a mount when it has found them.

mod known;
#[cfg(test)]
mod tests;

use super::{Policy, Word};
use known::{BIND, EVERYWHERE, Form, form, names};
use mclive_base::vocab::path::shown;

/// Restricting options, the options that undo them, and the word for that.
const WEAKENINGS: [(&str, &str, Word); 3] =
    [("nosuid", "suid", Word::Setuid), ("nodev", "dev", Word::Devices), ("noexec", "exec", Word::Exec)];

impl Form {
    fn needs(self) -> Option<(Word, &'static str)> {
        match self {
            Form::Disk | Form::Memory => None,
            Form::Bind => Some((Word::Bind, "a bind mount")),
            Form::Overlay => Some((Word::Overlay, "an overlay")),
            Form::Network => Some((Word::Network, "a network file system")),
            Form::Fuse => Some((Word::Fuse, "a FUSE file system")),
            Form::Kernel => Some((Word::Kernel, "a kernel file system")),
        }
    }
}

impl Policy {
    /// Whether this policy limits the content of mounts.
    pub(crate) fn judges_mounts(&self) -> bool {
        !self.is_absent
    }

    /// Whether this policy lists the allowed mount points itself, which then also permits writing the table of mounts.
    pub(crate) fn keeps_table_of_mounts(&self) -> bool {
        self.mounts.is_given()
    }

    /// Whether this may be mounted, judged by its text. A policy without limits allows everything.
    pub(crate) fn mounting(&self, kind: &str, options: &[String]) -> Result<(), String> {
        if self.is_absent {
            return Ok(());
        }
        let options = words(options);
        let is_bind = options.iter().any(|option| names(BIND, option));
        let (form, known) = if is_bind { (Form::Bind, BIND) } else { form(kind) };
        if let Some((word, what)) = form.needs() {
            self.privilege(word, what)?;
        }
        options.iter().try_for_each(|option| self.option(kind, option, known))?;
        if matches!(form, Form::Network | Form::Fuse) {
            self.foreign(&options)?;
        }
        self.weakened(&[], &options)
    }

    /// Whether a file may be mounted as a disk.
    pub(crate) fn loops(&self, options: &[String]) -> Result<(), String> {
        self.privilege(Word::Loop, "mounting an image file")?;
        if self.is_absent { Ok(()) } else { self.foreign(&words(options)) }
    }

    /// Whether a mount may get other options. They are judged when its type is known.
    pub(crate) fn remounting(&self) -> Result<(), String> {
        self.privilege(Word::Remount, "changing the options of a mount")
    }

    /// Whether a mount of this type with the options `now` may get these.
    pub(crate) fn remounting_as(&self, kind: &str, now: &[String], options: &[String]) -> Result<(), String> {
        if self.is_absent {
            return Ok(());
        }
        self.remounting()?;
        let options = words(options);
        let known = form(kind).1;
        let is_known = |option: &&&str| !names(BIND, option);
        options.iter().filter(is_known).try_for_each(|option| self.option(kind, option, known))?;
        self.weakened(&words(now), &options)
    }

    fn option(&self, kind: &str, option: &str, known: &str) -> Result<(), String> {
        let is_plain = !option.contains(['"', '\\', '\'']) && !option.chars().any(char::is_control);
        let end = option.find('=').map_or(option.len(), |at| at + 1);
        let name = &option[..end];
        if is_plain && (names(EVERYWHERE, name) || names(known, name)) {
            return Ok(());
        }
        self.privilege(Word::Options, &format!("the mount option `{}` for type `{}`", shown(name), shown(kind)))
    }

    /// Content from others must not grant rights or access to devices, unless that is allowed.
    fn foreign(&self, options: &[&str]) -> Result<(), String> {
        let without = |option: &str| format!("mounting foreign files without the option `{option}`");
        for (option, word) in [("nosuid", Word::Setuid), ("nodev", Word::Devices)] {
            if !options.contains(&option) {
                self.privilege(word, &without(option))?;
            }
        }
        Ok(())
    }

    /// `suid` after `nosuid` undoes it, and so does a remount without `nosuid`.
    fn weakened(&self, now: &[&str], options: &[&str]) -> Result<(), String> {
        for (taken, given, word) in WEAKENINGS {
            if options.contains(&given) {
                self.privilege(word, &format!("the mount option `{given}`"))?;
            }
            if now.contains(&taken) && !options.contains(&taken) {
                self.privilege(word, &format!("removing the mount option `{taken}`"))?;
            }
        }
        Ok(())
    }
}

/// `mount` splits options at every comma.
fn words(options: &[String]) -> Vec<&str> {
    options.iter().flat_map(|option| option.split(',')).filter(|option| !option.is_empty()).collect()
}
