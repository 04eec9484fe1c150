//! The observable state of a run: the live table, causes of steps, the trace, the metrics.

use crate::case::{Case, stderr, until};
use std::io::{Read, Write};

const FOLLOWS: &str =
    "import \"os\"\n\nfile \"@OUT@/a\" {\n\tstate => \"exists\",\n\tcontent => os.readfile(\"@OUT@/in\"),\n}\n";

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What the place in the program is told with.
const DECLARED: &str = "  declared at ./main.mcl:";

/// An answer without the place in the program, which a log does not know.
fn without_origin(said: &str) -> String {
    assert!(said.contains(DECLARED), "{said}");
    said.lines().filter(|line| !line.starts_with("  declared at ")).map(|line| format!("{line}\n")).collect()
}

#[test]
fn a_running_agent_and_its_log_tell_why() {
    let case = Case::new("why", FOLLOWS);
    case.write("out/in", "one");
    let mut agent = case.start_with(&["--json"]);
    case.holds("out/a", "one");
    case.write("out/in", "two");
    case.holds("out/a", "two");
    let resource = format!("file[{}/a]", case.path("out").display());
    let because = format!("because the content of {}/in changed", case.path("out").display());
    let ask = || text(&case.run(&["why", "--prefix", "state", &resource]).stdout);
    let look = |log: &str| {
        case.write("log", log);
        text(&case.run(&["why", "--log", "log", &resource]).stdout)
    };
    // The step is reported before it runs, its end after, and a check may follow: both are asked until all is quiet.
    let mut said = String::new();
    until("the agent and its log know of the end, and agree", || {
        said = ask();
        !said.contains("checking") && said.contains(&because) && look(&agent.said()) == said
    });
    assert!(said.contains("because the value of `os.readfile(\"…\")` changed"), "{said}");
    assert!(said.contains("last steps"), "{said}");
    assert_eq!(agent.stop().code(), Some(0));
    let log = look(&agent.said());
    assert!(log.contains(&because) && log.contains("last steps"), "{log}");
    let unknown = case.run(&["why", "--log", "log", "file[a]"]);
    assert_eq!(unknown.status.code(), Some(1));
    assert!(stderr(&unknown).contains(&format!("did you mean `{resource}`?")), "{}", stderr(&unknown));
    assert!(!case.path("state/agent.sock").exists(), "the socket goes with the agent");
    assert_eq!(case.run(&["why", "--prefix", "state", &resource]).status.code(), Some(2));
}

/// A grouped resource answers with its leader's history, from the running agent and from its log.
#[test]
fn what_is_grouped_tells_why() {
    let case = Case::new("why-grouped", "print [\"a\", \"b\"] {\n\tMeta:autogroup => true,\n}\n");
    let mut agent = case.start_with(&["--json"]);
    let ask = || text(&case.run(&["why", "--prefix", "state", "print[a]"]).stdout);
    let mut said = String::new();
    // Where something is declared is left out of an answer that a busy machine would delay.
    until("the agent knows of the end, and says where it is declared", || {
        said = ask();
        said.contains("print[b]: changed") && said.contains(DECLARED)
    });
    assert!(said.starts_with("print[a] is grouped: it is applied as part of print[b].\nprint[b]: changed, "), "{said}");
    let json = text(&case.run(&["why", "--json", "--prefix", "state", "print[a]"]).stdout);
    assert!(
        json.starts_with("{\"members\":[\"print[a]\"],\"resource\":\"print[b]\",\"type\":\"grouped\"}\n"),
        "{json}"
    );
    assert_eq!(agent.stop().code(), Some(0));
    case.write("log", &agent.said());
    assert_eq!(text(&case.run(&["why", "--log", "log", "print[a]"]).stdout), without_origin(&said));
}

/// A resource after a failure, and one that waits for its turn, from the running agent and from its log.
#[test]
fn what_has_no_turn_yet_tells_why() {
    let program = "file \"@OUT@/none/a\" {\n\tstate => \"exists\",\n\tDepend => Test[\"first\"],\n}\n\
        file \"@OUT@/b\" {\n\tstate => \"exists\",\n\tDepend => File[\"@OUT@/none/a\"],\n}\n\
        test \"first\" {}\n\
        exec \"slow\" {\n\tcmd => \"while ! test -e @OUT@/go; do sleep 0.05; done\",\n\tshell => \"/bin/sh\",\n}\n\
        file \"@OUT@/c\" {\n\tstate => \"exists\",\n\tDepend => Exec[\"slow\"],\n}\n";
    let case = Case::new("why-turn", program);
    case.write("out/in", "");
    let mut agent = case.start_with(&["--json"]);
    let file = |name: &str| format!("file[{}]", case.path(&format!("out/{name}")).display());
    let ask = |name: &str| text(&case.run(&["why", "--prefix", "state", &file(name)]).stdout);
    let behind = format!("  depends on {}, which failed\n", file("none/a"));
    let mut b = String::new();
    until("it is told what has failed, and where it is declared", || {
        b = ask("b");
        b.contains(&behind) && b.contains(DECLARED)
    });
    let c = ask("c");
    assert!(b.starts_with(&format!("{}: waiting, ", file("b"))), "{b}");
    assert!(c.starts_with(&format!("{}: waiting, ", file("c"))) && c.contains("\n  for exec[slow]\n"), "{c}");
    assert!(!b.contains("no changes were needed"), "{b}");
    let slow = text(&case.run(&["why", "--prefix", "state", "exec[slow]"]).stdout);
    assert!(slow.starts_with("exec[slow]: checking, ") && slow.contains("last steps"), "{slow}");
    case.write("out/go", "");
    until("its turn has come", || !ask("c").contains("waiting"));
    assert_eq!(agent.stop().code(), Some(3), "a resource stands as failed");
    let said = agent.said();
    assert!(said.contains("\"waiting\":1"), "the summary counts it: {said}");
    case.write("log", &said);
    let log = case.run(&["why", "--log", "log", &file("b")]);
    assert_eq!(text(&log.stdout), without_origin(&b));
}

/// The same decisions on the real host, in the component, and in the crate of the page.
#[test]
fn a_trace_of_the_real_host_replays_everywhere() {
    let program = FOLLOWS.to_owned()
        + "exec \"e\" {\n\tcmd => \"exit 1\",\n\tshell => \"/bin/sh\",\n\tMeta:retry => 2,\n\tMeta:delay => 20,\n}\n";
    let case = Case::new("replay", &program);
    case.write("out/in", "one");
    let mut agent = case.start_with(&["--json", "--record", "trace"]);
    case.holds("out/a", "one");
    case.write("out/in", "two");
    case.holds("out/a", "two");
    agent.says("\"phase\":\"failed\"");
    assert_eq!(agent.stop().code(), Some(3), "a resource stands as failed");
    let of_run = |text: &str| -> Vec<String> {
        // A trace has no wall clock, and the final summary is not an event of the brain.
        let events = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"));
        let of_brain = events.filter(|event| event["type"] != "print" && event["type"] != "summary");
        of_brain
            .map(|mut event| {
                event.as_object_mut().expect("an object").remove("time");
                event.to_string()
            })
            .collect()
    };
    let events = case.run(&["replay", "--show", "events", "trace"]);
    assert_eq!(of_run(&text(&events.stdout)), of_run(&agent.said()), "{}", stderr(&events));
    // The natively linked crate.
    let bytes = std::fs::read(case.path("trace")).unwrap();
    let trace = mclive_compiler::protocol::trace::Trace::read(&bytes).unwrap();
    assert_eq!(trace.n_lost, 0);
    let mut replay = mclive_compiler::sim::Replay::new(mclive_compiler::brain::Brain::new(), trace).with_digest();
    while replay.step().is_some() {}
    let digest = case.run(&["replay", "--show", "digest", "trace"]);
    assert_eq!(text(&digest.stdout).trim(), replay.digest());
    // Truncated in a record, it is complete up to there.
    std::fs::write(case.path("cut"), &bytes[..bytes.len() - 3]).unwrap();
    let cut = case.run(&["replay", "cut"]);
    assert!(cut.status.success() && stderr(&cut).contains("incomplete or damaged"), "{}", stderr(&cut));
    // Nothing after the first damaged input counts, and without any input there is no run.
    let first = bytes.iter().position(|byte| *byte == b'\n').unwrap() + 1 + 8;
    let damaged = |at: usize| {
        let mut bytes = bytes.clone();
        bytes[at] ^= 1;
        std::fs::write(case.path("damaged"), bytes).unwrap();
        case.run(&["replay", "damaged"])
    };
    let middle = damaged(bytes.len() - 1);
    assert!(middle.status.success() && stderr(&middle).contains("incomplete or damaged"), "{}", stderr(&middle));
    let none = damaged(first);
    assert_eq!(none.status.code(), Some(2));
    assert!(none.stdout.is_empty() && stderr(&none).contains("its first input cannot be read"), "{}", stderr(&none));
    let none = case.run(&["replay", "main.mcl"]);
    assert_eq!(none.status.code(), Some(2));
    assert!(stderr(&none).contains("this is not an mclive recording"), "{}", stderr(&none));
}

#[test]
fn a_killed_agent_leaves_its_trace() {
    let case = Case::new("killtrace", FOLLOWS);
    case.write("out/in", "one");
    let mut agent = case.start_with(&["--json", "--record", "trace"]);
    case.holds("out/a", "one");
    agent.child.kill().unwrap();
    agent.child.wait().unwrap();
    let outputs = case.run(&["replay", "trace"]);
    assert!(outputs.status.success(), "{}", stderr(&outputs));
    assert!(text(&outputs.stdout).contains("{\"File\":{\"Write\":"), "{}", text(&outputs.stdout));
}

#[test]
fn figures_are_served_on_request() {
    let case = Case::new("figures", FOLLOWS);
    case.write("out/in", "one");
    let address = format!("127.0.0.1:{}", mclive_kit::port::free());
    let _agent = case.start_with(&["--prometheus", "--prometheus-listen", &address]);
    case.holds("out/a", "one");
    let get = |path: &str| {
        let mut stream = std::net::TcpStream::connect(&address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
        let mut said = String::new();
        stream.read_to_string(&mut said).unwrap();
        said
    };
    let line = r#"mgmt_checkapply_total{apply="true",errorful="false",eventful="true",kind="file"} 1"#;
    until("the check is counted", || get("/metrics").contains(line));
    let said = get("/metrics");
    assert!(said.starts_with("HTTP/1.1 200 OK\r\n"), "{said}");
    for line in
        [r#"mgmt_resources{kind="file"} 1"#, r#"mgmt_resources{kind="svc"} 0"#, "mgmt_graph_start_time_seconds 1"]
    {
        assert!(said.contains(line), "{line}: {said}");
    }
    assert!(get("/other").starts_with("HTTP/1.1 404"));
}
