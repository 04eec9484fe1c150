//! Module `golang/os`: the running program and files of the host, as of the evaluation. Functions spec, 11.4. Their
//! facts are not watched for changes.

pub(super) mod environment;
pub(super) mod exec;
pub(super) mod files;
pub(super) mod process;

/// Declares functions that read the world: name, path, signature, doc, examples, body.
macro_rules! go_readers {
    ($($name:ident $path:literal $sig:literal $doc:literal [$($call:literal => $gives:literal),* $(,)?] $run:expr;)*) => {
        pub(in crate::corelib) static DEFS: &[&$crate::corelib::FnDef] = &[$(&$name),*];
        $(
            static $name: $crate::corelib::FnDef = $crate::corelib::FnDef {
                path: $path,
                sig: $crate::corelib::Sig::Fixed($sig),
                doc: $doc,
                examples: &[$($crate::corelib::Example { call: $call, gives: $gives }),*],
                shape: $crate::corelib::Shape::PLAIN,
                run: $crate::corelib::Run::World($run),
            };
        )*
    };
}
pub(super) use go_readers;
