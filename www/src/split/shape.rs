//! What a split needs to know of a module: its functions with their types, who calls whom, the table and the globals.

use std::collections::{BTreeMap, BTreeSet};
use wasmparser::{ElementItems, ElementKind, ExternalKind, FuncType, GlobalType, Operator, Parser, Payload, TableType};

/// A module as `wasm-opt` leaves it. Functions are numbered as in the module: imported ones first.
pub(super) struct Shape<'a> {
    /// How many functions are imported.
    pub imported: u32,
    /// The types by index; `None`: no type of a function.
    pub types: Vec<Option<FuncType>>,
    /// The type's index of each function, of imported ones too.
    pub typed: Vec<u32>,
    /// The bodies, of function `imported` on.
    pub bodies: Vec<wasmparser::FunctionBody<'a>>,
    /// The tables.
    pub tables: Vec<TableType>,
    /// The pages of the memory at the start. Units: 64 KiB.
    pub pages: u64,
    /// The globals.
    pub globals: Vec<GlobalType>,
    /// The functions in the first table, by their slots.
    pub slots: BTreeMap<u32, u32>,
    /// The exported functions by name.
    pub exported: BTreeMap<&'a str, u32>,
    /// The name under which the memory is exported.
    pub memory: &'a str,
}

impl<'a> Shape<'a> {
    /// Reads a module.
    ///
    /// Errors: it is not a module, or it has parts that a split does not expect.
    pub(super) fn of(module: &'a [u8]) -> Result<Shape<'a>, String> {
        let mut shape = Shape {
            imported: 0,
            types: Vec::new(),
            typed: Vec::new(),
            bodies: Vec::new(),
            tables: Vec::new(),
            pages: 0,
            globals: Vec::new(),
            slots: BTreeMap::new(),
            exported: BTreeMap::new(),
            memory: "",
        };
        for payload in Parser::new(0).parse_all(module) {
            shape.take(payload.map_err(text)?)?;
        }
        if shape.memory.is_empty() || shape.tables.is_empty() {
            return Err("the module exports no memory, or has no table".to_owned());
        }
        Ok(shape)
    }

    fn take(&mut self, payload: Payload<'a>) -> Result<(), String> {
        match payload {
            Payload::TypeSection(types) => {
                for group in types {
                    for ty in group.map_err(text)?.into_types() {
                        self.types.push(match ty.composite_type.inner {
                            wasmparser::CompositeInnerType::Func(ty) => Some(ty),
                            _ => None,
                        });
                    }
                }
            }
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    let wasmparser::TypeRef::Func(ty) = import.map_err(text)?.ty else {
                        return Err("an import is no function".to_owned());
                    };
                    self.imported += 1;
                    self.typed.push(ty);
                }
            }
            Payload::FunctionSection(functions) => {
                for ty in functions {
                    self.typed.push(ty.map_err(text)?);
                }
            }
            Payload::TableSection(tables) => {
                for table in tables {
                    self.tables.push(table.map_err(text)?.ty);
                }
            }
            Payload::MemorySection(memories) => {
                for memory in memories {
                    self.pages = memory.map_err(text)?.initial;
                }
            }
            Payload::GlobalSection(globals) => {
                for global in globals {
                    self.globals.push(global.map_err(text)?.ty);
                }
            }
            Payload::ExportSection(exports) => {
                for export in exports {
                    let export = export.map_err(text)?;
                    match export.kind {
                        ExternalKind::Func => drop(self.exported.insert(export.name, export.index)),
                        ExternalKind::Memory => self.memory = export.name,
                        _ => {}
                    }
                }
            }
            Payload::ElementSection(elements) => {
                for element in elements {
                    self.place(element.map_err(text)?)?;
                }
            }
            Payload::CodeSectionEntry(body) => self.bodies.push(body),
            _ => {}
        }
        Ok(())
    }

    /// Takes the functions that a segment puts into the first table.
    fn place(&mut self, element: wasmparser::Element<'_>) -> Result<(), String> {
        let ElementKind::Active { table_index, offset_expr } = element.kind else { return Ok(()) };
        let ElementItems::Functions(functions) = element.items else { return Ok(()) };
        let mut offset = offset_expr.get_operators_reader();
        let Operator::I32Const { value } = offset.read().map_err(text)? else {
            return Err("a segment of the table has no constant place".to_owned());
        };
        if table_index.unwrap_or(0) != 0 {
            return Err("functions are in a second table".to_owned());
        }
        for (function, slot) in functions.into_iter().zip(value.cast_unsigned()..) {
            self.slots.insert(slot, function.map_err(text)?);
        }
        Ok(())
    }

    /// The functions with bodies.
    pub(super) fn own(&self) -> impl Iterator<Item = u32> + use<> {
        let count = u32::try_from(self.typed.len()).unwrap_or(u32::MAX);
        self.imported..count
    }

    /// The body of a function that has one.
    pub(super) fn body(&self, function: u32) -> &wasmparser::FunctionBody<'a> {
        &self.bodies[(function - self.imported) as usize]
    }

    /// What a function calls by name, in order of numbers.
    pub(super) fn calls(&self, function: u32) -> Result<BTreeSet<u32>, String> {
        let mut calls = BTreeSet::new();
        for operator in self.body(function).get_operators_reader().map_err(text)? {
            if let Operator::Call { function_index } | Operator::ReturnCall { function_index } =
                operator.map_err(text)?
            {
                calls.insert(function_index);
            }
        }
        Ok(calls)
    }
}

/// Checks a module that was made here.
pub(super) fn validate(module: &[u8]) -> Result<(), String> {
    wasmparser::Validator::new().validate_all(module).map(drop).map_err(text)
}

/// An error of the reader as text.
#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
pub(super) fn text(error: wasmparser::BinaryReaderError) -> String {
    error.to_string()
}
