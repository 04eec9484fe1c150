//! Where a path leads: links, `..` and the limits of a real host.

use super::{Body, Node, Tree};
use crate::path;
use crate::vocab::{HostError, HostErrorKind};

const MOST_LINKS: usize = 40;
/// The longest path and name, in bytes, as on Linux.
const LONGEST_PATH: usize = 4095;
const LONGEST_NAME: usize = 255;

impl Tree {
    /// The normalised target of a path, following symbolic links; with `follow` also one at its end. The last component
    /// need not exist.
    pub(crate) fn resolve(&self, given: &str, follow: bool) -> Result<String, HostError> {
        if !given.starts_with('/') {
            return Err(missing(given));
        }
        must_be_short(given)?;
        let mut rest: Vec<String> = given.split('/').rev().filter(|part| !part.is_empty()).map(String::from).collect();
        let must_be_dir = given.ends_with('/');
        let mut at = "/".to_string();
        let mut n_links = 0;
        while let Some(part) = rest.pop() {
            match self.nodes.get(&at).map(|node| &node.body) {
                Some(Body::Dir) => {}
                Some(Body::File(_) | Body::Symlink(_)) => return Err(not_a_dir(given)),
                None => return Err(missing(given)),
            }
            match part.as_str() {
                "." => continue,
                ".." => {
                    at = path::parent(&at).unwrap_or("/").to_string();
                    continue;
                }
                _ => {}
            }
            let next = path::join(&at, &part);
            let is_last = rest.is_empty();
            match self.nodes.get(&next).map(|node| &node.body) {
                Some(Body::Symlink(target)) if !is_last || follow || must_be_dir => {
                    n_links += 1;
                    if n_links > MOST_LINKS {
                        let message = format!("open {given}: too many levels of symbolic links");
                        return Err(HostError::new(HostErrorKind::Other, message));
                    }
                    if target.starts_with('/') {
                        at = "/".to_string();
                    }
                    rest.extend(target.split('/').rev().filter(|part| !part.is_empty()).map(String::from));
                }
                _ => at = next,
            }
        }
        if must_be_dir && matches!(self.nodes.get(&at), Some(Node { body: Body::File(_) | Body::Symlink(_), .. })) {
            return Err(not_a_dir(given));
        }
        Ok(at)
    }
}

/// Without trailing slashes; the root stays.
pub(super) fn bare(path: &str) -> &str {
    let bare = path.trim_end_matches('/');
    if bare.is_empty() && path.starts_with('/') { "/" } else { bare }
}

/// Without the limits of a real host, the cost of a path could grow without bounds.
pub(super) fn must_be_short(path: &str) -> Result<(), HostError> {
    if path.len() <= LONGEST_PATH && path.split('/').all(|name| name.len() <= LONGEST_NAME) {
        return Ok(());
    }
    let shown: String = path.chars().take(40).collect();
    Err(HostError::new(HostErrorKind::Other, format!("open {shown}…: file name too long")))
}

pub(super) fn missing(path: &str) -> HostError {
    HostError::new(HostErrorKind::NotFound, format!("open {path}: no such file or directory"))
}

pub(super) fn not_a_dir(path: &str) -> HostError {
    HostError::new(HostErrorKind::NotADirectory, format!("open {path}: not a directory"))
}
