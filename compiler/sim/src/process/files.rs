//! Commands of the simulated host's shell that change files: `cp`, `install`, `ln`, `mkdir`, `mv`, `rm` and so on.
//!
//! Options that are not listed here are refused: a script never behaves differently than on a real host.

use crate::path;
use crate::tree::Tree;
use crate::vocab::{Attributes, FileKind, FileStat};

/// The commands of this file.
pub(super) const NAMES: [&str; 10] = ["chmod", "cp", "install", "ln", "mkdir", "mv", "rm", "rmdir", "tee", "touch"];

/// What new files and directories do not get from their mode.
const UMASK: u32 = 0o022;

/// The flags of a command; `m` has a value.
fn flags(name: &str) -> &'static str {
    match name {
        "chmod" => "R",
        "cp" => "afnprRT",
        "install" => "dDmT",
        "ln" => "fnsT",
        "mkdir" => "mp",
        "mv" => "fnT",
        "rm" => "fdrR",
        "tee" => "a",
        "touch" => "c",
        _ => "",
    }
}

/// A result: the output, or what is wrong.
type Done = Result<Vec<u8>, String>;

struct Args {
    flags: String,
    /// The value of `-m`.
    mode: Option<String>,
    /// Operands as given.
    words: Vec<String>,
    cwd: String,
}

impl Args {
    fn parse(name: &str, given: &[String], cwd: &str) -> Result<Args, String> {
        let mut args = Args { flags: String::new(), mode: None, words: Vec::new(), cwd: cwd.to_owned() };
        let mut given = given.iter();
        while let Some(word) = given.next() {
            let options = word.strip_prefix('-').filter(|options| !options.is_empty());
            match options {
                None => args.words.push(word.clone()),
                Some("-") => args.words.extend(given.by_ref().cloned()),
                Some(options) => match options.split_once('m').filter(|_| flags(name).contains('m')) {
                    Some((before, mode)) if before.chars().all(|flag| flags(name).contains(flag)) => {
                        args.flags.push_str(before);
                        let next = if mode.is_empty() { given.next().cloned() } else { Some(mode.to_owned()) };
                        args.mode = Some(next.ok_or("option requires an argument -- 'm'")?);
                    }
                    None if options.chars().all(|flag| flags(name).contains(flag)) => args.flags.push_str(options),
                    Some(_) | None => return Err(format!("`{word}` is not supported by the simulated shell")),
                },
            }
        }
        if args.words.is_empty() && !args.has('f') && name != "tee" {
            return Err("missing operand".to_owned());
        }
        Ok(args)
    }

    fn has(&self, flag: char) -> bool {
        self.flags.contains(flag)
    }

    /// The operands from the nth on, as absolute paths.
    fn paths(&self, from: usize) -> Vec<String> {
        self.words.iter().skip(from).map(|word| path::absolute(&self.cwd, word)).collect()
    }

    /// The mode given with `-m`, or this one.
    fn mode_or(&self, default: u32) -> Result<u32, String> {
        self.mode.as_deref().map_or(Ok(default), |text| mode(text, default))
    }

    /// Each source with its destination, which is in the last operand if that is a directory.
    fn pairs(&self, tree: &Tree) -> Result<Vec<(String, String)>, String> {
        let paths = self.paths(0);
        let Some((last, sources)) = paths.split_last().filter(|(_, sources)| !sources.is_empty()) else {
            return Err(format!("missing destination after '{}'", self.words.join(" ")));
        };
        let is_into = !self.has('T') && is_dir(tree, last);
        if sources.len() > 1 && !is_into {
            return Err(format!("target '{last}': Not a directory"));
        }
        let to = |from: &String| if is_into { path::join(last, path::name(from)) } else { last.clone() };
        Ok(sources.iter().map(|from| (from.clone(), to(from))).collect())
    }
}

/// Runs a command. Errors: what is wrong; the status is 1.
pub(super) fn run(name: &str, given: &[String], stdin: &[u8], cwd: &str, tree: &mut Tree) -> Done {
    let args = Args::parse(name, given, cwd)?;
    match name {
        "chmod" => chmod(&args, tree)?,
        "cp" => copy(&args, tree)?,
        "install" => install(&args, tree)?,
        "ln" => link(&args, tree)?,
        "mkdir" => make_dirs(&args, tree)?,
        "mv" => rename(&args, tree)?,
        "rm" => remove(&args, tree)?,
        "rmdir" => remove_dirs(&args, tree)?,
        "touch" => touch(&args, tree)?,
        _ => {
            tee(&args, stdin, tree)?;
            return Ok(stdin.to_vec());
        }
    }
    Ok(Vec::new())
}

fn seen(tree: &Tree, path: &str, follow: bool) -> Option<FileStat> {
    tree.stat(path, follow).ok().flatten()
}

fn is_dir(tree: &Tree, path: &str) -> bool {
    seen(tree, path, true).is_some_and(|stat| stat.kind == FileKind::Dir)
}

fn chmod(args: &Args, tree: &mut Tree) -> Result<(), String> {
    let wanted = &args.words[0];
    for file in args.paths(1) {
        let mut all = vec![file.clone()];
        if args.has('R') {
            let inside = tree.list(&file, true).unwrap_or_default();
            let inside = inside.into_iter().filter(|(_, stat)| stat.kind != FileKind::Symlink);
            all.extend(inside.map(|(name, _)| path::join(&file, &name)));
        }
        for path in all {
            let now = seen(tree, &path, true).map_or(0, |stat| stat.mode);
            let mode = mode(wanted, now)?;
            tree.change(&path, true, |node| node.mode = mode).map_err(|error| error.message)?;
        }
    }
    Ok(())
}

/// An octal or symbolic mode; the symbolic one changes the present one.
fn mode(text: &str, now: u32) -> Result<u32, String> {
    let is_octal = text.bytes().all(|byte| byte.is_ascii_digit());
    let mode = if is_octal { u32::from_str_radix(text, 8).ok() } else { symbolic(text, now) };
    mode.filter(|mode| *mode <= 0o7777).ok_or_else(|| format!("invalid mode: '{text}'"))
}

/// `u+x,go-w`, without special bits.
fn symbolic(text: &str, mode: u32) -> Option<u32> {
    text.split(',').try_fold(mode, |mode, clause| {
        let (who, what) = clause.split_at(clause.find(['+', '-', '='])?);
        let (op, letters) = what.split_at(1);
        let of_whom = who.chars().try_fold(0, |mask, letter| match letter {
            'u' => Some(mask | 0o700),
            'g' => Some(mask | 0o070),
            'o' => Some(mask | 0o007),
            'a' => Some(mask | 0o777),
            _ => None,
        })?;
        let (cleared, set) = if who.is_empty() { (0o777, 0o777 & !UMASK) } else { (of_whom, of_whom) };
        let bits = letters.chars().try_fold(0, |bits, letter| match letter {
            'r' => Some(bits | 0o444),
            'w' => Some(bits | 0o222),
            'x' => Some(bits | 0o111),
            _ => None,
        })?;
        Some(match op {
            "+" => mode | (bits & set),
            "-" => mode & !(bits & set),
            _ => (mode & !cleared) | (bits & set),
        })
    })
}

fn copy(args: &Args, tree: &mut Tree) -> Result<(), String> {
    for (from, to) in args.pairs(tree)? {
        if from == to {
            return Err(format!("'{from}' and '{to}' are the same file"));
        }
        if !is_dir(tree, &from) {
            copy_file(args, tree, &from, &to)?;
            continue;
        }
        if !['a', 'r', 'R'].iter().any(|flag| args.has(*flag)) {
            return Err(format!("-r not specified; omitting directory '{from}'"));
        }
        if to.starts_with(&path::below(&from)) {
            return Err(format!("cannot copy a directory, '{from}', into itself, '{to}'"));
        }
        let inside = tree.list(&from, true).map_err(|error| error.message)?;
        copy_dir(args, tree, &from, &to)?;
        for (name, stat) in inside {
            let (from, to) = (path::join(&from, &name), path::join(&to, &name));
            match (stat.kind, stat.target) {
                (FileKind::Dir, _) => copy_dir(args, tree, &from, &to)?,
                (FileKind::Symlink, Some(target)) => tree.symlink(&to, &target).map_err(|error| error.message)?,
                _ => copy_file(args, tree, &from, &to)?,
            }
        }
    }
    Ok(())
}

fn copy_dir(args: &Args, tree: &mut Tree, from: &str, to: &str) -> Result<(), String> {
    let Some(stat) = seen(tree, from, true) else { return Ok(()) };
    let is_new = seen(tree, to, true).is_none();
    tree.make_dir(to, false, Some(stat.mode & !UMASK)).map_err(|error| error.message)?;
    if is_new { keep(args, tree, &stat, to) } else { Ok(()) }
}

fn copy_file(args: &Args, tree: &mut Tree, from: &str, to: &str) -> Result<(), String> {
    if args.has('n') && seen(tree, to, false).is_some() {
        return Ok(());
    }
    let bytes = tree.read(from).map_err(|error| error.message)?.to_vec();
    let Some(stat) = seen(tree, from, true) else { return Ok(()) };
    tree.write(to, bytes, Some(stat.mode & 0o777 & !UMASK)).map_err(|error| error.message)?;
    keep(args, tree, &stat, to)
}

/// With `-a` and `-p`, a copy gets all attributes of its source.
fn keep(args: &Args, tree: &mut Tree, of: &FileStat, to: &str) -> Result<(), String> {
    if !args.has('a') && !args.has('p') {
        return Ok(());
    }
    let kept = tree.change(to, true, |node| {
        (node.mode, node.uid, node.gid, node.mtime_ns) = (of.mode, of.uid, of.gid, of.mtime_ns);
    });
    kept.map_err(|error| error.message)
}

fn install(args: &Args, tree: &mut Tree) -> Result<(), String> {
    let mode = args.mode_or(0o755)?;
    if args.has('d') {
        for dir in args.paths(0) {
            tree.make_dir(&dir, true, None).map_err(|error| error.message)?;
            tree.change(&dir, true, |node| node.mode = mode).map_err(|error| error.message)?;
        }
        return Ok(());
    }
    for (from, to) in args.pairs(tree)? {
        let bytes = tree.read(&from).map_err(|error| error.message)?.to_vec();
        if args.has('D')
            && let Some(above) = path::parent(&to)
        {
            tree.make_dir(above, true, None).map_err(|error| error.message)?;
        }
        tree.put(&to, bytes, &Attributes::of_mode(Some(mode))).map_err(|error| error.message)?;
    }
    Ok(())
}

fn link(args: &Args, tree: &mut Tree) -> Result<(), String> {
    if !args.has('s') {
        return Err("hard links are not supported by the simulated shell".to_owned());
    }
    let [target, _] = args.words.as_slice() else { return Err("expected a target and a name".to_owned()) };
    let given = path::absolute(&args.cwd, &args.words[1]);
    let is_link = seen(tree, &given, false).is_some_and(|stat| stat.kind == FileKind::Symlink);
    let is_into = is_dir(tree, &given) && !args.has('T') && !(args.has('n') && is_link);
    let link = if is_into { path::join(&given, path::name(target.trim_end_matches('/'))) } else { given };
    match seen(tree, &link, false).map(|stat| stat.kind) {
        Some(FileKind::Dir) => return Err(format!("{link}: cannot overwrite directory")),
        Some(_) if !args.has('f') => return Err(format!("failed to create symbolic link '{link}': File exists")),
        Some(FileKind::File | FileKind::Other) => tree.remove(&link, false).map_err(|error| error.message)?,
        Some(FileKind::Symlink) | None => {}
    }
    tree.symlink(&link, target).map_err(|error| error.message)
}

fn make_dirs(args: &Args, tree: &mut Tree) -> Result<(), String> {
    let mode = args.mode_or(0o777)?;
    let mode = args.mode.is_some().then_some(mode);
    for dir in args.paths(0) {
        if !args.has('p') && seen(tree, &dir, false).is_some() {
            return Err(format!("cannot create directory '{dir}': File exists"));
        }
        tree.make_dir(&dir, args.has('p'), mode).map_err(|error| error.message)?;
    }
    Ok(())
}

fn rename(args: &Args, tree: &mut Tree) -> Result<(), String> {
    for (from, to) in args.pairs(tree)? {
        if from == to {
            return Err(format!("'{from}' and '{to}' are the same file"));
        }
        let is_there = seen(tree, &to, false).is_some();
        if is_there && args.has('n') {
            continue;
        }
        if is_there && is_dir(tree, &from) && !is_dir(tree, &to) {
            return Err(format!("cannot overwrite non-directory '{to}' with directory '{from}'"));
        }
        tree.rename(&from, &to).map_err(|error| error.message)?;
    }
    Ok(())
}

fn remove(args: &Args, tree: &mut Tree) -> Result<(), String> {
    let recursive = args.has('r') || args.has('R');
    for file in args.paths(0) {
        match seen(tree, &file, false).map(|stat| stat.kind) {
            None if args.has('f') => continue,
            None => return Err(format!("cannot remove '{file}': No such file or directory")),
            Some(FileKind::Dir) if !recursive && !args.has('d') => {
                return Err(format!("cannot remove '{file}': Is a directory"));
            }
            Some(_) => tree.remove(&file, recursive).map_err(|error| error.message)?,
        }
    }
    Ok(())
}

fn remove_dirs(args: &Args, tree: &mut Tree) -> Result<(), String> {
    for dir in args.paths(0) {
        let why = match seen(tree, &dir, false).map(|stat| stat.kind) {
            Some(FileKind::Dir) => {
                tree.remove(&dir, false).map_err(|error| error.message)?;
                continue;
            }
            Some(_) => "Not a directory",
            None => "No such file or directory",
        };
        return Err(format!("failed to remove '{dir}': {why}"));
    }
    Ok(())
}

fn touch(args: &Args, tree: &mut Tree) -> Result<(), String> {
    let now_ns = tree.now_ns;
    for file in args.paths(0) {
        let done = match seen(tree, &file, true) {
            Some(_) => tree.change(&file, true, |node| node.mtime_ns = now_ns),
            None if args.has('c') => Ok(()),
            None => tree.write(&file, Vec::new(), None),
        };
        done.map_err(|error| error.message)?;
    }
    Ok(())
}

fn tee(args: &Args, stdin: &[u8], tree: &mut Tree) -> Result<(), String> {
    for file in args.paths(0) {
        let before = if args.has('a') { tree.read(&file).map(<[u8]>::to_vec).unwrap_or_default() } else { Vec::new() };
        tree.write(&file, [&before[..], stdin].concat(), None).map_err(|error| error.message)?;
    }
    Ok(())
}
