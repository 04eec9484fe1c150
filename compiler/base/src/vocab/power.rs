//! [`Power`]: a permission that a program needs, as judged by the policy.

use super::CommandSpec;
use std::borrow::Cow;

/// A permission needed by a probe, step, watch or fact.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Power<'a> {
    /// Read a path.
    Read(&'a str),
    /// Change a path.
    Write(&'a str),
    /// Run a command.
    Run(Cow<'a, CommandSpec>),
    /// Change a user, by name and, if known or wanted, by id. An empty name without an id: the agent's own account.
    User(&'a str, Option<u32>),
    /// Change a group or its members. An empty name: only the id is known.
    Group(&'a str, Option<u32>),
    /// Set a kernel parameter.
    Sysctl(&'a str),
    /// Mount or unmount at a path.
    Mount(&'a str),
    /// Mount a file system of a type with options.
    Mounting { kind: &'a str, options: &'a [String] },
    /// Change the options of a mount.
    Remounting,
    /// Change the state, addresses or routes of a network interface.
    Link(&'a str),
    /// Start, stop, enable or disable a systemd unit, by full name.
    Unit(&'a str),
    /// Install or remove a package.
    Package(&'a str),
    /// Change the packet filter: `public:443/tcp`.
    Firewall(String),
    /// Create, start, stop or remove a container.
    Container(&'a str),
    /// Pull or remove a container image, or create a container from it.
    Image(&'a str),
    /// Create, change, start, stop or remove a virtual machine or network: `domain:web`, `network:lan`.
    Virtual(String),
    /// Flash the firmware of a device, by id, or change a firmware remote: `device:ID`, `remote:lvfs`.
    Firmware(String),
    /// Request this URL from another host.
    Ask(Cow<'a, str>),
    /// Serve on an address, for resources of a kind.
    Listen(&'static str, Cow<'a, str>),
    /// Put raw HTML into the page at this path.
    Markup(&'a str),
}
