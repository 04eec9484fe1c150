//! `check` and `plan` report the actual state: lints with their switches, a summary, exit codes.

use crate::case::{Case, ONE_FILE, stderr};
use std::process::Output;

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn last_line(output: &Output) -> serde_json::Value {
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().last().unwrap_or_else(|| panic!("nothing was printed: {}", stderr(output)));
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
}

#[test]
fn lints_warn_and_the_command_line_switches_them() {
    let case = Case::new("lints", "$unused = 1\nif true {\n\tnoop \"a\" {}\n}\n");
    let main = case.path("main.mcl");
    let check = |flags: &[&str]| case.run(&[&["check", main.to_str().unwrap()], flags].concat());
    let warned = check(&[]);
    assert_eq!(warned.status.code(), Some(0));
    let said = stderr(&warned);
    assert!(said.contains("warning[W0001]: unused variable `$unused`") && said.contains("W0008"), "{said}");
    let quiet = stderr(&check(&["--allow", "unused_variable,W0008"]));
    assert!(!quiet.contains("warning"), "{quiet}");
    let denied = check(&["--allow", "all", "--deny", "unused-variable"]);
    assert_eq!(denied.status.code(), Some(1));
    assert!(stderr(&denied).contains("error[W0001]") && !stderr(&denied).contains("W0008"));
    let unknown = check(&["--deny", "no_such_lint"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(stderr(&unknown).contains("unknown lint `no_such_lint`"), "{}", stderr(&unknown));
    let page = case.run(&["explain", "unused_variable"]);
    let page = String::from_utf8_lossy(&page.stdout).into_owned();
    assert!(page.starts_with("W0001: ") && !page.contains("**") && !page.contains("```"), "{page}");
}

#[test]
fn a_plan_counts_and_ends_as_it_is_asked_to() {
    let case = Case::new("plan-counts", ONE_FILE);
    let main = case.path("main.mcl");
    let prefix = case.path("prefix");
    let plan = |flags: &[&str]| {
        let fixed = ["plan", main.to_str().unwrap(), "--prefix", prefix.to_str().unwrap()];
        case.run(&[&fixed[..], flags].concat())
    };
    let changes = plan(&["--json", "--detailed-exitcode"]);
    assert_eq!(changes.status.code(), Some(2), "{}", stderr(&changes));
    let summary = last_line(&changes);
    assert_eq!((&summary["type"], &summary["would_change"]), (&"summary".into(), &1.into()), "{summary}");
    assert!(summary["time"].as_str().unwrap().ends_with('Z'));
    assert_eq!(plan(&[]).status.code(), Some(0));
    assert!(case.once().status.success());
    let same = plan(&["--detailed-exitcode"]);
    assert_eq!(same.status.code(), Some(0), "{}", stderr(&same));
    assert_eq!(last_line(&same)["would_change"], 0);
    case.program("$x = \n");
    let refused = plan(&["--detailed-exitcode"]);
    assert_eq!(refused.status.code(), Some(1));
    let said = String::from_utf8_lossy(&refused.stdout).into_owned() + &stderr(&refused);
    assert!(said.contains("\"code\":\"E02"), "{said}");
}

#[test]
fn a_plan_counts_what_would_fail_wait_and_cannot_be_known_apart() {
    let program = "file \"@OUT@/made/\" {\n\tstate => \"exists\",\n}\n\
                   file \"@OUT@/made/a\" {\n\tstate => \"exists\",\n\tcontent => \"x\",\n}\n\
                   file \"@OUT@/missing/a\" {\n\tstate => \"exists\",\n\tBefore => File[\"@OUT@/b\"],\n}\n\
                   file \"@OUT@/b\" {\n\tstate => \"exists\",\n}\n\
                   exec \"asks\" {\n\tcmd => \"true\",\n\tshell => \"/bin/sh\",\n\tifcmd => \"true\",\n\tifshell => \"/bin/sh\",\n}\n\
                   exec \"makes\" {\n\tcmd => \"mkdir @OUT@/by-command\",\n\tshell => \"/bin/sh\",\n\tBefore => File[\"@OUT@/by-command/a\"],\n}\n\
                   file \"@OUT@/by-command/a\" {\n\tstate => \"exists\",\n}\n";
    let case = Case::new("plan-kinds", program);
    let prefix = case.path("prefix");
    let plan = |flags: &[&str]| {
        let fixed = ["plan", "main.mcl", "--prefix", prefix.to_str().unwrap()];
        case.run(&[&fixed[..], flags].concat())
    };
    let before = case.tree();
    let planned = plan(&["--json"]);
    assert_eq!((planned.status.code(), case.tree()), (Some(3), before), "{}", stderr(&planned));
    let summary = last_line(&planned);
    let counts = ["would_change", "failed", "waiting", "unknown"].map(|field| summary[field].as_u64());
    assert_eq!(counts, [Some(3), Some(1), Some(1), Some(2)], "{summary}");
    let said = String::from_utf8_lossy(&planned.stdout).into_owned();
    let behind = format!("depends on file[{}/missing/a], which would fail", case.path("out").display());
    assert!(said.contains(&behind), "{said}");
    assert_eq!(plan(&["--detailed-exitcode"]).status.code(), Some(1));
    // Without the failure it is only unknown.
    case.program("exec \"asks\" {\n\tcmd => \"true\",\n\tifcmd => \"true\",\n}\n");
    assert_eq!(plan(&[]).status.code(), Some(0));
    // Whether or not something else would change.
    assert_eq!(plan(&["--detailed-exitcode"]).status.code(), Some(4));
    case.program(
        "file \"@OUT@/a\" {\n\tstate => \"exists\",\n}\nexec \"asks\" {\n\tcmd => \"true\",\n\tifcmd => \"true\",\n}\n",
    );
    assert_eq!(plan(&["--detailed-exitcode"]).status.code(), Some(4));
    case.program("file \"@OUT@/a\" {\n\tstate => \"exists\",\n}\n");
    assert_eq!(plan(&["--detailed-exitcode"]).status.code(), Some(2));
}

#[test]
fn json_names_files_as_they_were_given_and_graphs_are_for_this_host() {
    let case = Case::new("named", "$x = \n");
    let main = case.path("main.mcl");
    let told = case.run(&["check", "--json", main.to_str().unwrap()]);
    let file = &last_line(&told)["diagnostics"][0]["primary"]["place"]["file"];
    assert_eq!(*file, main.to_str().unwrap());
    let relative = last_line(&case.run(&["check", "--json", "main.mcl"]));
    let shown = stderr(&case.run(&["check", "main.mcl"]));
    let file = relative["diagnostics"][0]["primary"]["place"]["file"].as_str().unwrap().to_owned();
    assert!(file.ends_with("main.mcl") && shown.contains(&format!("--> {file}:")), "{file}: {shown}");
    case.program("noop \"on ${hostname}\" {}\n");
    let graph = case.run(&["graph", "--of", "resources", "main.mcl"]);
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let graph = String::from_utf8_lossy(&graph.stdout).into_owned();
    assert!(graph.contains(&format!("noop[on {name}]")), "{graph}");
}

/// The resources of a graph are those of this host: its files, its name, its kernel, and facts that lead to others.
#[test]
fn a_graph_is_of_this_host_unless_told_otherwise() {
    let case = Case::new(
        "graph-here",
        "import \"os\"\nimport \"golang/strings\"\n\
        $where = strings.trim_space(os.readfile(\"@OUT@/where\"))\n\
        test \"${hostname}\" {\n\tanotherstr => os.readfile($where),\n}\n",
    );
    std::fs::create_dir_all(case.path("out")).unwrap();
    let there = case.path("out/there").display().to_string();
    case.write("out/where", &there);
    case.write("out/there", "read here");
    let graph = |args: &[&str]| case.run(&[&["graph", "--of", "resources"], args, &["main.mcl"]].concat());
    let here = graph(&[]);
    assert!(stdout(&here).contains("AnotherStr = \"read here\""), "{}{}", stdout(&here), stderr(&here));
    let named = stdout(&graph(&["--hostname", "other"]));
    assert!(named.contains("Vertex: test[other]") && named.contains("read here"), "{named}");
    let anywhere = graph(&["--any-host"]);
    assert_eq!(anywhere.status.code(), Some(1), "a simulated host has no such file: {}", stdout(&anywhere));
    assert!(!stdout(&anywhere).contains("read here"));
    // A value that this host refuses is refused, as in a plan.
    case.program("sysctl \"net.none.such\" {\n\tvalue => \"1\",\n}\n");
    let refused = graph(&[]);
    assert_eq!(refused.status.code(), Some(1), "{}", stdout(&refused));
    assert!(stderr(&refused).contains("is not valid on this host"), "{}", stderr(&refused));
    assert_eq!(graph(&["--any-host"]).status.code(), Some(0));
    // No command of the program runs.
    case.program("import \"os\"\ntest \"a\" {\n\tanotherstr => os.system(\"touch @OUT@/ran; echo x\"),\n}\n");
    let command = graph(&[]);
    assert!(command.status.code() == Some(1) && !case.path("out/ran").exists(), "{}", stdout(&command));
}
