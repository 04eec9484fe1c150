//! What name resolution asks of the core library: functions, variables and modules by name.

use crate::corelib::FnDef;
use crate::value::Value;

/// The names that come with the compiler. A module's name is its import string (`golang/strings`);
/// the empty string stands for what is in scope without import.
pub trait Library {
    /// A function of a module.
    fn function(&self, module: &str, name: &str) -> Option<&'static FnDef>;
    /// A constant or variable of a module; `const.res.file.state.exists` of the empty module.
    fn variable(&self, module: &str, name: &str) -> Option<Value>;
    /// Is there anything in a module of this name?
    fn has_module(&self, module: &str) -> bool;
    /// The main file of a module that is written in MCL and compiled in (`embedded/…`).
    fn embedded(&self, module: &str) -> Option<&'static str>;
    /// Every function's module and name, for suggestions.
    fn functions(&self) -> Vec<(&'static str, &'static str)>;
    /// Every variable's module and name, for suggestions.
    fn variables(&self) -> Vec<(&'static str, &'static str)>;
}
