//! Functions that need the context of a compilation: files, the environment, a server.

use super::Definition;
use crate::environment::text;
use crate::eval::{Call, Stop};
use crate::template;
use crate::value::{Int, Value};
use mclive_base::vocab::program;

type Answer = Result<Value, Stop>;

/// The description of a function that asks a server: what it returns, and a result of it in `functions.json`.
macro_rules! served {
    ($returned:literal, $declared:literal) => {
        concat!(
            $returned,
            " Without a server of Inmanta, the result is unknown, and resources that need it are left out, until \
             `functions.json` declares it: `{",
            $declared,
            "}]}`."
        )
    };
}

pub(super) static DEFS: &[Definition] = &[
    Definition::new(
        "std::template",
        "template(path: string, **kwargs: any) -> string",
        "Renders a template of a module, `templates/PATH` in `libs/MODULE`, in the Jinja2 language.\n\nThe template uses \
         the names that are visible at the call, or the keyword arguments if there are some. Functions are filters: \
         `{{ name | std.upper }}`.\n\nThe filter `random`, the function `lipsum`, the statements `include`, `import` and \
         `extends`, and those of extensions (`do`, `break`, `continue`, `trans` and `debug`) are not available.",
        template::render,
    )
    .looking_up_names(),
    Definition::new(
        "std::get_env",
        "get_env(name: string, default_value: string? = null) -> string",
        "Returns an environment variable; unknown if it is not set.",
        get_env,
    ),
    Definition::new(
        "std::get_env_int",
        "get_env_int(name: string, default_value: int? = null) -> int",
        "Returns an environment variable as an int.",
        get_env_int,
    )
    .deprecated("int(std::get_env(...))"),
    Definition::new(
        "std::source",
        "source(path: string) -> string",
        "Returns the content of a file in a module.",
        source,
    ),
    Definition::new("std::file", "file(path: string) -> string", "Returns the content of a file in a module.", source),
    Definition::new(
        "std::list_files",
        "list_files(path: string) -> list",
        "Returns the names of the files in a module.",
        list_files,
    ),
    Definition::new(
        "fs::source",
        "source(path: string) -> string",
        "Returns the content of a file in a module.",
        source,
    ),
    Definition::new("fs::file", "file(path: string) -> string", "Returns the content of a file in a module.", source),
    Definition::new(
        "fs::list_files",
        "list_files(path: string) -> list",
        "Returns the names of the files in a module.",
        list_files,
    ),
    Definition::new(
        "std::generate_password",
        "generate_password(pw_id: string, length: int = 20) -> string",
        served!(
            "Returns a password that the server generates, and keeps under this name.",
            r#""std::generate_password": [{"args": ["db"], "result": "secret""#
        ),
        served,
    )
    .asking_a_server(),
    Definition::new(
        "std::password",
        "password(pw_id: string) -> string",
        served!(
            "Returns a password that the server keeps under this name.",
            r#""std::password": [{"args": ["db"], "result": "secret""#
        ),
        served,
    )
    .asking_a_server(),
    Definition::new(
        "std::environment",
        "environment() -> string",
        served!(
            "Returns the ID of the environment.",
            r#""std::environment": [{"args": [], "result": "0f3b0c9e-5d3c-4c1e-9a53-1f2b1a7c9d10""#
        ),
        served,
    )
    .asking_a_server(),
    Definition::new(
        "std::environment_name",
        "environment_name() -> string",
        served!(
            "Returns the name of the environment.",
            r#""std::environment_name": [{"args": [], "result": "production""#
        ),
        served,
    )
    .asking_a_server(),
    Definition::new(
        "std::environment_server",
        "environment_server() -> string",
        served!(
            "Returns the address of the server.",
            r#""std::environment_server": [{"args": [], "result": "10.0.0.1""#
        ),
        served,
    )
    .asking_a_server(),
    Definition::new(
        "std::server_ca",
        "server_ca() -> string",
        served!(
            "Returns the certificates for verifying the server.",
            r#""std::server_ca": [{"args": [], "result": """#
        ),
        served,
    )
    .asking_a_server(),
    Definition::new(
        "std::server_port",
        "server_port() -> int",
        served!("Returns the port of the server.", r#""std::server_port": [{"args": [], "result": 8888"#),
        served,
    )
    .asking_a_server(),
    Definition::new(
        "std::server_ssl",
        "server_ssl() -> bool",
        served!("Returns whether the server uses TLS.", r#""std::server_ssl": [{"args": [], "result": true"#),
        served,
    )
    .asking_a_server(),
    Definition::new(
        "std::server_token",
        "server_token(client_types: string[] = null) -> string",
        served!("Returns a token for the server.", r#""std::server_token": [{"args": [], "result": "secret""#),
        served,
    )
    .asking_a_server(),
    Definition::new(
        "std::timestamp",
        "timestamp(dummy: any = null) -> int",
        "The time of the compilation. Always unknown: compilation does not read the clock.",
        unknown,
    ),
];

fn get_env(call: &mut Call<'_, '_>) -> Answer {
    let name = call.text(0).to_owned();
    let told = call.ask(&program::Fact::Env { name: name.clone() }.into()).map(|told| told.and_then(text));
    let value = match &told {
        Some(Some(value)) => Some(Value::str(value)),
        Some(None) => Some(call.arg(1).clone()).filter(|default| !matches!(default, Value::Null)),
        None => None,
    };
    if value.is_none() && told.is_some() {
        call.unset(&name);
    }
    Ok(value.unwrap_or_else(|| call.unknown()))
}

fn get_env_int(call: &mut Call<'_, '_>) -> Answer {
    match get_env(call)? {
        Value::Str(text) => match Int::parse(text.trim()) {
            Some(int) => Ok(Value::Int(int)),
            None => Err(Stop::Failed(format!("ValueError: invalid literal for int() with base 10: '{text}'"))),
        },
        value => Ok(value),
    }
}

fn unknown(call: &mut Call<'_, '_>) -> Answer {
    Ok(call.unknown())
}

/// The declared result of a function that asks a server.
fn declared(call: &mut Call<'_, '_>) -> Result<Option<Value>, Stop> {
    let (answer, work) = call.answers().of_builtin(call.function_name(), &call.args);
    let answer = answer.cloned();
    call.work(work)?;
    Ok(answer)
}

fn served(call: &mut Call<'_, '_>) -> Answer {
    if let Some(answer) = declared(call)? {
        return Ok(answer);
    }
    call.unanswered();
    Ok(call.unknown())
}

/// The path of `m/name` below a folder of the module `m`.
pub(crate) fn module_file(call: &Call<'_, '_>, folder: &str, path: &str) -> Option<String> {
    let (module, name) = path.split_once('/')?;
    let is_plain = !module.is_empty() && !name.split('/').any(|part| matches!(part, "" | "." | ".."));
    is_plain.then(|| format!("{}libs/{module}/{folder}/{name}", call.folder()))
}

fn source(call: &mut Call<'_, '_>) -> Answer {
    let path = call.text(0).to_owned();
    let bytes = module_file(call, "files", &path).and_then(|file| call.world().read(&file));
    let Some(bytes) = bytes else {
        return Err(Stop::Failed(format!("FileNotFoundError: {path}")));
    };
    call.spend(bytes.len())?;
    match std::str::from_utf8(&bytes) {
        Ok(text) => Ok(Value::str(text)),
        Err(_) => Err(Stop::Failed(format!("UnicodeDecodeError: {path} is not UTF-8 text"))),
    }
}

fn list_files(call: &mut Call<'_, '_>) -> Answer {
    let path = call.text(0);
    let (module, below) = path.split_once('/').unwrap_or((path, ""));
    let folder = format!("{}libs/{module}/files/", call.folder());
    let folder = if below.is_empty() { folder } else { format!("{folder}{}/", below.trim_end_matches('/')) };
    let names = call.world().list(&folder);
    let names = names.iter().filter_map(|file| file.strip_prefix(&folder)).filter(|name| !name.contains('/'));
    Ok(Value::raw_list(names.map(Value::str).collect()))
}
