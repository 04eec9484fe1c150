//! The kind of a resource, and its fields. Spec, 17.5 and 17.6.

use super::wrong::Wrong;
use super::{Vertex, content, exec, flag};
use crate::export::Resource as Exported;
use crate::fault::Warning;
use crate::model::View;
use crate::value::Value;
use mclive_base::span::Span;
use mclive_base::value::Value as Host;
use mclive_library::kinds::Meta;

pub(super) type Fields = Vec<(&'static str, Host)>;

pub(super) fn text(text: &str) -> Host {
    Host::Str(text.as_bytes().into())
}

pub(super) fn texts<'t>(items: impl IntoIterator<Item = &'t str>) -> Host {
    Host::List(items.into_iter().map(text).collect())
}

/// The vertex of a resource; `None` if there is nothing to do.
///
/// Errors: all that is wrong with it.
pub(super) fn vertex(
    view: View<'_>,
    exported: &Exported,
    warnings: &mut Vec<Warning>,
    span: Span,
) -> Result<Option<Vertex>, Vec<Wrong>> {
    let get = |name: &str| exported.field(name);
    let string = |name: &str| get(name).and_then(Value::as_str).map(str::to_owned);
    let purged = flag(exported, "purged");
    let mut fields: Fields = Vec::new();
    let mut meta = Meta { purge: is_purged_later(exported), ..Meta::default() };
    let state = text(if purged { "absent" } else { "exists" });
    let kind = exported.registration.kind;
    let mut wrongs: Vec<Wrong> = Vec::new();
    let name = name(exported).unwrap_or_else(|wrong| {
        wrongs.push(wrong);
        String::new()
    });
    match exported.registration.entity {
        "std::File" | "fs::File" | "std::Directory" | "fs::Directory" => {
            let is_file = exported.registration.entity.ends_with("File");
            fields.push(("state", state));
            if !purged {
                if is_file {
                    fields.extend(content(view, exported.instance).map(|content| ("content", text(&content))));
                }
                fields.extend(string("owner").map(|owner| ("owner", text(&owner))));
                fields.extend(string("group").map(|group| ("group", text(&group))));
                match mode(get("permissions")) {
                    Ok(mode) => fields.extend(mode.map(|mode| ("mode", text(&mode)))),
                    Err(wrong) => wrongs.push(wrong),
                }
            }
        }
        "std::Symlink" | "fs::Symlink" => {
            let source = string("source").or_else(|| string("src"));
            fields.extend([("symlink", Host::Bool(true)), ("state", state)]);
            if !purged {
                fields.extend(source.map(|source| ("source", text(&source))));
            }
        }
        "std::Package" => {
            let state = match string("state").as_deref() {
                Some("removed") => "uninstalled",
                Some("latest") => "newest",
                _ => "installed",
            };
            fields.push(("state", text(state)));
        }
        "std::Service" => {
            fields.extend(string("state").map(|state| ("state", text(&state))));
            fields.push(("startup", text(if flag(exported, "onboot") { "enabled" } else { "disabled" })));
        }
        "exec::Run" if is_nothing(exported) => {
            let message = format!("`{}` was left out: it is purged, but a command cannot be undone", exported.id());
            warnings.push(Warning { class: "LoweringWarning", message, span: Some(span) });
            return Ok(None);
        }
        "exec::Run" => {
            if flag(exported, "purge_on_delete") {
                let message = "`purge_on_delete` has no effect on a command, which cannot be undone".to_owned();
                warnings.push(Warning { class: "LoweringWarning", message, span: Some(span) });
            }
            wrongs.extend(exec::fields(exported, &mut fields, &mut meta, warnings, span));
        }
        "posix::User" => {
            fields.push(("state", state));
            if !purged {
                user(exported, &mut fields);
            }
        }
        "posix::Group" => {
            fields.push(("state", state));
            if let (false, Some(gid)) = (purged, int(get("gid"))) {
                fields.push(("gid", Host::Int(gid)));
            }
        }
        _ => {}
    }
    if !wrongs.is_empty() {
        return Err(wrongs);
    }
    // A directory before its files is the wrong order for removal.
    meta.autoedge &= !(kind == "file" && purged);
    Ok(Some(Vertex { kind, name, fields, meta }))
}

/// Whether a resource has no vertex: a command cannot be undone.
pub(super) fn is_nothing(exported: &Exported) -> bool {
    exported.registration.kind == "exec" && flag(exported, "purged")
}

/// The name of the vertex of a resource.
pub(super) fn name(exported: &Exported) -> Result<String, Wrong> {
    let id = &exported.id_value;
    let wrong = |reason: String| Wrong::of(exported.registration.id_attribute, reason);
    let path = |id: &str| match id.starts_with('/') {
        true => Ok(id.to_owned()),
        false => Err(wrong(format!("expected an absolute path, found `{id}`"))),
    };
    Ok(match exported.registration.entity {
        "std::File" | "fs::File" => {
            let path = path(id)?;
            if path.ends_with('/') {
                return Err(wrong(format!("the path of a file must not end with a slash: `{path}`")));
            }
            path
        }
        "std::Directory" | "fs::Directory" => format!("{}/", path(id)?.trim_end_matches('/')),
        "std::Symlink" | "fs::Symlink" => path(id)?,
        "std::Service" => id.strip_suffix(".service").unwrap_or(id).to_owned(),
        _ => id.clone(),
    })
}

/// Whether a resource is removed from its host once the model no longer has it.
fn is_purged_later(exported: &Exported) -> bool {
    can_be_absent(exported) && flag(exported, "purge_on_delete") && !flag(exported, "purged")
}

/// The same if not all of its fields are known.
pub(super) fn may_be_purged_later(exported: &Exported) -> bool {
    can_be_absent(exported) && exported.field("purge_on_delete").and_then(Value::as_bool) != Some(false)
}

fn can_be_absent(exported: &Exported) -> bool {
    matches!(exported.registration.kind, "file" | "user" | "group")
}

pub(super) fn int(value: Option<&Value>) -> Option<i64> {
    if let Some(Value::Int(int)) = value { int.to_i64() } else { None }
}

/// The decimal digits of a mode are read as octal: 644 is `0644`.
fn mode(value: Option<&Value>) -> Result<Option<String>, Wrong> {
    let number = match value {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Int(int)) => int.to_i64(),
        Some(Value::Float(float)) if libm::trunc(*float) == *float => Some(*float as i64),
        Some(_) => None,
    };
    let digits = number.filter(|number| (0..=9999).contains(number)).map(|number| format!("{number:04}"));
    match digits.filter(|digits| digits.bytes().all(|digit| digit < b'8')) {
        Some(digits) => Ok(Some(digits)),
        None => Err(Wrong::of("mode", "the mode must be an octal number of up to four digits, such as 644")),
    }
}

fn user(exported: &Exported, fields: &mut Fields) {
    let string = |name: &str| exported.field(name).and_then(Value::as_str);
    fields.extend(int(exported.field("uid")).map(|uid| ("uid", Host::Int(uid))));
    fields.extend(string("group").map(|group| ("group", text(group))));
    if let Some(groups) = exported.field("groups").and_then(Value::as_list) {
        fields.push(("groups", texts(groups.iter().filter_map(Value::as_str))));
    }
    if let Some(home) = string("homedir") {
        fields.push(("homedir", text(&format!("{}/", home.trim_end_matches('/')))));
    }
    fields.extend(string("shell").map(|shell| ("shell", text(shell))));
    if flag(exported, "allow_duplicate_uid") {
        fields.push(("allowduplicateuid", Host::Bool(true)));
    }
}
