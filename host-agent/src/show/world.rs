//! [`WorldMetrics`]: the metrics of a host in a shared store: its session, and its deploys.

use super::metrics::head;
use crate::deploy::Standing;
use crate::lock::Mutex;
use std::fmt::Write;
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

/// The session of this host with the store.
pub(crate) struct Session {
    /// Since when it is connected. `None`: the store is away.
    pub(crate) since: Option<SystemTime>,
    /// The number of the newest deploy that this host has seen.
    pub(crate) newest: Option<u64>,
    /// What the store has sent, without headers. Units: bytes.
    pub(crate) received: u64,
    /// How many exports, values of hosts and votes do not count without valid signatures. `None`: they need none.
    pub(crate) n_refused: Option<usize>,
}

#[derive(Default)]
pub(super) struct WorldMetrics {
    /// Looks at the session. Empty: the run has no shared store.
    session: OnceLock<Box<dyn Fn() -> Session + Send + Sync>>,
    /// The number of the applied deploy, and the state of the newest one for this host. `None`: the run takes none.
    deploys: Mutex<Option<(u64, Standing)>>,
}

impl WorldMetrics {
    pub(super) fn follow(&self, session: impl Fn() -> Session + Send + Sync + 'static) {
        // A run joins once.
        let _ = self.session.set(Box::new(session));
    }

    pub(super) fn applies(&self, deploy: u64, standing: Standing) {
        *self.deploys.lock() = Some((deploy, standing));
    }

    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        let Some(session) = self.session.get() else { return text };
        let Session { since, newest, received, n_refused } = session();
        let mut figure = |kind: &str, name: &str, help: &str, value: &dyn std::fmt::Display| {
            head(&mut text, name, kind, help);
            let _ = writeln!(text, "{name} {value}");
        };
        let help = "Bytes that the shared store has sent to the host, without headers.";
        figure("counter", "mclive_world_received_bytes_total", help, &received);
        let mut gauge = |name: &str, help: &str, value: &dyn std::fmt::Display| figure("gauge", name, help, value);
        gauge("mclive_world_up", "Whether the host is connected to the shared store.", &u8::from(since.is_some()));
        let began =
            since.and_then(|since| since.duration_since(UNIX_EPOCH).ok()).map_or(0.0, |time| time.as_secs_f64());
        gauge(
            "mclive_world_session_start_time_seconds",
            "Start time of the connection to the shared store since unix epoch; 0 while there is none.",
            &began,
        );
        if let Some(n_refused) = n_refused {
            let help = "Exports and values of other hosts, and votes, that are ignored because of their signatures.";
            gauge("mclive_world_refused", help, &n_refused);
        }
        let Some((applied, standing)) = *self.deploys.lock() else { return text };
        gauge("mclive_deploy_newest", "Number of the newest deploy that the host has seen.", &newest.unwrap_or(0));
        gauge("mclive_deploy_applied", "Number of the deploy that the host applies.", &applied);
        let name = "mclive_deploy_state";
        head(
            &mut text,
            name,
            "gauge",
            "State of the newest deploy on this host: 1 for the current one, 0 for the others.",
        );
        for state in Standing::ALL {
            let _ = writeln!(text, "{name}{{state=\"{}\"}} {}", state.word(), u8::from(state == standing));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn figures(text: &str) -> Vec<&str> {
        text.lines().filter(|line| !line.starts_with('#')).collect()
    }

    #[test]
    fn only_a_run_with_a_store_has_these_metrics_and_only_one_that_takes_deploys_all_of_them() {
        let world = WorldMetrics::default();
        world.applies(1, Standing::Ok);
        assert_eq!(world.text(), "");
        let world = WorldMetrics::default();
        world.follow(|| Session { since: None, newest: Some(7), received: 9, n_refused: None });
        let expect =
            ["mclive_world_received_bytes_total 9", "mclive_world_up 0", "mclive_world_session_start_time_seconds 0"];
        assert_eq!(figures(&world.text()), expect);
    }

    #[test]
    fn the_metrics_say_what_the_host_applies_and_how_long_it_is_connected() {
        let world = WorldMetrics::default();
        world.follow(|| Session {
            since: Some(UNIX_EPOCH + Duration::from_millis(1500)),
            newest: Some(7),
            received: 9,
            n_refused: Some(2),
        });
        world.applies(6, Standing::Refused);
        let text = world.text();
        assert_eq!(
            figures(&text),
            [
                "mclive_world_received_bytes_total 9",
                "mclive_world_up 1",
                "mclive_world_session_start_time_seconds 1.5",
                "mclive_world_refused 2",
                "mclive_deploy_newest 7",
                "mclive_deploy_applied 6",
                "mclive_deploy_state{state=\"failed\"} 0",
                "mclive_deploy_state{state=\"ok\"} 0",
                "mclive_deploy_state{state=\"refused\"} 1",
                "mclive_deploy_state{state=\"skipped\"} 0",
                "mclive_deploy_state{state=\"starting\"} 0",
            ]
        );
        assert_eq!(text.matches("# TYPE ").count(), 7);
    }
}
