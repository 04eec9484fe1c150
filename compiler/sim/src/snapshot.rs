//! [`Snapshot`]: the visible state of a simulated host, as plain data.

use super::host::SimHost;
use super::tree::Body;
use crate::protocol::Moment;
use serde::{Deserialize, Serialize};

/// The state at one moment.
#[derive(Default, Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Snapshot {
    /// The moment.
    pub at: Moment,
    /// The host name.
    pub hostname: String,
    /// The wall clock, in nanoseconds since 1970.
    pub clock_ns: i64,
    /// Sorted by path.
    pub files: Vec<FileView>,
    /// Running processes.
    pub processes: Vec<ProcessView>,
    /// How many lines came before the first one here.
    pub n_log_forgotten: usize,
    /// The log, oldest first.
    pub log: Vec<LogLine>,
}

/// A file, directory or link.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FileView {
    /// Absolute path.
    pub path: String,
    /// `file`, `dir` or `link`.
    pub kind: String,
    /// Octal, four digits.
    pub mode: String,
    /// Owner name.
    pub owner: String,
    /// Group name.
    pub group: String,
    /// Size in bytes.
    pub size: usize,
    /// Modification time, in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// The target of a link, or the content of a short text file.
    pub content: Option<String>,
}

/// A running command.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ProcessView {
    /// The resource that runs it, as `kind[name]`.
    pub resource: String,
    /// The command line.
    pub command: String,
}

/// A line printed on the host.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LogLine {
    /// The moment.
    pub at: Moment,
    /// The line.
    pub text: String,
}

const LONGEST_CONTENT: usize = 64 << 10;

impl SimHost {
    /// Everything visible.
    pub fn snapshot(&self, at: Moment) -> Snapshot {
        let (n_log_forgotten, log) = self.log_lines();
        let processes = self.jobs.values().filter_map(|job| {
            let command = job.process.as_ref()?.line.clone();
            Some(ProcessView { resource: job.id.to_string(), command })
        });
        Snapshot {
            at,
            hostname: self.world.hostname.clone(),
            clock_ns: self.world.epoch_ns.saturating_add(at.0 as i64),
            files: self.files(),
            processes: processes.collect(),
            n_log_forgotten,
            log,
        }
    }

    fn files(&self) -> Vec<FileView> {
        let user = |id: u32| {
            let known = self.world.users.iter().find(|(_, user)| user.id == id);
            known.map_or_else(|| id.to_string(), |(name, _)| name.clone())
        };
        let group = |id: u32| {
            let known = self.world.groups.iter().find(|(_, group)| group.id == id);
            known.map_or_else(|| id.to_string(), |(name, _)| name.clone())
        };
        let view = |(path, node): (&String, &super::tree::Node)| {
            let (kind, size, content) = match &node.body {
                Body::Dir => ("dir", 0, None),
                Body::Symlink(target) => ("link", target.len(), Some(target.clone())),
                Body::File(bytes) if bytes.len() > LONGEST_CONTENT => ("file", bytes.len(), None),
                Body::File(bytes) => ("file", bytes.len(), String::from_utf8(bytes.to_vec()).ok()),
            };
            FileView {
                path: path.clone(),
                kind: kind.to_string(),
                mode: format!("{:04o}", node.mode),
                owner: user(node.uid),
                group: group(node.gid),
                size,
                mtime_ns: node.mtime_ns,
                content,
            }
        };
        self.world.tree.all().map(view).collect()
    }
}
