//! The formatter over all golden models: the result is its own layout, and it comes to the same.

use crate::{case::Case, cases, output};
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

#[test]
fn layouts_keep_the_meaning() {
    let (mut n_formatted, mut n_same, mut wrong) = (0, 0, Vec::new());
    for (name, text) in cases() {
        let case = Case::parse(&text);
        let mut files = BTreeMap::new();
        let mut is_whole = true;
        for (path, body) in case.files.iter().filter(|(path, _)| path.ends_with(".cf")) {
            match format(body.as_bytes()) {
                Ok(first) => {
                    n_formatted += 1;
                    match format(&first) {
                        Ok(second) if second == first => {}
                        Ok(second) => wrong.push(format!(
                            "{name}/{path}: the second pass differs\n{}\n---\n{}",
                            String::from_utf8_lossy(&first),
                            String::from_utf8_lossy(&second)
                        )),
                        Err(diags) => wrong.push(format!("{name}/{path}: not parsed again: {diags:?}")),
                    }
                    files.insert(path.clone(), String::from_utf8_lossy(&first).into_owned());
                }
                Err(diags) => {
                    is_whole = false;
                    if diags.iter().any(|diagnostic| diagnostic.code == mclive_base::diag::codes::BUG) {
                        wrong.push(format!("{name}/{path}: the layout would change it\n{body}"));
                    }
                }
            }
        }
        if is_whole {
            let before = output::run(&case);
            let laid_out = Case {
                files: case
                    .files
                    .iter()
                    .map(|(path, body)| (path.clone(), files.get(path).unwrap_or(body).clone()))
                    .collect(),
                ..case
            };
            let after = output::run(&laid_out);
            // Names of instances without an index tell their line, so what is numbered may be numbered in another order.
            if placeless(&before) == placeless(&after) {
                n_same += 1;
            } else if !before.contains("@main.cf") && !before.contains("@libs") && !before.contains("(instantiated at")
            {
                wrong.push(format!("{name}: it comes to something else\n{before}\n---\n{after}"));
            }
        }
    }
    println!("{n_formatted} files, {n_same} models come to the same");
    assert!(wrong.is_empty(), "{} files:\n{}", wrong.len(), wrong[..wrong.len().min(5)].join("\n\n"));
}
