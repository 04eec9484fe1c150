//! [`Sealer`]: seals the secrets of resources that this host exports for their receivers, and opens those that others
//! export to it. World specification, 18.
//!
//! ```text
//! exported/TO/FROM/KIND/NAME = {"version":2,...,"sealed":{"boxes":{"TO":["..."]},"v":1}}        `vocab::export`
//! in a box: the secrets, as a value (`crate::sealed`) with the name "export" 0 KEY 0 SHA256(RECORD)
//! ```
//!
//! The record belongs to the name: anyone who changes another field of the resource, such as the address to which it
//! sends a password, or moves it to another key, makes its secrets unreadable. Each seal has different bytes, so a host
//! seals an export again only if its content or the keys of its receiver have changed.

#[cfg(test)]
mod tests;

use super::SharedStore;
use super::lists::{cannot_use, follow};
use super::own::EXPORTS;
use crate::deploy::Sum;
use crate::host::{Shared, read_trusted};
use crate::lock::Mutex;
use crate::sealed::{Recipients, Sealed, Unopened, ValueName};
use mclive_base::unicode::visible;
use mclive_base::vocab::{Datum, export};
use std::collections::BTreeMap;
use std::future::pending;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use tokio::task::spawn_blocking;

/// What the names of secrets begin with.
const PURPOSE: &str = "export";

pub(super) struct Sealer {
    /// The file with the keys.
    list: PathBuf,
    listed: Mutex<Listed>,
    /// Held while exports are sealed again: what was sealed to earlier keys must not replace what was sealed to later ones.
    sealing: Mutex<()>,
}

struct Listed {
    keys: Recipients,
    /// How often they have changed.
    n_changes: u64,
    /// Why the list cannot be read now.
    problem: Option<String>,
}

impl Sealer {
    pub(super) fn new(list: PathBuf, keys: Recipients) -> Sealer {
        Sealer { list, listed: Mutex::new(Listed { keys, n_changes: 0, problem: None }), sealing: Mutex::new(()) }
    }

    /// The keys of a host. Errors: it has none, a sentence without a full stop.
    fn recipient(&self, host: &str) -> Result<Recipients, String> {
        let recipient = self.listed.lock().keys.only(&[host.to_owned()]);
        recipient.map_err(|why| cannot_use(&self.list, &why))
    }

    /// Takes over the list as it is now. Returns the keys before, if they were others.
    fn relist(&self, read: Result<Recipients, String>) -> Option<Recipients> {
        let mut listed = self.listed.lock();
        match read {
            Ok(keys) => {
                listed.problem = None;
                if keys == listed.keys {
                    return None;
                }
                listed.n_changes += 1;
                Some(std::mem::replace(&mut listed.keys, keys))
            }
            Err(why) => {
                if listed.problem.as_ref() != Some(&why) {
                    crate::output::tell(&format!("mclive: warning: {why}; still using the previous keys"));
                    listed.problem = Some(why);
                }
                None
            }
        }
    }
}

impl SharedStore {
    /// The stored form of an export with secrets, which are hidden from now on. `None`: it has none. Errors: why they cannot
    /// be sealed, a sentence without a full stop.
    pub(super) fn seal(&self, shared: &Shared, key: &str, clear: &[u8]) -> Result<Option<Vec<u8>>, String> {
        if let Some((_, secrets)) = export::split(clear).filter(|_| key.starts_with(EXPORTS)) {
            // First: one that waits for the key of its receiver is sealed later, and then a look finds it in the clear.
            self.hide(shared, secrets).map_err(words)?;
        }
        let n_lists = self.n_lists();
        let sealed = self.sealed(key, clear);
        if sealed.is_err() {
            // It is written when the key of its receiver is known.
            self.inside.lock().own.waits_for_seal(key, clear.to_vec());
            self.sealed_with(n_lists);
        }
        sealed
    }

    fn sealed(&self, key: &str, clear: &[u8]) -> Result<Option<Vec<u8>>, String> {
        let Some(place) = key.strip_prefix(EXPORTS) else { return Ok(None) };
        let Some((record, secrets)) = export::split(clear) else { return Ok(None) };
        let sealer = self.sealer.as_ref().ok_or(
            "its secrets cannot be sealed: run this agent with --host-keys FILE, the list of the public keys of hosts",
        )?;
        let recipient = sealer.recipient(receiver(place))?;
        let secrets = std::str::from_utf8(secrets).map_err(|_| "its secrets cannot be sealed: they are not UTF-8")?;
        let name = name(key, record);
        let name = ValueName { cluster: self.opener.cluster(), key: &name };
        let sealed = Sealed::seal(&name, secrets, &recipient);
        let sealed = sealed.map_err(|why| format!("its secrets cannot be sealed: {why}"))?;
        Ok(Some(export::seal(record, &sealed.bytes())))
    }

    /// Opens what others have exported to this host with secrets, in the value of a fact.
    pub(in crate::host) fn open_exports(&self, shared: &Shared, kind: &str, exported: &mut Datum) {
        export::open_all(exported, |name, from, record, sealed| {
            let key = format!("{EXPORTS}{}/{from}/{kind}/{name}", self.hostname);
            // A record has no byte 0.
            let sum = Sum::of(&export::join(record, sealed));
            if let Some(known) = self.opener.known(&key, sum) {
                return Ok(known);
            }
            let secrets = self.unsealed(&key, record, sealed).map_err(words)?;
            // Before the program has them, so that nothing tells of them.
            self.hide(shared, &secrets).map_err(words)?;
            self.opener.knows(key, sum, &secrets);
            Ok(secrets)
        });
    }

    fn unsealed(&self, key: &str, record: &[u8], sealed: &[u8]) -> Result<Vec<u8>, Unopened> {
        let sealed = Sealed::read(sealed).ok_or(Unopened::Unreadable)?;
        let name = name(key, record);
        let name = ValueName { cluster: self.opener.cluster(), key: &name };
        sealed.open(&name, &self.hostname, self.opener.key()).map(String::into_bytes)
    }

    /// Hides the secrets of an export, and each of their lines, from now on. Errors: they cannot be hidden, since there are
    /// too many.
    fn hide(&self, shared: &Shared, secrets: &[u8]) -> Result<(), Unopened> {
        for text in export::texts(secrets) {
            let text = String::from_utf8_lossy(text);
            self.opener.hide(&text, |part| shared.tell_secret(part))?;
        }
        Ok(())
    }

    /// Applies changes of the list of keys, without end. Sealing many exports takes seconds, so another thread does it:
    /// this one renews leases in the meantime.
    pub(super) async fn follow_recipients(self: &Arc<Self>, shared: &Weak<Shared>) {
        let Some(sealer) = &self.sealer else { return pending().await };
        let take = |read| {
            let (before, store) = (sealer.relist(read), self.clone());
            async move {
                let Some(before) = before else { return };
                let sealed = spawn_blocking(move || {
                    if let Some(sealer) = &store.sealer {
                        store.seal_again(sealer, Some(&before));
                    }
                });
                // A panic was reported on standard error.
                drop(sealed.await);
            }
        };
        follow(sealer.list.clone(), shared, recipients, take).await;
    }

    /// How often the list of keys has changed.
    pub(super) fn n_lists(&self) -> u64 {
        self.sealer.as_ref().map_or(0, |sealer| sealer.listed.lock().n_changes)
    }

    /// An export was sealed, or could not be, when the list had changed this often, and is recorded now. If the list has
    /// changed in the meantime, its change has missed this export.
    pub(super) fn sealed_with(&self, n_lists: u64) {
        if let Some(sealer) = self.sealer.as_ref().filter(|_| self.n_lists() != n_lists) {
            self.seal_again(sealer, None);
        }
    }

    /// Seals the exports to hosts whose keys are others than before, or that had none. `before`: `None` for all.
    fn seal_again(&self, sealer: &Sealer, before: Option<&Recipients>) {
        let _one_at_a_time = sealer.sealing.lock();
        let exports: Vec<(String, Vec<u8>)> = {
            let inside = self.inside.lock();
            inside.own.with_secrets().map(|(key, clear)| (key.clone(), clear.clone())).collect()
        };
        // By receiver: the first export that cannot be sealed, why, and how many more there are.
        let mut unsealed: BTreeMap<String, (String, String, usize)> = BTreeMap::new();
        for (key, clear) in exports {
            let host = receiver(key.strip_prefix(EXPORTS).unwrap_or_default());
            if before.is_some_and(|before| sealer.listed.lock().keys.are_same_for(host, before)) {
                continue;
            }
            let sealed = self.sealed(&key, &clear).and_then(|sealed| {
                let Some(sealed) = sealed else { return Ok(()) };
                let mut inside = self.inside.lock();
                inside.has_room(&key, &sealed, true)?;
                if inside.own.seals_again(&key, clear, &sealed) {
                    inside.mends.put(key.clone());
                }
                Ok(())
            });
            if let Err(why) = sealed {
                let host = host.to_owned();
                unsealed.entry(host).and_modify(|(_, _, n_more)| *n_more += 1).or_insert((key, why, 0));
            }
        }
        for (host, (key, why, n_more)) in unsealed {
            crate::output::tell(&unsealed_words(&host, &key, &why, n_more));
        }
        self.mends.notify_one();
    }
}

/// Reads the keys of hosts to which values are sealed. Errors: why they cannot be used, a sentence without a full stop.
pub(crate) fn recipients(list: &Path) -> Result<Recipients, String> {
    let text = read_trusted(list).map_err(|error| error.to_string());
    let recipients = text.and_then(|text| Recipients::parse(&text));
    recipients.map_err(|why| cannot_use(list, &why))
}

/// The same for these hosts only. Errors: also if one has no key.
pub(crate) fn recipients_for(list: &Path, hosts: &[String]) -> Result<Recipients, String> {
    recipients(list)?.only(hosts).map_err(|why| cannot_use(list, &why))
}

/// The warning about exports that stay sealed to earlier keys of their receiver.
fn unsealed_words(host: &str, key: &str, why: &str, n_more: usize) -> String {
    let (host, key) = (visible(host), visible(key));
    let more = match n_more {
        0 => String::new(),
        n_more => format!(", and {n_more} more"),
    };
    format!("mclive: warning: cannot seal the export {key}{more} to the current keys of {host}: {why}")
}

/// The host `TO` of `TO/FROM/KIND/NAME`.
fn receiver(place: &str) -> &str {
    place.split('/').next().unwrap_or_default()
}

/// The name of the secrets of an export. No value has such a name.
fn name(key: &str, record: &[u8]) -> String {
    format!("{PURPOSE}\0{key}\0{}", Sum::of(record))
}

/// Why secrets cannot be read, after a colon.
fn words(why: Unopened) -> String {
    let words = match why {
        Unopened::NoKey => "they are sealed for this host; run its agent with --host-key FILE",
        Unopened::OtherHosts => "they are sealed for another host",
        Unopened::OtherKey => {
            "they are not sealed to the key of this host; the host that exports them needs the line that `mclive key show \
             --sealing` prints for its --host-key"
        }
        Unopened::Moved => "someone else has changed or copied the resource",
        Unopened::TooMany => "this run has too many secrets to hide in plans, logs and recordings; restart the agent",
        Unopened::TooShort | Unopened::Unsigned | Unopened::Unreadable => {
            "they are not sealed in a form that this version of mclive can read"
        }
    };
    words.to_owned()
}
