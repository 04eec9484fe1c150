//! Mistakes and lints: programs, each with the output of `mclive check`. They come from the test gallery, so the texts
//! are the ones that users see.

use super::{Reference, html};
use std::fmt::Write;
use std::path::Path;

/// Sections by the prefix of a file's name.
const SECTIONS: [(&str, &str, &str, &str); 2] = [
    (
        "mistakes",
        "beginner-",
        "Common mistakes",
        "<p>Code from other languages, and what <code>mclive check</code> reports for it.</p>\n",
    ),
    (
        "lints",
        "lint-",
        "Lints",
        "<p>Valid code that is probably a mistake. Write <code># mclive: allow NAME</code> to disable a lint for the next \
         statement, or <code># mclive: allow-file NAME</code> for the whole file; <code>mclive check --allow</code>, \
         <code>--warn</code> and <code>--deny</code> take a list of names.</p>\n",
    ),
];

pub(super) fn write(made: &mut Reference) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/gallery");
    let entries = std::fs::read_dir(folder).expect("the gallery is part of the repository");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("it can be read").path()).collect();
    paths.sort();
    for (id, prefix, title, about) in SECTIONS {
        made.open(id, title, about);
        made.content.push_str("<table>\n<thead><tr><th>Program</th><th>Diagnostics</th></tr></thead>\n<tbody>\n");
        for path in &paths {
            let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
            if name.starts_with(prefix) {
                let text = std::fs::read_to_string(path).expect("it can be read");
                row(made, &text);
            }
        }
        made.content.push_str("</tbody>\n</table>\n");
        made.close();
    }
}

/// The program and its diagnostics, from an archive with both.
fn row(made: &mut Reference, archive: &str) {
    let Some((program, said)) = archive.trim_start_matches("-- main.mcl --\n").split_once("-- said --\n") else {
        return;
    };
    let cell = |text: &str| format!("<td><pre tabindex=\"0\">{}</pre></td>", html::escape(text.trim_end()));
    let _ = writeln!(made.content, "<tr>{}{}</tr>", cell(program), cell(said));
}

#[cfg(test)]
mod tests {
    use super::*;
    use mclive_compiler::diag::codes::REGISTER;

    #[test]
    fn every_lint_and_a_hundred_mistakes_are_there() {
        let mut made = Reference { entries: String::new(), content: String::new() };
        write(&mut made);
        assert!(made.content.matches("<tr><td>").count() >= 100);
        for lint in REGISTER.iter().filter(|entry| entry.code.is_lint()) {
            assert!(made.content.contains(&format!("warning[{}]", lint.code)), "{}", lint.code);
        }
    }
}
