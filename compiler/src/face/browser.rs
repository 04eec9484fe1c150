//! The browser's face: functions for JavaScript. Decode, call, encode; nothing here decides.
//!
//! Files cross as a plain object of path to text. Graphs and diagnostics cross twice: as objects for programs, and as
//! the same JSON text as in the other faces ([`shapes::to_json`]).

use super::simulation::Simulation;
use super::{check, editor};
use crate::language::{self, ALL};
use crate::source::MemoryWorld;
use mclive_base::shapes::{self, host::HostAction};
use serde::Serialize;
use std::collections::BTreeMap;
use wasm_bindgen::prelude::*;

fn encode<T: Serialize>(value: &T) -> Result<JsValue, JsError> {
    Ok(value.serialize(&serde_wasm_bindgen::Serializer::json_compatible())?)
}

fn checked(files: JsValue, entry: &str, hostname: &str) -> Result<check::Checked, JsError> {
    let files: BTreeMap<String, String> = serde_wasm_bindgen::from_value(files)?;
    Ok(check::check(files.iter().map(|(path, text)| (path.as_str(), text.as_bytes())), entry, hostname))
}

/// Compiles a program: an object with `diagnostics`, `functions` and `resources`.
#[wasm_bindgen]
pub fn check(files: JsValue, entry: &str, hostname: &str) -> Result<JsValue, JsError> {
    encode(&checked(files, entry, hostname)?)
}

/// The function graph's JSON text; `undefined` for a program with errors.
#[wasm_bindgen(js_name = functionGraphJson)]
pub fn function_graph_json(files: JsValue, entry: &str, hostname: &str) -> Result<Option<String>, JsError> {
    Ok(checked(files, entry, hostname)?.functions.as_ref().map(shapes::to_json))
}

/// The resource graph's JSON text; `undefined` for a program with errors.
#[wasm_bindgen(js_name = resourceGraphJson)]
pub fn resource_graph_json(files: JsValue, entry: &str, hostname: &str) -> Result<Option<String>, JsError> {
    Ok(checked(files, entry, hostname)?.resources.as_ref().map(shapes::to_json))
}

/// The diagnostics' JSON text.
#[wasm_bindgen(js_name = diagnosticsJson)]
pub fn diagnostics_json(files: JsValue, entry: &str, hostname: &str) -> Result<String, JsError> {
    Ok(shapes::to_json(&checked(files, entry, hostname)?.diagnostics))
}

/// The formatted text of a file; `undefined` if it does not parse.
#[wasm_bindgen]
pub fn format(entry: &str, text: &str) -> Option<String> {
    language::of_file(entry).format(text.as_bytes()).ok().and_then(|bytes| String::from_utf8(bytes).ok())
}

/// Answers an editor's query, as JSON text: see `schema/editor-query.json`.
#[wasm_bindgen]
pub fn editor(files: JsValue, entry: &str, hostname: &str, query: &str) -> Result<String, JsError> {
    let files: BTreeMap<String, String> = serde_wasm_bindgen::from_value(files)?;
    let world = MemoryWorld::of(files.iter().map(|(path, text)| (path.as_str(), text.as_bytes())));
    editor::answer_text(&ALL, world, entry, hostname, query).map_err(|why| JsError::new(&why))
}

/// The page of a code such as `E0301`, in Markdown.
#[wasm_bindgen]
pub fn explain(code: &str) -> Option<String> {
    language::explain(code).map(str::to_owned)
}

/// A program running on a simulated host.
#[wasm_bindgen(js_name = Simulation)]
pub struct BrowserSimulation(Simulation);

#[wasm_bindgen(js_class = Simulation)]
impl BrowserSimulation {
    /// A small host of this name, without a program.
    #[wasm_bindgen(constructor)]
    pub fn new(hostname: &str) -> BrowserSimulation {
        BrowserSimulation(Simulation::new(language::all(), hostname))
    }

    /// Deploys a program.
    pub fn deploy(&mut self, files: JsValue, entry: &str) -> Result<(), JsError> {
        let files: BTreeMap<String, String> = serde_wasm_bindgen::from_value(files)?;
        self.0.deploy(files.iter().map(|(path, text)| (path.as_str(), text.as_bytes())), entry);
        Ok(())
    }

    /// Lets simulated time pass. Units: milliseconds.
    pub fn advance(&mut self, by_ms: u32, to_next: bool, max_steps: usize) {
        self.0.advance(u64::from(by_ms), to_next, max_steps);
    }

    /// Performs a `HostAction`.
    pub fn act(&mut self, action: JsValue) -> Result<(), JsError> {
        let action: HostAction = serde_wasm_bindgen::from_value(action)?;
        self.0.act(&action).map_err(|why| JsError::new(&why))
    }

    /// The current state, a `Snapshot`.
    pub fn snapshot(&mut self) -> Result<JsValue, JsError> {
        encode(&self.0.snapshot())
    }

    /// The resource graph in effect.
    #[wasm_bindgen(js_name = resourceGraph)]
    pub fn resource_graph(&self) -> Result<JsValue, JsError> {
        encode(&self.0.resource_graph())
    }
}
