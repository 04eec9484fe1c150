//! Problems that a program has on every host, found without a host: the static part of the resource graph.
//!
//! Facts, the host name and the time are unknown, and so is everything that depends on them. Everything else is
//! evaluated, through all branches and loops with known values, and the resulting resources, edges and fields are
//! checked like those of a running program. An edge's end counts as missing only if no unknown branch could make it.

use super::assemble::assemble_known;
use super::autocycle::automatic_cycle;
use super::exported::sent_to_all;
use super::make::{self, Made};
use crate::diag::{Diagnostic, Diags, Stage, codes};
use crate::fgraph::Ir;
use crate::fgraph::ir::ResourceStmt;
use crate::react::{KnownStmt, React};
use crate::release::release;
use crate::source::MemoryWorld;
use crate::unicode::hidden_in;
use crate::value::Value;
use mclive_base::discard::discard;
use smallvec::SmallVec;
use std::collections::BTreeSet;
use std::sync::Arc;

/// All problems that are certain.
pub fn foresee(ir: Arc<Ir>, files: Arc<MemoryWorld>) -> Diags {
    let mut react = React::without_host(ir, files);
    let failures = react.run_known();
    if !failures.is_empty() {
        let mut diags = Diags::default();
        failures.into_iter().for_each(|failure| diags.push(failure));
        return diags;
    }
    let mut diags = Diags::default();
    let (mut all, mut there, mut unnamed) = (Vec::new(), Vec::new(), BTreeSet::new());
    let mut open = react.known(|stmt| match stmt {
        KnownStmt::Edge { stmt, names: Some(names) } => all.push(make::edge(stmt, &names)),
        KnownStmt::Edge { names: None, .. } => {}
        KnownStmt::Resource { stmt, name: None, .. } => {
            unnamed.insert(stmt.kind.clone());
        }
        KnownStmt::Resource { stmt, name: Some(name), items } => {
            hidden_in_name(stmt, name, &mut diags);
            match items.iter().copied().collect::<Option<SmallVec<[_; 8]>>>() {
                Some(items) => all.push(make::resource(stmt, name, &items, None)),
                None => match make::partly(stmt, name, &items) {
                    Ok(resources) => there.extend(resources),
                    Err(error) => all.push(Made { error: Some(Box::new(error)), ..Made::default() }),
                },
            }
        }
    });
    open.append(&mut unnamed);
    let (is_known, n_vertices) = (react.is_known(), react.graph().n_vertices());
    release(react, n_vertices);
    match assemble_known(&all, there, &open) {
        Err(wrong) => diags.extend(wrong),
        Ok(graph) => {
            sent_to_all(&graph).into_iter().for_each(|warning| diags.push(warning));
            // Unknown resources could be in between.
            match is_known {
                true => automatic_cycle(graph).into_iter().for_each(|cycle| diags.push(*cycle)),
                false => discard(graph),
            }
        }
    }
    discard(all);
    diags
}

/// Warns of a name that may look like another one.
fn hidden_in_name(stmt: &ResourceStmt, name: &Value, diags: &mut Diags) {
    let names = name.as_list().map_or(std::slice::from_ref(name), |names| &names[..]);
    let found = names.iter().filter_map(Value::as_text).find_map(|name| {
        let (_, char, _) = hidden_in(&name).next()?;
        Some((char, name))
    });
    if let Some((char, name)) = found {
        let kind = &stmt.kind;
        let message = format!("the name of `{kind}[{}]` contains an invisible character", name.escape_debug());
        let here = format!("U+{:04X} is invisible", char as u32);
        diags.push(
            Diagnostic::warning(codes::HIDDEN_CHARACTER, Stage::Interpret, message)
                .at(stmt.name_span, here)
                .help("the name may look identical to another one: remove the character"),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::react::check;

    /// The codes of problems on every host.
    #[track_caller]
    fn codes(program: &str) -> String {
        let program = &format!("{program}\n");
        let ir = check::ir(program).unwrap_or_else(|diags| panic!("does not compile: {diags:?}"));
        let diags = foresee(ir, Arc::new(MemoryWorld::single(program)));
        diags.iter().map(|diag| diag.code.to_string()).collect::<Vec<_>>().join(" ")
    }

    /// Checks with a part that only a host knows, and without it.
    #[track_caller]
    fn check_both(program: &str, expect: &str) {
        let with_host = format!("import \"sys\"\n{program}\nprint \"p\" {{ msg => \"${{hostname}}\", }}\n");
        assert_eq!((codes(program), codes(&with_host)), (expect.into(), expect.into()));
    }

    #[test]
    fn what_is_wrong_on_every_host() {
        check_both("test \"a\" { int8 => 1, }\ntest \"a\" { int8 => 2, }", "E0706");
        check_both("noop \"a\" { Before => Noop[\"b\"], }\nnoop \"b\" { Before => Noop[\"a\"], }", "E0711");
        check_both("noop \"a\" {}\nNoop[\"a\"] -> Noop[\"b\"]", "E0708");
        check_both("file \"/a\" { state => \"there\", }", "E0705");
        check_both("test \"a\" { int8 => 1000, }", "E0704");
        check_both("noop \"\" {}", "E0702");
        check_both("$m = {\"a\" => 1}\ntest \"a\" { int64 => $m[\"b\"], }", "E0601");
        check_both("panic(true)", "E0602");
        let sent = |to: &str| {
            format!(
                "password \"pw\" {{ length => 16, }}\nfile \"/a\" {{ state => \"exists\", Meta:export => [\"{to}\"], }}\n\
                 Password[\"pw\"].password -> File[\"/a\"].content"
            )
        };
        check_both(&sent("*"), "E0715");
        check_both(&sent("web1"), "");
        let passed_on = sent("*").replace(" -> ", " -> Value[\"v\"].any\nValue[\"v\"].any -> ");
        check_both(&format!("value \"v\" {{}}\n{passed_on}"), "E0715");
        check_both("for $i, $x in [\"a\", \"a\"] {\ntest [$x] { int64 => $i, }\n}", "E0706");
        check_both("noop \"a\" {}\nnoop \"b\" {}\nNoop[\"a\"] -> Noop[\"b\"]", "");
    }

    #[test]
    fn a_line_that_is_to_be_there_and_not() {
        let line = |name: &str, file: &str, state: &str, rest: &str| {
            format!("line \"{name}\" {{ file => \"{file}\", state => \"{state}\", {rest} }}\n")
        };
        let first = line("a", "/etc/x", "exists", "content => \"one\",");
        let with = |other: String| codes(&format!("{first}{other}"));
        assert_eq!(with(line("b", "/etc//x", "absent", "content => \" one\\n\", trim => true,")), "E0706");
        assert_eq!(with(line("b", "/etc/x", "exists", "content => \"one\",")), "");
        assert_eq!(with(line("b", "/etc/y", "absent", "content => \"one\",")), "");
        assert_eq!(with(line("b", "/etc/x", "absent", "content => \"two\",")), "");
        assert_eq!(with(line("b", "/etc/x", "absent", "content => \"one\", Meta:noop => true,")), "");
        assert_eq!(codes(&(line("a", "/x", "exists", "") + &line("b", "/x", "absent", ""))), "");
    }

    #[test]
    fn automatic_edges_that_make_a_cycle() {
        let dir = "file \"/srv/\" { state => \"exists\", }\nfile \"/srv/a\" { state => \"exists\", }\n";
        assert_eq!(codes(dir), "");
        assert_eq!(codes(&format!("{dir}File[\"/srv/a\"] -> File[\"/srv/\"]")), "E0712");
        let whole = |path: &str, of: &str| format!("file \"{path}\" {{ fragments => [\"{of}\"], }}\n");
        assert_eq!(codes(&(whole("/a", "/b") + &whole("/b", "/c"))), "");
        assert_eq!(codes(&(whole("/a", "/b") + &whole("/b", "/a"))), "E0712");
    }

    #[test]
    fn fields_that_are_known_are_checked_though_others_are_not() {
        assert_eq!(codes("test \"a\" { int8 => 1000, anotherstr => $hostname, }"), "E0704");
        assert_eq!(codes("test \"a\" { int8 => 1, anotherstr => $hostname, }"), "");
        assert_eq!(codes("test \"a\" { anotherstr => $hostname, }\ntest \"a\" { anotherstr => \"b\", }"), "");
    }

    #[test]
    fn names_that_look_like_others() {
        assert_eq!(codes("noop \"web\u{200b}server\" {}"), "E0106");
        assert_eq!(codes("noop \"a\u{202e}${hostname}\" {}"), "");
        assert_eq!(codes("noop [\"a\", \"b\u{e0041}\"] { Meta:noop => $hostname == \"x\", }"), "E0106");
        assert_eq!(codes("noop \"Straße \u{1f468}\u{200d}\u{1f469}\" {}"), "");
    }

    #[test]
    fn what_only_a_host_knows_is_no_error() {
        let branch = "if $hostname == \"x\" {\nnoop \"b\" {}\n}\nnoop \"a\" {}\n";
        assert_eq!(codes(&format!("{branch}Noop[\"a\"] -> Noop[\"b\"]")), "");
        assert_eq!(codes(&format!("{branch}Noop[\"a\"] -> Test[\"b\"]")), "E0708");
        assert_eq!(codes("noop \"a\" {}\nnoop [$hostname] {}\nNoop[\"a\"] -> Noop[\"b\"]"), "");
        assert_eq!(codes("$m = {\"a\" => 1}\ntest \"a\" { int64 => $m[$hostname], }"), "");
        assert_eq!(codes("panic($hostname == \"x\")"), "");
        assert_eq!(codes("import \"datetime\"\npanic(datetime.now() > 0)"), "");
        assert_eq!(codes("import \"example\"\nif example.flipflop() {\nnoop \"\" {}\n}"), "");
        assert_eq!(codes("collect noop \"b\" {}\nnoop \"a\" {}\nNoop[\"a\"] -> Noop[\"b\"]"), "");
        // A failure at an argument of a call that is still unknown may be caught in its body.
        let caught = "$f = if $hostname == \"x\" { func($a) { $a <|> \"c\" } } else { func($a) { $a } }\n\
                      $s = $f([\"x\"][9]) <|> \"d\"\ntest \"${s}\" {}";
        assert_eq!(codes(caught), "");
    }
}
