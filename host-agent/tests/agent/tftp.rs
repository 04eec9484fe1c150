//! A program's TFTP server, with curl as its client.

use crate::case::{Case, until};
use mclive_kit::port::free as free_port;
use std::net::UdpSocket;
use std::process::Command;

/// The download by curl within so many seconds; `None` if it failed.
fn get_within(seconds: &str, port: u16, name: &str, flags: &[&str]) -> Option<Vec<u8>> {
    let url = format!("tftp://127.0.0.1:{port}/{name}");
    let mut curl = Command::new("curl");
    curl.args(["-s", "--max-time", seconds, "--path-as-is"]).args(flags).arg(url);
    let output = curl.output().unwrap();
    output.status.success().then_some(output.stdout)
}

fn get(port: u16, name: &str, flags: &[&str]) -> Option<Vec<u8>> {
    get_within("60", port, name, flags)
}

/// Whether a file is not sent, although a client asks repeatedly.
fn is_held_back(port: u16, name: &str) -> bool {
    get_within("10", port, name, &[]).is_none()
}

fn text(port: u16, name: &str) -> Option<String> {
    get(port, name, &[]).map(|bytes| String::from_utf8(bytes).unwrap())
}

fn program(port: u16) -> String {
    format!(
        r#"tftp:server "127.0.0.1:{port}" {{ root => "@OUT@/root/", timeout => 1, }}
tftp:file "menu" {{ data => "default linux\n", }}
tftp:file "loader" {{ path => "@OUT@/loader", }}
"#
    )
}

#[test]
fn a_real_client_fetches_files_and_what_is_missing_is_waited_for() {
    let port = free_port();
    let case = Case::new("tftp", &program(port));
    std::fs::create_dir(case.path("out/root")).unwrap();
    case.write("out/root/below", "below");
    std::os::unix::fs::symlink("/etc/hostname", case.path("out/root/link")).unwrap();
    let agent = case.start();
    agent.says("loader");
    assert!(is_held_back(port, "menu"), "nothing is answered before all is there");
    let loader: Vec<u8> = (0..300_000_u32).map(|n| (n % 251) as u8).collect();
    std::fs::write(case.path("out/new"), &loader).unwrap();
    std::fs::rename(case.path("out/new"), case.path("out/loader")).unwrap();
    until("it answers", || text(port, "menu").as_deref() == Some("default linux\n"));
    for flags in [&[][..], &["--tftp-blksize", "1428"], &["--tftp-blksize", "8192"], &["--tftp-no-options"]] {
        assert!(get(port, "loader", flags) == Some(loader.clone()), "{flags:?}");
    }
    assert_eq!(text(port, "below").as_deref(), Some("below"));
    for missing in ["none", "link", "../in", "/etc/hostname"] {
        assert_eq!(text(port, missing), None, "{missing}");
    }
    let put = ["-s", "-T", case.path("out/loader").to_str().unwrap(), &format!("tftp://127.0.0.1:{port}/new")]
        .map(str::to_owned);
    assert!(!Command::new("curl").args(put).status().unwrap().success(), "it is read-only");

    // A file, its directory and the root are removed, each is reported, and each is restored.
    for (at, (from, words)) in [("out/loader", "loader"), ("out/root", "is not a directory")].into_iter().enumerate() {
        let n_before = agent.said().matches("\"phase\":\"failed\"").count();
        std::fs::rename(case.path(from), case.path("away")).unwrap();
        until("it is told", || {
            agent.said().matches("\"phase\":\"failed\"").count() > n_before && agent.said().contains(words)
        });
        assert_eq!(text(port, "menu").as_deref(), Some("default linux\n"), "{at}: what is there is served on");
        std::fs::rename(case.path("away"), case.path(from)).unwrap();
        until("it is in state", || agent.last_words().contains("\"phase\":\"in state\""));
    }
    assert_eq!(text(port, "below").as_deref(), Some("below"));
    drop(agent);
    assert!(is_held_back(port, "menu"));
}

#[test]
fn a_port_that_is_taken_is_waited_for_and_the_policy_says_where() {
    let port = free_port();
    let case = Case::new("tftp-port", &program(port));
    std::fs::create_dir(case.path("out/root")).unwrap();
    case.write("out/loader", "x");
    case.write("policy.toml", "listen = [\"127.0.0.1:1\"]\n");
    let agent = case.start_with(&["--policy", "policy.toml"]);
    agent.says("the policy does not allow listening on");
    drop(agent);
    case.write("policy.toml", &format!("listen = [\"127.0.0.1:{port}\"]\nkinds = [\"http:server\"]\n"));
    let agent = case.start_with(&["--policy", "policy.toml"]);
    agent.says("the policy does not allow listening on");
    drop(agent);
    case.write("policy.toml", &format!("listen = [\"127.0.0.1:{port}\"]\nkinds = [\"tftp:server\"]\n"));
    let taken = UdpSocket::bind(("127.0.0.1", port)).unwrap();
    let agent = case.start_with(&["--policy", "policy.toml"]);
    agent.says("could not start listener");
    drop(taken);
    until("it answers", || text(port, "loader").as_deref() == Some("x"));
}
