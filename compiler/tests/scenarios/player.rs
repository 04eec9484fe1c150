//! Plays acceptance scenarios on the simulated host: a program, steps done behind the agent's
//! back, and what is to be seen. The form of the steps is that of the runner for real hosts.

use mclive_compiler::brain::Brain;
use mclive_compiler::protocol::trace::{Header, Trace};
use mclive_compiler::protocol::{Deploy, Input, Moment, Options, StopMode, What};
use mclive_compiler::sim::{Replay, Sim, SimHost};
use mclive_compiler::vocab::FileKind;
use serde_json::Value;
use std::path::Path;

/// What `@ROOT@` stands for on the simulated host.
const ROOT: &str = "/scenario/root";
/// How often an expectation that is to last is looked at. Units: milliseconds.
const INTERVAL_MS: u64 = 20;

pub(crate) struct Player<'a> {
    folder: &'a Path,
    sim: Sim<Brain>,
    log: Vec<String>,
    n_interrupts: usize,
    runs: bool,
    killed: bool,
    status_file: Option<String>,
}

/// Plays a scenario. `Err` says which step failed, and why.
pub(crate) fn play(folder: &Path) -> Result<(), String> {
    let steps = std::fs::read_to_string(folder.join("expected.json")).map_err(|error| error.to_string())?;
    let steps: Value = serde_json::from_str(&steps.replace("@ROOT@", ROOT)).map_err(|error| error.to_string())?;
    let mut host = SimHost::new("host1");
    host.change(|world| world.make_dir(ROOT)).map_err(|error| error.message)?;
    let mut player = Player {
        folder,
        sim: Sim::new(Brain::new(), host),
        log: Vec::new(),
        n_interrupts: 0,
        runs: false,
        killed: false,
        status_file: None,
    };
    for (index, step) in steps.as_array().into_iter().flatten().enumerate() {
        player.step(step).map_err(|why| {
            let log = player.log.join("\n");
            format!("step {} {step}: {why}\n{log}", index + 1)
        })?;
    }
    player.replays()
}

impl Player<'_> {
    fn step(&mut self, step: &Value) -> Result<(), String> {
        let text = |name: &str| step[name].as_str().unwrap_or_default();
        match step["do"].as_str() {
            Some("run") => self.run(step),
            Some("sleep") => {
                self.pass(step["seconds"].as_f64().unwrap_or(0.0));
                Ok(())
            }
            Some("interrupt") => self.interrupt(step["signal"].as_str().unwrap_or("SIGINT")),
            Some(what) => {
                let mode = step["mode"].as_str().and_then(|mode| u32::from_str_radix(mode, 8).ok());
                let path = text("path").to_string();
                let (to, target, content) = (text("to"), text("target"), text("content").as_bytes().to_vec());
                let done = self.sim.change(|world| match what {
                    "write" => world.write(&path, content),
                    "rename" => world.rename(&path, to),
                    "remove" => world.remove(&path),
                    "mkdir" => world.make_dir(&path),
                    "chmod" => Ok(()),
                    "symlink" => world.symlink(&path, target),
                    other => panic!("a step that is not known: {other}"),
                });
                done.map_err(|error| error.message)?;
                match mode {
                    Some(mode) => self.sim.change(|world| world.chmod(&path, mode)).map_err(|error| error.message),
                    None => Ok(()),
                }
            }
            None => self.expect(step),
        }
    }

    fn run(&mut self, step: &Value) -> Result<(), String> {
        let name = step["program"].as_str().unwrap_or("main.mcl");
        let program = std::fs::read_to_string(self.folder.join(name)).map_err(|error| error.to_string())?;
        let mut options = Options { hostname: "host1".into(), ..Options::default() };
        let flags: Vec<&str> = step["flags"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let mut flags = flags.into_iter();
        while let Some(flag) = flags.next() {
            let mut number = || flags.next().and_then(|number| number.parse().ok()).unwrap_or(0);
            match flag {
                "--noop" => options.noop = true,
                "--converged-exit" => options.converged_exit = true,
                "--converger-timeout" => options.converger_timeout = number(),
                "--max-runtime" => options.max_runtime = number() as u64,
                "--sema" => options.sema = number() as u32,
                "--converger-status-file" => self.status_file = flags.next().map(String::from),
                other => return Err(format!("a flag that is not known: {other}")),
            }
        }
        if self.runs {
            self.replays()?;
            // Another start on the same host: a new brain, and its clock begins anew.
            let mut host = std::mem::replace(&mut self.sim, Sim::new(Brain::new(), SimHost::new(""))).host;
            host.restart();
            self.sim = Sim::new(Brain::new(), host);
        }
        self.runs = true;
        self.killed = false;
        self.n_interrupts = 0;
        let env: Vec<(String, String)> = step["env"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, value)| (name.clone(), value.as_str().unwrap_or_default().to_string()))
            .collect();
        self.sim.change(|world| world.env.extend(env));
        let files = vec![("/main.mcl".to_string(), program.replace("@ROOT@", ROOT).into_bytes())];
        self.sim.record();
        self.sim.tell(Input::Deploy(Deploy { files, entry: "/main.mcl".into(), options }));
        self.listen();
        Ok(())
    }

    /// What was recorded of the run gives the same decisions once more.
    fn replays(&mut self) -> Result<(), String> {
        let (inputs, digest) = self.sim.take_trace();
        let bytes = Trace { header: Header::new("host1"), inputs, n_lost: 0 }.to_bytes();
        let mut replay = Replay::new(Brain::new(), Trace::read(&bytes)?);
        while replay.step().is_some() {}
        if replay.digest() == digest { Ok(()) } else { Err("its trace replays otherwise".to_string()) }
    }

    fn interrupt(&mut self, signal: &str) -> Result<(), String> {
        if signal == "SIGKILL" {
            self.killed = true;
            self.sim.host.restart();
            return Ok(());
        }
        self.n_interrupts += 1;
        self.sim.tell(Input::Stop(match self.n_interrupts {
            1 => StopMode::Graceful,
            2 => StopMode::Soft,
            _ => StopMode::Hard,
        }));
        self.listen();
        Ok(())
    }

    fn pass(&mut self, seconds: f64) {
        let until = Moment(self.sim.now().0 + (seconds * 1e9) as u64);
        if self.killed {
            return;
        }
        while self.sim.step(until) {
            self.listen();
        }
        assert!(self.sim.advance(until, 1), "nothing more happens by then");
    }

    /// Takes in what was said, as an agent does that keeps a log and a status file.
    fn listen(&mut self) {
        for event in self.sim.take_reports() {
            let line = match &event.what {
                What::Resource { id, phase, text, .. } => format!("{id}: {phase:?} {text}"),
                What::Steps { id, steps } => {
                    let steps: Vec<&str> = steps.iter().map(|step| step.summary.as_str()).collect();
                    format!("{id}: {}", steps.join("; "))
                }
                What::Log { text } | What::Refused { text } | What::Stream { text } => text.clone(),
                other => format!("{other:?}"),
            };
            self.log.push(format!("{:9.3} {line}", event.at.0 as f64 / 1e9));
            let state = match event.what {
                What::Converged { .. } => "true\n",
                What::Unconverged => "false\n",
                _ => continue,
            };
            if let Some(file) = self.status_file.clone() {
                let done = self.sim.change(|world| {
                    let mut content = world.read(&file).map(<[u8]>::to_vec).unwrap_or_default();
                    content.extend_from_slice(state.as_bytes());
                    world.write(&file, content)?;
                    world.chmod(&file, 0o600)
                });
                done.expect("the status file can be written");
            }
        }
    }

    fn expect(&mut self, step: &Value) -> Result<(), String> {
        let number = |name: &str| step[name].as_f64();
        let end = Moment(self.sim.now().0 + (number("within").unwrap_or(0.0) * 1e9) as u64);
        while let Err(why) = self.holds(step) {
            if self.sim.now() >= end || self.killed {
                return Err(why);
            }
            let next = self.sim.now().plus_ms(INTERVAL_MS).min(end);
            self.pass((next.0 - self.sim.now().0) as f64 / 1e9);
        }
        let mut left = number("for").unwrap_or(0.0);
        while left > 0.0 && !self.killed {
            self.pass(INTERVAL_MS as f64 / 1e3);
            left -= INTERVAL_MS as f64 / 1e3;
            self.holds(step).map_err(|why| format!("did not last: {why}"))?;
        }
        Ok(())
    }

    fn holds(&self, step: &Value) -> Result<(), String> {
        let world = self.sim.host.world();
        let path = step["path"].as_str().unwrap_or_default();
        let stat = world.stat(path);
        let value = step["value"].as_str().unwrap_or_default();
        let read = || world.read(path).map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        let within = |n: usize| {
            let bound = |name: &str| step[name].as_u64().or(step["value"].as_u64()).or(step["count"].as_u64());
            let (low, high) = (bound("min").unwrap_or(0), bound("max").unwrap_or(u64::MAX));
            (low..=high).contains(&(n as u64)).then_some(()).ok_or_else(|| format!("{n}, not {low} to {high}"))
        };
        let truth = |holds: bool, why: String| if holds { Ok(()) } else { Err(why) };
        match step["expect"].as_str().unwrap_or_default() {
            "content" => {
                let held = read().map_err(|error| error.message)?;
                truth(held == value, format!("{path} holds {held:?}"))
            }
            "lines" => within(read().map(|text| text.matches('\n').count()).unwrap_or(0)),
            "absent" => truth(stat.is_none(), format!("{path} exists")),
            "isdir" => truth(stat.is_some_and(|stat| stat.kind == FileKind::Dir), format!("{path} is no directory")),
            "mode" => {
                let mode = stat.map_or(0o77777, |stat| stat.mode);
                truth(Some(mode) == u32::from_str_radix(value, 8).ok(), format!("{path} has mode {mode:04o}"))
            }
            "symlink" => {
                let target = stat.and_then(|stat| stat.target);
                truth(target.as_deref() == Some(value), format!("{path} links to {target:?}"))
            }
            "running" => truth(self.sim.exit().is_none() && !self.killed, format!("it ended: {:?}", self.sim.exit())),
            "exit" => {
                let status = if self.killed { Some(-9) } else { self.sim.exit() };
                let wanted = step["value"].as_i64().map(|status| status as i32);
                truth(status.is_some() && (wanted.is_none() || status == wanted), format!("its status is {status:?}"))
            }
            "log" => {
                let printed = self.sim.snapshot().log;
                let lines = self.log.iter().map(String::as_str).chain(printed.iter().map(|line| line.text.as_str()));
                let n = lines.filter(|line| line.contains(value) && !line.contains(": print ")).count();
                let (low, high) = (step["min"].as_u64(), step["max"].as_u64());
                if low.is_none() && high.is_none() && step["count"].is_null() {
                    return truth(n > 0, format!("the log does not say {value:?}"));
                }
                let count = step["count"].as_u64();
                let low = low.or(count).unwrap_or(0);
                let high = high.or(count).unwrap_or(u64::MAX);
                truth((low..=high).contains(&(n as u64)), format!("the log says {value:?} {n} times"))
            }
            other => panic!("an expectation that is not known: {other}"),
        }
    }
}
