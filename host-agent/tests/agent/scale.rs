//! Many of everything: what an agent uses stays where it was, and grows no faster than what it keeps.

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

/// How often any of its threads was put to sleep or taken from its processor.
fn n_switches(agent: &Agent) -> u64 {
    let tasks = fs::read_dir(format!("/proc/{}/task", agent.pid())).unwrap();
    let statuses = tasks.filter_map(|task| fs::read_to_string(task.unwrap().path().join("status")).ok());
    let counts = |status: String| {
        let lines = status.lines().filter(|line| line.contains("ctxt_switches"));
        lines.filter_map(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok()).sum::<u64>()
    };
    statuses.map(counts).sum()
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
    until("it is quiet", || {
        let before = n_switches(&agent);
        std::thread::sleep(Duration::from_millis(1500));
        n_switches(&agent) == before
    });
    let before = n_switches(&agent);
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(n_switches(&agent), before, "an idle agent woke up");
    let watches: usize = fs::read_dir(format!("/proc/{}/fdinfo", agent.pid()))
        .unwrap()
        .map(|file| fs::read_to_string(file.unwrap().path()).unwrap_or_default().matches("inotify wd:").count())
        .sum();
    assert!(watches < 20 && n_files(&agent) < 40, "{watches} watches, {} files", n_files(&agent));
    let resident = status(&agent, "VmRSS:");
    println!("{n} files: there in {took:?}, {} MiB, {watches} watches", resident >> 10);
    assert!(resident < 40_000 + 4 * n, "{n} files take {resident} kB");
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
    let (before, resident) = (settled(&agent), status(&agent, "VmRSS:"));
    let n = times("MCLIVE_SWITCHES", 100);
    (30..30 + n).for_each(switch);
    let after = settled(&agent);
    let grown = status(&agent, "VmRSS:").saturating_sub(resident);
    println!("{n} switches: {before:?} {after:?} threads and files, {grown} kB more");
    assert!(after.0 <= before.0 + 2 && after.1 <= before.1 + 2, "{before:?} became {after:?}");
    assert!(grown < 3000, "{grown} kB more after {n} switches");
    let children = |agent: &Agent| {
        let path = format!("/proc/{0}/task/{0}/children", agent.pid());
        fs::read_to_string(path).unwrap_or_default().split_whitespace().count()
    };
    assert!(children(&agent) <= 1, "commands of old graphs are left");
    assert!(agent.stop().success());
}

#[test]
fn a_repair_costs_what_the_disk_costs() {
    let case = Case::new("repairs", &many(10));
    let mut agent = case.start();
    until("all are there", || fs::read_dir(case.path("out")).unwrap().count() == 10);
    std::thread::sleep(Duration::from_millis(300));
    let n = times("MCLIVE_REPAIRS", 50);
    let (mut repairs, mut disk) = (Vec::new(), Vec::new());
    for k in 0..n {
        let path = case.path(&format!("out/f{}", k % 10));
        let right = format!("hello {}\n", k % 10);
        fs::write(&path, "broken").unwrap();
        let began = Instant::now();
        while fs::read_to_string(&path).ok().as_deref() != Some(&right) {
            assert!(began.elapsed() < Duration::from_secs(20));
            std::thread::sleep(Duration::from_micros(20));
        }
        repairs.push(began.elapsed());
        std::thread::sleep(Duration::from_millis(20));
        let began = Instant::now();
        let beside = case.path("beside");
        let mut file = fs::File::create(&beside).unwrap();
        std::io::Write::write_all(&mut file, right.as_bytes()).unwrap();
        file.sync_all().unwrap();
        fs::rename(&beside, case.path("beside2")).unwrap();
        disk.push(began.elapsed());
    }
    repairs.sort();
    disk.sort();
    let at = |times: &[Duration], percent: usize| times[(times.len() - 1) * percent / 100];
    println!(
        "repaired: p50 {:?} p99 {:?}; the disk alone: p50 {:?} p99 {:?}",
        at(&repairs, 50),
        at(&repairs, 99),
        at(&disk, 50),
        at(&disk, 99)
    );
    // A loaded machine shares its processors: the bound is for what is wrong by orders of magnitude.
    assert!(at(&repairs, 50) < at(&disk, 50) * 10 + Duration::from_millis(50));
    assert!(agent.stop().success());
}
