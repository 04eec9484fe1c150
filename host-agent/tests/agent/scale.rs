//! Large numbers of everything: the agent's usage stays constant, and grows no faster than its resources.

use crate::case::{Agent, Case, until};
use crate::chance::times;
use std::fs;
use std::time::{Duration, Instant};

pub(crate) fn status(agent: &Agent, field: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", agent.pid())).unwrap();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

pub(crate) fn n_files(agent: &Agent) -> usize {
    fs::read_dir(format!("/proc/{}/fd", agent.pid())).unwrap().count()
}

/// The number of context switches of all its threads.
fn n_switches(agent: &Agent) -> u64 {
    let tasks = fs::read_dir(format!("/proc/{}/task", agent.pid())).unwrap();
    let statuses = tasks.filter_map(|task| fs::read_to_string(task.unwrap().path().join("status")).ok());
    let counts = |status: String| {
        let lines = status.lines().filter(|line| line.contains("ctxt_switches"));
        lines.filter_map(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok()).sum::<u64>()
    };
    statuses.map(counts).sum()
}

/// The processor time of all its threads.
pub(crate) fn processor_ms(agent: &Agent) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{}/stat", agent.pid())).unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    let ticks = |at: usize| fields[at].parse::<u64>().unwrap();
    (ticks(11) + ticks(12)) * 1000 / rustix::param::clock_ticks_per_second()
}

fn many(n: u64) -> String {
    (0..n)
        .map(|n| format!("file \"@OUT@/f{n}\" {{\n\tstate => \"exists\",\n\tcontent => \"hello {n}\\n\",\n}}\n"))
        .collect()
}

#[test]
fn many_files_take_few_watches_and_an_idle_agent_does_not_wake_up() {
    let n = times("MCLIVE_FILES", 1000);
    let case = Case::new("many", &many(n));
    let began = Instant::now();
    let mut agent = case.start();
    until("all are there", || fs::read_dir(case.path("out")).unwrap().count() as u64 == n);
    let took = began.elapsed();
    // It has work left for a while, on a slow machine for longer; then nothing wakes it up.
    until("an idle agent does not wake up", || {
        agent.rests();
        let before = n_switches(&agent);
        std::thread::sleep(Duration::from_millis(3500));
        n_switches(&agent) == before
    });
    let watches: usize = fs::read_dir(format!("/proc/{}/fdinfo", agent.pid()))
        .unwrap()
        .map(|file| fs::read_to_string(file.unwrap().path()).unwrap_or_default().matches("inotify wd:").count())
        .sum();
    assert!(watches < 20 && n_files(&agent) < 40, "{watches} watches, {} files", n_files(&agent));
    // Its own memory: the kernel alone decides how much of the program's file it maps.
    let own = status(&agent, "RssAnon:");
    println!("{n} files: there in {took:?}, {} MiB, {watches} watches", own >> 10);
    assert!(own < 12_000 + 4 * n, "{n} files take {own} kB");
    let began = Instant::now();
    assert!(agent.stop().success());
    println!("stopped in {:?}", began.elapsed());
}

#[test]
fn switches_of_the_graph_leave_nothing_behind() {
    let program = "import \"os\"\n$x = os.readfile(\"@OUT@/in\")\n\
        noop [\"a${x}\", \"b${x}\"] {}\n\
        exec \"e${x}\" {\n\tcmd => \"true\",\n\tshell => \"/bin/sh\",\n\twatchcmd => \"while :; do sleep 100; done\",\n\twatchshell => \"/bin/sh\",\n}\n\
        file \"@OUT@/d${x}/x\" {\n\tstate => \"absent\",\n}\n\
        file \"@OUT@/v\" {\n\tstate => \"exists\",\n\tcontent => $x,\n}\n";
    let case = Case::new("switches", program);
    let switch = |n: u64| {
        fs::write(case.path("out/in.new"), n.to_string()).unwrap();
        fs::rename(case.path("out/in.new"), case.path("out/in")).unwrap();
        case.holds("out/v", &n.to_string());
    };
    case.write("out/in", "0");
    let mut agent = case.start();
    let settled = |agent: &Agent| {
        let mut last = (0, 0);
        until("threads and files are still", || {
            let now = (status(agent, "Threads:"), n_files(agent) as u64);
            std::thread::sleep(Duration::from_millis(100));
            now == std::mem::replace(&mut last, now)
        });
        last
    };
    (1..30).for_each(switch);
    // Its own memory: how much of the program's file is mapped is the kernel's business.
    let (before, own) = (settled(&agent), status(&agent, "RssAnon:"));
    let n = times("MCLIVE_SWITCHES", 100);
    (30..30 + n).for_each(switch);
    // What belongs to old graphs ends beside the new one; what is left behind stays.
    let mut after = before;
    let is_as_before = || {
        after = settled(&agent);
        after.0 <= before.0 + 2 && after.1 <= before.1 + 2
    };
    until(&format!("threads and files are as before, {before:?}"), is_as_before);
    let grown = status(&agent, "RssAnon:").saturating_sub(own);
    println!("{n} switches: {before:?} {after:?} threads and files, {grown} kB more");
    assert!(grown < 3000, "{grown} kB more after {n} switches");
    let commands = || {
        let mut commands = children(agent.pid());
        commands.retain(|command| !command.contains("reap-groups"));
        commands
    };
    let left = || format!("{:?}", commands());
    mclive_kit::until("no commands of old graphs are left", || commands().len() <= 1, left);
    assert!(agent.stop().success());
}

/// The command lines of the children that any thread of a process has.
fn children(pid: impl std::fmt::Display) -> Vec<String> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    let of = |task: &fs::DirEntry| fs::read_to_string(task.path().join("children")).unwrap_or_default();
    let all: String = tasks.map(|task| of(&task.unwrap())).collect();
    let words = |pid: &str| fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default().replace('\0', " ");
    all.split_whitespace().map(words).collect()
}

#[test]
fn a_repair_costs_little_but_the_disk() {
    let case = Case::new("repairs", &many(10));
    let mut agent = case.start();
    until("all are there", || fs::read_dir(case.path("out")).unwrap().count() == 10);
    agent.rests();
    let n = times("MCLIVE_REPAIRS", 50);
    let before = processor_ms(&agent);
    let mut repairs = Vec::new();
    for k in 0..n {
        let name = format!("out/f{}", k % 10);
        let began = Instant::now();
        case.write(&name, "broken");
        case.holds(&name, &format!("hello {}\n", k % 10));
        repairs.push(began.elapsed());
    }
    agent.rests();
    let each = (processor_ms(&agent) - before) / n;
    repairs.sort();
    println!("repaired: p50 {:?}; {each} ms of a processor each", repairs[repairs.len() / 2]);
    // The time depends on the load, the processor time does not: the limit detects errors by orders of magnitude.
    assert!(each < 50, "a repair takes {each} ms of a processor");
    assert!(agent.stop().success());
}
