//! The tunnel of a remote agent to the shared store. No other host is reached: another program is in the place of `ssh`.

use crate::case::{Agent, Case, cannot_look, until};
use crate::fleet::{Fleet, url};
use mclive_kit::link::Link;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

/// In place of `ssh`. The tunnel with which an agent is started there is cut at once, and the next one stays until the file
/// exists. Both ends of each tunnel are written down.
const CUT: &str = r#"#!/bin/sh
for word in "$@"; do
    if [ "$last" = -R ]; then echo "$word" >>@ENDS@; fi
    last=$word
done
case "$*" in
    *'machine=$(uname'*) echo "machine=$(uname -m)";;
    *'tar -x'*) cat >/dev/null; echo joined; echo 'the connection is cut' >&2; exit 255;;
    *'echo joined'*) echo joined; until [ -e @GO@ ]; do sleep 0.1; done;;
    *) cat >/dev/null;;
esac
"#;

/// Starts an agent with these options and a program that starts another one over SSH. `script`: what is in the place of `ssh`.
/// `None`: this cannot be done here, which is reported.
pub(crate) fn start(case: &Case, test: &str, script: &str, options: &[&str]) -> Option<Agent> {
    if !rustix::process::geteuid().is_root() {
        cannot_look(&format!("{test}: only root can put another program in the place of `ssh`"));
        return None;
    }
    fs::create_dir(case.path("bin")).unwrap();
    case.write("bin/ssh", script);
    fs::set_permissions(case.path("bin/ssh"), fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = Command::new("unshare");
    command.args(["--mount", "--propagation", "private", "sh", "-c"]);
    command.args(["mount --bind bin /usr/local/sbin && exec \"$@\"", "sh", env!("CARGO_BIN_EXE_mclive"), "run"]);
    command.args(["--prefix", "state", "--hostname", "here"]).args(options).arg("main.mcl");
    command.current_dir(&case.root).stdin(Stdio::null()).env("STATE_DIRECTORY", case.path("home"));
    Some(Agent::spawn(command))
}

/// Starts an agent with such tunnels to the members at these URLs.
fn tunnelled(fleet: &Fleet, test: &str, urls: &str) -> Option<Agent> {
    let case = &fleet.case;
    case.program("remote \"root@h\" {\n\thostname => \"far\",\n}\n");
    let at = |name: &str| case.path(name).to_str().unwrap().to_owned();
    let script = CUT.replace("@GO@", &at("go")).replace("@ENDS@", &at("ends"));
    start(case, test, &script, &["--world", urls])
}

#[test]
fn a_line_of_a_resource_is_written_while_the_resource_is_at_work() {
    let Some(fleet) = Fleet::new("tunnel-line") else { return };
    let Some(mut agent) = tunnelled(&fleet, "tunnel-line", &fleet.etcd.url()) else { return };
    agent.says("lost the tunnel, connecting again: ssh to h: the connection is cut");
    // Only now can the step that has printed it end.
    fleet.case.write("go", "");
    agent.stop();
}

/// The connection to the other host would stay, and the agent there would have no store.
#[test]
fn a_tunnel_leads_to_another_member_when_this_agent_has_lost_its_own() {
    let Some(fleet) = Fleet::new("tunnel-moves") else { return };
    let members = [(); 2].map(|()| Link::to(&fleet.etcd.address()));
    let Some(mut agent) = tunnelled(&fleet, "tunnel-moves", &members.each_ref().map(url).join(",")) else { return };
    let ends = |member: &Link| {
        let ends = fleet.case.read("ends").unwrap_or_default();
        ends.lines().last().is_some_and(|last| last.ends_with(&format!(":{}", member.address())))
    };
    // The second one stays.
    until("there is a tunnel", || fleet.case.lines("ends") >= 2);
    let [one, other] = &members;
    let (lost, left) = if ends(one) { (one, other) } else { (other, one) };
    lost.cut();
    until("it leads to the other member", || ends(left));
    agent.says(&format!("the tunnel now leads to the shared store at {}", left.address()));
    fleet.case.write("go", "");
    agent.stop();
}
