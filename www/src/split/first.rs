//! The first part of a split module: the whole module except for the functions that come later. Those that are called
//! otherwise than by their numbers, or lie between others, have stubs.

use super::plan::Plan;
use wasm_encoder::reencode::{Error, Reencode, utils};
use wasm_encoder::{
    BlockType, CodeSection, ConstExpr, Encode, ExportKind, ExportSection, Function, FunctionSection, GlobalSection,
    GlobalType, Instruction, Module, TableSection, ValType,
};
use wasmparser::{FunctionBody, Operator};

/// Makes it. Functions keep their numbers, so that bodies are copied, but for calls of functions that are left out.
pub(super) fn make(plan: &Plan<'_>, module: &[u8]) -> Result<Vec<u8>, String> {
    let mut first = First { plan, next: plan.shape.imported };
    let mut made = Module::new();
    first.parse_core_module(&mut made, wasmparser::Parser::new(0), module).map_err(|error| error.to_string())?;
    Ok(made.finish())
}

struct First<'a> {
    plan: &'a Plan<'a>,
    /// The function whose body is next.
    next: u32,
}

impl Reencode for First<'_> {
    type Error = String;

    /// The first table has room for functions that so far were called by their number only.
    fn parse_table_section(
        &mut self,
        tables: &mut TableSection,
        section: wasmparser::TableSectionReader<'_>,
    ) -> Result<(), Error<String>> {
        for (index, table) in section.into_iter().enumerate() {
            let mut ty = utils::table_type(self, table?.ty)?;
            if index == 0 {
                ty = self.plan.table(ty);
            }
            tables.table(ty);
        }
        Ok(())
    }

    /// One more global: whether the rest has been loaded.
    fn parse_global_section(
        &mut self,
        globals: &mut GlobalSection,
        section: wasmparser::GlobalSectionReader<'_>,
    ) -> Result<(), Error<String>> {
        utils::parse_global_section(self, globals, section)?;
        let flag = GlobalType { val_type: ValType::I32, mutable: true, shared: false };
        globals.global(flag, &ConstExpr::i32_const(0));
        Ok(())
    }

    /// One more function, which loads the rest if necessary, and none of those that are left out.
    fn parse_function_section(
        &mut self,
        functions: &mut FunctionSection,
        section: wasmparser::FunctionSectionReader<'_>,
    ) -> Result<(), Error<String>> {
        for (_, ty) in (self.plan.shape.imported..self.plan.kept).zip(section) {
            functions.function(ty?);
        }
        functions.function(self.plan.shape.typed[self.plan.load as usize]);
        Ok(())
    }

    /// More exports: what the rest uses.
    fn parse_export_section(
        &mut self,
        exports: &mut ExportSection,
        section: wasmparser::ExportSectionReader<'_>,
    ) -> Result<(), Error<String>> {
        utils::parse_export_section(self, exports, section)?;
        for (name, kind, index) in self.plan.exports() {
            exports.export(&name, kind, index);
        }
        exports.export(super::plan::LOADED, ExportKind::Global, self.plan.loaded());
        Ok(())
    }

    /// The names of functions are for those who build it.
    fn parse_custom_section(
        &mut self,
        module: &mut Module,
        section: wasmparser::CustomSectionReader<'_>,
    ) -> Result<(), Error<String>> {
        if section.name() == "name" { Ok(()) } else { utils::parse_custom_section(self, module, section) }
    }

    fn parse_code_section(
        &mut self,
        code: &mut CodeSection,
        section: wasmparser::CodeSectionReader<'_>,
    ) -> Result<(), Error<String>> {
        utils::parse_code_section(self, code, section)?;
        let mut ready = Function::new([]);
        for one in self.ready() {
            ready.instruction(&one);
        }
        ready.instruction(&Instruction::End);
        code.function(&ready);
        Ok(())
    }

    fn parse_function_body(&mut self, code: &mut CodeSection, body: FunctionBody<'_>) -> Result<(), Error<String>> {
        let function = self.next;
        self.next += 1;
        if function >= self.plan.kept {
            return Ok(());
        }
        if !self.plan.is_later(function) {
            code.raw(&self.body(&body)?);
            return Ok(());
        }
        let mut stub = Vec::new();
        // It declares no locals.
        0u32.encode(&mut stub);
        for parameter in (0..self.plan.parameters(function)).filter(|_| self.plan.slot(function).is_some()) {
            Instruction::LocalGet(parameter).encode(&mut stub);
        }
        self.call(&mut stub, function);
        Instruction::End.encode(&mut stub);
        code.raw(&stub);
        Ok(())
    }
}

impl First<'_> {
    /// A body, with other calls of the functions that are left out.
    fn body(&self, body: &FunctionBody<'_>) -> Result<Vec<u8>, Error<String>> {
        let (bytes, start) = (body.as_bytes(), body.range().start);
        let (mut code, mut copied) = (Vec::new(), 0);
        let mut operators = body.get_operators_reader()?;
        while !operators.eof() {
            let at = operators.original_position() - start;
            if let Operator::Call { function_index } = operators.read()?
                && function_index >= self.plan.kept
            {
                code.extend_from_slice(&bytes[copied..at]);
                self.call(&mut code, function_index);
                copied = operators.original_position() - start;
            }
        }
        code.extend_from_slice(&bytes[copied..]);
        Ok(code)
    }

    /// Loads the rest if necessary.
    fn ready(&self) -> [Instruction<'static>; 5] {
        [
            Instruction::GlobalGet(self.plan.loaded()),
            Instruction::I32Eqz,
            Instruction::If(BlockType::Empty),
            Instruction::Call(self.plan.load),
            Instruction::End,
        ]
    }

    /// A call of a function that comes later: loads the rest if necessary, and calls what then stands in the slot.
    fn call(&self, code: &mut Vec<u8>, function: u32) {
        let Some(slot) = self.plan.slot(function) else {
            // Only the rest calls it.
            return Instruction::Unreachable.encode(code);
        };
        let type_index = self.plan.shape.typed[function as usize];
        if function < self.plan.kept {
            // Stubs may be called often later, when the rest is there.
            self.ready().iter().for_each(|one| one.encode(code));
        } else {
            Instruction::Call(self.plan.kept).encode(code);
        }
        Instruction::I32Const(slot.cast_signed()).encode(code);
        Instruction::CallIndirect { type_index, table_index: 0 }.encode(code);
    }
}
