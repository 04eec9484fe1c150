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

/// A list of a policy that limits what the resources of a kind do.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[allow(missing_docs, reason = "the help of the agent describes them")]
pub enum PolicyList {
    Paths,
    Reads,
    Commands,
    Environment,
    Listen,
    Markup,
    Users,
    Groups,
    Sysctl,
    Mounts,
    Interfaces,
    Units,
    Packages,
    Firewall,
    Containers,
    Images,
    Virtual,
    Firmware,
    Hosts,
    Privileges,
}

impl PolicyList {
    /// All lists.
    pub const ALL: [PolicyList; 20] = [
        PolicyList::Paths,
        PolicyList::Reads,
        PolicyList::Commands,
        PolicyList::Environment,
        PolicyList::Listen,
        PolicyList::Markup,
        PolicyList::Users,
        PolicyList::Groups,
        PolicyList::Sysctl,
        PolicyList::Mounts,
        PolicyList::Interfaces,
        PolicyList::Units,
        PolicyList::Packages,
        PolicyList::Firewall,
        PolicyList::Containers,
        PolicyList::Images,
        PolicyList::Virtual,
        PolicyList::Firmware,
        PolicyList::Hosts,
        PolicyList::Privileges,
    ];

    /// As written in a policy.
    pub const fn name(self) -> &'static str {
        match self {
            PolicyList::Paths => "paths",
            PolicyList::Reads => "reads",
            PolicyList::Commands => "commands",
            PolicyList::Environment => "environment",
            PolicyList::Listen => "listen",
            PolicyList::Markup => "markup",
            PolicyList::Users => "users",
            PolicyList::Groups => "groups",
            PolicyList::Sysctl => "sysctl",
            PolicyList::Mounts => "mounts",
            PolicyList::Interfaces => "interfaces",
            PolicyList::Units => "units",
            PolicyList::Packages => "packages",
            PolicyList::Firewall => "firewall",
            PolicyList::Containers => "containers",
            PolicyList::Images => "images",
            PolicyList::Virtual => "virtual",
            PolicyList::Firmware => "firmware",
            PolicyList::Hosts => "hosts",
            PolicyList::Privileges => "privileges",
        }
    }
}

impl Power<'_> {
    /// The list that grants it.
    pub const fn list(&self) -> PolicyList {
        match self {
            Power::Read(_) => PolicyList::Reads,
            Power::Write(_) => PolicyList::Paths,
            Power::Run(_) => PolicyList::Commands,
            Power::User(..) => PolicyList::Users,
            Power::Group(..) => PolicyList::Groups,
            Power::Sysctl(_) => PolicyList::Sysctl,
            Power::Mount(_) => PolicyList::Mounts,
            Power::Mounting { .. } | Power::Remounting => PolicyList::Privileges,
            Power::Link(_) => PolicyList::Interfaces,
            Power::Unit(_) => PolicyList::Units,
            Power::Package(_) => PolicyList::Packages,
            Power::Firewall(_) => PolicyList::Firewall,
            Power::Container(_) => PolicyList::Containers,
            Power::Image(_) => PolicyList::Images,
            Power::Virtual(_) => PolicyList::Virtual,
            Power::Firmware(_) => PolicyList::Firmware,
            Power::Ask(_) => PolicyList::Hosts,
            Power::Listen(..) => PolicyList::Listen,
            Power::Markup(_) => PolicyList::Markup,
        }
    }
}
