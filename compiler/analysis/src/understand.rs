//! All stages up to inference in one call.

use crate::diag::{Diagnostic, Diags, Stage, codes};
use crate::front;
use crate::hir::Module;
use crate::scope::{self, Linked, input};
use crate::source::{ProgramFiles, Source, Sources};
use crate::unify::{self, Types};

/// Parameters of a compilation.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// The value of `$hostname`.
    pub hostname: &'a str,
}

/// A program whose names are resolved.
pub struct Resolved {
    /// The files that were read.
    pub sources: Sources,
    /// All diagnostics.
    pub diags: Diags,
    /// The trees of all files, the main file's first.
    pub modules: Vec<Module>,
    /// Empty if there is no input.
    pub linked: Linked,
}

/// A program as far as it could be understood.
pub struct Understood {
    /// The files that were read.
    pub sources: Sources,
    /// All diagnostics.
    pub diags: Diags,
    /// The trees of all files, the main file's first.
    pub modules: Vec<Module>,
    /// Empty if there is no input.
    pub linked: Linked,
    /// The types.
    pub types: Types,
}

/// How much of a program is analysed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// Code that its statements reach.
    Program,
    /// Also classes that nothing includes, for editors.
    Everything,
}

/// Runs the stages up to name resolution for the program of an input path (`/`, `/main.mcl`; language spec, 7.7). These
/// read all its files: no later stage does.
pub fn resolve(world: &dyn ProgramFiles, path: &str, setup: Setup<'_>, reach: Reach) -> Resolved {
    resolve_module(world, path, setup, reach, None)
}

/// Runs the stages up to inference. Each continues after the errors of the earlier ones, so that one compilation
/// reports everything. Cost: nearly linear in the program's size.
pub fn understand(world: &dyn ProgramFiles, path: &str, setup: Setup<'_>, reach: Reach) -> Understood {
    resolve(world, path, setup, reach).infer()
}

/// The same for a program whose main file was read before and edited.
pub fn understand_edited(world: &dyn ProgramFiles, path: &str, setup: Setup<'_>, main: Module) -> Understood {
    resolve_module(world, path, setup, Reach::Program, Some(main)).infer()
}

/// Looks up every file in `world` that [`understand`] would.
pub fn look_up(world: &dyn ProgramFiles, path: &str, setup: Setup<'_>) {
    resolve(world, path, setup, Reach::Program);
}

impl Resolved {
    fn infer(mut self) -> Understood {
        let types = unify::infer(&self.linked, &mut self.diags);
        let Resolved { sources, diags, modules, linked } = self;
        Understood { sources, diags, modules, linked, types }
    }
}

fn resolve_module(
    world: &dyn ProgramFiles,
    path: &str,
    setup: Setup<'_>,
    reach: Reach,
    edited: Option<Module>,
) -> Resolved {
    let mut sources = Sources::default();
    let mut diags = Diags::default();
    let (linked, modules) = match input::locate(world, path) {
        Ok(input) => {
            let file = sources.add(Source::new(input.path.clone(), input.text.clone()));
            let module = edited.unwrap_or_else(|| front::read_module(sources.get(file), file, &mut diags));
            let resolution = scope::Setup {
                world,
                hostname: setup.hostname,
                modules_dir: scope::MODULES_DIR,
                limits: scope::Limits::default(),
                aside: reach == Reach::Everything,
            };
            scope::resolve(resolution, &mut sources, module, &input, &mut diags)
        }
        Err(error) => {
            diags.push(Diagnostic::error(codes::NO_INPUT, Stage::Input, error.to_string()));
            (Linked::default(), Vec::new())
        }
    };
    Resolved { sources, diags, modules, linked }
}
