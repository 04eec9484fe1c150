//! Changing a few fields in a running graph has the same result as building the graph from scratch.

use crate::brain::Brain;
use crate::protocol::{Deploy, Input, Options};
use crate::rgraph::text_with_fields;
use crate::{Sim, SimHost};

const PROGRAM: &str = r#"
import "os"
$a = os.readfile("/a")
$b = os.readfile("/b")
$c = os.readfile("/c")
file "/t/" {
    state => "exists",
}
file "/t/x" {
    state => "exists",
    content => $a,
}
file "moved" {
    path => "/t/${b}",
    state => "exists",
    content => $a,
}
file "/t/sub/" {
    state => "exists",
}
print "p" {
    msg => $a,
}
print "q" {
    msg => "fixed",
}
exec "e" {
    cmd => "echo ${a} ${c}",
    shell => "/bin/sh",
    Depend => File["/t/x"],
}
file "/t/out" {
    state => "exists",
    mode => if $c == "on" { "0600" } else { "0640" },
}
Exec["e"].stdout -> File["/t/out"].content
if $c == "on" {
    file "/t/z" {
        state => "exists",
        content => $b,
    }
}
"#;

fn start(values: &[(&str, &str)]) -> Sim<Brain> {
    let mut host = SimHost::new("host1");
    host.change(|world| {
        values.iter().for_each(|(path, value)| world.write(path, *value).expect("nothing is in the way"));
    });
    let mut sim = Sim::new(Brain::new(), host);
    let files = vec![("/main.mcl".to_owned(), PROGRAM.as_bytes().to_vec())];
    sim.tell(Input::Deploy(Deploy { files, entry: "/main.mcl".into(), options: Options::default() }));
    settle(&mut sim);
    sim
}

fn settle(sim: &mut Sim<Brain>) {
    let until = sim.now().plus_ms(10_000);
    assert!(sim.advance(until, 1_000_000), "it comes to rest");
}

#[test]
fn exchanges_come_to_the_same_as_a_whole_graph() {
    let mut values = [("/a", "one"), ("/b", "one"), ("/c", "one")];
    let mut sim = start(&values);
    let mut number = 7u32;
    for round in 0..60 {
        number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let at = (number >> 16) as usize % 3;
        values[at].1 = ["one", "two", "on", "sub/f"][(number >> 24) as usize % 4];
        let (path, value) = values[at];
        sim.change(|world| world.write(path, value)).expect("it can be written");
        if round % 3 != 0 {
            settle(&mut sim);
            let fresh = start(&values);
            let (kept, fresh) = (sim.machine.graph(), fresh.machine.graph());
            assert_eq!(text_with_fields(&kept), text_with_fields(&fresh), "round {round}: {values:?}");
            for (path, _) in [("/t/x", ""), ("/t/z", "")] {
                let wanted = kept.resources.values().any(|resource| *resource.id.name == *path);
                assert!(!wanted || sim.host.world().read(path).is_ok(), "round {round}: {path}");
            }
        }
    }
}
