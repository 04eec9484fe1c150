//! [`Difference`]: where mclive differs from mgmt on purpose, as `compiler/DIFFERENCES.md` says. The reference shows that
//! page; here it is read for its golden cases and its examples.

use std::collections::BTreeSet;

/// The page.
pub const PAGE: &str = include_str!("../../compiler/DIFFERENCES.md");

/// One section of the page.
pub struct Difference {
    pub title: String,
    /// What each of both does, and why.
    pub told: String,
    pub example: String,
    /// The golden cases that come out differently: `folder/name`, from a line `- **Cases**: ...`.
    pub cases: BTreeSet<String>,
}

/// All sections of the page.
pub fn all() -> Vec<Difference> {
    PAGE.split("\n## ").skip(1).map(section).collect()
}

/// The golden cases that come out differently on purpose.
pub fn cases() -> BTreeSet<String> {
    all().into_iter().flat_map(|difference| difference.cases).collect()
}

fn section(text: &str) -> Difference {
    let (title, body) = text.split_once('\n').unwrap_or((text, ""));
    let (told, rest) = body.split_once("```mcl\n").unwrap_or((body, ""));
    let example = rest.split_once("```").map_or("", |(example, _)| example);
    let listed = told.lines().filter_map(|line| line.strip_prefix("- **Cases**: "));
    let cases = listed.flat_map(|line| line.split(", ")).map(|case| case.trim().trim_matches('`').to_owned()).collect();
    Difference { title: title.to_owned(), told: told.to_owned(), example: example.to_owned(), cases }
}
