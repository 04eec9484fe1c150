//! What a visitor sees first, and what it executes: of a worker's module, by requests; of the page's, by playing the page.

use super::marks::{Marked, Profile};
use crate::reference::program;
use crate::steps::run;
use mclive_base::layout;
use mclive_base::shapes::editor::{Query, Service, Units};
use mclive_playground::examples;
use mclive_playground::worker::protocol::{ProgramFile, Request};
use std::path::Path;

/// Durations of a turn, as timers of browsers measure them. Units: milliseconds.
const TURNS: [u64; 6] = [100, 99, 101, 100, 108, 92];

/// The requests of the page's first seconds with a module: the first example of its language is checked, drawn, coloured
/// and deployed, and time advances. The editor and the page ask at the same time, so each of them may come first: one
/// list for each order that begins elsewhere, for their own workers.
fn requests(module: &str) -> Vec<Vec<Request>> {
    let layout = if module == "models" { &layout::INMANTA } else { &layout::MCL };
    let example = examples::ALL.iter().find(|example| std::ptr::eq(example.layout, layout));
    let program = example.expect("each language has examples").program();
    let files = || program.to_request();
    let to = u32::try_from(program.files()[0].text.encode_utf16().count()).unwrap_or(u32::MAX);
    let hostname = || "web1".to_owned();
    let ask = |service| ask(files(), service);
    let mut circle = [
        ask(Service::Tokens { from: 0, to }),
        ask(Service::Symbols),
        ask(Service::Hints { from: 0, to }),
        Request::Check { files: files() },
        Request::Draw { files: files(), hostname: hostname(), in_full: false },
    ];
    let deploy =
        Request::Deploy { files: files(), hosts: Vec::new(), hostname: hostname(), fresh: true, prepare: Vec::new() };
    let time = TURNS.iter().cycle().take(60).map(|by_ms| Request::Advance { by_ms: *by_ms });
    let mut orders = Vec::new();
    for _ in 0..2 {
        for _ in 0..circle.len() {
            circle.rotate_left(1);
            orders.push(circle.iter().cloned().chain([deploy.clone()]).chain(time.clone()).collect());
        }
        circle.reverse();
    }
    orders
}

fn ask(files: Vec<ProgramFile>, service: Service) -> Request {
    let file = files[0].path.clone();
    Request::Ask { files, query: Query { file, units: Units::Utf16, service } }
}

/// The windows in which the page is played: the size (units: CSS pixels), and whether it opens a link.
const WINDOWS: [(&str, bool); 3] = [("1440x900", false), ("390x844", false), ("1440x900", true)];

/// How often it is played in each of them: once without delays, then with other delays each time, since what happens at
/// about the same time happens in another order on another machine.
const PLAYS: u32 = 4;

/// How long the worker takes to load after the page has started (`0`: it was loaded before), and then to answer. Units:
/// milliseconds.
const WORKERS: [(&str, &str); 3] = [("150", "7"), ("0", "7"), ("0", "60")];

/// The places in a module that the first view reaches.
///
/// In: `NAME.js` and `NAME_marked.wasm`; for the page also those of the worker. Errors: the worker cannot answer a request, the
/// page shows no graph, or nothing was marked.
pub(super) fn profile(www: &Path, name: &str, parts: &Path, marked: &Marked) -> Result<Profile, String> {
    let part = |name: &str, suffix: &str| parts.join(format!("{name}{suffix}")).display().to_string();
    let (bindings, module) = (part(name, ".js"), part(name, "_marked.wasm"));
    let (at, count) = (marked.at.to_string(), marked.count.to_string());
    let play = |script: &str, with: &[&str], marks: &str| {
        let args = [&[script, &bindings, &module], with, &[&at, &count, marks]].concat();
        run("node", &args, www, &[])?;
        let marks = std::fs::read(marks).map_err(|error| format!("cannot read {marks}: {error}"))?;
        marked.profile(&marks)
    };
    if name == "page" {
        let (worker, compiler) = (part("worker", ".js"), part("worker", "_marked.wasm"));
        let link = program::link(&examples::ALL[0].program().files()[0].text);
        let rows = || WORKERS.iter().flat_map(|worker| (0..PLAYS).map(move |delays| (worker, delays.to_string())));
        let plays = WINDOWS.iter().flat_map(|view| rows().map(move |row| (view, row)));
        let views = plays.map(|((size, is_linked), ((load, answer), delays))| {
            let fragment = if *is_linked { link.trim_start_matches("./") } else { "" };
            play("view-page.mjs", &[&worker, &compiler, size, fragment, load, answer, &delays], &part(name, "_marks"))
        });
        return views.reduce(|one, other| Ok(one?.or(&other?))).expect("there are windows");
    }
    let asked = part(name, "_view.json");
    let json = serde_json::to_vec(&requests(name)).map_err(|error| format!("the requests: {error}"))?;
    std::fs::write(&asked, json).map_err(|error| format!("cannot write {asked}: {error}"))?;
    play("view.mjs", &[&asked], &part(name, "_marks"))
}
