//! What a host may put into a shared store: too much fails one resource, with a word, and nothing else.

use crate::case::{stderr, until};
use crate::deploy_states::lines;
use crate::fleet::{Fleet, KEYS, file};

#[test]
fn a_value_that_is_too_large_and_a_name_that_is_too_long_are_reported() {
    let Some(fleet) = Fleet::new("world-limits") else { return };
    let (value, name) = ("x".repeat((1 << 20) + 1), "n".repeat((1 << 10) + 1));
    let kv = |key: &str, value: &str| format!("kv \"{key}\" {{\n\tvalue => \"{value}\",\n}}\n");
    let program = [kv("large", &value), kv(&name, "1"), kv("right", "1"), file("own", "\"hello\"")].concat();
    let agent = fleet.start("web1", &program);
    agent.says("the shared store: the value has 1025 KiB; the limit is 1024");
    agent.says("the shared store: the name has 1025 bytes; the limit is 1024");
    fleet.holds("own", "hello");
    until("the right one is set", || fleet.keys("strings/") == [format!("{}strings/right", KEYS)]);
    let refused = fleet.world(&["set", &name, "1"]);
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    assert!(stderr(&refused).contains("the name has 1025 bytes; the limit is 1024"), "{refused:?}");
    // Others may write more: it is told where.
    fleet.put(&format!("strings/{name}"), "1");
    let said = lines(&fleet.world(&["check"]));
    assert_eq!(said[0]["fault"], "it is too large: the name has 1025 bytes; the limit is 1024");
    assert_eq!(said[0]["key"], format!("strings/{name}"));
}
