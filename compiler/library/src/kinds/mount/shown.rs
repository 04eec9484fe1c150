//! [`Shown`]: what the kernel is to show of a mount, which names accounts and sizes otherwise than `/etc/fstab`.

use super::{LONGEST, options};
use crate::kinds::Decision;
use crate::kinds::walk::{Walk, cannot_tell};
use crate::vocab::fstab::Entry;
use crate::vocab::mount::{self, Mounted};
use crate::vocab::{Finding, HostErrorKind, Probe, account, file};

/// The file with the memory size of the host; the size of a file system may be a percentage of it.
const MEMORY: &str = "/proc/meminfo";

/// The wanted options in the words of the kernel.
#[derive(Default)]
pub(super) struct Shown {
    options: Vec<String>,
    /// The memory of the host in bytes, if the size is a share of it and it is known.
    memory: Option<u64>,
}

impl Shown {
    /// `here`: what is mounted there now.
    pub(super) fn of(
        walk: &mut Walk,
        wanted: &Entry,
        mounts: &[Mounted],
        here: Option<&Mounted>,
    ) -> Result<Shown, Decision> {
        let meant = options::with_meant(&wanted.kind, mount::with_implied(&wanted.options));
        let options = numbered(walk, &meant)?;
        // What a container shows in that place is not the memory that the kernel takes a share of.
        let is_covered = mounts.iter().any(|mounted| mounted.target == MEMORY);
        // Without a word of its size, it is half of the memory.
        let has_size = |options: &[String]| options.iter().any(|option| option.starts_with("size="));
        let is_half = here.is_some_and(|here| !has_size(&here.options)) && has_size(&options);
        if wanted.kind != "tmpfs" || is_covered || !(is_half || options::has_share(&options)) {
            return Ok(Shown { options, memory: None });
        }
        let look = Probe::File(file::Probe::Read { path: MEMORY.into(), limit: LONGEST });
        // Where a policy forbids reading it, any size counts as the wanted one.
        let memory = match &walk.look(vec![look])?[0] {
            Finding::File(file::Finding::Bytes(text)) => options::memory(&String::from_utf8_lossy(text)),
            _ => None,
        };
        let options = match memory {
            Some(memory) => options::in_bytes(&options, memory),
            None => options,
        };
        Ok(Shown { options, memory })
    }

    /// The wanted options that a mount does not have.
    pub(super) fn missing(&self, mounted: &Mounted) -> Vec<String> {
        let mut now = options::with_defaults(&mounted.kind, &mounted.options);
        if let Some(memory) = self.memory {
            now = options::in_bytes(&now, memory);
        }
        options::differing(&self.options, &now).into_iter().cloned().collect()
    }
}

/// The options with the numbers of accounts that they name.
fn numbered(walk: &mut Walk, options: &[String]) -> Result<Vec<String>, Decision> {
    let mut numbered = Vec::with_capacity(options.len());
    for option in options {
        let named = |key: &str| {
            let name = option.strip_prefix(key)?.strip_prefix('=')?;
            (!name.is_empty() && !name.bytes().all(|byte| byte.is_ascii_digit())).then(|| name.to_owned())
        };
        let (key, look) = match (named("uid"), named("gid")) {
            (Some(name), _) => ("uid", account::Probe::UserId { name }),
            (None, Some(name)) => ("gid", account::Probe::GroupId { name }),
            (None, None) => {
                numbered.push(option.clone());
                continue;
            }
        };
        match &walk.look(vec![look.into()])?[0] {
            Finding::Account(account::Finding::Id(id)) => numbered.push(format!("{key}={id}")),
            // It may come before the mount does.
            Finding::Failed(error) if error.kind == HostErrorKind::NotFound => numbered.push(option.clone()),
            other => return Err(cannot_tell(other)),
        }
    }
    Ok(numbered)
}
