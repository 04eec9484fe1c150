//! A second run makes no step: for every kind, each field at each of its values, alone and with every value of every
//! other field, as pairs that are part of larger sets.
//!
//! A program that is refused must be refused with a code, and most must be accepted, or the test would test nothing.

mod asked;
mod page;
mod pairs;
mod values;

use crate::brain::Brain;
use crate::protocol::{Deploy, Input, Options, Phase, What};
use crate::vocab::link::Address;
use crate::world::Group;
use crate::{Interface, Reached, Release, Remote, Sim, SimHost, World};
use mclive_library::kinds::{self, KindDecl};
use page::Page;
use pairs::Setting;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Kinds that act in every run or end it; a vote belongs to the running agent.
const EACH_TIME: [&str; 6] = ["_panic", "exit", "print", "schedule", "test", "timer"];

/// How many of the values and pairs of values of a kind a host must accept. Units: percent.
fn least(kind: &str) -> usize {
    match kind {
        // Of the values only those of one type fit each type.
        "gsettings" => 25,
        _ => 50,
    }
}

/// A program that gets fields, for a kind or a variant of it.
struct Case {
    decl: &'static KindDecl,
    variant: &'static str,
    program: &'static str,
}

/// The programs in `bases.txtar`, and the examples of the other kinds.
fn cases() -> Vec<Case> {
    let parts = include_str!("bases.txtar").split("\n-- ").skip(1);
    let own: Vec<(&str, &str)> = parts.map(|part| part.split_once(" --\n").expect("a header ends its line")).collect();
    let kinds = kinds::all().map(|kind| kind.decl()).filter(|decl| !EACH_TIME.contains(&decl.name));
    let mut cases = Vec::new();
    for decl in kinds {
        let of_kind = own.iter().filter(|(variant, _)| variant.split(' ').next() == Some(decl.name));
        let before = cases.len();
        cases.extend(of_kind.map(|&(variant, program)| Case { decl, variant, program }));
        if cases.len() == before {
            let program = kinds::examples::of(decl.name).unwrap_or_else(|| panic!("{} has no example", decl.name));
            cases.push(Case { decl, variant: decl.name, program });
        }
    }
    cases
}

const UNIT: &str = "[Service]\nExecStart=/usr/sbin/sshd\n\n[Install]\nWantedBy=multi-user.target\n";

/// The host that the programs need.
fn around(world: &mut World) {
    super::fwupd::devices(world);
    super::fwattr::firmware(world);
    for user in ["", "alice"] {
        super::gsettings::key(user, "clock", "'24h'")(world);
    }
    for image in ["nginx:1.27", "redis:7"] {
        world.subjects.container.registry.insert(format!("docker.io/library/{image}"), format!("sha256:{image}"));
    }
    world.subjects.guest.images.insert("db".into());
    let dirs = [
        "/dev/disk/by-label",
        "/etc/docker",
        "/etc/site",
        "/etc/ssh",
        "/home/ada",
        "/root/.config/systemd/user",
        "/root/.ssh",
        "/run/systemd/system",
        "/srv/app",
        "/srv/backup",
        "/srv/more",
        "/srv/other",
        "/srv/scratch",
        "/srv/www",
        "/var/cache",
        "/var/lib/firmware",
        "/var/lib/libvirt/images",
    ];
    for dir in dirs {
        world.make_dir(dir).unwrap();
    }
    for (path, text) in [
        ("/dev/vdb", ""),
        ("/etc/docker/daemon.json", "{\"debug\": true}\n"),
        ("/etc/hosts", "127.0.0.1 localhost\n"),
        ("/etc/site/a", "a\n"),
        ("/etc/site/b", "b\n"),
        ("/etc/ssh/sshd_config", "PermitRootLogin yes\n"),
        ("/root/.config/systemd/user/sshd.service", UNIT),
        ("/usr/bin/virt-builder", ""),
        ("/usr/lib/systemd/system/sshd.service", UNIT),
        ("/var/lib/firmware/bmc-2.0.bin", "x"),
        ("/var/log/today.log", "x"),
    ] {
        world.write(path, text).unwrap();
    }
    world.symlink("/dev/disk/by-label/scratch", "/dev/vdb").unwrap();
    for file in ["/etc/hosts", "/etc/ssh/sshd_config"] {
        world.subjects.lens.entry(file.into()).or_default().insert("PermitRootLogin".into(), "yes".into());
    }
    for (name, version) in [("cowsay", "0.9"), ("cowsay", "1.0")] {
        let release = Release::new(name, version, &[]);
        world.subjects.package.repository.push(release.clone());
        world.subjects.package.lists.push(release);
    }
    for (name, id) in [("dev", 1700), ("web", 1701)] {
        world.groups.insert(name.into(), Group { id, ..Group::default() });
    }
    for (page, modified_s) in [("today", Some(1_700_000_000)), ("undated", None)] {
        let remote = Remote { status: 200, body: b"x".to_vec(), modified_s, ..Remote::default() };
        world.subjects.server.remotes.insert(format!("https://weather.example/{page}.json"), remote);
    }
    let address = Address { ip: [10, 77, 0, 1].into(), length: 24 };
    world.subjects.link.interfaces.push(Interface::new("eth1", &[2, 0, 0, 0, 0, 1], address));
    let mut far = Reached::default();
    far.there.program.machine = "x86_64".into();
    world.subjects.remote.insert("ssh://192.0.2.7:22".into(), far);
}

/// The end of a run.
enum End {
    /// Up to date: the steps of resources of this kind and its family, and the host without its agent.
    Rest(Vec<String>, Box<SimHost>),
    /// The program was refused, with this text.
    Refused(String),
    /// A resource failed, for this reason.
    Failed(String),
    /// There is always something to do.
    Restless,
}

/// The leader of a group: `virt` for `virt:network:host`.
fn family(kind: &str) -> &str {
    kind.split(':').next().unwrap_or(kind)
}

fn run(host: SimHost, kind: &str, program: &str) -> End {
    let mut sim = Sim::new(Brain::new(), host);
    let files = vec![("/main.mcl".to_owned(), program.as_bytes().to_vec())];
    sim.tell(Input::Deploy(Deploy { files, entry: "/main.mcl".into(), options: Options::default() }));
    let until = sim.now().plus_ms(5_000);
    if !sim.advance(until, 20_000) {
        return End::Restless;
    }
    let mut steps = Vec::new();
    for event in sim.take_reports() {
        match event.what {
            What::Refused { text } | What::Stream { text } => return End::Refused(text),
            What::Resource { phase: Phase::Failed, text, .. } => return End::Failed(text),
            What::Steps { id, steps: made } if family(&id.kind) == family(kind) => {
                steps.extend(made.into_iter().map(|step| step.summary));
            }
            _ => {}
        }
    }
    sim.host.restart();
    End::Rest(steps, Box::new(sim.host))
}

/// Whether a text begins with the code of a diagnostic: `E0401: …`.
fn has_code(text: &str) -> bool {
    let number = text.strip_prefix('E').and_then(|rest| rest.split_once(':'));
    number.is_some_and(|(number, _)| number.len() == 4 && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Runs a program twice: whether its first run made a step, or why it is not accepted. Errors: what is wrong.
fn twice(host: &SimHost, kind: &str, program: &str) -> Result<Result<bool, String>, String> {
    let (first, host) = match run(host.clone(), kind, program) {
        End::Rest(steps, host) => (steps, *host),
        End::Refused(text) if has_code(&text) => return Ok(Err(text)),
        End::Refused(text) => return Err(format!("refused without a code: {text}")),
        End::Failed(why) if why.is_empty() => return Err("a failure without a reason".into()),
        End::Failed(why) => return Ok(Err(why)),
        End::Restless => return Err("it does not come to rest".into()),
    };
    match run(host, kind, program) {
        End::Rest(second, _) if second.is_empty() => Ok(Ok(!first.is_empty())),
        End::Rest(second, _) => Err(format!("a second run makes the steps {second:#?} after {first:#?}")),
        End::Refused(why) | End::Failed(why) => Err(format!("a second run fails after {first:#?}: {why}")),
        End::Restless => Err(format!("a second run does not come to rest after {first:#?}")),
    }
}

/// Tries the kinds whose names are in a range.
fn check(is_in_range: fn(&str) -> bool) {
    let mut host = SimHost::new("host1");
    host.change(around);
    let listed = values::listed();
    let (mut wrong, mut idle) = (Vec::new(), Vec::new());
    // By kind: values and pairs, and those of them that are accepted.
    let mut shares: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for Case { decl, variant, program } in cases().into_iter().filter(|case| is_in_range(case.decl.name)) {
        let page = Page::of(program, decl.name);
        let known = decl.fields.iter().filter(|field| field.host.language().is_some());
        let fields: Vec<(&str, Vec<Cow<str>>)> =
            known.map(|field| (field.name, values::of(&listed, variant, decl.name, field))).collect();
        let n_values: Vec<usize> = fields.iter().map(|(_, values)| values.len()).collect();
        if let Ok(Err(why)) = twice(&host, decl.name, program) {
            wrong.push(format!("the program of `{variant}` is not accepted: {why}\n{program}"));
        }
        let mut acts = false;
        let mut works = |set: &[Setting]| {
            let given = set.iter().map(|&(field, value)| (fields[field].0, &*fields[field].1[value]));
            let program = page.with(&given.collect::<Vec<_>>());
            match twice(&host, decl.name, &program) {
                Ok(Ok(makes_steps)) => {
                    acts |= makes_steps;
                    true
                }
                Ok(Err(_)) => false,
                // It is reduced to the pair that is the reason.
                Err(why) => {
                    wrong.push(format!("{why}\n{program}"));
                    false
                }
            }
        };
        let tally = pairs::explore(&n_values, 1, &mut works);
        let share = shares.entry(decl.name).or_default();
        (share.0, share.1) = (share.0 + tally.n_all, share.1 + tally.n_working);
        idle.extend((!acts).then_some(variant));
    }
    wrong.sort_by_key(String::len);
    shares.retain(|kind, (n_all, n_working)| *n_working * 100 < *n_all * least(kind));
    assert!(wrong.is_empty(), "{} programs are wrong:\n{}", wrong.len(), wrong[..wrong.len().min(5)].join("\n"));
    assert!(shares.is_empty(), "too few of these are accepted, or `least` is too high: {shares:?}");
    // Servers only listen, and do so without a step.
    idle.retain(|variant| !IDLE.contains(variant));
    assert!(idle.is_empty(), "no program makes a step: {idle:?}");
}

/// Kinds without steps.
const IDLE: [&str; 12] = [
    "dhcp:host",
    "dhcp:range",
    "dhcp:server",
    "http:server",
    "http:server:file",
    "http:server:flag",
    "http:server:proxy",
    "http:server:ui",
    "http:server:ui:input",
    "noop",
    "tftp:file",
    "tftp:server",
];

#[test]
fn a_second_run_makes_no_step_whatever_the_fields_say_from_a_to_g() {
    check(|kind| kind < "h");
}

#[test]
fn a_second_run_makes_no_step_whatever_the_fields_say_from_h_to_z() {
    check(|kind| kind >= "h");
}

#[test]
fn every_field_has_values_and_no_other_is_listed() {
    let listed = values::listed();
    let cases = cases();
    for case in &cases {
        let Case { decl, variant, .. } = *case;
        for field in decl.fields.iter().filter(|field| field.host.language().is_some()) {
            let values = values::of(&listed, variant, decl.name, field);
            let is_unset = listed.contains_key(&(variant, field.name));
            assert!(!values.is_empty() || is_unset, "{variant} has no value for `{}`", field.name);
        }
    }
    for (variant, field) in listed.keys() {
        let case = cases.iter().find(|case| case.variant == *variant || case.decl.name == *variant);
        assert!(case.is_some_and(|case| case.decl.field(field).is_some()), "{variant} has no field `{field}`");
    }
}
