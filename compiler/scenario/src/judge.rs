//! Claims: whether one holds now, and what holds instead.

use crate::host::Host;
use crate::program::Program;
use crate::protocol::ResourceId;
use crate::rgraph::{ResGraph, Resource};
use crate::stage::Stage;
use crate::step::{AccountHas, Claim, Found, Has, UnitIs, kind_name};
use crate::vocab::unit::{Active, Enabled, Unit};
use crate::vocab::{Datum, KeyStore};

/// Whether a claim holds on one host, or on all. Errors: what holds instead.
pub(crate) fn judge(stage: &Stage, on: Option<&str>, claim: &Claim) -> Result<(), String> {
    let hosts = stage.hosts_of(on)?;
    let is_one = hosts.len() == 1;
    let hosts = hosts.iter().filter_map(|name| Some((name, stage.hosts.get(name)?)));
    hosts
        .map(|(name, host)| (name, judge_on(host, stage.program, claim)))
        .try_for_each(|(name, judged)| judged.map_err(|why| if is_one { why } else { format!("{name}: {why}") }))
}

fn judge_on(host: &Host, program: &Program, claim: &Claim) -> Result<(), String> {
    let world = host.sim.host.world();
    let truth = |holds: bool, instead: String| if holds { Ok(()) } else { Err(instead) };
    let there = |is: bool, wanted: bool, what: String| {
        truth(is == wanted, format!("{what} {}", if is { "exists" } else { "does not exist" }))
    };
    match claim {
        Claim::Path { path, kind, is_there } => {
            let found = world.stat(path).map(|stat| stat.kind);
            let is = found.is_some_and(|found| kind.holds(found));
            truth(is == *is_there, format!("{path} {}", kind_name(found)))
        }
        Claim::File { path, has } => file(host, path, has),
        Claim::Steps { count, of } => {
            let n = host.n_steps_of(of.as_ref());
            let each: Vec<String> = host.steps.iter().map(|(id, n)| format!("{id} {n}")).collect();
            let each = if each.is_empty() { String::new() } else { format!(" ({})", each.join(", ")) };
            truth(count.holds(n), format!("expected {count} steps, found {n}{each}"))
        }
        Claim::Resource { id, is_there } => {
            let graph = host.sim.machine.graph();
            let what = format!("{id}{}", names(&graph, id, *is_there));
            there(find(&graph, id).is_some(), *is_there, what)
        }
        Claim::Field { id, field, value } => {
            let graph = host.sim.machine.graph();
            let Some(resource) = find(&graph, id) else {
                return Err(format!("{id}{} does not exist", names(&graph, id, true)));
            };
            let held = resource.want().get(field).map(|value| value.to_string());
            let held = held.ok_or_else(|| format!("{id} has no field {field}"))?;
            truth(held == *value || held == format!("{value:?}"), format!("{field} of {id} is {held}"))
        }
        Claim::Unit { name, is } => unit(host, name, *is),
        Claim::Package { name, is_there } => {
            there(world.subjects.package.installed.contains_key(name), *is_there, format!("package {name}"))
        }
        Claim::Mount { path, is_there } => {
            let plain = path.trim_end_matches('/');
            let is = world.subjects.mount.iter().any(|mounted| mounted.target.trim_end_matches('/') == plain);
            there(is, *is_there, format!("a mount at {path}"))
        }
        Claim::Phase { id, phase } => match host.phases.get(id) {
            Some(found) => truth(found == phase, format!("{id} is {found:?}")),
            None => Err(format!("no record of `{id}`")),
        },
        Claim::Edge { from, to, is_there } => {
            let graph = host.sim.machine.graph();
            let is = graph.edges.iter().any(|edge| {
                let of = |vertex| graph.resources[vertex].ids();
                of(edge.from).contains(&from) && of(edge.to).contains(&to)
            });
            there(is, *is_there, format!("{from} -> {to}"))
        }
        Claim::Output { text, count } => {
            let printed = host.sim.snapshot().log;
            let lines = host.said.lines().chain(printed.iter().map(|line| line.text.as_str()));
            let n = lines.filter(|line| line.contains(text)).count();
            truth(
                count.holds(n),
                if n == 0 {
                    format!("{text:?} is not in the output")
                } else {
                    format!("{text:?} is in the output {n} time{}", if n == 1 { "" } else { "s" })
                },
            )
        }
        Claim::Value { name, value } => {
            let held = super::reached::value(&host.sim.machine, name)?;
            truth(held == *value, format!("${name} is {held}"))
        }
        Claim::Function { name, is_there } => {
            let called = super::reached::functions(&host.sim.machine)?;
            there(called.contains(&**name), *is_there, format!("a call of {name} in the function graph"))
        }
        Claim::Error { code, is_there } => {
            let found = errors(host, program);
            let is = if code.is_empty() { !found.is_empty() } else { found.iter().any(|error| error.contains(code)) };
            let told = if found.is_empty() { "no error was reported".to_owned() } else { found.join("\n") };
            truth(is == *is_there, told)
        }
        Claim::User { name, is_there } => there(world.users.contains_key(name), *is_there, format!("the user {name}")),
        Claim::Group { name, is_there } => {
            there(world.groups.contains_key(name), *is_there, format!("the group {name}"))
        }
        Claim::Account { name, has } => account(host, name, has),
        Claim::Page { url, has } => {
            let content = page(host, url)?;
            let holds = match has {
                Has::Content(text) => content == *text,
                Has::Part(text) => content.contains(text),
                Has::NoPart(text) => !content.contains(text),
                Has::Mode(_) | Has::Owner(_) | Has::Group(_) | Has::Lines(_) | Has::Target(_) => false,
            };
            truth(holds, format!("{url} holds {content:?}"))
        }
        Claim::Answer { url, is_there } => match page(host, url) {
            Ok(_) => truth(*is_there, format!("{url} is there")),
            Err(why) => truth(!*is_there, why),
        },
        Claim::Key { key, value } => {
            let held = match world.key(KeyStore::World, &format!("strings/{key}")) {
                Some(Datum::Bytes(bytes)) => Some(String::from_utf8_lossy(bytes).into_owned()),
                Some(other) => Some(format!("{other:?}")),
                None => None,
            };
            let told = held.as_ref().map_or("missing".to_owned(), |held| format!("{held:?}"));
            truth(held == *value, format!("the key {key} is {told}"))
        }
        Claim::Hostname { name } => truth(world.hostname == *name, format!("the host's name is {}", world.hostname)),
        Claim::Ran { line, count } => {
            let n = world.commands.n_runs(line);
            truth(count.holds(n), format!("`{line}` ran {n} times; only commands declared with `command` are counted"))
        }
        Claim::Running => truth(host.has_agent && host.sim.exit().is_none(), format!("the agent {}", ended(host))),
        Claim::Ended { how } => {
            let found = host.sim.exit().filter(|_| host.has_agent);
            truth(found.is_some_and(|status| how.holds(status)), format!("the agent {}", ended(host)))
        }
    }
}

fn ended(host: &Host) -> String {
    match host.sim.exit() {
        _ if !host.has_agent => "is not running".into(),
        Some(status) => format!("ended with {status}"),
        None => "runs".into(),
    }
}

fn file(host: &Host, path: &str, has: &Has) -> Result<(), String> {
    let world = host.sim.host.world();
    let Some(stat) = world.stat(path) else { return Err(format!("{path} does not exist")) };
    let content = || {
        let bytes = world.read(path).map_err(|error| error.to_string())?;
        Ok::<_, String>(String::from_utf8_lossy(bytes).into_owned())
    };
    let user = world.users.iter().find(|(_, user)| user.id == stat.uid).map(|(name, _)| name);
    let group = world.groups.iter().find(|(_, group)| group.id == stat.gid).map(|(name, _)| name);
    let known = |name: Option<&String>, id: u32| name.cloned().unwrap_or_else(|| id.to_string());
    let found = Found {
        kind: stat.kind,
        mode: stat.mode,
        owner: known(user, stat.uid),
        group: known(group, stat.gid),
        target: stat.target,
        content: &content,
    };
    has.judge(path, &found)
}

fn account(host: &Host, name: &str, has: &AccountHas) -> Result<(), String> {
    let world = host.sim.host.world();
    let Some(user) = world.users.get(name) else { return Err(format!("cannot find user {name}")) };
    let is = |holds: bool, instead: String| if holds { Ok(()) } else { Err(format!("{name} has {instead}")) };
    match has {
        AccountHas::Id(id) => is(user.id == *id, format!("the uid {}", user.id)),
        AccountHas::Shell(shell) => is(user.shell == *shell, format!("the shell {}", user.shell)),
        AccountHas::Home(home) => {
            let same = user.home.trim_end_matches('/') == home.trim_end_matches('/');
            is(same, format!("the home {}", user.home))
        }
        AccountHas::Group(group) => {
            let of_user = world.groups.iter().filter(|(_, group)| group.id == user.gid || group.members.contains(name));
            let groups: Vec<&str> = of_user.map(|(name, _)| name.as_str()).collect();
            is(groups.contains(&group.as_str()), format!("the groups {}", groups.join(", ")))
        }
    }
}

/// The content of a page of a server. Errors: why there is none.
fn page(host: &Host, url: &str) -> Result<String, String> {
    match host.sim.host.world().page(url) {
        Ok((200, body)) => Ok(String::from_utf8_lossy(&body).into_owned()),
        Ok((status, _)) => Err(format!("{url} answers with {status}")),
        Err(error) => Err(error.to_string()),
    }
}

/// Whether a systemd unit is in this state.
fn unit(host: &Host, name: &str, is: UnitIs) -> Result<(), String> {
    let state = host.sim.host.world().unit(&Unit::new(name, false)).map_err(|error| error.to_string())?;
    let is_enabled = matches!(state.enabled, Enabled::Enabled | Enabled::Runtime);
    let (holds, instead) = match is {
        UnitIs::Running => (state.active == Active::Active, state.sub),
        UnitIs::Stopped => (state.active == Active::Inactive, state.sub),
        UnitIs::Failed => (state.active == Active::Failed, state.sub),
        UnitIs::Enabled => (is_enabled, format!("{:?}", state.enabled).to_lowercase()),
        UnitIs::Disabled => (!is_enabled, format!("{:?}", state.enabled).to_lowercase()),
    };
    if holds { Ok(()) } else { Err(format!("{name} is {instead}")) }
}

/// A resource of the graph, or a member of a group.
fn find<'a>(graph: &'a ResGraph, id: &ResourceId) -> Option<&'a Resource> {
    fn within<'a>(resource: &'a Resource, id: &ResourceId) -> Option<&'a Resource> {
        if resource.id == *id {
            return Some(resource);
        }
        resource.children.iter().find_map(|child| within(child, id))
    }
    graph.resources.values().find_map(|resource| within(resource, id))
}

/// The other resources of this kind, for a message about a missing one.
fn names(graph: &ResGraph, id: &ResourceId, wanted: bool) -> String {
    let of_kind = graph.resources.values().flat_map(|resource| resource.ids()).filter(|other| other.kind == id.kind);
    let names: Vec<&str> = of_kind.map(|other| &*other.name).take(10).collect();
    match names.is_empty() || !wanted || find(graph, id).is_some() {
        true => String::new(),
        false => format!(" (the graph has {})", names.join(", ")),
    }
}

/// Errors of the program, at compile time and at run time.
pub(crate) fn errors(host: &Host, program: &Program) -> Vec<String> {
    let world = host.sim.host.world();
    let said = program.errors(&host.entry, &world.hostname, &world.env);
    let of_program = said.iter().filter(|diagnostic| diagnostic.is_error());
    let told = of_program.map(|diagnostic| format!("{}: {}", diagnostic.code, diagnostic.message));
    told.chain(Some(host.errors.clone()).filter(|text| !text.is_empty())).collect()
}
