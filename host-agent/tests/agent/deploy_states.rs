//! What hosts say about deploys, and what the operator does with it: `deploy --wait`, `--back`, `world deploys`, `hosts`.

use crate::case::{Agent, stderr, until};
use crate::fleet::{Fleet, file};
use serde_json::Value;
use std::process::Output;

impl Fleet {
    pub(crate) fn world(&self, args: &[&str]) -> Output {
        self.case.run(&[&["world", "--world", &self.etcd.url()], args].concat())
    }

    /// What a host says.
    pub(crate) fn state(&self, host: &str) -> Value {
        serde_json::from_str(&self.get(&format!("agent/{host}/state")).unwrap_or_default()).unwrap_or_default()
    }
}

pub(crate) fn lines(output: &Output) -> Vec<Value> {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

#[test]
fn a_host_says_which_deploy_it_applies_and_why_not_the_newest() {
    let Some(fleet) = Fleet::new("deploy-states") else { return };
    fleet.deploys(&file("own", "\"one\""));
    let mut one = fleet.take("h1", &fleet.etcd.url());
    until("it applies the deploy", || fleet.state("h1")["standing"] == "ok");
    assert_eq!((fleet.state("h1")["deploy"].as_u64(), fleet.state("h1")["runs"].as_u64()), (Some(1), Some(1)));
    until("it has converged", || fleet.state("h1")["converged"] == true);
    // Nothing changes with the next one: the host stays converged.
    fleet.deploys(&format!("# again\n{}", file("own", "\"one\"")));
    until("it applies the next", || fleet.state("h1")["runs"] == 2 && fleet.state("h1")["converged"] == true);
    fleet.forge(3, "file \"@OUT@/bad\" {\n\tcontent => $missing,\n}\n", |_| {});
    until("it says that it has refused", || fleet.state("h1")["standing"] == "refused");
    let state = fleet.state("h1");
    assert_eq!((state["deploy"].as_u64(), state["runs"].as_u64()), (Some(3), Some(2)));
    assert!(state["text"].as_str().unwrap().contains("cannot find variable `$missing`"), "{state}");
    until("it is listed with that", || {
        let hosts = lines(&fleet.world(&["hosts"]));
        hosts.first().is_some_and(|first| first["host"] == "h1" && first["state"]["standing"] == "refused")
    });
    assert_eq!(lines(&fleet.world(&["status"]))[0]["deploy"], 3);
    // What is removed by hand comes back; what belongs to the host ends with it.
    fleet.etcd.delete("/mclive/main/agent/h1/state");
    until("it says it again", || fleet.state("h1")["deploy"] == 3);
    assert!(one.stop().success());
    until("its state ends with its lease", || fleet.get("agent/h1/state").is_none());
}

/// A deploy that is in effect says nothing about its resources.
#[test]
fn a_host_says_which_resources_fail_until_none_does() {
    let Some(fleet) = Fleet::new("deploy-failing") else { return };
    fleet.deploys(&file("missing/own", "\"one\""));
    let _one = fleet.take_lastingly("h1");
    let text = || fleet.state("h1")["text"].as_str().unwrap_or_default().to_owned();
    let expect = format!("1 resource failed: file[{}]", fleet.case.path("out/missing/own").display());
    until("it says what fails", || text() == expect);
    assert_eq!(fleet.state("h1")["standing"], "ok");
    until("it is counted", || lines(&fleet.world(&["status"]))[0]["problems"] == 1);
    let mut hosts =
        Agent::spawn(fleet.case.command(&["world", "hosts", "--wait-converged", "2", "--world", &fleet.etcd.url()]));
    hosts.says(&format!("waiting for 1 of 1 hosts to converge: h1 (deploy 1, {expect})"));
    assert!(hosts.runs());
    std::fs::create_dir(fleet.case.path("out/missing")).unwrap();
    fleet.holds("missing/own", "one");
    assert!(hosts.ends().success());
    hosts.says(r#"{"host":"h1""#);
    assert_eq!(text(), "");
}

/// What the store has may be damaged, or written by someone, and be put right without a new deploy.
#[test]
fn a_host_says_whether_it_can_take_the_newest_deploy_right_now() {
    let Some(fleet) = Fleet::new("deploy-put-right") else { return };
    fleet.deploys(&file("own", "\"one\""));
    let _one = fleet.take("h1", &fleet.etcd.url());
    let state = || {
        let state = fleet.state("h1");
        let number = |name: &str| state[name].as_u64().unwrap_or_default();
        let [standing, text] = ["standing", "text"].map(|name| state[name].as_str().unwrap_or_default().to_owned());
        (standing, number("deploy"), number("runs"), text)
    };
    let stands = |standing: &str, deploy: u64, words: &str| {
        until(&format!("it is {standing} with deploy {deploy}: {words:?}"), || {
            let (now, of, runs, text) = state();
            (now.as_str(), of, runs) == (standing, deploy, 1)
                && text.contains(words)
                && text.is_empty() == words.is_empty()
        });
    };
    let head = |head: &str| fleet.put("deploy/head", head);
    let unreadable = "the key deploy/head of the shared store is not JSON with a version";
    stands("ok", 1, "");
    let good = fleet.get("deploy/head").unwrap();
    head("garbage");
    stands("refused", 1, unreadable);
    head(&good);
    stands("ok", 1, "");
    fleet.forge(2, "file \"@OUT@/bad\" {\n\tcontent => $missing,\n}\n", |_| {});
    stands("refused", 2, "cannot find variable `$missing`");
    let bad = fleet.get("deploy/head").unwrap();
    head("garbage");
    stands("refused", 2, unreadable);
    head(&bad);
    stands("refused", 2, "cannot find variable `$missing`");
    head(&good);
    stands("ok", 1, "");
    head(&bad);
    stands("refused", 2, "cannot find variable `$missing`");
    fleet.etcd.delete("/mclive/main/deploy/head");
    stands("ok", 1, "");
}

#[test]
fn a_deploy_waits_for_its_hosts() {
    let Some(fleet) = Fleet::new("deploy-wait") else { return };
    fleet.case.write("out/mode-h2", "none");
    let _hosts = ["h1", "h2"].map(|host| fleet.take_lastingly(host));
    fleet.deploys(&file("${hostname}", "\"one\""));
    ["h1", "h2"].iter().for_each(|host| fleet.holds(host, "one"));
    until("both say so", || ["h1", "h2"].iter().all(|host| fleet.state(host)["runs"] == 1));
    let deploy = |program: &str, flags: &[&str]| {
        fleet.case.program(program);
        fleet.deploy(&[flags, &["main.mcl"]].concat())
    };
    let both = deploy(&file("${hostname}", "\"two\""), &["--wait", "240"]);
    assert_eq!(both.status.code(), Some(0), "{both:?}");
    let last = lines(&both).pop().unwrap();
    assert_eq!(
        (last["applied"].as_u64(), last["hosts"].as_u64(), last["enough"].as_bool()),
        (Some(2), Some(2), Some(true))
    );
    // One of the hosts has no graph of it.
    let on_one = "import \"os\"\n$mode = if $hostname == \"h2\" {\nos.readfile(\"@OUT@/mode-h2\")\n} else {\n\"u=rw\"\n}\n\
                  file \"@OUT@/${hostname}\" {\n\tstate => \"exists\",\n\tmode => $mode,\n\tcontent => \"three\",\n}\n";
    let half = deploy(on_one, &["--wait", "240", "--at-least", "50%"]);
    assert_eq!(half.status.code(), Some(0), "{half:?}");
    let last = lines(&half).pop().unwrap();
    assert_eq!((last["applied"].as_u64(), last["hosts"].as_u64()), (Some(1), Some(2)), "{half:?}");
    until("the other host is back", || fleet.state("h2")["runs"] == 2);
    let all = fleet.deploy(&["--wait", "240", "main.mcl"]);
    assert_eq!(all.status.code(), Some(1), "{all:?}");
    assert!(stderr(&all).contains("fewer than 100% of the hosts apply deploy 3"), "{all:?}");
}

#[test]
fn an_older_deploy_is_deployed_again_as_a_new_one() {
    let Some(fleet) = Fleet::new("deploy-again") else { return };
    assert_eq!(fleet.deploy(&["--back"]).status.code(), Some(1));
    for n in 1..=3 {
        fleet.deploys(&file("own", &format!("\"{n}\"")));
    }
    let _one = fleet.take("h1", &fleet.etcd.url());
    fleet.holds("own", "3");
    let back = fleet.deploy(&["--back"]);
    assert_eq!((back.status.code(), &lines(&back)[0]["deploy"]), (Some(0), &4.into()), "{back:?}");
    fleet.holds("own", "2");
    assert!(fleet.deploy(&["--back", "1", "--note", "the first again"]).status.success());
    fleet.holds("own", "1");
    assert_eq!(fleet.deploy(&["--back", "9"]).status.code(), Some(1));
    for wrong in ["0", "-1", "one"] {
        let output = fleet.deploy(&[&format!("--back={wrong}")]);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(stderr(&output).contains("expected the number of a deploy, from 1"), "{}", stderr(&output));
    }
    assert_eq!(fleet.deploy(&["--back", "1", "main.mcl"]).status.code(), Some(2));
    fleet.put("deploy/00000000000000000002", "garbage\u{1b}[2J");
    let all = lines(&fleet.world(&["deploys"]));
    let ids: Vec<_> = all.iter().filter_map(|line| line["deploy"].as_u64()).collect();
    assert_eq!(ids, [1, 2, 3, 4, 5]);
    assert_eq!(
        (all[1]["error"].as_str(), all[3]["note"].as_str()),
        (Some("not JSON with a version"), Some("rollback to deploy 2"))
    );
    assert_eq!((all[4]["note"].as_str(), all[4]["files"].as_u64()), (Some("the first again"), Some(1)));
}

#[test]
fn an_operator_watches_changes() {
    let Some(fleet) = Fleet::new("deploy-watch") else { return };
    let mut watch = Agent::spawn(fleet.case.command(&["world", "watch", "--world", &fleet.etcd.url()]));
    // It tells what happens after it has begun.
    until("a change is told", || {
        fleet.put("strings/colour", "green");
        watch.said().contains(r#"{"key":"strings/colour","value":"green"}"#)
    });
    fleet.deploys(&file("own", "\"one\""));
    watch.says(r#"{"key":"deploy/head""#);
    fleet.etcd.delete("/mclive/main/strings/colour");
    watch.says(r#"{"key":"strings/colour","value":null}"#);
    assert!(watch.runs());
}
