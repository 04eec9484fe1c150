//! `editor`: one question of an editor about a place, answered as JSON.

use super::{Done, GOOD, compile, unusable};
use crate::cli::{self, EditorService};
use crate::embed::Sandbox;
use crate::output::print_json;
use crate::program::Loaded;
use mclive_base::layout;
use mclive_base::shapes::editor::{At, Query, Service, Units};

pub(super) fn editor(args: &cli::Editor) -> Done {
    let (input, at) = place(&args.place);
    let mut sandbox = Sandbox::start()?;
    let mut load = |input: &str| {
        let input = cli::Input { input: input.into(), module_path: args.module_path.clone(), ..cli::Input::default() };
        compile::load(&input, &mut sandbox)
    };
    let mut of_project = None;
    if let Some(Project { main, file }) = Project::of(input) {
        let loaded = load(&main)?;
        // A module that the project does not import is a program by itself.
        if loaded.program.files.iter().any(|known| known.path == file) {
            of_project = Some((loaded, file));
        }
    }
    let (loaded, file) = match of_project {
        Some(found) => found,
        None => {
            let loaded = load(input)?;
            let main = main_file(&loaded);
            (loaded, main)
        }
    };
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

/// The main file of a program, which may be a folder.
fn main_file(loaded: &Loaded) -> String {
    match loaded.program.entry.as_str() {
        entry if entry.ends_with('/') => {
            let mains = layout::ALL.map(|layout| format!("{entry}{}", layout.main));
            let has = |main: &&String| loaded.program.files.iter().any(|file| file.path == **main);
            mains.iter().find(has).unwrap_or(&mains[0]).clone()
        }
        entry => entry.to_owned(),
    }
}

/// The project of a file of a module: a question about the file is one about the whole project, since other files
/// use its names.
struct Project {
    main: String,
    /// The path of the file in the program.
    file: String,
}

impl Project {
    /// `PROJECT/libs/MODULE/...`, with the main file of the project.
    fn of(input: &str) -> Option<Project> {
        if !layout::INMANTA.names(input) {
            return None;
        }
        let path = std::fs::canonicalize(input).ok()?;
        path.ancestors().filter(|folder| folder.ends_with("libs")).find_map(|libs| {
            let root = libs.parent()?;
            let main = root.join(layout::INMANTA.main);
            let file = path.strip_prefix(root).ok()?.to_str()?;
            main.is_file().then_some(())?;
            Some(Project { main: main.to_str()?.to_owned(), file: format!("/{file}") })
        })
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

    #[test]
    fn a_file_of_a_module_belongs_to_its_project() {
        let folder = crate::host::Scratch::new("project");
        let models = folder.join("libs/shop/model");
        std::fs::create_dir_all(&models).unwrap();
        let file = models.join("_init.cf");
        std::fs::write(&file, "").unwrap();
        let of = |path: &std::path::Path| Project::of(path.to_str().unwrap()).map(|project| project.file);
        assert_eq!(of(&file), None, "without a main file there is no project");
        let main = folder.join("main.cf");
        std::fs::write(&main, "").unwrap();
        assert_eq!(of(&file).as_deref(), Some("/libs/shop/model/_init.cf"));
        assert_eq!(of(&main), None);
    }
}
