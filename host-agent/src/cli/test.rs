//! `mclive test`: scenarios.

use super::Output;
use clap::Args;
use std::path::PathBuf;

pub(super) const SCENARIOS: &str = "\
A scenario is a file next to its program or model (`main.mcl` and `comes-back.scenario`), or a
section of a text archive:

    # The message of the day is restored after it is removed.
    write /etc/motd \"old\"
    run
    expect file /etc/motd holds \"welcome\\n\"
    remove /etc/motd
    expect file /etc/motd holds \"welcome\\n\" within 1s
    expect no steps for 1h

Each line is a step. The host is simulated and its time is virtual: a year without events passes
instantly. With --real, the steps run on this machine, in namespaces with their own files, accounts
and processes. Scenarios that need more, such as systemd or a faked command, are skipped with a
reason, and `for` observes a claim for at most 3 s.

Without a `host` line, there is one host. With several, a line applies to all of them unless `on`
names one. They share exported resources, published values and votes:

    host web1
    host web2
    on web2 environment ROLE \"spare\"
    run
    on web1 pause
    on web2 expect file /srv/role holds \"first\" within 1m

Events:
  host NAME               add a host without an agent; at most 20
  on HOST STEP            apply the step to this host only
  pause, resume           freeze and disconnect the host; let it continue
  leave                   remove the host permanently
  disconnect, reconnect   cut the running host off from the shared store; undo that
  run [PROGRAM] [--noop] [--once] [--hostname NAME] ...
                          start or restart the agent; by default with main.mcl or main.cf
  deploy PROGRAM          give the running agent another program
  stop, terminate, kill   send ^C (repeat it to stop faster), SIGTERM or SIGKILL
  wait TIME               let time pass: 500ms, 10s, 5m, 1h, 2d
  write PATH TEXT, replace PATH TEXT, append PATH TEXT, remove PATH, rename PATH PATH, folder PATH,
  mode PATH 0644, own PATH USER [GROUP], link PATH TARGET
                          change files from outside; `replace` renames a new file into place
  command LINE [prints TEXT] [exits STATUS] [takes TIME]
                          define what this command line does from now on
  environment NAME VALUE, hostname NAME, load NUMBER
                          change the host itself
  unit NAME dies|enabled|disabled, uninstall PACKAGE, unmount PATH
                          change the system from outside
  clock 08:30             move the clock forward to this time of day, UTC
  set SUBJECT THING FIELD VALUE, do SUBJECT THING VERB
                          change what the playground lists for the host, such as
                          `set Account bob shell /bin/sh`, `do Unit nginx.service stop`
  post URL KEY=VALUE      submit a form to a web server on the host

  given $NAME is VALUE    override a variable of the program from the next `run` on
  seed NUMBER             set the seed of the scenario: for random values, and for the order of
                          simultaneous events on one or more hosts
  hint TEXT               show this text if a later line fails
  real REASON             run this scenario on a real host only

Expectations: `expect [now|always|never] CLAIM [within TIME] [for TIME]`. By default, the claim is
checked once the host is quiet. `within`: it must become true within this time; `for`: it must stay
true this long; `always`, `never`: for the rest of the scenario.
  [no] file|folder|link|path PATH          file PATH holds|contains|lacks TEXT
  link PATH leads to TARGET                file PATH has mode 0644|owner NAME|group NAME|N lines
  [no] resource KIND[NAME]                 resource KIND[NAME] has FIELD VALUE
  [no] edge KIND[NAME] -> KIND[NAME]       resource KIND[NAME] is STATE: failed, retrying, waiting,
                                           changed or limited
  [no|N|at least N|at most N] steps [of KIND[NAME]]
                                           changes to the host since the last event, or during `for`
  [no] output TEXT [N times]               [no] error [CODE]
  value $NAME is 8 or \"TEXT\"             value $NAME shows \"[1, 2]\" (both MCL only)
  [no] function iter.map (MCL only)        command LINE ran N times
  [no] user|group NAME                     user NAME has uid|shell|home|group VALUE
  [no] package NAME, [no] mount PATH       unit NAME is running|stopped|failed|enabled|disabled
  [no] page URL                            page URL holds|contains|lacks TEXT
  key NAME is VALUE, no key NAME           (in the shared store)
  hostname NAME                            running, ended [with STATUS|with failure]

Simultaneous events have a fixed order, unless a seed selects another one. `--seeds 20` tries 20
orders and finds programs that depend on an order without declaring it, such as one that lacks an
edge. Each failure shows its seed, and the command that reproduces it.

Exit codes: 0 all scenarios passed, 1 at least one failed, 2 usage error.";

/// The value of `--seed`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Seed {
    Number(u64),
    /// One that is chosen for each run.
    Random,
}

fn seed(text: &str) -> Result<Seed, String> {
    match text {
        "random" => Ok(Seed::Random),
        number => number.parse().map(Seed::Number).map_err(|_| "expected a number or `random`".to_owned()),
    }
}

#[derive(Args)]
pub(crate) struct Test {
    /// Scenarios (`*.scenario`), text archives (`*.txtar`), directories that contain them, or links [default: the current directory]
    pub(crate) paths: Vec<PathBuf>,
    /// Run only scenarios whose names contain this text
    #[arg(long, value_name = "TEXT")]
    pub(crate) filter: Option<String>,
    /// Run only the scenario whose whole name is that given to --filter
    #[arg(long, requires = "filter")]
    pub(crate) exact: bool,
    /// List the scenarios without running them
    #[arg(long)]
    pub(crate) list: bool,
    /// Also list passing scenarios
    #[arg(short, long)]
    pub(crate) verbose: bool,
    /// Run on this host, in real time, in namespaces with their own files and accounts
    #[arg(long, conflicts_with = "coverage")]
    pub(crate) real: bool,
    /// List the resources and branches that no scenario covers
    #[arg(long)]
    pub(crate) coverage: bool,
    /// Seed for random values and for the order of simultaneous events; `random` chooses one [default: the scenario's seed, or 0, which keeps the usual order]
    #[arg(long, value_name = "NUMBER|random", value_parser = seed, conflicts_with = "real")]
    pub(crate) seed: Option<Seed>,
    /// Run each scenario with this many seeds, starting at --seed or 1, until one fails
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000), conflicts_with = "real")]
    pub(crate) seeds: Option<u32>,
    /// Also write a JUnit XML report
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Run again whenever a file changes, until interrupted
    #[arg(long, conflicts_with_all = ["junit", "list"])]
    pub(crate) watch: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}
