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

    GOMAXPROCS "golang/runtime.gomaxprocs" "func(n int) int" "Returns the number of processors in use; it cannot be changed."
    ["runtime.gomaxprocs(0)" => "4", "runtime.gomaxprocs(-1)" => "4", "runtime.gomaxprocs(2)" => "4"]
    |world, _| n_cpus(world);

    GOROOT "golang/runtime.goroot" "func() str" "Returns an empty string: there is no toolchain directory."
    ["runtime.goroot()" => r#""""#, r#"runtime.goroot() + "/a""# => r#""/a""#, "len(runtime.goroot())" => "0"]
    |_, _| Ok(Some(Value::str("")));

    NUM_CPU "golang/runtime.num_cpu" "func() int" "Returns the number of processors available to the program."
    ["runtime.num_cpu()" => "4", "runtime.num_cpu() + 1" => "5", "runtime.num_cpu() >= 0" => "true"]
    |world, _| n_cpus(world);

    NUM_CGO_CALL "golang/runtime.num_cgo_call" "func() int" "Returns the number of cgo calls; always 0."
    ["runtime.num_cgo_call()" => "0", "runtime.num_cgo_call() + 1" => "1", "runtime.num_cgo_call() >= 0" => "true"]
    |_, _| Ok(Some(Value::Int(0)));

    NUM_GOROUTINE "golang/runtime.num_goroutine" "func() int" "Returns the number of goroutines."
    ["runtime.num_goroutine()" => "1", "runtime.num_goroutine() + 1" => "2", "runtime.num_goroutine() >= 0" => "true"]
    |_, _| Ok(Some(Value::Int(1)));

    READ_TRACE "golang/runtime.read_trace" "func() str" "Always fails: tracing is not enabled."
    ["runtime.read_trace()" => "error: tracing is not enabled", r#"runtime.read_trace() <|> "nothing catches it""# => "error: tracing is not enabled", "len(runtime.read_trace())" => "error: tracing is not enabled"]
    |_, _| Err(FnError::fatal("tracing is not enabled"));

    SET_MUTEX_PROFILE_FRACTION "golang/runtime.set_mutex_profile_fraction" "func(rate int) int"
    "Returns the previous mutex profile rate; always 0."
    ["runtime.set_mutex_profile_fraction(-1)" => "0", "runtime.set_mutex_profile_fraction(0)" => "0", "runtime.set_mutex_profile_fraction(5)" => "0"]
    |_, _| Ok(Some(Value::Int(0)));

    STACK "golang/runtime.stack" "func(buf str, all bool) int" "Returns how many bytes of a stack dump fit into a \
                                                                buffer of the length of `buf`."
    [r#"runtime.stack("abc", true)"# => "3", r#"runtime.stack("", false)"# => "0", r#"runtime.stack("é", false)"# => "2"]
    |_, args| Ok(Some(Value::Int(args.bytes(0)?.len().min(DUMP) as i64)));

    VERSION "golang/runtime.version" "func() str" "Returns the version of the Go library whose behavior the functions \
                                                   follow."
    ["runtime.version()" => r#""go1.26.8""#, r#"runtime.version() + "/a""# => r#""go1.26.8/a""#, "len(runtime.version())" => "8"]
    |_, _| Ok(Some(Value::str("go1.26.8")));
}

/// The approximate length of a dump: only longer buffers make a difference.
const DUMP: usize = 2048;

fn n_cpus(world: &mut dyn CallContext) -> Result<Option<Value>, FnError> {
    Ok(Some(Value::Int(int_field(&known!(ask(world, &FactSpec::Program(program::Fact::Process))), "n_cpus"))))
}
