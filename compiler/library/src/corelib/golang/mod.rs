//! Modules `golang/…`: the functions of ten packages of Go's standard library, as they behave there.
//!
//! Functions spec, chapters 11 and 15; `golang.template` is chapter 9. All of them are built in place, and their errors
//! are fatal: they cannot be caught.

mod html;
mod math;
mod os;
mod path;
mod rand;
mod runtime;
mod strconv;
mod strings;
mod template;

use super::FnDef;

pub(super) static LISTS: &[&[&FnDef]] = &[
    html::DEFS,
    math::exponential::DEFS,
    math::parts::DEFS,
    math::rounding::DEFS,
    math::special::DEFS,
    math::trigonometric::DEFS,
    os::environment::DEFS,
    os::exec::DEFS,
    os::files::DEFS,
    os::process::DEFS,
    path::host::DEFS,
    path::lexical::DEFS,
    path::relative::DEFS,
    rand::DEFS,
    runtime::DEFS,
    strconv::number::DEFS,
    strconv::quoting::DEFS,
    strings::change::DEFS,
    strings::search::DEFS,
    strings::trim::DEFS,
    template::DEFS,
];

#[cfg(test)]
pub(super) use template::names as template_names;

/// Declares functions of one Go package: name, path, signature, doc, examples, body; with `=>`, what begins its work.
macro_rules! go_functions {
    ($($name:ident $path:literal $sig:literal $doc:literal [$($call:literal => $gives:literal),* $(,)?] $($run:expr)? $(=> $begin:expr)?;)*) => {
        pub(in crate::corelib) static DEFS: &[&$crate::corelib::FnDef] = &[$(&$name),*];
        $(
            static $name: $crate::corelib::FnDef = $crate::corelib::FnDef {
                path: $path,
                sig: $crate::corelib::Sig::Fixed($sig),
                doc: $doc,
                examples: &[$($crate::corelib::Example { call: $call, gives: $gives }),*],
                shape: $crate::corelib::Shape::PLAIN,
                $(run: $crate::corelib::Run::Pure($run),)?
                $(run: $crate::corelib::Run::Long($crate::corelib::Long { begin: $begin, is_pure: true }),)?
            };
        )*
    };
}
use go_functions;
