//! Pools, and directories of functions.

use super::{Answer, Context, Play, Simulated, absent};
use crate::vocab::local::Fact;
use crate::vocab::subjects::Local;
use crate::vocab::{Datum, HostError, Outcome};
use crate::{World, path};
use std::collections::BTreeMap;

impl Simulated for Local {
    /// The numbers in each pool. They are persistent: another run on the same host finds them.
    type State = BTreeMap<String, BTreeMap<String, i64>>;
}

impl Play for Local {
    absent! { probe step }

    fn fact(world: &mut World, _: u64, fact: &Fact) -> Result<Datum, HostError> {
        match fact {
            Fact::Pool { namespace, uid } => {
                let pool = world.subjects.local.entry(namespace.clone()).or_default();
                let next = pool.values().max().copied().unwrap_or(0) + 1;
                Ok(Datum::Int(*pool.entry(uid.clone()).or_insert(next)))
            }
            Fact::Dir { path } => {
                let dir = path::clean(&format!("/var/lib/mclive/vardir/functions/{path}"));
                world.tree.make_dir(&dir, true, Some(0o750))?;
                Ok(Datum::text(format!("{dir}/")))
            }
            Fact::Tree { path, files } => {
                let dir = path::clean(&format!("/var/lib/mclive/vardir/directory/{path}"));
                world.tree.remove(&dir, true)?;
                world.tree.make_dir(&dir, true, None)?;
                for (name, content) in files {
                    let file = path::clean(&format!("{dir}/{name}"));
                    world.tree.make_dir(path::parent(&file).unwrap_or("/"), true, None)?;
                    world.tree.write(&file, content.clone(), None)?;
                }
                Ok(Datum::text(format!("{dir}/")))
            }
        }
    }
}
