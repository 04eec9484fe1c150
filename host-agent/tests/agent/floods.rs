//! Endless output: the agent keeps a bounded amount of it, and still handles events.

use crate::case::{Agent, Case, until};
use crate::scale::status;
use mclive_kit::processes::below;

/// The memory that a flood may take, in kB. An unbounded flood takes this in a second.
const MOST: u64 = 200_000;

/// Waits until the flood has taken a second of the processor, or is held up: then everything sleeps.
fn flows(agent: &Agent) {
    let ticks = |pid: u32| -> u64 {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields).split_whitespace();
        fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum()
    };
    let family = || below(agent.pid()).iter().map(|one| one.pid).chain([agent.pid()]).collect::<Vec<_>>();
    let used = || family().into_iter().map(ticks).sum::<u64>();
    let (begins, second) = (used(), rustix::param::clock_ticks_per_second());
    until("the flood flows", || used() >= begins + second || sleep(&family()));
}

/// Whether no thread of these processes has run for a moment.
fn sleep(pids: &[u32]) -> bool {
    let look = || {
        let tasks =
            pids.iter().filter_map(|pid| std::fs::read_dir(format!("/proc/{pid}/task")).ok()).flatten().flatten();
        tasks.map(|task| std::fs::read_to_string(task.path().join("status")).unwrap_or_default()).collect::<Vec<_>>()
    };
    let before = look();
    std::thread::sleep(std::time::Duration::from_millis(20));
    before.iter().all(|status| status.contains("State:\tS")) && look() == before
}

/// Repairs continue during the flood, memory is bounded, and `^C` works.
fn is_bounded(case: &Case, agent: &mut Agent) {
    case.holds("out/beside", "right");
    flows(agent);
    case.write("out/beside", "wrong");
    case.holds("out/beside", "right");
    let peak = status(agent, "VmHWM:");
    assert!(peak < MOST, "a flood took {peak} kB");
    assert_eq!(agent.stop().code(), Some(0));
}

fn beside(flood: &str) -> String {
    format!("{flood}file \"@OUT@/beside\" {{\n\tstate => \"exists\",\n\tcontent => \"right\",\n}}\n")
}

#[test]
fn a_watched_command_that_never_stops_writing() {
    let flood = "exec \"e\" {\n\tcmd => \"true\",\n\tshell => \"/bin/sh\",\n\twatchcmd => \"yes\",\n\twatchshell => \"/bin/sh\",\n}\n";
    let case = Case::new("flood-watch", &beside(flood));
    let mut agent = case.start_with(&["--json"]);
    is_bounded(&case, &mut agent);
}

#[test]
fn a_value_that_never_stops_changing() {
    let flood =
        "import \"os\"\nfile \"@OUT@/v\" {\n\tstate => \"exists\",\n\tcontent => os.system(\"seq 1000000000\"),\n}\n";
    let case = Case::new("flood-value", &beside(flood));
    let mut agent = case.start_with(&["--json"]);
    until("it has a value", || case.read("out/v").is_some());
    is_bounded(&case, &mut agent);
}

#[test]
fn a_line_without_an_end() {
    let flood = "import \"os\"\nfile \"@OUT@/v\" {\n\tstate => \"exists\",\n\tcontent => os.system(\"tr '\\\\0' x < /dev/zero | head -c 8000000; echo; sleep 1000\"),\n}\n";
    let case = Case::new("flood-line", &beside(flood));
    let mut agent = case.start_with(&["--json"]);
    agent.says("a line of more than 1048576 bytes");
    let peak = status(&agent, "VmHWM:");
    assert!(peak < MOST, "a line took {peak} kB");
    assert_eq!(agent.stop().code(), Some(1), "no graph was ever in force");
}

#[test]
fn a_file_whose_content_is_its_own_and_more() {
    let flood = "import \"os\"\n$c = os.readfile(\"@OUT@/fed\") <|> \"\"\n\
        file \"@OUT@/fed\" {\n\tstate => \"exists\",\n\tcontent => \"${c}x\",\n}\n";
    let case = Case::new("flood-fed", &beside(flood));
    let mut agent = case.start();
    let why = "each change triggers the next one, because the program reads what this resource writes";
    agent.says(why);
    is_bounded(&case, &mut agent);
    assert_eq!(agent.said().matches(why).count(), 1, "it is told once");
    // Twenty at once, fewer if looks without a change lay between them, and then with growing pauses.
    let n_changes = case.read("out/fed").unwrap().len();
    assert!((10..40).contains(&n_changes), "{n_changes} changes");
}

#[test]
fn a_command_that_changes_what_it_watches() {
    let flood = "exec \"e\" {\n\tcmd => \"echo x >> @OUT@/fed\",\n\tshell => \"/bin/sh\",\n\twatchfiles => [\"@OUT@/fed\"],\n}\n";
    let case = Case::new("flood-run", &beside(flood));
    case.write("out/fed", "");
    let mut agent = case.start();
    let why = "each run triggers the next one, because its command changes what this resource watches";
    agent.says(why);
    is_bounded(&case, &mut agent);
    assert_eq!(agent.said().matches(why).count(), 1, "it is told once");
    let n_runs = case.lines("out/fed");
    assert!((10..40).contains(&n_runs), "{n_runs} runs");
}
