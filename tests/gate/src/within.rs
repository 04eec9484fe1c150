//! `gate within GATE FILE NICE ARGV…`: a process around one suite. Leftovers of the suite become children of this one,
//! so that several suites can run in parallel and leftovers are attributed to the right one. If the gate, the process
//! with this ID, is killed, this process ends the suite with everything that it started.

use crate::left;
use rustix::process::Pid;
use serde_json::{Value, json};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitCode, ExitStatus};
use std::time::Duration;

/// The subcommand.
pub(crate) const NAME: &str = "within";

/// The end of a suite, as reported by the process around it.
pub(crate) struct Told {
    pub(crate) status: ExitStatus,
    pub(crate) left: Vec<String>,
}

/// How often it checks that the gate is still there.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Sets the share of the processors for a suite whose niceness is not 0. The kernel shares them between sessions, so the
/// niceness is that of a new session. Without the right to do this, or on a kernel that shares them otherwise, nothing
/// changes.
fn share(nice: &str) {
    if nice != "0" && rustix::process::setsid().is_ok() {
        let _ = std::fs::write("/proc/self/autogroup", nice);
    }
}

/// Runs a suite, kills its leftovers, and writes the result to the file.
pub(crate) fn play(gate: &str, file: &Path, nice: &str, argv: &[String]) -> ExitCode {
    share(nice);
    if let Err(error) = rustix::process::set_child_subreaper(Some(rustix::process::getpid())) {
        eprintln!("gate: cannot detect processes that suites leave running: {error}");
    }
    let gate = gate.parse().ok();
    std::thread::spawn(move || {
        while rustix::process::getppid().map(Pid::as_raw_pid) == gate {
            std::thread::sleep(LOOK_EVERY);
        }
        // The suite ends, then what it started, as after a suite that ends by itself: its own supervisors have a moment.
        left::kill_children(std::process::id());
    });
    // It ends with this process, even if that is killed.
    let status = Command::new("setpriv").args(["--pdeathsig", "KILL", "--"]).args(argv).status();
    let status = match status {
        Ok(status) => status,
        Err(error) => {
            eprintln!("cannot run {}: {error}", argv.join(" "));
            return ExitCode::from(127);
        }
    };
    let tell = |left: &[String]| std::fs::write(file, json!({ "status": status.into_raw(), "left": left }).to_string());
    // From here on it does not hang; leftovers have a moment to end.
    match tell(&[]).and_then(|()| tell(&left::end_all())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("gate: cannot write {}: {error}", file.display());
            ExitCode::FAILURE
        }
    }
}

/// The written result. `None`: the process around the suite was killed itself.
pub(crate) fn told(file: &Path) -> Option<Told> {
    let value: Value = serde_json::from_slice(&std::fs::read(file).ok()?).ok()?;
    let status = ExitStatus::from_raw(value["status"].as_i64()?.try_into().ok()?);
    let left = value["left"].as_array()?.iter().filter_map(|one| one.as_str().map(str::to_owned)).collect();
    Some(Told { status, left })
}
