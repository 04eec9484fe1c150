//! [`Difference`]: where mclive differs from mgmt on purpose, as documented in `compiler/DIFFERENCES.md`. The reference
//! shows that page; here its golden cases and examples are read.

use std::collections::BTreeSet;

/// The page.
pub const PAGE: &str = include_str!("../../compiler/DIFFERENCES.md");

/// One section of the page.
pub struct Difference {
    /// The title.
    pub title: String,
    /// The behaviour of both, and the reason.
    pub told: String,
    /// The example program.
    pub example: String,
    /// The golden cases with a different result: `folder/name`, from a line `- **Cases**: ...`.
    pub cases: BTreeSet<String>,
}

/// All sections of the page.
pub fn all() -> Vec<Difference> {
    PAGE.split("\n## ").skip(1).map(section).collect()
}

/// The golden cases with an intentionally different result.
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
