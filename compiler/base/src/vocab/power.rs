//! [`Power`]: what a program must be allowed, as the policy judges it.

use super::CommandSpec;
use std::borrow::Cow;

/// One thing that a probe, step, watch or fact needs to be allowed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Power<'a> {
    /// To read what is at a path.
    Read(&'a str),
    /// To change what is at a path.
    Write(&'a str),
    /// To run a command.
    Run(Cow<'a, CommandSpec>),
    /// To change a user, by name and, where it is known or wanted, by id.
    User(&'a str, Option<u32>),
    /// To change a group, or who is in it. An empty name: it is known by its id alone.
    Group(&'a str, Option<u32>),
    /// To set a parameter of the kernel.
    Sysctl(&'a str),
    /// To mount or unmount at a path.
    Mount(&'a str),
    /// To mount a file system of a type with options.
    Mounting { kind: &'a str, options: &'a [String] },
    /// To give what is mounted other options.
    Remounting,
    /// To set an interface of the network up or down, and its addresses and routes.
    Link(&'a str),
    /// To start, stop, enable or disable a unit of systemd, by its whole name.
    Unit(&'a str),
    /// To install or remove a package.
    Package(&'a str),
    /// To open or close something in the packet filter: `public:443/tcp`.
    Firewall(String),
    /// To make, start, stop or remove a container.
    Container(&'a str),
    /// To pull or remove an image of containers, or make a container of it.
    Image(&'a str),
    /// To make, change, start, stop or remove a virtual machine or network: `domain:web`, `network:lan`.
    Virtual(String),
    /// To write the firmware of a device, by its id, or change a remote of firmware: `device:ID`, `remote:lvfs`.
    Firmware(String),
    /// To ask another host for this URL.
    Ask(Cow<'a, str>),
    /// To serve on an address, for resources of a kind.
    Listen(&'static str, Cow<'a, str>),
    /// To give a page at this path markup of one's own.
    Markup(&'a str),
}
