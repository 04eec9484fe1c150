//! The command line. Names of options follow mgmt where mgmt has them (engine spec, 24).

mod access;
mod apply;
mod deploy;
mod hosting;
mod key;
mod world;

pub(crate) use access::Access;
pub(crate) use apply::{Plan, Replay, Replayed, Run, Why, Work};
pub(crate) use deploy::Deploy;
pub(crate) use hosting::{Open, Serve, Share};
pub(crate) use key::{KeyCommand, Keys};
pub(crate) use world::{Key, Leave, NO_WORLD, SharedWorld, WorldCommand};

use crate::output;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

const EXIT_CODES: &str = "\
Exit codes:
  0   success; `plan` without --detailed-exitcode: also if something would change
  1   the program was refused, the time limit was reached, the run could not continue, or its output could not be written
  2   usage error: unknown option, missing file, damaged link, invalid policy
  3   the run completed, but a resource failed
  70  the sandboxed compiler crashed, exceeded a limit or could not start; nothing was changed by this

INPUT is a file (`main.mcl`, `main.cf`), a module or project directory, `-` (standard input) or a link (`https://…/s/…`, `https://…#c=…`).";

/// Additional help of `plan` and `run`, besides the exit codes.
fn work_help() -> String {
    let example: String =
        include_str!("../policy/webserver.toml").lines().map(|line| format!("    {line}\n")).collect();
    format!("{EXIT_CODES}\n\n{}{}", include_str!("../policy/help.txt"), example.trim_end())
}

const SCENARIOS: &str = "\
A scenario is a file next to its program or model (`main.mcl` and `comes-back.scenario`), or a section of a text archive:

    # The message of the day is restored after it is removed.
    write /etc/motd \"old\"
    run
    expect file /etc/motd holds \"welcome\\n\"
    remove /etc/motd
    expect file /etc/motd holds \"welcome\\n\" within 1s
    expect no steps for 1h

Each line is a step. The host is simulated and its time is virtual: a year without events passes instantly. With --real, the
steps run on this machine, in namespaces with their own files, accounts and processes; scenarios that need more,
such as systemd or a faked command, are skipped with a reason, and `for` watches a claim for at most 3 s.

Without a `host` line there is one host. With several, a line applies to all of them unless `on` names one. They share
exported resources, published values and votes:

    host web1
    host web2
    on web2 environment ROLE \"spare\"
    run
    on web1 pause
    on web2 expect file /srv/role holds \"first\" within 1m

Events:
  host NAME                                               add a host without an agent; at most 20
  on HOST STEP                                            apply the step to this host only
  pause, resume, leave                                    freeze the host and cut it off; let it continue; remove it for good
  run [PROGRAM] [--noop] [--once] [--hostname NAME] ...   start or restart the agent; main.mcl or main.cf by default
  deploy PROGRAM                                          give the running agent another program
  stop, terminate, kill                                   send ^C (repeat it to stop faster), SIGTERM or SIGKILL
  wait TIME                                               let time pass: 500ms, 10s, 5m, 1h, 2d
  write PATH TEXT, replace PATH TEXT, append PATH TEXT, remove PATH, rename PATH PATH, folder PATH, mode PATH 0644,
  own PATH USER [GROUP], link PATH TARGET                 change files from outside; `replace` renames a new file into place
  command LINE [prints TEXT] [exits STATUS] [takes TIME]  define what this command line does from now on
  environment NAME VALUE, hostname NAME, load NUMBER      change the host itself
  unit NAME dies|enabled|disabled, uninstall PACKAGE, unmount PATH   change the system from outside
  clock 08:30                                             move the clock forward to this time of day, UTC
  set SUBJECT THING FIELD VALUE, do SUBJECT THING VERB    change what the playground lists for the host, such as
                                                          `set user alice shell /bin/sh`, `do unit nginx.service stop`
  post URL KEY=VALUE                                      submit a form to a web server on the host

  hint TEXT                                               show this text if a later line fails
  real REASON                                             run this scenario on a real host only

Expectations: `expect [now|always|never] CLAIM [within TIME] [for TIME]`. By default, the claim is checked once the host
is quiet. `within`: it must become true within this time; `for`: it must stay true this long; `always`, `never`: for
the rest of the scenario.
  [no] file|folder|link|path PATH          file PATH holds|contains|lacks TEXT
  link PATH leads to TARGET                file PATH has mode 0644|owner NAME|group NAME|N lines
  [no] resource KIND[NAME]                 resource KIND[NAME] has FIELD VALUE
  [no] edge KIND[NAME] -> KIND[NAME]       resource KIND[NAME] is failed|retrying|waiting|changed|limited
  [no|N|at least N|at most N] steps [of KIND[NAME]]       changes to the host since the last event, or during `for`
  [no] output TEXT [N times], [no] error [CODE]   value $NAME is 8 or \"a text\"; value $NAME shows \"[1, 2]\" (MCL only)
  command LINE ran N times                 [no] user|group NAME, hostname NAME
  unit NAME is running|stopped|failed|enabled|disabled    [no] package NAME, [no] mount PATH
  [no] page URL                            page URL holds|contains|lacks TEXT
  user NAME has uid|shell|home|group VALUE key NAME is VALUE, no key NAME (in the cluster's store)
  running, ended [with STATUS|with failure]

Exit codes: 0 all scenarios passed, 1 at least one failed, 2 usage error.";

const EDITOR: &str = "\
Services:
  hover        type and documentation of the name at the position
  completion   completions at the position
  signature    parameters of the call around the position
  definition   where the name is defined
  uses         all references to the name
  rename       edits that rename it (--name), or why it cannot be renamed
  symbols      definitions and declarations of the file (no position needed)
  tokens       tokens of the file with their kinds (no position needed)

  mclive editor hover main.mcl:3:8
  mclive editor rename main.mcl:3:8 --name colour

Lines and columns start at 1; columns count characters. Files in the answer are paths relative to the
program; offsets count bytes. `mclive docs --schema editor-answer` describes the answers.";

/// MCL, live: apply a program to this host and keep the host in the described state
#[derive(Parser)]
#[command(name = "mclive", version, after_help = EXIT_CODES, max_term_width = 110)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Check a program for errors in names, types and graph
    #[command(after_help = EXIT_CODES)]
    Check(Check),
    /// Print a program's function graph, model or resource graph
    Graph(Graph),
    /// Show what `run` would change, with diffs for files, without changing anything
    #[command(after_help = EXIT_CODES, after_long_help = work_help())]
    Plan(Plan),
    /// Apply a program to this host and keep the host in the described state
    #[command(after_help = EXIT_CODES, after_long_help = work_help(), mut_arg("input", |input| omissible(input, "A file, a module directory, `-`, or a link [default with --world: the newest deploy]")))]
    Run(Run),
    /// Create a starter program with a test scenario
    Init(Init),
    /// Test programs with scenarios, on simulated hosts in virtual time or on a real host
    #[command(after_help = SCENARIOS, after_long_help = SCENARIOS)]
    Test(Test),
    /// Format MCL and Inmanta files
    Fmt(Fmt),
    /// Explain a diagnostic code, such as E0301
    Explain(Explain),
    /// Print the reference for functions and resources
    Docs(Docs),
    /// Answer an editor request about a position in a program, as JSON
    #[command(after_help = EDITOR)]
    Editor(Editor),
    /// Explain why a resource was changed, failed or is waiting, using a log or the running agent
    Why(Why),
    /// Store a program for all hosts that share an etcd (`run --world`)
    #[command(after_help = EXIT_CODES, mut_arg("input", |input| omissible(input, "A file, a module directory, `-`, or a link")))]
    Deploy(Deploy),
    /// Create and show the key that deploys are signed with
    Key(Keys),
    /// Show and change what several hosts share in an etcd (`run --world`)
    World(SharedWorld),
    /// Replay a recorded run; the outputs are identical on any machine
    Replay(Replay),
    /// Serve the playground, with short links, embeds and an API
    Serve(Serve),
    /// Print a link to a program or a recorded run
    Share(Share),
    /// Open a program in the playground, in this machine's browser
    Open(Open),
    /// Terminate the process groups of an agent that has exited; started by agents
    #[command(name = crate::process::REAPER, hide = true)]
    Reap,
    /// Run a scenario as the first process of its namespaces; started by `test --real`
    #[command(name = crate::command::PLAY, hide = true)]
    Play,
}

#[derive(Args, Clone, Default)]
pub(crate) struct Input {
    /// A file, a module directory, `-`, or a link
    pub(crate) input: String,
    /// File name to assume for standard input; its extension selects the language
    #[arg(long, value_name = "NAME")]
    pub(crate) stdin_name: Option<String>,
    /// Directory of imported modules (`DIR/github.com/…`)
    #[arg(long, value_name = "DIR", env = "MGMT_MODULE_PATH")]
    pub(crate) module_path: Option<PathBuf>,
    /// Download missing modules with git, into `modules/` next to the program or --module-path
    #[arg(long)]
    pub(crate) download: bool,
    /// Also update modules that were downloaded earlier
    #[arg(long)]
    pub(crate) update: bool,
    /// Maximum import depth; 1 means direct imports only
    #[arg(long, value_name = "N", default_value_t = -1, allow_negative_numbers = true)]
    pub(crate) depth: i64,
    /// Environment variable that a model may read with `std::get_env` (repeatable). `check` passes no others; `run`, `plan`
    /// and `graph` also read those of this host
    #[arg(long = "env", value_name = "NAME[=VALUE]", value_parser = variable)]
    pub(crate) variables: Vec<String>,
}

/// The input of a command that was given none. No argument can hold this byte.
const OMITTED: &str = "\0";

impl Input {
    /// Whether none was given, to a command that allows it ([`omissible`]).
    pub(crate) fn is_omitted(&self) -> bool {
        self.input == OMITTED
    }
}

/// An argument for an input that need not be given.
fn omissible(input: clap::Arg, help: &'static str) -> clap::Arg {
    input.required(false).default_value(OMITTED).hide_default_value(true).help(help)
}

/// A variable with or without a value.
fn variable(text: &str) -> Result<String, String> {
    let name = text.split_once('=').map_or(text, |(name, _)| name);
    match name.is_empty() || text.contains('\0') {
        true => Err("expected NAME or NAME=VALUE".into()),
        false => Ok(text.to_owned()),
    }
}

#[derive(Args)]
pub(crate) struct Check {
    #[command(flatten)]
    pub(crate) input: Input,
    /// Check a model for this host only [default: all hosts]
    #[arg(long)]
    pub(crate) hostname: Option<String>,
    /// Disable lints by name or code: `unused_variable`, `W0001`, `all`
    #[arg(long, value_name = "LINTS", value_delimiter = ',')]
    pub(crate) allow: Vec<String>,
    /// Report lints as warnings (the default)
    #[arg(long, value_name = "LINTS", value_delimiter = ',')]
    pub(crate) warn: Vec<String>,
    /// Report lints as errors
    #[arg(long, value_name = "LINTS", value_delimiter = ',')]
    pub(crate) deny: Vec<String>,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Args, Clone)]
pub(crate) struct Output {
    /// Print JSON even on a terminal
    #[arg(long)]
    pub(crate) json: bool,
    /// When to use colours
    #[arg(long, value_enum, default_value_t = Colour::Auto)]
    pub(crate) color: Colour,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    Auto,
    Always,
    Never,
}

#[derive(Args)]
pub(crate) struct Graph {
    #[command(flatten)]
    pub(crate) input: Input,
    /// Graph to print [default: the function graph of a program, the instances of a model]
    #[arg(long, value_enum)]
    pub(crate) of: Option<Which>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    /// Name of this host in the program [default: the system's host name; all hosts of a model]
    #[arg(long)]
    pub(crate) hostname: Option<String>,
    /// Use the name and facts of a simulated host instead of this host's
    #[arg(long)]
    pub(crate) any_host: bool,
    /// When to use colours
    #[arg(long, value_enum, default_value_t = Colour::Auto)]
    pub(crate) color: Colour,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Which {
    /// The function graph with every operation of the engine
    Functions,
    /// The function graph in the program's own words
    Words,
    /// The instances of a model
    Model,
    /// The resources
    Resources,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Format {
    Text,
    Json,
    Dot,
}

#[derive(Args)]
pub(crate) struct Fmt {
    /// Files, directories (searched for `.mcl` and `.cf` files), links, or `-`; a program from a link is printed
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Exit with an error if a file is not formatted; change nothing
    #[arg(long)]
    pub(crate) check: bool,
    /// File name to assume for standard input; its extension selects the language
    #[arg(long, value_name = "NAME")]
    pub(crate) stdin_name: Option<String>,
    /// When to use colours
    #[arg(long, value_enum, default_value_t = Colour::Auto)]
    pub(crate) color: Colour,
}

#[derive(Args)]
pub(crate) struct Explain {
    /// A code such as E0301, or the name of a lint; omit it to list all codes
    pub(crate) code: Option<String>,
    /// When to use colours
    #[arg(long, value_enum, default_value_t = Colour::Auto)]
    pub(crate) color: Colour,
}

#[derive(Args)]
pub(crate) struct Docs {
    /// A function, resource kind, module, `functions` or `resources`; omit it to list all
    pub(crate) name: Option<String>,
    /// Print JSON instead of Markdown
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the JSON schema of an output: `run-line` (of run, plan and --log), `diagnostics` (of check), `resource-graph`,
    /// `function-graph`, `editor-answer`
    #[arg(long, value_name = "NAME", conflicts_with = "name")]
    pub(crate) schema: Option<String>,
}

#[derive(Args)]
pub(crate) struct Editor {
    /// Service to run
    #[arg(value_enum)]
    pub(crate) service: EditorService,
    /// Position in a program
    #[arg(value_name = "FILE[:LINE[:COLUMN]]")]
    pub(crate) place: String,
    /// New name, for `rename`
    #[arg(long, required_if_eq("service", "rename"))]
    pub(crate) name: Option<String>,
    /// Directory of imported modules (`DIR/github.com/…`)
    #[arg(long, value_name = "DIR", env = "MGMT_MODULE_PATH")]
    pub(crate) module_path: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EditorService {
    Hover,
    Completion,
    Signature,
    Definition,
    Uses,
    Rename,
    Symbols,
    Tokens,
    Hints,
}

#[derive(Args)]
pub(crate) struct Init {
    /// Directory to create main.mcl (or main.cf) and main.scenario in; neither file may exist
    #[arg(default_value = ".")]
    pub(crate) folder: PathBuf,
    /// Create a model, main.cf
    #[arg(long)]
    pub(crate) model: bool,
}

#[derive(Args)]
pub(crate) struct Test {
    /// Scenarios (`*.scenario`), text archives (`*.txtar`), directories that contain them, or links [default: the current directory]
    pub(crate) paths: Vec<PathBuf>,
    /// Run only scenarios whose names contain this text
    #[arg(long, value_name = "TEXT")]
    pub(crate) filter: Option<String>,
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
    /// Seed for random values on the simulated hosts: passwords, tokens, temporary names
    #[arg(long, value_name = "NUMBER", conflicts_with = "real")]
    pub(crate) seed: Option<u64>,
    /// Also write a JUnit XML report
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Run again whenever a file changes, until interrupted
    #[arg(long, conflicts_with_all = ["junit", "list"])]
    pub(crate) watch: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

/// Prints the parser's help or error. Returns the exit code.
pub(crate) fn said(what: &clap::Error) -> u8 {
    use std::io::IsTerminal;
    let text = what.render();
    let shown = |is_terminal: bool| if is_terminal { text.ansi().to_string() } else { text.to_string() };
    match what.use_stderr() {
        true => output::tell_text(&shown(std::io::stderr().is_terminal())),
        false => output::print(&shown(std::io::stdout().is_terminal())),
    }
    u8::try_from(what.exit_code()).unwrap_or(2)
}
