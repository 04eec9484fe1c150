//! [`Executable`]: the file that a command runs, found and permitted before anything is started.
//!
//! Without a policy for commands that is the name as it is given, or the first that `PATH` has. With one it is the
//! place that the name leads to, from link to link, which the policy judges, and what is run is that place.

use super::Shared;
use super::fs::{Last, locate, native};
use crate::policy::{EXEC, Permit};
use mclive_base::vocab::path::{escaped, shown};
use mclive_base::vocab::{CommandSpec, HostError, HostErrorKind};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// A command's file, which may be run.
pub(crate) struct Executable(PathBuf);

/// On whose behalf a command is run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Asker<'a> {
    /// A step or a guard of a resource of this kind.
    Resource(&'a str),
    /// A step of a resource of this kind that is carried out by a tool. Its environment is ours.
    Tool(&'a str),
    /// A watch of a resource.
    Watch,
    /// A function. Its environment is the agent's choice: [`Shared::inherited`].
    Function,
}

/// As many links as the kernel follows.
const MOST_LINKS: usize = 40;

impl Executable {
    pub(super) fn file(&self) -> &Path {
        &self.0
    }

    /// Whatever may be run.
    pub(crate) fn any(spec: &CommandSpec) -> Result<Executable, HostError> {
        find(name(spec)?).map(Executable)
    }
}

impl Shared {
    /// Which program a command runs, if the policy allows it with its environment.
    pub(super) fn may_run(&self, asker: Asker, spec: &CommandSpec) -> Result<Executable, HostError> {
        let refused = |why| HostError::new(HostErrorKind::Refused, why);
        let (kind, chose_variables) = match asker {
            Asker::Resource(kind) => (kind, true),
            Asker::Tool(kind) => (kind, false),
            Asker::Watch => (EXEC, true),
            Asker::Function => (EXEC, false),
        };
        self.policy.runs(kind).map_err(refused)?;
        for (name, value) in spec.env.iter().filter(|_| chose_variables) {
            self.policy.variable(name, value).map_err(refused)?;
        }
        if !self.policy.judges_programs() {
            return Executable::any(spec);
        }
        let way = way(spec)?;
        let file = self.policy.program(name(spec)?, &way).map_err(refused)?;
        Ok(Executable(file.into()))
    }

    /// The environment of a function's commands: the agent's own, as far as the policy lets it through.
    pub(super) fn inherited(&self) -> Vec<(String, String)> {
        let text = |text: OsString| escaped(text.as_bytes()).into_owned();
        let variables = std::env::vars_os().map(|(name, value)| (text(name), text(value)));
        variables.filter(|(name, value)| self.policy.inherits(name, value)).collect()
    }
}

fn name(spec: &CommandSpec) -> Result<&str, HostError> {
    spec.argv.first().map(String::as_str).ok_or_else(|| HostError::new(HostErrorKind::Other, "exec: no command"))
}

/// The places from a command's name over links to the program itself.
fn way(spec: &CommandSpec) -> Result<Vec<OsString>, HostError> {
    // What is no absolute path is looked for where the command is to begin.
    let here = std::env::current_dir().unwrap_or_default().join(&*native(&spec.cwd));
    let mut next = here.join(find(name(spec)?)?);
    let mut places = Vec::new();
    while places.len() <= MOST_LINKS {
        let text = escaped(next.as_os_str().as_bytes()).into_owned();
        let place = locate(Permit::ALL, "exec", &text, Last::Itself)?;
        let link = place.link().map_err(|stopped| stopped.explain("exec", &text))?;
        let above = Path::new(place.path()).parent().unwrap_or(Path::new("/"));
        let target = link.map(|target| above.join(target));
        places.push(place.path().to_owned());
        match target {
            Some(target) => next = target,
            None => return Ok(places),
        }
    }
    let message = format!("exec {}: too many symbolic links", shown(name(spec)?));
    Err(HostError::new(HostErrorKind::Other, message))
}

/// The program's file: as it is with a slash, else by our own `PATH`.
fn find(name: &str) -> Result<PathBuf, HostError> {
    if name.contains('/') {
        return Ok(native(name).into_owned().into());
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let executable = |file: &PathBuf| {
        use std::os::unix::fs::PermissionsExt;
        std::fs::metadata(file).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    };
    std::env::split_paths(&path)
        .filter(|dir| dir.is_absolute())
        .map(|dir| dir.join(&*native(name)))
        .find(executable)
        .ok_or_else(|| {
            HostError::new(HostErrorKind::NotFound, format!("exec: \"{name}\": executable file not found in $PATH"))
        })
}
