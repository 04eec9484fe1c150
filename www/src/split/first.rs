//! The first part of a split module: the whole module but for the bodies of the functions that come later.

use super::plan::Plan;
use wasm_encoder::reencode::{Error, Reencode, utils};
use wasm_encoder::{
    BlockType, CodeSection, ConstExpr, ExportKind, ExportSection, Function, GlobalSection, GlobalType, Instruction,
    Module, TableSection, ValType,
};
use wasmparser::FunctionBody;

/// Makes it. Functions keep their numbers, so that all bodies are copied as they are.
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

    fn parse_function_body(&mut self, code: &mut CodeSection, body: FunctionBody<'_>) -> Result<(), Error<String>> {
        let function = self.next;
        self.next += 1;
        if !self.plan.is_later(function) {
            code.raw(body.as_bytes());
            return Ok(());
        }
        let mut stub = Function::new([]);
        match self.plan.slot(function) {
            Some(slot) => self.forward(&mut stub, function, slot),
            // Only the rest calls it.
            None => drop(stub.instruction(&Instruction::Unreachable)),
        }
        stub.instruction(&Instruction::End);
        code.function(&stub);
        Ok(())
    }
}

impl First<'_> {
    /// A function in place of one that comes later: loads the rest if necessary, and calls what then stands in the slot.
    fn forward(&self, stub: &mut Function, function: u32, slot: u32) {
        stub.instruction(&Instruction::GlobalGet(self.plan.loaded()))
            .instruction(&Instruction::I32Eqz)
            .instruction(&Instruction::If(BlockType::Empty))
            .instruction(&Instruction::Call(self.plan.load))
            .instruction(&Instruction::End);
        for parameter in 0..self.plan.parameters(function) {
            stub.instruction(&Instruction::LocalGet(parameter));
        }
        let type_index = self.plan.shape.typed[function as usize];
        stub.instruction(&Instruction::I32Const(slot.cast_signed()));
        stub.instruction(&Instruction::CallIndirect { type_index, table_index: 0 });
    }
}
