//! What someone who can write to the store, or an operator by mistake, could do with deploys and `mclive world`.

use crate::case::{Agent, Case, ONE_FILE, stderr, until};
use crate::chance::{Chance, times};
use crate::deploys::said;
use crate::fleet::{Fleet, file};
use rustix::process::Signal;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::process::Command;
use std::time::{Duration, Instant};

/// Others get what is deployed: neither what a link leads to nor a key.
#[test]
fn a_deploy_gives_nothing_of_the_operator_away() {
    let Some(fleet) = Fleet::new("deploy-gives-away") else { return };
    let key = fleet.case.path("operator.key");
    assert!(fleet.case.run(&["key", "new", key.to_str().unwrap()]).status.success());
    std::fs::create_dir_all(fleet.case.path("tree/files")).unwrap();
    fleet.case.write("tree/main.mcl", "file \"/tmp/a\" {\n\tstate => \"exists\",\n}\n");
    let within = fleet.case.path("tree/files/a");
    let refused = |words: &str| {
        for flags in [&["tree"][..], &["--dry-run", "tree"]] {
            let output = fleet.deploy(flags);
            assert_eq!((output.status.code(), fleet.keys("").len()), (Some(2), 0), "{output:?}");
            assert!(stderr(&output).contains(words), "{}", stderr(&output));
        }
    };
    std::os::unix::fs::symlink(&key, &within).unwrap();
    refused("outside the program's directory; replace the link with a copy to deploy it");
    std::fs::remove_file(&within).unwrap();
    std::fs::copy(&key, &within).unwrap();
    refused("`/files/a` is a private key for signing deploys");
    // A key in place of its file's name is not printed.
    let text = std::fs::read_to_string(&key).unwrap();
    let mut command = fleet.case.command(&["deploy", "--world", &fleet.etcd.url(), "tree"]);
    let output = command.env("MCLIVE_KEY", &text).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(stderr(&output).trim(), "mclive: error: --key: expected the name of a file, not its content");
}

#[test]
fn lost_and_damaged_contents_are_stored_again() {
    let Some(fleet) = Fleet::new("deploy-damage") else { return };
    let program = file("own", "\"one\"");
    let text = program.replace("@OUT@", fleet.case.path("out").to_str().unwrap());
    let sum: String = Sha256::digest(&text).iter().map(|byte| format!("{byte:02x}")).collect();
    let piece = format!("blob/{sum}/0");
    fleet.put(&piece, &"x".repeat(text.len()));
    assert_eq!(fleet.deploys(&program), 1);
    assert_eq!(fleet.get(&piece).as_deref(), Some(&*text));
    fleet.etcd.delete(&format!("{}{piece}", crate::fleet::KEYS));
    let again = fleet.deploy(&["main.mcl"]);
    assert_eq!((said(&again)["created"].as_bool(), fleet.get(&piece).as_deref()), (Some(false), Some(&*text)));
    let _host = fleet.take("h1", &fleet.etcd.url());
    fleet.holds("own", "one");
}

/// `MCLIVE_KILLS` sets the number of kills.
#[test]
fn a_deploy_that_is_killed_is_stored_as_a_whole_or_not_at_all() {
    let Some(fleet) = Fleet::new("deploy-killed") else { return };
    let (url, out) = (fleet.etcd.url(), fleet.case.path("out"));
    let mut host = fleet.take("h1", &url);
    let began = Instant::now();
    fleet.deploys(&file("own", "\"first\""));
    let whole = u64::try_from(began.elapsed().as_micros()).unwrap();
    let (n_kills, mut chance) = (times("MCLIVE_KILLS", 12), Chance::new(22));
    for n in 0..n_kills {
        let program = file("own", &format!("\"{n}\"")).replace("@OUT@", out.to_str().unwrap());
        fleet.case.write("killed.mcl", &program);
        let mut deploy = Agent::spawn(fleet.case.command(&["deploy", "--world", &url, "killed.mcl"]));
        std::thread::sleep(Duration::from_micros(chance.below(whole + whole / 4)));
        deploy.signal(Signal::KILL);
        deploy.ends();
        let head = || serde_json::from_str::<Value>(&fleet.get("deploy/head").unwrap()).unwrap()["id"].as_u64();
        let n_records = || u64::try_from(fleet.keys("deploy/0").len()).ok();
        // The store may still be busy with what it was sent, between these two questions as well.
        until(&format!("the head is the last of the records after kill {n}"), || head() == n_records());
    }
    // Nothing of them is in the way.
    let newest = fleet.deploys(&file("own", "\"last\""));
    fleet.holds("own", "last");
    println!("{n_kills} kills, {} of these deploys were created", newest - 2);
    assert!(host.runs() && !host.said().contains("missing or damaged"), "{}", host.said());
}

#[test]
fn a_host_that_is_silenced_by_a_deploy_is_missed() {
    let Some(fleet) = Fleet::new("deploy-silence") else { return };
    let url = fleet.etcd.url();
    let (_one, two) = (fleet.take("h1", &url), fleet.take("h2", &url));
    let is_missed = |nth: u32| {
        until("both take deploys", || fleet.keys("agent/").iter().filter(|key| key.ends_with("/state")).count() == 2);
        two.signal(Signal::STOP);
        let program = file("own", &format!("\"{nth}\""));
        fleet.case.program(&program.replace("@OUT@", fleet.case.path("out").to_str().unwrap()));
        let output = fleet.deploy(&["--wait", "12", "main.mcl"]);
        two.signal(Signal::CONT);
        let last: Value = String::from_utf8_lossy(&output.stdout)
            .lines()
            .last()
            .and_then(|line| serde_json::from_str(line).ok())
            .unwrap_or_default();
        (output.status.code(), last["hosts"].as_u64(), last["applied"].as_u64()) == (Some(1), Some(2), Some(1))
    };
    // A deploy that a busy machine begins after the lease of the silent host has ended, or a first host that gets no
    // processor during the wait, shows nothing.
    assert!((0..5).any(is_missed), "the silent host is not missed");
}

#[test]
fn values_are_exact_in_pipes_and_in_json() {
    let Some(fleet) = Fleet::new("world-exact") else { return };
    for value in ["\u{1f468}\u{200d}\u{1f469} \u{6cc}\u{200c}", "a\r\nb\u{1b}]0;x\u{7}", "\u{202e}txt"] {
        assert!(fleet.world(&["set", "k", value]).status.success());
        assert_eq!(String::from_utf8(fleet.world(&["get", "k"]).stdout).unwrap(), format!("{value}\n"));
        for args in [&["list"][..], &["get", "k", "--json"]] {
            let line: Value = serde_json::from_slice(&fleet.world(args).stdout).unwrap();
            assert_eq!(line["value"], *value, "{args:?}");
        }
    }
}

#[test]
fn a_new_key_is_one_that_lists_can_show() {
    let Some(fleet) = Fleet::new("world-keys") else { return };
    for key in ["a\nb", "\u{1b}[2J"] {
        let output = fleet.world(&["set", key, "v"]);
        assert_eq!((output.status.code(), fleet.keys("").len()), (Some(2), 0), "{output:?}");
        assert!(stderr(&output).contains("a key cannot contain control characters"), "{}", stderr(&output));
        // One that another program has made can be removed.
        fleet.put(&format!("strings/{key}"), "v");
        assert!(fleet.world(&["unset", key]).status.success());
        assert_eq!(fleet.keys("").len(), 0);
    }
}

/// As in a unit file with `Environment=MCLIVE_WORLD=`.
#[test]
fn an_empty_variable_counts_as_unset() {
    let case = Case::new("empty-variables", ONE_FILE);
    let with_empty = |args: &[&str]| {
        let mut command = case.command(args);
        for name in
            ["WORLD", "WORLD_CA", "WORLD_CERT", "WORLD_KEY", "WORLD_USER", "WORLD_PASSWORD_FILE", "KEY", "SERVER"]
        {
            command.env(format!("MCLIVE_{name}"), "");
        }
        for name in ["PREFIX", "MAX_RUNTIME", "CONVERGER_TIMEOUT", "MODULE_PATH"] {
            command.env(format!("MGMT_{name}"), "");
        }
        command.output().unwrap()
    };
    let run = with_empty(&["run", "--once", "main.mcl"]);
    assert!(run.status.success(), "{run:?}");
    assert_eq!(case.read("out/a").as_deref(), Some("hello\n"));
    let deploy = with_empty(&["deploy", "main.mcl"]);
    assert_eq!(deploy.status.code(), Some(2));
    assert!(stderr(&deploy).contains("missing --world URL"), "{}", stderr(&deploy));
}

#[test]
fn a_file_with_certificates_is_a_small_one() {
    let case = Case::new("certificates", "");
    assert!(Command::new("mkfifo").arg(case.path("fifo")).status().unwrap().success());
    std::fs::File::create(case.path("large")).unwrap().set_len(1 << 40).unwrap();
    for (file, words) in [
        ("fifo", "fifo: it is not a regular file"),
        ("/dev/zero", "/dev/zero: it is not a regular file"),
        ("large", "large: it is larger than 4 MiB"),
    ] {
        let url = "https://127.0.0.1:1";
        for option in [&["--world-ca", file][..], &["--world-cert", file, "--world-key", file]] {
            let output = case.run(&[&["world", "status", "--world", url], option].concat());
            assert_eq!(output.status.code(), Some(2), "{output:?}");
            assert!(stderr(&output).contains(words), "{}", stderr(&output));
        }
        if file == "fifo" {
            let output =
                case.run(&["world", "status", "--world", url, "--world-user", "a", "--world-password-file", file]);
            assert!(stderr(&output).contains(words), "{}", stderr(&output));
        }
    }
}
