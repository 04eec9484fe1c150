//! The scripts, run here.

use super::*;
use crate::host::scratch::Scratch;
use crate::host::subject::tool;
use std::fs::{Permissions, set_permissions};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

/// The other server decides for whom a tunnel begins.
#[test]
fn no_agent_is_started_with_a_tunnel_that_is_open_to_all_networks() {
    let home = Scratch::new("remote-tunnel");
    set_permissions(&*home, Permissions::from_mode(0o700)).unwrap();
    let says = |address: &str| {
        let tunnel = TcpListener::bind((address, 0)).unwrap();
        let url = format!("http://127.0.0.1:{}", tunnel.local_addr().unwrap().port());
        let words = ["mclive", "0123456789", "", "digest", "far", "", "/main.mcl", "", url.as_str(), "main"];
        // This is no archive, so it goes no further than that.
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
}
