//! `gzip`, `tar` and `json:edit`.

use super::{NOTHING, Run};
use crate::World;
use crate::protocol::{Deploy, Input, Options};

fn tree(world: &mut World) {
    world.make_dir("/srv/www/sub").unwrap();
    world.write("/srv/www/a", "one").unwrap();
    world.write("/srv/www/sub/b", "two").unwrap();
}

#[test]
fn a_compressed_file_follows_its_input() {
    let mut run = Run::after(tree, r#"gzip "/srv/a.gz" { input => "/srv/www/a", }"#);
    assert_eq!(run.steps(), ["compress /srv/www/a into /srv/a.gz", "store input.sha256", "store output.sha256"]);
    assert_eq!(
        run.change(|world| world.write("/srv/www/a", "other").unwrap())[0],
        "compress /srv/www/a into /srv/a.gz"
    );
    assert_eq!(run.change(|world| world.write("/srv/a.gz", "spoilt").unwrap()).len(), 3);
    assert_eq!(run.change(|world| world.remove("/srv/a.gz").unwrap()).len(), 3);
    assert_eq!(run.change(|world| world.write("/srv/www/a", "other").unwrap()), NOTHING);
    assert_eq!(run.again().0, NOTHING);
    let mut run = Run::new(r#"gzip "/srv/c.gz" { content => "text", level => 9, }"#);
    assert_eq!(run.steps()[0], "compress 4 bytes into /srv/c.gz");
    let run = Run::new(r#"gzip "/srv/c.gz" { input => "/none", }"#);
    assert!(run.failures()[0].contains("/none"), "{:?}", run.failures());
}

#[test]
fn an_archive_follows_all_that_is_in_it() {
    let mut run = Run::after(tree, r#"tar "/srv/w.tar" { inputs => ["/srv/www", "/etc/hostname"], }"#);
    assert_eq!(run.steps()[0], "pack /srv/www, /etc/hostname into /srv/w.tar");
    let bytes = run.read("/srv/w.tar");
    let at = |text: &str| bytes.find(text).unwrap_or_else(|| panic!("{text}"));
    assert!(at("www/\0") < at("www/a\0") && at("www/a\0") < at("www/sub/b\0") && at("www/sub/b\0") < at("hostname\0"));
    // Also without a trailing slash, files below count.
    assert_eq!(run.change(|world| world.write("/srv/www/sub/b", "new").unwrap()).len(), 3);
    assert_eq!(run.change(|world| world.remove("/srv/www/a").unwrap()).len(), 3);
    assert_eq!(run.change(|world| world.remove("/srv/w.tar").unwrap()).len(), 3);
    let (steps, mut run) = run.again();
    assert_eq!(steps, NOTHING);
    // A link is a member, and another target makes another archive.
    assert_eq!(run.change(|world| world.symlink("/srv/www/link", "to-a").unwrap()).len(), 3);
    assert!(run.read("/srv/w.tar").contains("to-a\0"));
    assert_eq!(run.change(|world| world.symlink("/srv/www/link", "to-b").unwrap()).len(), 3);
    // So are modes and owners, but a file that is only written again is the same.
    assert_eq!(run.change(|world| world.chmod("/srv/www/sub/b", 0o600).unwrap()).len(), 3);
    assert!(run.read("/srv/w.tar").contains("0000600\0"));
    assert_eq!(run.change(|world| world.chmod("/srv/www/sub", 0o700).unwrap()).len(), 3);
    assert_eq!(run.change(|world| world.chown("/srv/www/sub/b", 1000, 1000).unwrap()).len(), 3);
    assert_eq!(run.change(|world| world.write("/srv/www/sub/b", "new").unwrap()), NOTHING);
    assert_eq!(run.again().0, NOTHING);
    let run = Run::after(tree, r#"tar "/srv/www/w.tar" { inputs => ["/srv/"], }"#);
    assert_eq!(run.failures(), ["the archive /srv/www/w.tar would contain itself"]);
}

#[test]
fn an_archive_of_the_program_follows_its_deploys() {
    let program = r#"deploy:tar "/srv/p.tar" { format => 4, }"#;
    let mut run = Run::after(tree, program);
    assert_eq!(run.steps(), ["write /srv/p.tar (2048 bytes)", "store input.sha256", "store output.sha256"]);
    assert!(run.read("/srv/p.tar").starts_with("/main.mcl\0") && run.read("/srv/p.tar").contains(program));
    // Another file is deployed, and the resource is unchanged.
    let deploy = |run: &mut Run, more: &[(&str, &str)]| {
        let mut files = vec![("/main.mcl".to_owned(), format!("{program}\n").into_bytes())];
        files.extend(more.iter().map(|(path, text)| (path.to_string(), text.as_bytes().to_vec())));
        run.sim.tell(Input::Deploy(Deploy { files, entry: "/main.mcl".into(), options: Options::default() }));
        run.settle();
        run.steps()
    };
    assert_eq!(deploy(&mut run, &[("/files/a/b.txt", "hello")]).len(), 3);
    let archive = run.read("/srv/p.tar");
    let at = |text: &str| archive.find(text).unwrap_or_else(|| panic!("{text}"));
    assert!(
        at("/files/\0") < at("/files/a/\0") && at("/files/a/\0") < at("/files/a/b.txt\0") && at("b.txt") < at("hello")
    );
    assert_eq!(deploy(&mut run, &[("/files/a/b.txt", "hello")]), NOTHING);
    assert_eq!(run.change(|world| world.write("/srv/p.tar", "spoilt").unwrap()).len(), 3);
    assert_eq!(run.change(|world| world.remove("/srv/p.tar").unwrap()).len(), 3);
    assert_eq!(deploy(&mut run, &[]).len(), 3);
    assert_eq!(run.again().0, NOTHING);
    let run = Run::new(r#"deploy:tar "/none/p.tar" { }"#);
    assert!(run.failures()[0].contains("/none/p.tar"), "{:?}", run.failures());
}

#[test]
fn edits_keep_what_they_do_not_touch() {
    let write = |world: &mut World| world.write("/etc/a.json", "{\n  \"z\": 1.50,\n  \"a\": {}\n}\n").unwrap();
    let program = r#"json:edit "/etc/a.json" { edits => [".a.b = true", "del(.old)", ".[\"x y\"] = [1, 2]"], }"#;
    let mut run = Run::after(write, program);
    assert_eq!(run.steps(), ["set .a.b, delete .old, set .x y in /etc/a.json"]);
    let expect = "{\n  \"z\": 1.50,\n  \"a\": {\"b\": true},\n  \"x y\": [1, 2]\n}\n";
    assert_eq!(run.read("/etc/a.json"), expect);
    assert_eq!(run.change(|world| world.write("/etc/a.json", expect.replace("true", "false")).unwrap()).len(), 1);
    // Spelled differently, but equal.
    let other = "{\"a\":{\"b\":true},\"x y\":[1,2],\"z\":1.50}";
    assert_eq!(run.change(|world| world.write("/etc/a.json", other).unwrap()), NOTHING);
    run.sim.change(|world| world.write("/etc/a.json", "[1]").unwrap());
    run.settle();
    assert_eq!(run.failures(), ["it is not a JSON object"]);
    assert_eq!(run.read("/etc/a.json"), "[1]");
    let run = Run::new(program);
    assert!(run.failures()[0].contains("/etc/a.json"), "{:?}", run.failures());
    let mut run = Run::new(r#"json:edit "etcd:///config" { edits => [".a = 1"], }"#);
    assert_eq!(run.steps().len(), 1);
    assert_eq!(run.again().0, NOTHING);
}
