//! Intentional differences from mgmt: the page `compiler/DIFFERENCES.md`.

use super::{Reference, html};
use std::fmt::Write;

const PAGE: &str = include_str!("../../../compiler/DIFFERENCES.md");

pub(super) fn write(made: &mut Reference) {
    let (head, sections) = PAGE.split_once("\n## ").expect("the page has sections");
    let about = head.split_once('\n').map_or("", |(_, about)| about);
    made.open("differences", "Differences from mgmt", &html::markdown(about));
    for section in sections.split("\n## ") {
        let (title, body) = section.split_once('\n').unwrap_or((section, ""));
        let _ = writeln!(made.content, "<h3>{}</h3>\n{}", html::inline(title), html::markdown(&body.replace("**", "")));
    }
    made.close();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_section_is_shown_with_its_example() {
        let mut made = Reference { entries: String::new(), content: String::new() };
        write(&mut made);
        let n = PAGE.matches("\n## ").count();
        assert_eq!(made.content.matches("<h3>").count(), n);
        assert_eq!(made.content.matches("<pre ").count(), n);
        assert!(!made.content.contains("**"), "{}", made.content);
    }
}
