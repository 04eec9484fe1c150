//! [`Targets`]: which hosts a deploy is for. Each is the name of a host, a pattern (`web*`) or a share of all hosts
//! (`10%`), and a deploy is for each host that matches one of them.
//!
//! ```text
//! share: the first 8 bytes of SHA-256("mclive-share-v1" 0 HOST), as a fraction of 2^64, is below N %
//! ```
//!
//! So a share selects the same hosts in each deploy, and a larger share includes all hosts of a smaller one.

use super::record::{LONGEST_NAME, is_plain};
use crate::policy::matches;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The maximum number of targets of a deploy.
const MOST: usize = 1000;
/// What is hashed: never the same bytes as for another purpose.
const PURPOSE: &str = "mclive-share-v1";

/// Sorted, each once.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Targets(Vec<String>);

impl Targets {
    /// Errors: which of the texts is none, for a sentence.
    pub(crate) fn new(texts: &[String]) -> Result<Targets, String> {
        let mut texts: Vec<String> = texts.iter().map(|text| text.trim().to_owned()).collect();
        texts.sort();
        texts.dedup();
        let targets = Targets(texts);
        targets.checked()?;
        Ok(targets)
    }

    /// Whether everything is within its limits. Errors: what is not.
    pub(super) fn checked(&self) -> Result<(), String> {
        let Targets(texts) = self;
        if texts.is_empty() || texts.len() > MOST {
            return Err(format!("a deploy can have 1 to {MOST} targets, or none for all hosts"));
        }
        if !texts.is_sorted_by(|one, next| one < next) {
            return Err("the targets are not sorted".into());
        }
        texts.iter().try_for_each(|text| {
            let is_name = !text.is_empty() && is_plain(text, LONGEST_NAME) && !text.contains(char::is_whitespace);
            match is_name && (share(text).is_some() || !text.ends_with('%')) {
                true => Ok(()),
                false => {
                    let text: String = text.chars().take(60).collect();
                    Err(format!(
                        "{text:?} is not a target: expected the name of a host, a pattern such as web*, or a share from \
                         1% to 100%"
                    ))
                }
            }
        })
    }

    /// Whether a host is meant.
    pub(crate) fn include(&self, host: &str) -> bool {
        self.0.iter().any(|text| match share(text) {
            Some(percent) => place(host) < percent,
            None => matches(text, host),
        })
    }

    pub(crate) fn each(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Whether all hosts are meant, whatever their names.
    pub(crate) fn are_all(&self) -> bool {
        self.0.iter().any(|text| matches!(text.as_str(), "*" | "**" | "100%"))
    }

    /// Whether every host that the others mean is meant here, as far as the texts say.
    pub(crate) fn cover(&self, others: &Targets) -> bool {
        let largest = self.0.iter().filter_map(|text| share(text)).max();
        let covers = |text: &String| self.0.contains(text) || share(text).is_some_and(|share| largest >= Some(share));
        self.are_all() || others.0.iter().all(covers)
    }

    /// For a line.
    pub(crate) fn words(&self) -> String {
        self.0.join(", ")
    }
}

/// The share that a text names. Units: percent.
fn share(text: &str) -> Option<u8> {
    let digits = text.strip_suffix('%')?;
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    digits.parse().ok().filter(|percent| is_number && (1..=100).contains(percent))
}

/// The place of a host among all, from 0 to 99.
fn place(host: &str) -> u8 {
    let hash = Sha256::digest([PURPOSE.as_bytes(), b"\0", host.as_bytes()].concat());
    let number = hash.iter().take(8).fold(0_u128, |number, byte| number << 8 | u128::from(*byte));
    u8::try_from((number * 100) >> 64).unwrap_or(99)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn targets(texts: &[&str]) -> Targets {
        Targets::new(&texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn a_host_is_meant_by_its_name_a_pattern_or_a_share() {
        let of = |texts: &[&str], hosts: &[&str]| hosts.iter().map(|host| targets(texts).include(host)).collect();
        let found: Vec<bool> = of(&["web1"], &["web1", "web11", "Web1"]);
        assert_eq!(found, [true, false, false]);
        let found: Vec<bool> = of(&["db1", "web*"], &["web", "web1.example", "db1", "db2"]);
        assert_eq!(found, [true, true, true, false]);
        let found: Vec<bool> = of(&["web[1-3]", "db?"], &["web2", "web4", "db7", "db"]);
        assert_eq!(found, [true, false, true, false]);
        assert!(targets(&["100%"]).include("x") && targets(&["*"]).include("x"));
    }

    #[test]
    fn a_share_is_the_same_hosts_in_each_version_and_within_a_larger_one() {
        // Other numbers would move hosts in and out of running rollouts.
        assert_eq!(["web1", "web2", "web3", "db1"].map(place), [78, 43, 28, 3]);
        let hosts: Vec<String> = (0..1000).map(|n| format!("host{n}")).collect();
        let mut before: Vec<&String> = Vec::new();
        for (percent, about) in [(1, 5..20), (10, 80..120), (50, 450..550), (99, 975..998), (100, 999..1001)] {
            let share = targets(&[&format!("{percent}%")]);
            let meant: Vec<&String> = hosts.iter().filter(|host| share.include(host)).collect();
            assert!(about.contains(&meant.len()), "{percent}%: {}", meant.len());
            assert!(before.iter().all(|host| meant.contains(host)), "{percent}%");
            before = meant;
        }
    }

    #[test]
    fn targets_are_sorted_once_each_and_covered_by_wider_ones() {
        assert_eq!(targets(&["web2", " web1", "web2"]).words(), "web1, web2");
        for (wide, narrow, covers) in [
            (&["web1", "web2"][..], &["web1"][..], true),
            (&["web1"], &["web1", "web2"], false),
            (&["50%"], &["10%", "50%"], true),
            (&["10%", "db1"], &["50%"], false),
            (&["web*"], &["web1"], false),
            (&["*"], &["db1", "50%"], true),
            (&["100%"], &["db1"], true),
        ] {
            assert_eq!(targets(wide).cover(&targets(narrow)), covers, "{wide:?}, {narrow:?}");
        }
    }

    #[test]
    fn what_is_not_a_target_is_refused() {
        for wrong in ["", " ", "0%", "101%", "%", "010%", "1.5%", "+5%", "a%", "web 1", "a\u{1b}b"] {
            let said = Targets::new(&[wrong.to_owned()]).unwrap_err();
            assert!(
                said.contains("expected the name of a host, a pattern such as web*, or a share"),
                "{wrong}: {said}"
            );
            assert!(!said.contains('\u{1b}'), "{said}");
        }
        let many: Vec<String> = (0..=MOST).map(|n| n.to_string()).collect();
        for wrong in [&many[..], &[]] {
            assert!(Targets::new(wrong).unwrap_err().contains("1 to 1000 targets"));
        }
        assert!(Targets(["b", "a"].map(String::from).into()).checked().unwrap_err().contains("not sorted"));
        assert!(Targets(["a", "a"].map(String::from).into()).checked().unwrap_err().contains("not sorted"));
    }
}
