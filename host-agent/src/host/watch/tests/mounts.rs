//! What is mounted over a watched path, of which no event tells.

use super::super::*;
use crate::host::scratch::Scratch;
use std::collections::BTreeMap;

#[test]
fn what_a_mount_puts_at_a_path_is_another_entry() {
    let dir = Scratch::new("watch-mounted");
    std::fs::create_dir_all(dir.join("a/deep")).unwrap();
    std::fs::create_dir(dir.join("b")).unwrap();
    let events = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).unwrap();
    let mut tree = Tree::new(Some(Arc::new(events)));
    tree.add(Listener(1), &dir.join("a/x"), false);
    tree.add(Listener(2), &dir.join("a/deep/y"), false);
    tree.add(Listener(3), &dir.join("b/z"), false);
    let told = |tree: &mut Tree| -> Vec<Listener> {
        tree.remounted(&BTreeMap::new());
        tree.take_fired().into_iter().map(|(listener, _)| listener).collect()
    };
    assert!(told(&mut tree).is_empty());
    // No event is read, as there is none of a mount.
    std::fs::rename(dir.join("a"), dir.join("below")).unwrap();
    std::fs::create_dir(dir.join("a")).unwrap();
    assert_eq!(told(&mut tree), [Listener(1), Listener(2)]);
    assert!(told(&mut tree).is_empty());
    assert!(tree.masks(&dir.join("a")).iter().any(|mask| mask.contains(inotify::WatchFlags::CREATE)));
}

#[test]
fn what_may_hang_is_not_looked_at_when_something_else_is_mounted() {
    let dir = Scratch::new("watch-far-mounted");
    std::fs::create_dir(dir.join("far")).unwrap();
    let events = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).unwrap();
    let mut tree = Tree::new(Some(Arc::new(events)));
    tree.add(Listener(1), &dir.join("far/x"), false);
    let replace = |name: &str| {
        std::fs::rename(dir.join("far"), dir.join(name)).unwrap();
        std::fs::create_dir(dir.join("far")).unwrap();
    };
    let mut n_told = |may_hang: bool| {
        tree.remounted(&BTreeMap::from([(dir.join("far"), may_hang)]));
        tree.take_fired().len()
    };
    replace("first");
    assert_eq!((n_told(true), n_told(true)), (1, 0), "it was mounted");
    replace("second");
    assert_eq!(n_told(true), 0, "something else was mounted");
    assert_eq!(n_told(false), 1, "something else is on top");
}

#[test]
fn what_is_mounted_over_a_file_is_another_file() {
    let dir = Scratch::new("watch-mounted-file");
    let (one, other) = (dir.join("one"), dir.join("other"));
    std::fs::write(&one, "x").unwrap();
    std::fs::write(&other, "x").unwrap();
    let events = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).unwrap();
    let mut tree = Tree::new(Some(Arc::new(events)));
    tree.add(Listener(1), &one, false);
    tree.add(Listener(2), &other, false);
    // No event is read, as there is none of a mount.
    let replace = || {
        for path in [&one, &other] {
            std::fs::write(dir.join("new"), "x").unwrap();
            std::fs::rename(dir.join("new"), path).unwrap();
        }
    };
    let mut told = |points: &[&Path]| -> Vec<Listener> {
        tree.remounted(&points.iter().map(|point| (point.to_path_buf(), false)).collect());
        tree.take_fired().into_iter().map(|(listener, _)| listener).collect()
    };
    replace();
    assert_eq!(told(&[one.as_path()]), [Listener(1)], "it was mounted");
    assert!(told(&[one.as_path()]).is_empty());
    replace();
    assert_eq!(told(&[]), [Listener(1)], "it was unmounted");
    replace();
    assert!(told(&[]).is_empty(), "nothing is mounted there");
}

#[test]
fn what_is_mounted_over_a_file_is_noticed_through_a_link_to_its_directory() {
    let dir = Scratch::new("watch-mounted-link");
    let file = dir.join("real/file");
    std::fs::create_dir(dir.join("real")).unwrap();
    std::fs::write(&file, "x").unwrap();
    std::os::unix::fs::symlink("real", dir.join("link")).unwrap();
    let events = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).unwrap();
    let mut tree = Tree::new(Some(Arc::new(events)));
    tree.add(Listener(1), &dir.join("link/file"), false);
    // As if the other file were mounted over it: no event is read.
    std::fs::write(dir.join("other"), "x").unwrap();
    std::fs::rename(dir.join("other"), &file).unwrap();
    tree.remounted(&BTreeMap::from([(file, false)]));
    let told: Vec<Listener> = tree.take_fired().into_iter().map(|(listener, _)| listener).collect();
    assert_eq!(told, [Listener(1)]);
}

#[test]
fn what_is_beside_a_mount_point_is_not_looked_at() {
    let dir = Scratch::new("watch-beside");
    let events = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).unwrap();
    let mut tree = Tree::new(Some(Arc::new(events)));
    for (listener, name) in [(1, "far"), (2, "near")] {
        std::fs::create_dir(dir.join(name)).unwrap();
        tree.add(Listener(listener), &dir.join(name).join("x"), false);
    }
    let mut told = || -> Vec<Listener> {
        tree.remounted(&BTreeMap::from([(dir.join("far"), true)]));
        tree.take_fired().into_iter().map(|(listener, _)| listener).collect()
    };
    assert!(told().is_empty());
    for name in ["far", "near"] {
        std::fs::rename(dir.join(name), dir.join(format!("old-{name}"))).unwrap();
        std::fs::create_dir(dir.join(name)).unwrap();
    }
    assert_eq!(told(), [Listener(2)]);
}
