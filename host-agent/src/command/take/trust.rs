//! [`Trust`]: whose deploys a host takes. The list of operators is read for each deploy, so that a change takes effect
//! immediately.

use super::super::key::operators;
use crate::cli::Run;
use crate::deploy::Record;
use crate::host::watch::{Listener, Watcher};
use crate::show::Heard;
use std::path::PathBuf;
use std::sync::mpsc::Sender;

/// The file with the public keys of the operators, unless an option names another one.
const OPERATORS: &str = "/etc/mclive/operators";

pub(in super::super) struct Trust {
    cluster: String,
    /// The file with the public keys of the operators. `None`: everyone who can write to the store.
    operators: Option<PathBuf>,
}

impl Trust {
    /// Errors: why the list cannot be used.
    pub(in super::super) fn of(args: &Run) -> Result<Trust, String> {
        let usual = || args.require_signature.then(|| OPERATORS.into());
        let list = args.operators.clone().or_else(usual);
        if let Some(path) = &list {
            operators(path)?;
        }
        Ok(Trust { cluster: args.work.fleet.world_name.clone(), operators: list })
    }

    /// Whether a deploy may be applied. Errors: why not, a sentence without a full stop. A list that cannot be read
    /// allows nothing.
    pub(in super::super) fn judge(&self, record: &Record) -> Result<(), String> {
        let Some(path) = &self.operators else { return Ok(()) };
        operators(path)?
            .judge(record, &self.cluster)
            .map_err(|why| format!("{why}; this host requires a signature with a key in {}", path.display()))
    }

    /// Reports changes to the list until the watcher is dropped.
    pub(super) fn watch(&self, sender: Sender<Heard>) -> std::io::Result<Option<Watcher>> {
        let Some(path) = self.operators.as_ref().and_then(|path| path.to_str()) else { return Ok(None) };
        let watcher = Watcher::start(move |_| {
            // This fails only at the end of the run.
            let _ = sender.send(Heard::Operators);
        })?;
        watcher.add(Listener(0), path, false);
        Ok(Some(watcher))
    }
}
