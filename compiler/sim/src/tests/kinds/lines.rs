//! `line` and `ssh:authorized_key`.

use super::{NOTHING, Run};

const KEY: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g";

#[test]
fn lines_are_added_and_removed_and_the_rest_stays() {
    let program = r#"
        line "in" { file => "/srv/a", state => "exists", content => "one\ntwo", }
        line "out" { file => "/srv/a", state => "absent", content => "bad", Depend => Line["in"], }
    "#;
    let mut run = Run::after(|world| world.write("/srv/a", "first\r\nbad\r\nlast").unwrap(), program);
    assert_eq!(run.read("/srv/a"), "first\r\nlast\r\none\r\ntwo\r\n");
    assert_eq!(run.steps(), ["add 2 lines to /srv/a", "remove 1 line from /srv/a"]);
    let repair = run.change(|world| world.write("/srv/a", "one\nbad\n").unwrap());
    assert_eq!(run.read("/srv/a"), "one\none\ntwo\n", "{repair:?}");
    assert_eq!(run.change(|world| world.remove("/srv/a").unwrap()), ["add 2 lines to /srv/a"]);
    assert_eq!(format!("{:04o}", run.world().stat("/srv/a").unwrap().mode), "0600");
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn a_key_comes_to_a_user_that_the_same_program_makes() {
    let program = format!(
        r#"
        ssh:authorized_key "{KEY}  me" {{ state => "exists", user => "bob", }}
        user "bob" {{ state => "exists", homedir => "/home/bob/", }}
        file "/home/bob/" {{ state => "exists", owner => "bob", Depend => User["bob"], Before => Ssh:Authorized_key["{KEY}  me"], }}
        "#
    );
    let mut run = Run::new(&program);
    assert_eq!(run.failures(), NOTHING);
    assert_eq!(run.read("/home/bob/.ssh/authorized_keys"), format!("{KEY} me\n"));
    let uid = run.world().users["bob"].id;
    for (path, mode) in [("/home/bob/.ssh", 0o700), ("/home/bob/.ssh/authorized_keys", 0o600)] {
        let stat = run.world().stat(path).unwrap();
        assert_eq!((stat.mode, stat.uid), (mode, uid), "{path}");
    }
    let repair = run.change(|world| world.write("/home/bob/.ssh/authorized_keys", "# mine\n").unwrap());
    assert_eq!(repair, ["add 1 line to /home/bob/.ssh/authorized_keys"]);
    assert_eq!(run.read("/home/bob/.ssh/authorized_keys"), format!("# mine\n{KEY} me\n"));
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn a_purge_spares_keys_in_homes_that_are_named_by_their_accounts() {
    let program = format!(
        r#"
        file "/home/" {{ state => "exists", recurse => true, purge => true, }}
        ssh:authorized_key "{KEY} me" {{ state => "exists", user => "alice", Depend => File["/home/"], }}
        line "notes" {{ state => "exists", file => "~alice/notes", content => "one", Depend => File["/home/"], }}
        line "none" {{ state => "exists", file => "~nobody/notes", content => "one", }}
        "#
    );
    let keys = "/home/alice/.ssh/authorized_keys";
    let mut run = Run::new(&program);
    assert_eq!(run.read(keys), format!("{KEY} me\n"));
    let stray = run.change(|world| world.write("/home/stray", "x").unwrap());
    assert_eq!(stray, ["remove /home/stray"]);
    assert_eq!((run.read(keys), run.read("/home/alice/notes")), (format!("{KEY} me\n"), "one\n".to_owned()));
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn a_file_outside_a_home_waits_for_its_account() {
    let program = format!(
        r#"
        ssh:authorized_key "{KEY} me" {{ state => "exists", user => "bob", file => "/srv/keys", }}
        user "bob" {{ state => "exists", }}
        "#
    );
    let run = Run::new(&program);
    assert_eq!(run.failures(), NOTHING);
    assert_eq!(run.world().stat("/srv/keys").unwrap().uid, run.world().users["bob"].id);
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn the_blanks_between_the_parts_of_a_key_do_not_count() {
    let options = r#"from=\"10.0.0.1  10.0.0.2\",no-pty"#;
    let program = |state: &str| {
        format!(
            r#"
            ssh:authorized_key "{options} {KEY} me" {{ state => "{state}", file => "/srv/keys", }}
            ssh:authorized_key "{KEY} me too" {{ state => "{state}", file => "/srv/keys", }}
            "#
        )
    };
    let options = options.replace('\\', "");
    let wide = KEY.replace(' ', "\t ");
    let others = format!("# mine\n{} {KEY} me\n", options.replace("  ", " "));
    let text = format!("{others} {options}   {wide}\tme\r\n{KEY} me  too\n{KEY}   me too");
    let mut run = Run::after(|world| world.write("/srv/keys", text.as_str()).unwrap(), &program("exists"));
    assert_eq!(run.failures(), NOTHING);
    assert_eq!(run.steps(), NOTHING);
    assert_eq!(run.read("/srv/keys"), text);
    let run = Run::after(|world| world.write("/srv/keys", text.as_str()).unwrap(), &program("absent"));
    assert_eq!(run.read("/srv/keys"), others, "{:?}", run.failures());
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn what_is_made_in_a_home_belongs_to_its_account() {
    let program = format!(
        r#"
        user "bob" {{ state => "exists", homedir => "/home/bob/", }}
        file "/home/bob/" {{ state => "exists", owner => "bob", Depend => User["bob"], }}
        ssh:authorized_key "{KEY} me" {{
            state => "exists", file => "~bob/.ssh/more", Depend => File["/home/bob/"],
        }}
        "#
    );
    let mut run = Run::new(&program);
    assert_eq!(run.failures(), NOTHING);
    let check = |run: &Run| {
        let bob = &run.world().users["bob"];
        for (path, mode) in [("/home/bob/.ssh", 0o700), ("/home/bob/.ssh/more", 0o600)] {
            let stat = run.world().stat(path).unwrap();
            assert_eq!((stat.mode, stat.uid, stat.gid), (mode, bob.id, bob.gid), "{path}");
        }
        assert_eq!(run.read("/home/bob/.ssh/more"), format!("{KEY} me\n"));
    };
    check(&run);
    // What an agent leaves that is killed before it sets the owner.
    run.change(|world| {
        world.chown("/home/bob/.ssh", 0, 0).unwrap();
        world.write("/home/bob/.ssh/more", "").unwrap();
        world.chmod("/home/bob/.ssh/more", 0o600).unwrap();
        world.chown("/home/bob/.ssh/more", 0, 0).unwrap();
    });
    check(&run);
    let (steps, mut run) = run.again();
    assert_eq!(steps, NOTHING);
    // Another owner is someone's choice.
    run.change(|world| world.chown("/home/bob/.ssh", 77, 77).unwrap());
    let (steps, run) = run.again();
    assert_eq!(steps, NOTHING);
    assert_eq!(run.world().stat("/home/bob/.ssh").unwrap().uid, 77);
}

#[test]
fn a_home_that_nobody_has_is_a_failure_and_nothing_is_written() {
    let run = Run::new(r#"line "l" { file => "~nobody/a", state => "exists", content => "x", }"#);
    assert_eq!(run.failures(), ["invalid tilde prefix for path: ~nobody/a: cannot find user nobody"]);
}
