//! `run` and `plan`: run a program on this host.

use super::graph::Drawing;
use super::reload::Reload;
use super::replace::Replacement;
use super::take::{Orders, Take, Trust};
use super::{Done, GOOD, REFUSED, coloured, for_machines, prefix, unusable};
use crate::cli::{Plan, Run, Work};
use crate::driver::Driver;
use crate::embed::contract::{GraphFormat, GraphKind, Lint, LintLevel, Shown};
use crate::embed::{Keeper, Sandbox};
use crate::host::{Audit, Events, Host, Settings, io_words, lead, raise, read_rules};
use crate::network::Network;
use crate::origin::Origins;
use crate::output::{self, Queue};
use crate::policy::Policy;
use crate::program::{self, Foreign, Loaded, Origin};
use crate::record::Record;
use crate::rotate::{Bounds, Rotating};
use crate::show::{Metrics, Reader, Session, Show, Tally};
use mclive_base::protocol::{Deploy, Input, Options, status};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Write;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Instant;

pub(super) fn run(args: &Run) -> Done {
    let mut sandbox = Sandbox::start()?;
    let takes_deploys = args.work.input.is_omitted();
    let loaded = match takes_deploys {
        true if args.work.fleet.world.is_empty() => {
            return Err(unusable("missing INPUT: a program, or --world URL to apply the deploys of a cluster".into()));
        }
        true if args.graphviz.is_some() => return Err(unusable("--graphviz requires INPUT".into())),
        true => program::nothing(),
        false => super::compile::load(&args.work.input, &mut sandbox)?,
    };
    let policy = policy(&args.work, &mut sandbox, &loaded, args.trust_link)?;
    if loaded.origin == Origin::Link && policy == Policy::nothing() {
        return Err(unusable(
            "applying a program from a link requires --policy FILE or --trust-link; `mclive plan` shows what it would do".into(),
        ));
    }
    let trust = takes_deploys.then(|| Trust::of(args)).transpose().map_err(unusable)?;
    // A command may change anything, whatever its purpose.
    let policy = if args.noop && !args.run_checks { policy.running_nothing() } else { policy };
    // A host that takes deploys says whether it has converged.
    let converger_timeout = if takes_deploys && args.converger_timeout < 0 { SETTLED } else { args.converger_timeout };
    let options = Options {
        noop: args.noop,
        once: args.once,
        converger_timeout,
        converged_exit: args.converged_exit,
        no_stream_watch: args.no_watch,
        ..options(&args.work)?
    };
    let reader = reader(&args.work, true);
    output::outlive_readers(reader == Reader::Machine)?;
    let mut show = Show::new(reader, args.converger_status_file.clone()).with_history();
    let bounds = Bounds { size: args.log_size << 20, n_older: args.log_files };
    if let Some(path) = &args.log {
        let log = Rotating::open(path, bounds)
            .map_err(|error| unusable(format!("cannot write {}: {}", path.display(), io_words(&error))))?;
        show = show.with_log(Queue::start("log", log, output::missing_json)?);
    }
    if args.prometheus {
        show = show.with_metrics(Metrics::new(sandbox.kinds()?));
    }
    let orders = trust.map(|trust| {
        let (sender, heard) = channel();
        Orders { accepts_older: args.accept_older, trust, sender, heard }
    });
    if let Some(orders) = &orders {
        show = show.with_listener(orders.sender.clone());
    }
    let show = Arc::new(show);
    let network = Network::default();
    let mut _figures = None;
    if args.prometheus {
        let address = args.prometheus_listen;
        let (server, bound) = crate::prometheus::serve(&network, address, show.clone())
            .map_err(|error| unusable(format!("cannot serve metrics on {address}: {}", io_words(&error))))?;
        show.remark(&format!("Prometheus metrics: http://{bound}/metrics"));
        _figures = Some(server);
    }
    if let Some(file) = &args.graphviz {
        graphviz(&mut sandbox, &loaded, &options.hostname, file)?;
    }
    let mandate = Mandate { policy, options, plans: false, bounds, orders };
    let status = work(sandbox, loaded, &args.work, mandate, network, show.clone())?;
    if !show.tally().refused {
        show.remark(&summary(show.tally()));
    }
    show.flush();
    Ok(status)
}

pub(super) fn plan(args: &Plan) -> Done {
    let Plan { work: args, run_checks, detailed_exitcode } = args;
    let mut sandbox = Sandbox::start()?;
    let loaded = super::compile::load(&args.input, &mut sandbox)?;
    let policy = policy(args, &mut sandbox, &loaded, false)?;
    // A command may change anything, whatever its purpose.
    let policy = if *run_checks { policy } else { policy.running_nothing() };
    let options = Options { rehearse: true, once: true, ..options(args)? };
    let show = Arc::new(Show::new(reader(args, false), None).planning());
    let mandate = Mandate { policy, options, plans: true, bounds: Bounds::default(), orders: None };
    let status = work(sandbox, loaded, args, mandate, Network::default(), show.clone())?;
    let tally = show.tally();
    // A value that cannot be known in a plan is no failure.
    let status = if status == FAILED && tally.failed == 0 { GOOD } else { status };
    // The refusal was reported already; nothing was planned.
    if tally.refused || status == REFUSED {
        show.flush();
        return Ok(REFUSED);
    }
    show.remark(&forecast(tally));
    show.flush();
    Ok(match detailed_exitcode {
        false => status,
        true if tally.failed > 0 => REFUSED,
        true if tally.unknown > 0 => UNKNOWN,
        true if tally.would_change > 0 => CHANGES,
        true => GOOD,
    })
}

/// When a host that takes deploys counts as converged, unless an option says so. Units: seconds without a change.
const SETTLED: i64 = 5;

/// The exit code of `plan --detailed-exitcode` if something would change.
const CHANGES: u8 = 2;

/// The same if what some resources would do cannot be known: what else would change is only a part.
const UNKNOWN: u8 = 4;

const FAILED: u8 = status::FAILED as u8;

/// The summary of a plan, in a sentence.
fn forecast(tally: Tally) -> String {
    let resources = |n: usize| format!("{n} resource{}", if n == 1 { "" } else { "s" });
    let mut parts = vec![match tally.would_change {
        0 => "nothing would change".to_owned(),
        n => format!("{} would change", resources(n)),
    }];
    if tally.failed > 0 {
        parts.push(format!("{} would fail", resources(tally.failed)));
    }
    if tally.waiting > 0 {
        parts.push(format!("{} would be blocked by a failure", resources(tally.waiting)));
    }
    if tally.unknown > 0 {
        parts.push(format!("{} unknown", resources(tally.unknown)));
    }
    format!("{}; nothing was changed", parts.join(", "))
}

/// What a program may do here, and how.
struct Mandate {
    policy: Policy,
    options: Options,
    /// The host is only inspected, and nothing is written.
    plans: bool,
    /// The limits of the logs.
    bounds: Bounds,
    /// The program is the newest deploy of the cluster.
    orders: Option<Orders>,
}

fn work(
    sandbox: Sandbox,
    mut loaded: Loaded,
    args: &Work,
    mandate: Mandate,
    network: Network,
    show: Arc<Show>,
) -> Done {
    let Mandate { policy, options, plans, bounds, orders } = mandate;
    // A model is checked with the variables that it will read.
    let given = std::mem::take(&mut loaded.program.environment);
    let mut environment: BTreeMap<String, String> = std::env::vars_os().filter_map(text_of).collect();
    environment.extend(given.iter().cloned());
    loaded.program.environment = environment.into_iter().collect();
    // A line of JSON contains the same text as standard error, without colour.
    let on_errors = !for_machines(&args.output) && coloured(args.output.color, &std::io::stderr());
    let shown = Shown { colour: on_errors, root: loaded.root.clone() };
    // Errors of `check` are reported the way `check` does, before anything is touched; `check` reports the lints of
    // valid programs.
    let check = |lints: &[Lint]| {
        let report = Sandbox::start()?.check(&loaded.program, Some(&options.hostname), lints, &shown)?;
        report.map_err(unusable)
    };
    let report = check(&[Lint { name: "all".to_owned(), level: LintLevel::Allow }])?;
    if report.refused {
        show.refuse(&check(&[])?);
        return Ok(REFUSED);
    }
    output::tell_text(&report.rendered);
    if !args.no_raise_limits {
        raise();
    }
    let (state, audit) = match plans {
        true => (prefix::look(args).map_err(unusable)?, Audit::none()),
        false => {
            let state = prefix::open(args, &options.hostname).map_err(unusable)?.planning(options.noop);
            let path = state.audit_log();
            let audit = Audit::open(&path, bounds)
                .map_err(|error| unusable(format!("cannot write {}: {}", path.display(), io_words(&error))))?;
            (state, audit)
        }
    };
    // Before signals are heard: ^C ends the wait for the store.
    let shelf = state.shelf();
    let good = if orders.is_some() { shelf.good().map_err(|error| unusable(error.message))? } else { None };
    let may_start = |orders: &Orders| good.as_ref().is_some_and(|(record, _)| orders.trust.judge(record).is_ok());
    let may_be_away = orders.as_ref().is_some_and(may_start);
    let world = match super::world::join(args, &options, &state, &network, may_be_away)? {
        Some(Err(why)) => {
            output::tell(&format!("mclive: error: {why}"));
            return Ok(REFUSED);
        }
        joined => joined.and_then(Result::ok),
    };
    if let Some(store) = world.clone() {
        show.follows_world(move || {
            let newest = store.head().ok().flatten().map(|head| head.id);
            Session { since: store.live_since(), newest, received: store.received() }
        });
    }
    let record = match &args.record {
        Some(path) => Some(
            Record::create(path, &options.hostname)
                .map_err(|error| unusable(format!("cannot write {}: {}", path.display(), io_words(&error))))?,
        ),
        None => None,
    };
    // A plan answers no questions: it ends at once.
    let origins = Origins::new(loaded.program.clone(), options.hostname.clone(), loaded.root.clone());
    let origins = Arc::new(origins);
    let listen = || crate::ask::Ask::listen(&network, state.prefix(), show.clone(), origins.clone());
    let ask = match if plans { None } else { Some(listen()) } {
        None => None,
        Some(Ok(ask)) => Some(ask),
        Some(Err(error)) => {
            output::tell(&format!("mclive: warning: `mclive why` cannot query this agent: {error}"));
            None
        }
    };
    let (events, start) = (Arc::new(Events::default()), Instant::now());
    super::signals::listen(events.clone())?;
    let store = world.clone();
    let settings = Settings {
        hostname: options.hostname.clone(),
        packages: args.packages,
        rehearses: plans,
        world,
        environment: given,
    };
    let shown = Shown { colour: on_errors && coloured(args.output.color, &std::io::stdout()), ..shown.clone() };
    let is_once = options.once;
    let goes_on = !plans && !options.once && !options.no_stream_watch;
    let replacement = Replacement {
        environment: loaded.program.environment.clone(),
        options: options.clone(),
        policy: policy.clone(),
        shown: shown.clone(),
        show: show.clone(),
        events: events.clone(),
        origins: origins.clone(),
        start,
    };
    let follower = match (orders, store) {
        (Some(orders), Some(store)) => {
            let take = Take::new(replacement, orders, store, network.clone(), shelf, goes_on);
            let Some((take, first)) = take.first(good)? else {
                show.finish();
                return Ok(REFUSED);
            };
            loaded = first;
            origins.replace(loaded.program.clone());
            Follower::Take(Box::new(take))
        }
        (None, _) | (_, None) if goes_on => {
            Follower::Reload(Box::new(Reload { input: args.input.clone(), replacement }))
        }
        (None, _) | (_, None) => Follower::Nobody,
    };
    let host = Host::start(events.clone(), network, state, policy, audit, show.clone(), settings)?;
    let mut applied = None;
    match follower {
        Follower::Take(take) if is_once => applied = Some(take),
        Follower::Take(take) => take.start()?,
        Follower::Reload(reload) => reload.start(&loaded)?,
        Follower::Nobody => {}
    }
    let brain = Keeper::new(sandbox, Sandbox::start)?;
    let files = loaded.program.files.into_iter().map(|file| (file.path, file.content)).collect();
    let deploy = Deploy { files, entry: loaded.program.entry, options };
    let ended = Driver { brain, host, events, show: show.clone(), shown, record, start }.run(Input::Deploy(deploy));
    show.finish();
    drop(ask);
    let status = ended?;
    if let Some(mut take) = applied.filter(|_| matches!(status, status::GOOD | status::FAILED)) {
        take.keep();
    }
    Ok(u8::try_from(status).unwrap_or(REFUSED))
}

/// Who brings further versions of the program.
enum Follower {
    /// The deploys of a cluster.
    Take(Box<Take>),
    /// The program's files.
    Reload(Box<Reload>),
    Nobody,
}

fn text_of((name, value): (OsString, OsString)) -> Option<(String, String)> {
    Some((name.into_string().ok()?, value.into_string().ok()?))
}

/// A continuous run shows a table on a terminal.
fn reader(args: &Work, goes_on: bool) -> Reader {
    let colour = coloured(args.output.color, &std::io::stdout());
    match for_machines(&args.output) {
        true => Reader::Machine,
        false if goes_on && output::live::can_draw() => Reader::Watcher { colour },
        false => Reader::Person { colour },
    }
}

fn options(args: &Work) -> Result<Options, crate::program::Failure> {
    Ok(Options {
        hostname: prefix::hostname(args).map_err(unusable)?,
        sema: u32::try_from(args.sema).unwrap_or(0),
        max_runtime: args.max_runtime,
        no_autoedges: args.no_autoedges,
        no_autogroup: args.no_autogroup,
        ..Options::default()
    })
}

fn policy(
    args: &Work,
    sandbox: &mut Sandbox,
    loaded: &Loaded,
    trust_link: bool,
) -> Result<Policy, crate::program::Failure> {
    if let Some(file) = &args.policy {
        let text =
            read_rules(file).map_err(|error| unusable(format!("cannot use the policy {}: {error}", file.display())))?;
        let invalid = |why| unusable(format!("invalid policy {}: {why}", file.display()));
        let policy = Policy::parse(&text).map_err(invalid)?;
        policy.check_kinds(&text, &sandbox.kinds()?).map_err(invalid)?;
        let policy = policy.on_this_host(lead);
        judge_places(&policy, loaded)?;
        return Ok(policy);
    }
    Ok(match loaded.origin {
        Origin::Local => Policy::all(),
        Origin::Link if trust_link => Policy::all(),
        Origin::Link => Policy::nothing(),
    })
}

/// Whether the program may read its files behind links: they were read before the policy was known.
pub(super) fn judge_places(policy: &Policy, loaded: &Loaded) -> Result<(), crate::program::Failure> {
    for Foreign { shown, place } in loaded.foreign() {
        policy.reads().judge(place.as_os_str(), shown).map_err(|error| unusable(error.message))?;
    }
    Ok(())
}

fn graphviz(
    sandbox: &mut Sandbox,
    loaded: &Loaded,
    hostname: &str,
    file: &std::path::Path,
) -> Result<(), crate::program::Failure> {
    let shown = Shown { colour: false, root: String::new() };
    let (which, format) = (Some(GraphKind::Resources), GraphFormat::Dot);
    let drawing = Drawing { which, format, hostname: Some(hostname), shown: &shown };
    if let Ok(text) = drawing.here(sandbox, loaded)? {
        let written = output::file::create(file, output::file::Written::Graph)
            .and_then(|mut file| file.write_all(text.as_bytes()));
        written.map_err(|error| unusable(format!("cannot write {}: {}", file.display(), io_words(&error))))?;
    }
    Ok(())
}

fn summary(tally: Tally) -> String {
    let waiting = if tally.waiting == 0 { String::new() } else { format!(", {} waiting", tally.waiting) };
    format!("{} changed, {} failed{waiting}", tally.changed, tally.failed)
}

#[cfg(test)]
mod tests {
    use super::{Tally, summary};

    #[test]
    fn the_last_line_counts_what_waits_behind_a_failure() {
        let tally = Tally { changed: 2, failed: 1, ..Tally::default() };
        assert_eq!(summary(tally), "2 changed, 1 failed");
        assert_eq!(summary(Tally { waiting: 3, ..tally }), "2 changed, 1 failed, 3 waiting");
    }
}
