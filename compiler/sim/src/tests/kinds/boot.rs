//! `tftp:server` with its files.

use super::{NOTHING, Run};
use crate::World;

const PROGRAM: &str = r#"
    tftp:server ":69" { root => "/srv/tftp/", }
    tftp:file "pxe" { path => "/boot/pxe", }
    tftp:file "menu" { filename => "/menu.cfg", data => "default linux\n", server => ":69", }
"#;

fn files(world: &mut World) {
    for (path, text) in [("/boot/pxe", "loader"), ("/srv/tftp/a/b", "below"), ("/secret", "secret")] {
        let dir = path.rsplit_once('/').unwrap().0;
        if !dir.is_empty() {
            world.make_dir(dir).unwrap();
        }
        world.write(path, text).unwrap();
    }
    world.symlink("/srv/tftp/out", "/secret").unwrap();
}

fn get(run: &Run, name: &str) -> String {
    match run.world().tftp(69, name) {
        Some(Ok(bytes)) => String::from_utf8(bytes).unwrap(),
        Some(Err(why)) => why,
        None => "nobody answers".into(),
    }
}

#[test]
fn names_are_files_and_what_is_below_the_root() {
    let run = Run::after(files, PROGRAM);
    assert_eq!(run.failures(), NOTHING);
    for (name, expect) in [
        ("pxe", "loader"),
        ("/menu.cfg", "default linux\n"),
        ("menu.cfg", "cannot find file `menu.cfg`"),
        ("a/b", "below"),
        ("/a/b", "below"),
        ("../secret", "cannot find file `../secret`"),
        ("out", "cannot find file `out`"),
    ] {
        assert_eq!(get(&run, name), expect, "{name}");
    }
    let (steps, run) = run.again();
    assert_eq!((steps.as_slice(), run.failures().as_slice()), (&[][..], &[][..]));
    let run = run.becomes("noop \"n\" { }");
    assert_eq!(get(&run, "pxe"), "nobody answers");
}

#[test]
fn it_answers_once_all_is_there() {
    let mut run = Run::new("tftp:server \":69\" { }\ntftp:file \"pxe\" { path => \"/boot/pxe\", }");
    assert!(run.failures()[0].contains("/boot/pxe"), "{:?}", run.failures());
    assert_eq!(get(&run, "pxe"), "nobody answers");
    run.change(|world| {
        world.make_dir("/boot").unwrap();
        world.write("/boot/pxe", "loader").unwrap();
    });
    assert_eq!(get(&run, "pxe"), "loader");
    // A missing file is reported; the rest is still served.
    run.reports.clear();
    run.sim.change(|world| world.remove("/boot/pxe").unwrap());
    run.settle();
    assert!(run.failures()[0].contains("/boot/pxe"), "{:?}", run.failures());
    run.reports.clear();
    run.sim.change(|world| world.write("/boot/pxe", "other").unwrap());
    run.settle();
    assert_eq!((run.failures(), get(&run, "pxe")), (Vec::new(), "other".into()));
    let run = Run::new("tftp:server \":69\" { root => \"/none/\", }");
    assert_eq!(run.failures()[..1], ["the root /none/ is not a directory"]);
    let run = Run::new("tftp:server \"a\" { address => \":69\", }\ntftp:server \"b\" { address => \":69\", }");
    assert!(run.failures()[0].contains("address already in use"), "{:?}", run.failures());
    assert_eq!(Run::new("tftp:file \"alone\" { }").failures(), NOTHING);
}
