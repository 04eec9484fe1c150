//! `fleet MCLIVE DIR`: a cluster to try on one machine: an etcd with three members, and five agents that take its
//! deploys, until ^C. Each agent may change its own folder below DIR and nothing else. `make fleet` starts it.

use mclive_kit::etcd::Etcd;
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};

const HOSTS: [&str; 5] = ["web1", "web2", "web3", "db1", "db2"];
const N_MEMBERS: usize = 3;
const PROGRAM: &str = include_str!("fleet.mcl");
/// How long the first deploy may take to all hosts. Units: seconds.
const PATIENCE: &str = "60";

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(mclive), Some(dir)) = (args.next(), args.next()) else {
        eprintln!("usage: fleet MCLIVE DIR       (`make fleet`)");
        return ExitCode::FAILURE;
    };
    match run(&mclive, &dir) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("fleet: error: {why}");
            ExitCode::FAILURE
        }
    }
}

fn run(mclive: &Path, dir: &Path) -> Result<(), String> {
    // Before anything is started, so that none of it outlives a ^C.
    let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(|error| format!("cannot handle signals: {error}"))?;
    let fails = |error: std::io::Error| format!("cannot use {}: {error}", dir.display());
    fs::create_dir_all(dir).map_err(fails)?;
    let dir = &dir.canonicalize().map_err(fails)?;
    let mclive = &mclive.canonicalize().map_err(|error| format!("cannot run {}: {error}", mclive.display()))?;
    // What an earlier fleet has left would be taken for news of this one.
    for folder in ["hosts", "state", "log"] {
        let folder = dir.join(folder);
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(fails)?;
        }
        fs::create_dir_all(&folder).map_err(fails)?;
    }
    let program = dir.join("fleet.mcl");
    fs::write(&program, PROGRAM.replace("@DIR@", &dir.to_string_lossy())).map_err(fails)?;

    println!("Starting an etcd cluster with {N_MEMBERS} members");
    let members = Etcd::cluster(N_MEMBERS).ok_or("etcd is missing: run `make installed`")?;
    let world = members.iter().map(Etcd::url).collect::<Vec<_>>().join(",");
    println!("Starting {} agents: {}", HOSTS.len(), HOSTS.join(", "));
    let mut agents = Agents(Vec::new());
    for host in HOSTS {
        agents.0.push(Agent::start(mclive, dir, host, &world)?);
    }
    println!("\n$ mclive deploy --wait {PATIENCE} {}", program.display());
    let mut deploy = Command::new(mclive);
    deploy.args(["deploy", "--wait", PATIENCE, "--world", &world]).arg(&program).process_group(0);
    let deployed = deploy.status().map_err(|error| format!("cannot run {}: {error}", mclive.display()))?;
    if !deployed.success() {
        return Err(format!("the deploy failed; see {}", dir.join("log").display()));
    }
    println!("{}", what_to_try(mclive, dir, &world, &agents.0));
    signals.forever().next();
    println!("\nEnding the agents, then the etcd");
    drop(agents);
    drop(members);
    Ok(())
}

fn what_to_try(mclive: &Path, dir: &Path, world: &str, agents: &[Agent]) -> String {
    let (mclive, dir) = (mclive.display(), dir.display());
    let first = agents.first().map_or(0, |agent| agent.child.id());
    let commands = [
        ("mclive world hosts".to_owned(), "the deploy of each host"),
        (format!("grep -r . {dir}/hosts"), "what the hosts have written"),
        ("mclive world set colour green".to_owned(), "each host writes it at once"),
        ("mclive world watch".to_owned(), "each change of what they share"),
        ("mclive world schedule".to_owned(), "who is elected"),
        (format!("kill -9 {first}"), "web1 dies: if it was elected, another host is after 5 s"),
        (format!("vi {dir}/fleet.mcl"), "change the program,"),
        (format!("mclive deploy --wait 60 {dir}/fleet.mcl"), "and deploy it to all hosts"),
        ("mclive deploy --back".to_owned(), "the one before"),
    ];
    let widest = commands.iter().map(|(command, _)| command.len()).max().unwrap_or(0);
    let lines = commands.map(|(command, what)| format!("  {command:<widest$}  # {what}\n")).concat();
    format!(
        "
Try in another terminal:

  export MCLIVE_WORLD={world}
  alias mclive={mclive}
{lines}
Logs: {dir}/log. Press ^C to end the fleet."
    )
}

/// The agents. They end together: one after the other, each would be elected in the place of the one before.
struct Agents(Vec<Agent>);

impl Drop for Agents {
    fn drop(&mut self) {
        for Agent { child } in &self.0 {
            let _ = kill_process(Pid::from_child(child), Signal::TERM);
        }
    }
}

/// The agent of a host, which was told to end before it is dropped.
struct Agent {
    child: Child,
}

impl Agent {
    fn start(mclive: &Path, dir: &Path, host: &str, world: &str) -> Result<Agent, String> {
        let (state, own) = (dir.join("state").join(host), dir.join("hosts").join(host));
        let policy = dir.join("state").join(format!("{host}.toml"));
        let fails = |error: std::io::Error| format!("cannot start the agent of {host}: {error}");
        fs::create_dir_all(&own).map_err(fails)?;
        let rules = format!("kinds = ['file', 'kv', 'schedule']\npaths = ['{0}', '{0}/**']\n", own.display());
        fs::write(&policy, rules).map_err(fails)?;
        let log = File::create(dir.join("log").join(host)).map_err(fails)?;
        let mut command = Command::new(mclive);
        command.args(["run", "--world", world, "--world-ttl", "5", "--hostname", host, "--prefix"]).arg(state);
        // Signals of the terminal are for the fleet: it ends the agents before their store.
        command.arg("--policy").arg(policy).process_group(0).stdin(Stdio::null());
        command.stdout(log.try_clone().map_err(fails)?).stderr(log);
        command.spawn().map(|child| Agent { child }).map_err(fails)
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.child.wait();
    }
}
