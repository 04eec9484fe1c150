//! Automatic groups.

use super::{ALL, graph};
use crate::rgraph::{Meta, ResGraph, Resource, autogroup, text_with_fields};
use std::sync::Arc;

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
    let resource = |i: usize| Resource {
        id: ResourceId::new("noop", format!("n{i:05}")),
        kind,
        params: crate::kinds::Params::default(),
        meta: Meta::default().into(),
        receives: Vec::new(),
        secret_fields: Vec::new(),
        children: Vec::new(),
        is_reversal: false,
        span: None,
    };
    let resources = (0..10_000).map(|i| Arc::new(resource(i))).collect();
    let mut graph = ResGraph { resources, ..Default::default() };
    autogroup(&mut graph).unwrap();
    assert_eq!(graph.resources.len(), 1);
    assert_eq!(graph.resources.values().next().unwrap().children.len(), 9_999);
}
