//! [`Program`]: the files in the editor, and the displayed one.

use crate::worker::protocol::ProgramFile;
use mclive_base::archive::Archive;
use mclive_base::files;
use mclive_base::layout::{self, Layout};
use std::rc::Rc;

/// One file, by path relative to the program's directory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct File {
    /// Its path.
    pub name: Rc<str>,
    /// Its text; empty if it is not text.
    pub text: Rc<str>,
    /// Its bytes if it is not text. Such a file is kept and passed on as it is; the editor cannot change it.
    pub binary: Option<Rc<[u8]>>,
}

impl File {
    /// A text file.
    pub fn of_text(name: &str, text: &str) -> File {
        File { name: name.into(), text: text.into(), binary: None }
    }

    /// A file with this content.
    pub fn new(name: &str, content: &[u8]) -> File {
        match std::str::from_utf8(content) {
            Ok(text) if !text.contains('\0') => File::of_text(name, text),
            Ok(_) | Err(_) => File { name: name.into(), text: "".into(), binary: Some(content.into()) },
        }
    }

    /// Its content.
    pub fn bytes(&self) -> &[u8] {
        self.binary.as_deref().unwrap_or(self.text.as_bytes())
    }
}

/// A program's files. The first is the main file; its name determines the language, and it always exists.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    files: Vec<File>,
    shown: usize,
    /// The name of the scenario that is displayed when the program is opened, empty for none; `None`: the first one.
    displays: Option<Rc<str>>,
}

impl Program {
    /// A program of one file.
    pub fn single(layout: &Layout, text: &str) -> Program {
        Program { files: vec![File::of_text(layout.main, text)], shown: 0, displays: None }
    }

    /// A program of several files, with the others sorted by name.
    ///
    /// Errors: why these are not a program, a sentence without a full stop.
    pub fn new(entry: &str, mut all: Vec<File>) -> Result<Program, String> {
        files::check(all.iter().map(|file| (&*file.name, file.bytes().len())))?;
        if layout::of(entry).is_none() {
            return Err(format!("{entry:?} is not a program: its name must end in .mcl or .cf"));
        }
        all.sort_by(|one, other| (*one.name != *entry, &one.name).cmp(&(*other.name != *entry, &other.name)));
        match all.first().filter(|file| *file.name == *entry) {
            None => Err(format!("the main file {entry:?} is not among the program's files")),
            Some(main) if main.binary.is_some() => Err(format!("the main file {entry:?} is not text")),
            Some(_) => Ok(Program { files: all, shown: 0, displays: None }),
        }
    }

    /// A program from files such as those of a folder: the main file is found by name. A common parent folder is
    /// removed.
    ///
    /// Errors: why these are not a program, a sentence without a full stop.
    pub fn of_files(mut all: Vec<(String, Vec<u8>)>) -> Result<Program, String> {
        files::check(all.iter().map(|(name, content)| (name.as_str(), content.len())))?;
        if let [(name, _)] = &mut all[..]
            && let Some(layout) = layout::of(name)
        {
            *name = layout.main.to_owned();
        }
        while let Some(folder) = all.first().and_then(|(name, _)| Some(name.split_once('/')?.0.len() + 1))
            && all.iter().all(|(name, _)| name.get(..folder) == all[0].0.get(..folder))
        {
            all.iter_mut().for_each(|(name, _)| drop(name.drain(..folder)));
        }
        let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
        let main = layout::ALL.into_iter().map(|layout| layout.main).find(|main| names.contains(main));
        let mut at_top = names.iter().filter(|name| !name.contains('/') && layout::of(name).is_some());
        let entry = match (main, at_top.next(), at_top.next()) {
            (Some(main), _, _) => main.to_owned(),
            (None, Some(only), None) => (*only).to_owned(),
            (None, Some(_), Some(_)) => {
                return Err("found several programs: rename the main file to main.mcl or main.cf".into());
            }
            (None, None, _) => return Err("no program found: none of these files is named main.mcl or main.cf".into()),
        };
        Program::new(&entry, all.iter().map(|(name, content)| File::new(name, content)).collect())
    }

    /// The program of a text archive; `None`: the text is not an archive with a program.
    ///
    /// Errors: why the archive cannot be opened, a sentence without a full stop.
    pub fn of_archive(text: &str) -> Option<Result<Program, String>> {
        let files = Archive::parse(text.as_bytes()).files;
        files.iter().any(|(name, _)| layout::of(name).is_some()).then(|| Program::of_files(files))
    }

    /// The program of a link's text: a file, or the text archive of a program with a scenario. Without a language, the
    /// text determines it.
    pub fn of_link(layout: Option<&Layout>, text: &str) -> Program {
        let archive = Program::of_archive(text).and_then(Result::ok);
        archive
            .filter(Program::has_scenario)
            .unwrap_or_else(|| Program::single(layout.unwrap_or_else(|| layout::of_text(text)), text))
    }

    /// The language of the program.
    pub fn layout(&self) -> &'static Layout {
        layout::of(self.entry()).unwrap_or(layout::ALL[0])
    }

    /// The name of the main file.
    pub fn entry(&self) -> &Rc<str> {
        &self.files[0].name
    }

    /// All files.
    pub fn files(&self) -> &[File] {
        &self.files
    }

    /// The file in the editor.
    pub fn shown(&self) -> &File {
        &self.files[self.shown]
    }

    /// The index of the file in the editor.
    pub fn shown_index(&self) -> usize {
        self.shown
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.files.iter().position(|file| *file.name == *name)
    }

    /// Shows a file; `false`: no file has this name.
    pub fn show(&mut self, name: &str) -> bool {
        let at = self.position(name);
        self.shown = at.unwrap_or(self.shown);
        at.is_some()
    }

    /// Sets the text of a file; `false`: it is unchanged or not text, or there is no such file.
    pub fn write(&mut self, name: &str, text: &str) -> bool {
        let changes = |file: &File| file.binary.is_none() && *file.text != *text;
        let Some(at) = self.position(name).filter(|at| changes(&self.files[*at])) else { return false };
        self.files[at].text = text.into();
        true
    }

    /// Adds an empty file after the others, and shows it.
    ///
    /// Errors: what is wrong with the name, a sentence without a full stop.
    pub fn add(&mut self, name: &str) -> Result<(), String> {
        self.fits(name, None)?;
        self.files.push(File::of_text(name, ""));
        self.shown = self.files.len() - 1;
        Ok(())
    }

    /// Renames a file. The main file keeps its name.
    ///
    /// Errors: what is wrong with the name, a sentence without a full stop.
    pub fn rename(&mut self, at: usize, name: &str) -> Result<(), String> {
        self.fits(name, Some(at))?;
        match self.files.get_mut(at) {
            Some(file) if at > 0 => file.name = name.into(),
            Some(_) | None => return Err("this is the main file, so it cannot be renamed".into()),
        }
        Ok(())
    }

    /// Removes a file. The main file stays.
    pub fn remove(&mut self, at: usize) -> Option<File> {
        let removed = (at > 0 && at < self.files.len()).then(|| self.files.remove(at));
        if removed.is_some() && self.shown >= at {
            self.shown -= 1;
        }
        removed
    }

    /// Restores a removed file, and shows it; `false`: the name is taken.
    pub fn put_back(&mut self, at: usize, file: File) -> bool {
        let fits = self.fits(&file.name, None).is_ok();
        if fits {
            self.shown = at.clamp(1, self.files.len());
            self.files.insert(self.shown, file);
        }
        fits
    }

    /// Whether one of the files is a scenario.
    pub fn has_scenario(&self) -> bool {
        self.files.iter().any(|file| is_scenario(&file.name) && file.binary.is_none())
    }

    /// The name of the scenario that is displayed when the program is opened, empty for none; `None`: the first one.
    pub fn displays(&self) -> Option<&str> {
        self.displays.as_deref()
    }

    /// Sets the same.
    pub fn set_displays(&mut self, name: Option<&str>) {
        self.displays = name.map(Rc::from);
    }

    /// Removes the scenario that came with the program: it is shown on the timeline, not in a tab.
    pub(super) fn take_scenario(&mut self) -> Option<File> {
        if let Some(name) = self.displays.take() {
            return self.take_scenario_named(&name);
        }
        let at = self.files.iter().position(|file| is_scenario(&file.name) && file.binary.is_none())?;
        self.remove(at)
    }

    /// The same for the one of this name: others are in tabs.
    pub(super) fn take_scenario_named(&mut self, name: &str) -> Option<File> {
        self.displays = None;
        let at = self.position(name).filter(|at| is_scenario(name) && self.files[*at].binary.is_none())?;
        self.remove(at)
    }

    /// The program together with the scenario that is shown on the timeline, if any.
    ///
    /// Errors: why one program cannot hold both, a sentence without a full stop.
    pub(super) fn with_scenario(&self, scenario: Option<File>) -> Result<Program, String> {
        let mut whole = self.clone();
        let displayed = scenario.as_ref().map(|file| file.name.clone());
        if let Some(scenario) = scenario {
            whole.files.push(scenario);
            files::check(whole.files.iter().map(|file| (&*file.name, file.bytes().len())))?;
        }
        // A program that is opened has its files by name.
        let all = whole.files.iter().filter(|file| is_scenario(&file.name) && file.binary.is_none());
        let first = all.map(|file| &file.name).min().cloned();
        // Earlier versions display the first one, so the name is written only if it differs.
        whole.displays = (first != displayed).then(|| displayed.unwrap_or_else(|| "".into()));
        Ok(whole)
    }

    fn fits(&self, name: &str, instead_of: Option<usize>) -> Result<(), String> {
        let others = self.files.iter().enumerate().filter(|(at, _)| Some(*at) != instead_of);
        if others.clone().any(|(_, file)| *file.name == *name) {
            return Err(format!("the file `{name}` already exists"));
        }
        files::check(others.map(|(_, file)| (&*file.name, file.bytes().len())).chain([(name, 0)]))
    }

    /// The files for a request to the worker.
    pub fn to_request(&self) -> Vec<ProgramFile> {
        let file = |file: &File| ProgramFile::new(format!("/{}", file.name), file.bytes());
        self.files.iter().map(file).collect()
    }

    /// The text archive of all files.
    ///
    /// Errors: what it cannot hold, a sentence without a full stop.
    pub fn to_archive(&self) -> Result<String, String> {
        if let Some(file) = self.files.iter().find(|file| file.binary.is_some()) {
            return Err(format!(
                "a text archive cannot contain `{}`, which is not text; download the zip instead",
                file.name
            ));
        }
        Archive::text(self.files.iter().map(|file| (&*file.name, &*file.text)))
    }

    /// Whether the program is still empty.
    pub fn is_blank(&self) -> bool {
        self.files.iter().all(|file| file.binary.is_none() && file.text.trim().is_empty())
    }
}

fn is_scenario(name: &str) -> bool {
    name.ends_with(".scenario")
}

#[cfg(test)]
mod tests {
    use super::*;
    use mclive_base::layout::{INMANTA, MCL};

    fn names(program: &Program) -> Vec<&str> {
        program.files().iter().map(|file| &*file.name).collect()
    }

    fn of(files: &[(&str, &str)]) -> Result<Program, String> {
        Program::of_files(files.iter().map(|(name, text)| ((*name).into(), text.as_bytes().to_vec())).collect())
    }

    #[test]
    fn a_folder_begins_with_its_main_file() {
        let program = of(&[("web/lib/b.mcl", ""), ("web/main.mcl", "x"), ("web/a", "")]).unwrap();
        assert_eq!((names(&program), program.layout()), (vec!["main.mcl", "a", "lib/b.mcl"], &MCL));
        assert_eq!(names(&of(&[("one.cf", ""), ("libs/std.cf", "")]).unwrap()), ["one.cf", "libs/std.cf"]);
        assert_eq!(names(&of(&[("anything.cf", "a = 1\n")]).unwrap()), ["main.cf"]);
        assert_eq!(of(&[("main.cf", "")]).unwrap().layout(), &INMANTA);
    }

    #[test]
    fn what_is_no_program_is_refused_with_the_reason() {
        for (files, why) in [
            (&[("a.mcl", ""), ("b.mcl", "")][..], "several programs"),
            (&[("README", ""), ("x/a.mcl", "")], "no program"),
            (&[], "no program"),
            (&[("main.mcl", "a\0"), ("x", "")], "the main file \"main.mcl\" is not text"),
            (&[("main.mcl", ""), ("../x", "")], "relative path"),
            (&[("main.mcl", ""), ("/x", "")], "relative path"),
            (&[("main.mcl", ""), ("a\u{202e}b", "")], "relative path"),
            (&[("main.mcl", ""), ("main.mcl", "")], "duplicate"),
            (&[("main.mcl", ""), ("main.mcl/x", "")], "a file and a directory"),
        ] {
            assert!(of(files).unwrap_err().contains(why), "{files:?}");
        }
        assert!(Program::new("x", vec![File::of_text("x", "")]).unwrap_err().contains("must end in"));
        assert!(Program::new("x.mcl", vec![File::of_text("y", "")]).unwrap_err().contains("not among"));
    }

    #[test]
    fn files_that_are_not_text_are_kept_as_they_are() {
        let bytes = [0x89, b'P', 0xff, 0];
        let files = vec![("main.mcl".to_owned(), b"x".to_vec()), ("logo.png".to_owned(), bytes.to_vec())];
        let mut program = Program::of_files(files).unwrap();
        assert_eq!((names(&program), program.files()[1].bytes()), (vec!["main.mcl", "logo.png"], &bytes[..]));
        assert_eq!(program.to_request()[1], ProgramFile::new("/logo.png", bytes));
        assert!(!program.write("logo.png", "text") && !program.is_blank());
        assert!(program.to_archive().unwrap_err().contains("`logo.png`, which is not text"));
        // They count: a file that fits alone may not fit beside them.
        let many = vec![("main.mcl".to_owned(), Vec::new()), ("big".to_owned(), vec![0xff; files::LARGEST])];
        assert!(Program::of_files(many).is_err());
        program.rename(1, "a.scenario").unwrap();
        assert_eq!(program.take_scenario(), None, "a scenario is text");
    }

    #[test]
    fn a_text_archive_is_a_program_if_it_holds_one() {
        let text = "# about\n-- main.mcl --\nimport \"lib/\"\n-- lib/main.mcl --\n$a = 1\n";
        let program = Program::of_archive(text).unwrap().unwrap();
        assert_eq!(names(&program), ["main.mcl", "lib/main.mcl"]);
        assert_eq!(&*program.shown().text, "import \"lib/\"\n");
        assert_eq!(Program::of_archive(&program.to_archive().unwrap()), Some(Ok(program)));
        assert_eq!(Program::of_archive("print \"x\" {}\n"), None);
        assert_eq!(Program::of_archive("-- notes --\nx\n"), None);
        assert!(Program::of_archive("-- main.mcl --\n-- ../x --\n").unwrap().is_err());
        assert_eq!(Program::of_link(None, text).files().len(), 1, "a link to one file is that file");
        let model = "entity A:\nend\n";
        assert_eq!(Program::of_link(None, model).layout(), &INMANTA, "its text is a model");
        assert_eq!(Program::of_link(Some(&MCL), model).layout(), &MCL, "the link says so");
        let mut staged = Program::of_link(Some(&MCL), &format!("{text}-- a.scenario --\nrun\n"));
        assert_eq!(staged.take_scenario().map(|file| file.text), Some("run\n".into()));
        assert_eq!(names(&staged), ["main.mcl", "lib/main.mcl"]);
    }

    #[test]
    fn tabs_come_and_go_and_the_first_stays() {
        let mut program = Program::single(&MCL, "x");
        assert!(program.add("../x").is_err() && program.add("main.mcl").is_err() && program.add("").is_err());
        program.add("a").unwrap();
        program.add("b").unwrap();
        assert!(program.write("b", "text") && !program.write("b", "text") && !program.write("c", ""));
        assert_eq!((names(&program), &*program.shown().text), (vec!["main.mcl", "a", "b"], "text"));
        assert!(
            program.rename(0, "x.mcl").is_err() && program.rename(1, "b").is_err() && program.rename(9, "x").is_err()
        );
        program.rename(1, "c").unwrap();
        assert!(program.remove(0).is_none() && program.remove(9).is_none());
        let removed = program.remove(2).unwrap();
        assert_eq!((names(&program), &*program.shown().name), (vec!["main.mcl", "c"], "c"));
        assert!(program.put_back(2, removed.clone()) && !program.put_back(2, removed));
        assert_eq!((names(&program), &*program.shown().name), (vec!["main.mcl", "c", "b"], "b"));
        assert!(program.show("main.mcl") && !program.show("d") && program.shown_index() == 0);
    }
}
