//! Commands. Spec, 17.7.

use super::fields::{Fields, int, text, texts};
use super::flag;
use super::wrong::Wrong;
use crate::export::Resource as Exported;
use crate::fault::Warning;
use crate::value::{NoInstances, Value, message};
use mclive_base::span::Span;
use mclive_base::value::{Map, Value as Host};
use mclive_library::kinds::Meta;
use std::sync::Arc;

/// The default search path of commands.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Adds the fields of a command, and reports all of its faults.
pub(super) fn fields(
    exported: &Exported,
    fields: &mut Fields,
    meta: &mut Meta,
    warnings: &mut Vec<Warning>,
    span: Span,
) -> Vec<Wrong> {
    let mut wrongs = Vec::new();
    let string = |name: &str| exported.field(name).and_then(Value::as_str).unwrap_or_default();
    match split(string("command")).as_deref() {
        Ok([command, args @ ..]) => {
            fields.push(("cmd", text(command)));
            if !args.is_empty() {
                fields.push(("args", texts(args.iter().map(String::as_str))));
            }
        }
        Ok([]) => wrongs.push(Wrong::of("command", "the command is empty")),
        Err(reason) => wrongs.push(Wrong::of("command", reason.as_str())),
    }
    if !string("cwd").is_empty() {
        fields.push(("cwd", text(string("cwd"))));
    }
    fields.push(("env", environment(exported)));
    if !string("creates").is_empty() {
        fields.push(("creates", text(string("creates"))));
    }
    for (guard, field, shell) in [("onlyif", "ifcmd", "ifshell"), ("unless", "nifcmd", "nifshell")] {
        let guard = string(guard);
        if !guard.is_empty() {
            fields.push((field, text(guard)));
            if guard.contains(['\'', '"', '\\']) {
                fields.push((shell, text("/bin/sh")));
            }
        }
    }
    let returns = exported.field("returns").and_then(Value::as_list).unwrap_or_default();
    let only_zero = matches!(returns, []) || matches!(returns, [Value::Int(int)] if int.is_zero());
    if !only_zero {
        wrongs.push(Wrong::of("returns", "`returns` is not supported: a command must exit with status 0"));
    }
    let on_events = [("reload", !string("reload").is_empty()), ("reload_only", flag(exported, "reload_only"))];
    if let Some((attribute, _)) = on_events.into_iter().find(|(_, is_set)| *is_set) {
        let reason = "`reload` and `reload_only` are not supported: commands do not react to events";
        wrongs.push(Wrong::of(attribute, reason));
    }
    if flag(exported, "skip_on_fail") {
        let message = "`skip_on_fail` has no effect: failures are always reported".to_owned();
        warnings.push(Warning { class: "LoweringWarning", message, span: Some(span) });
    }
    if let Some(seconds) = int(exported.field("timeout")).and_then(|seconds| u64::try_from(seconds).ok()) {
        meta.timeout = seconds.saturating_mul(1000);
    }
    wrongs
}

/// The whole environment of the command; nothing else is inherited.
fn environment(exported: &Exported) -> Host {
    let mut map = Map::default();
    let path = exported.field("path").and_then(Value::as_str).filter(|path| !path.is_empty());
    map.insert(text("PATH"), text(path.unwrap_or(PATH)));
    for (name, value) in
        exported.field("environment").and_then(Value::as_dict).into_iter().flat_map(|dict| &dict.entries)
    {
        if &**name != "PATH" || path.is_none() {
            map.insert(text(name), text(&message(value, &NoInstances)));
        }
    }
    Host::Map(Arc::new(map))
}

/// Splits words by the quoting rules of a POSIX shell, without any expansion.
fn split(command: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = command.chars();
    while let Some(char) = chars.next() {
        match char {
            ' ' | '\t' | '\n' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        Some('\'') => break,
                        Some(char) => word.push(char),
                        None => return Err("unclosed quote in the command".into()),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        Some('"') => break,
                        Some('\\') => match chars.next() {
                            Some(char @ ('"' | '\\' | '$' | '`')) => word.push(char),
                            Some('\n') => {}
                            Some(char) => word.extend(['\\', char]),
                            None => return Err("unclosed quote in the command".into()),
                        },
                        Some(char) => word.push(char),
                        None => return Err("unclosed quote in the command".into()),
                    }
                }
            }
            '\\' => match chars.next() {
                Some('\n') => {}
                Some(char) => word.get_or_insert_default().push(char),
                None => return Err("the command ends with a backslash".into()),
            },
            char => word.get_or_insert_default().push(char),
        }
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn words_as_a_shell_has_them() {
        assert_eq!(
            split(r#"a 'b c' "d\"e" f\ g ''"#),
            Ok(vec!["a".into(), "b c".into(), "d\"e".into(), "f g".into(), String::new()])
        );
        assert!(split("a 'b").is_err() && split("a \\").is_err());
    }
}
