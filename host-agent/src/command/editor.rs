//! `editor`: one question of an editor about a place, answered as JSON.

use super::{Done, GOOD, compile, unusable};
use crate::cli::{self, EditorService};
use crate::embed::Sandbox;
use crate::output::print_json;
use mclive_base::layout;
use mclive_base::shapes::editor::{At, Query, Service, Units};

pub(super) fn editor(args: &cli::Editor) -> Done {
    let (input, at) = place(&args.place);
    let mut sandbox = Sandbox::start()?;
    let input = cli::Input { input: input.to_owned(), module_path: args.module_path.clone(), ..cli::Input::default() };
    let loaded = compile::load(&input, &mut sandbox)?;
    let service = match args.service {
        EditorService::Hover => Service::Hover { at },
        EditorService::Completion => Service::Completion { at },
        EditorService::Signature => Service::Signature { at },
        EditorService::Definition => Service::Definition { at },
        EditorService::Uses => Service::Uses { at },
        EditorService::Rename => Service::Rename { at, name: args.name.clone().unwrap_or_default() },
        EditorService::Symbols => Service::Symbols,
        EditorService::Tokens => Service::Tokens { from: 0, to: u32::MAX },
        EditorService::Hints => Service::Hints { from: 0, to: u32::MAX },
    };
    let file = match loaded.program.entry.as_str() {
        entry if entry.ends_with('/') => {
            let mains = layout::ALL.map(|layout| format!("{entry}{}", layout.main));
            let has = |main: &&String| loaded.program.files.iter().any(|file| file.path == **main);
            mains.iter().find(has).unwrap_or(&mains[0]).clone()
        }
        entry => entry.to_owned(),
    };
    let query = Query { file, units: Units::Utf8, service };
    let query = serde_json::to_string(&query).map_err(|error| unusable(error.to_string()))?;
    match sandbox.editor(&loaded.program, &query)? {
        Ok(answer) => {
            print_json(&format!("{answer}\n"));
            Ok(GOOD)
        }
        Err(why) => Err(unusable(why)),
    }
}

/// Parses `FILE:LINE:COLUMN`; a missing number is 1.
fn place(text: &str) -> (&str, At) {
    let number = |text: &str| text.parse::<u32>().ok().filter(|number| *number > 0);
    let split = |text| {
        let (rest, last): (&str, &str) = str::rsplit_once(text, ':')?;
        Some((rest, number(last)?))
    };
    match split(text) {
        Some((rest, col)) => match split(rest) {
            Some((file, line)) => (file, At::LineCol { line, col }),
            None => (rest, At::LineCol { line: col, col: 1 }),
        },
        None => (text, At::LineCol { line: 1, col: 1 }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_has_a_line_and_a_column() {
        assert_eq!(place("a.mcl:3:8"), ("a.mcl", At::LineCol { line: 3, col: 8 }));
        assert_eq!(place("a.mcl:3"), ("a.mcl", At::LineCol { line: 3, col: 1 }));
        assert_eq!(place("odd:name"), ("odd:name", At::LineCol { line: 1, col: 1 }));
    }
}
