//! [`origin()`]: the instance that a resource stands for, and how the model came to construct it.

use crate::compile::{Compilation, Setup, compile};
use crate::environment::Environment;
use crate::export::export_to_lower;
use crate::lower::Lowering;
use crate::model::{Names, View};
use crate::partial;
use crate::program::{Implementation, Program};
use crate::understand::main_file;
use crate::value::InstId;
use mclive_base::source::{ProgramFiles, Sources};
use mclive_base::span::Span;

/// The number of instances that are named, from the resource outwards.
const MOST: usize = 10;

/// One line about the origin of a resource, and its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// Without the place.
    pub text: String,
    /// The constructor.
    pub span: Span,
}

/// The instance of a resource of a host, and the implementations that constructed it, from the inside out. Empty if there
/// is no such resource, or the model has errors.
pub fn origin(compilation: &Compilation, host: &str, resource: &str) -> Vec<Line> {
    let Ok(export) = export_to_lower(compilation) else { return Vec::new() };
    let found = Lowering::new(compilation, &export).instance(host, resource);
    let (view, program) = (View { compilation }, &compilation.program);
    let names = Names::new(view);
    let mut lines: Vec<Line> = Vec::new();
    let mut at = found;
    while let Some(instance) = at.filter(|_| lines.len() < MOST) {
        let span = view.place(instance);
        let name = short(&names, view, instance);
        let text = match lines.last().and_then(|inner| around(program, inner.span)) {
            None if lines.is_empty() => format!("declared by `{name}`"),
            None => format!("in `{name}`"),
            Some(implementation) => format!("in the implementation `{}` of `{name}`", full(&implementation.full_name)),
        };
        lines.push(Line { text, span });
        at = view.store().instances[instance].by;
    }
    lines
}

/// The same in the last export of a program that has the resource ([`partial`]), with the files of all exports.
pub fn origin_in(
    world: &dyn ProgramFiles,
    entry: &str,
    environment: &Environment,
    host: &str,
    resource: &str,
) -> (Sources, Vec<Line>) {
    let main = main_file(entry);
    let first = compile(world, &main, &Setup { environment: environment.clone(), ..Setup::default() });
    let parts = partial::parts(world, &main).unwrap_or_default();
    let mut others = partial::compiled(world, &parts, &first, environment);
    let models = others.iter().rev().chain([&first]).filter(|model| model.faults.is_empty());
    let lines = models.map(|model| origin(model, host, resource)).find(|lines| !lines.is_empty());
    let lines = lines.unwrap_or_default();
    (others.pop().map_or(first.sources, |last| last.sources), lines)
}

/// The name without its place, which is printed next to it.
fn short(names: &Names<'_>, view: View<'_>, instance: InstId) -> String {
    let name = names.of(instance);
    let place = format!("@{}", view.places(instance).join(","));
    name.replacen(&place, "", 1)
}

fn full(name: &str) -> &str {
    name.strip_prefix("__config__::").unwrap_or(name)
}

/// The implementation that a constructor is part of.
fn around(program: &Program, span: Span) -> Option<&Implementation> {
    program.implementations.values().find(|one| {
        one.body.iter().any(|stmt| {
            let body = program.tree.stmts[*stmt].span;
            body.file == span.file && body.start <= span.start && span.end <= body.end
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mclive_base::source::MemoryWorld;

    #[test]
    fn a_resource_leads_to_its_instance_and_to_those_that_constructed_it() {
        let text = "import fs\nentity Site:\n    string name\nend\nentity Shop:\nend\nShop.sites [0:] -- Site.shop [1]\n\
            implementation page for Site:\n    for word in [\"a\", \"b\"]:\n        fs::File(host=host, path=f\"/srv/{name}/{word}\", content=word)\n    end\nend\n\
            implementation shop for Shop:\n    Site(name=\"web\", shop=self)\nend\n\
            implement Site using page\nimplement Shop using shop\n\
            host = std::Host(name=\"h\", os=std::linux)\nShop()\n\
            fs::File(host=host, path=\"/srv/unknown\", content=std::get_env(\"NOT_SET\"))\n";
        let world = MemoryWorld::of([("/main.cf", text.as_bytes())]);
        let compilation = compile(&world, "/main.cf", &Setup::default());
        assert!(compilation.faults.is_empty(), "{}", compilation.faults[0].message);
        let found = origin(&compilation, "h", "file[/srv/web/b]");
        let source = compilation.sources.get(found[0].span.file);
        let told: Vec<String> =
            found.iter().map(|line| format!("{} at {}", line.text, source.line_of(line.span.start))).collect();
        let file = "declared by `fs::File[host=std::Host[name=\"h\"], path=\"/srv/web/b\"]` at 10";
        assert_eq!(
            told,
            [file, "in the implementation `page` of `Site` at 14", "in the implementation `shop` of `Shop` at 19"]
        );
        assert!(origin(&compilation, "h", "file[/srv/web/c]").is_empty());
        assert!(origin(&compilation, "other", "file[/srv/web/b]").is_empty());
        // What is unknown here may be known to the host.
        assert_eq!(origin(&compilation, "h", "file[/srv/unknown]").len(), 1);
    }
}
