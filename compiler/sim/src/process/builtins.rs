//! Builtin commands of the simulated host's shell.

use super::about::{self, About};
use super::filters;
use super::{Process, Ran, Tree, Web, curl, path};
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
        let files = || args.iter().filter(|arg| !arg.starts_with('-')).map(|arg| path::absolute(&self.cwd, arg));
        let has = |flag: char| args.iter().any(|arg| arg.starts_with('-') && arg.contains(flag));
        let good = |out: Vec<u8>| (Ran::Status(0), out, Vec::new());
        let bad = |text: String| (Ran::Status(1), Vec::new(), format!("{name}: {text}\n").into_bytes());
        let each = |tree: &mut Tree, act: &dyn Fn(&mut Tree, &str) -> Result<(), crate::vocab::HostError>| {
            for file in files() {
                if let Err(error) = act(tree, &file) {
                    return bad(error.message);
                }
            }
            good(Vec::new())
        };
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
            "printf" => good(args.first().map(|text| text.replace("\\n", "\n")).unwrap_or_default().into_bytes()),
            "sleep" => match args.first().and_then(|seconds| seconds.parse::<f64>().ok()) {
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
                self.cwd = files().next().unwrap_or_else(|| "/".to_string());
                good(Vec::new())
            }
            "pwd" => good(format!("{}\n", self.cwd).into_bytes()),
            "env" => {
                let lines = self.variables.iter().map(|(name, value)| format!("{name}={value}\n"));
                good(lines.collect::<String>().into_bytes())
            }
            "cat" => {
                let mut out = if args.is_empty() { stdin.to_vec() } else { Vec::new() };
                for file in files() {
                    match tree.read(&file) {
                        Ok(bytes) => out.extend_from_slice(bytes),
                        Err(error) => return bad(error.message),
                    }
                }
                good(out)
            }
            "wc" => {
                let mut bytes = if files().next().is_none() { stdin.to_vec() } else { Vec::new() };
                for file in files() {
                    bytes.extend_from_slice(tree.read(&file).unwrap_or_default());
                }
                good(format!("{}\n", bytes.iter().filter(|&&byte| byte == b'\n').count()).into_bytes())
            }
            "ls" => {
                let dir = files().next().unwrap_or_else(|| self.cwd.clone());
                match tree.list(&dir, false) {
                    Ok(entries) => {
                        good(entries.iter().map(|(name, _)| format!("{name}\n")).collect::<String>().into_bytes())
                    }
                    Err(error) => bad(error.message),
                }
            }
            "rm" => {
                let (recursive, force) = (has('r') || has('R'), has('f'));
                each(tree, &|tree, file| match tree.stat(file, false) {
                    Ok(None) if !force => Err(crate::vocab::HostError::new(
                        crate::vocab::HostErrorKind::NotFound,
                        format!("cannot remove '{file}': No such file or directory"),
                    )),
                    _ => tree.remove(file, recursive),
                })
            }
            "mkdir" => {
                let parents = has('p');
                each(tree, &|tree, file| tree.make_dir(file, parents, None))
            }
            "touch" => each(tree, &|tree, file| {
                let bytes = tree.read(file).map(<[u8]>::to_vec).unwrap_or_default();
                tree.write(file, bytes, None)
            }),
            "chmod" => {
                let mode = args.first().and_then(|mode| u32::from_str_radix(mode, 8).ok());
                let Some(mode) = mode else { return bad("only octal modes are supported".into()) };
                for file in files().skip(1) {
                    if let Err(error) = tree.change(&file, true, |node| node.mode = mode) {
                        return bad(error.message);
                    }
                }
                good(Vec::new())
            }
            "mv" | "cp" => {
                let files: Vec<String> = files().collect();
                let [from, to] = files.as_slice() else { return bad("expected two files".into()) };
                let into_dir = matches!(tree.stat(to, true), Ok(Some(stat)) if stat.kind == FileKind::Dir);
                let to = if into_dir { path::join(to, path::name(from)) } else { to.clone() };
                let done = match name {
                    "mv" => tree.rename(from, &to),
                    _ => tree.read(from).map(<[u8]>::to_vec).and_then(|bytes| tree.write(&to, bytes, None)),
                };
                match done {
                    Ok(()) => good(Vec::new()),
                    Err(error) => bad(error.message),
                }
            }
            "ln" => {
                let files: Vec<&String> = args.iter().filter(|arg| !arg.starts_with('-')).collect();
                let [target, link] = files.as_slice() else { return bad("expected a target and a name".into()) };
                match tree.symlink(&path::absolute(&self.cwd, link), target) {
                    Ok(()) => good(Vec::new()),
                    Err(error) => bad(error.message),
                }
            }
            "curl" => {
                let (status, out, err) = curl::run(args, &self.cwd, tree, web);
                (Ran::Status(status), out, err)
            }
            "[" | "test" => {
                let args: Vec<&str> = args.iter().map(String::as_str).filter(|arg| *arg != "]").collect();
                let holds = test(&args, &self.cwd, tree);
                (Ran::Status(i32::from(!holds)), Vec::new(), Vec::new())
            }
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
                Err(error) => return (2, String::new(), Some(error.message)),
            }
        }
        if !args.in_place(name) {
            let text = if args.files.is_empty() { String::from_utf8_lossy(stdin).into_owned() } else { texts.concat() };
            return match filters::run(name, &args, &text) {
                Ok((status, out)) => (status, out, None),
                Err((status, text)) => (status, String::new(), Some(text)),
            };
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
    const NAMES: [&str; 24] = [
        "true", "false", "echo", "printf", "sleep", "exit", "trap", "cd", "pwd", "env", "cat", "wc", "ls", "rm",
        "mkdir", "touch", "chmod", "mv", "cp", "ln", "[", "test", ":", "curl",
    ];
    NAMES.contains(&name) || about::NAMES.contains(&name) || filters::NAMES.contains(&name)
}

fn test(args: &[&str], cwd: &str, tree: &Tree) -> bool {
    let kind = |file: &str| tree.stat(&path::absolute(cwd, file), true).ok().flatten();
    match args {
        ["!", rest @ ..] => !test(rest, cwd, tree),
        ["-e", file] => kind(file).is_some(),
        ["-f", file] => kind(file).is_some_and(|stat| stat.kind == FileKind::File),
        ["-d", file] => kind(file).is_some_and(|stat| stat.kind == FileKind::Dir),
        ["-s", file] => kind(file).is_some_and(|stat| stat.size > 0),
        ["-n", text] => !text.is_empty(),
        ["-z", text] => text.is_empty(),
        [a, "=", b] | [a, "==", b] => a == b,
        [a, "!=", b] => a != b,
        [text] => !text.is_empty(),
        _ => false,
    }
}
