//! Compiles a model from disk and tells what it comes to: `model FILE [text|dot|json]`.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::disallowed_macros,
    reason = "a program of its own, outside of the pure core"
)]

use mclive_base::source::ProgramFiles;
use mclive_inmanta::{Setup, compile, fault::report, model, model::Model};
use std::path::Path;
use std::sync::Arc;

/// The files below the folder of the main file.
struct Disk;

impl ProgramFiles for Disk {
    fn read(&self, path: &str) -> Option<Arc<[u8]>> {
        std::fs::read_to_string(path).ok().map(|text| text.into_bytes().into())
    }

    fn is_dir(&self, path: &str) -> bool {
        Path::new(path).is_dir()
    }

    fn list(&self, dir: &str) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(dir) else { return Vec::new() };
        let mut names: Vec<String> =
            entries.flatten().map(|entry| entry.path().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

fn main() {
    let mut args = std::env::args().skip(1);
    let Some(file) = args.next() else { return eprintln!("usage: model FILE [text|dot|json]") };
    let file = std::fs::canonicalize(&file).map_or(file, |path| path.to_string_lossy().into_owned());
    let compilation = compile(&Disk, &file, &Setup::default());
    compilation.printed.iter().for_each(|line| println!("{line}"));
    for fault in &compilation.faults {
        eprintln!("{}: {}", fault.class.name(), report(fault, compilation.texts()));
    }
    match args.next().as_deref() {
        Some("text") => print!("{}", model::text(&[Model::only(&compilation)])),
        Some("dot") => print!("{}", model::dot(&[Model::only(&compilation)])),
        Some("json") => {
            println!("{}", mclive_base::shapes::to_json(&model::graph(&[Model::only(&compilation)])));
        }
        _ => eprintln!("{} instances", compilation.store.instances.len()),
    }
    std::process::exit(i32::from(!compilation.faults.is_empty()));
}
