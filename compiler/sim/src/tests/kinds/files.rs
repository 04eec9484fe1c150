//! `file`.

use super::Run;
use crate::protocol::{Phase, What};

#[test]
fn two_spellings_of_a_path_are_one_object_that_both_change() {
    let program = r#"
        file "/srv/a" { state => "exists", content => "one", }
        file "/srv//a" { state => "exists", content => "two", }
    "#;
    let mut run = Run::new(program);
    let limited = run.reports.iter().filter_map(|event| match &event.what {
        What::Resource { phase: Phase::Limited, text, .. } => Some(text.as_str()),
        _ => None,
    });
    let told: Vec<&str> = limited.filter(|text| text.contains("change the same object and undo each other")).collect();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("file[/srv/a]") && told[0].contains("file[/srv//a]"), "{told:?}");
    let n_steps = run.steps().len();
    assert!((10..100).contains(&n_steps), "{n_steps} steps in 10 s");
}
