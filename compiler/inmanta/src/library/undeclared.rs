//! Functions in Python whose results are not declared. Each module is reported once, with all of its functions that the
//! model calls, and with placeholders for every one, so that the rest of the model can be checked in one step.

use super::foreign::{ANSWERS, Answers};
use super::sample::sample;
use crate::fault::{Failure, Fault};
use crate::program::{Callee, FunctionId, Meaning, Program};
use mclive_base::ident::Name;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// The maximum number of functions that are listed.
const MOST: usize = 50;

/// The functions that the model calls, by name, each with a placeholder for its result. Instances have none.
type Called<'p> = BTreeMap<&'p str, Option<Cow<'static, str>>>;

/// Removes the errors that the first one of the same module covers, and adds to that one what else the model calls.
pub(crate) fn gather(program: &Program, answers: &Answers, faults: &mut Vec<Failure>) {
    if !faults.iter_mut().any(|fault| undeclared(fault).is_some()) {
        return;
    }
    let called = called(program, answers);
    let mut placeholders = placeholders(&called, answers);
    let mut modules = BTreeSet::new();
    faults.retain_mut(|fault| {
        let Some((fault, name)) = undeclared(fault) else { return true };
        let module = module_of(&name);
        if !modules.insert(module.to_owned()) {
            return called.get(&*name).is_none_or(Option::is_none);
        }
        let is_beside = |other: &&str| **other != *name && module_of(other) == module;
        let beside: Vec<&str> = called.keys().copied().filter(is_beside).collect();
        if !beside.is_empty() {
            let beside = listed(&beside);
            fault.notes.push(format!("the model also calls {beside}, whose results are not declared either"));
        }
        fault.help.extend(placeholders.take());
        true
    });
}

/// The error about a function without a result that this one is or follows from, and the function.
fn undeclared(fault: &mut Fault) -> Option<(&mut Fault, Name)> {
    if let Some(name) = fault.undeclared.clone() {
        return Some((fault, name));
    }
    let [cause] = &mut fault.causes[..] else { return None };
    undeclared(cause)
}

fn module_of(function: &str) -> &str {
    function.split("::").next().unwrap_or(function)
}

/// Of functions that have results for other arguments, the real ones are known, so these are not among them.
fn called<'p>(program: &'p Program, answers: &Answers) -> Called<'p> {
    let callees = program.names.exprs.values().filter_map(|meaning| match meaning {
        Meaning::Callee(Callee::Function(id)) => Some(*id),
        Meaning::None | Meaning::Var(_) | Meaning::Class(_) | Meaning::Callee(Callee::Cast(_)) => None,
    });
    let callees: BTreeSet<FunctionId> = callees.collect();
    let functions = callees.into_iter().map(move |id| &program.functions[id]);
    let undeclared = functions.filter(|function| function.is_foreign && answers.n_entries(&function.name) == 0);
    undeclared.map(|function| (&*function.name, sample(program, &function.result_type(program)))).collect()
}

fn listed(names: &[&str]) -> String {
    let mut shown: Vec<String> = names.iter().take(MOST).map(|name| format!("`{name}`")).collect();
    if names.len() > MOST {
        shown.push(format!("{} more", names.len() - MOST));
    }
    let last = shown.pop().unwrap_or_default();
    if shown.is_empty() { last } else { format!("{} and {last}", shown.join(", ")) }
}

/// What declares a result of each function. A single function is in the help of its error.
fn placeholders(called: &Called<'_>, answers: &Answers) -> Option<String> {
    let known = called.iter().filter_map(|(name, result)| Some((name, result.as_ref()?)));
    let entries: Vec<String> = known.map(|(name, result)| format!("\"{name}\": [{{\"result\": {result}}}]")).collect();
    let which = match entries.len() {
        0 | 1 => return None,
        n_entries if n_entries > MOST => format!("the first {MOST} of {n_entries} functions"),
        n_entries => format!("all {n_entries} functions"),
    };
    let list = entries[..entries.len().min(MOST)].join(", ");
    let what = if answers.n_names() == 0 {
        format!("declare placeholders for {which} in `{ANSWERS}`: {{{list}}}")
    } else {
        format!("add placeholders for {which} to `{ANSWERS}`: {list}")
    };
    Some(format!("to check the rest of the model before you declare the real results, {what}"))
}

#[cfg(test)]
mod tests {
    use crate::{Compilation, Setup, compile};
    use mclive_base::source::MemoryWorld;

    const MAIN: &str = "import m\nimport n\nentity E:\n    m::short name\nend\nimplementation i for E:\n    \
                        x = n::h(self.name)\nend\nimplement E using i\na = m::f(1)\nb = m::g(\"a\")\nc = m::g(\"b\")\n\
                        d = n::k()\nE(name=\"e\")\n";

    const MODULE: &str = "typedef short as string matching m::is_short(self)\n";

    fn compiled(main: &str, answers: Option<&str>) -> Compilation {
        let m = "@plugin\ndef f(a: int) -> int: pass\n\n@plugin\ndef g(a: str) -> str: pass\n\n@plugin\n\
                 def is_short(a: str) -> bool: pass\n\n@plugin\ndef unused() -> int: pass\n";
        let n = "@plugin\ndef h(a: str) -> list[int]: pass\n\n@plugin\ndef k() -> float: pass\n";
        let mut world = MemoryWorld::of([
            ("/main.cf", main.as_bytes()),
            ("/libs/m/model/_init.cf", MODULE.as_bytes()),
            ("/libs/m/plugins/__init__.py", m.as_bytes()),
            ("/libs/n/model/_init.cf", &b""[..]),
            ("/libs/n/inmanta_plugins/n/__init__.py", n.as_bytes()),
        ]);
        if let Some(answers) = answers {
            world.insert("/functions.json", answers.as_bytes());
        }
        compile(&world, "/main.cf", &Setup::default())
    }

    #[test]
    fn each_module_is_reported_once() {
        let faults = compiled(MAIN, None).faults;
        let named: Vec<&str> = faults.iter().filter_map(|fault| fault.undeclared.as_deref()).collect();
        assert_eq!(named, ["m::f", "n::k"], "{faults:?}");
        let beside = "the model also calls `m::g` and `m::is_short`, whose results are not declared either";
        assert!(faults[0].notes.iter().any(|note| note == beside), "{:?}", faults[0].notes);
        let is_list = |help: &&String| help.contains("all 5 functions");
        assert_eq!(faults.iter().flat_map(|fault| &fault.help).filter(is_list).count(), 1, "{faults:?}");
    }

    #[test]
    fn the_placeholders_are_all_that_the_model_lacks() {
        let faults = compiled(MAIN, None).faults;
        let help = faults[0].help.last().expect("it has help");
        let (_, answers) = help.split_once("`functions.json`: ").expect("it has the text of the file");
        let again = compiled(MAIN, Some(answers));
        assert!(again.faults.is_empty(), "{answers}: {:?}", again.faults);
        assert!(again.warnings.is_empty(), "{answers}: {:?}", again.warnings);
    }

    #[test]
    fn a_file_that_exists_is_added_to() {
        let answers = "{\"m::g\": [{\"args\": [\"a\"], \"result\": \"b\"}], \"m::is_*\": [{\"result\": true}]}";
        let faults = compiled(MAIN, Some(answers)).faults;
        let named: Vec<&str> = faults.iter().filter_map(|fault| fault.undeclared.as_deref()).collect();
        // A function that has results for other arguments is reported at each call.
        assert_eq!(named, ["m::f", "m::g", "n::k"], "{faults:?}");
        let help = faults[0].help.last().expect("it has help");
        let added = "add placeholders for all 3 functions to `functions.json`: \"m::f\": [{\"result\": 1}], \
                     \"n::h\": [{\"result\": []}], \"n::k\": [{\"result\": 1.0}]";
        assert!(help.ends_with(added), "{help}");
    }

    #[test]
    fn a_single_function_needs_no_list() {
        let faults = compiled("import n\nd = n::k()\n", None).faults;
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert_eq!(faults[0].help.len(), 1, "{:?}", faults[0].help);
    }
}
