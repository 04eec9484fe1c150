//! What the metrics of a host say about a real etcd and its deploys.

use crate::case::{Agent, until};
use crate::fleet::{Fleet, file, url};
use mclive_kit::link::Link;
use std::io::{Read, Write};
use std::net::TcpStream;

/// The metrics at this address.
fn metrics(address: &str) -> String {
    let Ok(mut stream) = TcpStream::connect(address) else { return String::new() };
    let mut said = String::new();
    let asked = write!(stream, "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    let answered = asked.and_then(|()| stream.read_to_string(&mut said));
    answered.map(|_| said).unwrap_or_default()
}

#[test]
fn the_metrics_say_which_deploy_is_applied_and_whether_the_store_is_connected() {
    let Some(fleet) = Fleet::new("deploy-metrics") else { return };
    let link = Link::to(&fleet.etcd.address());
    let address = format!("127.0.0.1:{}", mclive_kit::port::free());
    let of_host = ["run", "--prefix", "state-h1", "--hostname", "h1", "--world", &url(&link), "--world-ttl", "5"];
    let of_metrics = ["--prometheus", "--prometheus-listen", &address];
    let _host = Agent::spawn(fleet.case.command(&[&of_host[..], &of_metrics].concat()));
    let has = |expect: &[&str]| {
        until(&format!("the metrics are {expect:?}"), || {
            let said = metrics(&address);
            expect.iter().all(|line| said.lines().any(|other| other == *line))
        });
    };
    let state = |newest: u64, applied: u64, state: &str| {
        let lines = [
            "mclive_world_up 1".to_owned(),
            format!("mclive_deploy_newest {newest}"),
            format!("mclive_deploy_applied {applied}"),
            format!("mclive_deploy_state{{state=\"{state}\"}} 1"),
        ];
        has(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    };
    state(0, 0, "ok");
    fleet.deploys(&file("own", "\"one\""));
    state(1, 1, "ok");
    fleet.forge(2, "file \"@OUT@/bad\" {\n\tcontent => $missing,\n}\n", |_| {});
    state(2, 1, "refused");
    fleet.deploys(&file("own", "\"three\""));
    state(3, 3, "ok");
    fleet.case.program("print \"other\" {}\n");
    assert!(fleet.deploy(&["--to", "h2", "main.mcl"]).status.success());
    state(4, 3, "skipped");
    link.cut();
    has(&["mclive_world_up 0", "mclive_world_session_start_time_seconds 0", "mclive_deploy_applied 3"]);
    link.heal();
    state(4, 3, "skipped");
    until("the start of the session is told", || {
        let said = metrics(&address);
        let mut starts = said.lines().filter_map(|line| line.strip_prefix("mclive_world_session_start_time_seconds "));
        starts.any(|start| start != "0")
    });
}
