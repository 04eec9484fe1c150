//! A fresh Debian becomes a web server, by mclive and by Ansible: `tests/hosts/webserver.txtar` and `beside.yml`, on
//! identical machines. Measured: the time of a first run, of a second run without changes, and of a third that repairs
//! one file; the memory; and the cost of an agent that stays.
//!
//! Ansible is fetched from PyPI into the target folder. It runs on the machine itself, with a local connection, so that
//! no network affects its figures.

#[allow(dead_code, reason = "its other half is for the tests")]
#[path = "../tests/hosts/latencies.rs"]
mod latencies;
#[allow(dead_code, reason = "its other half is for the tests")]
#[path = "../tests/hosts/machine.rs"]
mod machine;

use machine::Machine;
use mclive_tests::txtar::Archive;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ANSIBLE: &str = "ansible==9.13.0";
const PLAYBOOK: &str = include_str!("beside.yml");
const PREPARE: &str = "rm -f /etc/apt/sources.list /etc/apt/sources.list.d/* && \
    echo 'deb [trusted=yes] file:/srv/packages ./' >/etc/apt/sources.list && apt-get -qq update && touch /etc/motd";
/// The time between two samples of memory.
const EACH: Duration = Duration::from_millis(2);
/// How long a resident agent is measured.
const QUIET: Duration = Duration::from_secs(10);

fn main() {
    let Some(plain) = Machine::boot("mclive", &["daemons"]) else { return };
    let case = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/hosts/webserver.txtar")).unwrap();
    let program = Archive::parse(&case);
    plain.sh(PREPARE);
    plain.write("/root/main.mcl", program.get("main.mcl").unwrap());
    let once = ["mclive", "run", "--once", "--prefix", "/var/lib/mclive", "main.mcl"];
    let mclive = runs(&plain, &once);
    let (wakes, resident_kib) = kept(&plain);
    drop(plain);

    let ansible = ansible();
    let bind = format!("--bind-ro={}:/opt/ansible", ansible.display());
    let machine = Machine::boot("ansible", &["daemons", &bind, "PYTHONPATH=/opt/ansible"]).unwrap();
    machine.sh(PREPARE);
    machine.write("/root/site.yml", PLAYBOOK);
    let play = ["python3", "/opt/ansible/bin/ansible-playbook", "-i", "localhost,", "site.yml"];
    let others = runs(&machine, &play);

    println!("{:28} {:>12} {:>12}", "", "mclive", "Ansible");
    for (what, ours, theirs) in [
        ("first run", &mclive[0], &others[0]),
        ("second run, no change", &mclive[1], &others[1]),
        ("one file is repaired", &mclive[2], &others[2]),
    ] {
        println!("{what:28} {:>10.2} s {:>10.2} s", ours.took.as_secs_f64(), theirs.took.as_secs_f64());
        println!("{:28} {:>8.1} MiB {:>8.1} MiB", "  memory at most", mib(ours.peak_kib), mib(theirs.peak_kib));
    }
    println!("{:28} {:>12} {:>12}", "wake-ups in 10 s at rest", wakes, "not running");
    println!("{:28} {:>8.1} MiB {:>12}", "memory at rest", mib(resident_kib), "not running");
}

struct Run {
    took: Duration,
    peak_kib: u64,
}

/// A first run, one that finds nothing to do, and one that repairs a file.
fn runs(machine: &Machine, argv: &[&str]) -> [Run; 3] {
    let first = run(machine, argv);
    machine.soon("curl -sf http://127.0.0.1:8001/ | grep -q 'Welcome to shop'");
    let second = run(machine, argv);
    machine.sh("echo odd >/srv/www/blog/index.html");
    let third = run(machine, argv);
    machine.soon("curl -sf http://127.0.0.1:8002/ | grep -q 'Welcome to blog'");
    [first, second, third]
}

fn run(machine: &Machine, argv: &[&str]) -> Run {
    let began = Instant::now();
    let mut child = machine.command(argv).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut peak_kib = 0;
    let status = loop {
        peak_kib = peak_kib.max(resident_kib(child.id()));
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None => std::thread::sleep(EACH),
        }
    };
    let took = began.elapsed();
    let output = child.wait_with_output().unwrap();
    assert!(status.success(), "{argv:?}: {}", machine::told(&output));
    Run { took, peak_kib }
}

/// The resident memory of a process and all its descendants.
fn resident_kib(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let own = line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0);
    own + children(pid).into_iter().map(resident_kib).sum::<u64>()
}

fn children(pid: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let texts = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    texts.flat_map(|text| text.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>()).collect()
}

/// A resident agent: how often its threads wake up while nothing happens, and its memory.
fn kept(machine: &Machine) -> (u64, u64) {
    let mut keeping = machine.keep(&["--converger-timeout", "0"]);
    keeping.says("\"type\":\"converged\"");
    // Wait until the work of the start is over.
    std::thread::sleep(Duration::from_secs(3));
    let pid: u32 = machine.sh("pidof mclive").trim().parse().unwrap();
    let wakes = || -> u64 {
        let tasks = fs::read_dir(machine.inside(&format!("/proc/{pid}/task"))).unwrap().flatten();
        let status = tasks.filter_map(|task| fs::read_to_string(task.path().join("status")).ok());
        status
            .filter_map(|text| {
                text.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:")?.trim().parse::<u64>().ok())
            })
            .sum()
    };
    let before = wakes();
    std::thread::sleep(QUIET);
    let after = wakes();
    let status = fs::read_to_string(machine.inside(&format!("/proc/{pid}/status"))).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    (after - before, line.split_whitespace().next().unwrap().parse().unwrap())
}

fn mib(kib: u64) -> f64 {
    kib as f64 / 1024.0
}

/// The folder with Ansible and its dependencies, for the Python of the machines.
fn ansible() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ansible");
    if folder.join("bin/ansible-playbook").exists() {
        return folder;
    }
    let half = folder.with_extension("half");
    let _ = fs::remove_dir_all(&half);
    let fits = [
        "--only-binary=:all:",
        "--implementation",
        "cp",
        "--python-version",
        "3.11",
        "--platform",
        "manylinux2014_x86_64",
    ];
    let status =
        Command::new("pip").args(["install", "--quiet", "--target"]).arg(&half).args(fits).arg(ANSIBLE).status();
    assert!(status.is_ok_and(|status| status.success()), "Ansible cannot be had: pip is needed, and PyPI");
    fs::rename(&half, &folder).unwrap();
    folder
}
