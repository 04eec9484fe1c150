//! The scripts, run here.

use super::*;
use crate::host::scratch::Scratch;
use crate::host::subject::tool;
use std::fs::{DirBuilder, Permissions, set_permissions};
use std::net::TcpListener;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The other server decides for whom a tunnel begins.
#[test]
fn no_agent_is_started_with_a_tunnel_that_is_open_to_all_networks() {
    let home = Scratch::new("remote-tunnel");
    set_permissions(&*home, Permissions::from_mode(0o700)).unwrap();
    let says = |address: &str| {
        let tunnel = TcpListener::bind((address, 0)).unwrap();
        let url = format!("http://127.0.0.1:{}", tunnel.local_addr().unwrap().port());
        let words = ["mclive", "0123456789", "", "digest", "far", "", "/main.mcl", "", url.as_str(), "main"];
        // This is not an archive, so it goes no further than that.
        let program = tool::memory("program", &[b'x'; 1024]).unwrap();
        let mut sh = Command::new("sh");
        sh.args(["-c", JOIN]).args(words).env("HOME", &*home).stdin(Stdio::from(program));
        let output = sh.output().unwrap();
        assert!(!output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let said = says("0.0.0.0");
    assert!(said.contains("opens the tunnel to all networks"), "{said}");
    let said = says("127.0.0.1");
    assert!(said.starts_with("the program: "), "{said}");
    // A server may listen for IPv6 only.
    if TcpListener::bind("[::1]:0").is_ok() {
        let said = says("::");
        assert!(said.contains("opens the tunnel to all networks"), "{said}");
        let said = says("::1");
        assert!(said.starts_with("the program: "), "{said}");
    }
    // It may have got another setting since.
    let tunnel = TcpListener::bind(("0.0.0.0", 0)).unwrap();
    let url = format!("http://127.0.0.1:{}", tunnel.local_addr().unwrap().port());
    let output = run(&home, STAY, &[url.as_str(), "0b here"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(1) && said.contains("opens the tunnel to all networks"), "{output:?}");
}

/// Runs a script for a directory below `home`.
fn run(home: &Path, script: &str, words: &[&str]) -> Output {
    let mut sh = Command::new("sh");
    sh.args(["-c", script, "mclive", "0123456789", ""]).args(words).env("HOME", home).stdin(Stdio::null());
    sh.output().unwrap()
}

/// In place of the other connection's server there is a program that only has such a name.
#[test]
fn the_connection_of_another_agent_is_left_alone() {
    let home = Scratch::new("remote-rival");
    set_permissions(&*home, Permissions::from_mode(0o700)).unwrap();
    std::os::unix::fs::symlink("/bin/sleep", home.join("sshd-session")).unwrap();
    let mut session = Command::new(home.join("sshd-session")).arg("600").spawn().unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", session.id())).unwrap();
    let since = stat.rsplit_once(") ").unwrap().1.split(' ').nth(19).unwrap().to_owned();
    let dir = home.join(".mclive/remote/0123456789");
    DirBuilder::new().recursive(true).mode(0o700).create(&dir).unwrap();
    std::fs::write(dir.join("waits"), format!("1 {} {since} 0a web 1\n", session.id())).unwrap();
    // Two machines may have one name.
    for us in ["0b here", "0b web 1"] {
        for (script, words) in [(CLEAR, &[us][..]), (STAY, &["http://127.0.0.1:1", us][..])] {
            let output = run(&home, script, words);
            assert_eq!((output.status.code(), &*output.stdout), (Some(RIVAL), &b"web 1\n"[..]), "{output:?}");
        }
    }
    assert!(session.try_wait().unwrap().is_none(), "it goes on");
    // An agent ends its own one, also if its host has got another name.
    assert!(run(&home, CLEAR, &["0a web2"]).status.success());
    assert!(!session.wait().unwrap().success());
}
