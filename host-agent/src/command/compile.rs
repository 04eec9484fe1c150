//! `check`, `explain`, `docs`: commands that need the compiler alone.

use super::{Done, GOOD, REFUSED, coloured, unusable};
use crate::cli;
use crate::embed::Sandbox;
use crate::embed::contract::{Lint, LintLevel, Program, Report, Shown};
use crate::output::{print, print_coloured, print_json};
use crate::program::{self, Download, Search};
use crate::show::{markdown, report};

pub(super) fn check(args: &cli::Check) -> Done {
    let mut sandbox = Sandbox::start()?;
    let loaded = load_partial(&args.input, &args.partial, &mut sandbox)?;
    let machine = args.output.json;
    let shown = loaded.shown(coloured(args.output.color, &std::io::stderr()));
    let lints = lints(args);
    let said = sandbox.check(&loaded.program, args.hostname.as_deref(), &lints, &shown)?.map_err(unusable)?;
    if machine {
        print_json(&format!("{}\n", said.json));
    } else {
        report::print(&said);
        report::tell(&said);
    }
    Ok(if said.refused { REFUSED } else { GOOD })
}

/// The report on a program that is to run here. `check` reports the lints of a valid program; the errors of another one are
/// reported the way `check` does.
pub(super) fn judge(program: &Program, hostname: &str, shown: &Shown) -> Result<Report, program::Failure> {
    let check = |lints: &[Lint]| {
        let report = Sandbox::start()?.check(program, Some(hostname), lints, shown)?;
        report.map_err(unusable)
    };
    let report = check(&[Lint { name: "all".to_owned(), level: LintLevel::Allow }])?;
    if report.refused { check(&[]) } else { Ok(report) }
}

/// The lint levels of the command line; the stricter of two for the same lint applies.
fn lints(args: &cli::Check) -> Vec<Lint> {
    let levels =
        [(&args.allow, LintLevel::Allow), (&args.warn, LintLevel::Warn), (&args.deny, LintLevel::Deny)].into_iter();
    levels.flat_map(|(names, level)| names.iter().map(move |name| Lint { name: name.clone(), level })).collect()
}

pub(super) fn load(input: &cli::Input, sandbox: &mut Sandbox) -> Result<program::Loaded, program::Failure> {
    let mut loaded = program::load(&input.input, &search(input))?;
    loaded.complete(sandbox)?;
    Ok(loaded)
}

/// The input; with `--partial`, the model named there with the input as its newest part.
pub(super) fn load_partial(
    input: &cli::Input,
    partial: &cli::Partial,
    sandbox: &mut Sandbox,
) -> Result<program::Loaded, program::Failure> {
    let Some(whole) = &partial.partial else { return load(input, sandbox) };
    let whole = load(&cli::Input { input: whole.clone(), ..input.clone() }, sandbox)?;
    Ok(whole.with_part(load(input, sandbox)?, &partial.delete_resource_set)?)
}

/// Where the input is searched for.
pub(super) fn search(input: &cli::Input) -> Search {
    let depth = usize::try_from(input.depth).ok();
    let download = Download { missing: input.download || input.update, update: input.update, depth };
    Search {
        module_path: input.module_path.clone(),
        download,
        stdin_name: input.stdin_name.clone(),
        variables: input.variables.clone(),
    }
}

pub(super) fn explain(args: &cli::Explain) -> Done {
    let mut sandbox = Sandbox::start()?;
    let Some(code) = &args.code else {
        for (code, title) in sandbox.codes()? {
            print(&format!("{code}  {title}\n"));
        }
        return Ok(GOOD);
    };
    match sandbox.explain(code)? {
        Some(page) => {
            let colour = coloured(args.color, &std::io::stdout());
            print_coloured(&markdown::for_terminal(&page, colour));
            Ok(GOOD)
        }
        None => Err(unusable(format!("unknown code `{code}`; run `mclive explain` to list all codes"))),
    }
}

/// The schemas of JSON outputs, by name.
const SCHEMAS: [(&str, &str); 8] = [
    ("diagnostics", include_str!("../../../compiler/schema/diagnostics.json")),
    ("editor-answer", include_str!("../../../compiler/schema/editor-answer.json")),
    ("editor-query", include_str!("../../../compiler/schema/editor-query.json")),
    ("function-graph", include_str!("../../../compiler/schema/function-graph.json")),
    ("host-graphs", include_str!("../../../compiler/schema/host-graphs.json")),
    ("model-graph", include_str!("../../../compiler/schema/model-graph.json")),
    ("resource-graph", include_str!("../../../compiler/schema/resource-graph.json")),
    ("run-line", include_str!("../../../compiler/schema/run-line.json")),
];

fn schema(name: &str) -> Done {
    let Some((_, text)) = SCHEMAS.iter().find(|(known, _)| *known == name) else {
        let names: Vec<&str> = SCHEMAS.iter().map(|(known, _)| *known).collect();
        return Err(unusable(format!("unknown schema `{name}`; available schemas: {}", names.join(", "))));
    };
    print_json(text);
    Ok(GOOD)
}

pub(super) fn docs(args: &cli::Docs) -> Done {
    if let Some(name) = &args.schema {
        return schema(name);
    }
    let mut sandbox = Sandbox::start()?;
    let name = args.name.as_deref().unwrap_or_default();
    match sandbox.docs(name, args.json)? {
        Ok(page) => {
            if args.json {
                print_json(&page)
            } else {
                print(&page)
            }
            Ok(GOOD)
        }
        Err(help) => Err(unusable(format!("no reference page for `{name}`; {help}"))),
    }
}
