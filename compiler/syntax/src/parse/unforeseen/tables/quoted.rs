//! Text of other tools in which the quotes are not the first mistake.

use super::super::Mistake;
use super::super::cover::Cover;

const FACTS: &str = "facts are functions";
const PUPPET: &str = "this looks like Puppet";

const FAMILY: &str = "for the family of the system, write `os.family()`, after `import \"os\"`";
const HOST: &str = "for the name of the host, write `$hostname`; `mclive docs functions` lists the functions";

// A line with a `{` and no `if` is a selector, which is known by its `?`.
pub(super) const TABLE: &[Mistake] = &[
    Mistake::new(
        "LINE «resource/module WORD STR» = …",
        "this looks like Bicep",
        "not an MCL statement",
        "write a resource as `kind \"name\" { field => value, }`",
    )
    .covers(Cover::Until("}")),
    Mistake::new("LINE if … «$facts [ STR ] [ STR ]» …", FACTS, PUPPET, FAMILY).more(HOST),
    Mistake::new("LINE if … «$facts [ STR ]» …", FACTS, PUPPET, FAMILY).more(HOST),
    Mistake::new("«$facts [ STR ] [ STR ]» !{", FACTS, PUPPET, FAMILY).more(HOST),
    Mistake::new("«$facts [ STR ]» !{", FACTS, PUPPET, FAMILY).more(HOST),
];
