//! Outlining: what a called function never executed becomes separate functions, which nothing calls in the first view.
//!
//! ```text
//!   … hot …                                   … hot …
//!   block                                     block
//!     … hot …                                   … hot …
//!     br_if 0                                   br_if 0
//!     … cold, sets $x, may branch to 1 …  ─▶    local.get …  call $cold  local.set $x
//!   end                                         br_if 1
//!   … hot …                                   end
//!                                             … hot …
//! ```
//!
//! The other functions keep their numbers, and what happens stays the same.

mod body;
mod live;
mod passed;
mod region;
mod write;

use super::marks::Profile;
use super::shape::{Shape, text};
use body::Body;
use passed::Passing;
use std::collections::BTreeMap;
use wasm_encoder::reencode::{Error, Reencode, utils};
use wasm_encoder::{CodeSection, FunctionSection, GlobalSection, Module, TypeSection};
use wasmparser::{FunctionBody, Parser, ValidPayload, Validator};
use write::Made;

/// Makes a module in which the cold regions of called functions are functions, after all others.
pub(super) fn outline(shape: &Shape<'_>, module: &[u8], profile: &Profile) -> Result<Vec<u8>, String> {
    let mut outline = Outline {
        shape,
        next: shape.imported,
        changed: BTreeMap::new(),
        made: Vec::new(),
        types: Vec::new(),
        passing: Passing::new(shape),
    };
    let mut validator = Validator::new();
    for payload in Parser::new(0).parse_all(module) {
        let payload = payload.map_err(text)?;
        if let ValidPayload::Func(function, body) = validator.payload(&payload).map_err(text)? {
            let number = function.index;
            let reached = profile.of(number - shape.imported);
            if reached.first() == Some(&true) {
                outline.take(number, &Body::read(shape, function, &body)?, reached)?;
            }
        }
    }
    outline.number_types();
    let mut outlined = Module::new();
    outline.parse_core_module(&mut outlined, Parser::new(0), module).map_err(|error| error.to_string())?;
    Ok(outlined.finish())
}

struct Outline<'a> {
    shape: &'a Shape<'a>,
    /// The function whose body is next.
    next: u32,
    /// The bodies that become smaller.
    changed: BTreeMap<u32, Vec<u8>>,
    /// The new functions.
    made: Vec<Made>,
    /// The types of the new functions that the module does not have.
    types: Vec<wasmparser::FuncType>,
    /// The new globals.
    passing: Passing,
}

impl Outline<'_> {
    /// Takes the cold regions out of a function.
    fn take(&mut self, function: u32, body: &Body<'_>, reached: &[bool]) -> Result<(), String> {
        let regions = region::find(body, reached);
        let (mut changed, mut copied) = (Vec::new(), 0);
        for region in &regions {
            let next = self.shape.typed.len() + self.made.len();
            let next = u32::try_from(next).map_err(|_| "there are too many functions".to_owned())?;
            changed.extend_from_slice(&body.bytes[copied..body.steps[region.steps.start].at]);
            let passed = self.passing.of(region.given(body));
            changed.extend(write::call(region, next, &passed));
            copied = body.steps[region.steps.end].at;
            self.made.push(write::function(body, region, &passed)?);
        }
        changed.extend_from_slice(&body.bytes[copied..]);
        if !regions.is_empty() {
            self.changed.insert(function, changed);
        }
        Ok(())
    }

    fn number_types(&mut self) {
        for made in &self.made {
            if !self.types.contains(&made.ty) && !self.shape.types.iter().flatten().any(|ty| *ty == made.ty) {
                self.types.push(made.ty.clone());
            }
        }
    }

    /// The number of a type.
    fn number(&self, ty: &wasmparser::FuncType) -> u32 {
        let number = self
            .shape
            .types
            .iter()
            .map(Option::as_ref)
            .chain(self.types.iter().map(Some))
            .position(|one| one == Some(ty));
        number.and_then(|number| u32::try_from(number).ok()).unwrap_or(u32::MAX)
    }
}

impl Reencode for Outline<'_> {
    type Error = String;

    fn parse_type_section(
        &mut self,
        types: &mut TypeSection,
        section: wasmparser::TypeSectionReader<'_>,
    ) -> Result<(), Error<String>> {
        utils::parse_type_section(self, types, section)?;
        for ty in self.types.clone() {
            let ty = self.func_type(ty)?;
            types.ty().func_type(&ty);
        }
        Ok(())
    }

    fn parse_function_section(
        &mut self,
        functions: &mut FunctionSection,
        section: wasmparser::FunctionSectionReader<'_>,
    ) -> Result<(), Error<String>> {
        utils::parse_function_section(self, functions, section)?;
        for made in &self.made {
            functions.function(self.number(&made.ty));
        }
        Ok(())
    }

    fn parse_global_section(
        &mut self,
        globals: &mut GlobalSection,
        section: wasmparser::GlobalSectionReader<'_>,
    ) -> Result<(), Error<String>> {
        utils::parse_global_section(self, globals, section)?;
        for (ty, value) in self.passing.globals() {
            globals.global(ty, &value);
        }
        Ok(())
    }

    fn parse_code_section(
        &mut self,
        code: &mut CodeSection,
        section: wasmparser::CodeSectionReader<'_>,
    ) -> Result<(), Error<String>> {
        utils::parse_code_section(self, code, section)?;
        for made in &self.made {
            code.function(&made.body);
        }
        Ok(())
    }

    fn parse_function_body(&mut self, code: &mut CodeSection, body: FunctionBody<'_>) -> Result<(), Error<String>> {
        code.raw(self.changed.get(&self.next).map_or(body.as_bytes(), Vec::as_slice));
        self.next += 1;
        Ok(())
    }
}
