//! Whatever its arguments, a function returns a result of bounded size or an error, and its cost is counted.

use super::bytes::MAX_TEXT;
use super::{Args, CallContext, CallState, FnDef, FnError, Long, Run, Work, all};
use crate::types::{FuncType, Type};
use crate::value::Value;
use crate::vocab::{Datum, FactSpec, HostError};
use std::sync::Arc;

/// The largest value of this type that a test has time for; `None` for a type whose values only a program can make.
fn large(ty: &Type, number: i64) -> Option<Value> {
    const N: usize = 2_048;
    Some(match ty {
        Type::Bool => Value::Bool(true),
        // No two adjacent elements are equal, and none is ASCII only.
        Type::Str | Type::Var(_) | Type::Variant => Value::str("aé(%*{{/1.".repeat(N)),
        Type::Int => Value::Int(number),
        Type::Float => Value::Float(number as f64),
        Type::List(item) => {
            let item = small(item, number)?;
            Value::list(std::iter::repeat_n(item, N))
        }
        Type::Map(parts) => Value::map([(small(&parts.0, number)?, large(&parts.1, number)?)]),
        Type::Struct(_) | Type::Func(_) => return None,
    })
}

fn small(ty: &Type, number: i64) -> Option<Value> {
    match ty {
        Type::Str | Type::Var(_) | Type::Variant => Some(Value::str("aé".repeat(40))),
        Type::List(item) => Some(Value::list(std::iter::repeat_n(small(item, number)?, 8))),
        ty => large(ty, number),
    }
}

fn signatures(def: &FnDef) -> Vec<FuncType> {
    match def.signature() {
        Some(Type::Func(func)) => vec![FuncType::clone(&func)],
        _ => Vec::new(),
    }
}

/// The world of functions that never look at it.
struct Nowhere;

impl CallContext for Nowhere {
    fn fact(&mut self, spec: &FactSpec) -> Option<Result<Datum, HostError>> {
        panic!("a pure function asks for {spec}")
    }

    fn file(&mut self, path: &str) -> Option<Arc<[u8]>> {
        panic!("a pure function reads {path}")
    }

    fn dir(&mut self, path: &str) -> Option<Vec<String>> {
        panic!("a pure function lists {path}")
    }

    fn nonce(&mut self) -> u64 {
        panic!("a pure function takes a number")
    }

    fn now_ns(&self) -> u64 {
        panic!("a pure function asks for the time")
    }

    fn wake_at_ns(&mut self, _: u64) {
        panic!("a pure function waits")
    }

    fn state(&mut self) -> &mut Option<CallState> {
        panic!("a pure function keeps a state")
    }
}

#[test]
fn each_function_ends_within_its_budget() {
    let mut n_called = 0;
    for def in all() {
        let run: &dyn Fn(&Args) -> Result<Option<Value>, FnError> = match &def.run {
            Run::Pure(run) => &|args| run(args).map(Some),
            Run::Long(long @ Long { is_pure: true, .. }) => &|args| long.run(&mut Nowhere, args),
            Run::Long(_) | Run::World(_) | Run::Iter(_) => continue,
        };
        for ty in signatures(def) {
            for number in [i64::MAX, i64::MIN, 0, 1 << 33, MAX_TEXT as i64] {
                // Each argument is small in turn, so that a text meets a matching pattern or separator.
                for short in 0..=ty.params.len() {
                    let values = ty
                        .params
                        .iter()
                        .enumerate()
                        .map(|(nr, (_, ty))| if nr == short { small(ty, number) } else { large(ty, number) });
                    let Some(values) = values.collect::<Option<Vec<_>>>() else { continue };
                    let work = Work::new(20_000_000);
                    let args = Args { values: &values, ty: &ty, module_dir: "/", work: &work };
                    if let Ok(Some(value)) = run(&args) {
                        let given: u64 = values.iter().map(Value::written_size).sum();
                        let made = value.written_size();
                        assert!(made <= 16 * given + 8 * MAX_TEXT as u64, "{} made {made} bytes of {given}", def.path);
                    }
                    n_called += 1;
                }
            }
        }
    }
    assert!(n_called > 1_000, "{n_called}");
}
