//! Locks of deploys in a real etcd: whose deploys they keep out, how they end, and how they race with a deploy.

use crate::case::stderr;
use crate::deploys::said;
use crate::fleet::{Fleet, KEYS};
use mclive_kit::etcd::Etcd;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Output;

const LOCK: &str = "deploy/lock";

impl Fleet {
    /// Runs `mclive deploy` as a user of this machine.
    fn deploy_as(&self, user: &str, args: &[&str]) -> Output {
        self.deploy_over(&self.etcd.url(), user, args)
    }

    fn deploy_over(&self, url: &str, user: &str, args: &[&str]) -> Output {
        let mut command = self.case.command(&[&["deploy", "--world", url], args].concat());
        command.env_remove("SUDO_USER").env("USER", user).output().unwrap()
    }

    /// The lock, as `mclive world status` shows it.
    fn shown_lock(&self) -> Value {
        said(&self.world(&["status"]))["lock"].clone()
    }
}

/// A deploy was refused with these words, and nothing was stored.
#[track_caller]
fn refused(fleet: &Fleet, output: &Output, words: &[&str]) {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = stderr(output);
    assert!(words.iter().all(|part| said.contains(part)), "expected {words:?}: {said}");
    assert_eq!((fleet.keys("blob/"), fleet.get("deploy/head")), (Vec::new(), None));
}

#[test]
fn a_lock_keeps_others_from_deploying_until_it_is_removed() {
    let Some(fleet) = Fleet::new("deploy-lock") else { return };
    fleet.case.write("main.mcl", "print \"one\" {}\n");
    let locked = fleet.deploy_as("alice", &["--lock", "database upgrade"]);
    assert_eq!(locked.status.code(), Some(0), "{locked:?}");
    let lock = said(&locked)["lock"].clone();
    assert!(lock["who"].as_str().unwrap().starts_with("alice@"), "{lock}");
    assert_eq!((&lock["why"], &lock["until"]), (&"database upgrade".into(), &Value::Null));
    assert_eq!(fleet.shown_lock(), lock);
    let words =
        ["deploys are locked by alice@", " with no time limit: database upgrade; wait, or remove the lock with"];
    for args in [&["main.mcl"][..], &["--dry-run", "main.mcl"], &["--lock", "mine"], &["--lock", "mine", "--for", "1h"]]
    {
        refused(&fleet, &fleet.deploy_as("bob", args), &words);
    }
    // Its owner may renew it, and deploy.
    let renewed = fleet.deploy_as("alice", &["--lock", "still upgrading", "--for", "1h"]);
    let renewed = said(&renewed)["lock"].clone();
    assert_eq!((&renewed["since"], &renewed["why"]), (&lock["since"], &"still upgrading".into()));
    assert!(renewed["until"].as_u64() >= lock["since"].as_u64().map(|since| since + 3600), "{renewed}");
    refused(
        &fleet,
        &fleet.deploy_as("bob", &["main.mcl"]),
        &["deploys are locked by alice@", " until 2", "upgrading; "],
    );
    assert_eq!(said(&fleet.deploy_as("alice", &["main.mcl"]))["deploy"], 1);
    // Deploys are also refused if they would bring nothing new, or an older program back.
    for args in [&["main.mcl"][..], &["--back", "1"]] {
        let output = fleet.deploy_as("bob", args);
        assert!(stderr(&output).contains("deploys are locked by alice@"), "{output:?}");
    }
    let unlocked = said(&fleet.deploy_as("bob", &["--unlock"]));
    assert_eq!((&unlocked["removed"], &unlocked["lock"]), (&true.into(), &renewed));
    let again = fleet.deploy_as("bob", &["--unlock"]);
    assert_eq!((again.status.code(), said(&again)), (Some(0), json!({ "lock": null, "removed": false })));
    assert_eq!((fleet.get(LOCK), fleet.shown_lock()), (None, Value::Null));
    fleet.case.write("main.mcl", "print \"two\" {}\n");
    assert_eq!(said(&fleet.deploy_as("bob", &["main.mcl"]))["deploy"], 2);
}

#[test]
fn an_expired_lock_does_not_count() {
    let Some(fleet) = Fleet::new("deploy-lock-expired") else { return };
    fleet.case.write("main.mcl", "print \"one\" {}\n");
    let expired = json!({ "since": 1, "until": 2, "v": 1, "who": "alice@desk", "why": "long ago" }).to_string();
    fleet.put(LOCK, &expired);
    assert_eq!(fleet.shown_lock(), Value::Null);
    assert_eq!(said(&fleet.deploy_as("bob", &["main.mcl"]))["deploy"], 1);
    assert_eq!(fleet.get(LOCK), Some(expired));
    let locked = fleet.deploy_as("bob", &["--lock", "mine"]);
    assert_eq!(said(&locked)["lock"]["why"], "mine", "{locked:?}");
    assert_eq!(fleet.shown_lock()["why"], "mine");
}

#[test]
fn a_lock_that_cannot_be_read_refuses_deploys_until_it_is_removed() {
    let Some(fleet) = Fleet::new("deploy-lock-broken") else { return };
    fleet.case.write("main.mcl", "print \"one\" {}\n");
    let of = |why: &str| json!({ "since": 1, "until": null, "v": 1, "who": "alice@desk", "why": why }).to_string();
    for (value, why) in [
        ("garbage\u{1b}[2J".to_owned(), "not JSON with a version"),
        (String::new(), "not JSON with a version"),
        (json!({ "v": 2 }).to_string(), "in format 2, which needs a newer version of mclive"),
        (json!({ "v": 1, "\u{1b}[2J": 1 }).to_string(), "invalid: unknown field"),
        (of("\u{1b}[2J"), "invalid: expected a reason"),
        (of(&"x".repeat(1 << 19)), "larger than 4 KiB"),
    ] {
        fleet.put(LOCK, &value);
        for args in [&["main.mcl"][..], &["--dry-run", "main.mcl"], &["--lock", "mine"]] {
            let output = fleet.deploy_as("bob", args);
            let (is, advice) = (format!("the key deploy/lock is {why}"), "; remove it with `mclive deploy --unlock`");
            refused(&fleet, &output, &[&is, advice]);
            assert!(!stderr(&output).contains('\u{1b}'), "{output:?}");
        }
        assert!(fleet.shown_lock()["error"].as_str().unwrap().contains(why));
        let removed = said(&fleet.deploy_as("bob", &["--unlock"]));
        assert_eq!((removed, fleet.get(LOCK)), (json!({ "lock": null, "removed": true }), None));
    }
    assert_eq!(said(&fleet.deploy_as("bob", &["main.mcl"]))["deploy"], 1);
}

#[test]
fn a_lock_that_is_taken_after_it_was_read_still_counts() {
    let Some(fleet) = Fleet::new("deploy-lock-race") else { return };
    fleet.case.write("main.mcl", "print \"one\" {}\n");
    let lock = |who: &str| json!({ "since": 1, "until": null, "v": 1, "who": who, "why": "upgrade" }).to_string();
    let race = |args: &[&str], meanwhile: &(dyn Fn() + Sync)| {
        meanwhile_at(&fleet.etcd, meanwhile, |url| fleet.deploy_over(url, "bob", args))
    };
    let lost = |output: &Output, words: &str| {
        assert_eq!((output.status.code(), fleet.get("deploy/head")), (Some(1), None), "{output:?}");
        assert!(stderr(output).contains(words), "expected {words:?}: {output:?}");
    };
    let takes = || fleet.put(LOCK, &lock("alice@desk"));
    let releases = || fleet.etcd.delete(&format!("{KEYS}{LOCK}"));
    lost(&race(&["main.mcl"], &takes), "deploys are locked by alice@desk since ");
    releases();
    lost(&race(&["--lock", "mine"], &takes), "deploys are locked by alice@desk since ");
    let changed = "the deploy lock was changed at the same time; run the command again";
    lost(&race(&["--unlock"], &|| fleet.put(LOCK, &lock("carol@desk"))), changed);
    assert_eq!(fleet.shown_lock()["who"], "carol@desk");
    // Its own lock was removed: whoever did so may have deployed.
    releases();
    assert!(fleet.deploy_as("bob", &["--lock", "mine"]).status.success());
    lost(&race(&["main.mcl"], &releases), changed);
    assert_eq!(said(&race(&["main.mcl"], &|| {}))["deploy"], 1);
}

/// Runs a command whose requests are passed on to the store: ahead of a transaction with conditions, something happens.
pub(crate) fn meanwhile_at(etcd: &Etcd, happens: &(dyn Fn() + Sync), run: impl FnOnce(&str) -> Output) -> Output {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for stream in listener.incoming().map_while(Result::ok) {
                let Some((path, asked)) = request(&stream) else { return };
                if asked["compare"].as_array().is_some_and(|conditions| !conditions.is_empty()) {
                    happens();
                }
                let told = etcd.ask(&path, &asked).to_string();
                let head = format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}", told.len());
                // The command may have ended.
                let _ = write!(&stream, "{head}\r\n\r\n{told}");
            }
        });
        let output = run(&format!("http://{address}"));
        // A connection without a request ends the thread.
        drop(TcpStream::connect(address));
        output
    })
}

/// The operation and what is asked. `None`: the connection was closed.
fn request(stream: &TcpStream) -> Option<(String, Value)> {
    let (mut reader, mut first, mut length) = (BufReader::new(stream), String::new(), 0_usize);
    reader.read_line(&mut first).ok()?;
    let path = first.split(' ').nth(1)?.strip_prefix("/v3/")?.to_owned();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        match line.trim().split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => length = value.trim().parse().ok()?,
            Some(_) => {}
            None => break,
        }
    }
    let mut body = vec![0_u8; length];
    reader.read_exact(&mut body).ok()?;
    Some((path, serde_json::from_slice(&body).ok()?))
}
