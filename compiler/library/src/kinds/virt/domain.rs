//! `virt`: manages a libvirt virtual machine or LXC domain. Resource spec, 9.

use super::{AUTH, check_startup, part, place};
use crate::kinds::accounts::expanded;
use crate::kinds::required::{PolicyList, Required};
use crate::kinds::rules::{ensure, known_state};
use crate::kinds::walk::{Walk, cannot_tell};
use crate::kinds::{Decision, Field, FieldDefault, HostField, HostType, Kind, KindDecl, Seen, Traits, Want};
use crate::value::Value;
use crate::vocab::virt::domain::{Domain, Interface, Layout, Move, Setup, Shared, Spec, Stand, Volume};
use crate::vocab::virt::{self, Part};
use crate::vocab::{Finding, Step, Watch};
use std::borrow::Cow;

/// The kind `virt`.
pub(crate) struct Virt;

static DECL: KindDecl = KindDecl {
    name: "virt",
    doc: "Manages a libvirt virtual machine or LXC domain.",
    fields: &[
        Field::str("uri", "URI", "Libvirt connection URI."),
        Field::str("state", "State", "`running`, `paused`, `shutoff` or empty."),
        Field::str("startup", "Startup", "Autostart: `enabled`, `disabled` or empty."),
        Field::bool("transient", "Transient", "Define the domain only while it is running."),
        Field::int("cpus", "CPUs", HostType::Uint, "Current number of CPUs."),
        Field::int("maxcpus", "MaxCPUs", HostType::Uint, "Number of CPU slots.").default(FieldDefault::Int(32)),
        Field::bool("hotcpus", "HotCPUs", "Allow hotplugging of CPUs.").default(FieldDefault::Bool(true)),
        Field::int("memory", "Memory", HostType::Uint64, "Memory in KiB."),
        Field::str("osinit", "OSInit", "Init binary (LXC only)."),
        Field::strs("boot", "Boot", "Boot devices in order: `fd`, `hd`, `cdrom`, `network`."),
        Field::new(
            "disk",
            "Disk",
            HostType::List(&HostType::Struct(&[
                HostField::new("source", HostType::Str),
                HostField::new("type", HostType::Str),
            ])),
            "Disks.",
        ),
        Field::new(
            "cdrom",
            "CDRom",
            HostType::List(&HostType::Struct(&[
                HostField::new("source", HostType::Str),
                HostField::new("type", HostType::Str),
            ])),
            "CD-ROM images.",
        ),
        Field::new(
            "network",
            "Network",
            HostType::List(&HostType::Struct(&[
                HostField::new("name", HostType::Str),
                HostField::new("mac", HostType::Str),
            ])),
            "Interfaces.",
        ),
        Field::new(
            "filesystem",
            "Filesystem",
            HostType::List(&HostType::Struct(&[
                HostField::new("access", HostType::Str),
                HostField::new("source", HostType::Str),
                HostField::new("target", HostType::Str),
                HostField::new("read_only", HostType::Bool),
            ])),
            "Shared directories.",
        ),
        AUTH,
        Field::str(
            "restartondiverge",
            "RestartOnDiverge",
            "What to do if a change requires a restart: `ignore`, `ifneeded` or `error`.",
        )
        .default(FieldDefault::Str("error")),
        Field::bool("restartonrefresh", "RestartOnRefresh", "Restart on a notification."),
    ],
    traits: Traits { refreshable: true, background: true, ..Traits::NONE },
    constants: &[],
    policy: &[
        Required::list(PolicyList::Virtual),
        Required::list(PolicyList::Commands).entry("`/usr/bin/virsh`"),
        Required::list(PolicyList::Paths).case("disks and shared directories"),
        Required::list(PolicyList::Reads).case("CD-ROMs and files in the URI"),
        Required::list(PolicyList::Hosts).case("the URI of another host"),
        Required::list(PolicyList::Privileges)
            .entry("`setuid` and `setgid`")
            .case("shared directories other than `mapped` or read-only ones"),
    ],
};

impl Kind for Virt {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        ensure(want.meta.poll == 0, "`Meta:poll` is not supported by `virt`")?;
        known_state(&want.text("state"), &["running", "paused", "shutoff", ""])?;
        check_startup(want)?;
        ensure(want.int("cpus") <= want.int("maxcpus"), "`cpus` must not be greater than `maxcpus`")
    }

    fn backend(&self) -> &'static str {
        "libvirt through `virsh` (packages `libvirt-clients` and `libvirt-daemon-system`). Changes are detected \
         through its events and the stored definition. KVM is used if available. CPUs and memory are changed while the \
         machine is running if possible; devices, and everything else, take effect after a restart, which \
         `restartondiverge => \"ifneeded\"` triggers. A guest has one minute to shut down."
    }

    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        walk(want, seen, &mut Walk::new(seen)).unwrap_or_else(|decision| decision)
    }

    fn watches(&self, want: &Want) -> Vec<Watch> {
        vec![virt::Watch::Domain(place(want)).into()]
    }
}

fn walk(want: &Want, seen: &Seen, walk: &mut Walk) -> Result<Decision, Decision> {
    let place = place(want);
    let now = match &walk.look(vec![virt::Probe::Domain(place.clone()).into()])?[0] {
        Finding::Virt(virt::Finding::Domain(now)) => now.as_deref(),
        other => return Err(cannot_tell(other)),
    };
    let wishes = Wishes::of(want, layout(want, walk)?);
    let (moves, unmet) = match now {
        None => (wishes.made()?, Vec::new()),
        Some(Domain { stand: Stand::Stuck(word), .. }) => {
            let why = format!(
                "the virtual machine {} is {word}: for the reason, run `virsh domstate --reason {0}`",
                want.name
            );
            return Err(Decision::CannotTell(why));
        }
        Some(now) => wishes.changed(now, seen.refresh && want.bool("restartonrefresh"))?,
    };
    let is_changed = !moves.is_empty();
    if is_changed {
        let step = |change| Step::Virt(virt::Step { place: place.clone(), change: virt::Move::Domain(change) });
        walk.act(moves.into_iter().map(step).collect())?;
    }
    if !unmet.is_empty() {
        let why = format!("needed restart but didn't! (RestartOnDiverge: error): {}", unmet.join("; "));
        return Err(Decision::CannotTell(why));
    }
    Ok(if is_changed { Decision::Mended(Vec::new()) } else { Decision::InState(Vec::new()) })
}

/// The wanted machine.
struct Wishes {
    name: String,
    state: Aim,
    autostart: Option<bool>,
    is_transient: bool,
    /// `None`: any number.
    cpus: Option<u64>,
    max_cpus: Option<u64>,
    memory_kib: Option<u64>,
    hot: bool,
    layout: Layout,
    restart: Restart,
}

#[derive(Clone, Copy, PartialEq)]
enum Aim {
    Running,
    Paused,
    Off,
    AsItIs,
}

/// What to do if only a restart would help.
#[derive(Clone, Copy, PartialEq)]
enum Restart {
    Ignore,
    IfNeeded,
    Error,
}

impl Wishes {
    fn of(want: &Want, layout: Layout) -> Wishes {
        let positive = |field| u64::try_from(want.int(field)).ok().filter(|number| *number > 0);
        let (cpus, hot) = (positive("cpus"), want.bool("hotcpus"));
        let slots = || want.set("maxcpus").and(positive("maxcpus")).or_else(|| cpus.and(positive("maxcpus")));
        Wishes {
            name: want.name.to_owned(),
            state: match &*want.text("state") {
                "running" => Aim::Running,
                "paused" => Aim::Paused,
                "shutoff" => Aim::Off,
                _ => Aim::AsItIs,
            },
            autostart: match &*want.text("startup") {
                "enabled" => Some(true),
                "disabled" => Some(false),
                _ => None,
            },
            is_transient: want.bool("transient"),
            cpus,
            max_cpus: if hot { slots() } else { cpus },
            memory_kib: positive("memory"),
            hot,
            layout,
            restart: match &*want.text("restartondiverge") {
                "ignore" => Restart::Ignore,
                "ifneeded" => Restart::IfNeeded,
                _ => Restart::Error,
            },
        }
    }

    fn is_up(&self) -> bool {
        matches!(self.state, Aim::Running | Aim::Paused)
    }

    fn is_paused(&self) -> bool {
        self.state == Aim::Paused
    }

    fn spec(&self, now: Option<&Setup>) -> Result<Box<Spec>, Decision> {
        let Some(memory_kib) = self.memory_kib.or(now.map(|now| now.memory_kib)) else {
            let why =
                format!("the virtual machine {} does not exist and cannot be created without `memory`", self.name);
            return Err(Decision::CannotTell(why));
        };
        let cpus = self.cpus.or(now.map(|now| now.cpus)).unwrap_or(1);
        let max_cpus = self.max_cpus.or(now.map(|now| now.max_cpus)).unwrap_or(cpus).max(cpus);
        let layout = now.map_or_else(|| self.layout.clone(), |now| self.layout.over(&now.layout));
        Ok(Box::new(Spec { cpus, max_cpus, hot: self.hot, memory_kib, layout }))
    }

    /// Creates a machine that does not exist.
    fn made(&self) -> Result<Vec<Move>, Decision> {
        if self.is_transient {
            if !self.is_up() {
                return Ok(Vec::new());
            }
            return Ok(vec![Move::Create { spec: self.spec(None)?, paused: self.is_paused() }]);
        }
        let mut moves = vec![Move::Define(self.spec(None)?)];
        moves.extend(self.autostart.filter(|on| *on).map(Move::Autostart));
        if self.is_up() {
            moves.push(Move::Start { paused: self.is_paused() });
        }
        Ok(moves)
    }

    /// Changes an existing one; also returns the differences that need a restart.
    fn changed(&self, now: &Domain, is_asked: bool) -> Result<(Vec<Move>, Vec<String>), Decision> {
        let mut moves = Vec::new();
        let mut stands = now.stand.clone();
        match (&now.stored, self.is_transient) {
            (Some(stored), true) => {
                moves.push(Move::Undefine);
                if now.live.is_none() {
                    if self.is_up() {
                        moves.push(Move::Create { spec: self.spec(Some(stored))?, paused: self.is_paused() });
                    }
                    return Ok((moves, Vec::new()));
                }
            }
            (None, false) => moves.push(Move::Persist),
            (Some(_), false) | (None, true) => {}
        }
        moves.extend(self.autostart.filter(|on| *on != now.autostart).map(Move::Autostart));
        // The configuration just stored is the running one.
        let stored = now.stored.as_ref().or(now.live.as_ref()).filter(|_| !self.is_transient);
        if let Some(stored) = stored {
            self.arrange(stored, &mut moves);
            self.size(Part::Stored, stored, &mut moves);
        }
        let mut unmet = Vec::new();
        if let Some(live) = now.live.as_ref().filter(|_| self.state != Aim::Off) {
            unmet = self.unmet(live);
            self.size(Part::Live, live, &mut moves);
            if let Some((has, to)) = now.guest_cpus.zip(self.cpus).filter(|(has, to)| self.hot && has < to) {
                moves.push(Move::GuestCpus { now: has, to });
            }
            let restarts = is_asked || !unmet.is_empty() && self.restart == Restart::IfNeeded;
            if restarts {
                moves.push(Move::Stop);
                stands = Stand::Off;
                if self.is_transient {
                    let paused = self.is_paused();
                    moves.push(Move::Create { spec: self.spec(Some(live))?, paused });
                    return Ok((moves, Vec::new()));
                }
                if self.state == Aim::AsItIs {
                    moves.push(Move::Start { paused: now.stand == Stand::Paused });
                }
            }
            if restarts || self.restart == Restart::Ignore {
                unmet.clear();
            }
        }
        match (self.state, stands) {
            (Aim::Running, Stand::Off) => moves.push(Move::Start { paused: false }),
            (Aim::Running, Stand::Paused) => moves.push(Move::Resume),
            (Aim::Running | Aim::Paused, Stand::Asleep) => moves.push(Move::Wake),
            (Aim::Paused, Stand::Off) => moves.push(Move::Start { paused: true }),
            (Aim::Paused, Stand::Running) => moves.push(Move::Suspend),
            (Aim::Off, Stand::Running | Stand::Paused | Stand::Asleep) => moves.push(Move::Stop),
            (Aim::Running, Stand::Running | Stand::Stuck(_))
            | (Aim::Paused, Stand::Paused | Stand::Stuck(_))
            | (Aim::Off, Stand::Off | Stand::Stuck(_))
            | (Aim::AsItIs, _) => {}
        }
        Ok((moves, unmet))
    }

    fn arrange(&self, stored: &Setup, moves: &mut Vec<Move>) {
        let differences = self.layout.differences(&stored.layout);
        if !differences.is_empty() {
            moves.push(Move::Arrange { layout: Box::new(self.layout.clone()), differences });
        }
    }

    /// CPUs and memory, as far as they can be changed.
    fn size(&self, part: Part, now: &Setup, moves: &mut Vec<Move>) {
        let is_stored = part == Part::Stored;
        let slots = self.max_cpus.filter(|to| is_stored && *to != now.max_cpus);
        let slots = slots.map(|to| Move::MaxCpus { now: now.max_cpus, to });
        let fits = |to: &u64| is_stored || self.hot && *to <= now.max_cpus;
        let cpus = self.cpus.filter(|to| *to != now.cpus && fits(to));
        let cpus = cpus.map(|to| Move::Cpus { part, now: now.cpus, to });
        // A maximum is raised before the value, and lowered after it.
        match self.max_cpus.is_some_and(|to| to > now.max_cpus) {
            true => moves.extend([slots, cpus].into_iter().flatten()),
            false => moves.extend([cpus, slots].into_iter().flatten()),
        }
        // The memory that a running guest uses is its own business: it is only adjusted when the stored value changes.
        let is_told = moves.iter().any(|change| matches!(change, Move::Memory { .. }));
        let memory = self.memory_kib.filter(|to| *to != now.memory_kib);
        let memory = memory.filter(|to| is_stored || is_told && *to <= now.max_memory_kib);
        moves.extend(memory.map(|to| Move::Memory { part, now: now.memory_kib, to }));
    }

    /// The differences of the running machine that only a restart can fix.
    fn unmet(&self, live: &Setup) -> Vec<String> {
        let mut unmet = self.layout.differences(&live.layout);
        if let Some(to) = self.max_cpus.filter(|to| *to != live.max_cpus) {
            unmet.push(format!("CPU slots {} → {to}", live.max_cpus));
        }
        if let Some(to) = self.cpus.filter(|to| *to != live.cpus && !self.hot) {
            unmet.push(format!("CPUs {} → {to}", live.cpus));
        }
        if let Some(to) = self.memory_kib.filter(|to| *to > live.max_memory_kib) {
            unmet.push(format!("memory {} → {to} KiB", live.max_memory_kib));
        }
        unmet
    }
}

/// The declared devices, with tildes expanded.
fn layout(want: &Want, walk: &mut Walk) -> Result<Layout, Decision> {
    let text = |of: &Value, field: &str| part(of, field).into_owned();
    let is_true = |of: &Value, field: &str| {
        of.as_struct().and_then(|fields| fields.get(field)).and_then(Value::as_bool).unwrap_or(false)
    };
    let mut source = |of: &Value| expanded(walk, &part(of, "source")).map(|(path, _)| path);
    let mut volumes = |field: &str| {
        let mut volume = |of: &Value| Ok(Volume { source: source(of)?, format: text(of, "type") });
        want.set(field).map(|_| want.items(field).iter().map(&mut volume).collect::<Result<_, Decision>>()).transpose()
    };
    let (disks, cdroms) = (volumes("disk")?, volumes("cdrom")?);
    let mut shared = |of: &Value| {
        let (access, target, is_read_only) = (text(of, "access"), text(of, "target"), is_true(of, "read_only"));
        Ok(Shared { access, source: source(of)?, target, is_read_only })
    };
    let folders = want.set("filesystem").map(|_| want.items("filesystem").iter().map(&mut shared).collect());
    let interface = |of: &Value| Interface { network: text(of, "name"), mac: text(of, "mac").to_ascii_lowercase() };
    // Without any, libvirt chooses the order.
    let boot: Vec<String> = want.texts("boot").into_iter().map(Cow::into_owned).collect();
    Ok(Layout {
        init: Some(want.text("osinit").into_owned()).filter(|init| !init.is_empty()),
        boot: Some(boot).filter(|boot| !boot.is_empty()),
        disks,
        cdroms,
        networks: want.set("network").map(|_| want.items("network").iter().map(interface).collect()),
        filesystems: folders.transpose()?,
    })
}
