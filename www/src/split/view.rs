//! What a visitor sees first, as requests to the worker, and what they execute.

use super::marks::{Marked, Profile};
use crate::steps::run;
use mclive_base::layout;
use mclive_base::shapes::editor::{Query, Service, Units};
use mclive_playground::examples;
use mclive_playground::worker::protocol::{ProgramFile, Request};
use std::path::Path;

/// The requests of the page's first seconds with a module, in its order: the first example of its language is checked,
/// drawn, coloured and deployed, and time advances.
fn requests(module: &str) -> Vec<Request> {
    let layout = if module == "models" { &layout::INMANTA } else { &layout::MCL };
    let example = examples::ALL.iter().find(|example| std::ptr::eq(example.layout, layout));
    let program = example.expect("each language has examples").program();
    let files = || program.to_request();
    let to = u32::try_from(program.files()[0].text.encode_utf16().count()).unwrap_or(u32::MAX);
    let hostname = || "web1".to_owned();
    let ask = |service| ask(files(), service);
    let mut requests = vec![
        Request::Check { files: files() },
        ask(Service::Symbols),
        Request::Draw { files: files(), hostname: hostname(), in_full: false },
        ask(Service::Tokens { from: 0, to }),
        Request::Deploy { files: files(), hosts: Vec::new(), hostname: hostname(), fresh: true, prepare: Vec::new() },
        ask(Service::Hints { from: 0, to }),
    ];
    requests.extend(std::iter::repeat_n(Request::Advance { by_ms: 100 }, 10));
    requests
}

fn ask(files: Vec<ProgramFile>, service: Service) -> Request {
    let file = files[0].path.clone();
    Request::Ask { files, query: Query { file, units: Units::Utf16, service } }
}

/// The places in a module that these requests reach.
///
/// In: `NAME.js` and `NAME_marked.wasm`. Errors: the worker cannot answer one of them, or nothing was marked.
pub(super) fn profile(www: &Path, name: &str, parts: &Path, marked: &Marked) -> Result<Profile, String> {
    let json = serde_json::to_vec(&requests(name)).map_err(|error| format!("the requests: {error}"))?;
    let asked = parts.join(format!("{name}_view.json"));
    let marks = parts.join(format!("{name}_marks"));
    std::fs::write(&asked, json).map_err(|error| format!("cannot write {}: {error}", asked.display()))?;
    let path = |path: &Path| path.display().to_string();
    let bindings = path(&parts.join(format!("{name}.js")));
    let module = path(&parts.join(format!("{name}_marked.wasm")));
    let (at, count) = (marked.at.to_string(), marked.count.to_string());
    run("node", &["view.mjs", &bindings, &module, &path(&asked), &at, &count, &path(&marks)], www, &[])?;
    let marks = std::fs::read(&marks).map_err(|error| format!("cannot read {}: {error}", marks.display()))?;
    marked.profile(&marks)
}
