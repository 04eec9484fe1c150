//! Resource graphs of small programs, through the whole compiler.

mod automatic;
mod collects;
mod decisions;
mod groups;
mod reads;

use super::{Passes, first_graph, text, text_for_people, text_with_fields};
use crate::react::Answer;
use crate::react::check::ir;
use crate::source::MemoryWorld;
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
fn an_error_in_a_class_that_is_included_often_is_reported_once() {
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

/// The automatic edges of a running graph.
fn running(program: &str) -> Vec<String> {
    let mut graph = graph(program, NONE).unwrap();
    super::AutoEdges::running().update(&mut graph, &|_| None);
    let edges = text(&graph);
    edges.lines().filter_map(|line| line.strip_prefix("Edge: ")?.split(" #").next().map(str::to_owned)).collect()
}
