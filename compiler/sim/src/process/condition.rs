//! `test` and `[` of the simulated host's shell.

use crate::path;
use crate::tree::Tree;
use crate::vocab::{FileKind, FileStat};

/// Whether a condition holds. Errors: it is not supported; the status is then neither true nor false.
pub(super) fn holds(args: &[&str], cwd: &str, tree: &Tree) -> Result<bool, String> {
    if let [left, op, right] = args
        && let Some(holds) = compare(left, op, right)
    {
        return holds;
    }
    match args {
        [] => return Ok(false),
        [text] => return Ok(!text.is_empty()),
        [op, operand] if *op != "!" => return unary(op, operand, cwd, tree),
        _ => {}
    }
    for (joint, is_and) in [("-o", false), ("-a", true)] {
        if let Some(at) = args.iter().position(|arg| *arg == joint).filter(|at| *at > 0) {
            let (left, right) = (holds(&args[..at], cwd, tree)?, holds(&args[at + 1..], cwd, tree)?);
            return Ok(if is_and { left && right } else { left || right });
        }
    }
    match args {
        ["!", rest @ ..] => Ok(!holds(rest, cwd, tree)?),
        _ => Err(unsupported(&args.join(" "))),
    }
}

fn unary(op: &str, operand: &str, cwd: &str, tree: &Tree) -> Result<bool, String> {
    let seen = |follow| -> Option<FileStat> { tree.stat(&path::absolute(cwd, operand), follow).ok().flatten() };
    let is = |kind: FileKind| seen(true).is_some_and(|stat| stat.kind == kind);
    Ok(match op {
        "-n" => !operand.is_empty(),
        "-z" => operand.is_empty(),
        // The commands run as root, who may read and write everything.
        "-e" | "-r" | "-w" => seen(true).is_some(),
        "-f" => is(FileKind::File),
        "-d" => is(FileKind::Dir),
        "-s" => seen(true).is_some_and(|stat| stat.size > 0),
        "-x" => seen(true).is_some_and(|stat| stat.kind == FileKind::Dir || stat.mode & 0o111 != 0),
        "-L" | "-h" => seen(false).is_some_and(|stat| stat.kind == FileKind::Symlink),
        _ => return Err(unsupported(&format!("{op} {operand}"))),
    })
}

/// `None`: this is not a comparison.
fn compare(left: &str, op: &str, right: &str) -> Option<Result<bool, String>> {
    let number = |text: &str| text.trim().parse::<i64>().map_err(|_| format!("Illegal number: {text}"));
    let numbers =
        |holds: fn(&i64, &i64) -> bool| -> Result<bool, String> { Ok(holds(&number(left)?, &number(right)?)) };
    Some(match op {
        "=" | "==" => Ok(left == right),
        "!=" => Ok(left != right),
        "-eq" => numbers(i64::eq),
        "-ne" => numbers(i64::ne),
        "-lt" => numbers(i64::lt),
        "-le" => numbers(i64::le),
        "-gt" => numbers(i64::gt),
        "-ge" => numbers(i64::ge),
        _ => return None,
    })
}

fn unsupported(what: &str) -> String {
    format!("`{what}` is not supported by the simulated shell")
}
