//! `mclive editor`: services for editors.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

pub(super) const SERVICES: &str = "\
Services:
  hover        type and documentation of the name at the position
  completion   completions at the position
  signature    parameters of the call around the position
  definition   where the name is defined
  uses         all references to the name
  rename       edits that rename it (--name), or why it cannot be renamed
  symbols      definitions and declarations of the file (no position needed)
  tokens       tokens of the file with their kinds (no position needed)
  hints        types and parameter names that an editor shows inline (no position needed)

  mclive editor hover main.mcl:3:8
  mclive editor rename main.mcl:3:8 --name color

Lines and columns start at 1; columns count characters. Files in the answer are paths relative to
the program; offsets count bytes. `mclive docs --schema editor-answer` describes the answers.";

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
