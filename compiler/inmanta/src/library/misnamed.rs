//! Names in `functions.json` that have no effect: of functions that the model does not have, or that are built in.

use super::Function;
use super::foreign::{ANSWERS, Answers};
use crate::fault::Warning;
use crate::program::Program;
use mclive_base::diag::suggest::closest;
use mclive_base::source::ProgramFiles;

/// A warning for each such name. Those of modules that exist but are not imported belong to other models.
pub fn misnamed(answers: &Answers, program: &Program, world: &dyn ProgramFiles, folder: &str) -> Vec<Warning> {
    answers.names().filter_map(|name| message(name, program, world, folder)).map(warning).collect()
}

fn warning(message: String) -> Warning {
    Warning { class: "FunctionsWarning", message, span: None }
}

fn message(name: &str, program: &Program, world: &dyn ProgramFiles, folder: &str) -> Option<String> {
    let start = name.strip_suffix('*');
    let is_meant = |function: &str| start.map_or(name == function, |start| function.starts_with(start));
    let has_results = |one: &Function| one.is_foreign || one.asks_a_server && start.is_none();
    let meant: Vec<bool> =
        program.functions.values().filter(|one| is_meant(&one.name)).map(|one| has_results(one)).collect();
    if meant.contains(&true) || start.is_some_and(|start| !start.contains("::")) {
        return None;
    }
    if !meant.is_empty() {
        let are = if start.is_some() { "are functions that mclive has" } else { "is" };
        return Some(format!("`{name}` {are} built in: the results in `{ANSWERS}` are not used"));
    }
    let (module, _) = name.rsplit_once("::").unwrap_or(("", name));
    let is_loaded = program.namespaces.values().any(|namespace| namespace.is_loaded && *namespace.name == *module);
    let first = module.split("::").next().unwrap_or(module);
    if !is_loaded && !module.is_empty() && world.is_dir(&format!("{folder}libs/{first}")) {
        return None;
    }
    let foreign = program.functions.values().filter(|function| function.is_foreign);
    let nearest = closest(start.unwrap_or(name), foreign.map(|function| &*function.name));
    let did_you_mean = nearest.map(|name| format!(": did you mean `{name}`?")).unwrap_or_default();
    Some(format!("`{ANSWERS}` declares results of `{name}`, but the model has no such function{did_you_mean}"))
}

#[cfg(test)]
mod tests {
    use crate::{Setup, compile};
    use mclive_base::source::MemoryWorld;

    fn warned(answers: &str) -> Vec<String> {
        let python = "@plugin\ndef port_of(name: str) -> int: pass\n";
        let world = MemoryWorld::of([
            ("/main.cf", &b"import m\nx = 1\n"[..]),
            ("/functions.json", answers.as_bytes()),
            ("/libs/m/model/_init.cf", &b""[..]),
            ("/libs/m/plugins/__init__.py", python.as_bytes()),
            ("/libs/n/model/_init.cf", &b""[..]),
        ]);
        let compilation = compile(&world, "/main.cf", &Setup::default());
        assert!(compilation.faults.is_empty(), "{:?}", compilation.faults);
        compilation.warnings.into_iter().map(|warning| warning.message).collect()
    }

    #[test]
    fn names_without_a_function_are_reported() {
        for name in ["m::port_of", "m::*", "m::port*", "*", "n::f", "n::*", "std::getfact"] {
            assert!(warned(&format!("{{\"{name}\": []}}")).is_empty(), "{name}");
        }
        for (name, words) in [
            ("m::prt_of", "did you mean `m::port_of`?"),
            ("m::is_*", "has no such function"),
            ("mm::f", "has no such function"),
            ("port_of", "has no such function"),
            ("std::upper", "`std::upper` is built in"),
        ] {
            let found = warned(&format!("{{\"{name}\": []}}"));
            assert!(found.len() == 1 && found[0].contains(words), "{name}: {found:?}");
        }
    }
}
