//! The session: follows the store from the mirror's revision, renews the leases, and connects again after a failure.
//!
//! ```text
//! state > (snapshot) > watch from the next revision > live ... lost > pause > the next endpoint
//! ```
//!
//! A watch that continues from the last revision misses nothing, even if it is opened again because the previous one is
//! late (`Pulse`). If the store has compacted its history past it, was replaced or restored, a snapshot is compared
//! with the mirror, and only differences count as changes.

use super::absence::Absence;
use super::gateway::{Failure, Stream, Told};
use super::history::History;
use super::leases::Tick;
use super::opening::as_read;
use super::presence::Presence;
use super::pulse::{ANSWER, Next, Pulse};
use super::{Reached, SharedStore, ballot, own, statement};
use crate::host::Shared;
use crate::host::subject::{key_changed, world_is_known};
use crate::network::Task;
use mclive_base::vocab::KeyStore;
use mclive_base::vocab::schedule::place;
use std::sync::{Arc, Weak};
use std::time::{Duration, SystemTime};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until, timeout};

/// After this time without a message a watch has caught up.
const QUIET: Duration = Duration::from_millis(200);
/// How often to check a store to which nothing else is sent.
const LOOKS: Duration = Duration::from_secs(5);

impl SharedStore {
    /// Starts the session, which ends with the task.
    pub(in crate::host) fn follow(self: &Arc<Self>, shared: &Arc<Shared>) -> std::io::Result<Task> {
        let (store, weak) = (self.clone(), Arc::downgrade(shared));
        shared.network.spawn(async move {
            tokio::select! {
                () = store.connect_again_and_again(&weak) => {}
                () = store.doubt(&weak) => {}
                () = store.report_later(&weak) => {}
                () = store.follow_host_keys(&weak) => {}
                () = store.follow_recipients(&weak) => {}
                () = store.follow_operators(&weak) => {}
            }
        })
    }

    async fn connect_again_and_again(&self, shared: &Weak<Shared>) {
        let mut absence = Absence::default();
        while shared.strong_count() > 0 {
            let failure = self.connected(shared, &mut absence).await;
            let is_refused = matches!(failure, Failure::Refused(_));
            let why = failure.words();
            self.reached.send_modify(|reached| (reached.is_live, reached.since) = (false, None));
            self.inside.lock().why.clone_from(&why);
            absence.goes_on(&why, is_refused);
            tokio::select! {
                () = sleep(absence.pause(is_refused)) => {}
                () = self.gateway.credentials().change(), if is_refused => {}
            }
            self.gateway.turn();
        }
    }

    /// One connection, until it is lost.
    async fn connected(&self, shared: &Weak<Shared>, absence: &mut Absence) -> Failure {
        match Box::pin(self.hold(shared, absence)).await {
            Ok(never) => match never {},
            Err(failure) => failure,
        }
    }

    async fn hold(&self, shared: &Weak<Shared>, absence: &mut Absence) -> Result<std::convert::Infallible, Failure> {
        let (cluster, target) = self.gateway.state().await?;
        let history = self.history(&cluster, target).await?;
        if history != History::Same {
            absence.n_changed += self.begin_again(history, shared).await?;
        }
        let has_joined = self.inside.lock().has_joined;
        if !has_joined {
            self.enter().await.map_err(Failure::Refused)?;
        }
        loop {
            let from = self.inside.lock().mirror.revision() + 1;
            let stream = self.gateway.watch(from).await?;
            let ahead = watch::Sender::new(0);
            tokio::select! {
                compacted = Box::pin(self.listen(stream, target, &ahead, shared, absence)) => compacted?,
                failure = Box::pin(self.renew(shared, &ahead)) => return Err(failure),
                failure = Box::pin(self.mend()) => return Err(failure),
                failure = Box::pin(self.prove()) => return Err(failure),
            }
            absence.n_changed += self.sync(shared).await?;
        }
    }

    /// Does not continue from the mirror's revision; returns how many values differ. The store's new history is reported
    /// once: from then on the mirror belongs to it.
    async fn begin_again(&self, history: History, shared: &Weak<Shared>) -> Result<usize, Failure> {
        let Some(words) = history.words() else { return self.sync(shared).await };
        let given_up = self.inside.lock().gives_up_leases();
        given_up.into_iter().for_each(|ttl| self.tell_votes(shared, ttl));
        let n_changed = self.sync(shared).await?;
        crate::output::tell(&format!(
            "mclive: warning: the shared store {words}; this host has read it again, and restores its own keys"
        ));
        Ok(n_changed)
    }

    /// Takes a snapshot over; returns how many values differ.
    async fn sync(&self, shared: &Weak<Shared>) -> Result<usize, Failure> {
        let snapshot = self.gateway.snapshot().await?;
        let (revision, was_known) = (snapshot.revision, self.is_known());
        let changed = self.inside.lock().replace(&self.hostname, snapshot, Tick::now());
        let by_others = self.changed_by_others(self.signed_values());
        self.doubts.notify_one();
        match shared.upgrade().filter(|_| !was_known) {
            // This run has not signed anything yet, so others have not changed it.
            Some(first) => world_is_known(&first),
            None => self.report(shared, &changed, by_others),
        }
        self.reached.send_modify(|reached| reached.revision = revision);
        // By a write after it, the snapshot is known to be of the store's history (`History`).
        self.inside.lock().own.forget_writes();
        self.look_for_foreign_later();
        self.notice_all();
        Ok(n_values(&changed))
    }

    /// Applies what the watch reports, until the history it needs is gone. `ahead`: a revision that the store has
    /// reached.
    async fn listen(
        &self,
        mut stream: Stream,
        target: i64,
        ahead: &watch::Sender<i64>,
        shared: &Weak<Shared>,
        absence: &mut Absence,
    ) -> Result<(), Failure> {
        let (mut ahead, mut pulse) = (ahead.subscribe(), Pulse::new(Instant::now()));
        let mut is_behind = true;
        loop {
            let (store, mirror) = (*ahead.borrow_and_update(), self.inside.lock().mirror.revision());
            if is_behind && pulse.has_answered() && mirror >= target {
                is_behind = false;
                self.is_back(absence);
            }
            let look = match pulse.next(Instant::now(), store, mirror) {
                Next::Listen(look) => look,
                Next::Open => {
                    pulse.opens(Instant::now());
                    let opened = self.gateway.watch(mirror + 1).await;
                    stream = opened.inspect_err(|_| self.tell_stall(mirror))?;
                    continue;
                }
                Next::Connect => {
                    if pulse.was_late() {
                        self.tell_stall(mirror);
                    }
                    let (url, limit) = (self.gateway.url(), ANSWER.as_secs());
                    return Err(Failure::Away(format!("{url}: no response to a watch within {limit} s")));
                }
            };
            let message = tokio::select! {
                message = stream.next() => message?,
                () = sleep(QUIET), if is_behind && pulse.has_answered() => {
                    is_behind = false;
                    self.is_back(absence);
                    continue;
                }
                () = moment(look) => continue,
                _ = ahead.changed() => continue,
            };
            match self.gateway.told(&message)? {
                Told::Begun(revision) => pulse.answers(revision),
                Told::Compacted => return Ok(()),
                Told::Changes(revision, changes) => {
                    if pulse.hears(changes.first().map(|change| change.revision)) {
                        self.tell_stall(mirror);
                    }
                    self.note_foreign(&changes);
                    let (exports, values) = (self.exports_in(&changes), self.values_in(&changes));
                    let (changed, revision) = {
                        let mut inside = self.inside.lock();
                        inside.note(&changes);
                        let changed = inside.apply(&self.hostname, revision, changes, Tick::now());
                        (changed, inside.mirror.revision())
                    };
                    self.note_altered(exports);
                    self.doubts.notify_one();
                    absence.n_changed += if is_behind { n_values(&changed) } else { 0 };
                    self.report(shared, &changed, self.changed_by_others(values));
                    self.reached.send_modify(|reached| reached.revision = revision);
                    self.notice_pools(changed.iter().map(String::as_str));
                }
            }
        }
    }

    /// Reports that a watch has stalled, and from where another one continues.
    fn tell_stall(&self, revision: i64) {
        crate::output::tell(&format!(
            "mclive: warning: the watch on the shared store at {} has stalled; resuming from revision {revision}",
            self.gateway.url()
        ));
    }

    /// Reports changed values to the program.
    pub(super) fn tell(&self, shared: &Weak<Shared>, changed: &[String]) {
        let Some(shared) = shared.upgrade() else { return };
        changed.iter().for_each(|key| key_changed(&shared, KeyStore::World, &as_read(key)));
    }

    /// The mirror has caught up.
    fn is_back(&self, absence: &mut Absence) {
        absence.ends();
        self.reached.send_modify(|Reached { is_live, since, .. }| {
            *is_live = true;
            since.get_or_insert_with(SystemTime::now);
        });
        self.notice_all();
    }

    /// Renews the leases until the store is lost. The answers also show that the store can be reached, and how far it is.
    async fn renew(&self, shared: &Weak<Shared>, ahead: &watch::Sender<i64>) -> Failure {
        let mut presence = Presence::default();
        loop {
            let renewed = async {
                let pace = self.renew_all(shared, ahead).await?;
                let revision = *ahead.borrow();
                self.look_after_presence(&mut presence, revision).await?;
                Ok::<Duration, Failure>(pace)
            };
            match renewed.await {
                Ok(pace) => sleep(pace).await,
                Err(failure) => return failure,
            }
        }
    }

    /// Returns when to do it again.
    async fn renew_all(&self, shared: &Weak<Shared>, ahead: &watch::Sender<i64>) -> Result<Duration, Failure> {
        // Members that lag answer with earlier revisions.
        let reaches = |revision: i64| ahead.send_modify(|ahead| *ahead = revision.max(*ahead));
        if self.only_reads() {
            reaches(self.gateway.state().await?.1);
            return Ok(LOOKS);
        }
        self.grant(self.ttl).await?;
        let (leases, cluster) = {
            let inside = self.inside.lock();
            (inside.leases.all(), inside.mirror.cluster().to_owned())
        };
        if leases.is_empty() {
            reaches(self.gateway.state().await?.1);
        }
        for (ttl, number) in leases {
            let sent = Tick::now();
            match self.gateway.renew(number, &cluster).await {
                Ok(revision) => {
                    reaches(revision);
                    if self.inside.lock().leases.renewed(ttl, sent, Tick::now()) {
                        self.tell_votes(shared, ttl);
                    }
                    self.doubts.notify_one();
                }
                // It ran out while the store was away or this host slept, or another store answers.
                Err(Failure::NoLease) => {
                    self.check_store(&cluster).await?;
                    self.inside.lock().leases.lost(ttl);
                    self.grant(ttl).await?;
                    self.notice_all();
                }
                Err(failure) => return Err(failure),
            }
        }
        Ok(self.inside.lock().leases.pace().unwrap_or(LOOKS))
    }

    /// Errors: a store that has less than the mirror is not the same, or is an earlier state of it. Connecting again
    /// tells which.
    async fn check_store(&self, cluster: &str) -> Result<(), Failure> {
        let (other, revision) = self.gateway.state().await?;
        if other == cluster && revision >= self.inside.lock().mirror.revision() {
            return Ok(());
        }
        Err(Failure::Away(format!("{}: another store answers at this address", self.gateway.url())))
    }

    /// Makes sure that there is a lease with this time. A full store grants none until there is room, and can be followed.
    async fn grant(&self, ttl: u64) -> Result<(), Failure> {
        match self.lease(ttl).await {
            Ok(_) | Err(Failure::Full(_)) => Ok(()),
            Err(failure) => Err(failure),
        }
    }

    /// Reports the results of pools in which this host may no longer count as elected, or counts as elected from now on.
    async fn doubt(&self, shared: &Weak<Shared>) {
        loop {
            let now = Tick::now();
            let (other, lasts) = self.inside.lock().leases.doubt(now);
            let (proven, proves) = self.inside.lock().proofs.doubt(now);
            let (begun, begins) = self.inside.lock().handover.begin(now.0);
            other.into_iter().for_each(|ttl| self.tell_votes(shared, ttl));
            let places = begun.iter().map(|pool| place(pool)).chain(proven);
            self.tell(shared, &places.map(|place| format!("{place}chosen")).collect::<Vec<_>>());
            let again = self.doubts.notified();
            let waits = begins.map(|begins| begins.saturating_sub(now.0));
            match lasts.into_iter().chain(proves).chain(waits).min() {
                Some(left) => drop(timeout(left, again).await),
                None => again.await,
            }
        }
    }

    /// Reports the results of the pools in which this host has voted with this lease.
    fn tell_votes(&self, shared: &Weak<Shared>, ttl: u64) {
        let pools: Vec<String> = {
            let inside = self.inside.lock();
            let votes = inside.own.votes().filter(|(_, vote)| vote.options.lease.seconds() == Some(ttl));
            votes.map(|(_, vote)| format!("{}chosen", place(&vote.namespace))).collect()
        };
        self.tell(shared, &pools);
    }

    /// The key that shows that this host is running.
    pub(super) fn live_key(&self) -> String {
        own::live(&self.hostname)
    }
}

/// How many of these keys are not statements about others.
fn n_values(changed: &[String]) -> usize {
    let is_statement = |key: &str| statement::stated(key).is_some() || ballot::voted(key).is_some();
    changed.iter().filter(|key| !is_statement(key)).count()
}

/// Waits for a moment; `None`: forever.
async fn moment(moment: Option<Instant>) {
    match moment {
        Some(moment) => sleep_until(moment).await,
        None => std::future::pending().await,
    }
}
