//! Builtin commands of the simulated host's shell.

use super::about::{self, About};
use super::{Process, Ran, Tree, Web, condition, curl, files, filters, path, printf};
use crate::vocab::FileKind;

impl Process {
    pub(super) fn builtin(
        &mut self,
        name: &str,
        args: &[String],
        stdin: &[u8],
        tree: &mut Tree,
        web: &mut Web,
    ) -> (Ran, Vec<u8>, Vec<u8>) {
        let good = |out: Vec<u8>| (Ran::Status(0), out, Vec::new());
        let bad = |text: String| (Ran::Status(1), Vec::new(), format!("{name}: {text}\n").into_bytes());
        match name {
            "true" | ":" => good(Vec::new()),
            "false" => (Ran::Status(1), Vec::new(), Vec::new()),
            "echo" => {
                let (newline, words) = match args.split_first() {
                    Some((first, rest)) if first == "-n" => ("", rest),
                    _ => ("\n", args),
                };
                good(format!("{}{newline}", words.join(" ")).into_bytes())
            }
            "printf" => match printf::run(args) {
                Ok(text) => good(text.into_bytes()),
                Err(text) => bad(text),
            },
            "sleep" => match args.first().and_then(|time| seconds(time)) {
                Some(seconds) if seconds >= 0.0 => {
                    self.status = 0;
                    (Ran::Sleep((seconds * 1000.0) as u64), Vec::new(), Vec::new())
                }
                _ => bad("invalid time interval".into()),
            },
            "exit" => {
                let status = args.first().and_then(|status| status.parse().ok()).unwrap_or(self.status);
                (Ran::Exit(status), Vec::new(), Vec::new())
            }
            "trap" => {
                if let Some((script, signals)) = args.split_first() {
                    let traps =
                        signals.iter().map(|signal| (signal.trim_start_matches("SIG").to_string(), script.clone()));
                    self.traps.extend(traps);
                }
                good(Vec::new())
            }
            "cd" => {
                let home = || self.variables.get("HOME").map_or("/", String::as_str);
                let dir = path::absolute(&self.cwd, args.first().map_or_else(home, String::as_str));
                if !matches!(tree.stat(&dir, true), Ok(Some(stat)) if stat.kind == FileKind::Dir) {
                    return bad(format!("can't cd to {dir}"));
                }
                self.cwd = dir;
                good(Vec::new())
            }
            "pwd" => good(format!("{}\n", self.cwd).into_bytes()),
            "env" if !args.is_empty() => bad("arguments are not supported by the simulated shell".into()),
            "env" => {
                let lines = self.variables.iter().map(|(name, value)| format!("{name}={value}\n"));
                good(lines.collect::<String>().into_bytes())
            }
            "cat" | "ls" | "wc" => match self.shown(name, args, stdin, tree) {
                Ok(out) => good(out),
                Err(text) => bad(text),
            },
            "curl" => {
                let (status, out, err) = curl::run(args, &self.cwd, tree, web);
                (Ran::Status(status), out, err)
            }
            "[" | "test" => {
                let mut args: Vec<&str> = args.iter().map(String::as_str).collect();
                let is_closed = name == "test" || args.pop() == Some("]");
                let holds = if is_closed { condition::holds(&args, &self.cwd, tree) } else { Err("missing ]".into()) };
                match holds {
                    Ok(holds) => (Ran::Status(i32::from(!holds)), Vec::new(), Vec::new()),
                    Err(text) => (Ran::Status(2), Vec::new(), format!("{name}: {text}\n").into_bytes()),
                }
            }
            name if files::NAMES.contains(&name) => match files::run(name, args, stdin, &self.cwd, tree) {
                Ok(out) => good(out),
                Err(text) => bad(text),
            },
            name if about::NAMES.contains(&name) => {
                let about = About { hostname: &self.hostname, user: &self.user, now_ns: tree.now_ns };
                match about::run(name, args, &about) {
                    Ok(line) => good(format!("{line}\n").into_bytes()),
                    Err(text) => bad(text),
                }
            }
            name if filters::NAMES.contains(&name) => {
                let (status, out, error) = self.filter(name, args, stdin, tree);
                let error = error.map(|text| format!("{name}: {text}\n")).unwrap_or_default();
                (Ran::Status(status), out.into_bytes(), error.into_bytes())
            }
            name => {
                let text = format!("sh: {name}: not found (the simulated shell has only common commands)\n");
                (Ran::Status(127), Vec::new(), text.into_bytes())
            }
        }
    }

    /// The output of `cat`, `ls` and `wc`.
    fn shown(&self, name: &str, args: &[String], stdin: &[u8], tree: &Tree) -> Result<Vec<u8>, String> {
        let is_option = |arg: &&str| arg.starts_with('-') && arg.len() > 1;
        let (options, operands): (Vec<&str>, Vec<&str>) = args.iter().map(String::as_str).partition(is_option);
        let read = |file: &str| match file {
            "-" => Ok(stdin),
            file => tree.read(&path::absolute(&self.cwd, file)).map_err(|error| error.message),
        };
        match (name, options.as_slice(), operands.as_slice()) {
            ("cat", [], []) => Ok(stdin.to_vec()),
            ("cat", [], files) => Ok(files.iter().map(|file| read(file)).collect::<Result<Vec<_>, _>>()?.concat()),
            ("wc", ["-l" | "-w" | "-c"], [] | [_]) => {
                let bytes = operands.first().map_or(Ok(stdin), |file| read(file))?;
                let n = match options[0] {
                    "-l" => bytes.iter().filter(|&&byte| byte == b'\n').count(),
                    "-w" => String::from_utf8_lossy(bytes).split_whitespace().count(),
                    _ => bytes.len(),
                };
                let of = operands.first().map(|file| format!(" {file}")).unwrap_or_default();
                Ok(format!("{n}{of}\n").into_bytes())
            }
            ("ls", [] | ["-1" | "-A" | "-1A" | "-A1"], [] | [_]) => {
                let given = operands.first().copied().unwrap_or(".");
                let path = path::absolute(&self.cwd, given);
                if matches!(tree.stat(&path, true), Ok(Some(stat)) if stat.kind != FileKind::Dir) {
                    return Ok(format!("{given}\n").into_bytes());
                }
                let entries = tree.list(&path, false).map_err(|error| error.message)?;
                let shows_all = options.iter().any(|option| option.contains('A'));
                let names = entries.iter().map(|(name, _)| name).filter(|name| shows_all || !name.starts_with('.'));
                Ok(names.map(|name| format!("{name}\n")).collect::<String>().into_bytes())
            }
            _ => Err(format!("`{name} {}` is not supported by the simulated shell", args.join(" "))),
        }
    }

    /// The status, output and error of a filter.
    fn filter(&self, name: &str, args: &[String], stdin: &[u8], tree: &mut Tree) -> (i32, String, Option<String>) {
        let args = match filters::Args::parse(name, args) {
            Ok(args) => args,
            Err(text) => return (2, String::new(), Some(text)),
        };
        let mut texts = Vec::new();
        for file in &args.files {
            match tree.read(&path::absolute(&self.cwd, file)) {
                Ok(bytes) => texts.push(String::from_utf8_lossy(bytes).into_owned()),
                Err(error) => return (2, String::new(), (!args.is_silent(name)).then_some(error.message)),
            }
        }
        if name == "grep" && texts.len() > 1 {
            return match filters::grep_each(&args, &texts) {
                Ok((status, out)) => (status, out, None),
                Err((status, text)) => (status, String::new(), Some(text)),
            };
        }
        if matches!(name, "head" | "tail" | "uniq") && texts.len() > 1 {
            return (1, String::new(), Some("several files are not supported by the simulated shell".into()));
        }
        if !args.in_place(name) {
            let text = if args.files.is_empty() { String::from_utf8_lossy(stdin).into_owned() } else { joined(&texts) };
            return match filters::run(name, &args, &text) {
                Ok((status, out)) => (status, out, None),
                Err((status, text)) => (status, String::new(), Some(text)),
            };
        }
        if args.files.is_empty() {
            return (1, String::new(), Some("no input files".into()));
        }
        for (file, text) in args.files.iter().zip(texts) {
            match filters::run(name, &args, &text) {
                Ok((_, out)) => {
                    if let Err(error) = tree.write(&path::absolute(&self.cwd, file), out.into_bytes(), None) {
                        return (1, String::new(), Some(error.message));
                    }
                }
                Err((status, text)) => return (status, String::new(), Some(text)),
            }
        }
        (0, String::new(), None)
    }
}

pub(super) fn is_builtin(name: &str) -> bool {
    const NAMES: [&str; 16] = [
        "true", "false", "echo", "printf", "sleep", "exit", "trap", "cd", "pwd", "env", "cat", "wc", "ls", "[", "test",
        ":",
    ];
    let others = [&about::NAMES[..], &files::NAMES, &filters::NAMES];
    name == "curl" || NAMES.contains(&name) || others.iter().any(|names| names.contains(&name))
}

/// Files one after the other, each from the beginning of a line.
fn joined(texts: &[String]) -> String {
    let mut all = String::new();
    for text in texts {
        if !all.is_empty() && !all.ends_with('\n') {
            all.push('\n');
        }
        all.push_str(text);
    }
    all
}

/// The argument of `sleep`. Units: seconds.
fn seconds(text: &str) -> Option<f64> {
    let units = [('s', 1.0), ('m', 60.0), ('h', 3600.0)];
    let with_unit = units.into_iter().find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, factor)));
    let (number, factor) = with_unit.unwrap_or((text, 1.0));
    number.parse::<f64>().ok().map(|number| number * factor)
}
