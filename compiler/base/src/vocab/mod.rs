//! The vocabulary between the brain and a host: plain data only.
//!
//! A *fact* is what a core function reads. A *probe* looks, a *step* changes, a *watch* says when to look again. The
//! vocabulary is divided into *subjects*, one module each: its probes and findings, steps, watches and facts, and what
//! other parts need to know about them ([`Look`], [`Change`], [`Listen`], [`Learn`]). [`Probe`], [`Finding`], [`Step`],
//! [`Watch`] and [`FactSpec`] are assembled from the list of subjects below. Both bodies, the simulated and the real
//! host, implement every subject completely; a body that cannot do something answers with [`HostError::unavailable`],
//! never with silence.

mod assemble;
mod c_integer;
mod datum;
mod edit;
mod error;
pub mod export;
pub mod file_systems;
pub mod page;
pub mod path;
mod power;
pub mod serve;
mod subject;
mod values;

pub mod account;
pub mod archive;
pub mod attribute;
pub mod builder;
pub mod cloud;
pub mod command;
pub mod consul;
pub mod container;
pub mod controller;
pub mod desktop;
pub mod dhcp;
pub mod file;
pub mod firewall;
pub mod firmware;
pub mod fstab;
pub mod guest;
pub mod hostname;
pub mod json;
pub mod lens;
pub mod link;
pub mod local;
pub mod machine;
pub mod message;
pub mod mount;
pub mod package;
pub mod password;
pub mod program;
pub mod remote;
pub mod request;
pub mod schedule;
pub mod server;
pub mod state;
pub mod store;
pub mod sysctl;
pub mod tftp;
pub mod time;
pub mod unit;
pub mod virt;

// New subjects come last, so that older traces stay readable.
assemble::subjects! {
    Account: account,
    Command: command,
    File: file,
    Hostname: hostname,
    Link: link,
    Local: local,
    Machine: machine,
    Message: message,
    Program: program,
    Request: request,
    Schedule: schedule,
    Server: server,
    State: state,
    Store: store,
    Time: time,
    Sysctl: sysctl,
    Mount: mount,
    Unit: unit,
    Package: package,
    Password: password,
    Archive: archive,
    Firewall: firewall,
    Tftp: tftp,
    Container: container,
    Guest: guest,
    Lens: lens,
    Desktop: desktop,
    Consul: consul,
    Dhcp: dhcp,
    Cloud: cloud,
    Controller: controller,
    Attribute: attribute,
    Remote: remote,
    Virt: virt,
    Builder: builder,
    Firmware: firmware,
}

pub use command::{CommandOutcome, CommandSpec};
pub use datum::Datum;
pub use edit::Edit;
pub use error::{HostError, HostErrorKind};
pub use file::{Attributes, Content, FileKind, FileStat};
pub use page::Page;
pub use power::{PolicyList, Power};
pub use serve::{Proxy, Route, RouteKind, ServeSpec, Taken};
pub use store::KeyStore;
pub use subject::{Change, Changes, Effect, Learn, Listen, Look, Subject};
pub use values::{FieldChange, Findings};

use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The result of one step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Outcome {
    /// It was carried out.
    Done,
    /// The command ran and ended.
    Command(CommandOutcome),
    /// It failed.
    Failed(HostError),
}
