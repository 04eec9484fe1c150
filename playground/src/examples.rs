//! The examples of the menu. Each one compiles; a test says so.

/// A program to start from.
#[derive(Debug)]
pub struct Example {
    /// As links name it.
    pub name: &'static str,
    pub title: &'static str,
    /// One line on what there is to see.
    pub about: &'static str,
    pub text: &'static str,
}

macro_rules! examples {
    ($($name:literal $title:literal $about:literal;)*) => {
        /// In the order of the menu; the first is what a first visit shows.
        pub static ALL: &[Example] = &[$(Example {
            name: $name,
            title: $title,
            about: $about,
            text: include_str!(concat!("../examples/", $name, ".mcl")),
        },)*];
    };
}

examples! {
    "clock" "A file that follows the clock" "Values change over time; the host follows";
    "hello" "Hello, host" "One file, described once and kept that way";
    "repair" "Drift and repair" "Break a file and watch it come back";
    "edges" "Order and edges" "What must settle before what";
    "list" "Many from a list" "A loop makes a file for each name";
    "class" "Classes" "A description to be used again";
    "conditions" "Conditions" "What holds on one host and not on another";
    "functions" "Functions" "Values from values, and their graph";
    "sendrecv" "Send and receive" "One resource gives a value to another";
    "template" "A template" "A config file from a struct of values";
    "elvis" "When something goes wrong" "A fallback for a value that cannot be had";
    "errors" "Mistakes" "Several errors at once, each with its way out";
}

/// The example of a name.
pub fn find(name: &str) -> Option<&'static Example> {
    ALL.iter().find(|example| example.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mclive_base::shapes::Severity;
    use mclive_compiler::face::check::check;

    fn errors(example: &Example) -> Vec<String> {
        let checked = check([("/main.mcl", example.text.as_bytes())], "/main.mcl", "web1");
        let said = checked.diagnostics.diagnostics.into_iter().filter(|one| one.severity == Severity::Error);
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
            let formatted = mclive_compiler::fmt::format(example.text.as_bytes()).expect("an example parses");
            assert_eq!(String::from_utf8_lossy(&formatted), example.text, "{}", example.name);
        }
    }
}
