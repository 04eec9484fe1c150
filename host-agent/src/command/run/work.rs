//! A run or a plan from its checked program to completion: the state, the stores and the logs that it needs, the brain
//! and the host.

use super::super::reload::Reload;
use super::super::replace::Replacement;
use super::super::take::{Orders, Take};
use super::super::{Done, REFUSED, coloured, compile, for_machines, prefix, unusable};
use crate::cli::Work;
use crate::driver::Driver;
use crate::embed::contract::Shown;
use crate::embed::{Keeper, Sandbox};
use crate::host::{Audit, Events, Host, Settings, io_words, raise};
use crate::network::Network;
use crate::origin::Origins;
use crate::output;
use crate::policy::Policy;
use crate::program::Loaded;
use crate::record::Record;
use crate::rotate::Bounds;
use crate::show::{Session, Show};
use mclive_base::protocol::{Deploy, Input, Options, status};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::Arc;
use std::time::Instant;

/// What a program may do here, and how.
pub(super) struct Mandate {
    pub(super) policy: Policy,
    pub(super) options: Options,
    /// The host is only inspected, and nothing is written.
    pub(super) plans: bool,
    /// The limits of the logs.
    pub(super) bounds: Bounds,
    /// The program is the newest deploy of the cluster.
    pub(super) orders: Option<Orders>,
}

pub(super) fn work(
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
    let may_read = |(name, _): &(String, String)| policy.reads_variable(name).is_ok();
    let mut environment: BTreeMap<String, String> = std::env::vars_os().filter_map(text_of).filter(may_read).collect();
    environment.extend(given.iter().cloned());
    loaded.program.environment = environment.into_iter().collect();
    // A line of JSON contains the same text as standard error, without colour.
    let on_errors = !for_machines(&args.output) && coloured(args.output.color, &std::io::stderr());
    let shown = loaded.shown(on_errors);
    // Before anything is touched.
    let report = compile::judge(&loaded.program, &options.hostname, &shown)?;
    if report.refused {
        show.refuse(&report);
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
    let world = match super::super::world::join(args, &options, &state, &network, may_be_away)? {
        Some(Err(why)) => {
            output::tell(&format!("mclive: error: {why}"));
            return Ok(REFUSED);
        }
        joined => joined.and_then(Result::ok),
    };
    if let Some(store) = world.clone() {
        show.follows_world(move || {
            let newest = store.head().ok().flatten().map(|head| head.id);
            let (since, received, n_refused) = (store.live_since(), store.received(), store.n_refused());
            Session { since, newest, received, n_refused }
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
    let origins = Arc::new(Origins::new(&loaded, options.hostname.clone()));
    let listen = || crate::ask::Ask::listen(&network, state.prefix(), show.clone(), origins.clone(), world.clone());
    let ask = match if plans { None } else { Some(listen()) } {
        None => None,
        Some(Ok(ask)) => Some(ask),
        Some(Err(error)) => {
            output::tell(&format!("mclive: warning: `mclive why` cannot query this agent: {error}"));
            None
        }
    };
    let (events, start) = (Arc::new(Events::default()), Instant::now());
    super::super::signals::listen(events.clone())?;
    let store = world.clone();
    let settings = Settings {
        hostname: options.hostname.clone(),
        packages: args.packages,
        rehearses: plans,
        world,
        environment: given,
    };
    let colour = on_errors && coloured(args.output.color, &std::io::stdout());
    let shown = Shown { colour, ..shown.clone() };
    let is_once = options.once;
    let goes_on = !plans && !options.once && !options.no_stream_watch;
    let replacement = Replacement {
        environment: loaded.program.environment.clone(),
        options: options.clone(),
        policy: policy.clone(),
        shown,
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
            origins.replace(&loaded);
            Follower::Take(Box::new(take))
        }
        (None, _) | (_, None) if goes_on => {
            Follower::Reload(Box::new(Reload { input: args.input.clone(), partial: args.partial.clone(), replacement }))
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
    let driver = Driver { brain, host, events, show: show.clone(), origins, colour, record, start };
    let ended = driver.run(Input::Deploy(deploy));
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
