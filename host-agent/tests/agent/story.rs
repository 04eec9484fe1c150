//! The output of a run: the outcome of each resource and its cause, in lines that follow their published schema.

use crate::case::{Case, stderr};
use mclive_base::shapes::{RunEvent, RunLine, RunPhase};

/// Each line, parsed by its type and serialized again without a difference: no field is missing or unknown.
fn lines(output: &std::process::Output) -> Vec<RunLine> {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let read = |line: &str| {
        let typed: RunLine = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let again = serde_json::to_value(&typed).unwrap();
        assert_eq!(again, serde_json::from_str::<serde_json::Value>(line).unwrap(), "{line}");
        typed
    };
    let lines: Vec<RunLine> = text.lines().map(read).collect();
    assert!(matches!(lines.last().map(|line| &line.what), Some(RunEvent::Summary { .. })), "{text}{}", stderr(output));
    lines
}

fn stories(lines: &[RunLine]) -> Vec<String> {
    let told = lines.iter().filter_map(|line| match &line.what {
        RunEvent::Resource { resource, phase: RunPhase::Changed | RunPhase::WouldChange, text, .. } => {
            Some(format!("{} {text}", resource.rsplit('/').next().unwrap_or_default().trim_end_matches(']')))
        }
        _ => None,
    });
    let mut told: Vec<String> = told.collect();
    told.sort();
    told
}

fn changes(lines: &[RunLine]) -> Vec<String> {
    let steps = lines.iter().filter_map(|line| match &line.what {
        RunEvent::Steps { steps, .. } => Some(steps),
        _ => None,
    });
    let or = |value: &Option<String>| value.clone().unwrap_or_else(|| "-".to_owned());
    let told = steps.flatten().flat_map(|step| &step.changes).filter(|change| change.field != "sha256");
    let mut told: Vec<String> =
        told.map(|change| format!("{} {} {}", change.field, or(&change.old), or(&change.new))).collect();
    told.sort();
    told
}

const PROGRAM: &str = "file \"@OUT@/new\" {\n\tstate => \"exists\",\n\tcontent => \"hello\\n\",\n\tmode => \"0600\",\n}\n\
                       file \"@OUT@/old\" {\n\tcontent => \"hello\\n\",\n}\n\
                       file \"@OUT@/gone\" {\n\tstate => \"absent\",\n}\n\
                       print \"said\" {\n\tmsg => \"a word\",\n}\n";

#[test]
fn each_outcome_is_reported_with_every_value_in_lines_of_the_schema() {
    let case = Case::new("story", PROGRAM);
    case.write("out/old", "x");
    case.write("out/gone", "bye");
    let expect = ["gone removed", "new created", "old updated"];
    let values = ["mode - 0600", "size - 6", "size 1 6", "size 3 -", "state absent file", "state file absent"];
    let planned = lines(&case.run(&["plan", "--json", "--prefix", "prefix", "main.mcl"]));
    let files =
        |told: Vec<String>| -> Vec<String> { told.into_iter().filter(|one| !one.starts_with("print")).collect() };
    assert_eq!(files(stories(&planned)), expect);
    assert_eq!(changes(&planned), values);
    let ran = lines(&case.run(&["run", "--once", "--json", "--prefix", "state", "main.mcl"]));
    assert_eq!(files(stories(&ran)), expect);
    assert_eq!(changes(&ran), values);
}

#[test]
fn a_repair_names_what_changed_and_a_new_value_where_it_comes_from() {
    let program = "import \"os\"\nfile \"@OUT@/kept\" {\n\tstate => \"exists\",\n\tcontent => \"hello\\n\",\n}\n\
                   file \"@OUT@/read\" {\n\tstate => \"exists\",\n\tcontent => os.readfile(\"@OUT@/from\"),\n}\n";
    let case = Case::new("story-repair", program);
    case.write("out/from", "one\n");
    let mut agent = case.start_with(&["--json"]);
    agent.says("\"text\":\"created\"");
    case.holds("out/read", "one\n");
    case.holds("out/kept", "hello\n");
    case.write("out/kept", "broken");
    agent.says(&format!("repaired after {} changed", case.path("out/kept").display()));
    case.write("out/from", "two\n");
    agent.says(&format!("updated because the content of {} changed", case.path("out/from").display()));
    case.holds("out/read", "two\n");
    assert!(agent.stop().success());
}

#[test]
fn a_directory_of_fragments_is_read_after_its_files_are_there() {
    let program = "file \"@OUT@/a-whole\" {\n\tstate => \"exists\",\n\tfragments => [\"@OUT@/parts.d/\"],\n}\n\
                   file \"@OUT@/parts.d/\" {\n\tstate => \"exists\",\n}\n\
                   file [\"@OUT@/parts.d/1\", \"@OUT@/parts.d/2\"] {\n\tstate => \"exists\",\n\tcontent => \"part\\n\",\n}\n";
    let case = Case::new("story-fragments", program);
    assert!(case.once().status.success());
    assert_eq!(case.read("out/a-whole").as_deref(), Some("part\npart\n"));
}

#[test]
fn schemas_are_printed() {
    let case = Case::new("story-schemas", "");
    let schema = case.run(&["docs", "--schema", "run-line"]);
    let schema: serde_json::Value = serde_json::from_slice(&schema.stdout).unwrap();
    assert_eq!(schema["title"], "RunLine");
    for name in ["editor-query", "host-graphs", "model-graph"] {
        let schema = case.run(&["docs", "--schema", name]);
        let schema: serde_json::Value = serde_json::from_slice(&schema.stdout).unwrap();
        assert!(schema["title"].is_string(), "{name}");
    }
    let unknown = case.run(&["docs", "--schema", "nothing"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(stderr(&unknown).contains("available schemas: diagnostics, "), "{}", stderr(&unknown));
}
