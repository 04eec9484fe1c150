//! A web server on the simulated host: its routes, its flags, what goes when it goes.

use crate::Run;
use mclive_compiler::protocol::Options;
use mclive_compiler::vocab::{Datum, KeyStore};

const SERVER: &str = r#"
http:server ":8080" { root => "/srv/", }
http:server:file "/hello" { data => "hi\n", }
http:server:file "/d/" { path => "/srv/d/", }
http:server:flag "/flag" { key => "a", }
http:server:flag "second" { path => "/flag", key => "b", }
print "first" { Meta:autogroup => false, }
file "/t/second" { state => "exists", content => "nothing", }
Http:Server:Flag["/flag"].value -> Print["first"].msg
Http:Server:Flag["second"].value -> File["/t/second"].content
"#;

/// A server, and one request after a second.
fn ask(curl: &str) -> String {
    let program = format!(
        r#"{SERVER}
exec "ask" {{ cmd => "sleep 1; curl -s {curl}; echo \"[$?]\"", shell => "/bin/sh", }}
file "/t/answer" {{ state => "exists", }}
Exec["ask"].output -> File["/t/answer"].content
"#
    );
    let prepare = |world: &mut mclive_compiler::sim::World| {
        for (path, text) in [("/srv/d/x", "inside"), ("/srv/secret", "outside"), ("/srv/index.html", "root")] {
            world.make_dir(path.rsplit_once('/').unwrap().0).unwrap();
            world.write(path, text).unwrap();
        }
        world.symlink("/srv/d/out", "/srv/secret").unwrap();
    };
    let run = Run::new(prepare, &program);
    assert_eq!(run.failure(), "", "{curl}");
    run.read("/t/answer")
}

#[test]
fn each_route_answers_what_is_its_own() {
    for (curl, expect) in [
        ("http://127.0.0.1:8080/hello", "hi\n[0]\n"),
        ("localhost:8080/hello?x", "hi\n[0]\n"),
        ("-I http://host1:8080/hello", "HTTP/1.1 200\r\n\r\n[0]\n"),
        ("-d x=1 http://127.0.0.1:8080/hello", "Method Not Allowed\n[0]\n"),
        ("http://127.0.0.1:8080/d/x", "inside[0]\n"),
        ("http://127.0.0.1:8080/d/../../srv/secret", "404 page not found\n[0]\n"),
        ("http://127.0.0.1:8080/d/out", "404 page not found\n[0]\n"),
        ("http://127.0.0.1:8080/d/", "404 page not found\n[0]\n"),
        ("http://127.0.0.1:8080/index.html", "root[0]\n"),
        ("-f http://127.0.0.1:8080/nothing", "[22]\n"),
        ("http://127.0.0.1:8080/flag", "404 page not found\n[0]\n"),
        ("http://127.0.0.1:8081/hello", "[7]\n"),
        ("http://elsewhere.test/hello", "[6]\n"),
        ("https://127.0.0.1:8080/hello", "[1]\n"),
    ] {
        assert_eq!(ask(curl), expect, "{curl}");
    }
}

#[test]
fn a_form_reaches_every_flag_of_its_path() {
    let program = format!(
        r#"{SERVER}
exec "post" {{
    cmd => "sleep 1; curl -s -d 'a=one&b=two+%21' localhost:8080/flag; sleep 3; curl -s -XPOST localhost:8080/flag -d b=three",
    shell => "/bin/sh",
}}
"#
    );
    let mut run = Run::new(|_| {}, &program);
    let printed = |run: &Run| run.sim.snapshot().log.iter().map(|line| line.text.clone()).collect::<Vec<_>>();
    assert_eq!(run.read("/t/second"), "two !", "{}", run.failure());
    assert_eq!(printed(&run), ["Msg: <empty>", "Msg: one"]);
    run.pass(3000);
    // The second form has no `a`: that is the empty string now.
    assert_eq!(run.read("/t/second"), "three");
    assert_eq!(printed(&run), ["Msg: <empty>", "Msg: one", "Msg: <empty>"]);
}

#[test]
fn a_received_content_is_served_without_a_pause() {
    let program = r#"
import "world"
$got = world.getval("k")
value "v" { any => "" + $got->value, }
http:server "s" { address => "127.0.0.1:80", }
http:server:file "/f" { }
http:server:flag "/flag" { key => "a", }
file "/t/flag" { state => "exists", content => "none", }
Value["v"].any -> Http:Server:File["/f"].data
Http:Server:Flag["/flag"].value -> File["/t/flag"].content
exec "post" { cmd => "curl -s -d a=kept localhost/flag", shell => "/bin/sh", Depend => Http:Server["s"], }
exec "ask" {
    cmd => "curl -s localhost/f > /t/seen",
    shell => "/bin/sh",
    watchfiles => ["/t/go"],
    Depend => Http:Server["s"],
}
"#;
    let set = |text: &'static str| {
        move |world: &mut mclive_compiler::sim::World| {
            world.set_key(KeyStore::World, "strings/k", Some(Datum::text(text)))
        }
    };
    let mut run = Run::new(|world| set("old")(world), program);
    assert_eq!(run.read("/t/seen"), "old", "{}", run.failure());
    run.change(set("new"));
    run.change(|world| world.write("/t/go", "").unwrap());
    assert_eq!(run.read("/t/seen"), "new");
    assert_eq!(run.read("/t/flag"), "kept");
}

#[test]
fn a_server_that_leaves_the_program_listens_no_more() {
    let exec = |after: &str| {
        format!(
            r#"exec "ask {after}" {{ cmd => "sleep 1; curl -s localhost:8080/hello > /t/{after}", shell => "/bin/sh", }}"#
        )
    };
    let mut run = Run::new(|_| {}, &format!("{SERVER}{}", exec("one")));
    assert_eq!(run.read("/t/one"), "hi\n", "{}", run.failure());
    run.deploy(&exec("two"), Options::default());
    assert_eq!(run.read("/t/two"), "");
}

#[test]
fn two_servers_do_not_share_an_address() {
    let run = Run::new(|_| {}, "http:server \"a\" { address => \":80\", }\nhttp:server \"b\" { address => \":80\", }");
    assert!(run.failure().contains("address already in use"), "{}", run.failure());
}

#[test]
fn what_cannot_be_served_is_reported() {
    let run = Run::new(|_| {}, "http:server \":80\" { root => \"/nowhere/\", }");
    assert!(run.failure().contains("the directory /nowhere/ in `root` does not exist"), "{}", run.failure());
}
