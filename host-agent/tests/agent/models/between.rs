//! The order between resources of several hosts.

use super::stdout;
use crate::case::{Agent, Case, stderr};
use crate::fleet::{Fleet, TTL};

/// `/y` of the host b requires `/x` of a.
fn with_an_order(case: &Case) {
    let text = "import fs\na = std::Host(name=\"a\", os=std::linux)\nb = std::Host(name=\"b\", os=std::linux)\n\
        x = fs::File(host=a, path=\"@OUT@/x\", content=\"x\")\n\
        fs::File(host=b, path=\"@OUT@/y\", content=\"y\", requires=x)\n\
        fs::File(host=b, path=\"@OUT@/free\", content=\"free\")\n";
    case.write("main.cf", &text.replace("@OUT@", case.path("out").to_str().unwrap()));
}

#[test]
fn without_a_shared_store_no_host_waits_for_another_and_says_so() {
    let case = Case::new("models-order", "");
    with_an_order(&case);
    for command in [&["plan"][..], &["run", "--once", "--prefix", "state"]] {
        let output = case.run(&[command, &["--hostname", "b", "main.cf"]].concat());
        let said = format!("{}{}", stdout(&output), stderr(&output));
        assert!(output.status.success() && said.contains("is not kept without a shared store"), "{command:?}: {said}");
    }
    assert_eq!((case.read("out/x"), case.read("out/y").as_deref()), (None, Some("y")));
}

#[test]
fn a_host_waits_for_what_another_one_deploys() {
    let Some(fleet) = Fleet::new("models-order-shared") else { return };
    with_an_order(&fleet.case);
    let (url, ttl) = (fleet.etcd.url(), TTL.to_string());
    let world = ["--world", &url, "--world-ttl", &ttl];
    let start = |host: &str| {
        let prefix = format!("state-{host}");
        let of_host = ["run", "--prefix", &prefix, "--hostname", host];
        Agent::spawn(fleet.case.command(&[&of_host[..], &world, &["main.cf"]].concat()))
    };
    let waiting = start("b");
    fleet.holds("free", "free");
    waiting.says("left out until other hosts have deployed the required resources");
    assert_eq!(fleet.read("y"), "");
    let planned = fleet.case.run(&[&["plan", "--hostname", "b"][..], &world[..2], &["main.cf"]].concat());
    assert!(format!("{}{}", stdout(&planned), stderr(&planned)).contains("left out until"), "{}", stdout(&planned));
    let _required = start("a");
    fleet.holds("x", "x");
    fleet.holds("y", "y");
}
