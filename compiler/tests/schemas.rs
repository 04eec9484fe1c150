//! The published schemas in `compiler/schema/` are what the crossing shapes say. `MCLIVE_BLESS=1` rewrites them.

use mclive_base::shapes::{Diagnostics, FunctionGraph, HostGraphs, ModelGraph, ResourceGraph, RunLine, editor};
use schemars::JsonSchema;

/// Every published schema: its file's name and its text.
fn schemas() -> Vec<(&'static str, String)> {
    fn text<T: JsonSchema>() -> String {
        serde_json::to_string_pretty(&schemars::schema_for!(T)).expect("a schema is plain data") + "\n"
    }
    vec![
        ("diagnostics.json", text::<Diagnostics>()),
        ("editor-answer.json", text::<editor::Answer>()),
        ("editor-query.json", text::<editor::Query>()),
        ("function-graph.json", text::<FunctionGraph>()),
        ("host-graphs.json", text::<HostGraphs>()),
        ("model-graph.json", text::<ModelGraph>()),
        ("resource-graph.json", text::<ResourceGraph>()),
        ("run-line.json", text::<RunLine>()),
    ]
}

#[test]
#[allow(clippy::disallowed_methods, reason = "a test reads and writes the published files")]
fn schemas_are_published() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("schema");
    for (name, text) in schemas() {
        let file = folder.join(name);
        if std::env::var_os("MCLIVE_BLESS").is_some() {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&file, &text).unwrap();
        }
        let published = std::fs::read_to_string(&file).unwrap_or_default();
        assert_eq!(published, text, "compiler/schema/{name} is stale; run this test with MCLIVE_BLESS=1");
    }
}
