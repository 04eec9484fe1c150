//! Engine spec, 29: the scenarios that are about whole programs, by number. The others stand in
//! `sched/tests/acceptance.rs`.

use crate::Run;
use mclive_compiler::protocol::{Options, What};
use mclive_compiler::rgraph::text;

fn graph(run: &Run) -> String {
    text(&run.sim.machine.graph())
}

#[test]
fn n20_a_file_that_leaves_is_undone_and_then_its_record_goes() {
    let program = r#"file "/t/f" { state => "exists", content => "x", Meta:reverse => true, }"#;
    let mut run = Run::new(|_| {}, program);
    assert_eq!(run.read("/t/f"), "x");
    run.deploy(r#"print "other" {}"#, Options::default());
    assert_eq!(run.tree("/t"), "");
    assert_eq!(graph(&run), "Vertex: file[/t/f]\nVertex: print[other]\n", "the reversal is a vertex of its own");
    run.deploy(r#"print "another" {}"#, Options::default());
    assert_eq!(graph(&run), "Vertex: print[another]\n");
    // Nothing is left to undo: neither now nor at the next start.
    run.change(|world| world.write("/t/f", "mine").unwrap());
    let run = Run::on(run.stop(), r#"print "another" {}"#, Options::default());
    assert_eq!(run.read("/t/f"), "mine");
    assert_eq!(graph(&run), "Vertex: print[another]\n");
}

#[test]
fn n21_what_is_not_connected_is_grouped() {
    let run = Run::new(|_| {}, "noop [\"a\", \"c\", \"b\"] {}");
    assert_eq!(graph(&run), "Vertex: noop[c]\n");
    let members = run.sim.machine.graph();
    let members: Vec<String> =
        members.resources.values().flat_map(|leader| &leader.children).map(|child| child.id.to_string()).collect();
    assert_eq!(members, ["noop[b]", "noop[a]"]);
    let run =
        Run::new(|_| {}, "noop \"a\" { Before => Test[\"t\"], }\ntest \"t\" { Before => Noop[\"b\"], }\nnoop \"b\" {}");
    let lines = graph(&run);
    assert!(lines.contains("Vertex: noop[a]\n") && lines.contains("Vertex: noop[b]\n"), "{lines}");
}

#[test]
fn n22_an_automatic_edge_moves_to_the_nearer_directory() {
    let dir = |path: &str| format!("file \"{path}\" {{ state => \"exists\", }}\n");
    let file = "file \"/t/a/b/c\" { state => \"exists\", content => \"x\", }\n";
    let far = format!("{}{file}", dir("/t/a/"));
    let mut run = Run::new(|world| world.make_dir("/t/a/b").unwrap(), &far);
    assert!(graph(&run).starts_with("Edge: file[/t/a/] -> file[/t/a/b/c] #"), "{}", graph(&run));
    run.deploy(&format!("{}{far}", dir("/t/a/b/")), Options::default());
    let edges: Vec<String> = graph(&run).lines().filter(|line| line.starts_with("Edge")).map(String::from).collect();
    let ends: Vec<&str> = edges.iter().filter_map(|edge| edge.split(" # ").next()).collect();
    assert_eq!(ends, ["Edge: file[/t/a/] -> file[/t/a/b/]", "Edge: file[/t/a/b/] -> file[/t/a/b/c]"]);
    run.deploy(&far, Options::default());
    assert!(graph(&run).starts_with("Edge: file[/t/a/] -> file[/t/a/b/c] #"), "{}", graph(&run));
}

/// The old graph continues, the agent does not end, and good values count again.
#[test]
fn n25_a_bad_graph_leaves_the_last_good_one_at_work() {
    let program = r#"
import "os"
file "/t/f" { state => "exists", content => "kept", mode => os.readfile("/t/mode"), }
test "early" { Before => Test["late"], }
test "late" {}
if os.readfile("/t/order") == "bad" {
	Test["late"] -> Test["early"]
}
"#;
    let prepare = |world: &mut mclive_compiler::sim::World| {
        world.write("/t/mode", "0600").unwrap();
        world.write("/t/order", "good").unwrap();
    };
    for (path, bad) in [("/t/mode", "not a mode"), ("/t/order", "bad")] {
        let mut run = Run::new(prepare, program);
        assert_eq!(run.mode("/t/f"), 0o600, "{}", run.failure());
        run.change(|world| world.write(path, bad).unwrap());
        let told = run.events.iter().any(|event| matches!(&event.what, What::Stream { .. }));
        assert!(told, "{path}: the error is told");
        run.change(|world| world.remove("/t/f").unwrap());
        assert_eq!((run.read("/t/f").as_str(), run.mode("/t/f")), ("kept", 0o600), "{path}: the old graph reacts");
        assert_eq!(run.sim.exit(), None);
        run.change(|world| {
            prepare(world);
            world.write("/t/mode", "0640").unwrap();
        });
        assert_eq!(run.mode("/t/f"), 0o640, "{path}: good values count again");
    }
}
