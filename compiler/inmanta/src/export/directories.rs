//! The additions of `fs`: everything in a managed directory requires it. Spec, 17.2.

use super::{Export, Resource};
use crate::fault::{Class, Failure, Fault};
use crate::model::View;
use crate::value::Value;
use std::collections::BTreeMap;

/// The managed directories: by agent, then by the components of their paths.
struct Directories<'a> {
    nodes: Vec<Node<'a>>,
}

#[derive(Default)]
struct Node<'a> {
    below: BTreeMap<&'a str, usize>,
    resource: Option<usize>,
}

impl<'a> Directories<'a> {
    fn new() -> Directories<'a> {
        Directories { nodes: vec![Node::default()] }
    }

    fn insert(&mut self, agent: &'a str, parts: &[&'a str], resource: usize) {
        let mut at = 0;
        for part in std::iter::once(&agent).chain(parts) {
            at = match self.nodes[at].below.get(part) {
                Some(next) => *next,
                None => {
                    self.nodes.push(Node::default());
                    let next = self.nodes.len() - 1;
                    self.nodes[at].below.insert(part, next);
                    next
                }
            };
        }
        self.nodes[at].resource = Some(resource);
    }

    /// The directories that contain a path, outermost first.
    fn above(&self, agent: &str, parts: &[&str]) -> Vec<usize> {
        let mut found = Vec::new();
        let mut at = 0;
        for part in std::iter::once(&agent).chain(parts) {
            found.extend(self.nodes[at].resource);
            match self.nodes[at].below.get(part) {
                Some(next) => at = *next,
                None => break,
            }
        }
        found
    }
}

pub(super) fn requirements(view: View<'_>, out: &mut Export) -> Result<(), Failure> {
    let mut directories = Directories::new();
    for (nr, resource) in out.resources.iter().enumerate() {
        if resource.registration.entity == "fs::Directory" {
            directories.insert(&resource.agent, &components(&resource.id_value), nr);
        }
    }
    let mut edges = Vec::new();
    for (nr, resource) in out.resources.iter().enumerate() {
        for path in paths(resource) {
            for directory in directories.above(&resource.agent, &components(path)) {
                let is_purged = |resource: &Resource| resource.field("purged").and_then(Value::as_bool) == Some(true);
                match (is_purged(&out.resources[directory]), is_purged(resource)) {
                    (false, _) => edges.push((nr, directory)),
                    (true, true) => edges.push((directory, nr)),
                    (true, false) => {
                        let message = format!(
                            "RuntimeError: Directory {} is purged but a resource is trying to deploy something in it: {}",
                            out.resources[directory].id(),
                            resource.id()
                        );
                        let (outer, inner) = (out.resources[directory].instance, resource.instance);
                        let fault = Fault::new(Class::Internal, message).also(view.place(outer), "it is purged here");
                        return Err(fault.also(view.place(inner), "this is in it"));
                    }
                }
            }
        }
    }
    out.requires.extend(edges);
    Ok(())
}

/// The paths of a resource.
fn paths(resource: &Resource) -> Vec<&str> {
    let text = |name| resource.field(name).and_then(Value::as_str);
    match resource.registration.entity {
        "fs::File" | "fs::Directory" => text("path").into_iter().collect(),
        "fs::Symlink" => [text("src"), text("dst")].into_iter().flatten().collect(),
        _ => Vec::new(),
    }
}

/// The normalised components of a path.
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
