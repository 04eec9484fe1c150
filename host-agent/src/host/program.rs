//! [`Executable`]: the file that a command runs, resolved and permitted before the start.
//!
//! Without a policy for commands this is the given name, or its first match in `PATH`. With a policy it is the final
//! target of all links, which the policy judges, and exactly that file is run.

use super::Shared;
use super::fs::{Last, locate, native};
use crate::policy::{EXEC, Permit};
use mclive_base::vocab::path::{escaped, shown};
use mclive_base::vocab::{CommandSpec, HostError, HostErrorKind};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The file of a command that may be run.
pub(crate) struct Executable(PathBuf);

/// The requester of a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Asker<'a> {
    /// A step or a guard of a resource of this kind.
    Resource(&'a str),
    /// A step of a resource of this kind that runs a tool. The agent sets its environment.
    Tool(&'a str),
    /// A watch of a resource.
    Watch,
    /// A function. It gets the agent's environment: [`Shared::inherited`].
    Function,
}

/// The same limit as the kernel's.
const MOST_LINKS: usize = 40;

impl Executable {
    pub(super) fn file(&self) -> &Path {
        &self.0
    }

    /// Resolves a program without a policy.
    pub(crate) fn any(spec: &CommandSpec) -> Result<Executable, HostError> {
        find(name(spec)?).map(Executable)
    }
}

impl Shared {
    /// Resolves a command's program, if the policy allows it with its environment.
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
        let Way { places, aliases } = way(spec, !self.policy.changes().is_all())?;
        let file = self.policy.program(name(spec)?, &places, &aliases).map_err(refused)?;
        Ok(Executable(file.into()))
    }

    /// The environment of a function's commands: the agent's own, as far as the policy passes it on.
    pub(super) fn inherited(&self) -> Vec<(String, String)> {
        let text = |text: OsString| escaped(text.as_bytes()).into_owned();
        let variables = std::env::vars_os().map(|(name, value)| (text(name), text(value)));
        variables.filter(|(name, value)| self.policy.inherits(name, value)).collect()
    }
}

fn name(spec: &CommandSpec) -> Result<&str, HostError> {
    spec.argv.first().map(String::as_str).ok_or_else(|| HostError::new(HostErrorKind::Other, "exec: no command"))
}

/// From a command's name over links to the program.
struct Way {
    places: Vec<OsString>,
    /// The other paths of these places.
    aliases: Vec<OsString>,
}

/// The way of a command, with aliases if they matter.
fn way(spec: &CommandSpec, has_aliases: bool) -> Result<Way, HostError> {
    // A relative path is resolved in the command's working directory.
    let here = std::env::current_dir().unwrap_or_default().join(&*native(&spec.cwd));
    let mut next = here.join(find(name(spec)?)?);
    let (mut places, mut aliases) = (Vec::new(), Vec::new());
    while places.len() <= MOST_LINKS {
        let text = escaped(next.as_os_str().as_bytes()).into_owned();
        let place = locate(Permit::ALL, "exec", &text, Last::Itself)?;
        let link = place.link().map_err(|stopped| stopped.explain("exec", &text))?;
        let above = Path::new(place.path()).parent().unwrap_or(Path::new("/"));
        let target = link.map(|target| above.join(target));
        places.push(place.path().to_owned());
        if has_aliases {
            aliases.extend(place.aliases()?);
        }
        match target {
            Some(target) => next = target,
            None => return Ok(Way { places, aliases }),
        }
    }
    let message = format!("exec {}: too many symbolic links", shown(name(spec)?));
    Err(HostError::new(HostErrorKind::Other, message))
}

/// The program's file: a name with a slash is used as it is, others are searched in the agent's `PATH`.
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
