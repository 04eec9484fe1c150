//! [`Line`]: the only connection to a systemd manager: opened at first use, reopened when lost, and read
//! by one task that routes the manager's signals to the affected tickets.
//!
//! ```text
//! watch --hold--> board <--moved-- listener <--signals-- manager
//! probe, step --link--> connection --request--> manager
//! ```
//!
//! After each reconnection everything is checked again, since signals in between were lost.

mod rests;

use super::board::{Board, Ended};
use super::files::Files;
use super::lost;
use super::manager::{Manager, SIGNALS};
use super::starts::Starts;
use crate::host::Shared;
use crate::host::errno::no_network;
use crate::host::subscribe;
use crate::lock::Mutex;
use crate::network::bus::{self, Connection, Message, OwnedObjectPath, OwnedVariant, Signals};
use mclive_base::protocol::Ticket;
use mclive_base::vocab::{HostError, HostErrorKind};
use std::collections::HashMap;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, MutexGuard, Weak};
use std::time::{Duration, Instant};
use tokio::sync::{Semaphore, SemaphorePermit, watch};

/// The first and the longest pause between reconnections.
const PAUSES: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(30));
/// The pause after a survey of all units, as a multiple of its duration.
const PAUSE_OF_SURVEY: u32 = 10;
/// The maximum number of concurrent jobs. For each job the manager makes the bus watch the requester; beyond 512 such
/// watches the bus closes the manager's own connection, and all requests in progress are lost.
const MOST_JOBS: usize = 128;

pub(super) struct Line {
    session: bool,
    link: tokio::sync::Mutex<Option<Connection>>,
    board: Mutex<Board>,
    starts: Mutex<Starts>,
    /// The files last read by the manager, of units that it could not load.
    files: Mutex<Files>,
    /// The files with which units were last started.
    files_started: Mutex<Files>,
    /// Permits for further jobs.
    jobs: Semaphore,
    /// Counts the changes of units and jobs.
    moved: watch::Sender<u64>,
    /// The manager was there: that it is not is no longer how this host is.
    was_there: AtomicBool,
    /// Reloads that were asked for, and of those how many are done.
    asked: AtomicU64,
    reloaded: tokio::sync::Mutex<u64>,
}

impl Line {
    pub(super) fn new(session: bool) -> Line {
        Line {
            session,
            link: tokio::sync::Mutex::default(),
            board: Mutex::default(),
            starts: Mutex::default(),
            files: Mutex::default(),
            files_started: Mutex::default(),
            jobs: Semaphore::new(MOST_JOBS),
            moved: watch::Sender::new(0),
            was_there: AtomicBool::new(false),
            asked: AtomicU64::new(0),
            reloaded: tokio::sync::Mutex::default(),
        }
    }

    fn board(&self) -> MutexGuard<'_, Board> {
        self.board.lock()
    }

    /// Whether the manager must read the file of a unit again that it could not load.
    pub(super) fn has_another_file(&self, name: &str) -> bool {
        self.files.lock().differs(name, self.session)
    }

    /// Records that the manager is about to read the file of a unit.
    pub(super) fn reads_file(&self, name: &str) {
        self.files.lock().note(name, self.session);
    }

    /// Held while a job is in progress; `None`: the agent ends.
    pub(super) async fn room_for_job(&self) -> Option<SemaphorePermit<'_>> {
        self.jobs.acquire().await.ok()
    }

    /// Suppresses reports about a unit until this is dropped.
    pub(super) fn hush(self: &Arc<Line>, name: &str) -> Hush {
        self.board().hush(name);
        Hush { line: self.clone(), name: name.to_owned() }
    }

    /// Records a successful start.
    pub(super) fn came_up(&self, shared: &Shared, name: &str) {
        let concerned = self.board().holders(name);
        tell(shared, concerned);
    }

    /// Records a failed start, with the unit in this state.
    pub(super) fn stayed_down(&self, name: &str, active: &str) {
        self.board().arrived(name, active);
    }

    /// The socket of the manager's bus.
    pub(super) fn door(&self) -> PathBuf {
        if !self.session {
            return "/run/dbus/system_bus_socket".into();
        }
        let own = || PathBuf::from(format!("/run/user/{}", rustix::process::getuid().as_raw()));
        let dir = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|dir| dir.is_absolute());
        dir.unwrap_or_else(own).join("bus")
    }

    /// Subscribes a ticket to a unit. The subscription is in place once the network's thread has handled it.
    pub(super) fn hold(self: &Arc<Line>, shared: &Arc<Shared>, ticket: Ticket, name: &str) -> Result<(), HostError> {
        self.board().hold(ticket, name);
        let (line, shared, name) = (self.clone(), shared.clone(), name.to_owned());
        let held = shared.network.clone().handle().map_err(no_network)?;
        held.spawn(async move {
            match line.link(&shared).await {
                Ok(manager) => {
                    if let Ok(briefs) = manager.list(&[&name]).await {
                        line.board().learn(ticket, &name, &briefs[0]);
                    }
                }
                // The check reports why.
                Err(_) => line.come_back(&shared),
            }
            subscribe::in_place(&shared, ticket);
        });
        Ok(())
    }

    pub(super) fn leave(&self, ticket: Ticket) {
        self.board().leave(ticket);
    }

    /// The manager; connects if necessary.
    pub(super) async fn link(self: &Arc<Line>, shared: &Arc<Shared>) -> Result<Manager, HostError> {
        let mut link = self.link.lock().await;
        if let Some(connection) = link.as_ref().filter(|connection| !connection.is_closed()) {
            return Ok(Manager(connection.clone()));
        }
        let (connection, signals) = self.open().await?;
        tokio::spawn(self.clone().listen(signals, Arc::downgrade(shared)));
        let manager = Manager(connection.clone());
        if let Err(error) = greet(&manager).await {
            // A connection without signals is useless; closing it ends its listener.
            connection.close().await;
            return Err(error);
        }
        *link = Some(connection);
        drop(link);
        self.was_there.store(true, SeqCst);
        self.look_again(shared);
        Ok(manager)
    }

    /// Repeats a request until there is an answer or a real error. A request lost with a connection, ours or the
    /// manager's own to the bus, is repeated for as long as a manager may take to come back.
    pub(super) async fn answered<T, F: Future<Output = Result<T, HostError>>>(
        &self,
        question: impl FnMut() -> F,
    ) -> Result<T, HostError> {
        lost::ask_again(&lost::PAUSES, &|| self.was_there.load(SeqCst), question).await
    }

    async fn open(&self) -> Result<(Connection, Signals), HostError> {
        let door = self.door();
        if door.exists() { bus::connect(&door).await } else { Err(self.is_missing(&door)) }
    }

    /// Why there is no manager, and what to do.
    fn is_missing(&self, door: &Path) -> HostError {
        let door = door.display();
        let why = if !Path::new("/run/systemd/system").exists() {
            "systemd is not running on this host".to_owned()
        } else if self.session {
            format!(
                "no user session manager is running (no {door}): install the package `dbus-user-session`; \
                 `loginctl enable-linger` starts one without a login"
            )
        } else {
            format!("cannot connect to systemd (no {door}): install the package `dbus` and start it")
        };
        HostError::new(HostErrorKind::Unavailable, why)
    }

    /// Reads signals until the connection is lost.
    async fn listen(self: Arc<Line>, mut signals: Signals, shared: Weak<Shared>) {
        while let Some(message) = signals.next().await {
            let Some(shared) = shared.upgrade() else { return };
            self.hear(&shared, &message);
        }
        self.board().lose_jobs();
        self.moved.send_modify(|count| *count += 1);
        if let Some(shared) = shared.upgrade() {
            self.come_back(&shared);
        }
    }

    fn hear(self: &Arc<Line>, shared: &Arc<Shared>, message: &Message) {
        let header = message.header();
        let (Some(member), Some(path)) = (header.member(), header.path()) else { return };
        match member.as_str() {
            "PropertiesChanged" => {
                type Changed = (String, HashMap<String, OwnedVariant>, Vec<String>);
                let Ok((interface, changed, _)) = bus::read::<Changed>(message, "") else { return };
                let active = changed.get("ActiveState").and_then(|word| <&str>::try_from(word).ok());
                if interface == "org.freedesktop.systemd1.Unit" {
                    let concerned = self.board().moved(path.as_str(), active, |name| self.rests(name));
                    tell(shared, concerned);
                    if active == Some("active") {
                        let names = self.board().names_at(path.as_str());
                        let resting = names.iter().filter(|name| self.rests(name));
                        resting.for_each(|name| self.look_if_it_stays_up(shared, name));
                    }
                    self.moved.send_modify(|count| *count += 1);
                }
            }
            "JobRemoved" => {
                let Ok((_, job, unit, result)) = bus::read::<(u32, OwnedObjectPath, String, String)>(message, "")
                else {
                    return;
                };
                if !self.board().is_hushed(&unit) {
                    self.starts.lock().somebody_acts(&unit);
                }
                self.board().job_ended(job.as_str(), result);
                self.moved.send_modify(|count| *count += 1);
            }
            "UnitFilesChanged" => self.survey(shared),
            "Reloading" if bus::read::<bool>(message, "").is_ok_and(|begins| !begins) => self.survey(shared),
            "NameOwnerChanged" => {
                let Ok((_, _, owner)) = bus::read::<(String, String, String)>(message, "") else { return };
                if !owner.is_empty() {
                    self.follow(shared);
                }
            }
            _ => {}
        }
    }

    /// The manager at the other end of the bus was replaced: subscribes again.
    fn follow(self: &Arc<Line>, shared: &Arc<Shared>) {
        let (line, shared) = (self.clone(), shared.clone());
        tokio::spawn(async move {
            if let Ok(manager) = line.link(&shared).await
                && manager.subscribe().await.is_ok()
            {
                line.look_again(&shared);
            }
        });
    }

    /// Unit files were changed or reloaded, of unknown units: finds the changed units. Takes only a small part of the
    /// manager's time.
    fn survey(self: &Arc<Line>, shared: &Arc<Shared>) {
        if !self.board().begin_survey() {
            return;
        }
        let (line, shared) = (self.clone(), shared.clone());
        tokio::spawn(async move {
            loop {
                let (began, names) = (Instant::now(), line.board().names());
                let words: Vec<&str> = names.iter().map(String::as_str).collect();
                let briefs = match line.link(&shared).await {
                    Ok(manager) => manager.list(&words).await,
                    Err(error) => Err(error),
                };
                let mut concerned = match briefs {
                    Ok(briefs) => line.board().compare(&names, &briefs),
                    // Without a list of changes everything is checked.
                    Err(_) => line.board().everybody(),
                };
                // A resting unit with a changed file may be started.
                for name in names.iter().filter(|name| line.rests(name) && line.has_changed_since_its_start(name)) {
                    concerned.extend(line.board().holders(name));
                }
                tell(&shared, concerned);
                tokio::time::sleep(began.elapsed() * PAUSE_OF_SURVEY).await;
                if !line.board().goes_on() {
                    return;
                }
            }
        });
    }

    fn look_again(&self, shared: &Shared) {
        let everybody = self.board().everybody();
        tell(shared, everybody);
    }

    /// Reconnects as soon as possible, if anything is watched. A missing socket is watched itself.
    fn come_back(self: &Arc<Line>, shared: &Arc<Shared>) {
        if !self.board().begin_coming_back() {
            return;
        }
        let (line, shared) = (self.clone(), shared.clone());
        tokio::spawn(async move {
            let mut pause = PAUSES.0;
            loop {
                tokio::time::sleep(pause).await;
                pause = PAUSES.1.min(pause * 2);
                let nobody_asks = line.board().everybody().is_empty();
                let is_gone = !line.door().exists();
                if nobody_asks || is_gone || line.link(&shared).await.is_ok() {
                    line.board().came_back();
                    return;
                }
            }
        });
    }

    /// A receiver of later changes of units.
    pub(super) fn moves(&self) -> watch::Receiver<u64> {
        self.moved.subscribe()
    }

    /// A receiver of a job's outcome.
    pub(super) fn job_end(&self, path: &str) -> Ended {
        self.board().job_end(path)
    }

    /// Makes the manager reload all files, once for all requests before its start.
    pub(super) async fn reload(&self, manager: &Manager) -> Result<(), HostError> {
        let mine = self.asked.fetch_add(1, SeqCst) + 1;
        let mut done = self.reloaded.lock().await;
        if *done >= mine {
            return Ok(());
        }
        let all = self.asked.load(SeqCst);
        manager.reload().await?;
        *done = all;
        Ok(())
    }
}

/// Suppresses reports about a unit until it is dropped.
pub(super) struct Hush {
    line: Arc<Line>,
    name: String,
}

impl Drop for Hush {
    fn drop(&mut self) {
        self.line.board().unhush(&self.name);
    }
}

/// Subscribes to the signals of a manager and of its bus.
async fn greet(manager: &Manager) -> Result<(), HostError> {
    for rule in SIGNALS {
        bus::listen(&manager.0, rule).await?;
    }
    manager.subscribe().await
}

fn tell(shared: &Shared, concerned: Vec<(Ticket, String)>) {
    for (ticket, what) in concerned {
        subscribe::changed(shared, ticket, Some(what));
    }
}
