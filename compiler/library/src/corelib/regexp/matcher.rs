//! `regexp.match`.

use super::parser;
use super::search::Search;
use crate::corelib::work::STEP;
use crate::corelib::{Args, CallContext, Example, FnDef, FnError, Long, Progress, Run, Shape, Sig, Task, Work};
use crate::value::Value;

pub(super) static DEF: FnDef = FnDef {
    path: "regexp.match",
    sig: Sig::Fixed("func(pattern str, s str) bool"),
    doc: "Reports whether a regular expression matches anywhere in a string.\n\nThe syntax is RE2: no lookaround and \
          no backreferences. `^` and `$` match at the start and end of the string, or of each line with `(?m)`. `\\d`, \
          `\\w`, `\\s` and `\\b` are ASCII only; `\\pL` and `\\p{Greek}` cover all of Unicode. An invalid pattern ends \
          the program.",
    examples: &[
        Example { call: r#"regexp.match("^[a-z]+[0-9]{2,}$", "web01")"#, gives: "true" },
        Example { call: r#"regexp.match("^b", "abc")"#, gives: "false" },
        Example { call: r#"regexp.match("(?i)straße|\\p{Greek}", "STRAẞE")"#, gives: "true" },
        Example { call: r#"regexp.match("\\bc", "a c")"#, gives: "true" },
        Example {
            call: r#"regexp.match("a(?=b)", "ab")"#,
            gives: "error: invalid pattern: invalid or unsupported Perl syntax: `(?=`",
        },
    ],
    shape: Shape::PLAIN,
    run: Run::Long(Long { begin, is_pure: true }),
};

fn begin(args: &Args) -> Result<Box<dyn Task>, FnError> {
    let refused = |error| {
        let said = format!("invalid pattern: {error}");
        FnError::fatal(format!("pattern did not compile: error parsing regexp: {error}")).said(said)
    };
    let program = parser::parse(args.bytes(0)?).map_err(refused)?;
    args.work.spend(STEP * program.code.len() as u64)?;
    Ok(Box::new(Search::new(program, args.shared_bytes(1)?)))
}

impl Task for Search {
    fn copy(&self) -> Box<dyn Task> {
        Box::new(self.clone())
    }

    fn resume(&mut self, _: &mut dyn CallContext, work: &Work) -> Result<Progress, FnError> {
        let found = self.search(work)?;
        Ok(found.map_or(Progress::Underway, |found| Progress::Done(Value::Bool(found))))
    }
}
