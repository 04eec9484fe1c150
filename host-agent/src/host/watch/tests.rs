//! Watches of real folders.

mod mounts;

use super::*;
use crate::host::scratch::Scratch;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, channel};

/// A generous limit for a machine that does something else.
const PATIENCE: Duration = Duration::from_secs(120);

fn setup(name: &str) -> (Scratch, Watcher, Receiver<Change>) {
    let events = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).unwrap();
    setup_on(name, Some(events))
}

fn setup_on(name: &str, events: Option<OwnedFd>) -> (Scratch, Watcher, Receiver<Change>) {
    let dir = Scratch::new(&format!("watch-{name}"));
    let (send, receive) = channel();
    let watcher =
        Watcher::start_on(events, move |changes| changes.into_iter().for_each(|change| drop(send.send(change))))
            .unwrap();
    (dir, watcher, receive)
}

/// Waits until a listener is notified of a change.
fn told(changes: &Receiver<Change>, listener: u64) {
    while changes.recv_timeout(PATIENCE).expect("a change is told").0 != Listener(listener) {}
}

/// All changes until now. The kernel tells of changes in their order: when a later one is told, all before it are,
/// however long the watcher waits for a processor.
fn all_until_now(watcher: &Watcher, changes: &Receiver<Change>) -> Vec<Change> {
    static N_MARKS: AtomicU64 = AtomicU64::new(1 << 32);
    let mut all = Vec::new();
    // What is told in one batch comes in any order: the second mark comes in a later batch than the first.
    for _ in 0..2 {
        let n = N_MARKS.fetch_add(1, Ordering::Relaxed);
        let dir = Scratch::new(&format!("watch-mark-{n}"));
        let (mark, path) = (Listener(n), dir.join("mark"));
        watcher.add(mark, path.to_str().unwrap(), false);
        std::fs::write(&path, "x").unwrap();
        loop {
            let change = changes.recv_timeout(PATIENCE).expect("the mark is told");
            if change.0 == mark {
                break;
            }
            all.push(change);
        }
        watcher.remove(mark);
    }
    // The first mark may have been told more than once.
    all.retain(|(who, _)| who.0 < 1 << 32);
    all
}

/// A change is told, and everything else that was notified of it is dropped.
fn fires(watcher: &Watcher, changes: &Receiver<Change>, listener: u64) {
    told(changes, listener);
    all_until_now(watcher, changes);
}

fn quiet(watcher: &Watcher, changes: &Receiver<Change>) {
    assert_eq!(all_until_now(watcher, changes), Vec::<Change>::new());
}

/// What is told is what has changed, not a path below it that is missing before and after.
#[test]
fn a_path_that_never_was_is_not_told_to_have_changed() {
    let (dir, watcher, changes) = setup("never");
    let (folder, path) = (dir.join("h"), dir.join("h/never"));
    std::fs::create_dir(&folder).unwrap();
    watcher.add(Listener(1), path.to_str().unwrap(), false);
    let tells_only = |path: &Path| {
        let all = all_until_now(&watcher, &changes);
        let path = path.to_str().unwrap();
        assert!(!all.is_empty() && all.iter().all(|(_, changed)| changed == path), "{path}: {all:?}");
    };
    std::fs::rename(&folder, dir.join("other")).unwrap();
    tells_only(&folder);
    std::fs::create_dir(&folder).unwrap();
    tells_only(&folder);
    std::fs::write(&path, "x").unwrap();
    tells_only(&path);
}

#[test]
fn a_missing_path_is_watched_through_what_is_there() {
    let (dir, watcher, changes) = setup("missing");
    let path = dir.join("a/b/c");
    watcher.add(Listener(1), path.to_str().unwrap(), false);
    std::fs::create_dir(dir.join("other")).unwrap();
    quiet(&watcher, &changes);
    std::fs::create_dir_all(dir.join("a/b")).unwrap();
    fires(&watcher, &changes, 1);
    std::fs::write(&path, "x").unwrap();
    fires(&watcher, &changes, 1);
    std::fs::write(dir.join("a/b/d"), "x").unwrap();
    quiet(&watcher, &changes);
}

#[test]
fn a_renamed_ancestor_is_noticed_both_ways() {
    let (dir, watcher, changes) = setup("rename");
    std::fs::create_dir_all(dir.join("a/b")).unwrap();
    std::fs::write(dir.join("a/b/c"), "x").unwrap();
    watcher.add(Listener(1), dir.join("a/b/c").to_str().unwrap(), false);
    std::fs::rename(dir.join("a"), dir.join("z")).unwrap();
    fires(&watcher, &changes, 1);
    std::fs::write(dir.join("z/b/c"), "y").unwrap();
    quiet(&watcher, &changes);
    std::fs::create_dir_all(dir.join("a/b")).unwrap();
    fires(&watcher, &changes, 1);
    std::fs::write(dir.join("a/b/c"), "y").unwrap();
    fires(&watcher, &changes, 1);
}

#[test]
fn a_removed_file_and_a_replaced_one_are_noticed() {
    let (dir, watcher, changes) = setup("replace");
    let path = dir.join("c");
    std::fs::write(&path, "x").unwrap();
    watcher.add(Listener(1), path.to_str().unwrap(), false);
    std::fs::remove_file(&path).unwrap();
    fires(&watcher, &changes, 1);
    std::fs::create_dir(&path).unwrap();
    fires(&watcher, &changes, 1);
    std::fs::remove_dir(&path).unwrap();
    fires(&watcher, &changes, 1);
    std::fs::write(dir.join("new"), "x").unwrap();
    std::fs::rename(dir.join("new"), &path).unwrap();
    fires(&watcher, &changes, 1);
    watcher.remove(Listener(1));
    std::fs::write(&path, "y").unwrap();
    quiet(&watcher, &changes);
}

#[test]
fn a_file_that_others_may_change_is_watched_by_all_its_names() {
    use std::os::unix::fs::PermissionsExt;
    let (dir, watcher, changes) = setup("names");
    let opened = |path: &Path| std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o666)).unwrap();
    ["here", "there"].iter().for_each(|name| std::fs::create_dir(dir.join(name)).unwrap());
    for (listener, name) in [(1, "early"), (2, "late")] {
        let (path, alias) = (dir.join("here").join(name), dir.join("there").join(name));
        std::fs::write(&path, "x").unwrap();
        if listener == 1 {
            opened(&path);
        }
        watcher.add(Listener(listener), path.to_str().unwrap(), false);
        if listener == 2 {
            opened(&path);
            fires(&watcher, &changes, listener);
        }
        std::fs::hard_link(&path, &alias).unwrap();
        std::fs::write(&alias, "y").unwrap();
        fires(&watcher, &changes, listener);
        std::fs::write(&alias, "z").unwrap();
        fires(&watcher, &changes, listener);
        // Another file has its name now.
        std::fs::write(dir.join("new"), "x").unwrap();
        std::fs::rename(dir.join("new"), &path).unwrap();
        fires(&watcher, &changes, listener);
        std::fs::write(&alias, "y").unwrap();
        quiet(&watcher, &changes);
    }
}

#[test]
fn a_tree_is_watched_also_where_it_grows() {
    let (dir, watcher, changes) = setup("tree");
    watcher.add(Listener(1), &format!("{}/", dir.display()), true);
    std::fs::create_dir_all(dir.join("a/b")).unwrap();
    fires(&watcher, &changes, 1);
    std::fs::write(dir.join("a/b/c"), "x").unwrap();
    fires(&watcher, &changes, 1);
    std::fs::write(dir.join("a/b/c"), "y").unwrap();
    fires(&watcher, &changes, 1);
}

#[test]
fn a_tree_behind_a_link_is_watched_and_left_with_it() {
    let (dir, watcher, changes) = setup("linked-tree");
    std::fs::create_dir_all(dir.join("one/a")).unwrap();
    std::fs::create_dir_all(dir.join("two/a")).unwrap();
    std::os::unix::fs::symlink("one", dir.join("near")).unwrap();
    std::os::unix::fs::symlink(dir.join("near"), dir.join("link")).unwrap();
    watcher.add(Listener(1), &format!("{}/link/", dir.display()), true);
    std::fs::write(dir.join("one/a/x"), "x").unwrap();
    fires(&watcher, &changes, 1);
    std::fs::create_dir(dir.join("one/a/b")).unwrap();
    fires(&watcher, &changes, 1);
    std::fs::write(dir.join("one/a/b/y"), "y").unwrap();
    fires(&watcher, &changes, 1);
    std::os::unix::fs::symlink("two", dir.join("new")).unwrap();
    std::fs::rename(dir.join("new"), dir.join("near")).unwrap();
    fires(&watcher, &changes, 1);
    std::fs::write(dir.join("two/a/x"), "x").unwrap();
    fires(&watcher, &changes, 1);
    std::fs::write(dir.join("one/a/b/y"), "z").unwrap();
    quiet(&watcher, &changes);
    watcher.remove(Listener(1));
    let tree = watcher.tree.lock();
    assert_eq!((tree.masks(&dir.join("two/a")), tree.masks(&dir.join("one/a"))), (vec![], vec![]));
}

#[test]
fn a_tree_that_is_there_is_no_change() {
    let (dir, watcher, changes) = setup("there");
    std::fs::create_dir_all(dir.join("tree/a/b/c")).unwrap();
    std::fs::create_dir(dir.join("other")).unwrap();
    watcher.add(Listener(1), dir.join("other/file").to_str().unwrap(), false);
    watcher.add(Listener(2), &format!("{}/tree/", dir.display()), true);
    std::fs::write(dir.join("other/file"), "x").unwrap();
    for (who, path) in all_until_now(&watcher, &changes) {
        assert_eq!(who, Listener(1), "{path}");
    }
    std::fs::write(dir.join("tree/a/b/c/d"), "x").unwrap();
    fires(&watcher, &changes, 2);
}

#[test]
fn the_target_of_a_link_is_watched() {
    let (dir, watcher, changes) = setup("link");
    std::fs::write(dir.join("target"), "x").unwrap();
    std::os::unix::fs::symlink(dir.join("target"), dir.join("link")).unwrap();
    watcher.add(Listener(1), dir.join("link").to_str().unwrap(), false);
    std::fs::write(dir.join("target"), "y").unwrap();
    fires(&watcher, &changes, 1);
}

#[test]
fn the_target_of_a_link_is_watched_before_it_is_there() {
    let (dir, watcher, changes) = setup("dangling");
    std::os::unix::fs::symlink("far/target", dir.join("near")).unwrap();
    std::os::unix::fs::symlink(dir.join("near"), dir.join("link")).unwrap();
    watcher.add(Listener(1), dir.join("link").to_str().unwrap(), false);
    std::fs::create_dir(dir.join("far")).unwrap();
    fires(&watcher, &changes, 1);
    for content in ["x", "y", "z"] {
        std::fs::write(dir.join("far/target"), content).unwrap();
        fires(&watcher, &changes, 1);
    }
    std::fs::remove_file(dir.join("far/target")).unwrap();
    fires(&watcher, &changes, 1);
    std::fs::write(dir.join("far/target"), "again").unwrap();
    fires(&watcher, &changes, 1);
    // It has another target now: changes of the old one do not matter.
    std::fs::remove_file(dir.join("link")).unwrap();
    fires(&watcher, &changes, 1);
    std::os::unix::fs::symlink(dir.join("link"), dir.join("link")).unwrap();
    fires(&watcher, &changes, 1);
    std::fs::write(dir.join("far/target"), "other").unwrap();
    quiet(&watcher, &changes);
}

#[test]
fn a_directory_that_is_made_anew_with_the_same_number_is_watched() {
    let (dir, watcher, changes) = setup("anew");
    let path = dir.join("d/c");
    watcher.add(Listener(1), path.to_str().unwrap(), false);
    for _ in 0..20 {
        std::fs::create_dir(dir.join("d")).unwrap();
        std::fs::write(&path, "x").unwrap();
        fires(&watcher, &changes, 1);
        std::fs::write(&path, "y").unwrap();
        fires(&watcher, &changes, 1);
        std::fs::remove_dir_all(dir.join("d")).unwrap();
        fires(&watcher, &changes, 1);
    }
}

#[test]
fn without_an_instance_everything_is_looked_at() {
    let (dir, watcher, changes) = setup_on("polled", None);
    let path = dir.join("a/b");
    watcher.add(Listener(1), path.to_str().unwrap(), false);
    std::fs::create_dir(dir.join("a")).unwrap();
    std::fs::write(&path, "x").unwrap();
    told(&changes, 1);
    std::fs::write(&path, "y").unwrap();
    told(&changes, 1);
    std::fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink("c", &path).unwrap();
    told(&changes, 1);
    std::fs::write(dir.join("a/c"), "z").unwrap();
    told(&changes, 1);
    std::fs::write(dir.join("a/c"), "zz").unwrap();
    told(&changes, 1);
    std::fs::remove_dir_all(dir.join("a")).unwrap();
    told(&changes, 1);
}

#[test]
fn what_changes_below_a_directory_that_changes_is_seen_by_the_same_look() {
    let (dir, _, _) = setup_on("looked", None);
    let path = dir.join("a/b/c");
    std::fs::create_dir_all(dir.join("a/b")).unwrap();
    std::fs::write(&path, "x").unwrap();
    let mut tree = Tree::new(None);
    tree.add(Listener(1), &path, false);
    tree.take_fired();
    std::thread::sleep(Duration::from_millis(20));
    std::fs::write(&path, "y").unwrap();
    std::fs::write(dir.join("a/other"), "").unwrap();
    tree.look();
    assert_eq!(tree.take_fired().len(), 1);
    tree.look();
    assert_eq!(tree.take_fired().len(), 0);
}

#[test]
fn a_busy_directory_on_the_way_wakes_nobody() {
    let (dir, watcher, changes) = setup("busy");
    std::fs::create_dir_all(dir.join("a/b")).unwrap();
    watcher.add(Listener(1), dir.join("a/b/c").to_str().unwrap(), false);
    let n_masks = |path: &std::path::Path| {
        let tree = watcher.tree.lock();
        tree.masks(path).into_iter().map(|mask| mask.contains(rustix::fs::inotify::WatchFlags::CREATE)).collect()
    };
    let (above, way): (Vec<bool>, Vec<bool>) = (n_masks(&dir), n_masks(&dir.join("a")));
    assert_eq!((above, way), (vec![false], vec![false]), "names that come are of no concern");
    std::fs::write(dir.join("a/b/c"), "x").unwrap();
    fires(&watcher, &changes, 1);
    std::fs::rename(dir.join("a"), dir.join("z")).unwrap();
    fires(&watcher, &changes, 1);
    std::fs::create_dir_all(dir.join("a/b")).unwrap();
    fires(&watcher, &changes, 1);
    std::fs::write(dir.join("a/b/c"), "x").unwrap();
    fires(&watcher, &changes, 1);
}

#[test]
fn after_a_fault_of_ours_everybody_looks_again() {
    let dir = Scratch::new("watch-fault");
    let (send, changes) = channel();
    let is_faulty = AtomicBool::new(true);
    let tell = move |changed: Vec<Change>| {
        assert!(!is_faulty.swap(false, Ordering::Relaxed), "on purpose");
        changed.into_iter().for_each(|change| drop(send.send(change)));
    };
    let watcher = Watcher::start(tell).unwrap();
    for (nth, name) in ["a", "b"].into_iter().enumerate() {
        watcher.add(Listener(nth as u64), dir.join(name).to_str().unwrap(), false);
    }
    std::fs::write(dir.join("a"), "x").unwrap();
    let next = || changes.recv_timeout(PATIENCE).expect("a change is told").0.0;
    let mut both = [next(), next()];
    both.sort_unstable();
    assert_eq!(both, [0, 1]);
    std::fs::write(dir.join("b"), "x").unwrap();
    while next() != 1 {}
}
