//! The formatter over a golden model: the result is its own layout, and it comes to the same.

use crate::{case::Case, output, parsed};
use mclive_inmanta::fmt::format;
use std::collections::BTreeMap;

/// The output without what tells places.
fn placeless(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text
        .lines()
        .filter(|line| !line.starts_with("# trace:"))
        .map(|line| {
            let mut out = String::new();
            let mut rest = line;
            while let Some(at) = rest.find(".cf:") {
                out += &rest[..at + 4];
                rest = rest[at + 4..].trim_start_matches(|char: char| char.is_ascii_digit() || char == ':');
            }
            out + rest
        })
        .collect();
    lines.sort();
    lines
}

pub(crate) fn keeps_the_meaning(case: &mclive_cases::Case) -> Result<(), String> {
    let case = parsed(case);
    let mut files = BTreeMap::new();
    let mut is_whole = true;
    for (path, body) in case.files.iter().filter(|(path, _)| path.ends_with(".cf")) {
        match format(body.as_bytes()) {
            Ok(first) => {
                match format(&first) {
                    Ok(second) if second == first => {}
                    Ok(second) => {
                        let (first, second) = (String::from_utf8_lossy(&first), String::from_utf8_lossy(&second));
                        return Err(format!("{path}: the second pass differs\n{first}\n---\n{second}"));
                    }
                    Err(diags) => return Err(format!("{path}: not parsed again: {diags:?}")),
                }
                files.insert(path.clone(), String::from_utf8_lossy(&first).into_owned());
            }
            Err(diags) => {
                is_whole = false;
                if diags.iter().any(|diagnostic| diagnostic.code == mclive_base::diag::codes::BUG) {
                    return Err(format!("{path}: the layout would change it\n{body}"));
                }
            }
        }
    }
    if !is_whole {
        return Ok(());
    }
    let before = output::run(&case);
    let laid_out = |(path, body): &(String, String)| (path.clone(), files.get(path).unwrap_or(body).clone());
    let laid_out = Case { files: case.files.iter().map(laid_out).collect(), ..case };
    let after = output::run(&laid_out);
    // Names of instances without an index tell their line, so what is numbered may be numbered in another order.
    let tells_lines = ["@main.cf", "@libs", "(instantiated at"].iter().any(|words| before.contains(words));
    let is_same = placeless(&before) == placeless(&after) || tells_lines;
    if is_same { Ok(()) } else { Err(format!("it comes to something else\n{before}\n---\n{after}")) }
}
