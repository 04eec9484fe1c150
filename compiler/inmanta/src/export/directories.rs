//! What `fs` adds: whatever lies in a managed directory requires it. Spec, 17.2.

use super::{Export, Resource};
use crate::fault::{Class, Failure, Fault};
use crate::model::View;
use crate::value::Value;
use std::collections::BTreeMap;

pub(super) fn requirements(_view: View<'_>, out: &mut Export) -> Result<(), Failure> {
    let mut directories: BTreeMap<(&str, Vec<&str>), usize> = BTreeMap::new();
    for (nr, resource) in out.resources.iter().enumerate() {
        if resource.registration.entity == "fs::Directory" {
            directories.insert((&resource.agent, components(&resource.id_value)), nr);
        }
    }
    if directories.is_empty() {
        return Ok(());
    }
    let mut edges = Vec::new();
    for (nr, resource) in out.resources.iter().enumerate() {
        for path in paths(resource) {
            let parts = components(path);
            for n in 0..parts.len() {
                let Some(directory) = directories.get(&(resource.agent.as_str(), parts[..n].to_vec())) else {
                    continue;
                };
                let is_purged = |resource: &Resource| resource.field("purged").and_then(Value::as_bool) == Some(true);
                match (is_purged(&out.resources[*directory]), is_purged(resource)) {
                    (false, _) => edges.push((nr, *directory)),
                    (true, true) => edges.push((*directory, nr)),
                    (true, false) => {
                        let message = format!(
                            "RuntimeError: Directory {} is purged but a resource is trying to deploy something in it: {}",
                            out.resources[*directory].id(),
                            resource.id()
                        );
                        return Err(Fault::new(Class::Internal, message));
                    }
                }
            }
        }
    }
    out.requires.extend(edges);
    Ok(())
}

/// The paths by which a resource lies somewhere.
fn paths(resource: &Resource) -> Vec<&str> {
    let text = |name| resource.field(name).and_then(Value::as_str);
    match resource.registration.entity {
        "fs::File" | "fs::Directory" => text("path").into_iter().collect(),
        "fs::Symlink" => [text("src"), text("dst")].into_iter().flatten().collect(),
        _ => Vec::new(),
    }
}

/// The normalised parts of a path.
fn components(path: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts
}
