//! [`Privileges`]: what could undo the other lists, each with a word of its own. Without a word none of it is done.

use super::Policy;
use serde::Deserialize;

/// The words that a policy names.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(transparent)]
pub(super) struct Privileges(Vec<Word>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Word {
    Setuid,
    Setgid,
    Capabilities,
    Devices,
    Bind,
    Overlay,
    Loop,
    Network,
    Fuse,
    Kernel,
    Remount,
}

impl Word {
    fn text(self) -> &'static str {
        match self {
            Word::Setuid => "setuid",
            Word::Setgid => "setgid",
            Word::Capabilities => "capabilities",
            Word::Devices => "devices",
            Word::Bind => "bind",
            Word::Overlay => "overlay",
            Word::Loop => "loop",
            Word::Network => "network",
            Word::Fuse => "fuse",
            Word::Kernel => "kernel",
            Word::Remount => "remount",
        }
    }
}

/// What files may lend to those who run them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lends {
    pub(crate) setuid: bool,
    pub(crate) setgid: bool,
    pub(crate) capabilities: bool,
}

impl Lends {
    pub(crate) const ALL: Lends = Lends { setuid: true, setgid: true, capabilities: true };
}

impl Policy {
    /// Is the privilege with this word allowed? `what` says what needs it.
    pub(super) fn privilege(&self, word: &str, what: &str) -> Result<(), String> {
        if self.has(word) {
            return Ok(());
        }
        Err(format!("the policy does not allow {what}: name `{word}` in `privileges`"))
    }

    pub(super) fn lends(&self) -> Lends {
        Lends { setuid: self.has("setuid"), setgid: self.has("setgid"), capabilities: self.has("capabilities") }
    }

    fn has(&self, word: &str) -> bool {
        self.is_absent || self.privileges.0.iter().any(|named| named.text() == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_lends_rights_only_where_that_is_named() {
        let may = |policy: &str, mode: u32| Policy::parse(policy).unwrap().changes().judge_mode(mode, "/srv/x").is_ok();
        assert!(may("", 0o1777) && !may("", 0o4755) && !may("", 0o2755) && !may("paths = ['/srv/**']", 0o4755));
        assert!(may("privileges = ['setuid']", 0o4755) && !may("privileges = ['setuid']", 0o6755));
        assert!(Policy::all().changes().judge_mode(0o6755, "/srv/x").is_ok());
        assert!(Policy::nothing().changes().judge_mode(0o4755, "/srv/x").is_err());
        assert!(Policy::parse("privileges = ['suid']").unwrap_err().contains("unknown variant"));
    }
}
