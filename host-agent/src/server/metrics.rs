//! [`Metrics`]: the counters of the server, for Prometheus, on a separate address.

use super::failures::Failures;
use super::headers::put_plain;
use super::vitals;
use crate::lock::Mutex;
use crate::network::http::{self, Body, Bytes, Limits, Method, Request, Response, StatusCode, header};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Upper bounds of the histogram's buckets. Units: seconds.
const BUCKETS: [f64; 8] = [0.001, 0.005, 0.025, 0.1, 0.5, 1.0, 5.0, 30.0];

#[derive(Default)]
pub(crate) struct Metrics {
    /// By route and status.
    answers: Mutex<BTreeMap<(&'static str, u16), u64>>,
    durations: Mutex<BTreeMap<&'static str, Histogram>>,
    n_limited: AtomicU64,
    n_stored: AtomicU64,
    n_known: AtomicU64,
    n_store_failures: AtomicU64,
    n_damaged: AtomicU64,
    failures: Failures,
    n_traps: AtomicU64,
    compute_ms: AtomicU64,
}

#[derive(Default)]
struct Histogram {
    buckets: [u64; BUCKETS.len()],
    n: u64,
    sum: Duration,
}

impl Metrics {
    pub(super) fn answered(&self, route: &'static str, status: StatusCode, took: Duration) {
        *self.answers.lock().entry((route, status.as_u16())).or_default() += 1;
        let mut durations = self.durations.lock();
        let histogram = durations.entry(route).or_default();
        histogram.n += 1;
        histogram.sum += took;
        let within = BUCKETS.iter().position(|end| took.as_secs_f64() <= *end);
        within.into_iter().for_each(|bucket| histogram.buckets[bucket] += 1);
    }

    pub(super) fn limited(&self) {
        self.n_limited.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn stored(&self, is_new: bool) {
        if is_new { &self.n_stored } else { &self.n_known }.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts it, and reports one of many: a failing store fails at every request.
    pub(super) fn store_failed(&self, why: &str) {
        self.n_store_failures.fetch_add(1, Ordering::Relaxed);
        self.failures.tell("", why, Instant::now());
    }

    /// `place`: where it is in the store.
    pub(super) fn damaged(&self, place: &str) {
        self.n_damaged.fetch_add(1, Ordering::Relaxed);
        let why =
            format!("{place} is damaged in the store and was not served; sharing the same program again repairs it");
        self.failures.tell(place, &why, Instant::now());
    }

    pub(super) fn mended(&self, place: &str) {
        self.n_damaged.fetch_add(1, Ordering::Relaxed);
        crate::output::tell(&format!("mclive: {place} was damaged in the store and has been repaired"));
    }

    pub(super) fn computed(&self, took: Duration, is_trap: bool) {
        self.compute_ms.fetch_add(u64::try_from(took.as_millis()).unwrap_or(0), Ordering::Relaxed);
        self.n_traps.fetch_add(u64::from(is_trap), Ordering::Relaxed);
    }

    /// In Prometheus' text format.
    fn text(&self) -> String {
        let mut text = String::new();
        let head = |text: &mut String, name: &str, kind: &str, help: &str| {
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
        };
        head(&mut text, "mclive_requests_total", "counter", "Requests answered, by route and status.");
        for ((route, status), n) in &*self.answers.lock() {
            let _ = writeln!(text, "mclive_requests_total{{route=\"{route}\",status=\"{status}\"}} {n}");
        }
        let name = "mclive_request_seconds";
        head(&mut text, name, "histogram", "Time to the first byte of the response, by route.");
        for (route, histogram) in &*self.durations.lock() {
            let mut so_far = 0;
            for (end, n) in BUCKETS.iter().zip(histogram.buckets) {
                so_far += n;
                let _ = writeln!(text, "{name}_bucket{{route=\"{route}\",le=\"{end}\"}} {so_far}");
            }
            let (n, sum) = (histogram.n, histogram.sum.as_secs_f64());
            let _ = writeln!(text, "{name}_bucket{{route=\"{route}\",le=\"+Inf\"}} {n}");
            let _ = writeln!(text, "{name}_sum{{route=\"{route}\"}} {sum}\n{name}_count{{route=\"{route}\"}} {n}");
        }
        for (name, help, n) in [
            ("mclive_limited_total", "Requests rejected by per-client limits.", &self.n_limited),
            ("mclive_programs_stored_total", "Programs stored for the first time.", &self.n_stored),
            ("mclive_programs_known_total", "Shared programs that were already stored.", &self.n_known),
            ("mclive_store_failures_total", "Requests that failed because of a store error.", &self.n_store_failures),
            ("mclive_store_damaged_total", "Reads of stored programs that failed the checksum.", &self.n_damaged),
            ("mclive_sandbox_failures_total", "Requests that exceeded a sandbox limit.", &self.n_traps),
            ("mclive_compute_milliseconds_total", "Time spent in the sandbox.", &self.compute_ms),
        ] {
            head(&mut text, name, "counter", help);
            let _ = writeln!(text, "{name} {}", n.load(Ordering::Relaxed));
        }
        vitals::put(&mut text);
        text
    }
}

/// `GET /metrics`, for the operator.
pub(crate) struct Figures(pub(crate) Arc<Metrics>);

impl http::Site for Figures {
    fn limits(&self) -> Limits {
        Limits::READ_ONLY
    }

    async fn answer(&self, request: Request<Bytes>) -> Response<Body> {
        let (status, body) = match (request.method(), request.uri().path()) {
            (&Method::GET | &Method::HEAD, "/metrics") => (StatusCode::OK, self.0.text()),
            _ => (StatusCode::NOT_FOUND, "not found; see /metrics\n".to_owned()),
        };
        let answer = Response::builder().status(status);
        let answer = answer.header(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8");
        let mut answer = answer.body(body.into()).expect("the header is well formed");
        put_plain(answer.headers_mut());
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happened_is_counted() {
        let metrics = Metrics::default();
        metrics.answered("link", StatusCode::OK, Duration::from_millis(3));
        metrics.answered("link", StatusCode::NOT_FOUND, Duration::from_secs(99));
        metrics.stored(true);
        let text = metrics.text();
        for line in [
            "mclive_requests_total{route=\"link\",status=\"200\"} 1",
            "mclive_request_seconds_bucket{route=\"link\",le=\"0.001\"} 0",
            "mclive_request_seconds_bucket{route=\"link\",le=\"0.005\"} 1",
            "mclive_request_seconds_bucket{route=\"link\",le=\"+Inf\"} 2",
            "mclive_programs_stored_total 1",
            "mclive_programs_known_total 0",
        ] {
            assert!(text.lines().any(|one| one == line), "{line}\n{text}");
        }
    }
}
