//! Modules, or parts of modules, written in MCL. Functions spec, section 13.

pub(super) mod names;

/// A source file of a module.
#[derive(Debug)]
pub struct MclFile {
    /// Path relative to the module's root.
    pub name: &'static str,
    /// The source text.
    pub text: &'static str,
}

/// The files of a system module, sorted by name.
pub(super) fn system(module: &str) -> &'static [MclFile] {
    match module {
        "example" => &[MclFile { name: "native.mcl", text: include_str!("example/native.mcl") }],
        _ => &[],
    }
}

/// The files of a compiled-in module.
pub(super) fn embedded(module: &str) -> &'static [MclFile] {
    match module {
        "embedded/provisioner" => &[
            MclFile { name: "main.mcl", text: include_str!("provisioner/main.mcl") },
            MclFile { name: "metadata.yaml", text: include_str!("provisioner/metadata.yaml") },
        ],
        _ => &[],
    }
}
