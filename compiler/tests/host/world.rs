//! What passes between runs and hosts: the value store, exports, a dry look, the end of a program.

use crate::Run;
use mclive_compiler::protocol::{Event, Options, Phase, What};
use mclive_compiler::vocab::{Datum, KeyStore};

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

/// What is notified of a program that feeds itself, for two minutes.
fn feeds_itself(program: &str) -> (Run, Vec<String>) {
    let mut run = Run::new(|world| world.write("/t/f", "x").unwrap(), program);
    run.pass(120_000);
    let told = run.events.iter().filter_map(limited).collect();
    (run, told)
}

const READS: &str = "each change triggers the next one, because the program reads what this resource writes";

#[test]
fn a_file_whose_content_follows_from_its_own_is_slowed_and_reported_once() {
    let exchanged = "file \"/t/f\" { state => \"exists\", content => $c + \"x\", }";
    // With another resource in each graph.
    let switched = format!("{exchanged}\nnoop \"n${{c}}\" {{}}");
    for rest in [exchanged, &switched] {
        let (run, told) = feeds_itself(&format!("import \"os\"\n$c = os.readfile(\"/t/f\")\n{rest}"));
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].starts_with("21 repairs in "), "{told:?}");
        assert!(told[0].contains(READS) && told[0].contains("the content of /t/f"), "{told:?}");
        // Twenty at once, some with growing rests, and then one in 3.2 s.
        let n_changes = run.read("/t/f").len();
        assert!((40..80).contains(&n_changes), "{n_changes}");
    }
}

#[test]
fn two_files_that_follow_from_each_other_are_slowed_and_told() {
    let program = r#"
import "os"
$f = os.readfile("/t/f")
$g = os.readfile("/t/g") <|> ""
file "/t/f" { state => "exists", content => $g + "x", }
file "/t/g" { state => "exists", content => $f + "y", }
"#;
    let (run, told) = feeds_itself(program);
    assert!(!told.is_empty() && told.len() <= 2 && told.iter().all(|text| text.contains(READS)), "{told:?}");
    let n_changes = run.read("/t/f").len();
    assert!((20..200).contains(&n_changes), "{n_changes}");
}

#[test]
fn one_that_follows_another_is_not_slowed_by_it() {
    let program = r#"
import "os"
file "/t/f" { state => "exists", content => os.readfile("/t/in"), }
file "/t/g" { state => "exists", content => os.readfile("/t/f") <|> "", }
"#;
    let mut run = Run::new(|world| world.write("/t/in", "0").unwrap(), program);
    for round in 1..60 {
        run.sim.change(|world| world.write("/t/in", round.to_string()).unwrap());
        run.pass(100);
        assert_eq!((run.read("/t/f"), run.read("/t/g")), (round.to_string(), round.to_string()));
    }
    assert_eq!(run.events.iter().filter_map(limited).count(), 0);
}

#[test]
fn a_command_that_changes_what_it_watches_is_slowed_and_reported_once() {
    let (run, told) =
        feeds_itself(r#"exec "e" { cmd => "echo x >> /t/f", shell => "/bin/sh", watchfiles => ["/t/f"], }"#);
    assert_eq!(told.len(), 1, "{told:?}");
    let why = "each run triggers the next one, because its command changes what this resource watches";
    assert!(told[0].contains(why) && told[0].contains("last event: /t/f"), "{told:?}");
    let n_runs = run.read("/t/f").len() / 2;
    assert!((40..80).contains(&n_runs), "{n_runs}");
}

fn limited(event: &Event) -> Option<String> {
    match &event.what {
        What::Resource { phase: Phase::Limited, text, .. } => Some(text.clone()),
        _ => None,
    }
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
    // No graph was ever in effect.
    check_once("import \"os\"\nfile \"/tmp/f\" { content => os.readfile(\"/nowhere\"), }", 1);
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
fn once_ends_when_its_own_changes_have_come_back() {
    let program = r#"
import "os"
file "/t/a" { state => "exists", content => "new", }
file "/t/b" { state => "exists", content => os.readfile("/t/a"), }
file "/t/c" { state => "exists", content => os.readfile("/t/b"), }
"#;
    let mut host = mclive_compiler::sim::SimHost::new("host1");
    host.change(|world| {
        world.make_dir("/t").unwrap();
        world.write("/t/a", b"old").unwrap();
        world.write("/t/b", b"older").unwrap();
    });
    let run = Run::on(host, program, Options { once: true, ..Options::default() });
    assert_eq!((run.sim.exit(), run.tree("/t").as_str()), (Some(0), "a=new b=new c=new"));
}

#[test]
fn once_fails_if_each_change_leads_to_another() {
    let program = "import \"os\"\nfile \"/t/a\" { state => \"exists\", content => os.readfile(\"/t/a\") + \"x\", }";
    let mut host = mclive_compiler::sim::SimHost::new("host1");
    host.change(|world| {
        world.make_dir("/t").unwrap();
        world.write("/t/a", b"").unwrap();
    });
    let run = Run::on(host, program, Options { once: true, ..Options::default() });
    assert_eq!(run.sim.exit(), Some(3));
    assert!(run.failure().contains("each change leads to another one"), "{}", run.failure());
    assert!(run.read("/t/a").len() < 20, "{:?}", run.read("/t/a"));
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

#[test]
fn a_secret_that_was_sent_to_a_resource_stays_on_this_host_if_it_is_exported_to_all() {
    let program = r#"
password "pw" { length => 16, }
value "v" {}
file ["/t/f", "/t/g"] { state => "exists", Meta:export => ["*"], }
Password["pw"].password -> File["/t/f"].content
Password["pw"].password -> Value["v"].any
Value["v"].any -> File["/t/g"].content
"#;
    let run = Run::new(|_| {}, program);
    let told = format!("{:?}", run.events);
    assert!(told.contains("could not export: its field `content` contains a secret"), "{told}");
    assert!(told.contains("E0715: cannot export `file[/t/f]`: its field `content` contains a secret"), "{told}");
    assert_eq!(run.sim.host.world().shared_keys().count(), 0);
    assert_eq!((run.read("/t/f").len(), run.read("/t/g").len()), (16, 16), "{told}");
}

#[test]
fn what_another_host_exports_wrongly_is_left_out_and_reported_once() {
    let program = r#"
file "/t/own" { state => "exists", content => "own", }
collect file ["/t/a", "/t/b"] {}
"#;
    let wrong = |world: &mut mclive_compiler::sim::World| {
        world.set_key(KeyStore::World, "exported/*/host2/file//t/a", Some(Datum::text("nonsense")));
    };
    let mut run = Run::new(wrong, program);
    assert_eq!(run.tree("/t"), "own=own", "{}", run.failure());
    run.change(|world| world.set_key(KeyStore::World, "exported/*/host2/file//t/b", Some(Datum::text("{}"))));
    let said = run.events.iter().filter_map(|event| match &event.what {
        What::Log { text } => text.strip_prefix("E0713: exported resource `file[/t/")?.get(..1),
        _ => None,
    });
    assert_eq!(said.collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(run.failure(), "");
}

/// A `kv` with these fields, and what the program reads of the shared store.
fn kv(fields: &str) -> String {
    format!(
        r#"
import "world"
import "os"
kv "k" {{ {fields} }}
$got = world.getval("k")
$hosts = world.kvlookup("k")
file "/t/one" {{ state => "exists", content => if $got->exists {{ "<" + $got->value + ">" }} else {{ "none" }}, }}
file "/t/own" {{ state => "exists", content => $hosts["host1"] <|> "none", }}
file "/t/other" {{ state => "exists", content => $hosts["host2"] <|> "none", }}
"#
    )
}

#[test]
fn a_key_is_set_deleted_and_put_back() {
    let options = || Options { hostname: "host1".into(), ..Options::default() };
    let host = |stored: Option<&str>| {
        let mut host = mclive_compiler::sim::SimHost::new("host1");
        host.change(|world| {
            world.make_dir("/t").unwrap();
            world.set_key(KeyStore::World, "strings/k", stored.map(Datum::text));
            world.write("/t/in", "one").unwrap();
        });
        host
    };
    let mut run = Run::on(host(None), &kv(r#"value => os.readfile("/t/in"),"#), options());
    assert_eq!((run.read("/t/one"), run.read("/t/own")), ("<one>".into(), "none".into()), "{}", run.failure());
    run.change(|world| world.write("/t/in", "two").unwrap());
    assert_eq!(run.read("/t/one"), "<two>");
    run.change(|world| world.set_key(KeyStore::World, "strings/k", None));
    assert_eq!(run.read("/t/one"), "<two>", "what another one removed is set again");

    let mut run = Run::on(host(Some("7")), &kv(""), options());
    assert_eq!(run.read("/t/one"), "none", "{}", run.failure());
    run.change(|world| world.set_key(KeyStore::World, "strings/k", Some(Datum::text("9"))));
    assert_eq!(run.read("/t/one"), "none");

    let mut run = Run::on(host(Some("7")), &kv(r#"value => "5", skiplessthan => true,"#), options());
    assert_eq!(run.read("/t/one"), "<7>", "{}", run.failure());
    run.change(|world| world.set_key(KeyStore::World, "strings/k", Some(Datum::text("3"))));
    assert_eq!(run.read("/t/one"), "<5>");
}

#[test]
fn a_mapped_key_is_that_of_this_host() {
    let options = Options { hostname: "host1".into(), ..Options::default() };
    let mut host = mclive_compiler::sim::SimHost::new("host1");
    host.change(|world| {
        world.make_dir("/t").unwrap();
        world.set_key(KeyStore::World, "strings/k/host2", Some(Datum::text("theirs")));
    });
    let mut run = Run::on(host, &kv(r#"value => "ours", mapped => true,"#), options);
    let seen = |run: &Run| [run.read("/t/one"), run.read("/t/own"), run.read("/t/other")];
    assert_eq!(seen(&run), ["none", "ours", "theirs"], "{}", run.failure());
    run.change(|world| {
        world.set_key(KeyStore::World, "strings/k/host1", Some(Datum::text("spoilt")));
        world.set_key(KeyStore::World, "strings/k/host2", None);
    });
    assert_eq!(seen(&run), ["none", "ours", "none"]);
}

#[test]
fn a_dry_look_sets_no_key() {
    let run = Run::new(|_| {}, &kv(r#"value => "x", Meta:noop => true,"#));
    assert_eq!(run.read("/t/one"), "none", "{}", run.failure());
}
