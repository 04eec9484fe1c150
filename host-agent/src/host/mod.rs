//! The Linux host: carries out the brain's outputs and reports events. It decides nothing.
//!
//! ```text
//! Output --carry_out--> workers, commands, watcher, timers --Event--> driver --Input--> brain
//! ```
//!
//! Every answer comes through the event channel, never from within `carry_out`.

mod account_files;
mod accounts;
mod audit;
mod bus;
mod captured;
#[cfg(test)]
mod contract;
mod doors;
mod errno;
mod events;
mod exec;
mod fs;
mod limits;
mod lines;
mod locks;
#[cfg(test)]
mod panics;
mod pool;
mod private;
mod program;
mod random;
mod readers;
mod rehearsal;
mod rules;
mod running;
#[cfg(test)]
mod scratch;
mod signals;
mod small;
mod sound;
mod spool;
mod state;
mod subject;
mod subscribe;
mod timers;
pub(crate) mod watch;
mod work;
mod world;

pub(crate) use audit::Audit;
pub(crate) use errno::{io_failed, io_words, words};
pub(crate) use events::{Event, Events};
pub(crate) use fs::{is_being_written, lead};
pub(crate) use limits::{give_back, raise};
pub(crate) use private::{create_private, read_private};
pub(crate) use random::{random, random_name};
pub(crate) use rules::{read_rules, read_trusted};
#[cfg(test)]
pub(crate) use scratch::Scratch;
pub(crate) use small::{read_small, read_stdin};
pub(crate) use state::{Shelf, StateDir};
pub(crate) use subject::PackageSystem;
pub(crate) use world::{
    AGENTS, Belongings, Checkup, Chosen, Cluster, Credentials, EXPORTS, Expected, Fault, Filling, Fix, HostKeys,
    Joining, Listed, MOST_EXPORTS, Newest, POOLS, Proposed, SEALED, STATEMENTS, Seen, SharedStore, Signer, StoredLock,
    StoredVoters, Surplus, Unfetched, User, VALUES, Visit, Voters, Whole, is_of_hosts, operators, other_layout,
    recipients, recipients_for, speaker, within_limits,
};

use crate::lock::Mutex;
use crate::network::{Network, Task};
use crate::policy::{Permit, Policy};
use crate::show::Show;
use mclive_base::protocol::{Input, Output, StopMode, Ticket};
use mclive_base::vocab::password::Secret;
use mclive_base::vocab::store::Keys;
use mclive_base::vocab::{Attributes, Datum, HostError, HostErrorKind, KeyStore};
use pool::Pool;
use running::Running;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, Instant};
use subscribe::Subscriptions;
use timers::Timers;
use watch::{Change, Far, Watcher};
use work::{Job, sound_of_mind};

/// At the end of the program: how long readers may take to clean up.
const LAST_WAIT: Duration = Duration::from_millis(100);
/// How long clients of the program's servers may take to receive their answers.
const LAST_ANSWERS: Duration = Duration::from_secs(1);

/// The settings of a run.
pub(crate) struct Settings {
    /// The name of this host in the program.
    pub(crate) hostname: String,
    pub(crate) packages: PackageSystem,
    /// Nothing is changed; changes are only predicted.
    pub(crate) rehearses: bool,
    /// The store shared with other hosts. `None`: the world is in the state directory.
    pub(crate) world: Option<Arc<SharedStore>>,
    /// Variables that take precedence over those of the environment.
    pub(crate) environment: Vec<(String, String)>,
}

/// The state that the host's threads share.
pub(crate) struct Shared {
    pub(crate) events: Arc<Events>,
    pub(crate) network: Network,
    pub(crate) state: StateDir,
    world: Option<Arc<SharedStore>>,
    pub(crate) policy: Policy,
    pub(crate) audit: Audit,
    pub(crate) show: Arc<Show>,
    pub(crate) hostname: String,
    environment: Vec<(String, String)>,
    umask: u32,
    /// In a plan: the predicted state.
    rehearsal: Option<rehearsal::Rehearsal>,
    subscriptions: Mutex<Subscriptions>,
    readers: readers::Readers,
    /// For threads that need a reference.
    me: Weak<Shared>,
    doors: doors::Doors,
    watcher: Watcher,
    far: Far,
    subjects: subject::States,
    timers: Mutex<Timers>,
    /// A rewrite of a file holds the lock of its path.
    files: locks::Locks,
    bus: bus::Bus,
}

impl Shared {
    /// For work that outlives a probe or a step.
    fn myself(&self) -> Result<Arc<Shared>, HostError> {
        self.me.upgrade().ok_or_else(|| HostError::new(HostErrorKind::Cancelled, "the agent is stopping"))
    }

    fn tell(&self, input: Input) {
        self.events.put(input);
    }

    /// Reports a text that is to be hidden from now on.
    fn tell_secret(&self, text: &str) {
        self.tell(Input::Secret(Secret(text.to_owned())));
    }

    /// The shared store, if this key store is the world and several hosts share it.
    fn shared_store(&self, store: KeyStore) -> Option<&Arc<SharedStore>> {
        self.world.as_ref().filter(|_| store == KeyStore::World)
    }
}

impl Keys for Shared {
    fn get(&self, store: KeyStore, key: &str) -> Option<Datum> {
        match self.shared_store(store) {
            Some(world) => world.get(store, key),
            None => self.state.key(store, key),
        }
    }

    fn below(&self, store: KeyStore, prefix: &str) -> Vec<(String, Datum)> {
        match self.shared_store(store) {
            Some(world) => world.below(store, prefix),
            None => self.state.keys_below(store, prefix),
        }
    }

    fn is_shared(&self) -> bool {
        self.world.is_some()
    }
}

pub(crate) struct Host {
    shared: Arc<Shared>,
    pool: Pool,
    /// The work that can be cancelled, by the ticket of its probe or apply.
    running: Arc<Mutex<HashMap<Ticket, Job>>>,
    /// The commands that watches and facts follow.
    followed: HashMap<Ticket, Vec<Arc<Running>>>,
    /// Commands that are no longer followed and were asked to stop, with the time of their kill.
    leaving: Vec<(Instant, Arc<Running>)>,
    /// The session with the shared store.
    _follows: Option<Task>,
}

impl Host {
    pub(crate) fn start(
        events: Arc<Events>,
        network: Network,
        state: StateDir,
        policy: Policy,
        audit: Audit,
        show: Arc<Show>,
        settings: Settings,
    ) -> std::io::Result<Host> {
        let subjects = subject::States::of(&settings);
        let Settings { hostname, packages: _, rehearses, world, environment } = settings;
        let umask = limits::umask();
        let whom: Arc<OnceLock<Weak<Shared>>> = Arc::default();
        let told = whom.clone();
        let tell = Arc::new(move |changes: Vec<Change>| {
            let Some(shared) = told.get().and_then(Weak::upgrade) else { return };
            for (listener, path) in changes {
                let ticket = Ticket(listener.0);
                if !shared.subjects.file_changed(ticket, &path) {
                    subscribe::changed(&shared, ticket, Some(path));
                }
            }
        });
        let (far, near) = (Far::new(tell.clone()), tell);
        let watcher = Watcher::start(move |changes| near(changes))?;
        let shared = Arc::new_cyclic(|me| Shared {
            me: me.clone(),
            readers: readers::Readers::default(),
            events,
            network,
            state,
            world,
            policy,
            audit,
            show,
            hostname,
            environment,
            umask,
            rehearsal: rehearses.then(rehearsal::Rehearsal::default),
            subscriptions: Mutex::default(),
            doors: doors::Doors::default(),
            watcher,
            far,
            subjects,
            timers: Mutex::default(),
            files: locks::Locks::default(),
            bus: bus::Bus::default(),
        });
        // Set before anything is watched.
        let _ = whom.set(Arc::downgrade(&shared));
        if !rehearses {
            shared.subjects.start(&shared);
        }
        let follows = shared.world.as_ref().map(|world| world.follow(&shared)).transpose()?;
        Ok(Host {
            shared,
            pool: Pool::new(),
            running: Arc::default(),
            followed: HashMap::new(),
            leaving: Vec::new(),
            _follows: follows,
        })
    }

    /// When `tick` is due.
    pub(crate) fn next_timer(&self) -> Option<Instant> {
        let must_go = self.leaving.iter().map(|(at, _)| *at);
        self.shared.timers.lock().next().into_iter().chain(must_go).min()
    }

    /// Handles the timers that are due.
    pub(crate) fn tick(&mut self) {
        let now = Instant::now();
        self.leaving.retain(|(at, running)| {
            if *at <= now {
                running.stop(StopMode::Hard);
            }
            *at > now
        });
        let due = self.shared.timers.lock().take_due();
        for (ticket, appeared) in due {
            // From now on its changes are reported, unlike its appearance.
            if let Some(path) = &appeared {
                self.shared.watcher.renew(path);
            }
            subscribe::changed(&self.shared, ticket, appeared);
        }
    }

    pub(crate) fn carry_out(&mut self, output: Output) {
        match output {
            Output::Subscribe(ticket, spec) => self.subscribe(ticket, spec),
            Output::Unsubscribe(ticket) | Output::Unwatch(ticket) => self.leave(ticket),
            Output::Watch(ticket, watches) => self.watch(ticket, &watches),
            Output::Probe(ticket, id, probes) => self.probe(ticket, id, probes),
            Output::Apply(ticket, id, steps) => self.apply(ticket, id, steps),
            Output::Cancel(ticket, mode) => self.cancel(ticket, mode),
            // Handled by the driver.
            Output::Report(_) | Output::Idle { .. } | Output::Exit { .. } => {}
        }
    }

    /// Ends all watches, and lets the last requests get their answers; called at the end of the program.
    pub(crate) fn stop(&mut self) {
        self.shared.subjects.stop(&self.shared);
        let all = || self.followed.values().flatten().chain(self.leaving.iter().map(|(_, running)| running));
        all().for_each(|running| running.stop(StopMode::Soft));
        let began = Instant::now();
        let waits = |waited: Duration| {
            waited < LAST_WAIT && !all().all(|running| running.is_over())
                || waited < LAST_ANSWERS && !self.shared.subjects.is_over()
        };
        while waits(began.elapsed()) {
            std::thread::sleep(Duration::from_millis(2));
        }
        all().for_each(|running| running.stop(StopMode::Hard));
        self.shared.subjects.finish();
    }
}

/// Replaces a file's content atomically, as the formatter does.
pub(crate) fn rewrite(path: &str, content: &[u8]) -> Result<(), HostError> {
    fs::write_file(Permit::ALL, path, &fs::Bytes::These(content), &Attributes::default(), 0o022)
}
