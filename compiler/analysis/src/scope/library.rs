//! Access to the core library by name: functions, variables and modules.
//!
//! A module's name is its import string (`golang/strings`); the empty string is the module in scope without an import.

use crate::corelib::{self, FnDef, Variable};

/// A function of a module. The name has no dot: nothing is found in a module that was not imported.
pub(super) fn function(module: &str, name: &str) -> Option<&'static FnDef> {
    if name.contains('.') {
        None
    } else if module.is_empty() {
        corelib::lookup(name)
    } else {
        corelib::lookup(&format!("{module}.{name}"))
    }
}

/// A constant or variable of a module.
pub(super) fn variable(module: &str, name: &str) -> Option<&'static Variable> {
    variables_of(module).find(|variable| variable.name == name)
}

/// The variables of one module.
pub(super) fn variables_of(module: &str) -> Box<dyn Iterator<Item = &'static Variable>> {
    if module.is_empty() {
        Box::new(corelib::top_level_variables())
    } else {
        Box::new(corelib::module(module).into_iter().flat_map(|module| module.variables))
    }
}

/// The functions of one module that can be called by name.
pub(super) fn functions_of(module: &str) -> impl Iterator<Item = &'static FnDef> {
    let module = (!module.is_empty()).then(|| module.to_owned());
    corelib::all().filter(move |def| def.module() == module.as_deref() && !def.name().starts_with('_'))
}
