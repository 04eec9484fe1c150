//! Every function that reads the world has a test on a real machine.

use mclive_compiler::corelib::{self, Run};

/// The tests that call them.
const TESTS: [&str; 4] =
    [include_str!("facts.rs"), include_str!("machine.rs"), include_str!("network.rs"), include_str!("sound.rs")];

/// Functions without a direct call, and why; a name that ends with a dot or an underscore stands for a family.
const APART: [(&str, &str); 6] = [
    ("_collect", "the target of a statement; `collect.res` reads the same"),
    ("value.get", "every call of it is refused"),
    ("golang/math/rand.int", "its name is a keyword; `rand.intn` reads the same"),
    ("test.one_", "reads nothing of the machine"),
    ("golang/runtime.", "the rest reads nothing of the machine, or always fails"),
    ("embedded/provisioner.", "all read the same settings"),
];

#[test]
fn no_function_of_the_world_is_left_out() {
    let is_called = |name: &str| TESTS.iter().any(|text| text.contains(&format!("{name}(")));
    let mut left_out = Vec::new();
    for def in corelib::all().filter(|def| matches!(def.run, Run::World(_))) {
        let is_apart = APART.iter().any(|(name, _)| match name.ends_with(['.', '_']) {
            true => def.path.starts_with(name),
            false => def.path == *name,
        });
        // A method's name must not count as the function: `.name(`, or the bare name of a function without a module.
        let name = if def.module().is_some() { format!(".{}", def.name()) } else { def.name().to_owned() };
        if !is_apart && !is_called(&name) {
            left_out.push(def.path);
        }
    }
    assert!(left_out.is_empty(), "no test on a real machine: {left_out:?}");
}
