//! `$(hostname)` in a text that no shell reads: it is not replaced.
//!
//! Only where the output of a command is certainly meant: with a well-known command, in the name of a resource, in
//! fields that are neither commands nor scripts, and in the content of files that no shell reads. A variable may be
//! inserted in a script, so it only counts if it is nothing else, in a main file without scripts.

use super::body::Body;
use super::words;
use crate::diag::Diagnostic;
use crate::hir::{Block, ExprId, ExprKind, ItemKind, Module, Stmt, StmtKind};
use crate::source::Source;
use crate::span::Span;
use std::ops::Range;

pub(super) fn find(module: &Module, source: &Source, found: &mut Vec<Diagnostic>) {
    if has(&source.text, b"$(") {
        let is_main = module.file.0 == 0;
        let has_scripts = !is_main || has(&source.text, b"system(") || has_scripts(module, &module.root);
        Finder { module, source, has_scripts, found }.block(&module.root);
    }
}

/// Whether a text contains a sign. Every program is searched, so the sign is only compared where its first byte is.
fn has(text: &[u8], sign: &[u8]) -> bool {
    let Some((first, rest)) = sign.split_first() else { return true };
    let mut places = text.iter().enumerate().filter(|(_, byte)| *byte == first);
    places.any(|(at, _)| text[at + 1..].starts_with(rest))
}

/// Commands that print something about the host, the time or a file.
const COMMANDS: [&str; 44] = [
    "arch",
    "awk",
    "basename",
    "cat",
    "curl",
    "cut",
    "date",
    "df",
    "dirname",
    "dpkg",
    "du",
    "find",
    "free",
    "getent",
    "git",
    "grep",
    "head",
    "hostname",
    "hostnamectl",
    "id",
    "ip",
    "jq",
    "logname",
    "ls",
    "lsb_release",
    "mktemp",
    "nproc",
    "openssl",
    "printenv",
    "ps",
    "pwd",
    "readlink",
    "realpath",
    "stat",
    "sysctl",
    "systemctl",
    "tail",
    "uname",
    "uptime",
    "uuidgen",
    "wc",
    "whereis",
    "which",
    "whoami",
];

/// Fields whose values are neither commands nor parts of scripts.
const FIELDS: [(&str, &[&str]); 4] = [
    ("file", &["path", "dirname", "basename", "source", "owner", "group", "mode"]),
    ("hostname", &["hostname", "static_hostname", "transient_hostname", "pretty_hostname"]),
    ("print", &["msg"]),
    ("user", &["homedir", "group", "shell"]),
];

struct Finder<'m, 'f> {
    module: &'m Module,
    source: &'m Source,
    /// Whether variables may be inserted in scripts.
    has_scripts: bool,
    found: &'f mut Vec<Diagnostic>,
}

impl<'m> Finder<'m, '_> {
    fn block(&mut self, block: &'m Block) {
        for body in Body::all(self.module, block) {
            self.resource(body);
        }
        for stmt in &block.stmts {
            if let StmtKind::Bind(bind) = &stmt.kind
                && !self.has_scripts
            {
                self.text(bind.value, is_all);
            }
            stmt.kind.blocks().for_each(|block| self.block(block));
        }
    }

    fn resource(&mut self, body: Body<'m>) {
        let kind = &*body.resource.kind;
        // The name of an `exec` may be its command.
        if kind != "exec" {
            self.text(body.resource.name, |_, _| true);
        }
        let fields = FIELDS.iter().find(|(of, _)| *of == kind).map_or(&[] as &[&str], |(_, fields)| *fields);
        for item in fields.iter().filter_map(|field| body.item(field)) {
            if let ItemKind::Field { value, .. } = item.kind {
                self.text(value, |_, _| true);
            }
        }
        if kind == "file"
            && let Some(item) = body.item("content")
            && let ItemKind::Field { value, .. } = item.kind
        {
            match body.path() {
                Some(path) if SHOWN.contains(&path) => self.text(value, |_, _| true),
                Some(path) if is_data(path) => self.text(value, |all, _| is_line(all)),
                Some(_) | None => self.text(value, is_all),
            }
        }
    }

    /// A string, or a list of strings; `counts` gets a whole string as written, and the place of a substitution.
    fn text(&mut self, value: ExprId, counts: impl Copy + Fn(&str, &Range<usize>) -> bool) {
        let module = self.module;
        let expr = &module.exprs[value];
        match &expr.kind {
            ExprKind::List(items) => items.iter().for_each(|item| self.string(module.exprs[*item].span, counts)),
            _ => self.string(expr.span, counts),
        }
    }

    fn string(&mut self, span: Span, counts: impl Fn(&str, &Range<usize>) -> bool) {
        let (start, end) = (span.start as usize, span.end as usize);
        let source = self.source;
        let Some(Ok(written)) = source.text.get(start..end).map(std::str::from_utf8) else { return };
        // A string with variables is a call, which is not a literal; a call of the program has its name first.
        let Some(inside) = written.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else { return };
        for (place, command) in substitutions(inside).filter(|(place, _)| counts(inside, place)) {
            let start = span.start + 1 + place.start as u32;
            let here = Span { start, end: start + place.len() as u32, ..span };
            self.found.push(words::substitution(command, here));
        }
    }
}

/// Files that programs show or read as they are.
const SHOWN: [&str; 5] = ["/etc/hostname", "/etc/hosts", "/etc/issue", "/etc/issue.net", "/etc/motd"];

/// Ends of the names of files with data. A longer text may be about commands.
const DATA: [&str; 2] = [".csv", ".txt"];

/// Whether no shell reads a file.
fn is_data(path: &str) -> bool {
    SHOWN.contains(&path) || DATA.iter().any(|end| path.ends_with(*end))
}

fn is_line(written: &str) -> bool {
    let line = written.strip_suffix("\\n").unwrap_or(written).trim_end();
    !line.contains('\n') && !line.contains("\\n")
}

/// Whether a substitution is the whole text, apart from a newline.
fn is_all(written: &str, place: &Range<usize>) -> bool {
    place.start == 0 && matches!(&written[place.end..], "" | "\n" | "\\n")
}

/// The commands in `$(…)` of a string as written, with the places of the whole. `\$(…)` does not count.
fn substitutions(written: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    written.match_indices("$(").filter_map(move |(at, open)| {
        let n_escapes = written[..at].bytes().rev().take_while(|byte| *byte == b'\\').count();
        let inside = &written[at + open.len()..];
        let command = &inside[..inside.find(['(', ')', '"', '\\', '`', '\n'])?];
        let path = command.split(' ').next().unwrap_or(command);
        let is_known = COMMANDS.contains(&path.rsplit('/').next().unwrap_or(path));
        let end = at + open.len() + command.len();
        let is_one = n_escapes % 2 == 0 && is_known && written[end..].starts_with(')');
        is_one.then_some((at..end + 1, command))
    })
}

/// Whether the block, or one inside it, may have a script, or give a variable to one.
fn has_scripts(module: &Module, block: &Block) -> bool {
    let in_stmt = |stmt: &Stmt| {
        matches!(stmt.kind, StmtKind::Include(_)) || stmt.kind.blocks().any(|block| has_scripts(module, block))
    };
    Body::all(module, block).any(may_be_script) || block.stmts.iter().any(in_stmt)
}

/// Whether a resource may be or contain a script.
fn may_be_script(body: Body<'_>) -> bool {
    let is_known = FIELDS.iter().any(|(kind, _)| *kind == &*body.resource.kind);
    !is_known || body.item("content").is_some() && !body.path().is_some_and(is_data)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_print() {
        let found = |written: &str| -> Vec<String> {
            substitutions(written).map(|(place, command)| format!("{}: {command}", &written[place])).collect()
        };
        assert_eq!(
            found("a $(hostname -f) $(/bin/date +%F)"),
            ["$(hostname -f): hostname -f", "$(/bin/date +%F): /bin/date +%F"]
        );
        for written in [r"\$(hostname)", "$(CC)", "$(document)", "$(hostname", "$((1 + 2))", "$(date \"+%F\")"] {
            assert!(found(written).is_empty(), "{written}");
        }
        assert_eq!(found("$(date $(hostname)x"), ["$(hostname): hostname"]);
    }

    #[test]
    fn what_is_all_of_a_text() {
        for (written, expected) in [("$(date)", true), ("$(date)\\n", true), ("a $(date)", false), ("$(date) a", false)]
        {
            let is_all = substitutions(written).any(|(place, _)| is_all(written, &place));
            assert_eq!(is_all, expected, "{written}");
        }
        assert!(is_line("on $(hostname)\\n"));
        for written in ["a\nb $(hostname)", "a\\nb $(hostname)"] {
            assert!(!is_line(written), "{written}");
        }
    }
}
