//! Attempts to escape a policy: each is refused with a sentence, and nothing changes outside.
//!
//! A program may change entries in `srv`, read entries in `srv`, and run programs in `bin`. Everything else is in
//! `outside`, of which the test knows every entry.

mod commands;
mod exports;
mod parts;
mod policies;
mod privileges;
mod reads;

use crate::case::{Case, cannot_look, until};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, lchown, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

const POLICY: &str = "paths = ['@ROOT@/srv/**']\nreads = ['@ROOT@/srv/**']\ncommands = ['@ROOT@/bin/*']\n";

struct Den {
    case: Case,
    /// The path without links.
    root: PathBuf,
}

impl Den {
    fn new(name: &str) -> Den {
        let case = Case::new(&format!("places-{name}"), "");
        let root = fs::canonicalize(&case.root).unwrap();
        for dir in ["srv", "bin", "outside", "outside/dir"] {
            fs::create_dir(root.join(dir)).unwrap();
        }
        for (file, mode) in [("outside/secret", 0o640), ("outside/dir/inner", 0o644)] {
            fs::write(root.join(file), "secret\n").unwrap();
            fs::set_permissions(root.join(file), Permissions::from_mode(mode)).unwrap();
        }
        let script = format!("#!/bin/sh\ntouch {}/outside/was-run\n", root.display());
        for file in ["outside/evil", "bin/good"] {
            let body = if file == "bin/good" { "#!/bin/sh\necho good\n" } else { &script };
            fs::write(root.join(file), body).unwrap();
            fs::set_permissions(root.join(file), Permissions::from_mode(0o755)).unwrap();
        }
        let den = Den { case, root };
        den.policy(POLICY);
        den
    }

    fn path(&self, below: &str) -> PathBuf {
        self.root.join(below)
    }

    fn link(&self, below: &str, target: &str) {
        symlink(self.here(target), self.path(below)).unwrap();
    }

    fn here(&self, text: &str) -> String {
        text.replace("@ROOT@", self.root.to_str().unwrap())
    }

    fn policy(&self, text: &str) {
        fs::write(self.path("policy.toml"), self.here(text)).unwrap();
    }

    /// Runs a program once: its exit code and its whole output.
    fn run(&self, program: &str) -> (Option<i32>, String) {
        fs::write(self.path("main.mcl"), self.here(program)).unwrap();
        let output = self.case.run(&["run", "--once", "--prefix", "state", "--policy", "policy.toml", "main.mcl"]);
        let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        (output.status.code(), said.concat())
    }

    /// Every entry outside with its content or target, mode and owner.
    fn outside(&self) -> BTreeMap<PathBuf, (Vec<u8>, u32, u32, u32)> {
        let mut found = BTreeMap::new();
        let mut ahead = vec![self.path("outside")];
        while let Some(path) = ahead.pop() {
            let meta = fs::symlink_metadata(&path).unwrap();
            let held = if meta.is_dir() {
                ahead.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
                Vec::new()
            } else {
                fs::read(&path).unwrap()
            };
            found.insert(path, (held, meta.mode(), meta.uid(), meta.gid()));
        }
        found
    }

    /// Runs a program that tries to escape. It is refused with these words, and nothing changes outside.
    fn refuses(&self, program: &str, words: &str) {
        let before = self.outside();
        let (code, said) = self.run(program);
        assert_eq!(self.outside(), before, "changed outside by {program}");
        assert!(said.contains(&self.here(words)), "{program} did not say {words:?} but {said}");
        assert_ne!(code, Some(0), "{program}: {said}");
    }

    /// Runs a program that is allowed.
    fn allows(&self, program: &str) {
        let (code, said) = self.run(program);
        assert_eq!(code, Some(0), "{program}: {said}");
    }
}

fn file(path: &str, fields: &str) -> String {
    format!("file \"{path}\" {{\n\t{fields},\n}}\n")
}

fn exec(fields: &str) -> String {
    format!("exec \"x\" {{\n\t{fields},\n}}\n")
}

const CONTENT: &str = "state => \"exists\",\n\tcontent => \"mine\\n\"";
const ABSENT: &str = "state => \"absent\"";
const NOT_CHANGED: &str = "the policy does not allow changing `@ROOT@/outside";
const NOT_READ: &str = "the policy does not allow reading `@ROOT@/outside";
const NOT_RUN: &str = "the policy does not allow the command `@ROOT@/outside/evil`";

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[test]
fn what_is_allowed_is_done() {
    let den = Den::new("allowed");
    den.link("srv/inner", "@ROOT@/srv/real");
    den.link("bin/other", "good");
    fs::create_dir(den.path("srv/real")).unwrap();
    den.allows(&file("@ROOT@/srv/a", CONTENT));
    den.allows(&file("@ROOT@/srv/inner/../real/b", CONTENT));
    den.allows(&file("@ROOT@/srv/l", "state => \"exists\",\n\tsource => \"real/b\",\n\tsymlink => true"));
    den.allows(&file("@ROOT@/srv/copy", "state => \"exists\",\n\tsource => \"@ROOT@/srv/l\""));
    den.allows(&exec("cmd => \"@ROOT@/bin/other\""));
    den.allows(&exec("cmd => \"./good\",\n\tcwd => \"@ROOT@/bin\",\n\tenv => {\"LANG\" => \"C\"}"));
    assert_eq!(fs::read_to_string(den.path("srv/copy")).unwrap(), "mine\n");
    assert_eq!(fs::read_to_string(den.path("srv/real/b")).unwrap(), "mine\n");
}

#[test]
fn a_link_in_an_allowed_folder_leads_no_change_outside() {
    let den = Den::new("links");
    den.link("srv/l", "@ROOT@/outside");
    den.link("srv/secret", "../outside/secret");
    den.link("srv/new", "@ROOT@/outside/new");
    den.link("srv/chain", "l/dir");
    for (path, fields) in [
        ("srv/l/new", CONTENT),
        ("srv/l/new", "state => \"exists\""),
        ("srv/l/new/", "state => \"exists\""),
        ("srv/l/new/deep/", "state => \"exists\",\n\trecurse => true"),
        ("srv/secret", CONTENT),
        ("srv/new", "state => \"exists\""),
        ("srv/chain/inner", CONTENT),
        ("srv/l/secret", ABSENT),
        ("srv/l/dir", "state => \"absent\",\n\trecurse => true,\n\tforce => true"),
        ("srv/l/dir/", "state => \"absent\",\n\trecurse => true"),
        ("srv/l/link", "state => \"exists\",\n\tsource => \"secret\",\n\tsymlink => true"),
        ("srv/l/../outside/secret", CONTENT),
        ("srv/../outside/secret", CONTENT),
        ("srv/chain/../../outside/new", CONTENT),
    ] {
        den.policy("paths = ['@ROOT@/srv/**']\n");
        den.refuses(&file(&format!("@ROOT@/{path}"), fields), NOT_CHANGED);
        // The existence of a forbidden entry is not disclosed.
        den.policy(POLICY);
        den.refuses(&file(&format!("@ROOT@/{path}"), fields), "the policy does not allow ");
    }
}

#[test]
fn modes_and_owners_outside_stay() {
    let den = Den::new("modes");
    den.policy("paths = ['@ROOT@/srv/**']\n");
    den.link("srv/l", "@ROOT@/outside");
    den.link("srv/secret", "@ROOT@/outside/secret");
    for path in ["srv/l/secret", "srv/secret", "srv/l/", "srv/l//", "srv/l/dir/", "srv/l/dir/inner"] {
        den.refuses(&file(&format!("@ROOT@/{path}"), "mode => \"0777\""), NOT_CHANGED);
        den.refuses(&file(&format!("@ROOT@/{path}"), "owner => \"12\",\n\tgroup => \"12\""), "");
        if is_root() {
            den.refuses(&file(&format!("@ROOT@/{path}"), "owner => \"1\""), NOT_CHANGED);
        }
    }
}

#[test]
fn hard_links_are_not_what_they_seem() {
    let den = Den::new("hard");
    fs::hard_link(den.path("outside/secret"), den.path("srv/h")).unwrap();
    den.refuses(&file("@ROOT@/srv/h", "mode => \"0777\""), "`@ROOT@/srv/h`: it has 2 hard links");
    den.refuses(&file("@ROOT@/srv/copy", "state => \"exists\",\n\tsource => \"@ROOT@/srv/h\""), "2 hard links");
    assert!(!den.path("srv/copy").exists());
    // A write replaces the file, and takes nothing from the one outside.
    let before = den.outside();
    den.policy("paths = ['@ROOT@/srv/**']\n");
    den.allows(&file("@ROOT@/srv/h", CONTENT));
    assert_eq!(den.outside(), before);
}

#[test]
fn purging_and_removing_stay_inside() {
    let den = Den::new("purge");
    den.policy("paths = ['@ROOT@/srv/**']\n");
    let purge = "state => \"exists\",\n\trecurse => true,\n\tpurge => true";
    den.link("srv/l", "@ROOT@/outside/dir");
    den.refuses(&file("@ROOT@/srv/l/", purge), NOT_CHANGED);
    // Links in a tree are removed, and their targets stay: also with names that are not text.
    let before = den.outside();
    for tree in ["purged", "removed"] {
        fs::create_dir_all(den.path(&format!("srv/{tree}/deep"))).unwrap();
        for name in [&b"l"[..], b"\xff", b"..x", b"a\nb", b"deep/\xc3("] {
            symlink(den.path("outside"), den.path(&format!("srv/{tree}")).join(OsStr::from_bytes(name))).unwrap();
        }
    }
    den.allows(&file("@ROOT@/srv/purged/", purge));
    den.allows(&file("@ROOT@/srv/removed/", "state => \"absent\",\n\trecurse => true"));
    assert_eq!(fs::read_dir(den.path("srv/purged")).unwrap().count(), 0);
    assert!(!den.path("srv/removed").exists());
    assert_eq!(den.outside(), before);
    // A pattern for the folder alone does not match its content.
    fs::create_dir_all(den.path("outside/own/deep")).unwrap();
    den.policy("paths = ['@ROOT@/outside/own']\n");
    den.refuses(&file("@ROOT@/outside/own/", "state => \"absent\",\n\trecurse => true"), NOT_CHANGED);
}

#[test]
fn a_link_is_made_only_to_where_the_program_may_go() {
    let den = Den::new("make-link");
    den.link("srv/there", "@ROOT@/outside/dir");
    fs::create_dir(den.path("srv/d")).unwrap();
    let link = |target: &str| {
        file("@ROOT@/srv/d/new", &format!("state => \"exists\",\n\tsource => \"{target}\",\n\tsymlink => true"))
    };
    for target in [
        "@ROOT@/outside",
        "@ROOT@/outside/missing",
        "../../outside",
        "../there",
        "../../outside/secret",
        "/etc",
        "../..",
    ] {
        den.refuses(&link(target), "the policy does not allow a link to `");
        assert!(fs::symlink_metadata(den.path("srv/d/new")).is_err());
    }
    den.allows(&link("../not-yet"));
    den.allows(&link("@ROOT@/srv/d"));
}

/// Each of two links is harmless by itself when it is made.
#[test]
fn no_link_becomes_one_to_elsewhere_by_another() {
    let den = Den::new("two-links");
    den.policy(
        "paths = ['@ROOT@/srv/**']\nreads = ['@ROOT@/srv/**', '@ROOT@/outside/dir', '@ROOT@/outside/dir/inner']\n",
    );
    fs::create_dir_all(den.path("srv/d/there")).unwrap();
    let link = |target: &str| {
        file("@ROOT@/srv/d/new", &format!("state => \"exists\",\n\tsource => \"{target}\",\n\tsymlink => true"))
    };
    for target in ["@ROOT@/srv/d/not-yet/../secret", "there/../secret", "../d/./there/../../x", "not-yet/../.."] {
        den.refuses(&link(target), "it contains `..` after a name");
        assert!(fs::symlink_metadata(den.path("srv/d/new")).is_err(), "{target}");
    }
    // With it, `new/secret` would be a path in `srv`.
    den.refuses(&link("@ROOT@/outside/dir"), "does not allow a link to everything in `@ROOT@/outside/dir`");
    assert!(fs::symlink_metadata(den.path("srv/d/new")).is_err());
    for target in ["@ROOT@/outside/dir/inner", "there", "../d/there", "../../srv/d/not-yet"] {
        den.allows(&link(target));
        assert_eq!(fs::read_link(den.path("srv/d/new")).unwrap(), Path::new(&den.here(target)));
    }
}

#[test]
fn depth_hides_nothing() {
    let den = Den::new("deep");
    den.policy("paths = ['@ROOT@/srv/**']\n");
    let deep: String = "d/".repeat(300);
    fs::create_dir_all(den.path(&format!("srv/{deep}"))).unwrap();
    den.link(&format!("srv/{deep}l"), "@ROOT@/outside");
    den.refuses(&file(&format!("@ROOT@/srv/{deep}l/new"), CONTENT), NOT_CHANGED);
    let up: String = "../".repeat(400);
    den.link("srv/up", &format!("{up}@ROOT@/outside"));
    den.refuses(&file("@ROOT@/srv/up/new", CONTENT), NOT_CHANGED);
    // A cycle of links is detected.
    den.link("srv/one", "two");
    den.link("srv/two", "one");
    den.refuses(&file("@ROOT@/srv/one/new", CONTENT), "too many");
}

/// A folder that is also mounted at another path, until it is dropped.
struct Bound(PathBuf);

impl Bound {
    fn new(from: &Path, to: &Path) -> Option<Bound> {
        fs::create_dir_all(to).unwrap();
        let status = std::process::Command::new("mount").args(["--bind".as_ref(), from, to]).status();
        status.is_ok_and(|status| status.success()).then(|| Bound(to.to_owned()))
    }
}

impl Drop for Bound {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg(&self.0).status();
    }
}

#[test]
fn a_folder_that_is_mounted_twice_is_judged_by_both_paths() {
    let den = Den::new("mount");
    let Some(bound) = Bound::new(&den.path("outside"), &den.path("srv/tree/m")) else {
        return cannot_look("only root can create bind mounts");
    };
    den.policy("paths = ['@ROOT@/srv/**']\n");
    let words =
        "the policy does not allow changing `@ROOT@/outside/new`, which is also mounted at `@ROOT@/srv/tree/m/new`";
    den.refuses(&file("@ROOT@/srv/tree/m/new", CONTENT), words);
    let remove = file("@ROOT@/srv/tree/", "state => \"absent\",\n\trecurse => true");
    fs::write(den.path("srv/tree/beside"), "").unwrap();
    den.refuses(&remove, "another file system is mounted at `@ROOT@/srv/tree/m`; unmount it first");
    // A mounted disk is never emptied, even if nothing is forbidden.
    den.policy("");
    den.refuses(&remove, "another file system is mounted at");
    assert!(den.path("srv/tree/beside").exists(), "nothing is removed where not all can be");
    den.policy("paths = ['@ROOT@/srv/**', '@ROOT@/outside/**']\n");
    den.allows(&file("@ROOT@/srv/tree/m/new", CONTENT));
    drop(bound);
}

/// Ends a thread beside a test, also if the test fails: otherwise its scope would wait forever.
struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn a_folder_that_is_swapped_for_a_link_all_the_time_leads_nowhere() {
    let den = Den::new("swap");
    den.policy("paths = ['@ROOT@/srv/**']\n");
    fs::create_dir(den.path("srv/d")).unwrap();
    for name in ["a", "b", "gone"] {
        fs::write(den.path("outside/dir").join(name), "outside\n").unwrap();
    }
    den.link("srv/l", "@ROOT@/outside/dir");
    let forever = ",\n\tMeta:retry => -1,\n\tMeta:delay => 1,\n\tMeta:poll => 1";
    let program = file("@ROOT@/srv/d/a", &format!("{CONTENT}{forever}"))
        + &file("@ROOT@/srv/d/b", &format!("state => \"exists\",\n\tmode => \"0777\"{forever}"))
        + &file("@ROOT@/srv/d/gone", &format!("{ABSENT}{forever}"))
        + &file("@ROOT@/srv/d/made/", &format!("state => \"exists\"{forever}"))
        + &file("@ROOT@/srv/d/link", &format!("state => \"exists\",\n\tsource => \"a\",\n\tsymlink => true{forever}"));
    fs::write(den.path("main.mcl"), den.here(&program)).unwrap();
    let before = den.outside();
    let (over, swapped) = (AtomicBool::new(false), AtomicU64::new(0));
    std::thread::scope(|scope| {
        let swaps = scope.spawn(|| {
            let (dir, link) = (den.path("srv/d"), den.path("srv/l"));
            while !over.load(Ordering::Relaxed) {
                renameat_with(CWD, &dir, CWD, &link, RenameFlags::EXCHANGE).unwrap();
                swapped.fetch_add(1, Ordering::Relaxed);
            }
        });
        let ends = Ends(&over);
        let mut agent = den.case.start_with(&["--policy", "policy.toml"]);
        agent.says("the policy does not allow changing `");
        // Each try finds another folder there, or has it swapped in the middle.
        let (n_tries, n_swaps) = (den.case.lines("state/audit.log"), swapped.load(Ordering::Relaxed));
        until("it has tried often", || {
            assert_eq!(den.outside(), before);
            den.case.lines("state/audit.log") > n_tries + 200 && swapped.load(Ordering::Relaxed) > n_swaps + 50_000
        });
        drop(ends);
        swaps.join().unwrap();
        println!("{} swaps", swapped.load(Ordering::Relaxed));
        agent.stop();
    });
    assert_eq!(den.outside(), before);
}
