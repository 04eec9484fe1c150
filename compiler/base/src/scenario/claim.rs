//! What is expected of a host in a scenario.

use super::count::Count;
use crate::protocol::{Phase, ResourceId};

/// A claim, and when it must hold.
#[derive(Clone, PartialEq, Debug)]
pub struct Expectation {
    /// The claim.
    pub claim: Claim,
    /// When it must hold.
    pub when: When,
    /// How long it must keep holding. Units: milliseconds.
    pub lasts: Option<u64>,
}

/// When a claim must hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// As soon as the host is quiet.
    Quiet,
    /// Immediately.
    Now,
    /// At some moment within this many milliseconds.
    Within(u64),
    /// At every moment until the end.
    Always,
    /// At no moment until the end.
    Never,
}

/// A statement about the host that is true or false.
#[derive(Clone, PartialEq, Debug)]
pub enum Claim {
    /// Something exists at a path, or nothing does.
    Path {
        /// Absolute path.
        path: String,
        /// What kind of thing.
        kind: PathKind,
        /// Whether it is expected to exist.
        is_there: bool,
    },
    /// A file has a property.
    File {
        /// Absolute path.
        path: String,
        /// The property.
        has: Has,
    },
    /// The number of steps so far.
    Steps {
        /// The expected number.
        count: Count,
        /// Counts only steps of this resource.
        of: Option<ResourceId>,
    },
    /// A resource is in the graph.
    Resource {
        /// The resource.
        id: ResourceId,
        /// Whether it is expected to exist.
        is_there: bool,
    },
    /// A field of a resource has a value.
    Field {
        /// The resource.
        id: ResourceId,
        /// Name of the field.
        field: String,
        /// The value, in the language's notation.
        value: String,
    },
    /// A resource is in a phase.
    Phase {
        /// The resource.
        id: ResourceId,
        /// The phase.
        phase: Phase,
    },
    /// An edge is in the graph.
    Edge {
        /// Its start.
        from: ResourceId,
        /// Its end.
        to: ResourceId,
        /// Whether it is expected to exist.
        is_there: bool,
    },
    /// The number of output lines that contain a text.
    Output {
        /// The text.
        text: String,
        /// The expected number.
        count: Count,
    },
    /// A variable of the main file's outermost level.
    Value {
        /// Name of the variable.
        name: String,
        /// The value, in the language's notation.
        value: String,
    },
    /// The function graph calls a core function.
    Function {
        /// Its name with its module, such as `iter.map`.
        name: String,
        /// Whether it is expected to be called.
        is_there: bool,
    },
    /// A diagnostic is in effect; an empty `code` matches any.
    Error {
        /// The code, such as `E0301`.
        code: String,
        /// Whether it is expected to exist.
        is_there: bool,
    },
    /// A user exists.
    User {
        /// The user.
        name: String,
        /// Whether it is expected to exist.
        is_there: bool,
    },
    /// A group exists.
    Group {
        /// The group.
        name: String,
        /// Whether it is expected to exist.
        is_there: bool,
    },
    /// An account has a property.
    Account {
        /// The user.
        name: String,
        /// The property.
        has: AccountHas,
    },
    /// The content of a page, as a browser on the host gets it.
    Page {
        /// The URL.
        url: String,
        /// The property.
        has: Has,
    },
    /// Whether a browser on the host gets a page.
    Answer {
        /// The URL.
        url: String,
        /// Whether it is expected to answer.
        is_there: bool,
    },
    /// A unit is in a state.
    Unit {
        /// The unit.
        name: String,
        /// The state.
        is: UnitIs,
    },
    /// A package is installed.
    Package {
        /// The package.
        name: String,
        /// Whether it is expected to exist.
        is_there: bool,
    },
    /// Something is mounted at a path, or nothing is.
    Mount {
        /// The mount point.
        path: String,
        /// Whether it is expected to exist.
        is_there: bool,
    },
    /// A key of the cluster's store.
    Key {
        /// The key.
        key: String,
        /// Its value; `None`: the key does not exist.
        value: Option<String>,
    },
    /// The host has this name.
    Hostname {
        /// The name.
        name: String,
    },
    /// How often a command line was run.
    Ran {
        /// The command line.
        line: String,
        /// The expected number.
        count: Count,
    },
    /// The agent is running.
    Running,
    /// The agent has ended.
    Ended {
        /// How it ended.
        how: End,
    },
}

/// How an agent is expected to have ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// With any status.
    Somehow,
    /// With any status other than 0.
    Failed,
    /// With this status.
    Status(i32),
}

impl End {
    /// Whether an exit status matches.
    pub fn holds(self, status: i32) -> bool {
        match self {
            End::Somehow => true,
            End::Failed => status != 0,
            End::Status(wanted) => status == wanted,
        }
    }
}

/// What is at a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PathKind {
    /// Anything.
    Anything,
    /// A regular file.
    File,
    /// A directory.
    Folder,
    /// A symbolic link.
    Link,
}

/// A property of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Has {
    /// Exactly this content.
    Content(String),
    /// This text somewhere.
    Part(String),
    /// This text nowhere.
    NoPart(String),
    /// These permission bits.
    Mode(u32),
    /// This owner.
    Owner(String),
    /// This group.
    Group(String),
    /// This many lines.
    Lines(Count),
    /// This target of a symbolic link.
    Target(String),
}

/// A property of an account.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AccountHas {
    /// This user id.
    Id(u32),
    /// This login shell.
    Shell(String),
    /// This home directory.
    Home(String),
    /// Membership in this group, primary or supplementary.
    Group(String),
}

/// A state of a unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnitIs {
    /// Active.
    Running,
    /// Not active.
    Stopped,
    /// Failed.
    Failed,
    /// Enabled.
    Enabled,
    /// Not enabled.
    Disabled,
}
