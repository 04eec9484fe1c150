//! The language of scenarios: the page `compiler/SCENARIOS.md`.

use super::Reference;

const PAGE: &str = include_str!("../../../compiler/SCENARIOS.md");

pub(super) fn write(made: &mut Reference) {
    made.page("scenarios", "Scenarios", PAGE);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_are_scenarios_and_every_verb_is_described() {
        let mut made = Reference { entries: String::new(), content: String::new() };
        write(&mut made);
        assert_eq!(made.content.matches("<h3>").count(), PAGE.matches("\n## ").count());
        let examples: Vec<&str> =
            PAGE.split("```text\n").skip(1).map(|rest| rest.split("```").next().unwrap_or_default()).collect();
        assert!(examples.len() >= 3);
        for example in examples {
            assert!(mclive_base::scenario::read(example).is_ok(), "{example}");
        }
        for (verb, _) in mclive_base::scenario::FORMS {
            let is_told = [format!("`{verb}`"), format!("`{verb} ")].iter().any(|form| PAGE.contains(form));
            assert!(is_told || PAGE.contains(&format!("`{verb}\n")), "{verb}");
        }
    }
}
