//! States of Salt and tasks of Ansible as resources.

use super::super::shape::Match;
use super::write;
use super::yaml::{Row, Value, block, is_item, pair, pairs};
use crate::parse::written;

const RESOURCE: &str = "write a resource as `kind \"name\" { field => value, }`";

/// The maximum number of resources that are written.
const MOST: usize = 3;

/// `nginx:` with `pkg.installed:` below it.
pub(in super::super) fn salt(text: &str, found: &Match<'_>) -> Option<Vec<String>> {
    let rows = block(text, found.whole.0, false);
    let (head, rest) = rows.split_first()?;
    let id = head.text.strip_suffix(':').map(written::unquoted)?;
    let depth = rest.first()?.depth;
    let heads = || rest.iter().enumerate().filter(move |(_, row)| row.depth == depth && !is_item(row.text));
    let is_state = |row: &Row<'_>| {
        let state = row.text.split(':').next().unwrap_or_default();
        state.split_once('.').is_some_and(|(module, function)| is_word(module) && is_word(function))
    };
    if heads().next().is_none() || !heads().all(|(_, row)| is_state(row)) {
        return None;
    }
    let texts = heads().filter_map(|(at, row)| {
        let state = row.text.split(':').next()?;
        let args = rest[at + 1..].iter().take_while(|below| below.depth > depth || is_item(below.text));
        let args: Vec<Row<'_>> = args.copied().collect();
        state_written(id, state.split_once('.')?, &pairs(&args, true))
    });
    let helps: Vec<String> = texts.take(MOST).filter_map(|text| write(&text)).collect();
    Some(if helps.is_empty() { vec![RESOURCE.to_owned()] } else { helps })
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

fn state_written(id: &str, (module, function): (&str, &str), args: &[(&str, Value<'_>)]) -> Option<String> {
    let kind = written::kind(module);
    let mut fields = Vec::new();
    match (kind, function) {
        ("exec", "run" | "wait") => {
            let command = args.iter().find(|(name, _)| *name == "name").and_then(|(_, value)| value.scalar());
            fields.extend(written::fields(kind, "cmd", command.unwrap_or(id)));
            fields.extend(edges(args));
            return Some(written::resource(kind, &written::quoted(id), &fields));
        }
        ("svc", "enabled") => fields.extend(written::fields(kind, "enable", "true")),
        ("svc", "disabled") => fields.extend(written::fields(kind, "enable", "false")),
        _ => {
            written::state(kind, function)?;
            fields.extend(written::fields(kind, "state", function));
        }
    }
    let mut name = written::quoted(id);
    for (key, value) in args {
        match (kind, *key) {
            (_, "name" | "pkgs" | "names") => name = value.written()?,
            (_, key) if written::edge(key).is_some() => {}
            // A file of the server has no path on the host.
            ("file", "source") if value.scalar().is_some_and(|text| text.contains("://")) => {
                fields.push(("content".to_owned(), "deploy.readfile(\"/files/name\")".to_owned()));
            }
            ("file", "template" | "source_hash" | "backup") | (_, "refresh" | "reload" | "sig") => {}
            ("pkg", "version") => fields = vec![("state".to_owned(), value.written()?)],
            (kind, key) => match value.scalar() {
                Some(text) => fields.extend(written::fields(kind, key, text)),
                None => fields.extend(value.written().map(|value| (key.to_owned(), value))),
            },
        }
    }
    if function == "directory" && !name.ends_with("/\"") {
        name.insert(name.len() - 1, '/');
    }
    fields.extend(edges(args));
    Some(written::resource(kind, &name, &fields))
}

/// `- watch:` with the resources below it.
fn edges(args: &[(&str, Value<'_>)]) -> Vec<(String, String)> {
    let lists = args.iter().filter_map(|(key, value)| match value {
        Value::List(items) => Some((written::edge(key)?, items)),
        Value::Scalar(_) => None,
    });
    let of = |(edge, items): (&'static str, &Vec<&str>)| -> Vec<(String, String)> {
        let ends = items.iter().filter_map(|item| pair(item));
        ends.map(|(kind, name)| {
            (edge.to_owned(), format!("{}[{}]", written::referred_kind(kind), written::quoted(written::unquoted(name))))
        })
        .collect()
    };
    lists.flat_map(of).collect()
}

/// The resource of a task: a module with its arguments. `title` is the name of the task.
fn task_written(title: Option<&str>, module: &str, args: &[(&str, Value<'_>)]) -> Option<String> {
    let word = module.rsplit('.').next().unwrap_or(module);
    let is_module = matches!(
        word,
        "apt"
            | "yum"
            | "dnf"
            | "package"
            | "pip"
            | "service"
            | "systemd"
            | "copy"
            | "template"
            | "file"
            | "user"
            | "group"
            | "command"
            | "shell"
            | "debug"
            | "cron"
    );
    if !is_module {
        return None;
    }
    let kind = written::kind(word);
    let of = |wanted: &[&str]| args.iter().find(|(key, _)| wanted.contains(key)).map(|(_, value)| value);
    let fallback = written::quoted(title.map_or("name", written::unquoted));
    let mut fields = Vec::new();
    let mut name = fallback.clone();
    match kind {
        "exec" => {
            let command = of(&["cmd", "_raw_params", ""]).and_then(Value::scalar)?;
            fields.push(("cmd".to_owned(), written::quoted(written::unquoted(command))));
        }
        "print" => fields.push(("msg".to_owned(), of(&["msg"]).and_then(Value::written).unwrap_or(fallback))),
        _ => {
            name = of(&["name", "path", "dest", "pkg"]).and_then(Value::written)?;
            let state = of(&["state"]).and_then(Value::scalar);
            match (kind, state) {
                ("svc", None) => {}
                (_, state) => fields.extend(written::fields(kind, "state", state.unwrap_or("present"))),
            }
            if state == Some("directory") && !name.ends_with("/\"") {
                name.insert(name.len() - 1, '/');
            }
        }
    }
    for (key, value) in args {
        match (kind, *key) {
            ("exec" | "print", _)
            | (_, "name" | "path" | "dest" | "pkg" | "state" | "update_cache" | "daemon_reload") => {}
            ("file", "src") if word == "template" => {
                fields.push(("content".to_owned(), "golang.template(\"…\", $values)".to_owned()));
            }
            ("file", "src") if state_of_link(args) => fields.extend(written::fields(kind, "target", value.scalar()?)),
            ("file", "src") => fields.push(("content".to_owned(), "deploy.readfile(\"/files/name\")".to_owned())),
            (kind, key) => match value.scalar() {
                Some(text) => fields.extend(written::fields(kind, key, text)),
                None => fields.extend(value.written().map(|value| (key.to_owned(), value))),
            },
        }
    }
    Some(written::resource(kind, &name, &fields))
}

fn state_of_link(args: &[(&str, Value<'_>)]) -> bool {
    args.iter().any(|(key, value)| *key == "state" && value.scalar() == Some("link"))
}

/// `apt:` with its arguments below it, and `ansible.builtin.apt:`.
pub(in super::super) fn module(text: &str, found: &Match<'_>) -> Option<Vec<String>> {
    let rows = block(text, found.whole.0, false);
    let (head, rest) = rows.split_first()?;
    let name = head.text.strip_suffix(':')?;
    let written = task_written(None, name, &pairs(rest, false));
    match written.and_then(|text| write(&text)) {
        Some(help) => Some(vec![help]),
        None => name.contains('.').then(|| vec![RESOURCE.to_owned()]),
    }
}

/// `apt: name=nginx state=present`.
pub(in super::super) fn inline_task(text: &str, found: &Match<'_>) -> Option<Vec<String>> {
    let line = text[found.whole.0..].lines().next()?;
    let (module, args) = line.trim_start_matches("- ").split_once(':')?;
    let args: Vec<(&str, Value<'_>)> = args
        .split_whitespace()
        .filter_map(|arg| arg.split_once('=').map(|(name, value)| (name, Value::Scalar(value))))
        .collect();
    Some(vec![write(&task_written(None, module.trim(), &args)?)?])
}

/// Tasks that begin with `- name:` or `- module:`.
pub(in super::super) fn playbook(text: &str, found: &Match<'_>) -> Option<Vec<String>> {
    let rows = block(text, found.whole.0, true);
    let first = rows.first()?;
    let starts: Vec<usize> =
        (0..rows.len()).filter(|at| rows[*at].depth == first.depth && is_item(rows[*at].text)).collect();
    let helps = starts.iter().enumerate().filter_map(|(n, start)| {
        let end = starts.get(n + 1).copied().unwrap_or(rows.len());
        one_task(&rows[*start..end])
    });
    let helps: Vec<String> = helps.take(MOST).filter_map(|text| write(&text)).collect();
    (!helps.is_empty()).then_some(helps)
}

/// The resource of the rows of one task.
fn one_task(rows: &[Row<'_>]) -> Option<String> {
    // The first key stands after `- `, and as deep as the others.
    let mut rows = rows.to_vec();
    let first = rows.first_mut()?;
    (first.text, first.depth) = (first.text.strip_prefix("- ")?.trim_start(), first.depth + 2);
    let depth = first.depth;
    let keys: Vec<(usize, (&str, &str))> = rows
        .iter()
        .enumerate()
        .filter(|(_, row)| row.depth == depth)
        .filter_map(|(at, row)| Some((at, pair(row.text)?)))
        .collect();
    let title = keys.iter().find(|(_, (key, _))| *key == "name").map(|(_, (_, value))| *value);
    keys.iter().find_map(|(at, (key, value))| {
        let below: Vec<Row<'_>> = rows[at + 1..].iter().take_while(|row| row.depth > depth).copied().collect();
        let args = match *value {
            "" => pairs(&below, false),
            value if value.contains('=') && !value.contains('"') => {
                let args = value.split_whitespace().filter_map(|arg| arg.split_once('='));
                args.map(|(name, value)| (name, Value::Scalar(value))).collect()
            }
            value => vec![("", Value::Scalar(value))],
        };
        task_written(title, key, &args)
    })
}

/// `vars:` and `set_fact:` with the variables below it.
pub(in super::super) fn variables(text: &str, found: &Match<'_>) -> Option<Vec<String>> {
    let rows = block(text, found.whole.0, false);
    let pairs = pairs(rows.get(1..)?, false);
    let helps =
        pairs.iter().filter_map(|(name, value)| write(&format!("${} = {}", name.to_lowercase(), value.written()?)));
    let helps: Vec<String> = helps.take(MOST).collect();
    (!helps.is_empty()).then_some(helps)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Match<'_> {
        Match { whole: (0, text.len().min(1)), marked: (0, 1), captures: Vec::new() }
    }

    fn helps(writer: fn(&str, &Match<'_>) -> Option<Vec<String>>, text: &str) -> Vec<String> {
        writer(text, &found(text)).unwrap_or_default()
    }

    #[test]
    fn a_state_of_salt_is_a_resource() {
        let cases = [
            ("nginx:\n  pkg.installed: []\n", "write `pkg \"nginx\" { state => \"installed\", }`"),
            (
                "web:\n  pkg.installed:\n    - pkgs:\n      - nginx\n      - git\n",
                "write `pkg [\"nginx\", \"git\"] { state => \"installed\", }`",
            ),
            (
                "nginx:\n  service.running:\n    - enable: True\n    - watch:\n      - file: /etc/n.conf\n",
                "write `svc \"nginx\" { state => \"running\", startup => \"enabled\", Listen => File[\"/etc/n.conf\"], }`",
            ),
            (
                "/srv/app:\n  file.directory:\n    - user: root\n",
                "write `file \"/srv/app/\" { state => \"exists\", owner => \"root\", }`",
            ),
            ("a:\n  cmd.run:\n    - name: nginx -s reload\n", "write `exec \"a\" { cmd => \"nginx -s reload\", }`"),
        ];
        for (text, help) in cases {
            assert_eq!(helps(salt, text), [help], "{text}");
        }
        assert!(helps(salt, "nginx:\n  port: 80\n").is_empty());
    }

    #[test]
    fn a_task_of_ansible_is_a_resource() {
        let task = "- name: install\n  apt:\n    name: nginx\n    state: latest\n";
        assert_eq!(helps(playbook, task), ["write `pkg \"nginx\" { state => \"newest\", }`"]);
        let module_text = "service:\n  name: nginx\n  state: started\n  enabled: yes\n";
        let written = "write `svc \"nginx\" { state => \"running\", startup => \"enabled\", }`";
        assert_eq!(helps(module, module_text), [written]);
        let inline = "file: path=/srv/app state=directory mode=0755";
        let written = "write `file \"/srv/app/\" { state => \"exists\", mode => \"0755\", }`";
        assert_eq!(helps(inline_task, inline), [written]);
        assert_eq!(
            helps(variables, "vars:\n  port: 80\n  host: web\n"),
            ["write `$port = 80`", "write `$host = \"web\"`"]
        );
    }
}
