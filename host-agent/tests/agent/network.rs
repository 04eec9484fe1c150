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

/// An interface may have several names: the policy speaks of the one that the kernel gives it.
#[test]
fn a_second_name_of_an_interface_is_no_way_around_a_policy() {
    if !rustix::process::geteuid().is_root() {
        return cannot_look("only root can make a network of its own");
    }
    let case = Case::new("network-names", "net \"safe0\" {\n\taddrs => [\"192.0.2.7/24\"],\n}\n");
    let run = |interfaces: &str| {
        case.write("policy.toml", &format!("interfaces = [{interfaces}]\n"));
        let script = "ip link set lo up && ip link property add dev lo altname safe0 && \"$@\"; ip -4 addr show lo";
        let mut command = Command::new("unshare");
        command.args(["-n", "sh", "-c", script, "sh", env!("CARGO_BIN_EXE_mclive"), "run", "--once"]);
        command.args(["--prefix", "state", "--policy", "policy.toml", "main.mcl"]);
        let output = command.current_dir(&case.root).stdin(Stdio::null()).output().unwrap();
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
    };
    let said = run("'safe*'");
    assert!(said.contains("does not allow changing the network interface `lo`"), "{said}");
    assert!(!said.contains("inet 192.0.2.7"), "{said}");
    let said = run("'safe*', 'lo'");
    assert!(said.contains("inet 192.0.2.7/24"), "{said}");
}

/// Of several steps none is taken where the policy refuses one: half of them may be worse than nothing.
#[test]
fn what_is_refused_in_part_is_not_begun() {
    if !rustix::process::geteuid().is_root() || !std::path::Path::new("/etc/systemd").is_dir() {
        return cannot_look(
            "only root can make a network of its own, and without /etc/systemd nothing is written there",
        );
    }
    let case = Case::new("network-refused", "net \"lo\" {\n\tstate => \"up\",\n\taddrs => [\"192.0.2.7/24\"],\n}\n");
    let run = |interfaces: &str| {
        case.write(
            "policy.toml",
            &format!("interfaces = [{interfaces}]\npaths = ['/etc/systemd/network', '/etc/systemd/network/*']\n"),
        );
        let script = "mount -t tmpfs none /etc/systemd && \"$@\"; cat /etc/systemd/network/mgmt-lo.network";
        let mut command = Command::new("unshare");
        command.args(["-m", "-n", "sh", "-c", script, "sh", env!("CARGO_BIN_EXE_mclive"), "run", "--once"]);
        command.args(["--prefix", "state", "--policy", "policy.toml", "main.mcl"]);
        let output = command.current_dir(&case.root).stdin(Stdio::null()).output().unwrap();
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
    };
    let said = run("'eth*'");
    assert!(said.contains("does not allow changing the network interface `lo`"), "{said}");
    // A line of the file itself: the steps show what would be written.
    assert!(!said.contains("\nAddress=192.0.2.7/24"), "{said}");
    let said = run("'lo'");
    assert!(said.contains("\nAddress=192.0.2.7/24"), "{said}");
}
