//! Converts scenarios in the format of `../shared/conformance/scenarios` to text archives for `mclive test`.
//!
//! In that format a scenario is a folder with its program and the steps as JSON, in which `@ROOT@` is a fresh folder.

use serde_json::Value;
use std::fmt::Write;
use std::path::Path;

/// The replacement of `@ROOT@`.
const ROOT: &str = "/t";
/// A correct scenario does not wait longer than necessary, and machines are slow at times. Units: seconds.
const WITHIN: f64 = 5.0;

/// Converts the scenarios below a folder to archives in another one, which contains only those afterwards. Existing
/// ones are not written again, so that several runs may share it. Errors: what cannot be read or written.
pub fn archives(from: &Path, to: &Path) -> Result<(), String> {
    let fails = |error: std::io::Error| error.to_string();
    std::fs::create_dir_all(to).map_err(fails)?;
    let mut made = std::collections::BTreeSet::new();
    for entry in std::fs::read_dir(from).map_err(fails)? {
        let folder = entry.map_err(fails)?.path();
        if !folder.join("expected.json").exists() {
            continue;
        }
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (path, text) = (to.join(format!("{name}.txtar")), archive(&folder)?);
        if std::fs::read(&path).ok().as_deref() != Some(text.as_bytes()) {
            std::fs::write(&path, text).map_err(fails)?;
        }
        made.insert(path);
    }
    let there = std::fs::read_dir(to).map_err(fails)?.flatten().map(|entry| entry.path());
    there.filter(|path| !made.contains(path)).try_for_each(std::fs::remove_file).map_err(fails)
}

/// A folder as an archive. Errors: what cannot be read, or has no counterpart.
pub fn archive(folder: &Path) -> Result<String, String> {
    let read = |name: &str| {
        let path = folder.join(name);
        std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let mut archive = String::new();
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut names: Vec<String> =
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    for name in names.iter().filter(|name| name.ends_with(".mcl")) {
        let program = read(name)?.replace("@ROOT@", ROOT);
        let _ = writeln!(archive, "-- {name} --\n{}", program.trim_end());
    }
    let steps = read("expected.json")?.replace("@ROOT@", ROOT);
    let steps: Vec<Value> = serde_json::from_str(&steps).map_err(|error| error.to_string())?;
    let _ = writeln!(archive, "-- main.scenario --\nfolder {ROOT}");
    let mut was_killed = false;
    for step in &steps {
        was_killed |= step["signal"] == "SIGKILL";
        // The exit of a killed agent is unknown.
        if step["expect"] == "exit" && was_killed {
            continue;
        }
        was_killed &= step["do"] != "run";
        line(step, &mut archive).map_err(|why| format!("{}: {step}: {why}", folder.display()))?;
    }
    Ok(archive)
}

/// A step as one or two lines.
fn line(step: &Value, out: &mut String) -> Result<(), String> {
    let word = |name: &str| quoted(step[name].as_str().unwrap_or_default());
    let path = word("path");
    let wrote = match step["do"].as_str() {
        Some("run") => {
            for (name, value) in step["env"].as_object().into_iter().flatten() {
                let _ = writeln!(out, "environment {name} {}", quoted(value.as_str().unwrap_or_default()));
            }
            let program = step["program"].as_str().unwrap_or("main.mcl");
            let flags = step["flags"].as_array().into_iter().flatten().filter_map(Value::as_str);
            let flags: String = flags.map(|flag| format!(" {flag}")).collect();
            writeln!(out, "run {program}{flags}")
        }
        Some("write") => writeln!(out, "write {path} {}", word("content")),
        Some("rename") => writeln!(out, "rename {path} {}", word("to")),
        Some("remove") => writeln!(out, "remove {path}"),
        Some("mkdir") => writeln!(out, "folder {path}"),
        Some("chmod") => Ok(()),
        Some("symlink") => writeln!(out, "link {path} {}", word("target")),
        Some("sleep") => writeln!(out, "wait {}", time(&step["seconds"])),
        Some("interrupt") => match step["signal"].as_str() {
            None | Some("SIGINT") => writeln!(out, "stop"),
            Some("SIGTERM") => writeln!(out, "terminate"),
            Some("SIGKILL") => writeln!(out, "kill"),
            Some(other) => return Err(format!("there is no `{other}`")),
        },
        Some(other) => return Err(format!("there is no `{other}`")),
        None => writeln!(out, "expect {}{}", claim(step, &path)?, when(step)),
    };
    if let (Some(mode), Some(_)) = (step["mode"].as_str(), step["do"].as_str()) {
        let _ = writeln!(out, "mode {path} {mode}");
    }
    wrote.map_err(|error| error.to_string())
}

fn claim(step: &Value, path: &str) -> Result<String, String> {
    let value = quoted(step["value"].as_str().unwrap_or_default());
    Ok(match step["expect"].as_str().unwrap_or_default() {
        "content" => format!("file {path} holds {value}"),
        "lines" if step["value"] == 0 => format!("no path {path}"),
        "lines" => format!("file {path} has {} lines", count(step, "value")?),
        "absent" => format!("no path {path}"),
        "isdir" => format!("folder {path}"),
        "mode" => format!("path {path} has mode {}", step["value"].as_str().unwrap_or_default()),
        "symlink" => format!("link {path} leads to {value}"),
        "running" => "running".into(),
        "exit" if step["value"].is_null() => "ended".into(),
        "exit" => format!("ended with {}", step["value"]),
        "log" => format!("output {value} {} times", count(step, "count")?),
        other => return Err(format!("there is no `{other}`")),
    })
}

fn count(step: &Value, exact: &str) -> Result<String, String> {
    match (&step[exact], &step["min"], &step["max"]) {
        (Value::Number(n), _, _) => Ok(n.to_string()),
        (_, Value::Number(least), Value::Null) => Ok(format!("at least {least}")),
        (_, Value::Null, Value::Number(most)) => Ok(format!("at most {most}")),
        _ => Err("how many is not said".into()),
    }
}

fn when(step: &Value) -> String {
    let within = step["within"].as_f64().unwrap_or(0.0).max(WITHIN);
    let lasts = if step["for"].is_null() { String::new() } else { format!(" for {}", time(&step["for"])) };
    format!(" within {}{lasts}", time(&within.into()))
}

fn time(seconds: &Value) -> String {
    format!("{}ms", (seconds.as_f64().unwrap_or(0.0) * 1e3).round() as u64)
}

fn quoted(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\t', "\\t");
    format!("\"{text}\"")
}
