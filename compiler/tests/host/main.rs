//! Whole programs on the simulated host: what `file` and `exec` do to it, and that a recorded run
//! replays.

mod acceptance;
mod edges;
mod exec;
mod file;
mod refused;
mod replay;
mod secret;
mod turns;
mod undo;
mod web;
mod world;

use mclive_compiler::brain::Brain;
use mclive_compiler::protocol::{Deploy, Event, Input, Options, Phase, StopMode, What};
use mclive_compiler::sim::{Sim, SimHost, World};

/// A host with a program on it.
pub(crate) struct Run {
    pub(crate) sim: Sim<Brain>,
    pub(crate) events: Vec<Event>,
}

impl Run {
    /// A host that was prepared, and a program that has run on it for a while.
    pub(crate) fn new(prepare: impl FnOnce(&mut World), program: &str) -> Run {
        let mut host = SimHost::new("host1");
        host.change(|world| {
            world.make_dir("/t").unwrap();
            prepare(world);
        });
        Run::on(host, program, Options::default())
    }

    pub(crate) fn on(host: SimHost, program: &str, options: Options) -> Run {
        let mut run = Run { sim: Sim::new(Brain::new(), host), events: Vec::new() };
        run.sim.record_with_digest();
        run.deploy(program, options);
        run
    }

    pub(crate) fn deploy(&mut self, program: &str, options: Options) {
        let files = vec![("/main.mcl".to_string(), format!("{}\n", program.trim()).into_bytes())];
        self.sim.tell(Input::Deploy(Deploy { files, entry: "/main.mcl".into(), options }));
        self.pass(3000);
    }

    pub(crate) fn pass(&mut self, ms: u64) {
        let until = self.sim.now().plus_ms(ms);
        assert!(self.sim.advance(until, 1_000_000), "it comes to rest");
        self.events.extend(self.sim.take_reports());
    }

    pub(crate) fn change(&mut self, change: impl FnOnce(&mut World)) {
        self.sim.change(change);
        self.pass(3000);
    }

    pub(crate) fn read(&self, path: &str) -> String {
        match self.sim.host.world().read(path) {
            Ok(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            Err(error) => format!("error: {}", error.message),
        }
    }

    /// All files below a directory, links with what they say, directories with a slash.
    pub(crate) fn tree(&self, below: &str) -> String {
        let files = self.sim.snapshot().files;
        let inside = files.iter().filter_map(|file| {
            let name = file.path.strip_prefix(below)?.strip_prefix('/')?;
            Some(match file.kind.as_str() {
                "dir" => format!("{name}/"),
                "link" => format!("{name}->{}", file.content.as_deref().unwrap_or_default()),
                _ => format!("{name}={}", file.content.as_deref().unwrap_or_default().trim_end()),
            })
        });
        inside.collect::<Vec<_>>().join(" ")
    }

    pub(crate) fn mode(&self, path: &str) -> u32 {
        self.sim.host.world().stat(path).map_or(0, |stat| stat.mode)
    }

    /// What was said when a resource was given up.
    pub(crate) fn failure(&self) -> String {
        let failed = self.events.iter().find_map(|event| match &event.what {
            What::Resource { phase: Phase::Failed, text, .. } => Some(text.clone()),
            What::Refused { text } | What::Stream { text } => Some(text.clone()),
            _ => None,
        });
        failed.unwrap_or_default()
    }

    /// The steps since the last time, in words.
    pub(crate) fn steps(&mut self) -> Vec<String> {
        let events = std::mem::take(&mut self.events);
        let steps = events.into_iter().filter_map(|event| match event.what {
            What::Steps { steps, .. } => Some(steps),
            _ => None,
        });
        steps.flatten().map(|step| step.summary).collect()
    }

    /// It ends, and leaves its host.
    pub(crate) fn stop(mut self) -> SimHost {
        self.sim.tell(Input::Stop(StopMode::Graceful));
        self.pass(1000);
        assert_eq!(self.sim.exit(), Some(0));
        let mut host = self.sim.host;
        host.restart();
        host
    }
}
