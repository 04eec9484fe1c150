//! Lints of names and values that the language accepts, but that no host can use: times in words, names with spaces, an
//! empty password. Only literals are considered.

use super::body::Body;
use super::words::{unsupported_field, warning};
use crate::diag::{Diagnostic, codes};
use crate::hir::{Expr, ExprKind, ItemKind};
use crate::kinds::{crontab, systemd_time};
use crate::span::Span;

pub(super) fn find(body: Body<'_>, found: &mut Vec<Diagnostic>) {
    match &*body.resource.kind {
        // Nothing reads the times of a timer that is removed.
        "cron" if body.text("state").is_none_or(|(state, _)| state != "absent") => {
            found.extend(time(body));
            found.extend(["accuracysec", "randomizeddelaysec"].into_iter().filter_map(|field| span_of(body, field)));
        }
        "hostname" => host_names(body, found),
        "nspawn" if is_in(body, "running") => {
            found.extend(body.name().filter(|(name, _)| !is_host_name(name) && !has_hole(name)).map(|(name, span)| {
                let help = format!("write `nspawn \"{}\" {{ … }}`", joined(name));
                refused(format!("`{name}` is not a valid machine name"), span, NAME).help(help)
            }))
        }
        "net" => found.extend(interface(body)),
        "password" => found.extend(no_length(body)),
        "docker:image" if is_in(body, "exists") => {
            found.extend(body.name().and_then(|(name, span)| image(name, span)));
        }
        "docker:container" if is_in(body, "running") => {
            found.extend(body.text("image").and_then(|(name, span)| image(name, span)));
            found.extend(container(body));
        }
        "exec" => {
            shells(body, found);
            without_command(body, found);
        }
        "virt" => boot_devices(body, found),
        _ => {}
    }
}

/// Whether the state is certainly this default one: in any other, it is not a failure that nothing has such a name.
fn is_in(body: Body<'_>, state: &str) -> bool {
    body.item("state").is_none() || body.text("state").is_some_and(|(set, _)| set == state)
}

const NAME: &str = "a name consists of letters, digits, `-`, `_` and `.`";

fn refused(message: String, span: Span, here: &str) -> Diagnostic {
    warning(codes::ALWAYS_FAILS, message, span, here)
}

/// A name in one word, as a proposal.
fn joined(name: &str) -> String {
    let is_kept = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | '.');
    let parts: Vec<&str> = name.split(|char: char| !is_kept(char)).filter(|part| !part.is_empty()).collect();
    let name = parts.join("-");
    let name = name.trim_matches(['-', '.']);
    if name.is_empty() { "web1".to_owned() } else { name.to_owned() }
}

/// Whether a name contains the hole of a template or a variable, which is another lint, or what cannot be quoted.
fn has_hole(name: &str) -> bool {
    name.contains(['$', '{', '`', '\n'])
}

/// Whether a text has parts between dots, of letters, digits, dashes and underscores.
fn is_host_name(name: &str) -> bool {
    const LONGEST: usize = 64;
    let is_part = |part: &str| {
        let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        !part.is_empty() && part.bytes().all(is_sign) && !part.starts_with('-') && !part.ends_with('-')
    };
    name.len() <= LONGEST && name.split('.').all(is_part)
}

/// A time that systemd cannot read; one in the syntax of crontab is another lint.
fn time(body: Body<'_>) -> Option<Diagnostic> {
    let (trigger, _) = body.text("trigger")?;
    let (time, span) =
        body.text("time").filter(|(time, _)| !time.is_empty() && !has_hole(time) && !crontab::is_crontab(time))?;
    if trigger != "OnCalendar" {
        if !trigger.ends_with("Sec") || systemd_time::is_span(time) {
            return None;
        }
        let said = refused(format!("`{time}` is not a time span"), span, "systemd cannot read this");
        return Some(match systemd_time::is_calendar(time) {
            true => said.help("for a calendar event, write `trigger => \"OnCalendar\",`"),
            false => said.help("write numbers with units, such as `time => \"1h 30min\",`"),
        });
    }
    if systemd_time::is_calendar(time) {
        return None;
    }
    let said = refused(format!("`{time}` is not a calendar event"), span, "systemd cannot read this");
    Some(match systemd_time::calendar_in_words(time) {
        Some(event) => said.help(format!("write `time => \"{event}\",`")).edit(
            span,
            format!("\"{event}\""),
            format!("write `\"{event}\"`"),
        ),
        None if systemd_time::is_span(time) => said.help(
            "to repeat after a period, write `trigger => \"OnUnitActiveSec\",`, and `OnBootSec` for the first time",
        ),
        None => {
            said.help("write it in systemd syntax, such as `time => \"daily\",` or `time => \"Mon *-*-* 02:00:00\",`")
        }
    })
}

/// Its own time span field, such as the accuracy of a timer.
fn span_of(body: Body<'_>, field: &str) -> Option<Diagnostic> {
    let (time, span) = body.text(field)?;
    if time.is_empty() || has_hole(time) || systemd_time::is_span(time) {
        return None;
    }
    let said = refused(format!("`{time}` is not a time span"), span, "systemd cannot read this");
    Some(said.help(format!("write numbers with units, such as `{field} => \"1min 30s\",`")))
}

/// The name of the resource is used for the names that have no separate field.
fn host_names(body: Body<'_>, found: &mut Vec<Diagnostic>) {
    let is_set = |field: &str| body.item(field).is_some();
    let has_both = is_set("static_hostname") && is_set("transient_hostname");
    let is_used = !is_set("hostname") && !has_both;
    let wrong = |(name, _): &(&str, Span)| !name.is_empty() && !is_host_name(name) && !has_hole(name);
    if let Some((name, span)) = body.name().filter(|_| is_used).filter(wrong) {
        let help = format!("write `hostname \"{}\" {{ … }}`", joined(name));
        let said = refused(format!("`{name}` is not a host name"), span, NAME).help(help);
        found.push(said.help("set a descriptive name with spaces in `pretty_hostname`"));
    }
    for field in ["hostname", "static_hostname", "transient_hostname"] {
        if let Some((name, span)) = body.text(field).filter(wrong) {
            let help = format!("write `{field} => \"{}\",`", joined(name));
            found.push(refused(format!("`{name}` is not a host name"), span, NAME).help(help));
        }
    }
}

fn interface(body: Body<'_>) -> Option<Diagnostic> {
    let (name, span) = body.name().filter(|(name, _)| name.contains([' ', '\t', '/']) && !has_hole(name))?;
    let message = format!("no network interface is named `{name}`");
    Some(refused(message, span, "contains a space or a slash").help("`ip link` lists the interfaces of a host"))
}

fn no_length(body: Body<'_>) -> Option<Diagnostic> {
    let Expr { kind: ExprKind::Int(0), span, .. } = body.value(body.item("length")?)? else { return None };
    let help = "write the number of characters, such as `length => 32,`; the default is 64";
    Some(refused("a `password` of length 0 is empty".to_owned(), *span, "expected at least 1").help(help))
}

/// The name of an image, which has no capital letters and no spaces; the host of a registry and a tag may have some. A
/// first part with a capital letter is a host, as it is not a valid part of a repository.
fn image(name: &str, span: Span) -> Option<Diagnostic> {
    let path = match name.split_once('/') {
        Some((host, path)) if is_registry(host) => path,
        _ => name,
    };
    let repository = path.split(['@', ':']).next().unwrap_or(path);
    let has_space = name.contains(char::is_whitespace);
    if has_hole(name) {
        return None;
    }
    if !has_space && !repository.contains(|char: char| char.is_ascii_uppercase()) {
        return None;
    }
    let said = refused(format!("`{name}` is not a valid image name"), span, "registries do not allow this name");
    let (host, tag) = (&name[..name.len() - path.len()], &path[repository.len()..]);
    Some(match has_space {
        true => said.help("write the name and the tag without spaces, such as `\"nginx:1.27\"`"),
        false => said.help(format!("write it in lower case: `\"{host}{}{tag}\"`", repository.to_lowercase())),
    })
}

fn is_registry(host: &str) -> bool {
    host.contains(['.', ':']) || host == "localhost" || host.contains(|char: char| char.is_ascii_uppercase())
}

fn container(body: Body<'_>) -> Option<Diagnostic> {
    let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    let is_valid =
        |name: &str| name.starts_with(|first: char| first.is_ascii_alphanumeric()) && name.bytes().all(is_sign);
    let (name, span) = body.name().filter(|(name, _)| !is_valid(name) && !has_hole(name))?;
    let message = format!("`{name}` is not a valid container name");
    Some(refused(message, span, NAME).help(format!("write `docker:container \"{}\" {{ … }}`", joined(name))))
}

/// Fields of an `exec` that belong to a command, which is not there.
fn without_command(body: Body<'_>, found: &mut Vec<Diagnostic>) {
    const FIELDS: [(&str, &[&str]); 4] = [
        ("ifcmd", &["ifequals", "ifequals_stdout", "ifcwd", "ifshell"]),
        ("nifcmd", &["nifcwd", "nifshell"]),
        ("watchcmd", &["watchcwd", "watchshell"]),
        ("donecmd", &["donecwd", "doneshell"]),
    ];
    for (command, fields) in FIELDS.into_iter().filter(|(command, _)| body.item(command).is_none()) {
        for item in fields.iter().filter_map(|field| body.item(field)) {
            let ItemKind::Field { name, .. } = &item.kind else { continue };
            let why = format!("it belongs to a command: add `{command} => \"…\",`, or remove it");
            found.push(unsupported_field("exec", name, &why, item.name_span));
        }
    }
}

/// A shell with arguments: it is the path of a program. The path may contain spaces, so only options and the arguments of
/// well-known programs count.
fn shells(body: Body<'_>, found: &mut Vec<Diagnostic>) {
    for field in ["shell", "watchshell", "ifshell", "nifshell", "doneshell"] {
        let Some((shell, span)) = body.text(field).filter(|(shell, _)| !has_hole(shell)) else { continue };
        let Some(program) = program_of(shell) else { continue };
        let message = format!("`{field}` is a program without arguments");
        let said = refused(message, span, "no program has this name");
        found.push(said.help(format!("write `{field} => \"{program}\",`: the command is passed to it with `-c`")));
    }
}

/// The program of a shell that has arguments.
fn program_of(shell: &str) -> Option<&str> {
    const SHELLS: [&str; 10] = ["sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "fish", "env", "busybox"];
    let (program, arguments) = shell.trim().split_once(' ')?;
    let (folder, name) = program.rsplit_once('/').unwrap_or(("", program));
    // Elsewhere, it may be the beginning of a folder: `/opt/bash tools`.
    let is_shell = SHELLS.contains(&name) && (folder.is_empty() || folder.ends_with("bin"));
    let option = arguments.trim_start().strip_prefix('-');
    let is_option = option.is_some_and(|rest| rest.starts_with(|first: char| !first.is_whitespace()));
    (is_shell || is_option).then_some(program)
}

fn boot_devices(body: Body<'_>, found: &mut Vec<Diagnostic>) {
    const DEVICES: [&str; 4] = ["fd", "hd", "cdrom", "network"];
    for (device, span) in body.texts("boot").into_iter().flatten().flatten() {
        if DEVICES.contains(&device) {
            continue;
        }
        let ours = match device {
            "disk" | "hdd" | "harddisk" | "sda" | "vda" => "hd",
            "cd" | "dvd" | "iso" => "cdrom",
            "net" | "pxe" => "network",
            "floppy" => "fd",
            _ => "",
        };
        let said =
            refused(format!("`{device}` is not a boot device"), span, "expected `fd`, `hd`, `cdrom` or `network`");
        found.push(if ours.is_empty() { said } else { said.help(format!("write `\"{ours}\"`")) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::FileId;

    #[test]
    fn a_host_name_has_no_spaces() {
        for name in ["web1", "web-1.example.com", "my_host", "a"] {
            assert!(is_host_name(name), "{name}");
        }
        for name in ["my host", "-web", "a..b", "web!", "", "web-"] {
            assert!(!is_host_name(name), "{name}");
        }
        assert_eq!((joined("my host!"), joined("-web")), ("my-host".to_owned(), "web".to_owned()));
    }

    #[test]
    fn the_repository_of_an_image_is_in_lower_case() {
        let span = Span { file: FileId(0), start: 0, end: 0 };
        for name in ["nginx", "Reg.example.com:5000/a/b:V1", "localhost/a", "a@sha256:AB", "REGISTRY/nginx"] {
            assert!(image(name, span).is_none(), "{name}");
        }
        for name in ["Nginx", "nginx latest", "library/Nginx:1", "REGISTRY/Nginx", "REGISTRY/my nginx"] {
            assert!(image(name, span).is_some(), "{name}");
        }
        let help = image("Web.example.com/Web:V1", span).map(|said| said.help);
        assert_eq!(help, Some(vec!["write it in lower case: `\"Web.example.com/web:V1\"`".to_owned()]));
    }

    #[test]
    fn the_path_of_a_shell_may_contain_spaces() {
        for (shell, program) in
            [("bash -c", "bash"), ("/usr/bin/env bash", "/usr/bin/env"), ("/opt/mine -e", "/opt/mine")]
        {
            assert_eq!(program_of(shell), Some(program), "{shell}");
        }
        for shell in
            ["/bin/sh", "bash ", "/opt/my tools/sh", "/opt/my shell", "/opt/bash tools/run", "/opt/tools - new/sh"]
        {
            assert_eq!(program_of(shell), None, "{shell}");
        }
    }
}
