//! The existing paths that match a shell pattern.

use super::look::{names, stat};
use crate::policy::{Permit, SPECIAL, matches};
use mclive_base::vocab::{HostError, HostErrorKind, path};

/// The existing paths that match a pattern, sorted. Unreadable directories match nothing; forbidden ones are an error.
pub(crate) fn glob(permit: Permit, pattern: &str) -> Result<Vec<String>, HostError> {
    let (base, rest) = match pattern.strip_prefix('/') {
        Some(rest) => ("/".to_owned(), rest),
        None => (String::new(), pattern),
    };
    let mut found = vec![base];
    for part in rest.split('/').filter(|part| !part.is_empty()) {
        let mut next = Vec::new();
        for dir in found {
            if part.contains(SPECIAL) {
                let names = refused(names(permit, if dir.is_empty() { "." } else { &dir }))?.unwrap_or_default();
                next.extend(names.iter().filter(|name| matches(part, name)).map(|name| join(&dir, name)));
            } else {
                let path = join(&dir, part);
                if refused(stat(permit, &path, false))?.flatten().is_some() {
                    next.push(path);
                }
            }
        }
        found = next;
    }
    found.sort_by(|one, other| path::native(one).cmp(&path::native(other)));
    Ok(found)
}

fn refused<T>(looked: Result<T, HostError>) -> Result<Option<T>, HostError> {
    match looked {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind == HostErrorKind::Refused => Err(error),
        Err(_) => Ok(None),
    }
}

fn join(dir: &str, name: &str) -> String {
    if dir.is_empty() || dir.ends_with('/') { format!("{dir}{name}") } else { format!("{dir}/{name}") }
}
