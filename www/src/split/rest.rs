//! The rest of a split module: a module with the functions that come later, over the memory, tables and globals of
//! the first part. Loading it puts these functions into the table.

use super::plan::{FIRST, Plan};
use std::borrow::Cow;
use wasm_encoder::reencode::{Error, Reencode, RoundtripReencoder};
use wasm_encoder::{
    CodeSection, ConstExpr, ElementSection, Elements, EntityType, ExportKind, FunctionSection, ImportSection,
    MemoryType, Module, TypeSection,
};
use wasmparser::{Parser, Payload};

/// Makes it.
pub(super) fn make(plan: &Plan<'_>, module: &[u8]) -> Result<Vec<u8>, String> {
    let text = |error: Error| error.to_string();
    let mut types = TypeSection::new();
    for payload in Parser::new(0).parse_all(module) {
        if let Payload::TypeSection(section) = payload.map_err(super::shape::text)? {
            RoundtripReencoder.parse_type_section(&mut types, section).map_err(text)?;
        }
    }
    let mut functions = FunctionSection::new();
    let mut code = CodeSection::new();
    let mut numbers = Numbers { plan };
    for &function in &plan.later {
        functions.function(plan.shape.typed[function as usize]);
        let body = plan.shape.body(function).clone();
        numbers.parse_function_body(&mut code, body).map_err(|error| error.to_string())?;
    }
    let mut made = Module::new();
    made.section(&types)
        .section(&imports(plan).map_err(text)?)
        .section(&functions)
        .section(&elements(plan))
        .section(&code);
    Ok(made.finish())
}

/// What the first part has for it: its exports.
fn imports(plan: &Plan<'_>) -> Result<ImportSection, Error> {
    let mut imports = ImportSection::new();
    for (name, kind, index) in plan.exports() {
        let place = index as usize;
        let ty = match kind {
            ExportKind::Func => EntityType::Function(plan.shape.typed[place]),
            ExportKind::Table => {
                let table = RoundtripReencoder.table_type(plan.shape.tables[place])?;
                EntityType::Table(if place == 0 { plan.table(table) } else { table })
            }
            _ => EntityType::Global(RoundtripReencoder.global_type(plan.shape.globals[place])?),
        };
        imports.import(FIRST, &name, ty);
    }
    let memory =
        MemoryType { minimum: plan.shape.pages, maximum: None, memory64: false, shared: false, page_size_log2: None };
    imports.import(FIRST, plan.shape.memory, EntityType::Memory(memory));
    Ok(imports)
}

/// Puts the functions into their slots; those of neighbouring slots together.
fn elements(plan: &Plan<'_>) -> ElementSection {
    let mut elements = ElementSection::new();
    let mut runs: Vec<(u32, Vec<u32>)> = Vec::new();
    for (&slot, &function) in &plan.slots {
        match runs.last_mut() {
            Some((start, run)) if *start as usize + run.len() == slot as usize => run.push(plan.number(function)),
            _ => runs.push((slot, vec![plan.number(function)])),
        }
    }
    for (start, run) in runs {
        elements.active(None, &ConstExpr::i32_const(start.cast_signed()), Elements::Functions(Cow::Owned(run)));
    }
    elements
}

/// Turns the numbers of functions in bodies into those of the rest. Tables and globals keep theirs.
struct Numbers<'a> {
    plan: &'a Plan<'a>,
}

impl Reencode for Numbers<'_> {
    type Error = std::convert::Infallible;

    fn function_index(&mut self, function: u32) -> Result<u32, Error> {
        Ok(self.plan.number(function))
    }
}
