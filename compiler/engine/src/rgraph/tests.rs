//! Resource graphs of small programs, through the whole compiler.

mod collects;
mod reads;

use super::{Passes, first_graph, text, text_for_people, text_with_fields};
use crate::react::Answer;
use crate::react::check::ir;
use crate::source::MemoryWorld;
use crate::vocab::{Datum, FactSpec};
use std::sync::Arc;

const ALL: Passes = Passes { autoedge: true, autogroup: true, ask_host: false };
const NONE: Passes = Passes { autoedge: false, autogroup: false, ask_host: false };

fn graph(program: &str, passes: Passes) -> Result<super::ResGraph, String> {
    graph_with(program, &mut |_, _| None, passes)
}

fn graph_with(program: &str, answer: &mut Answer<'_>, passes: Passes) -> Result<super::ResGraph, String> {
    let ir = ir(program).unwrap_or_else(|diags| panic!("does not compile: {diags:?}\n{program}"));
    first_graph(ir, Arc::new(MemoryWorld::default()), answer, passes).map_err(|diags| {
        let error = diags.first_error().expect("an error");
        format!("{} {} {}", error.code, error.stage.tag(), error.message)
    })
}

#[track_caller]
fn check(program: &str, passes: Passes, expect: &[&str]) {
    let program = format!("{program}\n");
    let got = graph(&program, passes).map(|graph| text(&graph)).unwrap_or_else(|error| error);
    assert_eq!(got.lines().collect::<Vec<_>>(), expect, "{program}");
}

#[track_caller]
fn refused(program: &str, expect: &str) {
    let got = graph(&format!("{program}\n"), ALL).map(|graph| text(&graph)).unwrap_or_else(|error| error);
    assert!(got.starts_with(expect), "{got}\n{program}");
}

#[test]
fn a_list_of_names_makes_one_resource_each() {
    check(r#"test ["a", "b", "a"] {}"#, NONE, &["Vertex: test[a]", "Vertex: test[b]"]);
    check("$none []str = []\ntest $none { int8 => 999, }", NONE, &[]);
}

#[test]
fn an_error_in_a_class_that_is_included_often_is_told_once() {
    let n_errors = |body: &str| {
        let program = format!("class c {{\n{body}\n}}\ninclude c\ninclude c\ninclude c\n");
        let ir = ir(&program).unwrap_or_else(|diags| panic!("does not compile: {diags:?}\n{program}"));
        first_graph(ir, Arc::new(MemoryWorld::default()), &mut |_, _| None, NONE).unwrap_err().len()
    };
    assert_eq!(n_errors("file \"/a\" { state => \"perhaps\", }"), 1);
    assert_eq!(n_errors("noop \"a\" { Depend => Noop[\"b\"], }"), 1);
    assert_eq!(n_errors("file \"/a\" { mode => \"9\", }\nfile \"/b\" { mode => \"9\", }"), 2);
}

#[test]
fn an_item_that_is_off_is_not_looked_at() {
    let program = r#"test "a" { int8 => false ?: 999, Meta:retry => false ?: 99999, int64 => true ?: 5, }"#;
    let graph = graph(&format!("{program}\n"), NONE).unwrap();
    assert_eq!(text_with_fields(&graph), "Field: test[a].Int64 = 5\nVertex: test[a]\n");
}

#[test]
fn a_name_stays_on_its_line_and_looks_like_no_other() {
    let program = r#"noop "a\nVertex: noop[b]" { Before => Test["c\a"], }
test "c\a" { int8 => 1, }
"#;
    let expect = r"Edge: noop[a\nVertex: noop[b]] -> test[c\u{7}] # noop[a\nVertex: noop[b]] -> test[c\u{7}]
Field: test[c\u{7}].Int8 = 1
Vertex: noop[a\nVertex: noop[b]]
Vertex: test[c\u{7}]
";
    assert_eq!(text_for_people(&graph(program, NONE).unwrap()), expect);
}

#[test]
fn edges_are_merged_and_notification_wins() {
    let program = r#"
        test "a" { Notify => Test["b"], }
        test "b" { Depend => Test["a"], }
        Test["a"] -> Test["b"]
    "#;
    check(program, NONE, &["Edge: test[a] -> test[b] # test[a] -> test[b]", "Vertex: test[a]", "Vertex: test[b]"]);
    let graph = graph(program, NONE).unwrap();
    assert!(graph.edges[0].notify);
}

#[test]
fn an_edge_of_several_names_is_the_product() {
    let program = r#"
        test ["a", "b", "c"] {}
        Test[["a", "b"]] -> Test["c"]
    "#;
    let expect = [
        "Edge: test[a] -> test[c] # test[a] -> test[c]",
        "Edge: test[b] -> test[c] # test[b] -> test[c]",
        "Vertex: test[a]",
        "Vertex: test[b]",
        "Vertex: test[c]",
    ];
    check(program, NONE, &expect);
}

#[test]
fn duplicates_must_say_the_same() {
    check("test \"a\" { int64 => 1, }\ntest \"a\" { int64 => 1, }", NONE, &["Vertex: test[a]"]);
    refused("test \"a\" { int64 => 1, }\ntest \"a\" { int64 => 2, }", "E0706 errInterpret");
    refused("test \"a\" { Meta:noop => true, }\ntest \"a\" {}", "E0706 errInterpret");
    check("noop \"a\" { Meta:autoedge => false, }\nnoop \"a\" {}", NONE, &["Vertex: noop[a]"]);
}

#[test]
fn hidden_twins_stand_beside_each_other() {
    let program = r#"
        test "a" { int64 => 1, Meta:hidden => true, }
        test "a" { int64 => 2, }
        test "b" {}
        Test["a"] -> Test["b"]
    "#;
    let edge = "Edge: test[a] -> test[b] # test[a] -> test[b]";
    check(program, NONE, &[edge, edge, "Vertex: test[a]", "Vertex: test[a]", "Vertex: test[b]"]);
}

#[test]
fn the_order_of_errors_is_statements_then_duplicates_then_edges() {
    let edge = "Test[\"x\"] -> Test[\"y\"]\n";
    let duplicates = "test \"a\" { int64 => 1, }\ntest \"a\" { int64 => 2, }\n";
    refused(&format!("{edge}{duplicates}test \"b\" {{ int8 => 999, }}"), "E0704");
    refused(&format!("{edge}{duplicates}"), "E0706");
    refused(edge, "E0708");
}

#[test]
fn of_an_edge_the_end_that_does_not_exist_is_marked() {
    let check = |program: &str, expect: &str| {
        let ir = ir(program).unwrap_or_else(|diags| panic!("does not compile: {diags:?}\n{program}"));
        let diags = first_graph(ir, Arc::new(MemoryWorld::default()), &mut |_, _| None, NONE).unwrap_err();
        let marked = diags.first_error().and_then(|error| error.primary.as_ref()).expect("a place");
        let span = marked.span;
        let text = &program[span.start as usize..span.end as usize];
        assert_eq!((text, &*marked.text), (expect, "this end"), "{program}");
    };
    check("test \"a\" { Before => Test[\"b\"], }\n", "Test[\"b\"]");
    check("test \"a\" { Listen => Test[[\"a\", \"b\"]], }\n", "Test[[\"a\", \"b\"]]");
    check("test \"a\" { Depend => true ?: Test[\"b\"], }\n", "Test[\"b\"]");
    check("test \"a\" {}\nTest[\"a\"] -> Test[\"b\"]\n", "Test[\"b\"]");
    check("test \"a\" {}\nTest[\"b\"] -> Test[\"a\"]\n", "Test[\"b\"]");
}

#[test]
fn a_field_receives_once() {
    let program = r#"
        test "a" {}
        test "b" {}
        test "c" {}
        Test["a"].hello -> Test["c"].stringptr
    "#;
    let once = graph(program, NONE).unwrap();
    let received = once.resources.values().find(|resource| &*resource.id.name == "c").unwrap();
    assert_eq!(received.receives.len(), 1);
    refused(&format!("{program}Test[\"b\"].hello -> Test[\"c\"].stringptr"), "E0709");
    refused(&program.replace("test \"a\" {}", "test \"a\" { Meta:hidden => true, }"), "E0710");
}

#[test]
fn waiting_for_each_other_is_refused() {
    refused("test \"a\" { Before => Test[\"b\"], }\ntest \"b\" { Before => Test[\"a\"], }", "E0711 errInterpret");
    refused("test \"a\" { Before => Test[\"a\"], }", "E0711");
}

#[test]
fn a_file_waits_for_its_directory_and_keeps_an_explicit_edge() {
    let program = r#"
        file "/d/" { state => "exists", Notify => File["/d/f"], }
        file "/d/f" { state => "exists", }
        file "/d/sub/g" { state => "exists", }
        file "/d/off" { state => "exists", Meta:autoedge => false, }
    "#;
    let expect = [
        "Edge: file[/d/] -> file[/d/f] # file[/d/] -> file[/d/f]",
        "Edge: file[/d/] -> file[/d/sub/g] # file[/d/] -> file[/d/sub/g]",
        "Vertex: file[/d/]",
        "Vertex: file[/d/f]",
        "Vertex: file[/d/off]",
        "Vertex: file[/d/sub/g]",
    ];
    let edges_only = Passes { autoedge: true, autogroup: false, ask_host: false };
    check(program, edges_only, &expect);
    assert!(graph(program, edges_only).unwrap().edges[0].notify, "the explicit edge stays");
}

#[test]
fn an_automatic_cycle_shows_when_grouping() {
    let program = r#"
        file "/d/" { state => "exists", }
        file "/d/f" { state => "exists", Before => File["/d/"], }
    "#;
    refused(program, "E0712 errAutoGroup");
    assert_eq!(graph(program, Passes { autoedge: true, autogroup: false, ask_host: false }).unwrap().edges.len(), 2);
}

#[test]
fn reachability_while_grouping_is_that_of_the_graph_so_far() {
    // Engine spec, 12 step 4: b joins d, then a joins c.
    let program = r#"
        noop ["a", "b", "c", "d"] {}
        Noop["a"] -> Noop["b"]
        Noop["c"] -> Noop["d"]
    "#;
    let got = text_with_fields(&graph(program, ALL).unwrap());
    let expect = "Edge: noop[c] -> noop[d] # \n\
        Group: noop[c]: Vertex: noop[a]\n\
        Group: noop[d]: Vertex: noop[b]\n\
        Vertex: noop[c]\n\
        Vertex: noop[d]\n";
    assert_eq!(got, expect);
}

#[test]
fn a_redirected_edge_keeps_its_name() {
    let program = r#"
        noop ["a", "b"] {}
        test "t" { Meta:autogroup => false, }
        Noop["a"] -> Test["t"]
    "#;
    let got = text_with_fields(&graph(program, ALL).unwrap());
    assert!(got.contains("Edge: noop[b] -> test[t] # noop[a] -> test[t]"), "{got}");
}

#[test]
fn ten_thousand_resources_group_in_time() {
    use crate::protocol::ResourceId;
    let kind = crate::kinds::lookup("noop").unwrap();
    let resource = |i: usize| super::Resource {
        id: ResourceId::new("noop", format!("n{i:05}")),
        kind,
        params: crate::kinds::Params::unset(kind.decl()),
        meta: super::Meta::default(),
        receives: Vec::new(),
        children: Vec::new(),
        is_reversal: false,
        span: None,
    };
    let resources = (0..10_000).map(|i| Arc::new(resource(i))).collect();
    let mut graph = super::ResGraph { resources, ..Default::default() };
    super::autogroup(&mut graph).unwrap();
    assert_eq!(graph.resources.len(), 1);
    assert_eq!(graph.resources.values().next().unwrap().children.len(), 9_999);
}

/// Two lists of this many names and the edges between them.
fn lists(n: usize) -> String {
    let names: Vec<String> = (0..n).map(|at| format!("\"{at}\"")).collect();
    let names = names.join(", ");
    format!("$names = [{names}]\ntest $names {{}}\nnoop $names {{}}\nTest[$names] -> Noop[$names]\n")
}

#[test]
fn an_edge_between_two_long_lists_is_refused_before_it_is_made() {
    assert_eq!(graph(&lists(500), NONE).unwrap().edges.len(), 250_000);
    refused(&lists(501), "E0714 errInterpret");
    refused(&lists(2_500), "E0714 errInterpret");
}

#[test]
fn edges_of_several_statements_and_of_bodies_count_together() {
    let twice = format!("{}Noop[$names] -> Test[\"other\"]\ntest \"other\" {{}}\n", lists(500));
    refused(&twice, "E0714 errInterpret");
    let bodies = lists(501).replace("test $names {}", "test $names {\n\tBefore => Noop[$names],\n}");
    let bodies = bodies.lines().take_while(|line| !line.starts_with("Test")).collect::<Vec<_>>().join("\n");
    refused(&bodies, "E0714 errInterpret");
}

#[test]
fn each_of_many_nested_directories_finds_its_parent_in_one_search() {
    let n = 400;
    let deep: Vec<String> = (1..=n).map(|depth| format!("\"{}/\"", "/d".repeat(depth))).collect();
    let program = format!("file [{}] {{\n\tstate => \"exists\",\n}}\n", deep.join(", "));
    let mut plain = graph(&program, NONE).unwrap();
    let mut edges = super::AutoEdges::default();
    edges.update(&mut plain, &|_| None);
    assert_eq!(plain.edges.len(), n - 1);
    assert!(edges.n_above() <= 2 * n as u64, "{}", edges.n_above());
}

#[test]
fn a_file_of_fragments_waits_for_the_files_of_a_directory() {
    let program = r#"
        file "/t/whole" { state => "exists", fragments => ["/t/parts.d/"], }
        file "/t/parts.d/" { state => "exists", }
        file ["/t/parts.d/1", "/t/parts.d/2"] { state => "exists", content => "x", }
        file "/t/parts.d/deeper/3" { state => "exists", content => "x", }
    "#;
    let mut graph = graph(program, NONE).unwrap();
    super::AutoEdges::running().update(&mut graph, &|_| None);
    let edges: Vec<String> =
        text(&graph).lines().filter_map(|line| line.strip_prefix("Edge: ").map(str::to_owned)).collect();
    let of_whole = edges.iter().filter(|edge| edge.contains("-> file[/t/whole] #"));
    let from: Vec<&str> = of_whole.filter_map(|edge| edge.split(" -> ").next()).collect();
    assert_eq!(from, ["file[/t/parts.d/1]", "file[/t/parts.d/2]", "file[/t/parts.d/]"], "{edges:#?}");
}

/// The automatic edges of a running graph.
fn running(program: &str) -> Vec<String> {
    let mut graph = graph(program, NONE).unwrap();
    super::AutoEdges::running().update(&mut graph, &|_| None);
    let edges = text(&graph);
    edges.lines().filter_map(|line| line.strip_prefix("Edge: ")?.split(" #").next().map(str::to_owned)).collect()
}

const ALICE: &str = r#"
    user "alice" { state => "exists", uid => 1234, }
    group "web" { state => "exists", }
    file "/srv/a" { state => "exists", owner => "alice", group => "web", }
    file "/srv/b" { state => "exists", owner => "1234", }
    file "/srv/c" { state => "exists", owner => "nobody", }
    ssh:authorized_key "key" { state => "exists", user => "alice", content => "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIII9lamnKPFNYm35qJRwXdonQXuJJ0EjZCVbUV6fKsLi me", }
    line "rc" { state => "exists", file => "~alice/.profile", content => "umask 077", }
    exec "by number" { cmd => "/bin/true", user => "1234", }
"#;

#[test]
fn what_is_given_to_an_account_comes_after_it_on_a_host() {
    let edges = running(ALICE);
    let wanted = [
        "group[web] -> file[/srv/a]",
        "user[alice] -> exec[by number]",
        "user[alice] -> file[/srv/a]",
        "user[alice] -> file[/srv/b]",
        "user[alice] -> line[rc]",
        "user[alice] -> ssh:authorized_key[key]",
    ];
    let mut edges: Vec<&str> = edges.iter().map(String::as_str).collect();
    edges.sort_unstable();
    assert_eq!(edges, wanted);
    // The reference draws none of them.
    let mut drawn = graph(ALICE, NONE).unwrap();
    super::AutoEdges::default().update(&mut drawn, &|_| None);
    assert_eq!(drawn.edges.len(), 0);
}

#[test]
fn an_order_that_somebody_wrote_down_stands_before_that_of_accounts() {
    let edges = running(&format!("{ALICE}File[\"/srv/a\"] -> User[\"alice\"]\n"));
    assert!(edges.contains(&"file[/srv/a] -> user[alice]".to_owned()), "{edges:#?}");
    assert!(!edges.contains(&"user[alice] -> file[/srv/a]".to_owned()), "{edges:#?}");
    assert!(edges.contains(&"user[alice] -> file[/srv/b]".to_owned()), "{edges:#?}");
}

#[test]
fn a_kernel_parameter_comes_after_those_that_set_it() {
    let mut edges = running(
        r#"
        sysctl "net.ipv4.conf.eth0.forwarding" { value => "0", }
        sysctl "net.ipv4.conf.all.forwarding" { value => "1", }
        sysctl "net.ipv4.ip_forward" { value => "1", }
        sysctl "net.ipv6.conf.eth0.accept_ra" { value => "0", }
        sysctl "net.ipv6.conf.all.accept_ra" { value => "0", runtime => false, }
        sysctl "kernel.panic" { value => "10", }
    "#,
    );
    edges.sort_unstable();
    let [all, eth0, forward] =
        ["conf.all.forwarding", "conf.eth0.forwarding", "ip_forward"].map(|name| format!("sysctl[net.ipv4.{name}]"));
    assert_eq!(edges, [format!("{all} -> {eth0}"), format!("{forward} -> {all}"), format!("{forward} -> {eth0}")]);
}

#[test]
fn a_mount_comes_after_its_mount_point_and_what_is_on_the_way_to_it() {
    let program = r#"
        mount "/srv/a/m" { state => "exists", type => "none", device => "/data/shown", options => {"bind" => ""}, }
        mount "/srv/gone" { state => "absent", }
        file ["/srv/a/", "/srv/a/m/", "/srv/gone/", "/data/shown/", "/data/other/"] { state => "exists", }
    "#;
    let mut edges = running(&format!("{program}\n"));
    edges.retain(|edge| edge.contains("mount["));
    let before = ["/data/shown/", "/srv/a/", "/srv/a/m/"];
    assert_eq!(edges, before.map(|path| format!("file[{path}] -> mount[/srv/a/m]")));
    let drawn = graph(program, NONE).unwrap();
    assert!(drawn.edges.iter().all(|edge| !format!("{edge:?}").contains("mount")), "the reference has none");
}

/// Things that the program makes need not exist when it begins.
#[test]
fn what_the_program_brings_is_not_asked_of_the_host() {
    let there = |program: &str| {
        let passes = Passes { ask_host: true, ..ALL };
        let missing = Datum::Struct(vec![("exists".into(), Datum::Bool(false))]);
        let mut answer = |_: &FactSpec, _: u64| Some(Ok(missing.clone()));
        graph_with(&format!("{program}\n"), &mut answer, passes).is_ok()
    };
    let mount = "mount \"/srv/m\" { state => \"exists\", type => \"tmpfs\", }\n";
    assert!(!there(mount), "there is no mount point");
    assert!(there(&format!("{mount}file \"/srv/m/\" {{ state => \"exists\", }}")));
    assert!(!there(&format!("{mount}file \"/srv/n/\" {{ state => \"exists\", }}")));
}

#[test]
fn a_file_that_comes_later_into_a_directory_of_fragments_is_waited_for() {
    let whole = "file \"/t/whole\" { state => \"exists\", fragments => [\"/t/parts.d/\"], }\n";
    let part = "file \"/t/parts.d/1\" { state => \"exists\", content => \"x\", }\n";
    let made = |program: &str| graph(program, NONE).unwrap();
    let mut edges = super::AutoEdges::running();
    let mut n_edges = |program: &str| {
        let mut graph = made(program);
        edges.update(&mut graph, &|_| None);
        graph.edges.len()
    };
    assert_eq!((n_edges(whole), n_edges(&format!("{part}{whole}")), n_edges(whole)), (0, 1, 0));
}
