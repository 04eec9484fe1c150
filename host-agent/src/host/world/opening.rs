//! [`Opener`]: values that are sealed for hosts, as this host reads them. They are in keys of their own (`sealed/KEY`): an
//! agent that does not know them sees a value that does not exist, and rights of etcd keep hosts from writing them. What is
//! sealed counts more than a value in the clear with the same name.

use super::SharedStore;
use super::own::VALUES;
use super::statement::bytes;
use crate::lock::Mutex;
use crate::sealed::{OpeningKey, Sealed, Unopened, ValueName};
use mclive_base::unicode::visible;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The prefix of values that are sealed.
pub(crate) const SEALED: &str = "sealed/";
/// The most warnings: a program may read any number of values.
const MOST_TOLD: usize = 32;

pub(super) struct Opener {
    cluster: String,
    /// `None`: this host opens nothing.
    key: Option<OpeningKey>,
    /// What a warning was about: a value, and why it is absent.
    told: Mutex<BTreeSet<(String, Unopened)>>,
}

impl Opener {
    pub(super) fn new(cluster: String, key: Option<OpeningKey>) -> Opener {
        Opener { cluster, key, told: Mutex::new(BTreeSet::new()) }
    }

    /// Whether there was no warning of this yet.
    fn is_new(&self, key: &str, why: Unopened) -> bool {
        let mut told = self.told.lock();
        told.len() < MOST_TOLD && told.insert((key.to_owned(), why))
    }

    /// The value can be read: if it cannot later, that is told again.
    fn forget(&self, key: &str) {
        self.told.lock().retain(|(told, _)| told != key);
    }
}

impl SharedStore {
    /// The value with this name, if it is sealed. Errors: why it does not exist for this host, a sentence without a full stop.
    pub(in crate::host) fn opened(&self, key: &str) -> Option<Result<String, String>> {
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
        let why = match opened {
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
