//! The text that the parser gave up, and which errors may follow from it.
//!
//! A definition or statement that could not be read may define any name that is written in it. So an unknown name is
//! reported beside syntax errors if none of the lost text contains it, and other errors if their file was read whole.

use crate::fault::{Failure, Fault, Missing};
use mclive_base::source::Sources;
use mclive_base::span::{FileId, Span};
use std::collections::BTreeSet;

/// The errors that do not follow from what was lost.
pub(crate) fn independent(faults: Vec<Failure>, lost: &[Span], sources: &Sources) -> Vec<Failure> {
    let files: BTreeSet<FileId> = lost.iter().map(|span| span.file).collect();
    let mentioned = mentioned(&faults, lost, sources);
    let follows = |fault: &Fault| match name(fault) {
        Some(name) => words(name).any(|word| mentioned.contains(word)),
        None => fault.place.is_none_or(|place| files.contains(&place.span().file)),
    };
    faults.into_iter().filter(|fault| !follows(fault) && !begins_lost(fault, lost, sources)).collect()
}

/// Whether it is a variable directly before lost text: a word like `class`, which begins what could not be read.
fn begins_lost(fault: &Fault, lost: &[Span], sources: &Sources) -> bool {
    let (Some(Missing::Variable(_)), Some(place)) = (&fault.missing, fault.place) else { return false };
    let at = place.span();
    lost.iter().filter(|lost| lost.file == at.file && lost.start > at.end && lost.start - at.end < 100).any(|lost| {
        let between = &sources.get(lost.file).text[at.end as usize..lost.start as usize];
        between.iter().all(|byte| matches!(byte, b' ' | b'\t'))
    })
}

/// The words of unknown names that the lost text contains. All of its words would be many.
fn mentioned(faults: &[Failure], lost: &[Span], sources: &Sources) -> BTreeSet<String> {
    let sought: BTreeSet<&str> = faults.iter().filter_map(|fault| name(fault)).flat_map(words).collect();
    let mut found = BTreeSet::new();
    for span in lost {
        let text = String::from_utf8_lossy(&sources.get(span.file).text[span.start as usize..span.end as usize]);
        found.extend(words(&text).filter(|word| sought.contains(word)).map(str::to_owned));
    }
    found
}

/// The name that was not found, without its module: of an import all of it, as each part may be defined.
fn name(fault: &Fault) -> Option<&str> {
    match fault.missing.as_ref()? {
        Missing::Import(_, name) => Some(name),
        Missing::Type(_, _, name) | Missing::Variable(name) | Missing::Attribute(_, name) => {
            Some(name.rsplit("::").next().unwrap_or(name))
        }
    }
}

/// The words of a text, of names with a hyphen their parts.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char: char| !char.is_alphanumeric() && char != '_').filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use crate::fault::diagnose;
    use crate::{Setup, compile};
    use mclive_base::source::MemoryWorld;

    /// The summaries of all errors of a model of these files.
    fn told_of(files: &[(&str, &str)]) -> Vec<String> {
        let world = MemoryWorld::of(files.iter().map(|(path, text)| (*path, text.as_bytes())));
        let compilation = compile(&world, "/main.cf", &Setup::default());
        compilation.faults.iter().flat_map(|fault| diagnose(fault)).map(|found| found.message).collect()
    }

    /// The errors of a model beside its only syntax error, which is the first.
    fn beside(text: &str) -> Vec<String> {
        told_of(&[("/main.cf", text)]).split_off(1)
    }

    #[test]
    fn unknown_names_are_reported_with_syntax_errors() {
        let found = beside(
            "entity Site:\n    string name\n    strin motto\nend\nx = = 1\nimplement Site using nothing\n\
             a = Sitee(name=\"a\")\nb = Site(nme=\"b\")\nc = std::lenn([])\nd = portt\ne = shop::f()\n",
        );
        let expected = [
            "cannot find type `strin`",
            "cannot find implementation `nothing`",
            "cannot find entity `Sitee`",
            "cannot find attribute `nme` of `Site`",
            "cannot find function `std::lenn`",
            "module `shop` is not imported in this file",
            "cannot find variable `portt`",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn names_that_lost_text_may_define_are_not_told() {
        for text in [
            // Each definition and statement, at the top level.
            "entity Site\n    string name\nend\nimplement Site using std::none\na = Site(name=\"a\")\n",
            "typedef port is int matching self > 0\nentity Site:\n    port http\nend\n",
            "entity Site:\nend\nimplementation i for Site\nend\nimplement Site using i\n",
            "entity Site:\nend\nSite.up [0;] -- Site.down [0:]\na = Site(up=Site(), down=[])\n",
            "entity Base\n    string name\nend\nentity Site extends Base:\nend\na = Site(name=\"a\")\nindex Site(name)\n",
            "entity Site:\n    string name\nend\nindex Site(name\na = Site[name=\"a\"]\n",
            "import fs as 1\na = fs::File(path=\"/a\")\n",
            "port = = 80\nx = port + 1\n",
            "for x in [1]\n    port = x\nend\ny = x + port\n",
            // Within a block, and with the block that has no end.
            "entity Site:\n    string name = = \"\"\n    string motto\nend\na = Site(name=\"a\", motto=\"\")\n",
            "entity Site:\n    string name\nentity Host:\nend\na = Site(name=\"a\")\n",
            // A long string that is not closed turns code into text and text into code.
            "a = \"\"\"text\nentity Site:\n    \"\"\"doc\"\"\"\n    string name\nend\nb = Site()\nc = other\n",
        ] {
            assert_eq!(beside(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn an_error_of_a_file_that_was_read_whole_is_reported() {
        let files = [
            ("/main.cf", "import shop\nentity Lost\nend\nx = = 1\ny = shop::Sitee()\n"),
            (
                "/libs/shop/model/_init.cf",
                "entity Site:\n    string name\n    string name\nend\nentity Own extends Lost:\nend\n",
            ),
        ];
        let expected = ["duplicate attribute `name` of `Site`", "cannot find entity `shop::Sitee`"];
        assert_eq!(told_of(&files)[2..], expected);
        // In the file of the syntax error it may be a consequence.
        let own = "entity Site:\n    string name\n    string name\nend\nx = = 1\n";
        assert_eq!(beside(own), Vec::<String>::new());
    }

    #[test]
    fn the_first_word_of_lost_text_is_no_variable() {
        assert_eq!(beside("class Site {\n    string name\n}\nx = y\n"), ["cannot find variable `y`"]);
    }

    /// Its condition is wrong, but the file was read whole.
    #[test]
    fn a_type_without_self_hides_nothing() {
        let found = beside(
            "typedef port as int matching 1 > 0\nentity Site:\n    port http\n    string name\n    string name\nend\n\
             a = Sitee()\n",
        );
        assert_eq!(found, ["duplicate attribute `name` of `Site`", "cannot find entity `Sitee`"]);
        assert_eq!(
            beside("typedef port as int matching 1 > 0\nentity A extends A:\nend\n"),
            ["circular inheritance: A"]
        );
    }

    #[test]
    fn values_are_not_computed_beside_syntax_errors() {
        assert_eq!(beside("x = = 1\na = 1\na = 2\nb = std::at([1], 5)\n"), Vec::<String>::new());
    }
}
