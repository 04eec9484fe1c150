//! Module `golang/runtime`: about the running program. Functions spec, 11.8. Information about the Go runtime has no
//! meaning here and is a constant.

use super::os::go_readers;
use crate::corelib::facts::{ask, int_field, known};
use crate::corelib::{CallContext, FnError};
use crate::value::Value;
use crate::vocab::{FactSpec, program};

go_readers! {
    CPU_PROFILE "golang/runtime.cpu_profile" "func() str" "Always fails."
    ["runtime.cpu_profile()" => "error: panic in process: CPUProfile no longer available", r#"runtime.cpu_profile() <|> "nothing catches it""# => "error: CPUProfile no longer available", r#"runtime.cpu_profile() + "a""# => "error: CPUProfile no longer available"]
    |_, _| Err(FnError::fatal("panic in process: CPUProfile no longer available"));

    GOMAXPROCS "golang/runtime.gomaxprocs" "func(n int) int" "How many processors the program uses; it cannot be set."
    ["runtime.gomaxprocs(0)" => "4", "runtime.gomaxprocs(-1)" => "4", "runtime.gomaxprocs(2)" => "4"]
    |world, _| n_cpus(world);

    GOROOT "golang/runtime.goroot" "func() str" "The directory of the tool chain; there is none."
    ["runtime.goroot()" => r#""""#, r#"runtime.goroot() + "/a""# => r#""/a""#, "len(runtime.goroot())" => "0"]
    |_, _| Ok(Some(Value::str("")));

    NUM_CPU "golang/runtime.num_cpu" "func() int" "How many processors the program may use."
    ["runtime.num_cpu()" => "4", "runtime.num_cpu() + 1" => "5", "runtime.num_cpu() >= 0" => "true"]
    |world, _| n_cpus(world);

    NUM_CGO_CALL "golang/runtime.num_cgo_call" "func() int" "How many foreign calls there were; none."
    ["runtime.num_cgo_call()" => "0", "runtime.num_cgo_call() + 1" => "1", "runtime.num_cgo_call() >= 0" => "true"]
    |_, _| Ok(Some(Value::Int(0)));

    NUM_GOROUTINE "golang/runtime.num_goroutine" "func() int" "How many threads of its own the program has."
    ["runtime.num_goroutine()" => "1", "runtime.num_goroutine() + 1" => "2", "runtime.num_goroutine() >= 0" => "true"]
    |_, _| Ok(Some(Value::Int(1)));

    READ_TRACE "golang/runtime.read_trace" "func() str" "Always fails: nothing is traced."
    ["runtime.read_trace()" => "error: tracing is not enabled", r#"runtime.read_trace() <|> "nothing catches it""# => "error: tracing is not enabled", "len(runtime.read_trace())" => "error: tracing is not enabled"]
    |_, _| Err(FnError::fatal("tracing is not enabled"));

    SET_MUTEX_PROFILE_FRACTION "golang/runtime.set_mutex_profile_fraction" "func(rate int) int"
    "The rate at which waits are profiled, before the call; it stays 0."
    ["runtime.set_mutex_profile_fraction(-1)" => "0", "runtime.set_mutex_profile_fraction(0)" => "0", "runtime.set_mutex_profile_fraction(5)" => "0"]
    |_, _| Ok(Some(Value::Int(0)));

    STACK "golang/runtime.stack" "func(buf str, all bool) int" "How many bytes of a stack dump fit into a buffer as long as `buf`."
    [r#"runtime.stack("abc", true)"# => "3", r#"runtime.stack("", false)"# => "0", r#"runtime.stack("é", false)"# => "2"]
    |_, args| Ok(Some(Value::Int(args.bytes(0)?.len().min(DUMP) as i64)));

    VERSION "golang/runtime.version" "func() str" "The version of the library that the functions behave like."
    ["runtime.version()" => r#""go1.26.8""#, r#"runtime.version() + "/a""# => r#""go1.26.8/a""#, "len(runtime.version())" => "8"]
    |_, _| Ok(Some(Value::str("go1.26.8")));
}

/// The approximate length of a dump: only longer buffers make a difference.
const DUMP: usize = 2048;

fn n_cpus(world: &mut dyn CallContext) -> Result<Option<Value>, FnError> {
    Ok(Some(Value::Int(int_field(&known!(ask(world, &FactSpec::Program(program::Fact::Process))), "n_cpus"))))
}
