//! What passes between runs and hosts: the value store, exports, a dry look, the end of a program.

use crate::Run;
use mclive_compiler::protocol::Options;

#[test]
fn a_stored_value_comes_back_to_the_program() {
    let program = r#"
import "value"
value "v" { any => "stored", }
$v = value.get_str("v")
file "/t/f" { state => "exists", content => if $v->ready { $v->value } else { "not ready" }, }
"#;
    let run = Run::new(|_| {}, program);
    assert_eq!(run.read("/t/f"), "stored", "{}", run.failure());
}

#[test]
fn a_bad_value_keeps_the_last_good_graph_and_a_good_one_goes_on() {
    let program = r#"
import "os"
file "/t/f" { state => "exists", content => "x", mode => os.readfile("/t/mode"), }
"#;
    let mut run = Run::new(|world| world.write("/t/mode", "0600").unwrap(), program);
    assert_eq!(run.mode("/t/f"), 0o600);
    run.change(|world| world.write("/t/mode", "bogus").unwrap());
    assert!(run.failure().contains("bogus"), "{}", run.failure());
    run.change(|world| world.chmod("/t/f", 0o644).unwrap());
    assert_eq!(run.mode("/t/f"), 0o600, "the last good graph stays in force");
    run.change(|world| world.write("/t/mode", "0640").unwrap());
    assert_eq!(run.mode("/t/f"), 0o640, "good values count again");
}

fn check_once(program: &str, status: i32) {
    let options = Options { once: true, ..Options::default() };
    let run = Run::on(mclive_compiler::sim::SimHost::new("host1"), program, options);
    assert_eq!(run.sim.exit(), Some(status), "{program}: {}", run.failure());
}

#[test]
fn once_tells_by_its_status_how_it_went() {
    check_once(r#"file "/tmp/f" { state => "exists", content => "x", }"#, 0);
    check_once(r#"exec "/bin/sleep 1" {}"#, 0);
    check_once(r#"exec "/bin/false" {}"#, 3);
    check_once("nonsense", 1);
    check_once("import \"os\"\nfile \"/tmp/f\" { content => os.readfile(\"/nowhere\"), }", 3);
}

#[test]
fn once_leaves_no_watch_behind_and_a_second_time_changes_nothing() {
    let program = r#"file "/tmp/f" { state => "exists", content => "x", }"#;
    let options = Options { once: true, ..Options::default() };
    let first = Run::on(mclive_compiler::sim::SimHost::new("host1"), program, options.clone());
    let mut host = first.sim.host;
    host.restart();
    let mut second = Run::on(host, program, options);
    assert_eq!((second.sim.exit(), second.steps()), (Some(0), Vec::new()));
}

#[test]
fn what_is_exported_is_collected() {
    let program = r#"
import "world/collect" as col
file "/t/f" { state => "exists", content => "shared", Meta:hidden => true, Meta:export => ["*"], }
collect file col.res("file") { path => "/t/collected", }
"#;
    let mut host = mclive_compiler::sim::SimHost::new("host1");
    host.change(|world| world.make_dir("/t").unwrap());
    let run = Run::on(host, program, Options { hostname: "host1".into(), ..Options::default() });
    assert_eq!(run.tree("/t"), "collected=shared", "{}", run.failure());
}
