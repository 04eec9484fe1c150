//! Partial exports: adds a model to the one that it changes, as a part ([`mclive_base::parts`]).
//!
//! The result is a program like any other. The compiler merges the resources, on every host.

use super::{Added, Download, Foreign, Loaded, Origin, Unusable};
use crate::embed::contract::{Program, SourceFile};
use mclive_base::layout::INMANTA;
use mclive_base::parts::{FOLDER, LIST, MOST, Part, Parts};
use std::collections::BTreeMap;

impl Loaded {
    /// This model with another one as its newest part, which also deletes these resource sets.
    pub(crate) fn with_part(self, part: Loaded, deleted: &[String]) -> Result<Loaded, Unusable> {
        if let Some(Foreign { shown, .. }) = self.foreign().iter().chain(part.foreign()).next() {
            let why = format!("`{shown}` is a link to a file outside the program's directory");
            return Err(Unusable(format!("{why}; replace the link with a copy to use --partial")));
        }
        let is_linked = self.origin == Origin::Link || part.origin == Origin::Link;
        let places = self.places().zip(part.places()).map(|(whole, part)| whole.union(part).cloned().collect());
        let (program, folder) = with_part(self.program, part.program, deleted)?;
        let added = Some(Added { place: (folder, part.root), places });
        let origin = if is_linked { Origin::Link } else { Origin::Local };
        Ok(Loaded { program, root: self.root, origin, disk: None, download: Download::default(), added })
    }

    /// Removes these parts, which are not needed, by their places in the list.
    pub(crate) fn remove_parts(&mut self, places: &[u32]) {
        remove_parts(&mut self.program, places);
    }
}

/// A model's folder, with a trailing slash, and the name of its main file; `None`: it is not a model.
fn main_of(program: &Program) -> Option<(String, String)> {
    let (folder, name) = program.entry.split_at(program.entry.rfind('/').map_or(0, |slash| slash + 1));
    let name = if name.is_empty() { INMANTA.main } else { name };
    let path = format!("{folder}{name}");
    let is_model = INMANTA.names(name) && program.files.iter().any(|file| file.path == path);
    is_model.then(|| (folder.to_owned(), name.to_owned()))
}

/// The model with the part, and the folder of the part in the program's tree.
fn with_part(whole: Program, part: Program, deleted: &[String]) -> Result<(Program, String), Unusable> {
    let no_model = |which: &str| {
        let why =
            format!("--partial requires two models, but {which} is not a `.cf` file or a directory with `main.cf`");
        Unusable(why)
    };
    let (folder, _) = main_of(&whole).ok_or_else(|| no_model("the program to change"))?;
    let (own_folder, own_main) = main_of(&part).ok_or_else(|| no_model("INPUT"))?;
    let Program { mut files, entry, environment: _ } = whole;
    let list = format!("{folder}{FOLDER}{LIST}");
    let found = files.iter().position(|file| file.path == list).map(|at| files.remove(at));
    let mut parts = match &found {
        Some(file) => Parts::read(&file.content)
            .map_err(|why| Unusable(format!("cannot read `{FOLDER}{LIST}` of the model: {why}")))?,
        None => Parts::default(),
    };
    let mut own: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    for SourceFile { path, content } in part.files {
        let Some(below) = path.strip_prefix(own_folder.as_str()).filter(|below| !below.starts_with("../")) else {
            let why = format!("`{path}` is not in the directory of the partial model");
            return Err(Unusable(format!("{why}; copy it there to use --partial")));
        };
        if below == format!("{FOLDER}{LIST}") {
            let why = format!("the partial model already has partial exports (`{FOLDER}{LIST}` next to its main file)");
            return Err(Unusable(format!("{why}; move the model to a separate directory")));
        }
        own.insert(below.to_owned(), content);
    }
    let mut deleted = deleted.to_vec();
    deleted.sort_unstable();
    deleted.dedup();
    // A command that is run again changes nothing.
    let same = parts.parts.last().filter(|last| last.delete_resource_sets == deleted).and_then(|last| {
        let name = last.main.strip_suffix(own_main.as_str()).filter(|name| name.ends_with('/'))?;
        let place = format!("{folder}{FOLDER}{name}");
        (below(&files, &place) == references(&own)).then_some(place)
    });
    let place = if let Some(place) = same {
        place
    } else {
        if parts.parts.len() >= MOST {
            let why = format!("the model already has {MOST} partial exports");
            return Err(Unusable(format!("{why}; deploy the whole model, then the partial exports again")));
        }
        let name = free(&files, &format!("{folder}{FOLDER}"), parts.parts.len() + 1);
        let place = format!("{folder}{FOLDER}{name}/");
        files.extend(own.into_iter().map(|(below, content)| SourceFile { path: format!("{place}{below}"), content }));
        parts.parts.push(Part { main: format!("{name}/{own_main}"), delete_resource_sets: deleted });
        place
    };
    files.push(SourceFile { path: list, content: parts.text().into_bytes() });
    Ok((Program { files, entry, environment: part.environment }, place))
}

fn remove_parts(program: &mut Program, places: &[u32]) {
    let Some((folder, _)) = main_of(program) else { return };
    let list = format!("{folder}{FOLDER}{LIST}");
    let Some(file) = program.files.iter_mut().find(|file| file.path == list) else { return };
    let Ok(parts) = Parts::read(&file.content) else { return };
    let is_gone = |nr: usize| u32::try_from(nr).is_ok_and(|nr| places.contains(&nr));
    let (gone, left): (Vec<_>, Vec<_>) = parts.parts.into_iter().enumerate().partition(|(nr, _)| is_gone(*nr));
    let parts = Parts { parts: left.into_iter().map(|(_, part)| part).collect() };
    file.content = parts.text().into_bytes();
    let folder_of = |part: &Part| part.main.split('/').next().unwrap_or_default().to_owned();
    for name in gone.iter().map(|(_, part)| folder_of(part)) {
        // In a list that was written by hand, parts may share a folder.
        if !parts.parts.iter().any(|part| folder_of(part) == name) {
            let place = format!("{folder}{FOLDER}{name}/");
            program.files.retain(|file| !file.path.starts_with(&place));
        }
    }
}

/// The files below a folder.
fn below<'a>(files: &'a [SourceFile], folder: &str) -> BTreeMap<&'a str, &'a [u8]> {
    let found = files.iter().filter_map(|file| Some((file.path.strip_prefix(folder)?, &file.content[..])));
    found.collect()
}

fn references(files: &BTreeMap<String, Vec<u8>>) -> BTreeMap<&str, &[u8]> {
    files.iter().map(|(path, content)| (path.as_str(), &content[..])).collect()
}

/// The first number from here on that is not yet the name of a folder.
fn free(files: &[SourceFile], folder: &str, from: usize) -> usize {
    let is_taken = |number: usize| {
        let folder = format!("{folder}{number}/");
        files.iter().any(|file| file.path.starts_with(&folder))
    };
    (from..).find(|number| !is_taken(*number)).unwrap_or(from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(entry: &str, files: &[(&str, &str)]) -> Program {
        let file = |(path, text): &(&str, &str)| SourceFile { path: (*path).into(), content: (*text).into() };
        Program { files: files.iter().map(file).collect(), entry: entry.into(), environment: Vec::new() }
    }

    fn files(program: &Program) -> BTreeMap<&str, &str> {
        let files = program.files.iter();
        files.map(|file| (file.path.as_str(), std::str::from_utf8(&file.content).unwrap())).collect()
    }

    const LIST_OF_ONE: &str = r#"{
  "parts": [
    {
      "main": "1/web.cf",
      "delete_resource_sets": [
        "a",
        "b"
      ]
    }
  ]
}
"#;

    #[test]
    fn a_part_gets_a_folder_of_its_own() {
        let whole = || program("/", &[("/main.cf", "whole"), ("/libs/m/model/_init.cf", "m")]);
        let part = || program("/web.cf", &[("/web.cf", "web"), ("/libs/n/model/_init.cf", "n")]);
        let deleted = ["b".to_owned(), "a".to_owned(), "b".to_owned()];
        let (one, place) = with_part(whole(), part(), &deleted).unwrap();
        assert_eq!(place, "/partial/1/");
        assert_eq!(one.entry, "/");
        let expected = BTreeMap::from([
            ("/libs/m/model/_init.cf", "m"),
            ("/main.cf", "whole"),
            ("/partial/1/libs/n/model/_init.cf", "n"),
            ("/partial/1/web.cf", "web"),
            ("/partial/parts.json", LIST_OF_ONE),
        ]);
        assert_eq!(files(&one), expected);
        // The same again adds nothing; something else is a further part.
        let (again, place) = with_part(one, part(), &deleted).unwrap();
        assert_eq!(place, "/partial/1/");
        assert_eq!(files(&again), expected);
        let (two, place) = with_part(again, part(), &[]).unwrap();
        assert_eq!(place, "/partial/2/");
        assert_eq!(files(&two).get("/partial/2/web.cf"), Some(&"web"));
        let list = Parts::read(files(&two)["/partial/parts.json"].as_bytes()).unwrap();
        assert_eq!(list.parts.iter().map(|part| &*part.main).collect::<Vec<_>>(), ["1/web.cf", "2/web.cf"]);
    }

    #[test]
    fn parts_that_are_not_needed_are_removed_with_their_files() {
        let part = |text: &str| program("/web.cf", &[("/web.cf", text), ("/libs/n/model/_init.cf", "n")]);
        let (one, _) = with_part(program("/", &[("/main.cf", "whole")]), part("1"), &[]).unwrap();
        let (mut two, _) = with_part(one, part("2"), &[]).unwrap();
        remove_parts(&mut two, &[0, 7]);
        let left: Vec<&str> = files(&two).into_keys().collect();
        let expected = ["/main.cf", "/partial/2/libs/n/model/_init.cf", "/partial/2/web.cf", "/partial/parts.json"];
        assert_eq!(left, expected);
        let list = Parts::read(files(&two)["/partial/parts.json"].as_bytes()).unwrap();
        assert_eq!(list.parts.iter().map(|part| &*part.main).collect::<Vec<_>>(), ["2/web.cf"]);
        assert_eq!(with_part(two, part("3"), &[]).unwrap().1, "/partial/3/");
    }

    #[test]
    fn what_is_not_a_model_in_a_folder_is_refused() {
        let refused = |whole: Program, part: Program| {
            let refused = with_part(whole, part, &[]);
            refused.err().map(|why| why.0).unwrap_or_default()
        };
        let model = || program("/main.cf", &[("/main.cf", "")]);
        let needs_two = |which: &str| {
            format!("--partial requires two models, but {which} is not a `.cf` file or a directory with `main.cf`")
        };
        let other = || program("/main.mcl", &[("/main.mcl", "")]);
        assert_eq!(refused(other(), model()), needs_two("the program to change"));
        assert_eq!(refused(model(), other()), needs_two("INPUT"));
        assert_eq!(refused(model(), program("/", &[("/main.mcl", "")])), needs_two("INPUT"));
        let outside = program("/main.cf", &[("/main.cf", ""), ("/../a.cf", "")]);
        assert!(refused(model(), outside).starts_with("`/../a.cf` is not in the directory of the partial model"));
        let nested = program("/main.cf", &[("/main.cf", ""), ("/partial/parts.json", "")]);
        assert!(refused(model(), nested).starts_with("the partial model already has partial exports"));
        let mut full = model();
        for number in 0..MOST {
            full = with_part(full, program("/a.cf", &[("/a.cf", number.to_string().as_str())]), &[]).unwrap().0;
        }
        assert!(refused(full, model()).starts_with("the model already has 32 partial exports"));
    }
}
