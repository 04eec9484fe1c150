//! The functions that read the network interfaces, in a separate network namespace: only root can create one.

use crate::case::{Agent, Case, cannot_look};
use std::process::{Command, Stdio};

/// Changes the network of a process.
fn change(agent: &Agent, words: &str) {
    let pid = agent.pid().to_string();
    let status = Command::new("nsenter").args(["-t", &pid, "-n", "ip"]).args(words.split(' ')).status().unwrap();
    assert!(status.success(), "ip {words}");
}

#[test]
fn the_address_of_an_interface_follows_the_interface() {
    if !rustix::process::geteuid().is_root() {
        return cannot_look("only root can create a network namespace");
    }
    let content = "net.interface_cidr(\"lo\")";
    let program = format!("import \"net\"\nfile \"@OUT@/v\" {{\n\tstate => \"exists\",\n\tcontent => {content},\n}}\n");
    let case = Case::new("network-address", &program);
    // A loopback address does not count, another one on the same interface does.
    let script = "ip link set lo up && ip addr add 192.0.2.1/24 dev lo && exec \"$@\"";
    let mut command = Command::new("unshare");
    command.args([
        "-n",
        "sh",
        "-c",
        script,
        "sh",
        env!("CARGO_BIN_EXE_mclive"),
        "run",
        "--prefix",
        "state",
        "main.mcl",
    ]);
    command.current_dir(&case.root).stdin(Stdio::null());
    let agent = Agent::spawn(command);
    case.holds("out/v", "192.0.2.1/24");
    change(&agent, "addr add 198.51.100.7/25 dev lo");
    change(&agent, "addr del 192.0.2.1/24 dev lo");
    case.holds("out/v", "198.51.100.7/25");
    change(&agent, "addr del 198.51.100.7/25 dev lo");
    agent.says("has no global-unicast IPv4 address");
}
