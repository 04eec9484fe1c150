//! Effects of writes on others: no new content with old permissions, no additional disk space, and no delay of signals.

use crate::case::{Case, cannot_look, until};
use rustix::process::{Signal, geteuid};
use std::fs::{self, Permissions};
use std::io::Read;
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

fn secret(fields: &str, content: &str) -> String {
    format!("file \"@OUT@/a\" {{\n\tstate => \"exists\",\n\t{content},\n\t{fields},\n}}\n")
}

/// Another user's file, readable for all.
fn spoil(case: &Case) {
    let path = case.path("out/a");
    let _ = fs::remove_file(&path);
    fs::write(&path, "old").unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o666)).unwrap();
    if geteuid().is_root() {
        chown(&path, Some(12345), Some(12345)).unwrap();
    }
}

#[test]
fn new_content_is_never_seen_under_old_rights() {
    if !geteuid().is_root() {
        return cannot_look("only root can act as another user");
    }
    let case = Case::new("window", &secret("mode => \"0600\",\n\towner => \"0\"", "content => \"secret\\n\""));
    let watch = format!(
        "while :; do {{ read -r line < {}; }} && case $line in secret*) echo seen;; esac; done 2>/dev/null",
        case.path("out/a").display()
    );
    let mut watcher = Command::new("/bin/sh");
    let mut watcher = watcher.args(["-c", &watch]).uid(12345).gid(12345).stdout(Stdio::piped()).spawn().unwrap();
    for source in ["", "source"] {
        if !source.is_empty() {
            case.write("secret", "secret\n");
            fs::set_permissions(case.path("secret"), Permissions::from_mode(0o600)).unwrap();
            let from = format!("source => \"{}\"", case.path("secret").display());
            case.program(&secret("mode => \"0640\",\n\towner => \"0\",\n\tgroup => \"0\"", &from));
        }
        for _ in 0..10 {
            spoil(&case);
            assert!(case.once().status.success());
            let meta = fs::metadata(case.path("out/a")).unwrap();
            assert_eq!((meta.mode() & 0o7037, meta.uid(), case.read("out/a")), (0, 0, Some("secret\n".into())));
        }
    }
    watcher.kill().unwrap();
    let mut seen = String::new();
    watcher.stdout.take().unwrap().read_to_string(&mut seen).unwrap();
    watcher.wait().unwrap();
    assert_eq!(seen, "");
}

#[test]
fn owner_and_bits_come_before_the_name() {
    if Command::new("strace").arg("-V").output().is_err() {
        return cannot_look("`strace` is not installed");
    }
    let case = Case::new("order", &secret("mode => \"0600\"", "content => \"secret\\n\""));
    if geteuid().is_root() {
        case.program(&secret("mode => \"0600\",\n\towner => \"0\",\n\tgroup => \"0\"", "content => \"secret\\n\""));
    }
    spoil(&case);
    let calls = "fchmod,fchmodat,chmod,fchown,fchownat,chown,rename,renameat,renameat2,linkat";
    let agent = env!("CARGO_BIN_EXE_mclive");
    let args = ["-f", "-qq", "-e", calls, "-o", "calls", agent, "run", "--once", "--prefix", "state", "main.mcl"];
    let output = Command::new("strace").args(args).current_dir(&case.root).output().unwrap();
    if !output.status.success() && !case.path("calls").metadata().is_ok_and(|meta| meta.len() > 0) {
        return cannot_look("tracing is not possible here");
    }
    let calls = case.read("calls").unwrap();
    let calls: Vec<&str> = calls.lines().collect();
    let named = calls.iter().position(|call| call.contains("rename") && call.contains(", \"a\"")).expect("it is named");
    let changes = |call: &&&str| call.contains("chmod") || call.contains("chown");
    let before: Vec<&&str> = calls[..named].iter().filter(changes).collect();
    assert!(before.last().is_some_and(|call| call.contains("fchmod(") && call.contains("0600")), "{calls:#?}");
    if geteuid().is_root() {
        assert!(before.iter().any(|call| call.contains("fchown(") && call.contains("0, 0)")), "{calls:#?}");
    }
    // Later state files have separate modes; this file does not change any more.
    let after: Vec<&&str> = calls[named..]
        .iter()
        .filter(changes)
        .filter(|call| call.contains("/proc/self/fd") || call.contains("at("))
        .collect();
    assert!(after.is_empty(), "{after:#?}");
}

/// A password that was generated may be in use elsewhere.
#[test]
fn the_names_of_state_files_are_on_the_disk() {
    if Command::new("strace").arg("-V").output().is_err() {
        return cannot_look("`strace` is not installed");
    }
    let case = Case::new("durable", "password \"p\" {}\n");
    let (calls, agent) = ("fsync,rename,renameat,renameat2,linkat", env!("CARGO_BIN_EXE_mclive"));
    let args = ["-f", "-qq", "-y", "-e", calls, "-o", "calls", agent, "run", "--once", "--prefix", "state", "main.mcl"];
    let output = Command::new("strace").args(args).current_dir(&case.root).output().unwrap();
    if !output.status.success() && !case.path("calls").metadata().is_ok_and(|meta| meta.len() > 0) {
        return cannot_look("tracing is not possible here");
    }
    let calls = case.read("calls").unwrap();
    let calls: Vec<&str> = calls.lines().collect();
    let syncs = |call: &&str, dir: &str| call.contains("fsync(") && call.contains(&format!("{dir}>"));
    let named = calls.iter().position(|call| call.contains(", \"password\"")).expect("it is named");
    assert!(calls[..named].iter().any(|call| syncs(call, "/engine/state")), "{calls:#?}");
    assert!(calls[named..].iter().any(|call| syncs(call, "+p")), "{calls:#?}");
}

#[test]
fn a_sparse_tebibyte_is_copied_as_it_is_and_no_signal_waits_for_it() {
    let case = Case::new("sparse", "file \"@OUT@/copy\" {\n\tstate => \"exists\",\n\tsource => \"@OUT@/huge\",\n}\n");
    let size = 1u64 << 40;
    let huge = fs::File::create(case.path("out/huge")).unwrap();
    huge.set_len(size).unwrap();
    for at in [0, size / 2, size - 4] {
        huge.write_all_at(b"data", at).unwrap();
    }
    let agent = case.start();
    until("it is copied", || fs::metadata(case.path("out/copy")).is_ok_and(|meta| meta.len() == size));
    let copy = fs::File::open(case.path("out/copy")).unwrap();
    assert!(copy.metadata().unwrap().blocks() * 512 < 4 << 20);
    for at in [0, size / 2, size - 4] {
        let mut read = [0; 4];
        copy.read_exact_at(&mut read, at).unwrap();
        assert_eq!(&read, b"data");
    }
    // Comparing both takes many minutes; the second signal ends that.
    let end = |mut agent: crate::case::Agent| {
        agent.signal(Signal::TERM);
        agent.signal(Signal::TERM);
        agent.ends();
    };
    end(agent);
    let agent = case.start();
    agent.says("\"checking\"");
    end(agent);
}
