//! [`Machine`]: a fresh machine that runs systemd, with the agent at `/usr/bin/mclive`.
//!
//! `systemd-nspawn` boots it from an overlay over the root: what it writes is in a tmpfs of a mount namespace of its own
//! and goes with it. It has its own network (the loopback interface alone), processes, host name and journal.

use crate::latencies::Latency;
use crate::root;
use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// What a machine under load may take. A promise that is broken is broken for good.
const PATIENCE: Duration = Duration::from_secs(40);

/// Makes the tmpfs and the overlay, then becomes the machine's keeper.
const BOOT: &str = r#"mount -t tmpfs tmpfs "$DIR" && mkdir "$DIR/up" "$DIR/work" "$DIR/root" &&
mount -t overlay overlay -o "lowerdir=$ROOT,upperdir=$DIR/up,workdir=$DIR/work" "$DIR/root" &&
exec systemd-nspawn --quiet --directory "$DIR/root" --boot --register=no --keep-unit --private-network \
    --console=pipe --link-journal=no --machine "$NAME" --bind-ro="$AGENT:/usr/bin/mclive" "$@""#;

pub(crate) struct Machine {
    name: String,
    keeper: Child,
    /// Its process 1, as it is numbered here.
    leader: u32,
    dir: PathBuf,
    console: Said,
    variables: Vec<(String, String)>,
}

/// All that a process has said so far.
pub(crate) type Said = Arc<Mutex<Vec<String>>>;

impl Machine {
    /// Boots one, with further flags of `systemd-nspawn`: `--capability=all`, `--bind=/dev/kvm`. The word `daemons` lays
    /// the layer of daemons over the root, and `NAME=VALUE` is a variable of all that is run. `None`: this machine cannot,
    /// which is told.
    pub(crate) fn boot(name: &str, flags: &[&str]) -> Option<Machine> {
        static N: AtomicU32 = AtomicU32::new(0);
        let mut root = root::folder()?.as_os_str().to_owned();
        let (layers, flags): (Vec<&str>, Vec<&str>) = flags.iter().partition(|flag| **flag == "daemons");
        let (variables, flags): (Vec<&str>, Vec<&str>) =
            flags.into_iter().partition(|flag| !flag.starts_with('-') && flag.contains('='));
        let variables =
            variables.iter().filter_map(|it| it.split_once('=')).map(|(a, b)| (a.into(), b.into())).collect();
        if !layers.is_empty() {
            root = [root::daemons()?.as_os_str(), &root].join(OsStr::new(":"));
        }
        let number = N.fetch_add(1, Ordering::Relaxed);
        let dir = std::env::temp_dir().join(format!("mclive-host-{}-{number}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        let mut keeper = Command::new("setpriv")
            .args(["--pdeathsig", "KILL", "unshare", "--mount", "--propagation", "slave", "sh", "-c", BOOT, "boot"])
            .args(flags)
            .env("DIR", &dir)
            .env("ROOT", root)
            .env("NAME", format!("mc{}-{number}", std::process::id()))
            .env("AGENT", env!("CARGO_BIN_EXE_mclive"))
            // Later versions of systemd want it said that the kernel has the first version of control groups.
            .env("SYSTEMD_CGROUP_ENABLE_LEGACY_FORCE", "1")
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let console = Said::default();
        listen(keeper.stdout.take().unwrap(), console.clone());
        listen(keeper.stderr.take().unwrap(), console.clone());
        let mut machine = Machine { name: name.to_owned(), keeper, leader: 0, dir, console, variables };
        machine.wait("the machine begins", |machine| {
            machine.leader = machine.find_leader().unwrap_or(0);
            machine.leader > 0 && machine.inside("/run/dbus/system_bus_socket").exists()
        });
        machine.wait("the machine is up", |machine| {
            let state = machine.command(&["systemctl", "is-system-running", "--wait"]).output().unwrap();
            matches!(state.stdout.trim_ascii(), b"running" | b"degraded")
        });
        Some(machine)
    }

    /// The keeper's child that has become systemd.
    fn find_leader(&mut self) -> Option<u32> {
        if let Some(status) = self.keeper.try_wait().unwrap() {
            panic!("{}: no machine ({status}): {}", self.name, self.console.lock().unwrap().join("\n"));
        }
        let keeper = self.keeper.id();
        let children = fs::read_to_string(format!("/proc/{keeper}/task/{keeper}/children")).ok()?;
        let is_systemd =
            |pid: &u32| fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name.trim_end() == "systemd");
        children.split_whitespace().filter_map(|pid| pid.parse().ok()).find(is_systemd)
    }

    /// A path of the machine as it is reached from here.
    pub(crate) fn inside(&self, path: &str) -> PathBuf {
        PathBuf::from(format!("/proc/{}/root{path}", self.leader))
    }

    /// Writes a file, with the folders above it.
    #[track_caller]
    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let inside = self.inside(path);
        fs::create_dir_all(inside.parent().unwrap()).unwrap();
        fs::write(inside, content).unwrap();
    }

    /// A command in the machine, as its root, in `/root`.
    pub(crate) fn command(&self, argv: &[&str]) -> Command {
        let mut command = Command::new("nsenter");
        command.args(["--target", &self.leader.to_string(), "--all", "--wdns=/root", "--"]).args(argv);
        command.env_clear().envs([("PATH", "/usr/sbin:/usr/bin:/sbin:/bin"), ("HOME", "/root"), ("LANG", "C.UTF-8")]);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::null());
        command
    }

    /// Runs a script in the machine, which must end well, for what it prints.
    #[track_caller]
    pub(crate) fn sh(&self, script: &str) -> String {
        let output = self.command(&["sh", "-c", script]).output().unwrap();
        assert!(output.status.success(), "{script}: {}", told(&output));
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    /// The same, for the second since 1970 in which it ended.
    #[track_caller]
    fn timed(&self, script: &str) -> f64 {
        let timed = r#"sh -c "$1" || exit; printf '\n%s' "$EPOCHREALTIME""#;
        let output = self.command(&["bash", "-c", timed, "timed", script]).output().unwrap();
        assert!(output.status.success(), "{script}: {}", told(&output));
        let said = String::from_utf8_lossy(&output.stdout);
        said.lines().last().and_then(|time| time.parse().ok()).expect("the shell tells the time")
    }

    /// Does a script in the machine end well?
    pub(crate) fn holds(&self, script: &str) -> bool {
        self.command(&["sh", "-c", script]).output().unwrap().status.success()
    }

    /// Waits until a script ends well.
    #[track_caller]
    pub(crate) fn soon(&self, script: &str) {
        until(script, || self.holds(script), || told(&self.command(&["sh", "-c", script]).output().unwrap()));
    }

    /// Runs the agent's command line to its end.
    pub(crate) fn agent(&self, args: &[&str]) -> Output {
        let argv: Vec<&str> = ["mclive"].iter().chain(args).copied().collect();
        self.command(&argv).output().unwrap()
    }

    /// Applies `/root/main.mcl` once.
    pub(crate) fn once(&self, flags: &[&str]) -> Output {
        let args = [&["run", "--once", "--prefix", PREFIX], flags, &["main.mcl"]].concat();
        self.agent(&args)
    }

    /// Applies it once, which ends well.
    #[track_caller]
    pub(crate) fn applies(&self, flags: &[&str]) {
        let output = self.once(flags);
        assert!(output.status.success(), "the program applies: {}", told(&output));
    }

    /// A further run makes no step.
    #[track_caller]
    pub(crate) fn is_clean(&self, flags: &[&str]) {
        let steps = self.steps();
        let output = self.once(flags);
        assert!(output.status.success(), "a further run ends well: {}", told(&output));
        let made = self.steps().split_off(steps.len());
        assert!(made.is_empty(), "a further run makes no step: {}\n{}", made.join("\n"), told(&output));
    }

    /// The lines of the audit log: a step each.
    pub(crate) fn steps(&self) -> Vec<String> {
        let log = fs::read_to_string(self.inside(&format!("{PREFIX}/audit.log"))).unwrap_or_default();
        log.lines().map(str::to_owned).collect()
    }

    /// Keeps `/root/main.mcl` applied until what is returned is dropped.
    #[track_caller]
    pub(crate) fn keep(&self, flags: &[&str]) -> Keeping<'_> {
        let args = [&["mclive", "run", "--prefix", PREFIX], flags, &["main.mcl"]].concat();
        let mut child = self.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let said = Said::default();
        listen(child.stdout.take().unwrap(), said.clone());
        listen(child.stderr.take().unwrap(), said.clone());
        Keeping { machine: self, child, said }
    }

    #[track_caller]
    fn wait(&mut self, what: &str, mut met: impl FnMut(&mut Machine) -> bool) {
        let (name, console) = (self.name.clone(), self.console.clone());
        until(&format!("{name}: {what}"), || met(self), || console.lock().unwrap().join("\n"));
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        // With its process 1 all others go, and with them the mounts.
        for pid in [self.leader, self.keeper.id()].into_iter().filter(|pid| *pid > 0) {
            let pid = rustix::process::Pid::from_raw(pid.cast_signed()).unwrap();
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
        let _ = self.keeper.wait();
        let _ = fs::remove_dir(&self.dir);
    }
}

/// Where the agent keeps its state.
const PREFIX: &str = "/var/lib/mclive";

/// An agent that runs in a machine.
pub(crate) struct Keeping<'a> {
    machine: &'a Machine,
    child: Child,
    said: Said,
}

impl Keeping<'_> {
    pub(crate) fn last_words(&self) -> String {
        let said = self.said.lock().unwrap();
        said[said.len().saturating_sub(12)..].join("\n")
    }

    #[track_caller]
    pub(crate) fn says(&mut self, words: &str) {
        let Keeping { child, said, .. } = self;
        let said = || said.lock().unwrap().join("\n");
        let met = || {
            assert!(child.try_wait().unwrap().is_none(), "the agent has ended: {}", said());
            said().contains(words)
        };
        until(&format!("the agent says {words:?}"), met, said);
    }

    /// Spoils something by a script, and waits until the agent has made a step and a second script ends well. Out: how
    /// soon the step was made.
    #[track_caller]
    pub(crate) fn repairs(&self, spoil: &str, is_right: &str) -> Option<Latency> {
        let before = self.machine.steps().len();
        let spoilt_s = self.machine.timed(spoil);
        let repaired = || self.machine.steps().len() > before && self.machine.holds(is_right);
        until(&format!("after `{spoil}` a step is made and `{is_right}` holds"), repaired, || {
            let steps = self.machine.steps().split_off(before).join("\n");
            format!("steps since:\n{steps}")
        });
        Latency::of(self.machine.steps().get(before)?, spoilt_s)
    }

    /// Interrupts it and waits for its end.
    pub(crate) fn stop(mut self) -> Option<i32> {
        self.machine.sh(&signal("INT"));
        self.child.wait().unwrap().code()
    }
}

/// Sends a signal to the agent of the machine. One that came over SSH is another file.
fn signal(name: &str) -> String {
    format!("for it in $(pidof mclive); do test /proc/$it/exe -ef /usr/bin/mclive && kill -{name} $it; done; true")
}

impl Drop for Keeping<'_> {
    fn drop(&mut self) {
        let _ = self.machine.command(&["sh", "-c", &signal("KILL")]).output();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn told(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Waits until something holds; `state` says what is instead.
#[track_caller]
fn until(what: &str, mut met: impl FnMut() -> bool, state: impl Fn() -> String) {
    let began = Instant::now();
    while !met() {
        assert!(began.elapsed() < PATIENCE, "not in time: {what}\n{}", state());
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn listen(pipe: impl std::io::Read + Send + 'static, said: Said) {
    std::thread::spawn(move || {
        for line in BufReader::new(pipe).lines().map_while(Result::ok) {
            said.lock().unwrap().push(line);
        }
    });
}
