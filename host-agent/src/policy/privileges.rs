//! [`Privileges`]: operations that could circumvent the other lists, each with a word. Without its word none is
//! permitted.

use super::Policy;
use serde::Deserialize;

/// The words in a policy.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(transparent)]
pub(super) struct Privileges(Vec<Word>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Word {
    Setuid,
    Setgid,
    Capabilities,
    Devices,
    Exec,
    Bind,
    Overlay,
    Loop,
    Network,
    Fuse,
    Kernel,
    Remount,
    Options,
    Untrusted,
}

impl Word {
    /// As written in a policy.
    fn text(self) -> &'static str {
        match self {
            Word::Setuid => "setuid",
            Word::Setgid => "setgid",
            Word::Capabilities => "capabilities",
            Word::Devices => "devices",
            Word::Exec => "exec",
            Word::Bind => "bind",
            Word::Overlay => "overlay",
            Word::Loop => "loop",
            Word::Network => "network",
            Word::Fuse => "fuse",
            Word::Kernel => "kernel",
            Word::Remount => "remount",
            Word::Options => "options",
            Word::Untrusted => "untrusted",
        }
    }
}

/// The permissions for files that give rights to anyone who runs or opens them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lends {
    pub(crate) setuid: bool,
    pub(crate) setgid: bool,
    pub(crate) capabilities: bool,
    /// Changes of the mode and owner of device files.
    pub(crate) devices: bool,
}

impl Lends {
    pub(crate) const ALL: Lends = Lends { setuid: true, setgid: true, capabilities: true, devices: true };
}

impl Policy {
    /// Checks that the privilege with this word is granted. `what` describes the operation.
    pub(super) fn privilege(&self, word: Word, what: &str) -> Result<(), String> {
        match self.has(word) {
            true => Ok(()),
            false => Err(format!("the policy does not allow {}", lacking(what, word))),
        }
    }

    pub(super) fn lends(&self) -> Lends {
        Lends {
            setuid: self.has(Word::Setuid),
            setgid: self.has(Word::Setgid),
            capabilities: self.has(Word::Capabilities),
            devices: self.has(Word::Devices),
        }
    }

    fn has(&self, word: Word) -> bool {
        self.is_absent || self.privileges.0.contains(&word)
    }
}

/// The end of a refusal: the forbidden operation, and the word that would permit it.
pub(super) fn lacking(what: &str, word: Word) -> String {
    format!("{what}: list `{}` in `privileges`", word.text())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_lends_rights_only_where_that_is_named() {
        let judged = |policy: &str, mode| Policy::parse(policy).unwrap().changes().judge_mode(mode, "/srv/x");
        let may = |policy: &str, mode: u32| judged(policy, mode).is_ok();
        assert!(may("", 0o1777) && !may("", 0o4755) && !may("", 0o2755) && !may("paths = ['/srv/**']", 0o4755));
        assert!(may("privileges = ['setuid']", 0o4755) && !may("privileges = ['setuid']", 0o6755));
        assert!(Policy::all().changes().judge_mode(0o6755, "/srv/x").is_ok());
        assert!(Policy::nothing().changes().judge_mode(0o4755, "/srv/x").is_err());
        let said = judged("", 0o4755).unwrap_err().to_string();
        let words = "does not allow the set-user-ID bit on the file `/srv/x`: list `setuid` in `privileges`";
        assert!(said.contains(words), "{said}");
    }

    #[test]
    fn a_machine_sets_modes_on_its_host_only_if_both_bits_are_listed() {
        let shared = |policy: &Policy| policy.changes().judge_shared("/srv/x").map_err(|error| error.message);
        let policy = |text: &str| Policy::parse(text).unwrap();
        let refused = |bit: &str, word: &str| {
            let what = format!("sharing `/srv/x` with a machine, which could set the {bit} bit on files in it");
            Err::<(), _>(format!("the policy does not allow {what}: list `{word}` in `privileges`"))
        };
        assert_eq!(shared(&policy("paths = ['/srv/**']")), refused("set-user-ID", "setuid"));
        assert_eq!(shared(&policy("privileges = ['setuid']")), refused("set-group-ID", "setgid"));
        assert_eq!(shared(&policy("privileges = ['setuid', 'setgid']")), Ok(()));
        assert_eq!(shared(&Policy::all()), Ok(()));
    }

    #[test]
    fn the_help_tells_every_word() {
        assert!(Policy::parse("privileges = ['suid']").unwrap_err().contains("unknown variant"));
        let help = include_str!("help.txt");
        let told = help.split_once("\n  privileges ").unwrap().1.split_once("\n  run_own_files").unwrap().0;
        let all =
            "setuid setgid capabilities devices exec bind overlay loop network fuse kernel remount options untrusted";
        for word in all.split(' ') {
            let policy = Policy::parse(&format!("privileges = ['{word}']")).unwrap();
            assert_eq!(policy.privileges.0[0].text(), word);
            assert!(told.split(|c: char| !c.is_alphanumeric()).any(|it| it == word), "{word}");
        }
    }
}
