//! `mclive-precompile IN.wasm OUT.cwasm OUT.wasm`: wraps a core module into a component and compiles
//! it for this machine. Called by `host-agent/build.rs`; the component itself is kept for tests.

#[path = "../../src/embed/settings.rs"]
mod settings;

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [module, compiled, component] = args.as_slice() else {
        eprintln!("usage: mclive-precompile IN.wasm OUT.cwasm OUT.wasm");
        return ExitCode::from(2);
    };
    match precompile(module, compiled, component) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("mclive-precompile: {why}");
            ExitCode::FAILURE
        }
    }
}

fn precompile(module: &str, compiled: &str, component: &str) -> Result<(), String> {
    let bytes = std::fs::read(module).map_err(|error| format!("{module}: {error}"))?;
    let encoded = wit_component::ComponentEncoder::default()
        .module(&bytes)
        .and_then(|encoder| encoder.encode())
        .map_err(|error| format!("{module}: {error:#}"))?;
    std::fs::write(component, &encoded).map_err(|error| format!("{component}: {error}"))?;
    let engine = wasmtime::Engine::new(&settings::settings()).map_err(|error| error.to_string())?;
    let native = engine.precompile_component(&encoded).map_err(|error| format!("{module}: {error:?}"))?;
    std::fs::write(compiled, native).map_err(|error| format!("{compiled}: {error}"))
}
