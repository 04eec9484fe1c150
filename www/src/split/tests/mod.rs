//! Small modules, what becomes of them, and what they do in Node.js, which the build needs anyway.

mod cutting;
mod generated;
mod outlining;

use super::marks::Profile;
use super::{Shape, marks, shape};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, Stdio};
use wasm_encoder::{
    CodeSection, ConstExpr, ElementSection, Elements, EntityType, ExportKind, ExportSection, Function, FunctionSection,
    GlobalSection, GlobalType, ImportSection, InstructionSink, MemorySection, MemoryType, Module, RefType,
    TableSection, TableType, TypeSection, ValType,
};

/// A function of a small module: two numbers in, one out.
struct Small {
    /// Locals behind the parameters.
    locals: Vec<ValType>,
    write: Box<dyn Fn(&mut InstructionSink<'_>)>,
}

/// A function with these locals and this body, without its `end`.
fn small(locals: &[ValType], write: impl Fn(&mut InstructionSink<'_>) + 'static) -> Small {
    Small { locals: locals.to_vec(), write: Box::new(write) }
}

/// The number of the first function of a small module; the import has the number 0.
const MAIN: u32 = 1;

/// The global that functions may count down.
const FUEL: u32 = 0;

/// A module with these functions. The first one is exported as `main`; all are in the table too, from slot 1 on.
fn module(functions: &[Small]) -> Vec<u8> {
    let count = u32::try_from(functions.len()).unwrap();
    let mut types = TypeSection::new();
    types.ty().function([], []);
    types.ty().function([ValType::I32, ValType::I32], [ValType::I32]);
    let mut imports = ImportSection::new();
    imports.import("env", "load", EntityType::Function(0));
    let mut declared = FunctionSection::new();
    let mut code = CodeSection::new();
    for function in functions {
        declared.function(1);
        let mut body = Function::new_with_locals_types(function.locals.iter().copied());
        (function.write)(&mut body.instructions());
        body.instructions().end();
        code.function(&body);
    }
    declared.function(0);
    let mut load = Function::new([]);
    load.instructions().call(0).end();
    code.function(&load);
    let mut tables = TableSection::new();
    let size = u64::from(count) + 1;
    tables.table(TableType {
        element_type: RefType::FUNCREF,
        minimum: size,
        maximum: Some(size),
        table64: false,
        shared: false,
    });
    let mut memories = MemorySection::new();
    memories.memory(MemoryType { minimum: 1, maximum: None, memory64: false, shared: false, page_size_log2: None });
    let mut globals = GlobalSection::new();
    globals.global(GlobalType { val_type: ValType::I32, mutable: true, shared: false }, &ConstExpr::i32_const(0));
    let mut exports = ExportSection::new();
    exports.export("memory", ExportKind::Memory, 0).export("fuel", ExportKind::Global, FUEL);
    exports.export("main", ExportKind::Func, MAIN).export("loadRest", ExportKind::Func, MAIN + count);
    let mut elements = ElementSection::new();
    let all: Vec<u32> = (MAIN..MAIN + count).collect();
    elements.active(None, &ConstExpr::i32_const(1), Elements::Functions(all.into()));
    let mut module = Module::new();
    module.section(&types).section(&imports).section(&declared).section(&tables).section(&memories).section(&globals);
    module.section(&exports).section(&elements).section(&code);
    let module = module.finish();
    shape::validate(&module).unwrap();
    module
}

/// A module to run.
struct Run<'a> {
    module: &'a [u8],
    rest: Option<&'a [u8]>,
    /// The arguments of `main` in each call.
    calls: &'a [[i32; 2]],
}

/// Calls modules, one after the other in one process of Node.js. An object for each: `outcomes` has a pair for each call,
/// of what `main` returned or why it failed and a checksum of the memory's first words; `loads` is how often the rest was
/// loaded.
fn run(runs: &[Run<'_>]) -> Vec<Value> {
    let list = |bytes: &[u8]| Value::from(bytes.to_vec());
    let asked: Vec<Value> = runs
        .iter()
        .map(|run| json!({ "module": list(run.module), "rest": run.rest.map(list), "calls": run.calls }))
        .collect();
    node(RUN, &Value::from(asked))
}

const RUN: &str = r"
const told = [];
for (const { module, rest, calls } of asked) {
  let loads = 0;
  const load = () => {
    loads += 1;
    new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.from(rest)), { first });
    first.restLoaded.value = 1;
  };
  const first = new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.from(module)), { env: { load } }).exports;
  const outcomes = calls.map((call) => {
    first.fuel.value = 300;
    let said;
    try { said = first.main(...call); } catch (error) { said = error.message; }
    return [said, new Uint32Array(first.memory.buffer, 0, 64).reduce((sum, word) => (sum * 31 + word) | 0, 7)];
  });
  told.push({ outcomes, loads });
}
";

/// The marks of these calls of a module.
fn profile(module: &[u8], calls: &[[i32; 2]]) -> Profile {
    let marked = marks::mark(&Shape::of(module).unwrap(), module).unwrap();
    shape::validate(&marked.module).unwrap();
    let asked = json!({ "module": marked.module, "calls": calls, "at": marked.at, "count": marked.count });
    let marks: Vec<u8> = node(MARKS, &asked).iter().map(|mark| u8::try_from(mark.as_u64().unwrap()).unwrap()).collect();
    marked.profile(&marks).unwrap()
}

const MARKS: &str = r"
const module = new WebAssembly.Module(Uint8Array.from(asked.module));
const { main, memory } = new WebAssembly.Instance(module, { env: { load() {} } }).exports;
for (const call of asked.calls) main(...call);
const told = [...new Uint8Array(memory.buffer, asked.at, asked.count)];
";

/// Runs a script, which has what is `asked`, and makes what is `told`.
fn node(script: &str, asked: &Value) -> Vec<Value> {
    let script = format!(
        "const asked = JSON.parse(require('fs').readFileSync(0, 'utf8'));{script}console.log(JSON.stringify(told));"
    );
    let mut node = Command::new("node")
        .args(["-e", &script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the tests need `node`, as the build does");
    node.stdin.take().unwrap().write_all(asked.to_string().as_bytes()).unwrap();
    let done = node.wait_with_output().unwrap();
    assert!(done.status.success(), "the script failed");
    serde_json::from_slice(&done.stdout).unwrap()
}

/// How many functions with bodies a module has.
fn functions(module: &[u8]) -> usize {
    Shape::of(module).unwrap().bodies.len()
}

/// The two parts of a module.
fn parts(module: &[u8], first: &BTreeSet<u32>) -> (Vec<u8>, Vec<u8>) {
    super::cut(Shape::of(module).unwrap(), module, first).unwrap()
}

/// Numbers that look random, the same in each run.
struct Dice(u64);

impl Dice {
    /// A number below this one.
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u32::try_from((self.0 >> 33) % u64::from(limit)).unwrap()
    }
}
