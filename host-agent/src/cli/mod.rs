//! The command line. Names of options follow mgmt where mgmt has them (engine spec, 24).

mod access;
mod apply;
mod deploy;
mod editor;
mod foreign;
mod hosting;
mod key;
mod settings;
mod test;
mod world;

pub(crate) use access::Access;
pub(crate) use apply::{Fleet, Plan, Replay, Replayed, Run, Why, Work};
pub(crate) use deploy::Deploy;
pub(crate) use editor::{Editor, EditorService};
use foreign::{ForeignDeploy, ForeignRun};
pub(crate) use hosting::{Open, Serve, Share};
pub(crate) use key::{KeyCommand, Keys};
pub(crate) use test::{Seed, Test};
pub(crate) use world::{Dump, Key, Leave, Load, NO_WORLD, Prune, Set, SharedWorld, Voters, WorldCheck, WorldCommand};

use crate::host::{io_words, read_rules};
use crate::output;
use clap::builder::NonEmptyStringValueParser;
use clap::error::ErrorKind;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use std::path::{Path, PathBuf};

const EXIT_CODES: &str = "\
Exit codes:
  0   success; `plan` without --detailed-exitcode: also if something would change or cannot be known
  1   the program was refused, the time limit was reached, the run could not continue, or its output
      could not be written
  2   usage error: unknown option, missing file, damaged link, invalid policy;
      `plan --detailed-exitcode`: also if something would change
  3   the run completed, but a resource failed
  4   `plan --detailed-exitcode`: the outcome of a resource cannot be known
  70  the sandboxed compiler crashed, exceeded a limit or could not start; this changed nothing

INPUT is a file (`main.mcl`, `main.cf`), a module or project directory, `-` (standard input) or a
link (`https://…/s/…`, `https://…#c=…`).";

const SIGNALS: &str = "\
Signals:
  SIGINT (^C), SIGTERM and SIGHUP (a closed terminal) stop a run. Running commands have 15 seconds
  to finish, are then asked to stop, and are killed after 15 more seconds; each further SIGINT or
  SIGTERM moves on to the next step immediately. The exit code is that of a completed run: 0, or 3
  if a resource failed. A run that was started with `nohup` ignores SIGHUP. Changed program files
  are applied without a signal.";

/// Additional help of `plan` and `run`, besides the exit codes.
fn work_help() -> String {
    let example: String =
        include_str!("../policy/webserver.toml").lines().map(|line| format!("    {line}\n")).collect();
    format!("{EXIT_CODES}\n\n{SIGNALS}\n\n{}{}", include_str!("../policy/help.txt"), example.trim_end())
}

/// MCL, live: apply a program to this host and keep the host in the desired state
#[derive(Parser)]
#[command(name = "mclive", version, after_help = EXIT_CODES, max_term_width = 110)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Read options of the command from its table in this TOML file. They override environment variables (`NAME = false` ignores
    /// one), and the command line overrides them
    #[arg(long, value_name = "FILE", global = true)]
    #[allow(dead_code, reason = "`Cli::read` adds the options of the file before it parses the command line")]
    config: Option<PathBuf>,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Check a program for errors in its names, types and graph
    #[command(after_help = EXIT_CODES)]
    Check(Check),
    /// Print a program's function graph, model or resource graph
    Graph(Graph),
    /// Show what `run` would change, with diffs for files, without changing anything
    #[command(after_help = EXIT_CODES, after_long_help = work_help())]
    Plan(Plan),
    /// Apply a program to this host and keep the host in the desired state
    #[command(after_help = EXIT_CODES, after_long_help = work_help(), mut_arg("input", |input| omissible(input, "A file, a module directory, `-`, or a link [default with --world: the newest deploy]")))]
    Run(Run),
    /// Create a starter program with a test scenario
    Init(Init),
    /// Test programs with scenarios, on simulated hosts in virtual time or on a real host
    #[command(after_help = test::SCENARIOS, after_long_help = test::SCENARIOS)]
    Test(Test),
    /// Format MCL and Inmanta files
    Fmt(Fmt),
    /// Explain a diagnostic code, such as E0301
    Explain(Explain),
    /// Print the reference for functions and resources
    Docs(Docs),
    /// Answer an editor request about a position in a program, as JSON
    #[command(after_help = editor::SERVICES)]
    Editor(Editor),
    /// Explain why a resource was changed, failed or is waiting, using a log or the running agent
    Why(Why),
    /// Store a program for all hosts that share an etcd cluster (`run --world`)
    #[command(after_help = EXIT_CODES, mut_arg("input", |input| omissible(input, "A file, a module directory, `-`, or a link")))]
    Deploy(Deploy),
    /// Create and show the keys that operators use to sign deploys, and hosts to sign and decrypt shared data
    Key(Keys),
    /// Show and change what several hosts share in an etcd cluster (`run --world`)
    World(SharedWorld),
    /// Replay a recorded run; the outputs are identical on any machine
    Replay(Replay),
    /// Serve the playground, with short links, embeds and an API
    Serve(Serve),
    /// Print a link to a program or a recorded run
    Share(Share),
    /// Open a program or a recorded run in the playground, in this machine's browser
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
    /// File name to assume for standard input; its extension selects the language [default: detected from the text]
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
    /// Maximum import depth; 1 means direct imports only, -1 means no limit
    #[arg(long, value_name = "N", default_value_t = -1, allow_negative_numbers = true)]
    pub(crate) depth: i64,
    /// Environment variable that a model may read with `std::get_env` (repeatable). `check` uses no others; `run`, `plan`
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

/// The model that INPUT changes.
#[derive(Args, Clone)]
pub(crate) struct Partial {
    /// Treat INPUT as a partial export of this model: replace only the resource sets that INPUT has (`std::ResourceSet`);
    /// nothing is stored
    #[arg(long, value_name = "MODEL", requires = "input")]
    pub(crate) partial: Option<String>,
    /// With --partial: also delete this resource set (repeatable)
    #[arg(long, value_name = "NAME", requires = "partial", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) delete_resource_set: Vec<String>,
}

#[derive(Args)]
pub(crate) struct Check {
    #[command(flatten)]
    pub(crate) input: Input,
    #[command(flatten)]
    pub(crate) partial: Partial,
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
    /// When to use color
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
    #[command(flatten)]
    pub(crate) partial: Partial,
    /// Graph to print [default: the function graph of a program, the instances of a model, with --partial the resources]
    #[arg(long, value_enum)]
    pub(crate) of: Option<Which>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    /// Name of this host in the program [default: the system's host name; for a model, all hosts]
    #[arg(long)]
    pub(crate) hostname: Option<String>,
    /// Use the name and facts of a simulated host instead of this host's
    #[arg(long)]
    pub(crate) any_host: bool,
    /// When to use color
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
    /// The resource graph
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
    /// File name to assume for standard input; its extension selects the language [default: detected from the text]
    #[arg(long, value_name = "NAME")]
    pub(crate) stdin_name: Option<String>,
    /// When to use color
    #[arg(long, value_enum, default_value_t = Colour::Auto)]
    pub(crate) color: Colour,
}

#[derive(Args)]
pub(crate) struct Explain {
    /// A code such as E0301, or the name of a lint; omit it to list all codes
    pub(crate) code: Option<String>,
    /// When to use color
    #[arg(long, value_enum, default_value_t = Colour::Auto)]
    pub(crate) color: Colour,
}

#[derive(Args)]
pub(crate) struct Docs {
    /// A function, resource kind, module, `functions`, `resources`, or an entity or construct of models; omit it to
    /// list all
    pub(crate) name: Option<String>,
    /// Print JSON instead of Markdown
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the JSON schema of an output: `run-line` (of run, plan and --log), `diagnostics` (of check), `resource-graph`,
    /// `function-graph`, `model-graph`, `host-graphs` (of graph), `editor-query`, `editor-answer`
    #[arg(long, value_name = "NAME", conflicts_with = "name")]
    pub(crate) schema: Option<String>,
}

#[derive(Args)]
pub(crate) struct Init {
    /// Directory to create main.mcl (or main.cf) and main.scenario in; neither file may exist
    #[arg(value_name = "DIR", default_value = ".")]
    pub(crate) folder: PathBuf,
    /// Create a model, main.cf
    #[arg(long)]
    pub(crate) model: bool,
}

impl Cli {
    /// Parses the command line, with the options of its file, and the environment. An empty variable counts as unset.
    pub(crate) fn read() -> Result<Cli, clap::Error> {
        // They include the policy, so the same users may write them.
        let read = |path: &Path| {
            std::fs::metadata(path).map_err(|error| io_words(&error))?;
            read_rules(path).map_err(|error| error.message)
        };
        let parser = without_empty(Cli::command());
        let (parser, words) = settings::with_file(parser, std::env::args_os().collect(), read)
            .map_err(|why| Cli::command().error(ErrorKind::Io, why))?;
        Cli::from_arg_matches(&parser.try_get_matches_from(words)?)
    }
}

fn without_empty(command: clap::Command) -> clap::Command {
    let is_empty = |arg: &clap::Arg| arg.get_env().and_then(std::env::var_os).is_some_and(|value| value.is_empty());
    let command = command.mut_args(|arg| if is_empty(&arg) { arg.env(None::<&'static str>) } else { arg });
    command.mut_subcommands(without_empty)
}

/// Prints the parser's help or error. Returns the exit code.
pub(crate) fn said(what: &clap::Error) -> u8 {
    use std::io::IsTerminal;
    let text = what.render();
    let shown = |is_terminal: bool| if is_terminal { text.ansi().to_string() } else { text.to_string() };
    match what.use_stderr() {
        true => output::tell_text(&shown(std::io::stderr().is_terminal())),
        false => output::print_coloured(&shown(std::io::stdout().is_terminal())),
    }
    u8::try_from(what.exit_code()).unwrap_or(2)
}
