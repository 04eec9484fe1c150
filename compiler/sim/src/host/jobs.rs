//! Carries out lists of probes and steps, with the commands among them.

use super::{Due, SimHost};
use crate::command::line_of;
use crate::job::{Job, Next, Work, interrupted};
use crate::process::{Process, Progress};
use crate::protocol::{Input, ResourceId, StopMode, Ticket};
use crate::vocab::{CommandSpec, HostError, HostErrorKind};

impl SimHost {
    pub(super) fn begin(&mut self, ticket: Ticket, id: ResourceId, work: Work) {
        let job = Job { id, work, process: None, wake: None, stopped: false };
        self.jobs.insert(ticket, Box::new(job));
        self.soon(Due::Job(ticket));
    }

    /// Continues until something takes time, or everything is done.
    pub(super) fn go_on(&mut self, ticket: Ticket) {
        let Some(mut job) = self.jobs.remove(&ticket) else { return };
        job.wake = None;
        loop {
            if let Some(mut process) = job.process.take() {
                match process.resume(&mut self.world.tree, &mut self.world.subjects.server, &mut self.world.commands) {
                    Progress::Sleeping(ms) => {
                        job.process = Some(process);
                        job.wake = Some(self.at(self.now.plus_ms(ms), Due::Job(ticket)));
                        self.jobs.insert(ticket, job);
                        self.tell_reported();
                        return;
                    }
                    Progress::Ended(outcome) => {
                        self.world.commands.log.ends(&process.listed_as, &outcome);
                        self.world.commands.log.rests(&process.listed_as);
                        let ended = if job.stopped { Err(interrupted(&process.line)) } else { Ok(outcome) };
                        job.ended(ended);
                    }
                }
            }
            let mut printed = Vec::new();
            let next = job.next(&mut self.world, &mut self.states, &mut printed);
            printed.into_iter().for_each(|text| self.write_log(text));
            match next {
                Next::Command(spec) if job.stopped => job.ended(Err(interrupted(&spec.argv.join(" ")))),
                Next::Command(spec) => match self.start_process(&spec) {
                    Ok(process) => {
                        self.world.commands.log.runs(&process.listed_as);
                        job.process = Some(process);
                    }
                    Err(error) => job.ended(Err(error)),
                },
                Next::Later(_) if job.stopped => job.give_up(),
                Next::Later(ms) => {
                    job.wake = Some(self.at(self.now.plus_ms(ms), Due::Job(ticket)));
                    self.jobs.insert(ticket, job);
                    self.tell_reported();
                    return;
                }
                Next::Did => {}
                Next::Over => break,
            }
        }
        let answer = match job.work {
            Work::Probes { seen, .. } => Input::Probed(ticket, seen),
            Work::Steps { done, .. } => Input::Applied(ticket, done),
        };
        self.tell_reported();
        self.at(self.now, Due::Answer(answer));
    }

    pub(super) fn start_process(&mut self, spec: &CommandSpec) -> Result<Process, HostError> {
        for (name, accounts) in [
            (&spec.user, self.world.users.contains_key(&spec.user)),
            (&spec.group, self.world.groups.contains_key(&spec.group)),
        ] {
            if !name.is_empty() && !accounts && name.parse::<u32>().is_err() {
                return Err(HostError::new(HostErrorKind::NotFound, format!("unknown user or group {name}")));
            }
        }
        let line = line_of(&spec.argv);
        self.world.commands.log.begins(&line);
        let scripted = self.world.commands.start(&spec.argv);
        let started = Process::start(spec, scripted, &self.world.tree, &self.world.hostname);
        started.map_err(|error| {
            self.world.commands.log.fails(&line, &error);
            HostError::new(HostErrorKind::NotFound, error)
        })
    }

    /// Ends the commands that were killed by hand.
    pub(super) fn kill_commands(&mut self) {
        for line in self.world.commands.log.take_killed() {
            let runs = |job: &Job| job.process.as_ref().is_some_and(|process| process.listed_as == line);
            let killed = self.jobs.iter().filter(|(_, job)| runs(job)).map(|(ticket, _)| *ticket);
            killed.collect::<Vec<_>>().into_iter().for_each(|ticket| self.kill(ticket));
        }
    }

    fn kill(&mut self, ticket: Ticket) {
        let Some(job) = self.jobs.get_mut(&ticket) else { return };
        let Some(mut process) = job.process.take() else { return };
        if let Some(Progress::Ended(outcome)) = process.signal("SIGKILL") {
            self.world.commands.log.ends(&process.listed_as, &outcome);
            self.world.commands.log.rests(&process.listed_as);
            let ended = if job.stopped { Err(interrupted(&process.line)) } else { Ok(outcome) };
            job.ended(ended);
        }
        if let Some(key) = job.wake.take() {
            self.due.remove(&key);
        }
        self.at(self.now, Due::Job(ticket));
    }

    pub(super) fn cancel(&mut self, ticket: Ticket, mode: StopMode) {
        let Some(job) = self.jobs.get_mut(&ticket) else { return };
        // Only commands take long here, and those finish.
        if mode == StopMode::Graceful {
            return;
        }
        job.stopped = true;
        let Some(process) = &mut job.process else {
            // It waits for something other than a command.
            if let Some(key) = job.wake.take() {
                self.due.remove(&key);
                self.at(self.now, Due::Job(ticket));
            }
            return;
        };
        let signal = if mode == StopMode::Soft { process.stop_signal().to_string() } else { "SIGKILL".to_string() };
        let state = process.signal(&signal);
        if let Some(Progress::Sleeping(_)) = state {
            return; // it does not care
        }
        if let Some(Progress::Ended(outcome)) = state {
            self.world.commands.log.ends(&process.listed_as, &outcome);
            self.world.commands.log.rests(&process.listed_as);
            let line = process.line.clone();
            job.process = None;
            job.ended(Err(interrupted(&line)));
        }
        // A trap runs immediately.
        if let Some(key) = job.wake.take() {
            self.due.remove(&key);
        }
        self.at(self.now, Due::Job(ticket));
    }
}
