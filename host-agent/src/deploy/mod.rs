//! Deploys: programs that the operator of a cluster stores for all of its hosts. World specification, 17.
//!
//! ```text
//! program > Tree: names, sums, contents > blobs, in pieces    deploy/ID: Record    deploy/head: Head, the newest
//!                                                             deploy/lock: Lock, if an operator holds it
//!                                                             deploy/pruned: Pruned, if older ones were removed
//! ```
//!
//! A record contains the checksum of the previous one, so the deploys of a store form a chain. Others can write to the
//! store, so everything that is read from it is limited in size before it is parsed, and checked before it is used. The
//! author of a record is known only if an operator has signed it ([`Signature`]): hosts have the public keys
//! ([`Operators`]). A record may be for some hosts only ([`Targets`]).

mod commit;
mod lock;
mod operator_key;
mod operators;
mod pruned;
mod public_key;
mod record;
mod sig;
mod signature;
mod spread;
mod state;
mod sum;
mod targets;
mod text_form;
mod tree;

pub(crate) use commit::commit_of;
pub(crate) use lock::{LOCK, Lock};
pub(crate) use operator_key::OperatorKey;
pub(crate) use operators::Operators;
pub(crate) use pruned::{PRUNED, Pruned, beginning, kept};
pub(crate) use public_key::PublicKey;
pub(crate) use record::{Filed, Head, LARGEST_RECORD, Record, key};
pub(crate) use sig::Sig;
pub(crate) use signature::{Signature, Signed};
pub(crate) use state::{HostState, Standing};
pub(crate) use sum::Sum;
pub(crate) use targets::Targets;
pub(crate) use tree::{Contents, Piece, Tree};
