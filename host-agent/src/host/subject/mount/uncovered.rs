//! [`Uncovered`]: how many mounts may lie at a place when something is mounted there.
//!
//! A file system is mounted where there is none, or over those that were below a mount that this agent has just removed.
//! Any other one was mounted after the check: mounting over it would hide it permanently, since only the topmost mount
//! counts.

use crate::lock::Mutex;
use mclive_base::vocab::mount::Mounted;
use mclive_base::vocab::path::shown;
use mclive_base::vocab::{HostError, HostErrorKind};
use std::collections::BTreeMap;

/// The numbers of mounts that were left, by place. Places without any are left out.
#[derive(Default)]
pub(super) struct Uncovered(Mutex<BTreeMap<String, usize>>);

impl Uncovered {
    /// Something was unmounted at a place; the table is that after it.
    pub(super) fn note(&self, place: &str, table: &[Mounted]) {
        let left = at(place, table).count();
        let mut all = self.0.lock();
        match left {
            0 => all.remove(place),
            left => all.insert(place.to_owned(), left),
        };
    }

    /// Checks that something may be mounted at a place, according to the table right before that. Errors: another mount
    /// came there after the check.
    pub(super) fn judge(&self, place: &str, table: &[Mounted]) -> Result<(), HostError> {
        let expected = self.0.lock().remove(place).unwrap_or_default();
        let Some(top) = at(place, table).skip(expected).last() else { return Ok(()) };
        let (place, source) = (shown(place), shown(&top.source));
        let message = format!("mount: {source} ({}) was mounted at {place} after the check; check again", top.kind);
        Err(HostError::new(HostErrorKind::Exists, message))
    }
}

fn at<'a>(place: &'a str, table: &'a [Mounted]) -> impl Iterator<Item = &'a Mounted> {
    table.iter().filter(move |mounted| mounted.target == place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mount_after_the_check_is_not_covered() {
        let table = |all: &[(&str, &str)]| {
            let mounted = |(target, source): &(&str, &str)| Mounted {
                target: (*target).to_owned(),
                source: (*source).to_owned(),
                kind: "tmpfs".into(),
                options: Vec::new(),
            };
            all.iter().map(mounted).collect::<Vec<_>>()
        };
        let uncovered = Uncovered::default();
        let judged = |all: &[(&str, &str)]| uncovered.judge("/srv", &table(all)).map_err(|error| error.message);
        let refused = |source: &str| {
            Err::<(), _>(format!("mount: {source} (tmpfs) was mounted at /srv after the check; check again"))
        };
        assert_eq!(judged(&[]), Ok(()));
        assert_eq!(judged(&[("/", "root"), ("/srv/a", "a"), ("/srvs", "b")]), Ok(()));
        assert_eq!(judged(&[("/srv", "theirs")]), refused("theirs"));
        // Only the mount below the removed one may be covered again, and only once.
        uncovered.note("/srv", &table(&[("/srv", "a"), ("/srv", "b"), ("/other", "c")]));
        assert_eq!(judged(&[("/srv", "a"), ("/srv", "b")]), Ok(()));
        assert_eq!(judged(&[("/srv", "a"), ("/srv", "b")]), refused("b"));
        uncovered.note("/srv", &table(&[("/srv", "a")]));
        assert_eq!(judged(&[("/srv", "a"), ("/srv", "theirs")]), refused("theirs"));
        uncovered.note("/srv", &table(&[("/srv", "a")]));
        uncovered.note("/srv", &table(&[]));
        assert_eq!(judged(&[("/srv", "theirs")]), refused("theirs"));
    }
}
