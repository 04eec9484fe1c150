//! Packages that cannot be had: their mirror is asked once, however many cases of however many test binaries need them.

use mclive_kit::machine::root::Roots;
use mclive_kit::run::Run;
use std::net::TcpListener;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const CASES: usize = 34;
/// Set for a process that stands for a test binary: where it keeps its root, and the mirror.
const FOLDER: &str = "MCLIVE_KIT_MIRROR_FOLDER";
const MIRROR: &str = "MCLIVE_KIT_MIRROR";

/// What a test binary does: each case asks for the root, and says how that went.
fn cases(folder: &str) {
    let roots = Roots::below(folder).of_mirror(&std::env::var(MIRROR).unwrap());
    std::thread::scope(|scope| {
        for _ in 0..CASES {
            scope.spawn(|| match catch_unwind(AssertUnwindSafe(|| roots.root().is_some())) {
                Ok(has_root) => println!("has a root: {has_root}"),
                Err(why) => println!("fails: {}", why.downcast_ref::<String>().unwrap()),
            });
        }
    });
}

#[test]
fn a_mirror_that_does_not_answer_is_asked_once_and_one_sentence_says_so() {
    if let Ok(folder) = std::env::var(FOLDER) {
        return cases(&folder);
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mirror = format!("http://{}/debian", listener.local_addr().unwrap());
    let n_asked = Arc::new(AtomicUsize::new(0));
    let counts = n_asked.clone();
    // Whoever comes is let in and sent away.
    std::thread::spawn(move || {
        listener.incoming().for_each(|_| {
            counts.fetch_add(1, Ordering::Relaxed);
        })
    });
    let folder = std::env::temp_dir().join(format!("{}-mirror", Run::current()));
    let binary = || {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args([
            "--nocapture",
            "--exact",
            "a_mirror_that_does_not_answer_is_asked_once_and_one_sentence_says_so",
        ]);
        command.env(FOLDER, &folder).env(MIRROR, &mirror).env("MCLIVE_MUST_LOOK", "1");
        // No proxy is in between.
        for name in ["http_proxy", "HTTP_PROXY", "all_proxy"] {
            command.env_remove(name);
        }
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(said.matches("has a root: false").count(), CASES - 1, "{output:?}");
        let fails: Vec<&str> = said.lines().filter_map(|line| Some(line.split_once("fails: ")?.1)).collect();
        let [sentence] = fails[..] else { panic!("{fails:#?}") };
        (sentence.to_owned(), n_asked.load(Ordering::Relaxed))
    };
    let (first, n_first) = binary();
    let (second, n_second) = binary();
    let begins = "skipped: the tests on real systemd machines: ";
    assert!(first.starts_with(begins) && second.starts_with(begins), "{first}\n{second}");
    let is_asked = first.contains("cannot download the packages: ");
    assert_eq!(second.contains(" s ago; to check again now, remove "), is_asked, "{second}");
    assert!((n_first > 0) == is_asked, "the mirror was asked {n_first} times: {first}");
    assert_eq!(n_first, n_second, "the second binary asked again");
    std::fs::remove_dir_all(&folder).unwrap();
}
