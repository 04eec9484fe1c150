//! Many hosts and one store: sessions of the real network code, without programs. The test uses a few hosts: each
//! receives what it follows, and nothing that the others report about themselves. `make bench` prints measurements with
//! more of them (`MCLIVE_HOSTS`).
//!
//! All hosts are on one network thread and share the machine with etcd, so the times are upper limits.

use super::gateway::Cluster;
use super::own::AGENTS;
use super::{Joining, Reached, SharedStore};
use crate::host::contract::{Linux, linux_in};
use crate::host::raise;
use crate::host::scratch::Scratch;
use crate::network::{Network, Task};
use mclive_base::vocab::Datum;
use mclive_kit::etcd::Etcd;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

const KEYS: &str = "/mclive/main/";
const VALUE: &str = "strings/k";
/// An export to all hosts that changes.
const EXPORT: &str = "exported/*/host0/file/0";
/// The exports to all hosts, and the size of each.
const N_EXPORTS: usize = 50;
const EXPORT_BYTES: usize = 600;
/// How often each change is measured.
const CHANGES: usize = 20;
const LONGEST: Duration = Duration::from_secs(300);

struct Hosts {
    /// First of all, they end.
    _sessions: Vec<Task>,
    stores: Vec<Arc<SharedStore>>,
    network: Network,
    etcd: Etcd,
    /// What the hosts would tell their programs goes to this one, which has none.
    _linux: (Linux, Scratch),
}

impl Hosts {
    /// Returns also how long it took until all of them are there and know everything.
    fn start(n: usize, etcd: Etcd) -> (Hosts, Duration) {
        let network = Network::default();
        let linux = linux_in(&format!("scale-{n}"), network.clone(), None);
        let stores: Vec<Arc<SharedStore>> = (0..n).map(|nth| Arc::new(joining(nth, &etcd).into_store())).collect();
        let began = Instant::now();
        let follow = |store: &Arc<SharedStore>| store.follow(&linux.0.host.shared).expect("a network thread");
        let sessions = stores.iter().map(follow).collect();
        let hosts = Hosts { _sessions: sessions, stores, network, etcd, _linux: linux };
        wait("all hosts are connected", || hosts.stores.iter().all(|store| store.live_since().is_some()));
        wait("all hosts are there", || hosts.n_agents() == n);
        (hosts, began.elapsed())
    }

    /// The keys of what agents say about themselves.
    fn n_agents(&self) -> usize {
        self.etcd.keys(&format!("{KEYS}{AGENTS}")).len()
    }

    /// Changes a key; returns how long it takes until each host knows.
    fn spread(&self, key: &'static str, value: &str) -> Vec<Duration> {
        let (send, arrived) = channel();
        let waits = |store: &Arc<SharedStore>| {
            let (store, send, value, mut reached) =
                (store.clone(), send.clone(), Datum::text(value), store.reached.subscribe());
            let waits = async move {
                let is_there =
                    |_: &Reached| store.inside.lock().mirror.held(key).is_some_and(|held| held.value == value);
                let _ = reached.wait_for(is_there).await;
                let _ = send.send(Instant::now());
            };
            self.network.spawn(waits).expect("a network thread")
        };
        let waits: Vec<Task> = self.stores.iter().map(waits).collect();
        let began = Instant::now();
        self.etcd.put(&format!("{KEYS}{key}"), value);
        let took = |_: &Task| arrived.recv_timeout(LONGEST).expect("each host knows").duration_since(began);
        waits.iter().map(took).collect()
    }

    /// Changes a key several times; returns the times to all hosts, sorted, and what one change costs each of them.
    fn spreads(&self, key: &'static str, rest: &str) -> (Vec<Duration>, u64) {
        let before = self.received();
        let mut times: Vec<Duration> =
            (0..CHANGES).flat_map(|nth| self.spread(key, &format!("{nth} {rest}"))).collect();
        times.sort();
        (times, (self.received() - before) / CHANGES as u64)
    }

    /// What a host has received, on average. Units: bytes.
    fn received(&self) -> u64 {
        self.stores.iter().map(|store| store.received()).sum::<u64>() / self.stores.len() as u64
    }

    /// Each host reports on a deploy; returns how long it takes until the store has all of it, and what a host receives.
    fn report(&self) -> (Duration, u64) {
        let (began, before) = (Instant::now(), self.received());
        self.stores.iter().for_each(|store| store.tell_state(b"{}".to_vec()));
        wait("all reports are stored", || self.n_agents() == 2 * self.stores.len());
        (began.elapsed(), self.received() - before)
    }

    /// Asserts that each host has what all follow, and nothing else.
    fn check(&self) {
        let keys = self.etcd.keys(KEYS).into_iter().filter_map(|key| Some(key.strip_prefix(KEYS)?.to_owned()));
        let followed: Vec<String> = keys.filter(|key| !key.starts_with(AGENTS)).collect();
        assert_eq!(followed.len(), N_EXPORTS + 1);
        for store in &self.stores {
            assert!(store.inside.lock().mirror.under("").map(|(key, _)| key).eq(&followed), "{}", store.hostname);
        }
    }
}

fn joining(nth: usize, etcd: &Etcd) -> Joining {
    Joining {
        cluster: Cluster { urls: vec![etcd.url()], name: "main".into(), credentials: Arc::default() },
        ttl: 15,
        wait: LONGEST,
        hostname: format!("host{nth}"),
        id: Some(nth.to_string()),
        may_be_away: true,
        signer: None,
        opening: None,
        recipients: None,
        host_keys: None,
        operators: None,
    }
}

fn wait(what: &str, mut met: impl FnMut() -> bool) {
    let began = Instant::now();
    while !met() {
        assert!(began.elapsed() < LONGEST, "timed out: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The median and the time of all but one in a hundred, in milliseconds.
fn words(times: &[Duration]) -> String {
    let at = |hundredths: usize| times[(times.len() - 1) * hundredths / 100].as_secs_f64() * 1e3;
    format!("{:.0} / {:.0}", at(50), at(99))
}

/// `MCLIVE_HOSTS` sets the numbers of hosts, one after the other.
#[test]
fn each_host_knows_what_it_follows_and_nothing_of_the_others() {
    let numbers = std::env::var("MCLIVE_HOSTS").unwrap_or_else(|_| "20".into());
    raise();
    println!(
        "{:>6}{:>12}{:>14}{:>18}{:>14}{:>18}{:>14}{:>12}{:>14}{:>12}",
        "hosts",
        "connected s",
        "received KiB",
        "value p50/p99 ms",
        "received B",
        "export p50/p99 ms",
        "received B",
        "reports s",
        "received B",
        "etcd MiB"
    );
    for n in numbers.split_whitespace().map(|n| n.parse::<usize>().expect("a number of hosts")) {
        let Some(etcd) = Etcd::start() else { return };
        for nth in 0..N_EXPORTS {
            etcd.put(&format!("{KEYS}exported/*/host0/file/{nth}"), &"x".repeat(EXPORT_BYTES));
        }
        let (hosts, connected) = Hosts::start(n, etcd);
        let at_start = hosts.received();
        let (values, of_value) = hosts.spreads(VALUE, "");
        let (exports, of_export) = hosts.spreads(EXPORT, &"x".repeat(EXPORT_BYTES));
        let (reports, of_reports) = hosts.report();
        println!(
            "{n:>6}{:>12.2}{:>14}{:>18}{of_value:>14}{:>18}{of_export:>14}{:>12.2}{of_reports:>14}{:>12}",
            connected.as_secs_f64(),
            at_start / 1024,
            words(&values),
            words(&exports),
            reports.as_secs_f64(),
            hosts.etcd.memory() / 1024
        );
        hosts.check();
    }
}
