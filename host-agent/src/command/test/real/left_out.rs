//! What a room cannot offer; scenarios that need it are left out.

use mclive_base::scenario::{Claim, Event, Scenario, What};

/// Kinds whose backend needs only files, processes and the kernel, which a room has.
const KINDS: [&str; 17] = [
    "exec",
    "exit",
    "timer",
    "value",
    "file",
    "group",
    "gzip",
    "json:edit",
    "kv",
    "line",
    "noop",
    "password",
    "print",
    "ssh:authorized_key",
    "tar",
    "test",
    "user",
];

/// The longest wait that a scenario may ask for. Units: milliseconds.
const LONGEST_WAIT_MS: u64 = 20_000;

/// The first step that only a simulated host supports.
pub(super) fn by_steps(scenario: &Scenario) -> Option<String> {
    let mut waits = 0;
    scenario.steps.iter().find_map(|step| {
        let why = match &step.what {
            What::Do(event) => by_event(event)?,
            What::Wait(ms) => {
                waits += ms;
                (waits > LONGEST_WAIT_MS).then_some("takes too long in real time")?
            }
            What::Expect(expectation) => by_claim(&expectation.claim)?,
        };
        Some(format!("line {}, `{}`, {why}", step.line, step.text))
    })
}

/// The first kind of resource that has no backend in a room.
pub(super) fn by_kinds<'a>(mut kinds: impl Iterator<Item = &'a String>) -> Option<String> {
    let kind = kinds.find(|kind| !KINDS.contains(&kind.as_str()))?;
    Some(format!("`{kind}` needs more than the files, processes and accounts that --real provides"))
}

fn by_event(event: &Event) -> Option<&'static str> {
    match event {
        Event::Join { .. } | Event::Leave | Event::Pause | Event::Resume | Event::Disconnect | Event::Reconnect => {
            Some("needs several hosts; --real has only one")
        }
        Event::Alter { .. } => Some("changes an object of the simulated host"),
        Event::Command { .. } => Some("fakes a command; --real runs the real one"),
        Event::Deploy { .. } => Some("replaces the program of a running agent"),
        Event::Clock { .. } | Event::Load { .. } => Some("changes something shared by the whole machine"),
        Event::Unit { .. } | Event::Uninstall { .. } => Some("needs systemd or a package manager"),
        Event::Unmount { .. } | Event::Post { .. } => Some("needs mounts or a network"),
        Event::Given { .. } => Some("changes the program"),
        Event::Run { .. }
        | Event::Stop(_)
        | Event::Kill
        | Event::Write { .. }
        | Event::Replace { .. }
        | Event::Append { .. }
        | Event::Remove { .. }
        | Event::Rename { .. }
        | Event::MakeFolder { .. }
        | Event::Mode { .. }
        | Event::Own { .. }
        | Event::Link { .. }
        | Event::Environment { .. }
        | Event::Hostname { .. } => None,
    }
}

fn by_claim(claim: &Claim) -> Option<&'static str> {
    match claim {
        Claim::Resource { .. }
        | Claim::Field { .. }
        | Claim::Edge { .. }
        | Claim::Value { .. }
        | Claim::Function { .. } => Some("inspects the agent's internal state"),
        Claim::Ran { .. } => Some("counts the runs of a command"),
        Claim::Unit { .. } | Claim::Package { .. } => Some("needs systemd or a package manager"),
        Claim::Mount { .. } | Claim::Page { .. } | Claim::Answer { .. } => Some("needs mounts or a network"),
        Claim::Key { .. } => Some("reads the shared store"),
        Claim::Path { .. }
        | Claim::File { .. }
        | Claim::Steps { .. }
        | Claim::Phase { .. }
        | Claim::Output { .. }
        | Claim::Error { .. }
        | Claim::User { .. }
        | Claim::Group { .. }
        | Claim::Account { .. }
        | Claim::Hostname { .. }
        | Claim::Running
        | Claim::Ended { .. } => None,
    }
}
