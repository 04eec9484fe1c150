//! Two systemd machines at the same time: nothing of one is the other's or this machine's, and nothing of them stays.

use mclive_kit::cgroup;
use mclive_kit::machine::Machine;
use mclive_kit::machine::root::Roots;
use mclive_kit::processes::{self, Process};
use mclive_kit::run::Run;
use mclive_kit::until;
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

mclive_kit::supervised!();

const SERVICE: &str = "[Service]\nExecStart=sleep 1000\n";
/// Whoever is root in a machine may have its control groups writable.
const MAKE_GROUPS: &str = "for dir in /sys/fs/cgroup /sys/fs/cgroup/*/; do mount -o remount,bind,rw $dir; \
                           [ ! -e $dir/cgroup.procs ] || mkdir $dir/made-inside; done 2>/dev/null; true";

/// What a process is in.
fn namespaces(pid: &str) -> Vec<PathBuf> {
    let of = |kind: &&str| fs::read_link(format!("/proc/{pid}/ns/{kind}")).unwrap();
    ["cgroup", "ipc", "mnt", "net", "pid", "uts"].iter().map(of).collect()
}

fn groups_of_this_run() -> Vec<PathBuf> {
    cgroup::of_runs(|run| run == Run::current())
}

fn mounts() -> String {
    fs::read_to_string("/proc/self/mountinfo").unwrap()
}

/// Set for a run that is to be killed.
const IS_KILLED: &str = "MCLIVE_KIT_IS_KILLED";

#[test]
fn a_killed_run_leaves_no_machine() {
    let roots = Roots::below(env!("CARGO_TARGET_TMPDIR"));
    let Some(root) = roots.root() else { return };
    if std::env::var_os(IS_KILLED).is_some() {
        let machine = Machine::boot("killed", &[root], &[]);
        println!("\nbooted: {}", machine.as_ref().map_or_else(String::clone, |machine| machine.sh("echo well")));
        loop {
            std::thread::park();
        }
    }
    let mut killed = Command::new(std::env::current_exe().unwrap());
    killed.args(["--exact", "a_killed_run_leaves_no_machine", "--nocapture"]).stdout(Stdio::piped());
    let mut killed = killed.env(IS_KILLED, "1").env_remove(Run::VARIABLE).spawn().unwrap();
    let mut said = BufReader::new(killed.stdout.take().unwrap()).lines().map_while(Result::ok);
    let booted = said.find(|line| line.starts_with("booted: ")).unwrap();
    if booted != "booted: well" {
        killed.kill().and_then(|()| killed.wait()).unwrap();
        return roots.tell("machines of the kit", &booted);
    }
    let family = processes::below(killed.id());
    assert!(family.iter().any(|one| one.name == "systemd-journal"), "{family:?}");
    let run = family.iter().find_map(|one| Run::parse(&one.variable(Run::VARIABLE)?)).unwrap();
    assert!(!cgroup::of_runs(|it| it == run).is_empty());
    processes::kill(killed.id());
    killed.wait().unwrap();
    let lives = |one: &Process| Process::of(one.pid).is_some_and(|now| now.start == one.start);
    until(
        "processes and groups of the machine are gone",
        || !family.iter().any(lives) && cgroup::of_runs(|it| it == run).is_empty(),
        || format!("{:?}", cgroup::of_runs(|it| it == run)),
    );
}

#[test]
fn machines_share_nothing_and_leave_nothing() {
    let roots = Roots::below(env!("CARGO_TARGET_TMPDIR"));
    let Some(root) = roots.root() else { return };
    let boot = |name: &str| Machine::boot(name, &[root], &[]);
    let mounts_before = mounts();
    let (one, two) = match (boot("one"), boot("two")) {
        (Ok(one), Ok(two)) => (one, two),
        (Err(why), _) | (_, Err(why)) => return roots.tell("machines of the kit", &why),
    };

    let spaces = ["self".to_owned(), one.leader().to_string(), two.leader().to_string()].map(|pid| namespaces(&pid));
    let different: BTreeSet<&PathBuf> = spaces.iter().flatten().collect();
    assert_eq!(different.len(), 3 * 6, "{spaces:#?}");
    assert_eq!(one.sh("ls /sys/class/net"), "lo");

    for machine in [&one, &two] {
        machine.write("/etc/systemd/system/same.service", SERVICE);
        machine.sh("systemctl daemon-reload && systemctl start same.service");
    }
    one.sh("systemctl stop same.service && test $(systemctl is-active same.service) = inactive");
    let told = one.sh("journalctl --boot --no-pager");
    assert!(told.contains("same.service") && !told.contains("Failed to kill control group"), "{told}");
    two.sh("systemctl is-active same.service");

    one.sh(MAKE_GROUPS);
    let made = one.groups().iter().filter(|group| group.join("made-inside").exists()).count();
    let own = fs::read_to_string("/proc/self/cgroup").unwrap().lines().count();
    assert!(made > 0 && one.groups().len() == own, "{made} of {:?}", one.groups());
    let strays = |groups: &[PathBuf]| groups.iter().any(|group| group.parent().unwrap().join("made-inside").exists());
    assert!(!strays(one.groups()), "it made groups beside its own");

    let dirs: Vec<PathBuf> = [&one, &two].map(|machine| machine.groups().to_owned()).concat();
    // As if it was killed: the keeper goes first, and what it kept is ended by the kernel.
    processes::kill(processes::Process::of(one.leader()).unwrap().parent);
    drop(one);
    two.sh("systemctl is-active same.service && systemctl restart same.service");
    assert_eq!(groups_of_this_run().len(), two.groups().len());
    drop(two);
    assert!(dirs.iter().all(|dir| !dir.exists()) && groups_of_this_run().is_empty(), "{:?}", groups_of_this_run());
    assert_eq!(mounts(), mounts_before);
    let is_left = |one: &Process| one.argv.iter().any(|word| word.contains("systemd-nspawn"));
    let left = processes::below(std::process::id()).into_iter().filter(is_left).collect::<Vec<_>>();
    assert!(left.is_empty(), "{left:?}");
}
