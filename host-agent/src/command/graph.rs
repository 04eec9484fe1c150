//! `graph`: draws a program. Its resources are those of this host, by its name and facts, as in a plan.

use super::{Done, GOOD, REFUSED, coloured, prefix, unusable};
use crate::cli;
use crate::embed::Sandbox;
use crate::embed::contract::{GraphFormat, GraphKind, Shown, Undrawn};
use crate::host::{Audit, Event, Events, Host, PackageSystem, Settings};
use crate::network::Network;
use crate::output::{print, print_json, tell_text};
use crate::policy::Policy;
use crate::program::{Failure, Loaded, Origin};
use crate::show::{Reader, Show};
use mclive_base::layout;
use mclive_base::protocol::{Input, Output, Ticket};
use mclive_base::vocab::{Datum, FactSpec, HostError, HostErrorKind};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long to wait for the value of a fact.
const PATIENCE: Duration = Duration::from_secs(10);
/// Each round reads the facts that the previous one required.
const MOST_ROUNDS: usize = 100;

pub(super) fn graph(args: &cli::Graph) -> Done {
    let mut sandbox = Sandbox::start()?;
    let loaded = super::compile::load_partial(&args.input, &args.partial, &mut sandbox)?;
    let which = args.of.map(|which| match which {
        cli::Which::Functions => GraphKind::Functions,
        cli::Which::Words => GraphKind::Words,
        cli::Which::Model => GraphKind::Model,
        cli::Which::Resources => GraphKind::Resources,
    });
    // What a partial export changes are resources.
    let which = which.or_else(|| args.partial.partial.as_ref().map(|_| GraphKind::Resources));
    let format = match args.format {
        cli::Format::Text => GraphFormat::Text,
        cli::Format::Json => GraphFormat::Json,
        cli::Format::Dot => GraphFormat::Dot,
    };
    let shown = loaded.shown(coloured(args.color, &std::io::stderr()));
    // A model has many hosts, and all of them are drawn.
    let is_model = loaded.program.files.iter().any(|file| layout::INMANTA.names(&file.path));
    let own = if is_model || args.any_host { None } else { Some(prefix::own_name()) };
    let hostname = args.hostname.as_deref().or(own.as_deref());
    let drawing = Drawing { which, format, hostname, shown: &shown };
    let drawn = match which {
        Some(GraphKind::Resources) if !args.any_host => drawing.here(&mut sandbox, &loaded)?,
        Some(_) | None => drawing.simulated(&mut sandbox, &loaded)?,
    };
    match drawn {
        Ok(text) => {
            let text = if text.ends_with('\n') { text } else { text + "\n" };
            match args.format {
                cli::Format::Json => print_json(&text),
                cli::Format::Text | cli::Format::Dot => print(&text),
            }
            Ok(GOOD)
        }
        Err(Undrawn::Refused(report)) => {
            tell_text(&report.rendered);
            Ok(REFUSED)
        }
        Err(Undrawn::Missing(has)) => {
            Err(unusable(format!("`{}` has no such graph; use --of to print {has}", args.input.input)))
        }
        Err(Undrawn::Unknown(_)) => {
            Err(unusable(format!("the program still requests new facts after {MOST_ROUNDS} rounds; try --any-host")))
        }
    }
}

/// The selected picture and its format.
pub(super) struct Drawing<'a> {
    pub(super) which: Option<GraphKind>,
    pub(super) format: GraphFormat,
    pub(super) hostname: Option<&'a str>,
    pub(super) shown: &'a Shown,
}

impl Drawing<'_> {
    fn simulated(&self, sandbox: &mut Sandbox, loaded: &Loaded) -> Result<Result<String, Undrawn>, Failure> {
        Ok(sandbox.graph(&loaded.program, self.which, self.format, self.hostname, None, self.shown)?)
    }

    /// Draws with this host's facts, and reads facts until the program asks for no more.
    pub(super) fn here(&self, sandbox: &mut Sandbox, loaded: &Loaded) -> Result<Result<String, Undrawn>, Failure> {
        let mut facts = Facts::start(self.hostname.unwrap_or_default(), loaded)?;
        for _ in 0..MOST_ROUNDS {
            let known = postcard::to_stdvec(&facts.known).expect("what a host says is plain data");
            let drawn =
                sandbox.graph(&loaded.program, self.which, self.format, self.hostname, Some(&known), self.shown)?;
            match drawn {
                Err(Undrawn::Unknown(missing)) => {
                    let missing: Vec<FactSpec> =
                        postcard::from_bytes(&missing).expect("the compiler writes what we read");
                    facts.read(missing);
                }
                drawn => return Ok(drawn),
            }
        }
        Ok(Err(Undrawn::Unknown(Vec::new())))
    }
}

/// The facts of this host. Nothing is changed, and no command of the program runs.
struct Facts {
    host: Host,
    events: Arc<Events>,
    n_asked: u64,
    known: Vec<(FactSpec, Result<Datum, HostError>)>,
}

impl Facts {
    fn start(hostname: &str, loaded: &Loaded) -> Result<Facts, Failure> {
        let policy = match loaded.origin {
            Origin::Local => Policy::all().running_nothing(),
            Origin::Link => Policy::nothing(),
        };
        let events = Arc::new(Events::default());
        let show = Arc::new(Show::new(Reader::Person { colour: false }, None).planning());
        let state = prefix::look_usual().map_err(unusable)?;
        let settings = Settings {
            hostname: hostname.to_owned(),
            packages: PackageSystem::default(),
            rehearses: true,
            world: None,
            environment: loaded.program.environment.clone(),
        };
        let host = Host::start(events.clone(), Network::default(), state, policy, Audit::none(), show, settings)?;
        Ok(Facts { host, events, n_asked: 0, known: Vec::new() })
    }

    fn read(&mut self, missing: Vec<FactSpec>) {
        let until = Instant::now() + PATIENCE;
        let mut open = BTreeMap::new();
        for spec in missing {
            self.n_asked += 1;
            let ticket = Ticket(self.n_asked);
            self.host.carry_out(Output::Subscribe(ticket, spec.clone()));
            open.insert(ticket, spec);
        }
        while !open.is_empty() && Instant::now() < until {
            let next = self.host.next_timer().map_or(until, |timer| timer.min(until));
            if let Some(Event::Input(Input::Fact(ticket, told), _)) = self.events.take(Some(next))
                && let Some(spec) = open.remove(&ticket)
            {
                self.host.carry_out(Output::Unsubscribe(ticket));
                self.known.push((spec, told));
            }
            if self.host.next_timer().is_some_and(|timer| timer <= Instant::now()) {
                self.host.tick();
            }
        }
        for (ticket, spec) in open {
            self.host.carry_out(Output::Unsubscribe(ticket));
            let why = format!("timed out after {} s", PATIENCE.as_secs());
            self.known.push((spec, Err(HostError::new(HostErrorKind::TimedOut, why))));
        }
    }
}

impl Drop for Facts {
    fn drop(&mut self) {
        self.host.stop();
    }
}
