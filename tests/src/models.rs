//! Golden cases of Inmanta models, judged as by `cargo test -p mclive-inmanta --test golden`, whose files this shares.

#[path = "../../compiler/inmanta/tests/golden/case.rs"]
mod case;
#[path = "../../compiler/inmanta/tests/golden/compare.rs"]
mod compare;
#[path = "../../compiler/inmanta/tests/golden/output.rs"]
mod output;

use crate::family::Verdict;
use std::collections::BTreeMap;

/// The list of the cases that pass; its first lines say why the others do not.
const PASSING: &str = include_str!("../../compiler/inmanta/tests/golden/passing.txt");

/// Runs a case.
pub(crate) fn run(bytes: &[u8]) -> Verdict {
    let case = case::Case::parse(&String::from_utf8_lossy(bytes));
    let found = output::run(&case);
    Verdict { pass: compare::difference(&case.output, &found).is_none(), expected: case.output, actual: found }
}

/// The cases that cannot pass, each with the reason: `inmanta/plugins-01.txtar`.
pub fn left_out() -> BTreeMap<String, String> {
    let lines = PASSING.lines().filter_map(|line| line.strip_prefix("#   ")?.split_once(": "));
    let cases = lines.flat_map(|(names, reason)| {
        names.split(", ").map(|name| (format!("inmanta/{}.txtar", name.trim()), reason.to_owned()))
    });
    cases.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_is_judged_and_the_others_have_a_reason() {
        let case = |output: &str| format!("# one\n-- main.cf --\nx = 1 + 1\n-- OUTPUT --\n{output}");
        assert!(run(case("Variable: x = 2\n").as_bytes()).pass);
        let wrong = run(case("Variable: x = 3\n").as_bytes());
        assert!(!wrong.pass && wrong.actual.contains("Variable: x = 2"), "{}", wrong.actual);
        let left_out = left_out();
        assert!(left_out["inmanta/plugins-01.txtar"].contains("Python"), "{left_out:?}");
    }
}
