//! A short link in place of a file, in the commands that the tests of links and scenarios leave out.

use super::{Server, case};
use crate::case::{Agent, stderr};
use crate::deploys::said;
use crate::fleet::{Fleet, file};
use crate::modules::repository;
use serde_json::Value;

const TEXT: &str = "$colour = \"red\"\nprint \"a\" { msg => $colour, }\n";

#[test]
fn an_editor_asks_about_a_program_from_a_link() {
    let case = case("link-editor");
    let server = Server::start(&case, &[]);
    let link = format!("{}/s/{}", server.url(), server.share(TEXT));
    let answer = |service: &str, place: &str| {
        let output = case.run(&["editor", service, place]);
        assert!(output.status.success(), "{service} {place}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let symbols = answer("symbols", &link);
    assert!(symbols.contains("colour"), "{symbols}");
    // The name at line 2, where it is used.
    let hover = answer("hover", &format!("{link}:2:21"));
    assert!(hover.contains("str"), "{hover}");
}

#[test]
fn a_program_from_a_link_opens_in_a_playground_of_ones_own() {
    let case = case("link-open");
    let server = Server::start(&case, &[]);
    let link = format!("{}/s/{}", server.url(), server.share(TEXT));
    let mut agent = Agent::spawn(case.command(&["open", "--no-browser", "--site", "site", &link]));
    agent.says("/s/");
    let own = agent.said().lines().find(|line| line.contains("/s/")).unwrap().to_owned();
    assert!(!own.starts_with(&server.url()), "{own}");
    let formatted = case.run(&["fmt", &own]);
    let text = String::from_utf8_lossy(&formatted.stdout).into_owned();
    assert!(formatted.status.success() && text.contains("$colour = \"red\""), "{formatted:?}");
    assert!(agent.stop().success());
}

#[test]
fn a_recorded_run_opens_in_a_playground_of_ones_own() {
    let case = case("recorded-open");
    let recorded = case.run(&["run", "--once", "--prefix", "state", "--record", "run.trace", "main.mcl"]);
    assert!(recorded.status.success(), "{recorded:?}");
    let mut agent = Agent::spawn(case.command(&["open", "--no-browser", "--site", "site", "run.trace"]));
    agent.says("/s/");
    let own = agent.said().lines().find(|line| line.contains("/s/")).unwrap().to_owned();
    let digest = |input: &str| {
        let replayed = case.run(&["replay", input, "--show", "digest"]);
        assert!(replayed.status.success(), "{input}: {replayed:?}");
        replayed.stdout
    };
    assert_eq!(digest(&own), digest("run.trace"));
    assert!(agent.stop().success());
}

/// Every host would apply what someone else wrote.
#[test]
fn a_program_from_a_link_is_deployed_only_if_the_operator_trusts_it() {
    let Some(fleet) = Fleet::new("deploy-link") else { return };
    let case = case("link-deploy");
    let server = Server::start(&case, &[]);
    let text = file("own", "\"from a link\"").replace("@OUT@", fleet.case.path("out").to_str().unwrap());
    let link = format!("{}/s/{}", server.url(), server.share(&text));
    let refused = fleet.deploy(&[&link]);
    assert!(
        refused.status.code() == Some(2) && stderr(&refused).contains("from a link requires --trust-link"),
        "{refused:?}"
    );
    assert_eq!(fleet.keys("").len(), 0, "nothing was stored");
    let deployed = fleet.deploy(&["--trust-link", &link]);
    assert!(deployed.status.success(), "{deployed:?}");
    assert_eq!(said(&deployed)["deploy"], 1);
    let _host = fleet.take("h1", &fleet.etcd.url());
    fleet.holds("own", "from a link");
}

/// The directory in which the operator is has nothing to do with it.
#[test]
fn a_program_from_a_link_is_of_no_commit() {
    let Some(fleet) = Fleet::new("deploy-link-commit") else { return };
    repository(&fleet.case.root, &[("main.mcl", TEXT), ("other.mcl", "print \"b\" {}\n")]);
    let link = String::from_utf8(fleet.case.run(&["share", "other.mcl"]).stdout).unwrap();
    for (id, args, has_commit) in [(1, &["main.mcl"][..], true), (2, &["--trust-link", link.trim()][..], false)] {
        let deployed = fleet.deploy(args);
        assert!(deployed.status.success() && said(&deployed)["deploy"] == id, "{deployed:?}");
        let record: Value = serde_json::from_str(&fleet.get(&format!("deploy/{id:020}")).unwrap()).unwrap();
        assert_eq!(record["commit"].is_string(), has_commit, "{record}");
    }
}
