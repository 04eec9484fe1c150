//! What a mount may be: its options, and the words of `privileges` that it needs.
//!
//! A mount shows files at a place that the policy judges by its path, so everything that decides which files these are
//! is judged as well. No list of the dangerous options is ever complete, so there is one of those that are known, for
//! each type of file system (`known.rs`). The places that a mount names are judged by the host when it has found them.

mod known;
#[cfg(test)]
mod tests;

use super::{Policy, Word};
use known::{BIND, EVERYWHERE, Form, form, names};
use mclive_base::vocab::path::shown;

/// Options that take something away, those that give it back, and the word for that.
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
    /// Does this policy limit what a mount shows?
    pub(crate) fn judges_mounts(&self) -> bool {
        !self.is_absent
    }

    /// Does this policy say itself where something may be mounted? Then the table of mounts is written by that.
    pub(crate) fn keeps_table_of_mounts(&self) -> bool {
        self.mounts.is_given()
    }

    /// May this be mounted, as far as its words tell? Where the policy limits nothing, anything.
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

    /// May a file be mounted as if it were a disk?
    pub(crate) fn loops(&self, options: &[String]) -> Result<(), String> {
        self.privilege(Word::Loop, "mounting an image file")?;
        if self.is_absent { Ok(()) } else { self.foreign(&words(options)) }
    }

    /// May what is mounted get other options? Which ones is judged when it is known what is mounted there.
    pub(crate) fn remounting(&self) -> Result<(), String> {
        self.privilege(Word::Remount, "changing the options of a mount")
    }

    /// May what is mounted, of this type and with the options `now`, get these?
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

    /// What somebody else has put together lends no rights and reaches no devices, unless that is allowed.
    fn foreign(&self, options: &[&str]) -> Result<(), String> {
        let without = |option: &str| format!("mounting foreign files without the option `{option}`");
        for (option, word) in [("nosuid", Word::Setuid), ("nodev", Word::Devices)] {
            if !options.contains(&option) {
                self.privilege(word, &without(option))?;
            }
        }
        Ok(())
    }

    /// `suid` after `nosuid` takes it back, and so does another mount without `nosuid`.
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

/// `mount` splits at commas, wherever they stand.
fn words(options: &[String]) -> Vec<&str> {
    options.iter().flat_map(|option| option.split(',')).filter(|option| !option.is_empty()).collect()
}
