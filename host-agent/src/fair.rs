//! [`FairSemaphore`]: permits for work that many parties request. Each party can hold only a few of them, so none can
//! block all others.

use crate::lock::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

pub(crate) struct FairSemaphore<K> {
    permits: Arc<Semaphore>,
    /// The maximum number of permits of one party.
    each: usize,
    /// The parties that hold a permit or wait for one.
    parties: Mutex<BTreeMap<K, Party>>,
    n_waiting: AtomicUsize,
}

struct Party {
    permits: Arc<Semaphore>,
    /// The number of permits that it holds or waits for.
    n: usize,
}

/// A permit; it is released when this is dropped.
pub(crate) struct FairPermit<K: Ord> {
    // The party's own permit is released before someone else can take the shared one.
    _own: OwnedSemaphorePermit,
    _shared: OwnedSemaphorePermit,
    _member: Member<K>,
}

/// One of the waits or permits of a party.
struct Member<K: Ord> {
    of: Arc<FairSemaphore<K>>,
    party: K,
    permits: Arc<Semaphore>,
}

impl<K: Ord + Copy> FairSemaphore<K> {
    pub(crate) fn new(n_permits: usize, each: usize) -> Arc<FairSemaphore<K>> {
        Arc::new(FairSemaphore {
            permits: Arc::new(Semaphore::new(n_permits)),
            each,
            parties: Mutex::default(),
            n_waiting: AtomicUsize::new(0),
        })
    }

    /// Waits for a permit. `None`: this party holds, or waits for, `most` of them already.
    pub(crate) async fn acquire(self: &Arc<Self>, party: K, most: usize) -> Option<FairPermit<K>> {
        let member = self.join(party, most)?;
        // Neither is ever closed.
        let own = member.permits.clone().acquire_owned().await.ok()?;
        let _waits = Waits::new(&self.n_waiting);
        let shared = self.permits.clone().acquire_owned().await.ok()?;
        Some(FairPermit { _own: own, _shared: shared, _member: member })
    }

    /// Whether someone waits for what this party holds.
    pub(crate) fn is_awaited(&self, party: K) -> bool {
        let by_itself = || self.parties.lock().get(&party).is_some_and(|party| party.n > self.each);
        self.n_waiting.load(Ordering::Relaxed) > 0 || by_itself()
    }

    fn join(self: &Arc<Self>, party: K, most: usize) -> Option<Member<K>> {
        let mut parties = self.parties.lock();
        let entry = parties.entry(party);
        let joined = entry.or_insert_with(|| Party { permits: Arc::new(Semaphore::new(self.each)), n: 0 });
        if joined.n >= most {
            return None;
        }
        joined.n += 1;
        Some(Member { of: self.clone(), party, permits: joined.permits.clone() })
    }
}

impl<K: Ord> Drop for Member<K> {
    fn drop(&mut self) {
        let mut parties = self.of.parties.lock();
        if let Some(party) = parties.get_mut(&self.party) {
            party.n -= 1;
            if party.n == 0 {
                parties.remove(&self.party);
            }
        }
    }
}

struct Waits<'a>(&'a AtomicUsize);

impl Waits<'_> {
    fn new(n: &AtomicUsize) -> Waits<'_> {
        n.fetch_add(1, Ordering::Relaxed);
        Waits(n)
    }
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    fn now<T>(future: impl Future<Output = T>) -> Poll<T> {
        pin!(future).poll(&mut Context::from_waker(Waker::noop()))
    }

    #[test]
    fn one_party_never_holds_all_permits() {
        let semaphore = FairSemaphore::new(3, 2);
        let Poll::Ready(Some(first)) = now(semaphore.acquire('a', 9)) else { panic!("a permit is free") };
        let Poll::Ready(Some(_second)) = now(semaphore.acquire('a', 9)) else { panic!("two are free for it") };
        assert!(now(semaphore.acquire('a', 9)).is_pending(), "it holds two");
        assert!(!semaphore.is_awaited('a'), "who gives up does not wait");
        let Poll::Ready(Some(third)) = now(semaphore.acquire('b', 9)) else { panic!("the third is for others") };
        {
            let mut waits = pin!(semaphore.acquire('c', 9));
            assert!(waits.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
            assert!(semaphore.is_awaited('a') && semaphore.is_awaited('b'));
        }
        {
            let mut waits = pin!(semaphore.acquire('a', 9));
            assert!(waits.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
            assert!(semaphore.is_awaited('a') && !semaphore.is_awaited('b'), "it waits for its own");
        }
        drop(first);
        let Poll::Ready(Some(_fourth)) = now(semaphore.acquire('c', 9)) else { panic!("it is free again") };
        drop(third);
        assert_eq!(semaphore.parties.lock().keys().copied().collect::<String>(), "ac");
    }

    #[test]
    fn waits_of_a_party_are_limited() {
        let semaphore = FairSemaphore::new(1, 1);
        let held = now(semaphore.acquire('a', 2));
        let mut waits = pin!(semaphore.acquire('a', 2));
        assert!(waits.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        assert!(matches!(now(semaphore.acquire('a', 2)), Poll::Ready(None)));
        drop(held);
        assert!(matches!(waits.as_mut().poll(&mut Context::from_waker(Waker::noop())), Poll::Ready(Some(_))));
    }
}
