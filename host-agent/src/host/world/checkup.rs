//! Faults in the keys of a cluster, each with what to do about it. None of them stops a host: it applies what is valid,
//! and leaves the rest unchanged.

mod deploys;
mod hosts;
mod sizes;
mod votes;

use super::gateway::Whole;
use super::host_keys::HostKeys;
use super::joining::other_layout;
use crate::deploy::Operators;

/// What the content of the store is checked against.
pub(crate) struct Expected<'a> {
    /// The name of the cluster.
    pub(crate) cluster: &'a str,
    /// `None`: deploys need not be signed, and anyone may have signed the list of voters.
    pub(crate) operators: Option<&'a Operators>,
    /// The keys of hosts, and the file that they are from. `None`: exports and values need not be signed.
    pub(crate) host_keys: Option<(&'a HostKeys, &'a str)>,
}

/// What is wrong with a key.
pub(crate) struct Fault {
    pub(crate) key: String,
    /// A sentence without a full stop.
    pub(crate) what: String,
    /// What to do about it, a sentence without a full stop.
    pub(crate) remedy: String,
    /// The change that the remedy ends with.
    pub(crate) fix: Option<Fix>,
}

/// A change of the key of a fault.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Fix {
    Remove,
    Set(String),
}

/// What was found.
#[derive(Default)]
pub(crate) struct Checkup {
    pub(crate) faults: Vec<Fault>,
    /// Deploys that can be read.
    pub(crate) n_deploys: usize,
    /// Different contents of their files.
    pub(crate) n_contents: usize,
    /// Valid signatures.
    pub(crate) n_signatures: usize,
    /// Pieces of files that no deploy needs.
    pub(crate) n_unneeded: usize,
}

impl Checkup {
    pub(crate) fn of(whole: &Whole, expected: &Expected<'_>) -> Checkup {
        let mut checkup = Checkup::default();
        if let Some(what) = other_layout(whole.value("layout")) {
            checkup.add("layout", what, "use another version of mclive", None);
        }
        deploys::check(whole, expected, &mut checkup);
        hosts::check(whole, expected, &mut checkup);
        votes::check(whole, expected, &mut checkup);
        sizes::check(whole, &mut checkup);
        checkup.faults.sort_by_cached_key(|fault| fault.key.clone());
        checkup
    }

    fn add(&mut self, key: &str, what: impl Into<String>, remedy: impl Into<String>, fix: Option<Fix>) {
        self.faults.push(Fault { key: key.to_owned(), what: what.into(), remedy: remedy.into(), fix });
    }
}

#[cfg(test)]
mod tests {
    use super::super::gateway::Stored;
    use super::*;

    /// The keys with faults, and whether there is a command that removes or sets each.
    pub(super) fn found(keys: &[(&str, &[u8], i64)], expected: &Expected<'_>) -> Vec<(String, String, Option<Fix>)> {
        let faults = Checkup::of(&whole(keys), expected).faults.into_iter();
        faults.map(|fault| (fault.key, fault.what, fault.fix)).collect()
    }

    pub(super) fn whole(keys: &[(&str, &[u8], i64)]) -> Whole {
        let stored = |value: &[u8], lease| Stored { value: value.to_vec(), modified: 1, lease };
        let keys = keys.iter().map(|(key, value, lease)| ((*key).to_owned(), stored(value, *lease))).collect();
        Whole { keys, ..Whole::default() }
    }

    pub(super) const NOTHING: Expected<'static> = Expected { cluster: "main", operators: None, host_keys: None };

    #[test]
    fn an_empty_group_has_no_fault_and_one_of_another_layout_does() {
        assert!(found(&[], &NOTHING).is_empty());
        assert!(found(&[("layout", &b"1"[..], 0), ("strings/a", &b"1"[..], 0)], &NOTHING).is_empty());
        let other = found(&[("layout", &b"2"[..], 0)], &NOTHING);
        let what = "the layout is 2, and this version of mclive requires 1";
        assert_eq!(other, [("layout".to_owned(), what.to_owned(), None)]);
    }
}
