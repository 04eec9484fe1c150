//! Events: changes made by a scenario to its hosts and their agents.

use crate::protocol::{Deploy, Input};
use crate::stage::Stage;
use crate::step::{Event, Flag};

/// Performs an event on one host, or on all. Errors: why it is impossible.
pub(crate) fn act(stage: &mut Stage, on: Option<&str>, event: &Event) -> Result<(), String> {
    stage.forget_steps();
    if let Event::Join { host } = event {
        return stage.join(host);
    }
    if let Event::Given { name, value } = event {
        stage.givens.insert(name, value.clone());
        return Ok(());
    }
    let hosts = stage.hosts.in_turn(stage.hosts_of(on)?);
    let is_one = hosts.len() == 1;
    for host in &hosts {
        let done = act_on(stage, host, event);
        done.map_err(|why| if is_one { why } else { format!("{host}: {why}") })?;
        stage.listen(host);
    }
    Ok(())
}

fn act_on(stage: &mut Stage, name: &str, event: &Event) -> Result<(), String> {
    match event {
        Event::Leave => return stage.leave(name),
        Event::Pause => return stage.hosts.pause(name),
        Event::Resume => {
            stage.hosts.resume(name)?;
            return stage.catch_up(name);
        }
        Event::Disconnect => return stage.hosts.disconnect(name),
        Event::Reconnect => {
            stage.hosts.reconnect(name)?;
            return stage.catch_up(name);
        }
        _ => {}
    }
    let entry = match event {
        Event::Run { program, .. } => stage.entry(program.as_deref())?,
        Event::Deploy { program } => stage.entry(Some(program))?,
        _ => String::new(),
    };
    let files = match entry.is_empty() {
        true => Vec::new(),
        false => stage.givens.applied(&stage.program.files, &entry)?,
    };
    if !entry.is_empty() {
        stage.note(name, &entry);
    }
    let is_paused = stage.hosts.is_paused(name);
    let is_away = is_paused || stage.hosts.is_disconnected(name);
    let host = stage.hosts.at_hand(name)?;
    match event {
        Event::Run { flags, .. } => {
            if host.has_agent {
                host.leave();
            }
            let options = host.options(flags);
            let known_as = Some(options.hostname.clone());
            host.sim.change(|world| world.known_as = known_as);
            host.has_agent = true;
            host.status_file = flags.iter().rev().find_map(|flag| match flag {
                Flag::ConvergerStatusFile(path) => Some(path.clone()),
                _ => None,
            });
            host.entry.clone_from(&entry);
            host.tell(Input::Deploy(Deploy { files, entry, options }), is_paused);
        }
        Event::Deploy { .. } => {
            if !host.has_agent || host.sim.exit().is_some() {
                return Err("no agent is running; start one with `run`".into());
            }
            let options = host.options(&[]);
            host.entry.clone_from(&entry);
            host.tell(Input::Deploy(Deploy { files, entry, options }), is_away);
        }
        Event::Stop(_) => {
            let mode = host.next_stop();
            host.tell(Input::Stop(mode), is_paused);
        }
        Event::Kill => host.leave(),
        event => host.sim.change(|world| world.happen(event)).map_err(|error| error.to_string())?,
    }
    Ok(())
}
