//! `file`: each aspect, repaired; and what is refused.

use crate::Run;

#[test]
fn a_second_look_changes_nothing() {
    let program = r#"
file "/t/d/" { state => "exists", mode => "0750", }
file "/t/d/f" { state => "exists", content => "x\n", mode => "u=rw,g=r,o=", owner => "alice", group => "alice", }
file "/t/l" { state => "exists", source => "d/f", symlink => true, }
file "/t/gone" { state => "absent", }
"#;
    let mut run = Run::new(|world| world.write("/t/gone", "x").unwrap(), program);
    assert_eq!(run.tree("/t"), "d/ d/f=x l->d/f");
    assert_eq!((run.mode("/t/d"), run.mode("/t/d/f")), (0o750, 0o640));
    assert!(!run.steps().is_empty());
    let host = run.stop();
    let mut again = Run::on(host, program, Default::default());
    assert_eq!(again.steps(), [""; 0]);
}

#[test]
fn what_was_changed_behind_its_back_is_repaired() {
    let program = r#"file "/t/f" { state => "exists", content => "x\n", mode => "0600", force => true, }"#;
    let mut run = Run::new(|_| {}, program);
    run.change(|world| world.write("/t/f", "other").unwrap());
    assert_eq!(run.read("/t/f"), "x\n");
    run.change(|world| world.chmod("/t/f", 0o777).unwrap());
    assert_eq!(run.mode("/t/f"), 0o600);
    run.change(|world| {
        world.remove("/t/f").unwrap();
        world.make_dir("/t/f/sub").unwrap();
    });
    assert_eq!(run.read("/t/f"), "x\n");
    run.change(|world| world.remove("/t/f").unwrap());
    assert_eq!(run.read("/t/f"), "x\n");
}

#[test]
fn a_link_in_a_copied_directory_becomes_the_file_behind_it() {
    let program = r#"file "/t/d/" { state => "exists", source => "/t/s/", recurse => true, }"#;
    let prepare = |world: &mut mclive_compiler::sim::World| {
        world.make_dir("/t/s").unwrap();
        world.write("/t/s/real", "x").unwrap();
        world.chmod("/t/s/real", 0o640).unwrap();
        world.symlink("/t/s/link", "real").unwrap();
    };
    let mut run = Run::new(prepare, program);
    assert_eq!((run.read("/t/d/link"), run.mode("/t/d/link")), ("x".into(), 0o640));
    run.change(|world| world.write("/t/s/real", "y").unwrap());
    assert_eq!((run.read("/t/d/link"), run.mode("/t/d/link")), ("y".into(), 0o640));
}

fn check_refused(prepare: fn(&mut mclive_compiler::sim::World), fields: &str, expect: &str) {
    let run = Run::new(prepare, &format!("file \"/t/x\" {{ {fields}, }}"));
    assert_eq!(run.failure(), expect, "{fields}");
}

#[test]
fn impossible_files_are_reported_and_left_unchanged() {
    let dir = |world: &mut mclive_compiler::sim::World| world.make_dir("/t/x").unwrap();
    let full = |world: &mut mclive_compiler::sim::World| world.make_dir("/t/x/y").unwrap();
    let file = |world: &mut mclive_compiler::sim::World| world.write("/t/x", "old").unwrap();
    check_refused(
        dir,
        r#"state => "exists", content => "x""#,
        "/t/x is a directory: set `force => true` to replace it with a file",
    );
    check_refused(full, r#"state => "absent""#, "remove /t/x: directory not empty");
    check_refused(
        file,
        r#"state => "exists", symlink => true, source => "y""#,
        "/t/x is not a symbolic link: set `force => true` to replace it",
    );
    check_refused(
        file,
        r#"path => "/t/x/", state => "exists""#,
        "/t/x is not a directory: set `force => true` to replace it",
    );
    check_refused(
        file,
        r#"path => "/t/x/", state => "absent", recurse => true"#,
        "could not stat file: stat /t/x/: not a directory",
    );
    check_refused(
        full,
        r#"path => "/t/x/y/", state => "exists", source => "/t/x/", recurse => true"#,
        "cannot copy /t/x/ into itself: /t/x/y/",
    );
    check_refused(
        full,
        r#"path => "/t/x/", state => "exists", source => "/t/x/y/", recurse => true"#,
        "cannot copy /t/x/y/ over the directory that contains it: /t/x/",
    );
    // The same through a link.
    let linked = |world: &mut mclive_compiler::sim::World| {
        world.make_dir("/t/data/y").unwrap();
        world.symlink("/t/x", "data").unwrap();
    };
    check_refused(
        linked,
        r#"path => "/t/x/y/", state => "exists", source => "/t/data/", recurse => true"#,
        "cannot copy /t/data/ into itself: /t/x/y/",
    );
    check_refused(
        linked,
        r#"path => "/t/x/", state => "exists", source => "/t/data/y/", recurse => true"#,
        "cannot copy /t/data/y/ over the directory that contains it: /t/x/",
    );
    let fragment = |world: &mut mclive_compiler::sim::World| {
        world.make_dir("/t/frag").unwrap();
        world.write("/t/frag/x", "old").unwrap();
        world.symlink("/t/l", "frag").unwrap();
    };
    check_refused(
        fragment,
        r#"path => "/t/l/x", state => "exists", fragments => ["/t/frag/"]"#,
        "/t/l/x is also one of its fragments",
    );
    check_refused(|_| {}, r#"content => "x""#, "open /t/x: no such file or directory");
    check_refused(|_| {}, r#"mode => "0600""#, "stat /t/x: no such file or directory");
    check_refused(|_| {}, r#"state => "exists", owner => "bob""#, "user lookup error (bob): unknown user bob");
    check_refused(|_| {}, r#"path => "/t/no/x", state => "exists""#, "open /t/no/x: no such file or directory");
    check_refused(
        |_| {},
        r#"state => "exists", fragments => ["/t/frag"]"#,
        "could not read file fragment: open /t/frag: no such file or directory",
    );
}

#[test]
fn force_replaces_what_is_in_the_way() {
    let program = r#"
file "/t/d/" { state => "exists", force => true, }
file "/t/f" { state => "exists", content => "x", force => true, }
file "/t/l" { state => "exists", source => "f", symlink => true, force => true, }
"#;
    let prepare = |world: &mut mclive_compiler::sim::World| {
        world.write("/t/d", "old").unwrap();
        world.make_dir("/t/f/sub").unwrap();
        world.write("/t/l", "old").unwrap();
    };
    assert_eq!(Run::new(prepare, program).tree("/t"), "d/ f=x l->f");
}

#[test]
fn a_link_to_nowhere_gives_way_to_a_directory_by_force_alone() {
    let prepare = |world: &mut mclive_compiler::sim::World| world.symlink("/t/x", "none").unwrap();
    check_refused(
        prepare,
        r#"path => "/t/x/", state => "exists""#,
        "/t/x is a symbolic link whose target does not exist: set `force => true` to replace it",
    );
    let mut run = Run::new(prepare, r#"file "/t/x/" { state => "exists", force => true, }"#);
    assert_eq!(run.tree("/t"), "x/");
    run.change(|world| {
        world.remove("/t/x").unwrap();
        world.symlink("/t/x", "none").unwrap();
    });
    assert_eq!(run.tree("/t"), "x/");
}

#[test]
fn a_link_to_a_directory_gives_way_to_a_copied_file_by_force_alone() {
    let prepare = |world: &mut mclive_compiler::sim::World| {
        world.make_dir("/t/s").unwrap();
        world.write("/t/s/f", "new").unwrap();
        world.make_dir("/t/else").unwrap();
        world.write("/t/else/kept", "old").unwrap();
        world.make_dir("/t/x").unwrap();
        world.symlink("/t/x/f", "/t/else").unwrap();
    };
    let fields = r#"path => "/t/x/", state => "exists", source => "/t/s/", recurse => true"#;
    check_refused(prepare, fields, "/t/x/f is a directory: set `force => true` to replace it with a file");
    let mut run = Run::new(prepare, &format!("file \"x\" {{ {fields}, force => true, }}"));
    assert_eq!(run.tree("/t"), "else/ else/kept=old s/ s/f=new x/ x/f=new");
    run.change(|world| {
        world.remove("/t/x/f").unwrap();
        world.symlink("/t/x/f", "/t/else").unwrap();
    });
    assert_eq!(run.tree("/t"), "else/ else/kept=old s/ s/f=new x/ x/f=new");
}

#[test]
fn fragments_are_joined_in_order_and_followed() {
    let program = r#"
file "/t/all" { state => "exists", fragments => ["/t/head", "/t/parts/"], }
"#;
    let prepare = |world: &mut mclive_compiler::sim::World| {
        world.make_dir("/t/parts/deeper").unwrap();
        for (path, text) in
            [("/t/head", "h\n"), ("/t/parts/b", "b\n"), ("/t/parts/a", "a\n"), ("/t/parts/deeper/c", "c\n")]
        {
            world.write(path, text).unwrap();
        }
    };
    let mut run = Run::new(prepare, program);
    assert_eq!(run.read("/t/all"), "h\na\nb\n");
    run.change(|world| world.write("/t/parts/ab", "ab\n").unwrap());
    assert_eq!(run.read("/t/all"), "h\na\nab\nb\n");
}

#[test]
fn fragments_that_are_too_long_together_are_not_read() {
    let prepare = |world: &mut mclive_compiler::sim::World| {
        world.write("/t/a", vec![b'x'; 33 << 20]).unwrap();
        world.make_dir("/t/d").unwrap();
        for name in ["b", "c"] {
            world.symlink(&format!("/t/d/{name}"), "/t/a").unwrap();
        }
    };
    // Of links, what they lead to counts.
    for fragments in [r#"["/t/a", "/t/d/b"]"#, r#"["/t/d/"]"#] {
        check_refused(
            prepare,
            &format!("state => \"exists\", fragments => {fragments}"),
            "the fragments of /t/x have 69206016 bytes in total, more than 64 MiB",
        );
    }
}

#[test]
fn a_purge_keeps_what_others_manage() {
    let program = r#"
file "/t/d/" { state => "exists", recurse => true, purge => true, }
file "/t/d/kept" { state => "exists", content => "k", }
file "/t/d/sub/" { state => "exists", }
file "/t/d/sub/deep" { state => "exists", content => "d", }
"#;
    let prepare = |world: &mut mclive_compiler::sim::World| {
        world.make_dir("/t/d/junk/in").unwrap();
        world.write("/t/d/litter", "l").unwrap();
    };
    let mut run = Run::new(prepare, program);
    assert_eq!(run.tree("/t"), "d/ d/kept=k d/sub/ d/sub/deep=d");
    run.change(|world| world.write("/t/d/more", "m").unwrap());
    assert_eq!(run.tree("/t"), "d/ d/kept=k d/sub/ d/sub/deep=d");
}

#[test]
fn a_purge_keeps_what_others_manage_behind_a_link() {
    let program = r#"
file "/t/d/" { state => "exists", recurse => true, purge => true, }
file "/t/l/sub/a" { state => "exists", content => "x", }
line "b" { state => "exists", file => "/t/l/b", content => "added", }
"#;
    let prepare = |world: &mut mclive_compiler::sim::World| {
        world.make_dir("/t/d/sub").unwrap();
        world.make_dir("/t/d/junk/b").unwrap();
        world.symlink("/t/l", "d").unwrap();
        world.write("/t/d/b", "kept\n").unwrap();
        world.write("/t/d/sub/a", "x").unwrap();
        world.write("/t/d/litter", "l").unwrap();
    };
    let run = Run::new(prepare, program);
    assert_eq!((run.read("/t/d/b"), run.read("/t/d/sub/a")), ("kept\nadded\n".into(), "x".into()));
    assert!(!run.tree("/t").contains("junk") && !run.tree("/t").contains("litter"), "{}", run.tree("/t"));
}

#[test]
fn a_directory_is_copied_with_its_modes() {
    let program = r#"file "/t/to/" { state => "exists", source => "/t/from/", recurse => true, }"#;
    let prepare = |world: &mut mclive_compiler::sim::World| {
        world.make_dir("/t/from/sub").unwrap();
        world.write("/t/from/a", "a").unwrap();
        world.chmod("/t/from/a", 0o711).unwrap();
        world.write("/t/from/sub/b", "b").unwrap();
        world.make_dir("/t/to/old/er").unwrap();
    };
    let mut run = Run::new(prepare, program);
    assert_eq!(run.tree("/t/to"), "a=a sub/ sub/b=b");
    assert_eq!(run.mode("/t/to/a"), 0o711);
    run.change(|world| world.write("/t/to/sub/b", "c").unwrap());
    assert_eq!(run.read("/t/to/sub/b"), "b");
    run.change(|world| {
        world.make_dir("/t/from/new").unwrap();
        world.write("/t/from/new/n", "1").unwrap();
    });
    run.change(|world| world.write("/t/from/new/n", "2").unwrap());
    assert_eq!(run.read("/t/to/new/n"), "2", "directories made later are followed");
}

#[test]
fn a_dry_run_of_a_missing_file_says_what_it_would_do() {
    let program = r#"file "/t/f" { state => "exists", content => "x\n", mode => "0600", Meta:noop => true, }"#;
    let mut run = Run::new(|_| {}, program);
    assert_eq!(run.failure(), "");
    assert_eq!(run.steps(), ["write /t/f (2 bytes), mode 0600"]);
    assert_eq!(run.tree("/t"), "");
}

#[test]
fn an_ancestor_that_is_renamed_away_is_noticed() {
    let program = r#"
file "/t/d/" { state => "exists", }
file "/t/d/f" { state => "exists", content => "x", Meta:retry => 3, Meta:delay => 50, }
"#;
    let mut run = Run::new(|_| {}, program);
    run.change(|world| world.rename("/t/d", "/t/moved").unwrap());
    assert_eq!(run.tree("/t"), "d/ d/f=x moved/ moved/f=x");
}
