//! `consul:kv`.

use super::{NOTHING, Run};

const USUAL: &str = "http://127.0.0.1:8500";

#[test]
fn a_key_is_set_and_kept() {
    let mut run = Run::new(r#"consul:kv "a/b" { value => "new", token => "hush", }"#);
    assert_eq!(run.steps(), ["set a/b at http://127.0.0.1:8500: none → \"new\""]);
    let other = run.change(|world| world.subjects.consul.set(USUAL, "a/b", b"x"));
    assert_eq!(other, ["set a/b at http://127.0.0.1:8500: \"x\" → \"new\""]);
    assert_eq!(run.change(|world| world.subjects.consul.keys.clear()).len(), 1);
    assert_eq!(run.change(|world| world.subjects.consul.set(USUAL, "a/c", b"x")), NOTHING);
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn the_name_may_say_where() {
    let mut run = Run::new(r#"consul:kv "https://c.example:8501/a/b" { value => "1", }"#);
    assert_eq!(run.steps(), ["set a/b at https://c.example:8501: none → \"1\""]);
    let mut run = Run::new(r#"consul:kv "http://h:1/a%20b" { value => "1", }"#);
    assert_eq!(run.steps(), ["set a b at http://h:1: none → \"1\""]);
    let mut run = Run::new(r#"consul:kv "k" { key => "x", address => "h:1", scheme => "https", value => "1", }"#);
    assert_eq!(run.steps(), ["set x at https://h:1: none → \"1\""]);
}

#[test]
fn a_server_that_is_down_is_no_empty_one() {
    let mut run = Run::after(|world| world.subjects.consul.is_down = true, r#"consul:kv "a" { value => "1", }"#);
    assert!(run.failures()[0].contains("connection refused"), "{:?}", run.failures());
    assert_eq!(run.change(|world| world.subjects.consul.is_down = false).len(), 1);
}
