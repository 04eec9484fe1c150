//! `run` and `plan`: run a program on this host.

mod plan;
mod policy;
mod work;

pub(super) use plan::plan;
pub(super) use policy::judge_places;

use super::graph::Drawing;
use super::take::{Orders, Trust};
use super::{Done, coloured, for_machines, prefix, unusable};
use crate::cli::{Run, Work};
use crate::embed::Sandbox;
use crate::embed::contract::{GraphFormat, GraphKind, Shown};
use crate::host::io_words;
use crate::network::Network;
use crate::output::{self, Queue};
use crate::policy::Policy;
use crate::program::{self, Loaded, Origin};
use crate::rotate::{Bounds, Rotating};
use crate::show::{Metrics, Reader, Show, Tally};
use mclive_base::protocol::Options;
use policy::policy;
use std::io::Write;
use std::sync::Arc;
use std::sync::mpsc::channel;
use work::{Mandate, work};

pub(super) fn run(args: &Run) -> Done {
    args.foreign.notes().iter().for_each(|note| output::tell(note));
    let mut sandbox = Sandbox::start()?;
    let takes_deploys = args.work.input.is_omitted();
    let loaded = match takes_deploys {
        true if args.work.fleet.world.is_empty() => {
            return Err(unusable("missing INPUT: a program, or --world URL to apply the deploys of a cluster".into()));
        }
        true if args.graphviz.is_some() => return Err(unusable("--graphviz requires INPUT".into())),
        true => program::nothing(),
        false => super::compile::load_partial(&args.work.input, &args.work.partial, &mut sandbox)?,
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

/// When a host that takes deploys counts as converged, unless an option sets it. Units: seconds without a change.
const SETTLED: i64 = 5;

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

fn graphviz(
    sandbox: &mut Sandbox,
    loaded: &Loaded,
    hostname: &str,
    file: &std::path::Path,
) -> Result<(), crate::program::Failure> {
    let shown = Shown { colour: false, root: String::new(), elsewhere: Vec::new() };
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
