//! Undoing a `file`: restores the previous state. Resource spec, 2.1, with the preferred variant of engine spec, 28: an
//! existing file is not removed, and an absent one has no owner and no mode.

use super::path::effective;
use crate::kinds::walk::unexpected;
use crate::kinds::{Params, Want};
use crate::value::Value;
use crate::vocab::{FileKind, FileStat, Finding, HostErrorKind, Probe, file};

/// The maximum number of bytes kept for restoring.
const LONGEST: u64 = 64 << 20;

pub(super) fn probes(want: &Want) -> Result<Vec<Probe>, String> {
    let path = effective(want).into_owned();
    if path.ends_with('/') {
        return Err("directories cannot be reversed yet".into());
    }
    if !want.text("source").is_empty() {
        return Err("a file with `source` cannot be reversed yet".into());
    }
    let stat = Probe::File(file::Probe::Stat { path: path.clone(), follow: false });
    Ok(vec![
        stat,
        Probe::File(file::Probe::Read { path: path.clone(), limit: LONGEST }),
        Probe::File(file::Probe::Label { path }),
    ])
}

pub(super) fn params(want: &Want, findings: &[Finding]) -> Result<Params, String> {
    let [stat, content, label] = findings else { return Err("the host did not answer".into()) };
    let stat = match stat {
        Finding::File(file::Finding::Stat(stat)) => stat.as_ref(),
        Finding::Failed(error) if error.kind == HostErrorKind::NotADirectory => None,
        Finding::Failed(error) => return Err(error.message.clone()),
        other => return Err(unexpected(other)),
    };
    let mut undo = Undo { want, params: want.params.clone() };
    for field in
        ["content", "source", "fragments", "owner", "group", "mode", "recurse", "purge", "symlink", "selinux", "state"]
    {
        undo.set(field, None);
    }
    let Some(stat) = stat else {
        // It did not exist: a created file is removed, and there was nothing to remove.
        if want.text("state") == "exists" {
            undo.set("state", Some("absent".into()));
        }
        return Ok(undo.params);
    };
    undo.restore(stat, content, label)?;
    Ok(undo.params)
}

struct Undo<'a> {
    want: &'a Want<'a>,
    params: Params,
}

impl Undo<'_> {
    fn set(&mut self, field: &str, value: Option<Value>) {
        if let Some(index) = self.want.decl.index_of(field) {
            match value {
                Some(value) => self.params.set(index, value),
                None => self.params.clear(index),
            }
        }
    }

    fn restore(&mut self, stat: &FileStat, content: &Finding, label: &Finding) -> Result<(), String> {
        let want = self.want;
        let is_replaced = want.text("state") == "absent";
        let is_written = want.set("content").is_some() || !want.items("fragments").is_empty();
        match stat.kind {
            FileKind::Dir => return Err("directories cannot be reversed yet".into()),
            FileKind::Other => return Err("only regular files can be reversed".into()),
            FileKind::Symlink if is_replaced => {
                self.set("symlink", Some(Value::Bool(true)));
                self.set("source", Some(Value::from(stat.target.clone().unwrap_or_default())));
                self.set("state", Some("exists".into()));
                return Ok(());
            }
            FileKind::Symlink | FileKind::File => {}
        }
        if is_replaced || is_written {
            match content {
                Finding::File(file::Finding::Bytes(bytes)) => self.set("content", Some(Value::from(bytes.clone()))),
                Finding::Failed(error) => return Err(format!("cannot back up the current state: {error}")),
                other => return Err(unexpected(other)),
            }
            if is_replaced || want.text("state") == "exists" {
                self.set("state", Some("exists".into()));
            }
        }
        let managed = |field: &str| is_replaced || !want.text(field).is_empty();
        if stat.kind == FileKind::File {
            if managed("mode") {
                self.set("mode", Some(Value::from(format!("{:04o}", stat.mode))));
            }
            if managed("owner") {
                self.set("owner", Some(Value::from(stat.uid.to_string())));
            }
            if managed("group") {
                self.set("group", Some(Value::from(stat.gid.to_string())));
            }
        }
        if want.set("selinux").is_some() {
            let held = match label {
                Finding::File(file::Finding::Label(Some(held))) => held.clone(),
                _ => Vec::new(),
            };
            self.set("selinux", Some(Value::from(held)));
        }
        Ok(())
    }
}
