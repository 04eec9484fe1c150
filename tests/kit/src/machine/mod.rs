//! [`Machine`]: a fresh machine that runs systemd.
//!
//! `systemd-nspawn` boots it from an overlay over a root ([`root`]): its writes go to a tmpfs in a private mount
//! namespace and disappear with it. It has its own network (only the loopback interface), processes, host name, journal
//! and control groups. The latter are a folder below the groups of the test run, in each hierarchy, named by
//! [`crate::run::Run`]; the machine sees it as the root.

pub mod root;

use crate::cgroup::Cgroup;
use crate::processes;
use crate::run::Run;
use crate::until;
use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

/// Makes the tmpfs and the overlay, then becomes the machine's keeper. The notes that nspawn makes for the host's
/// manager stay in the keeper's private view.
const BOOT: &str = r#"mkdir -p /run/systemd/nspawn && mount -t tmpfs tmpfs /run/systemd/nspawn &&
mount -t tmpfs tmpfs "$DIR" && mkdir "$DIR/up" "$DIR/work" "$DIR/root" &&
mount -t overlay overlay -o "lowerdir=$LAYERS,upperdir=$DIR/up,workdir=$DIR/work" "$DIR/root" &&
exec systemd-nspawn --quiet --directory "$DIR/root" --boot --register=no --keep-unit --private-network \
    --console=pipe --link-journal=no --machine "$NAME" "$@""#;

/// A running machine, shut down when dropped.
pub struct Machine {
    name: String,
    keeper: Child,
    /// The host's process id of its process 1.
    leader: u32,
    dir: PathBuf,
    console: Said,
    /// Environment variables of everything run in it.
    variables: Vec<(String, String)>,
    cgroup: Option<Cgroup>,
}

/// The output of a process so far.
pub type Said = Arc<Mutex<Vec<String>>>;

impl Machine {
    /// Boots a machine from layers, the first on top, with further flags of `systemd-nspawn`. Errors: a sentence that
    /// says why it is impossible.
    pub fn boot(name: &str, layers: &[&Path], flags: &[String]) -> Result<Machine, String> {
        static N: AtomicU32 = AtomicU32::new(0);
        let label = format!("machine-{}", N.fetch_add(1, Ordering::Relaxed));
        let cgroup = Cgroup::new(&label)?;
        let layers: Vec<_> = layers.iter().map(|layer| layer.as_os_str().to_owned()).collect();
        let dir = std::env::temp_dir().join(format!("{}-{label}", Run::current()));
        fs::create_dir_all(&dir).map_err(|error| format!("{}: {error}", dir.display()))?;
        let mut command = Command::new("setpriv");
        command
            .args(["--pdeathsig", "KILL", "unshare", "--mount", "--propagation", "slave", "sh", "-c", BOOT, "boot"])
            .args(flags)
            .env("DIR", &dir)
            .env("LAYERS", layers.join(&OsString::from(":")))
            .env("NAME", &label)
            // Later versions of systemd need this with control groups of version 1.
            .env("SYSTEMD_CGROUP_ENABLE_LEGACY_FORCE", "1")
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        cgroup.enter(&mut command)?;
        let mut keeper =
            command.spawn().map_err(|error| format!("`setpriv` (package util-linux) does not start: {error}"))?;
        let console = Said::default();
        listen(keeper.stdout.take().expect("it is a pipe"), console.clone());
        listen(keeper.stderr.take().expect("it is a pipe"), console.clone());
        let (name, variables, cgroup) = (name.to_owned(), Vec::new(), Some(cgroup));
        let mut machine = Machine { name, keeper, leader: 0, dir, console, variables, cgroup };
        machine.wait("the machine begins", |machine| {
            machine.leader = machine.find_leader().unwrap_or(0);
            machine.leader > 0 && machine.inside("/run/dbus/system_bus_socket").exists()
        });
        machine.wait("the machine is up", |machine| {
            let state = machine.command(&["systemctl", "is-system-running", "--wait"]).output();
            state.is_ok_and(|state| matches!(state.stdout.trim_ascii(), b"running" | b"degraded"))
        });
        Ok(machine)
    }

    /// Sets an environment variable for everything run in it from now on.
    pub fn set(&mut self, name: &str, value: &str) {
        self.variables.push((name.to_owned(), value.to_owned()));
    }

    /// The host's process id of its process 1.
    pub fn leader(&self) -> u32 {
        self.leader
    }

    /// Its control groups, as folders on the host.
    pub fn groups(&self) -> &[PathBuf] {
        self.cgroup.as_ref().map_or(&[], |cgroup| cgroup.folders())
    }

    /// The keeper's child that has become systemd.
    fn find_leader(&mut self) -> Option<u32> {
        if let Ok(Some(status)) = self.keeper.try_wait() {
            panic!("{}: the machine did not boot ({status}): {}", self.name, self.console.lock().unwrap().join("\n"));
        }
        let is_leader = |one: &processes::Process| one.name == "systemd" && one.parent == self.keeper.id();
        processes::below(self.keeper.id()).into_iter().find(is_leader).map(|leader| leader.pid)
    }

    /// The path on the host of a path in the machine.
    pub fn inside(&self, path: &str) -> PathBuf {
        PathBuf::from(format!("/proc/{}/root{path}", self.leader))
    }

    /// Writes a file, with its parent folders.
    #[track_caller]
    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let inside = self.inside(path);
        fs::create_dir_all(inside.parent().unwrap()).unwrap();
        fs::write(inside, content).unwrap();
    }

    /// A command in the machine, as its root, in `/root`.
    pub fn command(&self, argv: &[&str]) -> Command {
        let mut command = Command::new("nsenter");
        command.args(["--target", &self.leader.to_string(), "--all", "--wdns=/root", "--"]).args(argv);
        command.env_clear().envs([("PATH", "/usr/sbin:/usr/bin:/sbin:/bin"), ("HOME", "/root"), ("LANG", "C.UTF-8")]);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::null());
        command
    }

    /// Runs a script in the machine and returns its output; panics if it fails.
    #[track_caller]
    pub fn sh(&self, script: &str) -> String {
        let output = self.command(&["sh", "-c", script]).output().unwrap();
        assert!(output.status.success(), "{script}: {}", told(&output));
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    /// Whether a script in the machine succeeds.
    pub fn holds(&self, script: &str) -> bool {
        self.command(&["sh", "-c", script]).output().unwrap().status.success()
    }

    /// Waits until a script succeeds.
    #[track_caller]
    pub fn soon(&self, script: &str) {
        until(script, || self.holds(script), || told(&self.command(&["sh", "-c", script]).output().unwrap()));
    }

    #[track_caller]
    fn wait(&mut self, what: &str, mut met: impl FnMut(&mut Machine) -> bool) {
        let (name, console) = (self.name.clone(), self.console.clone());
        until(&format!("{name}: {what}"), || met(self), || console.lock().unwrap().join("\n"));
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        // All other processes end with its process 1, and so do the mounts.
        processes::kill(self.leader);
        processes::kill(self.keeper.id());
        let _ = self.keeper.wait();
        self.cgroup.take();
        let _ = fs::remove_dir(&self.dir);
    }
}

/// All output of a command.
pub fn told(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Collects the lines from a pipe.
pub fn listen(pipe: impl std::io::Read + Send + 'static, said: Said) {
    std::thread::spawn(move || {
        for line in BufReader::new(pipe).lines().map_while(Result::ok) {
            said.lock().unwrap().push(line);
        }
    });
}
