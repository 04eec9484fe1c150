//! `make fleet` as people try it: it starts, its hosts apply the program, and ^C ends everything.

mclive_kit::supervised!();

use mclive_kit::{left_out, until};
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn a_fleet_starts_says_what_to_try_and_ends() {
    let fleet = Path::new(env!("CARGO_BIN_EXE_fleet"));
    let mclive = fleet.with_file_name("mclive");
    if !mclive.is_file() {
        return left_out("the fleet to try: mclive is missing; run `cargo build --workspace --features mclive/agent`");
    }
    let dir = std::env::temp_dir().join("fleet");
    let mut command = Command::new(fleet);
    command.arg(&mclive).arg(&dir).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut fleet = command.spawn().expect("it is a program");
    let mut said = BufReader::new(fleet.stdout.take().expect("a pipe")).lines().map(|line| line.expect("text"));
    let shown: Vec<String> = said.by_ref().take_while(|line| !line.contains("Press ^C")).collect();
    if shown.is_empty() || shown.iter().all(|line| !line.contains("mclive world hosts")) {
        // Without etcd, which was reported.
        assert!(!fleet.wait().expect("its end").success(), "{shown:?}");
        return;
    }
    let read = |host: &str, file: &str| fs::read_to_string(dir.join("hosts").join(host).join(file)).unwrap_or_default();
    let hosts = ["db1", "db2", "web1", "web2", "web3"];
    let has_all = |host: &str| hosts.iter().all(|other| read(host, "addresses").contains(&format!("\"{other}\"")));
    until("each host has a list of all", || hosts.iter().all(|host| has_all(host)), || format!("{shown:?}"));
    let agrees =
        || hosts.iter().all(|host| read(host, "leader").len() > 4 && read(host, "leader") == read("db1", "leader"));
    until("all follow one leader", agrees, || format!("{:?}", hosts.map(|host| read(host, "leader"))));
    let backends = || fs::read_dir(dir.join("hosts/db1/backends")).map_or(0, Iterator::count);
    until("db1 has a file of each of the others", || backends() == 4, || backends().to_string());
    kill_process(Pid::from_child(&fleet), Signal::INT).expect("it runs");
    assert!(fleet.wait().expect("its end").success());
    let left = Command::new("pgrep").args(["-f", &dir.to_string_lossy()]).output().expect("pgrep");
    assert_eq!(String::from_utf8_lossy(&left.stdout), "", "something still runs");
}
