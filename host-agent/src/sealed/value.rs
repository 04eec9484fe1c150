//! [`Sealed`]: a value as it is stored, sealed to the keys of some hosts.
//!
//! ```text
//! sealed/KEY = {"boxes":{"web1":["..."]},"v":1}
//! in a box: "mclive-sealed-v1" 0 CLUSTER 0 LENGTH(KEY) KEY VALUE            the length: 8 bytes, big-endian
//! ```
//!
//! The value is a text of 8 bytes or more: a shorter one cannot be hidden in plans, logs and recordings.

use super::{OpeningKey, Recipients};
use crate::key_line::is_name;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mclive_base::vocab::password::Secret;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What is in a box: never the same bytes as for another purpose.
const PURPOSE: &str = "mclive-sealed-v1";
const VERSION: u8 = 1;
/// The limits of a value. Units: bytes.
pub(super) const SHORTEST: usize = Secret::SHORTEST_HIDDEN;
pub(crate) const LONGEST: usize = 64 << 10;
/// The maximum number of boxes of a host that are tried.
const MOST_BOXES: usize = 16;
/// The maximum number of hosts that a reason names.
const MOST_NAMED: usize = 8;

#[derive(PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sealed {
    /// By host, for each of its keys, in Base64.
    boxes: BTreeMap<String, Vec<String>>,
    v: u8,
}

/// Which value it is.
pub(crate) struct ValueName<'a> {
    pub(crate) cluster: &'a str,
    /// As programs name it.
    pub(crate) key: &'a str,
}

/// Why a host cannot read a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Unopened {
    /// The host has no key.
    NoKey,
    OtherHosts,
    /// It is sealed for this host, to another key.
    OtherKey,
    /// The box is that of another value.
    Moved,
    TooShort,
    /// This run has to hide as many as it can already.
    TooMany,
    /// Its name ends with a host whose values must be signed.
    Unsigned,
    /// It is something else, or of a later version.
    Unreadable,
}

impl Sealed {
    /// Errors: why the value cannot be sealed, a sentence without a full stop.
    pub(crate) fn seal(name: &ValueName<'_>, value: &str, recipients: &Recipients) -> Result<Sealed, String> {
        if value.len() < SHORTEST {
            return Err(format!(
                "a value of {} bytes cannot be sealed: values shorter than {SHORTEST} bytes are not hidden in plans, logs and \
                 recordings",
                value.len()
            ));
        }
        if value.len() > LONGEST {
            return Err(format!("the value is larger than {} KiB", LONGEST >> 10));
        }
        let message = name.message(value);
        let mut boxes: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (host, keys) in recipients.keys() {
            let sealed = keys.iter().map(|key| key.seal(&message).map(|sealed| STANDARD.encode(sealed)));
            let sealed: Option<Vec<String>> = sealed.collect();
            boxes.insert(host.clone(), sealed.ok_or_else(|| format!("cannot seal the value for {host}"))?);
        }
        Ok(Sealed { boxes, v: VERSION })
    }

    /// `None`: it is something else, or of a later version.
    pub(crate) fn read(stored: &[u8]) -> Option<Sealed> {
        let is_sound = |sealed: &Sealed| sealed.v == VERSION && sealed.boxes.keys().all(|host| is_name(host));
        serde_json::from_slice(stored).ok().filter(is_sound)
    }

    /// The stored form.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// The hosts that can read it, sorted.
    pub(crate) fn hosts(&self) -> Vec<&str> {
        self.boxes.keys().map(String::as_str).collect()
    }

    /// The value, if it is sealed to this key of this host, under this name.
    pub(crate) fn open(&self, name: &ValueName<'_>, host: &str, key: Option<&OpeningKey>) -> Result<String, Unopened> {
        let boxes = self.boxes.get(host).ok_or(Unopened::OtherHosts)?;
        let key = key.ok_or(Unopened::NoKey)?;
        let opened = boxes.iter().take(MOST_BOXES).find_map(|sealed| key.open(&STANDARD.decode(sealed).ok()?));
        let value = name.value_in(&opened.ok_or(Unopened::OtherKey)?).ok_or(Unopened::Moved)?;
        if value.len() < SHORTEST { Err(Unopened::TooShort) } else { Ok(value) }
    }
}

impl ValueName<'_> {
    /// The length of the key stands before it, so two messages are equal only if their keys and values are.
    fn before(&self) -> Vec<u8> {
        let names = [PURPOSE, self.cluster].map(|name| [name.as_bytes(), b"\0"].concat());
        [&names.concat()[..], &(self.key.len() as u64).to_be_bytes(), self.key.as_bytes()].concat()
    }

    fn message(&self, value: &str) -> Vec<u8> {
        [&self.before()[..], value.as_bytes()].concat()
    }

    /// The value in the message of a box. `None`: it is of another value.
    fn value_in(&self, message: &[u8]) -> Option<String> {
        let value = message.strip_prefix(&self.before()[..])?;
        String::from_utf8(value.to_vec()).ok()
    }
}

impl Unopened {
    /// Why, and what to do. `hosts`: those that it is sealed for.
    pub(crate) fn words(self, hosts: &[&str]) -> String {
        match self {
            Unopened::NoKey => "it is sealed for this host; run the agent with --host-key FILE".to_owned(),
            Unopened::OtherHosts => format!("it is sealed for {}, not for this host", named(hosts)),
            Unopened::OtherKey => {
                "it is not sealed to the key of this host; seal it again with the line that `mclive key show --sealing` \
                 prints for its --host-key"
                    .to_owned()
            }
            Unopened::Moved => "it was sealed under another name and then copied".to_owned(),
            Unopened::TooShort => {
                format!("it is shorter than {SHORTEST} bytes, so it could not be hidden in plans, logs and recordings")
            }
            Unopened::TooMany => {
                "this run has decrypted too many values to hide in plans, logs and recordings; restart the agent"
                    .to_owned()
            }
            Unopened::Unsigned => {
                "its name ends with a host whose values must be signed, but sealed values cannot be signed".to_owned()
            }
            Unopened::Unreadable => "it is not a sealed value, or it was sealed by a newer version of mclive".to_owned(),
        }
    }
}

/// The first hosts, and how many more there are: anyone who writes to the store chooses them.
fn named(hosts: &[&str]) -> String {
    let n_others = hosts.len().saturating_sub(MOST_NAMED);
    let named = hosts[..hosts.len() - n_others].join(", ");
    if n_others == 0 { named } else { format!("{named} and {n_others} more") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deploy::OperatorKey;

    const NAME: ValueName<'static> = ValueName { cluster: "main", key: "db/password" };
    const KEY: &str = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIEmKkXTQZmzt/ysssCibegQ9o0bUDH+nNTgKcODZOjz/\n-----END PRIVATE KEY-----\n";
    /// Made with other implementations of X25519, Salsa20, Poly1305 and BLAKE2b.
    const STORED: &str = "{\"boxes\":{\"web1\":[\"B6N8vBQgk8i3VdwbEOhstCY3StFqqFPtC9/AsrhtHHzEUCK01ehsNKLOMamaPlPkmw8tgr11\
        ta2XrD8uiuZTAcjColhXqQ2cWGAwq8bDuJTTjL/41RL/f6UojrHp96+uqkA=\"]},\"v\":1}";

    fn keys() -> [OperatorKey; 2] {
        ["web1", "db1"].map(|host| OperatorKey::generate(host).unwrap().0)
    }

    fn recipients(keys: &[&OperatorKey]) -> Recipients {
        let lines: Vec<String> = keys.iter().map(|key| key.sealing_line()).collect();
        Recipients::parse(&lines.join("\n")).unwrap()
    }

    /// Hosts of other versions open the same bytes.
    #[test]
    fn a_sealed_value_has_one_form() {
        let key = OperatorKey::read(KEY).unwrap().opening();
        assert_eq!(key.public().line("web1"), "mclive-x25519 AGRfCu2u739xXh34Z3wXeqhft6BNbc+mSUAf9bNReTM= web1");
        let sealed = Sealed::read(STORED.as_bytes()).unwrap();
        assert_eq!(sealed.open(&NAME, "web1", Some(&key)), Ok("hush-hush".to_owned()));
        assert_eq!(String::from_utf8(sealed.bytes()).unwrap(), STORED);
    }

    #[test]
    fn only_the_hosts_that_a_value_is_sealed_for_can_read_it() {
        let [web, db] = keys();
        let sealed = Sealed::seal(&NAME, "hush-hush", &recipients(&[&web, &db])).unwrap();
        let stored = sealed.bytes();
        assert!(!stored.windows(9).any(|part| part == b"hush-hush"));
        let sealed = Sealed::read(&stored).unwrap();
        assert_eq!(sealed.hosts(), ["db1", "web1"]);
        let open =
            |host: &str, key: Option<&OperatorKey>| sealed.open(&NAME, host, key.map(OperatorKey::opening).as_ref());
        assert_eq!(open("web1", Some(&web)), Ok("hush-hush".to_owned()));
        assert_eq!(open("db1", Some(&db)), Ok("hush-hush".to_owned()));
        assert_eq!(open("web1", Some(&db)), Err(Unopened::OtherKey));
        assert_eq!(open("web1", None), Err(Unopened::NoKey));
        assert_eq!(open("web2", Some(&web)), Err(Unopened::OtherHosts));
        let why = Unopened::OtherHosts.words(&sealed.hosts());
        assert_eq!(why, "it is sealed for db1, web1, not for this host");
        let why = Unopened::OtherHosts.words(&["h"; 1_000]);
        assert_eq!(why, "it is sealed for h, h, h, h, h, h, h, h and 992 more, not for this host");
    }

    #[test]
    fn a_value_that_was_moved_changed_or_cut_is_not_opened() {
        let [web, _] = keys();
        let (key, recipients) = (web.opening(), recipients(&[&web]));
        let sealed = Sealed::seal(&NAME, "hush-hush", &recipients).unwrap();
        for other in [
            ValueName { key: "db/other", ..NAME },
            ValueName { key: "db/passwordhush", ..NAME },
            ValueName { key: "db/pass", ..NAME },
            ValueName { cluster: "test", ..NAME },
        ] {
            assert_eq!(sealed.open(&other, "web1", Some(&key)), Err(Unopened::Moved), "{}", other.key);
        }
        let whole = STANDARD.decode(&sealed.boxes["web1"][0]).unwrap();
        let mut changed = whole.clone();
        *changed.last_mut().unwrap() ^= 1;
        for spoilt in [STANDARD.encode(changed), STANDARD.encode(&whole[..whole.len() - 1]), "?".into(), String::new()]
        {
            let sealed = Sealed { boxes: [("web1".to_owned(), vec![spoilt])].into(), v: VERSION };
            assert_eq!(sealed.open(&NAME, "web1", Some(&key)), Err(Unopened::OtherKey));
        }
        // After a box for an earlier key comes that of the present one.
        let both =
            Sealed { boxes: [("web1".to_owned(), vec!["?".into(), STANDARD.encode(&whole)])].into(), v: VERSION };
        assert_eq!(both.open(&NAME, "web1", Some(&key)), Ok("hush-hush".to_owned()));
        for (from, to) in [("\"v\":1", "\"v\":2"), ("{", ""), ("boxes", "box"), ("web1", "web\\u001b")] {
            assert_eq!(Sealed::read(STORED.replacen(from, to, 1).as_bytes()), None, "{to}");
        }
    }

    #[test]
    fn a_value_that_cannot_be_hidden_is_not_sealed() {
        let [web, _] = keys();
        let recipients = recipients(&[&web]);
        let why = |value: &str| Sealed::seal(&NAME, value, &recipients).unwrap_err();
        assert!(why("1234567").starts_with("a value of 7 bytes cannot be sealed: "), "{}", why("1234567"));
        assert_eq!(why(&"x".repeat(LONGEST + 1)), "the value is larger than 64 KiB");
        let short = web.opening().public().seal(&NAME.message("1234567")).unwrap();
        let sealed = Sealed { boxes: [("web1".to_owned(), vec![STANDARD.encode(short)])].into(), v: VERSION };
        assert_eq!(sealed.open(&NAME, "web1", Some(&web.opening())), Err(Unopened::TooShort));
    }
}
