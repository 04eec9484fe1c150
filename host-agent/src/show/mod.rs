//! [`Show`]: the output of a run: a live table on a terminal, lines of text elsewhere, JSON lines for
//! programs. It also keeps data for queries about a run: causes of steps (`history`), counters (`metrics`, `world`).
//!
//! Lines of several threads do not mix; they are flushed whenever the driver is idle, and those of resources
//! immediately. Output never blocks on a reader (`output`).

mod clock;
mod counted;
mod heard;
mod history;
pub(crate) mod json;
mod lines;
pub(crate) mod markdown;
mod metrics;
mod plan;
pub(crate) mod report;
mod screen;
mod shell_word;
mod table;
mod tally;
mod world;

pub(crate) use clock::stamped;
pub(crate) use counted::counted;
pub(crate) use heard::Heard;
pub(crate) use history::{History, told};
pub(crate) use metrics::Metrics;
pub(crate) use shell_word::shell_word;
pub(crate) use tally::Tally;
pub(crate) use world::Session;

use crate::deploy::Standing;
use crate::embed::contract::Report;
use crate::lock::Mutex;
use crate::output::{self, Queue};
use mclive_base::excerpt::excerpt;
use mclive_base::protocol::{Event, Moment, ResourceId, What};
use mclive_base::unicode::visible;
use plan::Plan;
use screen::Screen;
use std::path::PathBuf;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};
use table::Table;
use tally::Count;
use world::WorldMetrics;

/// At the end, how long to wait for a log on a hanging disk.
const LAST_WAIT: Duration = Duration::from_secs(2);

/// Of a line that a resource prints, what is shown. Units: bytes.
const LONGEST_LINE: usize = 64 << 10;

/// Whom the output is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reader {
    /// Lines of text.
    Person {
        colour: bool,
    },
    /// A table that is redrawn in place.
    Watcher {
        colour: bool,
    },
    Machine,
}

pub(crate) struct Show {
    reader: Reader,
    out: Mutex<Out>,
    history: Option<Mutex<History>>,
    metrics: Option<Mutex<Metrics>>,
    world: WorldMetrics,
    log: Option<Queue>,
    /// Receives the result of a deploy.
    listener: Option<Sender<Heard>>,
    /// Gets a line `true` or `false` each time the host becomes converged or ceases to be.
    status_file: Option<PathBuf>,
}

struct Out {
    count: Count,
    live: Option<(Table, Screen)>,
    /// In a plan: the layout by resource.
    plan: Option<Plan>,
}

impl Show {
    pub(crate) fn new(reader: Reader, status_file: Option<PathBuf>) -> Show {
        let live = match reader {
            Reader::Watcher { colour } => Some((Table::new(colour), Screen::default())),
            Reader::Person { .. } | Reader::Machine => None,
        };
        let out = Out { count: Count::default(), live, plan: None };
        let (history, metrics, log, listener, world) = Default::default();
        Show { reader, out: Mutex::new(out), history, metrics, world, log, listener, status_file }
    }

    /// Sets the mode of a plan.
    pub(crate) fn planning(mut self) -> Show {
        self.out.get_mut().plan = Some(Plan::default());
        self
    }

    /// Keeps the causes of the last actions, for queries.
    pub(crate) fn with_history(mut self) -> Show {
        self.history = Some(Mutex::new(History::default()));
        self
    }

    /// Keeps counters, for scrapes.
    pub(crate) fn with_metrics(mut self, metrics: Metrics) -> Show {
        self.metrics = Some(Mutex::new(metrics));
        self
    }

    /// Logs each event as a line of JSON.
    pub(crate) fn with_log(mut self, log: Queue) -> Show {
        self.log = Some(log);
        self
    }

    /// Reports the result of each deploy to a listener.
    pub(crate) fn with_listener(mut self, listener: Sender<Heard>) -> Show {
        self.listener = Some(listener);
        self
    }

    /// The brain gets a program: what follows is about it.
    pub(crate) fn hands_over(&self) {
        self.hear(Heard::HandedOver);
    }

    fn hear(&self, heard: Heard) {
        if let Some(listener) = &self.listener {
            // It may be gone at the end of the run.
            let _ = listener.send(heard);
        }
    }

    /// The history of a resource, as lines of JSON.
    pub(crate) fn ask_history(&self, resource: &str) -> Vec<String> {
        let Some(history) = &self.history else { return Vec::new() };
        history.lock().of(resource)
    }

    pub(crate) fn metrics_text(&self) -> String {
        let Some(metrics) = &self.metrics else { return String::new() };
        let text = metrics.lock().text();
        text + &self.world.text()
    }

    /// The run has a shared store; `session` looks at it, for scrapes.
    pub(crate) fn follows_world(&self, session: impl Fn() -> Session + Send + Sync + 'static) {
        self.world.follow(session);
    }

    /// Which deploy is applied, and the state of the newest one for this host.
    pub(crate) fn applies(&self, deploy: u64, standing: Standing) {
        self.world.applies(deploy, standing);
    }

    pub(crate) fn flush(&self) {
        let mut out = self.out.lock();
        if let Some((table, screen)) = &mut out.live {
            match output::is_idle() {
                true => screen.draw(table, Instant::now()),
                // The terminal accepts nothing: another frame would be useless.
                false => screen.wait(Instant::now()),
            }
        }
        output::flush();
        if let Some(log) = &self.log {
            log.flush();
        }
    }

    /// When [`Show::flush`] is due without events, since the table changes with time.
    pub(crate) fn due(&self) -> Option<Instant> {
        let out = self.out.lock();
        out.live.as_ref().and_then(|(table, screen)| screen.due(table))
    }

    /// The program was refused before it ran: reported as by `check`. Nothing was done.
    pub(crate) fn refuse(&self, report: &Report) {
        let mut out = self.out.lock();
        out.count.refuse();
        out.live = None;
        drop(out);
        let line = clock::stamped(json::refused(report.rendered.clone(), report::diagnostics(report)));
        if let Some(log) = &self.log {
            log.push(&output::json_line(&line.to_string()));
        }
        match self.reader {
            Reader::Machine => write_json(&line),
            Reader::Person { .. } | Reader::Watcher { .. } => report::print(report),
        }
        report::tell(report);
        self.finish();
    }

    /// A changed program is refused, and the previous one keeps running. `report` is the compiler's, if it was read.
    pub(crate) fn rejected(&self, at: Moment, why: &str, report: Option<&Report>) {
        let line =
            clock::stamped(json::rejected(at, why.to_owned(), report.map(report::diagnostics).unwrap_or_default()));
        if let Some(log) = &self.log {
            log.push(&output::json_line(&line.to_string()));
        }
        let why = report.map_or_else(|| lines::visible_lines(why), report::text);
        match self.reader {
            Reader::Machine => {
                write_json(&line);
                output::tell_text(&(lines::rejected(at, &why, false) + "\n"));
            }
            Reader::Person { colour } => write(&lines::rejected(at, &why, colour)),
            Reader::Watcher { colour } => self.say_above(&lines::rejected(at, &why, colour)),
        }
    }

    /// The warnings about a program that is deployed while another one runs.
    pub(crate) fn warnings(&self, report: &Report) {
        let text = report::text(report);
        match self.reader {
            Reader::Machine | Reader::Person { .. } => output::tell_text(&text),
            Reader::Watcher { .. } => self.say_above(&text),
        }
    }

    fn say_above(&self, text: &str) {
        if let Some((table, _)) = &mut self.out.lock().live {
            table.say(text);
        }
    }

    /// The run is over: further output follows below the table.
    pub(crate) fn finish(&self) {
        let summary = clock::stamped(json::summary(self.tally()));
        self.end_table();
        let rest = self.out.lock().plan.as_mut().and_then(Plan::rest);
        if let Some(rest) = rest {
            write(&rest);
        }
        if let Some(log) = &self.log {
            log.push(&output::json_line(&summary.to_string()));
        }
        match self.reader {
            Reader::Machine => write_json(&summary),
            Reader::Person { .. } | Reader::Watcher { .. } => {}
        }
        output::flush();
        if let Some(log) = &self.log {
            log.finish(LAST_WAIT);
        }
    }

    fn end_table(&self) {
        if let Some((mut table, mut screen)) = self.out.lock().live.take() {
            screen.finish(&mut table);
        }
    }

    pub(crate) fn tally(&self) -> Tally {
        self.out.lock().count.tally()
    }

    /// In a plan: the host refuses something for this reason. What fails for it would be refused.
    pub(crate) fn refuses(&self, why: &str) {
        if let Some(plan) = &mut self.out.lock().plan {
            plan.refuses(why);
        }
    }

    /// A line printed by a resource. It is written at once, since the next turn of the driver may be far away.
    pub(crate) fn line(&self, of: &ResourceId, text: &str) {
        let excerpt = (text.len() > LONGEST_LINE).then(|| excerpt(text.to_owned(), LONGEST_LINE));
        let text = excerpt.as_deref().unwrap_or(text);
        match self.reader {
            Reader::Person { .. } => write(&line_of(of, text)),
            Reader::Machine => {
                write_json(&clock::stamped(json::printed(of, text)));
            }
            // It is drawn within a second, as the resource is at work.
            Reader::Watcher { .. } => {
                let mut out = self.out.lock();
                if let Some((table, _)) = &mut out.live {
                    table.say(&line_of(of, text));
                }
            }
        }
        output::flush();
    }

    /// A closing remark, in text output only.
    pub(crate) fn remark(&self, text: &str) {
        match self.reader {
            Reader::Person { .. } | Reader::Watcher { .. } => write(text),
            Reader::Machine => {}
        }
    }

    pub(crate) fn event(&self, event: &Event) {
        self.tell(event, None);
    }

    /// What prevents a graph of the program, with the compiler's whole report.
    pub(crate) fn failure(&self, event: &Event, report: &Report) {
        self.tell(event, Some(report));
    }

    /// Counts an event. Returns the resources that fail, in words, if these are others now and someone listens.
    fn count(&self, what: &What) -> Option<String> {
        let mut out = self.out.lock();
        let n_before = out.count.n_failed();
        out.count.take(what);
        // An event is about one resource at most.
        (self.listener.is_some() && out.count.n_failed() != n_before).then(|| out.count.failing())
    }

    fn tell(&self, event: &Event, report: Option<&Report>) {
        if let Some(failing) = self.count(&event.what) {
            self.hear(Heard::Failing(failing));
        }
        if let Some(heard) = Heard::of(&event.what) {
            self.hear(heard);
        }
        if let (Some(file), What::Converged { .. } | What::Unconverged) = (&self.status_file, &event.what) {
            let text = if matches!(event.what, What::Unconverged) { "false\n" } else { "true\n" };
            if let Err(error) = output::file::add_line(file, output::file::Written::Status, text) {
                output::tell(&format!("mclive: warning: cannot write {}: {error}", file.display()));
            }
        }
        if let Some(history) = &self.history {
            history.lock().take(event);
        }
        if let Some(metrics) = &self.metrics {
            metrics.lock().take(event);
        }
        if let Some(log) = &self.log {
            log.push(&output::json_line(&clock::stamped(json::line_with(event, report)).to_string()));
        }
        if let (What::Refused { .. }, Some(report)) = (&event.what, report) {
            // It comes last, as in `check`; but on a terminal below the table.
            self.end_table();
            match self.reader {
                Reader::Watcher { .. } => output::print_coloured(&report::text(report)),
                Reader::Person { .. } | Reader::Machine => report::tell(report),
            }
        }
        match self.reader {
            Reader::Machine => write_json(&clock::stamped(json::line_with(event, report))),
            Reader::Person { colour } => {
                if let Some(line) = self.line_for_people(event, report, colour) {
                    write(&line);
                }
            }
            Reader::Watcher { colour } => {
                let line = self.line_for_people(event, report, colour);
                let mut out = self.out.lock();
                if let Some((table, _)) = &mut out.live {
                    table.take(event, Instant::now());
                    if let Some(line) = line {
                        table.say(&line);
                    }
                }
            }
        }
    }

    fn line_for_people(&self, event: &Event, report: Option<&Report>, colour: bool) -> Option<String> {
        match (&event.what, report) {
            (What::Refused { .. }, Some(_)) => None,
            (_, Some(report)) => {
                Some(lines::trouble(event, &report.rendered, self.out.lock().count.has_graph(), colour))
            }
            (_, None) => match &mut self.out.lock().plan {
                Some(plan) => plan.take(event, colour),
                None => lines::line(event, colour),
            },
        }
    }
}

fn write(line: &str) {
    output::print_coloured(&format!("{line}\n"));
}

fn write_json(line: &serde_json::Value) {
    output::print_json(&format!("{line}\n"));
}

fn line_of(id: &ResourceId, text: &str) -> String {
    format!("{}: {}", visible(&id.to_string()), visible(text.strip_suffix('\n').unwrap_or(text)))
}
