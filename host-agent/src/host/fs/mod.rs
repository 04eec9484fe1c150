//! Files of the host: reads them, and changes them so that no half-done change is ever visible and no symbolic link of
//! another user redirects a change.
//!
//! In: a [`Permit`](crate::policy::Permit) and paths as the brain writes them (absolute; a trailing slash marks a
//! directory). Out: findings, or a [`HostError`](mclive_base::vocab::HostError) that names the path.

mod change;
mod copy;
mod edit;
mod glob;
mod label;
mod lease;
mod look;
mod mounts;
mod place;
mod remove;
mod walk;
mod write;
mod writers;

pub(crate) use change::{
    create_file, make_dir, make_new_dir, may_change, open_entry, remove, set_mode, set_modified, set_owner, symlink,
    write_whole,
};
pub(crate) use copy::foresee_room;
pub(crate) use edit::{Editing, PATIENCE, edit_file};
pub(crate) use glob::glob;
pub(crate) use label::{label, set_label};
pub(crate) use lease::is_being_written;
pub(crate) use look::{hash_file, link_target, list_dir, open_regular, open_regular_below, read_file, real_path, stat};
pub(in crate::host) use mounts::{mounts_on_top, served_elsewhere};
pub(crate) use place::{Last, lead, locate, native};
pub(in crate::host) use remove::judge_mounts;
pub(crate) use write::{Bytes, may_be_own, own_name, write_file};
