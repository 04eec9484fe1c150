//! The list of IDs that the operator removed: one per line, `ID REASON`; lines that begin with `#` are comments.
//!
//! The reason is shown to users who open the link. The list is read again after [`FRESH`]; while it is unreadable, the
//! last version applies, and without any no program is served: a removed program must not come back because a disk is
//! slow.

use super::{Blobs, Fault};
use crate::lock::Mutex;
use crate::share::Id;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

const FRESH: Duration = Duration::from_secs(5);

type List = Arc<BTreeMap<Id, String>>;

#[derive(Default)]
pub(super) struct TakenDown(Mutex<Option<(Instant, List)>>);

impl TakenDown {
    /// Errors: this ID was removed, or the list is unreadable.
    pub(super) async fn judge(&self, blobs: &dyn Blobs, id: &Id) -> Result<(), Fault> {
        match self.list(blobs).await.map_err(Fault::Unavailable)?.get(id) {
            Some(reason) => Err(Fault::TakenDown(reason.clone())),
            None => Ok(()),
        }
    }

    async fn list(&self, blobs: &dyn Blobs) -> Result<List, String> {
        let known = self.0.lock().clone();
        if let Some((read, list)) = &known
            && read.elapsed() < FRESH
        {
            return Ok(list.clone());
        }
        let list = match (blobs.taken_down().await, known) {
            (Ok(text), _) => Arc::new(text.map_or_else(BTreeMap::new, |text| parse(&String::from_utf8_lossy(&text)))),
            (Err(_), Some((_, list))) => list,
            (Err(why), None) => return Err(why),
        };
        *self.0.lock() = Some((Instant::now(), list.clone()));
        Ok(list)
    }
}

/// Invalid IDs are skipped.
fn parse(text: &str) -> BTreeMap<Id, String> {
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    let entries = lines.filter_map(|line| {
        let (id, reason) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let reason = if reason.trim().is_empty() { "removed by the operator" } else { reason.trim() };
        Some((Id::parse(id)?, reason.to_owned()))
    });
    entries.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_ids_with_reasons() {
        let list = parse("# abcdefghij not this\nabcdefghij  spam,  twice \n\nbbbbbbbbbb\nno-id reason\n");
        let shown: Vec<(&str, &str)> = list.iter().map(|(id, why)| (id.as_str(), why.as_str())).collect();
        assert_eq!(shown, [("abcdefghij", "spam,  twice"), ("bbbbbbbbbb", "removed by the operator")]);
    }
}
