//! [`Machine`]: a fresh machine that runs systemd, with the agent at `/usr/bin/mclive`.

use crate::latencies::Latency;
use mclive_kit::etcd;
use mclive_kit::machine::root::Roots;
use mclive_kit::machine::{Said, listen};
use mclive_kit::until;
use std::ops::Deref;
use std::process::{Child, Output, Stdio};
use std::sync::LazyLock;

pub(crate) use mclive_kit::machine::told;

static ROOTS: LazyLock<Roots> = LazyLock::new(|| Roots::below(env!("CARGO_TARGET_TMPDIR")));

/// A machine with the agent's helpers.
pub(crate) struct Machine(mclive_kit::machine::Machine);

impl Deref for Machine {
    type Target = mclive_kit::machine::Machine;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Machine {
    /// Boots one, with further flags of `systemd-nspawn`: `--capability=all`, `--bind=/dev/kvm`. The word `daemons`
    /// adds the layer of daemons to the root, `etcd` the etcd of the tests, and `NAME=VALUE` is a variable of all
    /// commands. `None`: not possible on this machine, which is reported.
    pub(crate) fn boot(name: &str, flags: &[&str]) -> Option<Machine> {
        let mut layers = vec![ROOTS.root()?];
        let mut given = vec![format!("--bind-ro={}:/usr/bin/mclive", env!("CARGO_BIN_EXE_mclive"))];
        let mut variables = Vec::new();
        for flag in flags {
            match flag.split_once('=') {
                _ if *flag == "daemons" => layers.insert(0, ROOTS.daemons()?),
                _ if *flag == "etcd" => given.push(format!("--bind-ro={}:/usr/bin/etcd", etcd::program()?.display())),
                Some(variable) if !flag.starts_with('-') => variables.push(variable),
                _ => given.push((*flag).to_owned()),
            }
        }
        let mut machine = mclive_kit::machine::Machine::boot(name, &layers, &given)
            .map_err(|why| ROOTS.tell("the tests on real systemd machines", &why))
            .ok()?;
        variables.iter().for_each(|(name, value)| machine.set(name, value));
        Some(Machine(machine))
    }

    /// The same; returns the second since 1970 in which it ended.
    #[track_caller]
    fn timed(&self, script: &str) -> f64 {
        let timed = r#"sh -c "$1" || exit; printf '\n%s' "$EPOCHREALTIME""#;
        let output = self.command(&["bash", "-c", timed, "timed", script]).output().unwrap();
        assert!(output.status.success(), "{script}: {}", told(&output));
        let said = String::from_utf8_lossy(&output.stdout);
        said.lines().last().and_then(|time| time.parse().ok()).expect("the shell tells the time")
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

    /// Applies it once successfully.
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

    /// The lines of the audit log, one per step.
    pub(crate) fn steps(&self) -> Vec<String> {
        let log = std::fs::read_to_string(self.inside(&format!("{PREFIX}/audit.log"))).unwrap_or_default();
        log.lines().map(str::to_owned).collect()
    }

    /// Keeps `/root/main.mcl` applied until the result is dropped.
    #[track_caller]
    pub(crate) fn keep(&self, flags: &[&str]) -> Keeping<'_> {
        let args = [&["mclive", "run", "--prefix", PREFIX], flags, &["main.mcl"]].concat();
        let mut child = self.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let said = Said::default();
        listen(child.stdout.take().unwrap(), said.clone());
        listen(child.stderr.take().unwrap(), said.clone());
        Keeping { machine: self, child, said }
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

    /// Damages something with a script, waits until the agent has made a step and a second script succeeds, and then
    /// until the agent is done: the next drift must not overlap with this repair. Returns the time until the step.
    #[track_caller]
    pub(crate) fn repairs(&self, spoil: &str, is_right: &str) -> Option<Latency> {
        let before = self.machine.steps().len();
        let spoilt_s = self.machine.timed(spoil);
        let repaired = || self.machine.steps().len() > before && self.machine.holds(is_right);
        until(&format!("after `{spoil}` a step is made and `{is_right}` holds"), repaired, || {
            let steps = self.machine.steps().split_off(before).join("\n");
            format!("steps since:\n{steps}")
        });
        until(&format!("after `{spoil}` the agent has converged again"), || self.has_converged(), || self.last_words());
        Latency::of(self.machine.steps().get(before)?, spoilt_s)
    }

    /// Whether the agent's last line says that nothing is left to do.
    fn has_converged(&self) -> bool {
        let said = self.said.lock().unwrap();
        let is = |line: &str, word: &str| line.contains(&format!("\"type\":\"{word}\""));
        let last = said.iter().rev().find(|line| is(line, "converged") || is(line, "unconverged"));
        last.is_some_and(|line| is(line, "converged"))
    }

    /// Interrupts it and waits for its end.
    pub(crate) fn stop(mut self) -> Option<i32> {
        self.machine.sh(&signal("INT"));
        self.child.wait().unwrap().code()
    }
}

/// Sends a signal to the agent of the machine. An agent copied over SSH is another file.
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
