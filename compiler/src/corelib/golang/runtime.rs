//! Module `golang/runtime`: about the running program. Functions spec, 11.8. What a Go program
//! would tell about its own workings has no meaning here and is answered with a constant.

use super::os::go_readers;
use crate::corelib::facts::{ask, int_field, known};
use crate::corelib::{FnError, World};
use crate::value::Value;
use crate::vocab::FactSpec;

go_readers! {
    CPU_PROFILE "golang/runtime.cpu_profile" "func() str" "Always fails."
    ["runtime.cpu_profile()" => "error: CPUProfile no longer available"]
    |_, _| Err(FnError::fatal("CPUProfile no longer available"));

    GOMAXPROCS "golang/runtime.gomaxprocs" "func(n int) int" "How many processors the program uses; it cannot be set."
    ["runtime.gomaxprocs(0)" => "4"]
    |world, _| n_cpus(world);

    GOROOT "golang/runtime.goroot" "func() str" "The directory of the tool chain; there is none."
    ["runtime.goroot()" => r#""""#]
    |_, _| Ok(Some(Value::str("")));

    NUM_CPU "golang/runtime.num_cpu" "func() int" "How many processors the program may use."
    ["runtime.num_cpu()" => "4"]
    |world, _| n_cpus(world);

    NUM_CGO_CALL "golang/runtime.num_cgo_call" "func() int" "How many foreign calls there were; none."
    ["runtime.num_cgo_call()" => "0"]
    |_, _| Ok(Some(Value::Int(0)));

    NUM_GOROUTINE "golang/runtime.num_goroutine" "func() int" "How many threads of its own the program has."
    ["runtime.num_goroutine()" => "1"]
    |_, _| Ok(Some(Value::Int(1)));

    READ_TRACE "golang/runtime.read_trace" "func() str" "Always fails: nothing is traced."
    ["runtime.read_trace()" => "error: tracing is not enabled"]
    |_, _| Err(FnError::fatal("tracing is not enabled"));

    SET_MUTEX_PROFILE_FRACTION "golang/runtime.set_mutex_profile_fraction" "func(rate int) int"
    "The rate at which waits are profiled, before the call; it stays 0."
    ["runtime.set_mutex_profile_fraction(-1)" => "0"]
    |_, _| Ok(Some(Value::Int(0)));

    STACK "golang/runtime.stack" "func(buf str, all bool) int" "How many bytes of a stack dump fit into a buffer; the dump is empty."
    [r#"runtime.stack("abc", true)"# => "0"]
    |_, _| Ok(Some(Value::Int(0)));

    VERSION "golang/runtime.version" "func() str" "The version of the library that the functions behave like."
    ["runtime.version()" => r#""go1.26.8""#]
    |_, _| Ok(Some(Value::str("go1.26.8")));
}

fn n_cpus(world: &mut dyn World) -> Result<Option<Value>, FnError> {
    Ok(Some(Value::Int(int_field(&known!(ask(world, &FactSpec::Process)), "n_cpus"))))
}
