//! Each kind on the simulated host: it converges, a second run makes no step, drift is repaired, and messages contain
//! old and new values.

mod accounts;
mod again;
mod archives;
mod augeas;
mod bmc;
mod boot;
mod builder;
mod cloud;
mod consul;
mod cron;
mod dhcp;
mod docker;
mod files;
mod firewalld;
mod fwattr;
mod fwupd;
mod gsettings;
mod hostname;
mod http_client;
mod http_page;
mod http_server;
mod lines;
mod mount;
mod mount_options;
mod msg;
mod net;
mod nspawn;
mod password;
mod pkg;
mod remote;
mod schedule;
mod svc;
mod sysctl;
mod virt;
mod virt_network;

use crate::brain::Brain;
use crate::protocol::{Deploy, Event, Input, Options, Phase, What};
use crate::{Sim, SimHost, World};

/// A program on a host. It continues on copies, which must lack nothing.
struct Run {
    sim: Sim<Brain>,
    program: String,
    reports: Vec<Event>,
}

impl Run {
    /// Runs a program on a new host until it rests.
    fn new(program: &str) -> Run {
        Run::on(SimHost::new("host1"), program)
    }

    /// Runs a program on a prepared host.
    fn after(before: impl FnOnce(&mut World), program: &str) -> Run {
        let mut host = SimHost::new("host1");
        host.change(before);
        Run::on(host, program)
    }

    fn on(host: SimHost, program: &str) -> Run {
        let mut run = Run { sim: Sim::new(Brain::new(), host), program: String::new(), reports: Vec::new() };
        run.deploy(program);
        run
    }

    fn advance(&mut self, ms: u64) {
        let until = self.sim.now().plus_ms(ms);
        let rests = (0..100_000).any(|_| {
            self.sim = self.sim.clone();
            self.sim.advance(until, 10)
        });
        assert!(rests, "it comes to rest");
    }

    fn deploy(&mut self, program: &str) {
        self.program = program.to_owned();
        let files = vec![("/main.mcl".to_owned(), format!("{program}\n").into_bytes())];
        self.sim.tell(Input::Deploy(Deploy { files, entry: "/main.mcl".into(), options: Options::default() }));
        self.settle();
    }

    /// Another program for the running agent; returns the steps that follow.
    fn switches(&mut self, program: &str) -> Vec<String> {
        self.steps();
        self.deploy(program);
        self.steps()
    }

    fn settle(&mut self) {
        self.advance(10_000);
        self.reports.extend(self.sim.take_reports());
        for event in &self.reports {
            if let What::Refused { text } | What::Stream { text } = &event.what {
                panic!("{text}");
            }
        }
    }

    /// The steps since the last call, in words.
    fn steps(&mut self) -> Vec<String> {
        let steps = |event: Event| match event.what {
            What::Steps { steps, .. } => steps.into_iter().map(|step| step.summary).collect(),
            _ => Vec::new(),
        };
        std::mem::take(&mut self.reports).into_iter().flat_map(steps).collect()
    }

    /// The failures since the last call.
    fn failures(&self) -> Vec<String> {
        let failure = |event: &Event| match &event.what {
            What::Resource { phase: Phase::Failed, text, .. } => Some(text.clone()),
            _ => None,
        };
        self.reports.iter().filter_map(failure).collect()
    }

    /// The resources that failed since the last call.
    fn failed(&self) -> Vec<String> {
        let failure = |event: &Event| match &event.what {
            What::Resource { phase: Phase::Failed, id, .. } => Some(id.to_string()),
            _ => None,
        };
        self.reports.iter().filter_map(failure).collect()
    }

    /// A manual change; returns the steps that follow.
    fn change(&mut self, change: impl FnOnce(&mut World)) -> Vec<String> {
        self.steps();
        self.sim.change(change);
        self.settle();
        self.steps()
    }

    /// A manual change, and a minute of time; returns the steps that follow.
    fn minute(&mut self, change: impl FnOnce(&mut World)) -> Vec<String> {
        self.steps();
        self.sim.change(change);
        self.advance(60_000);
        self.settle();
        self.steps()
    }

    /// Replaces the program, on the same host.
    fn becomes(mut self, program: &str) -> Run {
        self.sim.host.restart();
        Run::on(self.sim.host, program)
    }

    /// The steps of a second run of the same program on the same host, and the host after it.
    fn again(mut self) -> (Vec<String>, Run) {
        self.sim.host.restart();
        let mut run = Run::on(self.sim.host, &self.program);
        (run.steps(), run)
    }

    fn world(&self) -> &World {
        self.sim.host.world()
    }

    fn read(&self, path: &str) -> String {
        self.world().read(path).map(|bytes| String::from_utf8_lossy(bytes).into_owned()).unwrap_or_default()
    }
}

const NOTHING: [&str; 0] = [];
