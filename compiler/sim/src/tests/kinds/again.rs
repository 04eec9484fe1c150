//! A second run makes no step: for every kind, the program of its page with each field at each value in its
//! declaration, one at a time and in pairs. Refused programs are skipped, and so are kinds that act in every run.

use crate::brain::Brain;
use crate::protocol::{Deploy, Input, Options, Phase, What};
use crate::{Release, Sim, SimHost, World};
use mclive_library::kinds::{self, Field, HostType, KindDecl};
use std::collections::BTreeSet;

/// Kinds that act in every run or end it; a vote belongs to the running agent.
const EACH_TIME: [&str; 9] = ["_panic", "exec", "exit", "http:client", "msg", "print", "schedule", "test", "timer"];
/// The most pairs per kind.
const MOST_PAIRS: usize = 200;

/// The values in a field's declaration.
fn values(field: &Field) -> Vec<String> {
    match field.host {
        HostType::Bool => vec!["true".into(), "false".into()],
        HostType::Str => {
            let words = field.doc.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| word.len() > 1);
            let words: BTreeSet<&str> =
                words.filter(|word| word.bytes().all(|byte| byte.is_ascii_lowercase())).collect();
            let lists = field.doc.contains(" or ") || field.doc.contains(", ");
            words.into_iter().filter(|_| lists).chain([""]).map(|word| format!("\"{word}\"")).collect()
        }
        host if host.int_range().is_some() => vec!["0".into(), "1".into(), "2".into()],
        _ => Vec::new(),
    }
}

/// A program with a field set in its first resource of a kind.
fn with(program: &str, kind: &str, field: &str, value: &str) -> String {
    let start = program.find(&format!("{kind} \"")).expect("it is there");
    let open = start + program[start..].find('{').expect("it has a body") + 1;
    let indent = program[..start].rsplit('\n').next().unwrap_or_default();
    let end = open + program[open..].find(&format!("\n{indent}}}")).unwrap_or(0);
    let is_field = |line: &&str| !line.trim_start().starts_with(&format!("{field} =>"));
    let body: Vec<&str> = program[open..end].split('\n').filter(is_field).collect();
    format!("{}\n\t{field} => {value},{}{}", &program[..open], body.join("\n"), &program[end..])
}

/// The leader of a group: `virt` for `virt:network:host`.
fn family(kind: &str) -> &str {
    kind.split(':').next().unwrap_or(kind)
}

/// Runs a program until it rests: the steps of a family of kinds, and the host after it. `None`: it is refused, or a
/// resource failed.
fn plays(host: SimHost, kind: &str, program: &str) -> Option<(Vec<String>, SimHost)> {
    let mut sim = Sim::new(Brain::new(), host);
    let files = vec![("/main.mcl".to_owned(), program.as_bytes().to_vec())];
    sim.tell(Input::Deploy(Deploy { files, entry: "/main.mcl".into(), options: Options::default() }));
    let until = sim.now().plus_ms(5_000);
    sim.advance(until, 100_000);
    let mut steps = Vec::new();
    for event in sim.take_reports() {
        match event.what {
            What::Refused { .. } | What::Stream { .. } | What::Resource { phase: Phase::Failed, .. } => return None,
            What::Steps { id, steps: made } if family(&id.kind) == family(kind) => {
                steps.extend(made.into_iter().map(|step| step.summary))
            }
            _ => {}
        }
    }
    sim.host.restart();
    Some((steps, sim.host))
}

/// The world that the programs of the pages need.
fn around(world: &mut World) {
    super::fwupd::devices(world);
    world.containers.registry.insert("docker.io/library/nginx:1.27".into(), "sha256:1".into());
    world.write("/usr/bin/virt-builder", "").unwrap();
    world.guests.images.insert("db".into());
    for dir in ["/etc/docker", "/etc/site", "/srv/backup", "/srv/www"] {
        world.make_dir(dir).unwrap();
    }
    world.write("/var/log/today.log", "a day").unwrap();
    world.write("/etc/docker/daemon.json", "{}").unwrap();
    for name in ["cowsay", "nginx"] {
        let release = Release::new(name, "1.0", &[]);
        world.packages.repository.push(release.clone());
        world.packages.lists.push(release);
    }
}

/// The steps of a first and a second run.
fn twice(kind: &str, program: &str) -> Option<(Vec<String>, Vec<String>)> {
    let mut host = SimHost::new("host1");
    host.change(around);
    let (first, host) = plays(host, kind, program)?;
    Some((first, plays(host, kind, program)?.0))
}

fn settings(decl: &KindDecl) -> Vec<(&'static str, String)> {
    decl.fields.iter().flat_map(|field| values(field).into_iter().map(|value| (field.name, value))).collect()
}

#[test]
fn a_second_run_makes_no_step_whatever_the_fields_say() {
    let (mut n_programs, mut acting, mut wrong) = (0, BTreeSet::new(), Vec::new());
    for decl in kinds::all().map(|kind| kind.decl()).filter(|decl| !EACH_TIME.contains(&decl.name)) {
        let page = kinds::examples::of(decl.name);
        let page = page.unwrap_or_else(|| panic!("{} has an example", decl.name)).to_owned();
        let settings = settings(decl);
        let mut programs = vec![page.clone()];
        programs.extend(settings.iter().map(|(field, value)| with(&page, decl.name, field, value)));
        let pairs = settings.iter().enumerate().flat_map(|(at, one)| {
            settings[at + 1..].iter().filter(|other| other.0 != one.0).map(move |other| (one, other))
        });
        let pairs: Vec<_> = pairs.collect();
        for ((field, value), (other, its)) in pairs.iter().step_by(pairs.len() / MOST_PAIRS + 1) {
            programs.push(with(&with(&page, decl.name, field, value), decl.name, other, its));
        }
        for program in programs {
            if let Some((first, second)) = twice(decl.name, &program) {
                n_programs += 1;
                acting.extend((!first.is_empty()).then_some(decl.name));
                if !second.is_empty() {
                    wrong.push(format!("{second:#?}\nafter {first:#?} of\n{program}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} second runs make steps:\n{}", wrong.len(), wrong[..wrong.len().min(5)].join("\n"));
    assert!(n_programs > 1000 && acting.len() > 30, "{n_programs} programs, {acting:?}");
}
