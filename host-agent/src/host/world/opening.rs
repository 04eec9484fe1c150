//! [`Opener`]: values that are sealed for hosts, as this host reads them. They are in their own keys (`sealed/KEY`): an
//! agent that does not know them sees a value that does not exist, and rights of etcd keep hosts from writing them. A
//! sealed value takes precedence over one in clear text with the same name.

use super::SharedStore;
use super::limits::LARGEST_GROUP;
use super::own::VALUES;
use super::statement::bytes;
use crate::deploy::Sum;
use crate::lock::Mutex;
use crate::sealed::{OpeningKey, Sealed, Unopened, ValueName, parts};
use mclive_base::unicode::visible;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// The prefix of values that are sealed.
pub(crate) const SEALED: &str = "sealed/";
/// The maximum number of warnings: a program may read any number of values.
const MOST_TOLD: usize = 32;
/// The maximum number of texts of opened values in a run, and their bytes: all of them are searched for in all
/// output. Anyone who writes to the store could write any number of values.
const MOST_TEXTS: usize = 10_000;
const MOST_BYTES: usize = 8 << 20;

pub(super) struct Opener {
    cluster: String,
    /// `None`: this host opens nothing.
    key: Option<OpeningKey>,
    /// What a warning was about: a value, and why it is absent.
    told: Mutex<BTreeSet<(String, Unopened)>>,
    hidden: Mutex<Hidden>,
    exports: Mutex<OpenedExports>,
}

/// The secrets of exported resources that were opened: all exports are read again when one of them changes. There is room for
/// as much as hosts may share.
#[derive(Default)]
struct OpenedExports {
    /// By key, with the sum of what was opened.
    secrets: BTreeMap<String, (Sum, Vec<u8>)>,
    /// The keys and the secrets.
    n_bytes: usize,
}

impl OpenedExports {
    fn add(&mut self, key: String, sum: Sum, secrets: &[u8]) {
        if let Some((_, before)) = self.secrets.remove(&key) {
            self.n_bytes -= key.len() + before.len();
        }
        let n_bytes = key.len() + secrets.len();
        if self.secrets.len() >= MOST_TEXTS || self.n_bytes + n_bytes > LARGEST_GROUP {
            // What is still read is soon here again.
            *self = OpenedExports::default();
        }
        if n_bytes <= LARGEST_GROUP {
            self.n_bytes += n_bytes;
            self.secrets.insert(key, (sum, secrets.to_vec()));
        }
    }
}

/// The values of this run that are hidden wherever they are shown.
#[derive(Default)]
struct Hidden {
    /// The SHA-256 of each.
    values: BTreeSet<[u8; 32]>,
    n_texts: usize,
    n_bytes: usize,
}

impl Hidden {
    /// Takes in a value. `false`: it is hidden already. Errors: it could not be hidden, since there are too many.
    fn add(&mut self, value: &str) -> Result<bool, Unopened> {
        let sum: [u8; 32] = Sha256::digest(value.as_bytes()).into();
        if self.values.contains(&sum) {
            return Ok(false);
        }
        let (mut n_texts, mut n_bytes) = (self.n_texts, self.n_bytes);
        for part in parts(value) {
            n_texts += 1;
            n_bytes += part.len();
        }
        if n_texts > MOST_TEXTS || n_bytes > MOST_BYTES {
            return Err(Unopened::TooMany);
        }
        (self.n_texts, self.n_bytes) = (n_texts, n_bytes);
        self.values.insert(sum);
        Ok(true)
    }
}

impl Opener {
    pub(super) fn new(cluster: String, key: Option<OpeningKey>) -> Opener {
        let (told, hidden, exports) = (Mutex::default(), Mutex::default(), Mutex::default());
        Opener { cluster, key, told, hidden, exports }
    }

    pub(super) fn cluster(&self) -> &str {
        &self.cluster
    }

    /// `None`: this host opens nothing.
    pub(super) fn key(&self) -> Option<&OpeningKey> {
        self.key.as_ref()
    }

    /// Hides a text from now on: `tell` gets it and its lines, unless that was done before. Errors: there are too many.
    pub(super) fn hide(&self, text: &str, tell: impl Fn(&str)) -> Result<(), Unopened> {
        // Another thread that finds it here may pass it to the program, so it must have been reported by then.
        let mut hidden = self.hidden.lock();
        if hidden.add(text)? {
            parts(text).into_iter().for_each(tell);
        }
        Ok(())
    }

    /// The secrets of an export that were opened before, if nothing has changed since then.
    pub(super) fn known(&self, key: &str, sum: Sum) -> Option<Vec<u8>> {
        let exports = self.exports.lock();
        exports.secrets.get(key).filter(|(known, _)| *known == sum).map(|(_, secrets)| secrets.clone())
    }

    /// The secrets of an export were opened.
    pub(super) fn knows(&self, key: String, sum: Sum, secrets: &[u8]) {
        self.exports.lock().add(key, sum, secrets);
    }

    /// Whether there was no warning of this yet.
    fn is_new(&self, key: &str, why: Unopened) -> bool {
        let mut told = self.told.lock();
        told.len() < MOST_TOLD && told.insert((key.to_owned(), why))
    }

    /// The value can be read: if it cannot be read later, this is reported again.
    fn forget(&self, key: &str) {
        self.told.lock().retain(|(told, _)| told != key);
    }
}

impl SharedStore {
    /// The value with this name, if it is sealed. `tell` gets what must be hidden from now on, before the program has the value.
    /// Errors: why it does not exist for this host, a sentence without a full stop.
    pub(in crate::host) fn opened(&self, key: &str, tell: impl Fn(&str)) -> Option<Result<String, String>> {
        let (stored, needs_signature) = {
            let inside = self.inside.lock();
            let held = inside.mirror.held(&format!("{SEALED}{key}"))?;
            let value = format!("{VALUES}{key}");
            let needs_signature = inside.judge.as_ref().is_some_and(|judge| judge.is_of_listed_host(&value));
            (bytes(&held.value).unwrap_or_default().to_vec(), needs_signature)
        };
        let name = ValueName { cluster: &self.opener.cluster, key };
        let sealed = Sealed::read(&stored);
        let opened = match &sealed {
            _ if needs_signature => Err(Unopened::Unsigned),
            Some(sealed) => sealed.open(&name, &self.hostname, self.opener.key.as_ref()),
            None => Err(Unopened::Unreadable),
        };
        let why = match opened.and_then(|value| self.opener.hide(&value, tell).map(|()| value)) {
            Ok(value) => {
                self.opener.forget(key);
                return Some(Ok(value));
            }
            Err(why) => why,
        };
        let hosts = sealed.as_ref().map(Sealed::hosts).unwrap_or_default();
        let words = format!("the value {key} does not exist for this host: {}", why.words(&hosts));
        if self.opener.is_new(key, why) {
            crate::output::tell(&format!("mclive: warning: {}", visible(&words)));
        }
        Some(Err(words))
    }
}

/// The key of a value that programs read, for one that is sealed; other keys are as they are.
pub(super) fn as_read(key: &str) -> Cow<'_, str> {
    match key.strip_prefix(SEALED) {
        Some(name) => Cow::Owned(format!("{VALUES}{name}")),
        None => Cow::Borrowed(key),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deploy::OperatorKey;
    use crate::host::world::leases::Tick;
    use crate::host::world::mirror::{Change, Held};
    use crate::host::world::{Cluster, Joining};
    use crate::sealed::Recipients;
    use mclive_base::vocab::Datum;
    use std::cell::RefCell;
    use std::sync::Arc;
    use std::time::Duration;

    #[test]
    fn a_sealed_value_is_opened_under_its_own_name() {
        let key = OperatorKey::generate("web1").unwrap().0;
        let urls = vec!["http://127.0.0.1:1".to_owned()];
        let joining = Joining {
            cluster: Cluster { urls, name: "main".into(), credentials: Arc::default() },
            ttl: 5,
            wait: Duration::ZERO,
            hostname: "web1".into(),
            id: None,
            may_be_away: false,
            signer: None,
            opening: Some(key.opening()),
            recipients: None,
            host_keys: None,
            operators: None,
        };
        let store = joining.into_store();
        let set = |revision: i64, name: &str, value: &[u8]| {
            let held = Held { value: Datum::Bytes(value.to_vec()), modified: revision, lease: 0 };
            let change = Change { key: format!("{SEALED}{name}"), revision, held: Some(held) };
            store.inside.lock().apply("web1", revision, vec![change], Tick(Duration::from_secs(1)))
        };
        let why = |name: &str| store.opened(name, |_| {}).unwrap().unwrap_err();
        let recipients = Recipients::parse(&key.sealing_line()).unwrap();
        let name = ValueName { cluster: "main", key: "db/password" };
        let sealed = Sealed::seal(&name, "hush-hush", &recipients).unwrap().bytes();
        assert_eq!(set(1, "db/password", &sealed), ["sealed/db/password"]);
        let told = RefCell::new(Vec::new());
        let opened = |name: &str| store.opened(name, |part| told.borrow_mut().push(part.to_owned()));
        for _ in 0..2 {
            assert_eq!(opened("db/password"), Some(Ok("hush-hush".to_owned())));
            assert_eq!(*told.borrow(), ["hush-hush"], "it is told once");
        }
        assert_eq!(opened("db"), None);
        set(2, "db/copy", &sealed);
        assert!(why("db/copy").ends_with(": it was sealed under another name and then copied"));
        set(3, "db/odd", b"hush-hush");
        assert!(why("db/odd").starts_with("the value db/odd does not exist for this host: it is not a sealed value"));
    }

    #[test]
    fn no_more_values_are_opened_than_can_be_hidden() {
        let mut hidden = Hidden::default();
        let lines = |n: usize| (0..n).map(|n| format!("line {n:04}\n")).collect::<String>();
        // The lines, and the whole with and without the newline at its end.
        for n in 0..10 {
            assert!(hidden.add(&format!("{n} {}", lines(997))).is_ok(), "{n}");
        }
        for n in hidden.n_texts..MOST_TEXTS {
            assert_eq!(hidden.add(&format!("value {n}")), Ok(true), "{n}");
        }
        assert_eq!(hidden.add("one more value"), Err(Unopened::TooMany));
        // What was opened before can be read again.
        assert_eq!(hidden.add(&format!("value {}", MOST_TEXTS - 1)), Ok(false));
        let mut hidden = Hidden::default();
        for n in 0..128 {
            assert!(hidden.add(&format!("{n:03}{}", "x".repeat((64 << 10) - 3))).is_ok(), "{n}");
        }
        assert_eq!(hidden.add("one more value"), Err(Unopened::TooMany));
    }

    #[test]
    fn opened_exports_are_kept_up_to_a_size() {
        let mut exports = OpenedExports::default();
        let (sum, secrets) = (Sum::of(b"sealed"), vec![b'x'; 1 << 20]);
        let n = LARGEST_GROUP >> 20;
        for at in 0..n {
            exports.add(format!("{at}"), sum, &secrets);
            assert!(exports.n_bytes <= LARGEST_GROUP, "{at}");
        }
        // Not all of them fit with their keys, and the last one is always there.
        assert_eq!(exports.secrets.keys().collect::<Vec<_>>(), [&format!("{}", n - 1)]);
        // A key has one place.
        exports.add("a".into(), sum, b"secret");
        let before = exports.n_bytes;
        exports.add("a".into(), sum, b"others");
        assert_eq!((exports.n_bytes, exports.secrets.len()), (before, 2));
        exports.add("large".into(), sum, &vec![b'x'; LARGEST_GROUP]);
        assert!(exports.secrets.is_empty() && exports.n_bytes == 0);
    }

    #[test]
    fn a_change_of_a_sealed_value_is_one_of_the_value_that_programs_read() {
        for (key, read) in
            [("sealed/a/b", "strings/a/b"), ("strings/a", "strings/a"), ("pool/a/chosen", "pool/a/chosen")]
        {
            assert_eq!(as_read(key), read);
        }
    }
}
