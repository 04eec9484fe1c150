//! The examples in the definitions of functions are true, and every function is told about.

use mclive_base::source::MemoryWorld;
use mclive_inmanta::{Setup, compile, library, value};

#[test]
fn examples_hold() {
    let mut n_examples = 0;
    for function in library::all_functions() {
        assert!(!function.doc.is_empty(), "{} has docs", function.name);
        for (call, result) in function.examples {
            let module = function.name.split("::").next().expect("it has a module");
            let text = format!("import {module}\nfound = {call}\nwanted = {result}\n");
            let world = MemoryWorld::of([("/main.cf", text.as_bytes())]);
            let compilation = compile(&world, "/main.cf", &Setup::default());
            assert!(compilation.faults.is_empty(), "{call}: {:?}", compilation.faults[0].message);
            let view = mclive_inmanta::model::View { compilation: &compilation };
            let first = compilation.globals[0];
            let values =
                [0, 1].map(|slot| view.value(mclive_inmanta::eval::VarId(first.0 + slot)).expect("it has a value"));
            assert!(value::same(&values[0], &values[1]), "{call} is {:?}, not {result}", values[0]);
            n_examples += 1;
        }
    }
    assert!(n_examples > 30, "{n_examples}");
}

#[test]
fn every_module_compiles() {
    let imports: String = library::MODULES
        .iter()
        .filter(|(name, _)| *name != "std")
        .map(|(name, _)| format!("import {name}\n"))
        .collect();
    let world = MemoryWorld::of([("/main.cf", imports.as_bytes())]);
    let compilation = compile(&world, "/main.cf", &Setup::default());
    assert!(compilation.faults.is_empty(), "{}", compilation.faults[0].message);
}
