//! Every change to a managed file is repaired, even during a repair.
//!
//! The programs set how often their files may be checked: otherwise this rate would be throttled as flapping.

use crate::case::Case;
use crate::chance::{Chance, times};
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::{Duration, Instant};

/// A lost event never arrives later: the agent rests, however often it is looked at. Units: looks, a second apart.
const LOST: u32 = 10;
/// A generous limit for one repair on a machine that does something else.
const PATIENCE: Duration = Duration::from_secs(120);

fn is_right(path: &Path, content: &str) -> bool {
    fs::symlink_metadata(path).is_ok() // a link may have come in its place, and is followed
        && fs::read_to_string(path).is_ok_and(|text| text == content)
        && fs::metadata(path).is_ok_and(|meta| meta.permissions().mode() & 0o7777 == 0o640)
}

/// Damages a file. An action that fails because the agent was faster is only partly done, as in practice.
fn spoil(chance: &mut Chance, path: &Path) -> &'static str {
    let aside = path.with_extension("aside");
    let clear = || {
        let _ = fs::remove_file(path);
    };
    match chance.below(12) {
        0 => {
            let _ = fs::write(path, "broken");
            "write"
        }
        1 => {
            use std::io::Write;
            let _ = fs::OpenOptions::new().append(true).open(path).and_then(|mut file| file.write_all(b"more"));
            "append"
        }
        2 => {
            let _ = fs::OpenOptions::new().write(true).truncate(true).open(path);
            "truncate"
        }
        3 => {
            clear();
            "remove"
        }
        4 => {
            let _ = fs::set_permissions(path, Permissions::from_mode(0o600 + chance.below(64) as u32));
            "chmod"
        }
        5 => {
            let _ = fs::rename(path, &aside);
            "rename away"
        }
        6 => {
            let _ = fs::write(&aside, "other").and_then(|()| fs::rename(&aside, path));
            "replace by rename"
        }
        7 => {
            clear();
            let _ = fs::create_dir(path);
            let _ = fs::write(path.join("x"), "x");
            "a directory with a file"
        }
        8 => {
            clear();
            let _ = fs::create_dir(path);
            "an empty directory"
        }
        9 => {
            clear();
            let _ = symlink("target", path);
            "a link, perhaps to nothing"
        }
        10 => {
            let _ = fs::remove_file(path.with_file_name("target"));
            "the target of a link goes"
        }
        _ => {
            let _ = fs::write(path.with_file_name("target"), "something else");
            "the target of a link changes"
        }
    }
}

#[test]
fn every_spoiling_is_repaired() {
    let file = "file \"@OUT@/a\" {\n\tstate => \"exists\",\n\tcontent => \"hello\\n\",\n\tmode => \"u=rw,g=r,o=\",\n\tforce => true,\n\tMeta:limit => 10000.0,\n\tMeta:burst => 10000,\n}\n";
    let case = Case::new("spoil", file);
    let path = case.path("out/a");
    let agent = case.start();
    let mut chance = Chance::new(7);
    let (mut took, mut n_slow) = (Vec::new(), 0);
    case.holds("out/a", "hello\n");
    for round in 0..times("MCLIVE_SPOILINGS", 300) {
        // One, or several at random intervals, each possibly during the repair of the previous one.
        let mut done = Vec::new();
        for _ in 0..=chance.below(3) {
            done.push(spoil(&mut chance, &path));
            std::thread::sleep(Duration::from_micros([0, 50, 200, 1000, 5000][chance.below(5) as usize]));
        }
        let (began, mut n_idle) = (Instant::now(), 0);
        while !is_right(&path, "hello\n") {
            // Time alone shows nothing: on a busy machine a repair takes long, but meanwhile the agent does not rest.
            let is_time = began.elapsed() > Duration::from_secs(1) * (n_idle + 1);
            n_idle += u32::from(is_time && agent.is_idle() && !is_right(&path, "hello\n"));
            let found = fs::symlink_metadata(&path).map(|meta| (meta.file_type(), meta.permissions().mode()));
            assert!(
                n_idle < LOST && began.elapsed() < PATIENCE,
                "round {round}: {done:?} is not repaired: {found:?}; the agent said {}",
                agent.last_words()
            );
            std::thread::sleep(Duration::from_micros(200));
        }
        took.push(began.elapsed());
        n_slow += usize::from(n_idle > 0);
    }
    took.sort();
    println!(
        "spoilings repaired: p50 {:?}, p99 {:?}, max {:?}",
        took[took.len() / 2],
        took[took.len() * 99 / 100],
        took[took.len() - 1]
    );
    assert!(n_slow * 50 <= took.len(), "an idle agent left {n_slow} of {} for more than a second", took.len());
}

#[test]
fn a_whole_tree_that_goes_comes_back() {
    let program = "file [\"@OUT@/d/\", \"@OUT@/d/e/\"] {\n\tstate => \"exists\",\n\tMeta:limit => 10000.0,\n\tMeta:burst => 10000,\n}\n\
        file [\"@OUT@/d/a\", \"@OUT@/d/e/b\"] {\n\tstate => \"exists\",\n\tcontent => \"hello\\n\",\n\tMeta:limit => 10000.0,\n\tMeta:burst => 10000,\n}\n";
    let case = Case::new("trees", program);
    let _agent = case.start();
    let mut chance = Chance::new(11);
    for round in 0..times("MCLIVE_SPOILINGS", 300) / 6 {
        case.holds("out/d/a", "hello\n");
        case.holds("out/d/e/b", "hello\n");
        let aside = case.path(&format!("out/aside{round}"));
        match chance.below(4) {
            0 => drop(fs::remove_dir_all(case.path("out/d"))),
            1 => drop(fs::rename(case.path("out/d"), &aside)),
            2 => drop(fs::rename(case.path("out/d/e"), &aside)),
            _ => drop(fs::remove_dir_all(case.path("out/d/e"))),
        }
        let _ = fs::remove_dir_all(aside);
        std::thread::sleep(Duration::from_micros(chance.below(3000)));
    }
    case.holds("out/d/a", "hello\n");
    case.holds("out/d/e/b", "hello\n");
}
