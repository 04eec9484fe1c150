//! The page of deliberate differences: each section is complete, and each example is a program without errors.

use mclive_tests::differences;

#[test]
fn each_difference_says_what_both_do_why_and_shows_it() {
    let all = differences::all();
    assert!(all.len() >= 10, "{}", all.len());
    for difference in all {
        for part in ["- **mgmt** ", "- **mclive** ", "- **Reason**: "] {
            assert!(difference.told.contains(part), "{}: {part}", difference.title);
        }
        let files = [("/main.mcl", difference.example.as_bytes())];
        let said = mclive_compiler::face::check::check(files, "/main.mcl", "host1").diagnostics.diagnostics;
        let errors = said.iter().filter(|one| one.severity == mclive_base::shapes::Severity::Error);
        // What the example reads is not there on a new host.
        let errors: Vec<&str> = errors.filter(|one| one.stage != "errStream").map(|one| one.message.as_str()).collect();
        assert!(!difference.example.is_empty() && errors.is_empty(), "{}: {errors:?}", difference.title);
    }
}
