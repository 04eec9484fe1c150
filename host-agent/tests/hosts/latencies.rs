//! [`Latencies`]: the time from damage to repair, by kind, from the end of the script that causes the damage.
//!
//! The first step of each drift counts: when it began, which is the time to notice, check and decide, and how long it
//! took, which is the time of the system's own tools. If a script continues after the damage, the repair may come
//! before its end: that counts as no time.

use std::collections::BTreeMap;
use std::fmt::Write;

/// The goal for the time until a step begins, at the median.
const GOAL_MS: f64 = 5.0;

/// The times of one drift, in milliseconds.
pub(crate) struct Latency {
    pub(crate) kind: String,
    begun_ms: f64,
    took_ms: f64,
}

impl Latency {
    /// From a line of the audit log, for damage at this second since 1970.
    pub(crate) fn of(line: &str, spoilt_s: f64) -> Option<Latency> {
        let line: serde_json::Value = serde_json::from_str(line).ok()?;
        let (end_s, took_s) = (line["time"].as_f64()?, line["took"].as_f64()?);
        let kind = line["resource"].as_str()?.split('[').next()?.to_owned();
        Some(Latency { kind, begun_ms: ((end_s - took_s - spoilt_s) * 1e3).max(0.0), took_ms: took_s * 1e3 })
    }
}

#[derive(Default)]
pub(crate) struct Latencies {
    by_kind: BTreeMap<String, Vec<Latency>>,
}

impl Latencies {
    pub(crate) fn add(&mut self, latency: Latency) {
        self.by_kind.entry(latency.kind.clone()).or_default().push(latency);
    }

    /// A table with a line for each kind, a total, and a verdict; `None` without any drift.
    pub(crate) fn table(&self) -> Option<String> {
        if self.by_kind.is_empty() {
            return None;
        }
        let mut table = format!(
            "{:24} {:>6} {:>22} {:>22}\n",
            "repaired, in ms", "drifts", "step begins p50/p99", "it takes p50/p99"
        );
        let mut line = |name: &str, of: &[&Latency]| {
            let begun = of.iter().map(|one| one.begun_ms).collect();
            let took = of.iter().map(|one| one.took_ms).collect();
            writeln!(table, "{name:24} {:>6} {:>22} {:>22}", of.len(), quantiles(begun), quantiles(took)).unwrap();
        };
        for (kind, of) in &self.by_kind {
            line(kind, &of.iter().collect::<Vec<_>>());
        }
        line("all", &self.by_kind.values().flatten().collect::<Vec<_>>());
        let medians = self.by_kind.iter().map(|(kind, of)| (kind, quantile(&sorted(of), 0.5)));
        let slow: Vec<String> = medians
            .filter(|(_, median)| *median > GOAL_MS)
            .map(|(kind, median)| format!("{kind} {median:.1}"))
            .collect();
        let (n_kinds, n_slow) = (self.by_kind.len(), slow.len());
        let others = if slow.is_empty() { String::new() } else { format!("; the others: {}", slow.join(", ")) };
        writeln!(
            table,
            "goal: a step begins within {GOAL_MS} ms at the median; reached by {} of {n_kinds} kinds{others}",
            n_kinds - n_slow
        )
        .unwrap();
        Some(table)
    }
}

/// `p50 / p99`.
fn quantiles(mut values: Vec<f64>) -> String {
    values.sort_by(f64::total_cmp);
    format!("{:.1} / {:.1}", quantile(&values, 0.5), quantile(&values, 0.99))
}

fn sorted(of: &[Latency]) -> Vec<f64> {
    let mut begun: Vec<f64> = of.iter().map(|one| one.begun_ms).collect();
    begun.sort_by(f64::total_cmp);
    begun
}

/// The value below which this part of sorted values lies.
fn quantile(sorted: &[f64], part: f64) -> f64 {
    sorted.get(((sorted.len() as f64 * part).ceil() as usize).max(1) - 1).copied().unwrap_or(0.0)
}

pub(crate) fn a_line_of_the_audit_log_tells_both_times() {
    let line = r#"{"outcome":"done","resource":"svc[a]","step":"start a","time":100.25,"took":0.125,"why":null}"#;
    let latency = Latency::of(line, 100.0).unwrap();
    assert_eq!((latency.kind.as_str(), latency.begun_ms, latency.took_ms), ("svc", 125.0, 125.0));
    assert_eq!(Latency::of(line, 101.0).unwrap().begun_ms, 0.0);
    let mut latencies = Latencies::default();
    (1..=100).for_each(|n| latencies.add(Latency { kind: "svc".into(), begun_ms: f64::from(n), took_ms: 2.0 }));
    assert_eq!(Latencies::default().table(), None);
    let table = latencies.table().unwrap();
    let (rows, verdict) = table.trim_end().rsplit_once('\n').unwrap();
    assert!(rows.lines().all(|line| line.starts_with("repaired") || line.contains("50.0 / 99.0")));
    assert!(verdict.ends_with("reached by 0 of 1 kinds; the others: svc 50.0"), "{verdict}");
}
