//! The examples of the menu. A test compiles each one.

use crate::state::Program;
use mclive_base::layout::{self, Layout};

/// A program to start from.
#[derive(Debug)]
pub struct Example {
    /// The name in links.
    pub name: &'static str,
    /// The title in the menu.
    pub title: &'static str,
    /// One line about what it shows.
    pub about: &'static str,
    /// One file, or a text archive of several.
    pub text: &'static str,
    /// The language.
    pub layout: &'static Layout,
}

impl Example {
    /// The example as a program.
    pub fn program(&self) -> Program {
        let archive = Program::of_archive(self.text).and_then(Result::ok);
        archive.unwrap_or_else(|| Program::single(self.layout, self.text))
    }

    /// Whether this program is the unchanged example.
    pub fn is(&self, program: &Program) -> bool {
        match program.files() {
            [only] => *only.text == *self.text,
            files => self.text.starts_with("-- ") && self.program().files() == files,
        }
    }
}

macro_rules! examples {
    ($($language:ident $file:literal $name:literal $title:literal $about:literal;)*) => {
        /// In menu order; the first is shown on a first visit.
        pub static ALL: &[Example] = &[$(Example {
            name: $name,
            title: $title,
            about: $about,
            text: include_str!(concat!("../examples/", $file)),
            layout: &layout::$language,
        },)*];
    };
}

examples! {
    MCL "clock.mcl" "clock" "A file that follows the clock" "Values change over time, and the host is updated";
    MCL "hello.mcl" "hello" "Hello, host" "Create a file and keep it that way";
    MCL "repair.mcl" "repair" "Drift and repair" "Break a file and watch it being repaired";
    MCL "edges.mcl" "edges" "Order and edges" "Control the order in which resources are applied";
    MCL "list.mcl" "list" "Many resources from a list" "Create a file for each name with a loop";
    MCL "class.mcl" "class" "Classes" "A reusable group of resources";
    MCL "conditions.mcl" "conditions" "Conditions" "Configuration that depends on the host";
    MCL "functions.mcl" "functions" "Functions" "Compute values from other values";
    MCL "sendrecv.mcl" "sendrecv" "Send and receive" "Pass a value from one resource to another";
    MCL "template.mcl" "template" "A template" "Generate a config file from a struct";
    MCL "elvis.mcl" "elvis" "When something goes wrong" "Fall back when a value is missing";
    MCL "modules.txtar" "modules" "Several files" "A module and a data file, each in its own tab";
    MCL "errors.mcl" "errors" "Mistakes" "Several errors, each with a suggested fix";
    INMANTA "model.cf" "model" "A model" "Entities, a relation and the resources they produce, in the Inmanta language";
    INMANTA "hosts.cf" "hosts" "Several hosts" "One model, with a graph for each of its hosts";
    INMANTA "conditional.cf" "conditional" "Refinement" "Choose an implementation based on the data";
}

/// The example of a name.
pub fn find(name: &str) -> Option<&'static Example> {
    ALL.iter().find(|example| example.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mclive_base::shapes::Severity;
    use mclive_base::source::MemoryWorld;
    use mclive_compiler::language::of_file;

    fn errors(example: &Example) -> Vec<String> {
        let files = example.program().to_request();
        let world = MemoryWorld::of(files.iter().map(|file| (file.path.as_str(), file.content.as_slice())));
        let opened = of_file(&files[0].path).open(world, &files[0].path, "web1");
        let said = opened.diagnostics().diagnostics.into_iter().filter(|one| one.severity == Severity::Error);
        said.map(|one| format!("{}: {} {}", example.name, one.code, one.message)).collect()
    }

    #[test]
    fn every_example_compiles_but_the_one_about_mistakes() {
        let (wrong, right): (Vec<&Example>, Vec<&Example>) = ALL.iter().partition(|example| example.name == "errors");
        let said: Vec<String> = right.into_iter().flat_map(errors).collect();
        assert!(said.is_empty(), "{said:#?}");
        assert!(errors(wrong[0]).len() >= 2, "{:#?}", errors(wrong[0]));
    }

    #[test]
    fn every_example_is_formatted() {
        for example in ALL {
            let program = example.program();
            for file in program.files().iter().filter(|file| program.layout().names(&file.name)) {
                let formatted = of_file(&file.name).format(file.text.as_bytes()).expect("an example parses");
                assert_eq!(String::from_utf8_lossy(&formatted), *file.text, "{}: {}", example.name, file.name);
            }
            assert!(example.is(&program), "{}", example.name);
        }
    }
}
