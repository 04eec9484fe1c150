//! Pools and the directories of functions, below the prefix.

use super::effect::Effect;
use super::{Backend, Context, absent};
use crate::host::{Host, Shared};
use mclive_base::protocol::Ticket;

use mclive_base::vocab::local::Fact;
use mclive_base::vocab::subjects::Local;
use mclive_base::vocab::{Datum, HostError, Outcome};

impl Backend for Local {
    type State = ();
    absent! { probe step watch }

    fn fact(shared: &Shared, fact: &Fact) -> Result<Datum, HostError> {
        let state = &shared.state;
        match fact {
            Fact::Pool { namespace, uid } => {
                let (number, is_new) = state.number(namespace, uid);
                if is_new {
                    let words = format!("assign the number {number} to {uid} in the pool {namespace}");
                    let effect = Effect { function: "local.pool", words };
                    effect.carry_out(shared, || state.keep_number(namespace, uid, number))?;
                    if state.plans() {
                        state.keep_number(namespace, uid, number)?;
                    }
                }
                Ok(Datum::Int(number))
            }
            Fact::Dir { path } => {
                let dir = state.local_dir(path)?;
                if !state.has_dir(&dir)? {
                    let effect = Effect { function: "local.vardir", words: format!("make directory {dir}") };
                    effect.carry_out(shared, || state.make_dir(&dir))?;
                }
                Ok(Datum::text(dir))
            }
            Fact::Tree { path, files } => {
                let dir = state.local_tree(path)?;
                if !state.has_tree(&dir, files)? {
                    let words = format!("write {} files below {dir}", files.len());
                    let effect = Effect { function: "deploy.directory", words };
                    effect.carry_out(shared, || state.make_tree(&dir, files))?;
                }
                Ok(Datum::text(dir))
            }
        }
    }
}
