//! [`Lock`]: prevents other operators from deploying; stored in `deploy/lock`. It is JSON, the fields sorted by name:
//!
//! ```json
//! {"since":1795331700,"until":1795335300,"v":1,"who":"alice@desk","why":"database upgrade"}
//! ```
//!
//! Whether it has expired is judged by the clock of the machine that deploys. Anyone who can deploy can also remove it:
//! it is a convention among operators, not a protection.

use super::record::{LONGEST_NAME, is_plain, parse};
use crate::utc::{LAST, utc};
use serde::{Deserialize, Serialize};

/// The key of the lock.
pub(crate) const LOCK: &str = "deploy/lock";
/// The largest stored lock. Units: bytes.
const LARGEST: usize = 4 << 10;
/// The longest reason. Units: bytes.
const LONGEST_WHY: usize = 1 << 10;
/// The version of this form.
const FORM: u64 = 1;

/// The lock of deploys.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Lock {
    /// Units: seconds since 1970.
    pub(crate) since: u64,
    /// `None`: until it is removed. Units: seconds since 1970.
    pub(crate) until: Option<u64>,
    v: u64,
    /// A user and a machine, as in the record of a deploy.
    pub(crate) who: String,
    pub(crate) why: String,
}

impl Lock {
    /// A lock from now on. `seconds`: for how long. Errors: what is wrong with it, for a sentence.
    pub(crate) fn new(who: String, why: &str, now: u64, seconds: Option<u64>) -> Result<Lock, String> {
        let until = seconds.map(|seconds| now.saturating_add(seconds));
        let lock = Lock { since: now, until, v: FORM, who, why: why.trim().to_owned() };
        lock.checked()?;
        Ok(lock)
    }

    /// The stored bytes.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("plain data")
    }

    /// Parses stored bytes. Errors: what the key is and how to remove it, a sentence without a full stop.
    pub(crate) fn read(bytes: &[u8]) -> Result<Lock, String> {
        let lock = parse(bytes, LARGEST, FORM).and_then(|lock: Lock| match lock.checked() {
            Ok(()) => Ok(lock),
            Err(why) => Err(format!("invalid: {why}")),
        });
        lock.map_err(|why| format!("the key {LOCK} is {why}; remove it with `mclive deploy --unlock`"))
    }

    /// Whether everything is within its limits. Errors: what is not.
    fn checked(&self) -> Result<(), String> {
        if !is_plain(&self.who, LONGEST_NAME) || self.who.is_empty() {
            return Err("the name of its owner is empty, too long or has control characters".into());
        }
        if !is_plain(&self.why, LONGEST_WHY) || self.why.is_empty() {
            return Err(format!("expected a reason of up to {LONGEST_WHY} bytes without control characters"));
        }
        if self.since.max(self.until.unwrap_or(0)) >= LAST {
            return Err("it begins or ends after the year 9999".into());
        }
        Ok(())
    }

    /// Whether it has not expired.
    pub(crate) fn is_in_force(&self, now: u64) -> bool {
        self.until.is_none_or(|until| now <= until)
    }

    /// The lock, after `deploys are`.
    pub(crate) fn words(&self) -> String {
        let until = match self.until {
            Some(until) => format!("until {}", utc(until, 0)),
            None => "with no time limit".to_owned(),
        };
        format!("locked by {} since {} {until}: {}", self.who, utc(self.since, 0), self.why)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lock(seconds: Option<u64>) -> Lock {
        Lock::new("alice@desk".into(), " database upgrade ", 1_795_331_700, seconds).unwrap()
    }

    #[test]
    fn a_lock_comes_back_from_its_bytes() {
        for seconds in [None, Some(3600)] {
            assert_eq!(Lock::read(&lock(seconds).bytes()), Ok(lock(seconds)));
        }
        let text = r#"{"since":1795331700,"until":1795335300,"v":1,"who":"alice@desk","why":"database upgrade"}"#;
        assert_eq!(String::from_utf8(lock(Some(3600)).bytes()).unwrap(), text);
        // The longest reason still fits if all of it is escaped.
        let longest = Lock::new("\\".repeat(LONGEST_NAME), &"\"".repeat(LONGEST_WHY), 0, None).unwrap();
        assert_eq!(Lock::read(&longest.bytes()), Ok(longest));
    }

    #[test]
    fn a_lock_says_who_holds_it_and_expires() {
        let said = "locked by alice@desk since 2026-11-22T07:15:00.000Z";
        assert_eq!(lock(None).words(), format!("{said} with no time limit: database upgrade"));
        assert_eq!(lock(Some(60)).words(), format!("{said} until 2026-11-22T07:16:00.000Z: database upgrade"));
        let at = |seconds: u64| lock(Some(60)).is_in_force(1_795_331_700 + seconds);
        assert_eq!([at(0), at(60), at(61)], [true, true, false]);
        assert!(lock(None).is_in_force(u64::MAX));
    }

    #[test]
    fn what_is_not_a_lock_is_refused_with_a_reason_and_advice() {
        let good = String::from_utf8(lock(Some(3600)).bytes()).unwrap();
        let [long, longer] = [LONGEST_WHY, LARGEST].map(|length| "x".repeat(length));
        for (from, to, why) in [
            (good.as_str(), "", "not JSON with a version"),
            ("{", "\u{1b}[2J", "not JSON with a version"),
            ("\"v\":1", "\"v\":2", "in format 2, which needs a newer version of mclive"),
            ("\"why\"", "\"more\"", "unknown field"),
            ("\"since\":1", "\"since\":-1", "invalid"),
            ("\"until\":1", "\"until\":99999999", "ends after the year 9999"),
            ("alice@desk", "alice\\n", "the name of its owner"),
            ("alice@desk", "", "the name of its owner"),
            ("database upgrade", "", "expected a reason"),
            ("database", "\\u001b[2J", "expected a reason"),
            ("database", long.as_str(), "expected a reason"),
            ("database", longer.as_str(), "larger than 4 KiB"),
        ] {
            let said = Lock::read(good.replacen(from, to, 1).as_bytes()).unwrap_err();
            assert!(said.starts_with("the key deploy/lock is ") && said.contains(why), "{to}: {said}");
            assert!(said.ends_with("; remove it with `mclive deploy --unlock`"), "{said}");
        }
        for wrong in [&b"\xff"[..], &b"null"[..], &[0_u8; LARGEST + 1][..]] {
            assert!(Lock::read(wrong).is_err());
        }
        for why in ["", " ", "two\nlines"] {
            assert!(Lock::new("alice@desk".into(), why, 0, None).is_err(), "{why:?}");
        }
        assert!(Lock::new("alice@desk".into(), "x", 0, Some(u64::MAX)).is_err());
    }
}
