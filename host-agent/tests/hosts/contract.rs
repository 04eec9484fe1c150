//! The contract of both bodies (`protocol::contract`), where it needs a private systemd: the agent's unit tests run it
//! in a machine.

use crate::machine::{Machine, told};
use mclive_kit::run::Run;
use mclive_tests::left_out;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

pub(crate) fn the_contract_of_units_holds_on_a_machine() {
    let Some(tests) = unit_tests() else {
        return left_out(
            "the contract of units: the agent's unit tests are not built (`cargo test --bin mclive --test hosts`)",
        );
    };
    let bind = format!("--bind-ro={}:/usr/bin/mclive-tests", tests.display());
    let Some(machine) = Machine::boot("contract", &[&bind]) else { return };
    let mut command = machine.command(&["mclive-tests", "the_contract_of_units_holds", "--nocapture"]);
    // The machine replaces the supervision.
    command.env("MCLIVE_MACHINE", "1").env(Run::VARIABLE, Run::current().to_string());
    let output = command.output().unwrap();
    assert!(output.status.success() && told(&output).contains("1 passed"), "{}", told(&output));
}

/// The program of the agent's unit tests that was built last: it is next to this one.
fn unit_tests() -> Option<PathBuf> {
    let here = std::env::current_exe().unwrap();
    let entries = std::fs::read_dir(here.parent().unwrap_or(Path::new("/"))).ok()?;
    let is_it = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.strip_prefix("mclive-")
            .is_some_and(|hash| hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
    };
    let mut found: Vec<(SystemTime, PathBuf)> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(is_it)
        .filter_map(|path| Some((path.metadata().ok()?.modified().ok()?, path)))
        .collect();
    found.sort();
    let lists = |path: &PathBuf| {
        let listed = Command::new(path).args(["--list", "the_contract_of_units_holds"]).output();
        listed.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("the_contract_of_units_holds: test"))
    };
    found.into_iter().rev().map(|(_, path)| path).find(lists)
}
