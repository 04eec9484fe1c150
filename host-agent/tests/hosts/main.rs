//! The agent on real systemd machines, each fresh: booted by `systemd-nspawn` in about a second from a common root
//! (`mclive_kit::machine`). `machine` is the machine, `cases` plays the text archives of `tests/hosts`, each a test of
//! its name.

mod cases;
mod contract;
mod latencies;
mod machine;

mclive_kit::supervised!();

use mclive_cases::{plain, run_at_once};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

fn main() -> ExitCode {
    let latencies = Arc::new(Mutex::default());
    let mut trials = cases::trials(&latencies);
    trials.extend(plain![
        contract::the_contract_of_units_holds_on_a_machine,
        latencies::a_line_of_the_audit_log_tells_both_times,
    ]);
    let end = run_at_once(Some(cases::AT_ONCE), trials);
    let latencies: &Mutex<latencies::Latencies> = &latencies;
    if let Some(table) = latencies.lock().expect("nobody panics with it").table() {
        println!("{table}");
    }
    end.exit_code()
}
