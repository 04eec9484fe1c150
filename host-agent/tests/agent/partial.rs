//! Partial exports of models: on one host, and as deploys.

use crate::case::{Agent, Case, stderr, until};
use crate::deploys::said;
use crate::fleet::Fleet;
use std::process::Output;

/// A model of the host `h` with a file for each of these names and contents, in a resource set of the same name. A file is
/// removed with its set.
fn sets(case: &Case, files: &[(&str, &str)]) -> String {
    let mut text = "import fs\nh = std::Host(name=\"h\", os=std::linux)\n".to_owned();
    for (name, content) in files {
        let path = case.path("out").join(name);
        text += &format!(
            "{name} = fs::File(host=h, path=\"{}\", content=\"{content}\", purge_on_delete=true)\n\
             std::ResourceSet(name=\"{name}\", resources=[{name}])\n",
            path.display()
        );
    }
    text
}

/// A case with the model `whole` of two sets, and the model `part` that changes one of them.
fn changed(case: &Case) {
    std::fs::create_dir_all(case.path("whole")).unwrap();
    std::fs::create_dir_all(case.path("part")).unwrap();
    case.write("whole/main.cf", &sets(case, &[("a", "one"), ("b", "one")]));
    case.write("part/main.cf", &sets(case, &[("a", "two")]));
}

fn told(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), stderr(output))
}

#[test]
fn a_partial_export_replaces_only_its_resource_sets() {
    let case = Case::new("partial-sets", "");
    changed(&case);
    let run = |command: &[&str], args: &[&str]| {
        let output = case.run(&[command, &["--hostname", "h"], args].concat());
        assert!(output.status.success(), "{args:?}: {}", told(&output));
        told(&output)
    };
    let once = ["run", "--once", "--prefix", "state"];
    run(&once, &["whole"]);
    let contents = || (case.read("out/a").unwrap_or_default(), case.read("out/b").unwrap_or_default());
    assert_eq!(contents(), ("one".to_owned(), "one".to_owned()));
    let partial = ["--partial", "whole", "part"];
    let planned = run(&["plan"], &partial);
    let steps: Vec<&str> = planned.lines().filter(|line| line.contains("\"type\":\"steps\"")).collect();
    assert!(steps.len() == 1 && steps[0].contains("out/a"), "{planned}");
    assert_eq!(contents(), ("one".to_owned(), "one".to_owned()));
    run(&once, &partial);
    assert_eq!(contents(), ("two".to_owned(), "one".to_owned()));
    let graph = run(&["graph", "--of", "resources"], &partial);
    assert!(graph.contains("two") && graph.contains("out/b"), "{graph}");
    assert_eq!(run(&["graph"], &partial), graph);
    let model = run(&["graph", "--of", "model"], &partial);
    let is_head = |line: &&str| line.contains("main.cf") && !line.contains("ResourceSet");
    let heads: Vec<&str> = model.lines().filter(is_head).collect();
    let file = |name: &str| {
        let path = case.path("out").join(name);
        format!("fs::File[host=std::Host[name=\"h\"], path=\"{}\"]", path.display())
    };
    let expected = [
        "Model: whole/main.cf".to_owned(),
        "std::Host[name=\"h\"]  at whole/main.cf:2".to_owned(),
        format!("{}  at whole/main.cf:5", file("b")),
        "Partial export: part/main.cf".to_owned(),
        "std::Host[name=\"h\"]  at part/main.cf:2".to_owned(),
        format!("{}  at part/main.cf:3", file("a")),
    ];
    assert_eq!(heads, expected, "{model}");
    run(&once, &["--partial", "whole", "--delete-resource-set", "b", "part"]);
    assert!(!case.path("out/b").exists());
    assert_eq!(case.read("out/a").as_deref(), Some("two"));
}

#[test]
fn a_partial_export_that_is_not_allowed_is_refused() {
    let case = Case::new("partial-refused", "");
    changed(&case);
    let refused = |args: &[&str], status: i32, words: &str| {
        let output = case.run(args);
        assert_eq!(output.status.code(), Some(status), "{args:?}: {}", told(&output));
        assert!(told(&output).contains(words), "{args:?}: {}", told(&output));
    };
    let moved = sets(&case, &[("a", "one")]).replace("name=\"a\"", "name=\"b\"");
    case.write("part/main.cf", &moved);
    let check = ["check", "--partial", "whole", "part"];
    refused(&check, 1, "from resource set `a` to resource set `b`");
    // Places are in the files that were given.
    refused(&check, 1, " --> part/main.cf:3:5");
    refused(&check, 1, " ::: whole/main.cf:3:5");
    refused(&["graph", "--of", "model", "--partial", "whole", "part"], 1, "from resource set `a` to resource set `b`");
    refused(&["check", "--partial", "whole", "--delete-resource-set", "", "part"], 2, "--delete-resource-set");
    refused(&["run", "--once", "--hostname", "h", "--partial", "whole", "part"], 1, "a partial export cannot move");
    assert!(case.tree().is_empty());
    refused(&["check", "--partial", "main.mcl", "part"], 2, "--partial requires two models");
    refused(&["check", "--delete-resource-set", "b", "part"], 2, "--partial");
    refused(&["check", "--partial", "gone", "part"], 2, "cannot read `gone`");
    refused(&["deploy", "--partial", "--back", "1"], 2, "cannot be used with");
}

#[test]
fn a_running_agent_follows_the_files_of_both_models() {
    let case = Case::new("partial-follows", "");
    changed(&case);
    let agent =
        Agent::spawn(case.command(&["run", "--prefix", "state", "--hostname", "h", "--partial", "whole", "part"]));
    case.holds("out/a", "two");
    case.holds("out/b", "one");
    case.write("part/main.cf", &sets(&case, &[("a", "three")]));
    case.holds("out/a", "three");
    agent.says("deployed the changed program: part/main.cf");
    case.write("whole/main.cf", &sets(&case, &[("a", "one"), ("b", "two")]));
    case.holds("out/b", "two");
    agent.says("deployed the changed program: whole/main.cf");
    case.write("part/main.cf", "x = y\n");
    agent.says(" --> part/main.cf:1:3");
    assert_eq!(case.read("out/a").as_deref(), Some("three"));
}

#[test]
fn a_partial_deploy_is_a_whole_program_for_each_host() {
    let Some(fleet) = Fleet::new("partial-deploy") else { return };
    changed(&fleet.case);
    let none = fleet.deploy(&["--partial", "part"]);
    assert_eq!(none.status.code(), Some(1), "{none:?}");
    assert!(stderr(&none).contains("there is no deploy yet; deploy the whole model first"), "{none:?}");
    let deploy = |args: &[&str]| {
        let output = fleet.deploy(args);
        assert!(output.status.success(), "{output:?}");
        said(&output)["deploy"].as_u64()
    };
    assert_eq!(deploy(&["whole"]), Some(1));
    let _host = fleet.take("h", &fleet.etcd.url());
    fleet.holds("a", "one");
    fleet.holds("b", "one");
    assert_eq!(deploy(&["--partial", "part"]), Some(2));
    fleet.holds("a", "two");
    assert_eq!(fleet.read("b"), "one");
    // The same again changes nothing.
    assert_eq!(deploy(&["--partial", "part"]), Some(2));
    fleet.case.write("part/main.cf", "");
    assert_eq!(deploy(&["--partial", "--delete-resource-set", "b", "part"]), Some(3));
    until("the deleted set is gone", || !fleet.case.path("out/b").exists());
    assert_eq!(fleet.read("a"), "two");
    // What is not allowed is not stored.
    fleet.case.write("part/main.cf", &sets(&fleet.case, &[("a", "one")]).replace("\"a\"", "\"c\""));
    assert_eq!(fleet.deploy(&["--partial", "part"]).status.code(), Some(1));
    assert_eq!(deploy(&["--back"]), Some(4));
    fleet.holds("b", "one");
    // A part that is replaced as a whole is not stored again.
    fleet.case.write("part/main.cf", &sets(&fleet.case, &[("a", "four")]));
    let output = fleet.deploy(&["--partial", "part"]);
    assert!(output.status.success(), "{output:?}");
    let told = said(&output);
    assert_eq!((told["deploy"].as_u64(), told["files"].as_u64()), (Some(5), Some(3)), "{output:?}");
    fleet.holds("a", "four");
}

/// A model that is stored with its partial exports.
#[test]
fn the_parts_of_a_directory_are_shown_and_can_be_edited() {
    let case = Case::new("partial-directory", "");
    changed(&case);
    std::fs::create_dir_all(case.path("whole/partial/1")).unwrap();
    case.write("whole/partial/parts.json", "{\"parts\": [{\"main\": \"1/main.cf\"}]}");
    case.write("whole/partial/1/main.cf", &sets(&case, &[("a", "two")]));
    let run = |args: &[&str]| {
        let output = case.run(args);
        assert!(output.status.success(), "{args:?}: {}", told(&output));
        told(&output)
    };
    let graph = run(&["graph", "whole"]);
    assert!(graph.contains("Model: main.cf\n") && graph.contains("Partial export: partial/1/main.cf\n"), "{graph}");
    assert!(graph.contains("content = \"two\"") && graph.matches("content = \"one\"").count() == 1, "{graph}");
    let uses = run(&["editor", "uses", "whole/partial/1/main.cf:3:1"]);
    assert!(uses.matches("\"/partial/1/main.cf\"").count() == 2 && !uses.contains("\"/main.cf\""), "{uses}");
    // The whole program is known: a part that it cannot have makes the model one with errors.
    let rename = ["editor", "rename", "--name", "other", "whole/partial/1/main.cf:3:1"];
    assert!(run(&rename).contains("\"other\""));
    case.write("whole/partial/1/main.cf", &sets(&case, &[("a", "two")]).replace("name=\"a\"", "name=\"c\""));
    assert!(run(&rename).contains("the model has errors"));
}
