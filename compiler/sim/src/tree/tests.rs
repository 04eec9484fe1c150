//! Tests of the file system in memory.

use super::*;

#[test]
fn links_are_followed_where_asked_and_loops_are_reported() {
    let mut tree = Tree::new();
    tree.make_dir("/a/b", true, None).unwrap();
    tree.symlink("/l", "a/b/").unwrap();
    tree.write("/l/f", b"x".to_vec(), None).unwrap();
    assert_eq!(tree.read("/a/b/f").unwrap(), b"x");
    assert_eq!(tree.stat("/l", false).unwrap().unwrap().kind, FileKind::Symlink);
    assert_eq!(tree.stat("/l", true).unwrap().unwrap().kind, FileKind::Dir);
    tree.symlink("/x", "/y").unwrap();
    tree.symlink("/y", "/x").unwrap();
    assert!(tree.read("/x").unwrap_err().message.contains("too many levels"));
    tree.symlink("/dangling", "/nowhere").unwrap();
    assert_eq!(tree.stat("/dangling", true).unwrap(), None);
}

#[test]
fn paths_are_as_long_as_on_a_real_host() {
    let mut tree = Tree::new();
    let deep = format!("/{}", "d".repeat(100)).repeat(40);
    tree.make_dir(&deep, true, None).unwrap();
    for long in [format!("{deep}/{}", "b".repeat(60)), "/a".repeat(20_000), format!("/{}", "n".repeat(256))] {
        let tried = [
            tree.make_dir(&long, true, None).unwrap_err(),
            tree.write(&long, Vec::new(), None).unwrap_err(),
            tree.symlink("/l", &long).unwrap_err(),
            tree.stat(&long, true).unwrap_err(),
        ];
        assert!(tried.iter().all(|error| error.message.ends_with("…: file name too long")), "{tried:?}");
    }
}

#[test]
fn a_directory_does_not_move_into_itself() {
    let mut tree = Tree::new();
    tree.make_dir("/a/b", true, None).unwrap();
    for to in ["/a/c", "/a/b/c"] {
        assert!(tree.rename("/a", to).unwrap_err().message.ends_with("invalid argument"));
    }
    tree.rename("/a", "/ab").unwrap();
    assert!(tree.stat("/ab/b", false).unwrap().is_some());
}

#[test]
fn a_tree_moves_and_goes_as_a_whole() {
    let mut tree = Tree::new();
    tree.make_dir("/a/b", true, None).unwrap();
    tree.write("/a/b/f", b"x".to_vec(), Some(0o600)).unwrap();
    tree.rename("/a", "/z").unwrap();
    assert_eq!(tree.stat("/z/b/f", true).unwrap().unwrap().mode, 0o600);
    assert_eq!(tree.remove("/z", false).unwrap_err().kind, HostErrorKind::NotEmpty);
    tree.remove("/z", true).unwrap();
    assert_eq!(tree.all().count(), 1);
    assert_eq!(tree.remove("/", true).unwrap_err().kind, HostErrorKind::Refused);
}

#[test]
fn a_file_is_no_directory() {
    let mut tree = Tree::new();
    tree.write("/f", Vec::new(), None).unwrap();
    assert_eq!(tree.write("/f/g", Vec::new(), None).unwrap_err().kind, HostErrorKind::NotADirectory);
    assert_eq!(tree.write("/d/g", Vec::new(), None).unwrap_err().kind, HostErrorKind::NotFound);
    assert_eq!(tree.stat("/f/", true).unwrap_err().kind, HostErrorKind::NotADirectory);
    assert_eq!(tree.make_dir("/f", false, None).unwrap_err().kind, HostErrorKind::Exists);
}

#[test]
fn a_stamp_differs_once_something_in_its_directory_does() {
    let mut tree = Tree::new();
    tree.make_dir("/etc/units/a.wants", true, None).unwrap();
    tree.make_dir("/srv", false, None).unwrap();
    let mut before = tree.stamp("/etc/units");
    let mut differs = |tree: &Tree| std::mem::replace(&mut before, tree.stamp("/etc/units")) != before;

    tree.write("/srv/f", b"x".to_vec(), None).unwrap();
    tree.write("/etc/f", b"x".to_vec(), None).unwrap();
    assert!(!differs(&tree), "beside it");
    tree.write("/etc/units/f", b"x".to_vec(), None).unwrap();
    assert!(differs(&tree));
    tree.symlink("/etc/units/a.wants/f", "/srv/f").unwrap();
    assert!(differs(&tree));
    tree.write("/srv/f", b"y".to_vec(), None).unwrap();
    assert!(!differs(&tree), "links below its entries are not followed");
    tree.symlink("/etc/units/l", "/srv/f").unwrap();
    assert!(differs(&tree));
    tree.write("/srv/f", b"z".to_vec(), None).unwrap();
    assert!(differs(&tree), "it may be read through the link");
    tree.remove("/etc/units/l", false).unwrap();
    assert!(differs(&tree));

    tree.rename("/etc/units", "/srv/units").unwrap();
    assert!(differs(&tree));
    tree.symlink("/etc/units", "/srv/units").unwrap();
    assert!(differs(&tree));
    tree.change("/srv/units/f", true, |node| node.mode = 0o600).unwrap();
    assert!(differs(&tree), "a change where it really is");
    tree.remove("/etc", true).unwrap();
    assert!(differs(&tree));
    assert_eq!(tree.stamp("/etc/units"), None);
}

#[test]
fn directories_are_known_apart_from_files() {
    let mut tree = Tree::new();
    for dir in ["/d/b/c", "/d/a", "/d-e/f"] {
        tree.make_dir(dir, true, None).unwrap();
    }
    tree.write("/d/file", Vec::new(), None).unwrap();
    let names = |tree: &Tree, dir: &str| tree.folders_in(dir).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(names(&tree, "/d"), ["a", "b"]);
    assert_eq!(names(&tree, "/"), ["d", "d-e"]);
    tree.rename("/d/file", "/d/a").unwrap();
    assert_eq!(names(&tree, "/d"), ["b"]);
    tree.rename("/d", "/g").unwrap();
    assert_eq!((names(&tree, "/d").len(), names(&tree, "/g")), (0, vec!["b".to_owned()]));
    tree.remove("/g/b", true).unwrap();
    assert_eq!(names(&tree, "/g").len(), 0);
}
