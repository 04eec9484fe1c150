//! [`Stage`]: where the suites run, and their time limits.

use std::path::{Path, PathBuf};
use std::time::Duration;

/// The features used for building everything. One set for all, so that nothing is built twice.
pub(crate) const FEATURES: &str = "mclive/agent,mclive-playground/worker";

pub(crate) struct Stage {
    /// The folder of the workspace.
    pub(crate) root: PathBuf,
    /// Cargo's target folder.
    pub(crate) target: PathBuf,
    /// The folder of the logs, one per suite.
    pub(crate) logs: PathBuf,
    /// Golden cases outside the project, if they are next to it.
    pub(crate) shared: Option<PathBuf>,
    /// A suite hangs if no test finishes for this long.
    pub(crate) silence: Duration,
    /// The number of suites that run at a time.
    pub(crate) n_lanes: usize,
}

impl Stage {
    /// The workspace around the current directory.
    pub(crate) fn new() -> Result<Stage, String> {
        let here =
            std::env::current_dir().map_err(|error| format!("cannot determine the current directory: {error}"))?;
        let root = here.ancestors().find(|path| path.join("Cargo.lock").is_file());
        let root = root.ok_or("run this command inside the workspace")?.to_owned();
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        let logs = target.join("gate");
        let _ = std::fs::remove_dir_all(&logs);
        let _ = std::fs::remove_file(left_out(&target));
        std::fs::create_dir_all(&logs).map_err(|error| format!("cannot create {}: {error}", logs.display()))?;
        warn_of_a_full_disk(&target);
        let shared = root.parent().map(|parent| parent.join("shared")).filter(|path| path.is_dir());
        let silence = Duration::from_secs(number("MCLIVE_SILENCE", "of seconds", 600)?);
        let n_lanes = number("MCLIVE_LANES", "of suites", 2)?.clamp(1, 16) as usize;
        Ok(Stage { root, target, logs, shared, silence, n_lanes })
    }

    /// A program of the workspace, after the build.
    pub(crate) fn built(&self, name: &str) -> PathBuf {
        self.target.join("debug").join(name)
    }

    /// A folder of golden cases outside the project.
    pub(crate) fn outside(&self, name: &str) -> Option<PathBuf> {
        self.shared.as_ref().map(|shared| shared.join(name)).filter(|path| path.is_dir())
    }

    /// The same for a build: cargo says nothing while it links for minutes, and for longer on a busy machine.
    pub(crate) fn silence_of_builds(&self) -> Duration {
        self.silence * 4
    }

    /// The file with the durations of suites.
    pub(crate) fn times(&self) -> PathBuf {
        self.target.join("gate-times.json")
    }

    /// The skipped checks so far, one per line.
    pub(crate) fn left_out(&self) -> String {
        std::fs::read_to_string(left_out(&self.target)).unwrap_or_default()
    }

    /// The environment variables of everything that runs.
    pub(crate) fn variables(&self) -> Vec<(&'static str, PathBuf)> {
        let mut variables = vec![
            ("MCLIVE_BUILT", self.target.join("debug")),
            ("MCLIVE_LEFT_OUT", left_out(&self.target)),
            // A brain that is fast to build. One choice for all: another one would build the agent again.
            ("MCLIVE_EMBED", "fast".into()),
        ];
        if let Some(corpus) = self.outside("inmanta") {
            variables.push(("MCLIVE_CORPUS", corpus));
        }
        variables
    }
}

/// A number from an environment variable.
fn number(variable: &str, what: &str, default: u64) -> Result<u64, String> {
    match std::env::var(variable) {
        Ok(text) => text.parse().map_err(|_| format!("{variable} must be a number {what}, found `{text}`")),
        Err(_) => Ok(default),
    }
}

/// The file to which tests write what they skipped.
fn left_out(target: &Path) -> PathBuf {
    target.join("left-out.txt")
}

/// The disk space of a build from scratch and the output of the tests.
const ROOM_GIB: u64 = 15;

fn warn_of_a_full_disk(target: &Path) {
    let Ok(disk) = rustix::fs::statvfs(target) else { return };
    let free_gib = (disk.f_bavail * disk.f_frsize) >> 30;
    if free_gib < ROOM_GIB {
        let target = target.display();
        println!(
            "only {free_gib} GiB of disk space are free, but up to {ROOM_GIB} may be needed; a full disk causes confusing failures. Try removing {target}."
        );
    }
}

/// The name of a suite's log file.
pub(crate) fn log_name(folder: &Path, suite: &str) -> PathBuf {
    let plain: String = suite.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    folder.join(plain).with_extension("log")
}
