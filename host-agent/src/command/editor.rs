//! `editor`: one question of an editor about a place, answered as JSON.

use super::{Done, GOOD, compile, unusable};
use crate::cli::{self, EditorService};
use crate::embed::Sandbox;
use crate::output::print_json;
use crate::program::Loaded;
use mclive_base::shapes::editor::{At, Query, Service, Units};
use mclive_base::{layout, parts};
use std::path::Path;

pub(super) fn editor(args: &cli::Editor) -> Done {
    let (input, at) = place(&args.place);
    let mut sandbox = Sandbox::start()?;
    let load = |input: &str, sandbox: &mut Sandbox| {
        let input = cli::Input { input: input.into(), module_path: args.module_path.clone(), ..cli::Input::default() };
        compile::load(&input, sandbox)
    };
    let query = |file: String| {
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
        serde_json::to_string(&query).map_err(|error| unusable(error.to_string()))
    };
    for Project { main, file } in Project::all(input) {
        let loaded = load(&main, &mut sandbox)?;
        let has_it = loaded.program.files.iter().any(|known| known.path == file);
        // A module that the project does not import, or a partial export that it does not list, is a program by itself.
        if has_it && let Ok(answer) = sandbox.editor(&loaded.program, &query(file)?)? {
            print_json(&format!("{answer}\n"));
            return Ok(GOOD);
        }
    }
    let loaded = load(input, &mut sandbox)?;
    let answer = sandbox.editor(&loaded.program, &query(main_file(&loaded))?)?.map_err(unusable)?;
    print_json(&format!("{answer}\n"));
    Ok(GOOD)
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

/// The project of a file of a module or a partial export: a question about the file is one about the whole project, since
/// other files use its names, or have the same resources.
struct Project {
    main: String,
    /// The path of the file in the program.
    file: String,
}

impl Project {
    /// With the main file of the project: `PROJECT/partial/N/...`, of a module too, then `PROJECT/libs/MODULE/...`.
    fn all(input: &str) -> Vec<Project> {
        let path = match layout::INMANTA.names(input) {
            true => std::fs::canonicalize(input).unwrap_or_default(),
            false => return Vec::new(),
        };
        let of = |folder: &Path| {
            let root = folder.parent()?;
            let main = root.join(layout::INMANTA.main);
            let file = path.strip_prefix(root).ok()?.to_str()?;
            main.is_file().then_some(())?;
            Some(Project { main: main.to_str()?.to_owned(), file: format!("/{file}") })
        };
        let has_parts = |folder: &&Path| folder.ends_with(parts::FOLDER) && folder.join(parts::LIST).is_file();
        let of_parts = path.ancestors().filter(has_parts).find_map(of);
        let of_modules = path.ancestors().filter(|folder| folder.ends_with("libs")).find_map(of);
        of_parts.into_iter().chain(of_modules).collect()
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
        let of = |path: &Path| {
            let projects = Project::all(path.to_str().unwrap()).into_iter();
            projects.map(|project| project.file).collect::<Vec<_>>()
        };
        let none: [&str; 0] = [];
        assert_eq!(of(&file), none, "without a main file there is no project");
        let main = folder.join("main.cf");
        std::fs::write(&main, "").unwrap();
        assert_eq!(of(&file), ["/libs/shop/model/_init.cf"]);
        assert_eq!(of(&main), none);
        // A partial export is one of a project once it is listed.
        let models = folder.join("partial/1/libs/shop/model");
        std::fs::create_dir_all(&models).unwrap();
        let module = models.join("_init.cf");
        let part = folder.join("partial/1/main.cf");
        for path in [&module, &part] {
            std::fs::write(path, "").unwrap();
        }
        assert_eq!(of(&part), none);
        assert_eq!(of(&module), ["/libs/shop/model/_init.cf"]);
        std::fs::write(folder.join("partial/parts.json"), "{\"parts\": [{\"main\": \"1/main.cf\"}]}").unwrap();
        assert_eq!(of(&part), ["/partial/1/main.cf"]);
        assert_eq!(of(&module), ["/partial/1/libs/shop/model/_init.cf", "/libs/shop/model/_init.cf"]);
    }
}
