//! The declared kinds against the specification's list, where that is at hand: every kind, and of
//! every field the name, the type and whether it may be left out.

use mclive_compiler::kinds;
use serde_json::Value as Json;

#[test]
fn the_kinds_are_those_of_the_specification() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/spec/resources.json");
    let Ok(text) = std::fs::read_to_string(path) else {
        return mclive_tests::left_out("the comparison of kinds with the specification, which is not available here");
    };
    let wanted: Vec<Json> = serde_json::from_str(&text).expect("the list is JSON");
    let declared = kinds::docs::json(kinds::all());
    assert_eq!(wanted.len(), 61);
    assert_eq!(declared.as_array().map(Vec::len), Some(61));
    for want in &wanted {
        let name = &want["kind"];
        let found = declared.as_array().unwrap().iter().find(|kind| kind["kind"] == *name);
        let found = found.unwrap_or_else(|| panic!("there is no kind {name}"));
        let fields = |kind: &Json| {
            let field =
                |field: &Json| ["name", "type", "optional", "nullable", "default"].map(|key| field[key].clone());
            kind["fields"].as_array().unwrap().iter().map(field).collect::<Vec<_>>()
        };
        assert_eq!(fields(found), fields(want), "{name}");
        for (key, value) in found["traits"].as_object().unwrap() {
            let expected = &want["traits"][key];
            if key == "sendable" {
                assert_eq!(value["fields"], expected["fields"], "{name} {key}");
                assert_eq!(value["nullable"], expected["nullable"], "{name} {key}");
            } else {
                assert_eq!(value, expected, "{name} {key}");
            }
        }
        for (constant, value) in want["constants"].as_object().into_iter().flatten() {
            assert_eq!(&found["constants"][constant], value, "{constant}");
        }
    }
}
