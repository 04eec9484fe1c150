//! Owner, group, permission bits and SELinux label of a `file`.

use super::apply::{File, refuse};
use crate::kinds::kind::Decision;
use crate::kinds::walk::{Walk, cannot_tell};
use crate::vocab::{FileKind, FileStat, Finding, HostErrorKind, Probe, Step, account, file};

impl File<'_> {
    /// Whether an existing file is to get set-user-ID or set-group-ID bits, which it does not have under that owner
    /// yet. Another process may have it open and write to it later, so those bits are only given to a new file.
    pub(super) fn lends_rights_anew(&self, accounts: &[Finding]) -> bool {
        let (Some(now), Some(mode)) = (&self.now, &self.mode) else { return false };
        let lent = mode.of(now.mode) & 0o6000;
        if lent == 0 || now.kind != FileKind::File {
            return false;
        }
        let mut accounts = accounts.iter();
        let mut differs = |field: &str, now: u32| {
            let id = if self.want.text(field).is_empty() { None } else { accounts.next() };
            matches!(id, Some(Finding::Account(account::Finding::Id(id))) if *id != now)
        };
        let owner = differs("owner", now.uid);
        let group = differs("group", now.gid);
        owner || group || now.mode & 0o6000 != lent
    }

    pub(super) fn owner(&mut self, accounts: &[Finding]) -> Result<(), Decision> {
        let mut accounts = accounts.iter();
        let mut id = |field: &str| -> Result<Option<u32>, Decision> {
            let name = self.want.text(field);
            if name.is_empty() {
                return Ok(None);
            }
            let what = if field == "owner" { "user" } else { "group" };
            match accounts.next() {
                Some(Finding::Account(account::Finding::Id(id))) => Ok(Some(*id)),
                Some(Finding::Failed(error)) => refuse(format!("{what} lookup error ({name}): {error}")),
                Some(other) => Err(cannot_tell(other)),
                None => refuse(format!("{what} lookup error ({name}): no answer")),
            }
        };
        let (uid, gid) = (id("owner")?, id("group")?);
        if uid.is_none() && gid.is_none() {
            return Ok(());
        }
        let now = self.must_be_there()?;
        let differs = uid.is_some_and(|uid| uid != now.uid) || gid.is_some_and(|gid| gid != now.gid);
        if differs {
            self.steps.push(Step::File(file::Step::SetOwner { path: self.bare.clone(), uid, gid }));
            // A change of owner clears special bits.
            if let (Some(now), Some(mode)) = (&mut self.now, &self.mode) {
                let target = mode.of(now.mode);
                if target & 0o6000 != 0 {
                    now.mode = target & 0o1777;
                }
            }
        }
        Ok(())
    }

    pub(super) fn bits(&mut self) -> Result<(), Decision> {
        let Some(mode) = self.mode.clone() else { return Ok(()) };
        let now = self.must_be_there()?.mode;
        let wanted = mode.of(now);
        if wanted != now {
            self.steps.push(Step::File(file::Step::SetMode { path: self.bare.clone(), mode: wanted }));
        }
        Ok(())
    }

    fn must_be_there(&self) -> Result<FileStat, Decision> {
        match &self.now {
            Some(now) => Ok(now.clone()),
            None => refuse(format!("stat {}: no such file or directory", self.path)),
        }
    }

    pub(super) fn label(&mut self, walk: &mut Walk) -> Result<(), Decision> {
        if self.want.set("selinux").is_none() {
            return Ok(());
        }
        self.must_be_there()?;
        let held = match &walk.look(vec![Probe::File(file::Probe::Label { path: self.bare.clone() })])?[0] {
            Finding::File(file::Finding::Label(held)) => held.clone(),
            Finding::Failed(error) if error.kind == HostErrorKind::NotFound => None,
            Finding::Failed(error) if error.kind == HostErrorKind::Unavailable => {
                return refuse(format!("setting SELinux context not supported on this filesystem: {}", self.path));
            }
            other => return Err(cannot_tell(other)),
        };
        let wanted = self.want.bytes("selinux").to_vec();
        let held = held.map(|label| label.strip_suffix(b"\0").map(<[u8]>::to_vec).unwrap_or(label));
        let same = if wanted.is_empty() { held.is_none() } else { held.as_ref() == Some(&wanted) };
        if !same {
            let label = (!wanted.is_empty()).then_some(wanted);
            self.steps.push(Step::File(file::Step::SetLabel { path: self.bare.clone(), label }));
        }
        Ok(())
    }
}
