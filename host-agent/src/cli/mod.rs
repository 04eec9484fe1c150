//! The command line. Names of options follow mgmt where mgmt has them (engine spec, 24).

mod apply;
mod hosting;

pub(crate) use apply::{Plan, Replay, Replayed, Run, Why, Work};
pub(crate) use hosting::{Open, Serve, Share};

use crate::output;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

const EXIT_CODES: &str = "\
Exit codes:
  0   done; `plan` without --detailed-exitcode: also when something would change
  1   the program was refused, the time limit was reached, the run could not continue, or its output could not be written
  2   usage error: unknown option, missing file, damaged link, invalid policy
  3   the run completed, but a resource failed
  70  the sandboxed compiler crashed, exceeded a limit or could not start; this changed nothing

INPUT is a file (`main.mcl`, `main.cf`), a module or project directory, `-` (standard input) or a link (`https://…/s/…`, `https://…#c=…`).";

/// Additional help of `plan` and `run`, besides the exit codes.
fn work_help() -> String {
    let example: String =
        include_str!("../policy/webserver.toml").lines().map(|line| format!("    {line}\n")).collect();
    format!("{EXIT_CODES}\n\n{}{}", include_str!("../policy/help.txt"), example.trim_end())
}

const SCENARIOS: &str = "\
A scenario is a file next to its program or model (`main.mcl` and `comes-back.scenario`), or is a section of a text archive:

    # Somebody removes the message of the day, and it comes back.
    write /etc/motd \"old\"
    run
    expect file /etc/motd holds \"welcome\\n\"
    remove /etc/motd
    expect file /etc/motd holds \"welcome\\n\" within 1s
    expect no steps for 1h

Each line is a step. The host is simulated and its time is virtual: a year without events passes at once. With --real the
same steps happen to this machine, in namespaces with files, accounts and processes of their own; scenarios that need more,
such as systemd or a faked command, are left out with the reason, and no claim is watched for longer than 3 s.

Without a `host` line there is one host. With several, a line is about all of them unless `on` names one, and they share
what they export, publish and vote for:

    host web1
    host web2
    on web2 environment ROLE \"spare\"
    run
    on web1 pause
    on web2 expect file /srv/role holds \"first\" within 1m

What happens:
  host NAME                                               one more host, without an agent; at most 20
  on HOST STEP                                            the step is about this host alone
  pause, resume, leave                                    the host is cut off and stands still; goes on; is gone for good
  run [PROGRAM] [--noop] [--once] [--hostname NAME] ...   the agent starts (again); main.mcl or main.cf by default
  deploy PROGRAM                                          the running agent gets another program
  stop, terminate, kill                                   ^C, twice or thrice for more of a hurry; SIGTERM; SIGKILL
  wait TIME                                               500ms, 10s, 5m, 1h, 2d
  write PATH TEXT, replace PATH TEXT, append PATH TEXT, remove PATH, rename PATH PATH, folder PATH, mode PATH 0644,
  own PATH USER [GROUP], link PATH TARGET                 somebody else changes files; `replace` renames one into place
  command LINE [prints TEXT] [exits STATUS] [takes TIME]  what that command line does from now on
  environment NAME VALUE, hostname NAME, load NUMBER      the host itself
  unit NAME dies|enabled|disabled, uninstall PACKAGE, unmount PATH   somebody else changes the system
  clock 08:30                                             the clock jumps ahead to this time of the day, UTC
  set SUBJECT THING FIELD VALUE, do SUBJECT THING VERB    somebody changes what the playground lists of the host, such as
                                                          `set user alice shell /bin/sh`, `do unit nginx.service stop`
  post URL KEY=VALUE                                      somebody sends a form to a web server of the host

  hint TEXT                                               shown when one of the lines below it fails
  real REASON                                             only a real host can play this scenario

What is expected: `expect [now|always|never] CLAIM [within TIME] [for TIME]`. Without any of these, the claim is checked as
soon as the host is quiet; `within`: it must become true in that time; `for`: it must stay true that long; `always`, `never`:
from this line to the end.
  [no] file|folder|link|path PATH          file PATH holds|contains|lacks TEXT
  link PATH leads to TARGET                file PATH has mode 0644|owner NAME|group NAME|N lines
  [no] resource KIND[NAME]                 resource KIND[NAME] has FIELD VALUE
  [no] edge KIND[NAME] -> KIND[NAME]       resource KIND[NAME] is failed|retrying|waiting|changed|limited
  [no|N|at least N|at most N] steps [of KIND[NAME]]       changes to the host since the last event; with `for`, in that time
  [no] output TEXT [N times], [no] error [CODE]   value $NAME is 8 or \"a text\"; value $NAME shows \"[1, 2]\" (MCL alone)
  command LINE ran N times                 [no] user|group NAME, hostname NAME
  unit NAME is running|stopped|failed|enabled|disabled    [no] package NAME, [no] mount PATH
  [no] page URL                            page URL holds|contains|lacks TEXT
  user NAME has uid|shell|home|group VALUE key NAME is VALUE, no key NAME (of the cluster's store)
  running, ended [with STATUS|with failure]

Exit codes: 0 all passed, 1 at least one failed, 2 usage error.";

const EDITOR: &str = "\
Services:
  hover        type and documentation of the name at the place
  completion   what can be typed at the place
  signature    the parameters of the call around the place
  definition   where the name is defined
  uses         all references to the name
  rename       the edits that rename it (--name), or the reason why it cannot be renamed
  symbols      what the file defines and declares (needs no place)
  tokens       the tokens of the file with their kinds (needs no place)

  mclive editor hover main.mcl:3:8
  mclive editor rename main.mcl:3:8 --name colour

Lines and columns count from 1, columns in characters. Files in the answer are paths in the program's own
tree; offsets count bytes. `mclive docs --schema editor-answer` describes the answers.";

/// MCL, live: brings this host into the state that a program describes, and keeps it there.
#[derive(Parser)]
#[command(name = "mclive", version, after_help = EXIT_CODES, max_term_width = 110)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Check a program: names, types, graph
    #[command(after_help = EXIT_CODES)]
    Check(Check),
    /// Print a program's function graph, model or resource graph
    Graph(Graph),
    /// Show what `run` would change, with a diff for files; change nothing
    #[command(after_help = EXIT_CODES, after_long_help = work_help())]
    Plan(Plan),
    /// Bring this host into the state that a program describes, and keep it there
    #[command(after_help = EXIT_CODES, after_long_help = work_help())]
    Run(Run),
    /// Create a starter program with a test scenario
    Init(Init),
    /// Test programs with scenarios, on simulated hosts in virtual time or on a real one
    #[command(after_help = SCENARIOS, after_long_help = SCENARIOS)]
    Test(Test),
    /// Format MCL and Inmanta files
    Fmt(Fmt),
    /// Explain a diagnostic's code, such as E0301
    Explain(Explain),
    /// Print the reference pages of functions and resources
    Docs(Docs),
    /// Answer an editor's question about a place in a program, as JSON
    #[command(after_help = EDITOR)]
    Editor(Editor),
    /// Explain why a resource was changed, failed or waits, from a log or from the running agent
    Why(Why),
    /// Replay a recorded run; the outputs are identical on any machine
    Replay(Replay),
    /// Serve the playground, with short links, embeds and an API
    Serve(Serve),
    /// Print a link to a program or a recorded run, for others to open
    Share(Share),
    /// Open a program in the playground, in the browser of this machine
    Open(Open),
    /// End the process groups of an agent that has ended; agents start it
    #[command(name = crate::process::REAPER, hide = true)]
    Reap,
    /// Play a scenario as the first process of namespaces; `test --real` starts it
    #[command(name = crate::command::PLAY, hide = true)]
    Play,
}

#[derive(Args, Clone, Default)]
pub(crate) struct Input {
    /// A file, a module directory, `-`, or a link
    pub(crate) input: String,
    /// File name for standard input; its extension selects the language
    #[arg(long, value_name = "NAME")]
    pub(crate) stdin_name: Option<String>,
    /// Directory of imported modules (`DIR/github.com/…`)
    #[arg(long, value_name = "DIR", env = "MGMT_MODULE_PATH")]
    pub(crate) module_path: Option<PathBuf>,
    /// Fetch missing modules with git, into `modules/` beside the program or --module-path
    #[arg(long)]
    pub(crate) download: bool,
    /// Also update modules that were fetched before
    #[arg(long)]
    pub(crate) update: bool,
    /// Maximum import depth; 1 means direct imports only
    #[arg(long, value_name = "N", default_value_t = -1, allow_negative_numbers = true)]
    pub(crate) depth: i64,
}

#[derive(Args)]
pub(crate) struct Check {
    #[command(flatten)]
    pub(crate) input: Input,
    /// Check a model for this host only; default: for every host
    #[arg(long)]
    pub(crate) hostname: Option<String>,
    /// Switch lints off, by name or code: `unused_variable`, `W0001`, `all`
    #[arg(long, value_name = "LINTS", value_delimiter = ',')]
    pub(crate) allow: Vec<String>,
    /// Report lints as warnings, which is the default
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
    /// Graph to print; default: the function graph of a program, the instances of a model
    #[arg(long, value_enum)]
    pub(crate) of: Option<Which>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    /// Name of this host in the program; default: the system's, or every host of a model
    #[arg(long)]
    pub(crate) hostname: Option<String>,
    /// Draw the resources of a simulated host instead of reading this host's name and facts
    #[arg(long)]
    pub(crate) any_host: bool,
    /// When to use colours
    #[arg(long, value_enum, default_value_t = Colour::Auto)]
    pub(crate) color: Colour,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Which {
    Functions,
    Model,
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
    /// Files, directories (all `.mcl` and `.cf` files below), or `-`
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Exit with an error if a file is not formatted; change nothing
    #[arg(long)]
    pub(crate) check: bool,
    /// File name for standard input; its extension selects the language
    #[arg(long, value_name = "NAME")]
    pub(crate) stdin_name: Option<String>,
    /// When to use colours
    #[arg(long, value_enum, default_value_t = Colour::Auto)]
    pub(crate) color: Colour,
}

#[derive(Args)]
pub(crate) struct Explain {
    /// A code such as E0301, or the name of a lint; without one, list all codes
    pub(crate) code: Option<String>,
    /// When to use colours
    #[arg(long, value_enum, default_value_t = Colour::Auto)]
    pub(crate) color: Colour,
}

#[derive(Args)]
pub(crate) struct Docs {
    /// A function, a kind, a module, `functions` or `resources`; without one, list all
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
    /// The service
    #[arg(value_enum)]
    pub(crate) service: EditorService,
    /// The place
    #[arg(value_name = "FILE[:LINE[:COLUMN]]")]
    pub(crate) place: String,
    /// The new name, for `rename`
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
}

#[derive(Args)]
pub(crate) struct Init {
    /// Directory for main.mcl and main.scenario; neither file may exist yet
    #[arg(default_value = ".")]
    pub(crate) folder: PathBuf,
}

#[derive(Args)]
pub(crate) struct Test {
    /// Scenarios (`*.scenario`), text archives (`*.txtar`), or directories that contain them; default: this directory
    pub(crate) paths: Vec<PathBuf>,
    /// Play only scenarios whose names contain this text
    #[arg(long, value_name = "TEXT")]
    pub(crate) filter: Option<String>,
    /// List the scenarios without playing them
    #[arg(long)]
    pub(crate) list: bool,
    /// Also list the scenarios that pass
    #[arg(short, long)]
    pub(crate) verbose: bool,
    /// Play on a real host instead: this one, in namespaces with files and accounts of their own. Time is real, too
    #[arg(long, conflicts_with = "coverage")]
    pub(crate) real: bool,
    /// List the resources and branches that no scenario exercised
    #[arg(long)]
    pub(crate) coverage: bool,
    /// Draw other random values on the simulated hosts: passwords, tokens, temporary names
    #[arg(long, value_name = "NUMBER", conflicts_with = "real")]
    pub(crate) seed: Option<u64>,
    /// Also write a JUnit XML report
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Play again whenever a file changes, until interrupted
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
