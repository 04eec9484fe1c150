//! The host program: this process.

use super::{Backend, Context, absent, refused};
use crate::host::{Host, Shared};
use mclive_base::protocol::Ticket;

use crate::host::errno;
use mclive_base::vocab::path::escaped;
use mclive_base::vocab::program::Fact;
use mclive_base::vocab::subjects::Program;
use mclive_base::vocab::{Datum, HostError, HostErrorKind, Outcome};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

impl Shared {
    /// A variable that was given to the program, or one of the agent's that the policy lets it read.
    fn variable(&self, name: &str) -> Result<Option<OsString>, HostError> {
        match self.environment.iter().rev().find(|(known, _)| known == name) {
            Some((_, value)) => Ok(Some(value.into())),
            None => self.policy.reads_variable(name).map(|()| std::env::var_os(name)).map_err(refused),
        }
    }

    /// All such variables.
    fn variables(&self) -> BTreeMap<OsString, OsString> {
        let may_read = |name: &OsStr| self.policy.reads_variable(&escaped(name.as_bytes())).is_ok();
        let mut all: BTreeMap<OsString, OsString> = std::env::vars_os().filter(|(name, _)| may_read(name)).collect();
        all.extend(self.environment.iter().map(|(name, value)| (name.into(), value.into())));
        all
    }
}

impl Backend for Program {
    type State = ();
    absent! { probe step watch }

    fn fact(shared: &Shared, fact: &Fact) -> Result<Datum, HostError> {
        let missing = |message: String| HostError::new(HostErrorKind::NotFound, message);
        match fact {
            Fact::Env { name } => match shared.variable(name)? {
                Some(value) => Ok(bytes(&value)),
                None => Err(missing(format!("the environment variable `{name}` is not set"))),
            },
            Fact::Environment => {
                let all = shared.variables();
                Ok(Datum::Map(all.iter().map(|(name, value)| (bytes(name), bytes(value))).collect()))
            }
            Fact::Args => Ok(Datum::List(std::env::args_os().map(|arg| bytes(&arg)).collect())),
            Fact::Executable { resolved } => executable(*resolved),
            Fact::Process => Ok(process()),
            Fact::Setting { name } => Err(missing(format!("the setting `{name}` is not set"))),
            Fact::Random { n_bytes, nonce: _ } => random(*n_bytes as usize).map(Datum::Bytes),
        }
    }
}

fn bytes(text: &OsStr) -> Datum {
    Datum::Bytes(text.as_bytes().to_vec())
}

fn executable(resolved: bool) -> Result<Datum, HostError> {
    let path = if resolved {
        std::env::current_exe()
    } else {
        std::env::args_os().next().map_or_else(std::env::current_exe, |name| Ok(name.into()))
    };
    let path = path.map_err(|error| errno::io_failed("readlink", "/proc/self/exe", &error))?;
    Ok(Datum::text(path.to_string_lossy()))
}

fn process() -> Datum {
    use rustix::process as p;
    let int = |name: &str, value: i64| (name.to_owned(), Datum::Int(value));
    let cwd = std::env::current_dir().unwrap_or_default();
    let n_cpus = std::thread::available_parallelism().map_or(1, |n| n.get() as i64);
    Datum::Struct(vec![
        int("pid", i64::from(std::process::id())),
        int("ppid", p::getppid().map_or(0, |pid| i64::from(pid.as_raw_nonzero().get()))),
        int("uid", i64::from(p::getuid().as_raw())),
        int("gid", i64::from(p::getgid().as_raw())),
        int("euid", i64::from(p::geteuid().as_raw())),
        int("egid", i64::from(p::getegid().as_raw())),
        ("cwd".into(), Datum::text(cwd.to_string_lossy())),
        int("page_size", rustix::param::page_size() as i64),
        int("n_cpus", n_cpus),
    ])
}

pub(super) fn random(n_bytes: usize) -> Result<Vec<u8>, HostError> {
    use std::io::Read;
    let mut bytes = vec![0; n_bytes.min(1 << 20)];
    let mut source =
        std::fs::File::open("/dev/urandom").map_err(|error| errno::io_failed("open", "/dev/urandom", &error))?;
    source.read_exact(&mut bytes).map_err(|error| errno::io_failed("read", "/dev/urandom", &error))?;
    Ok(bytes)
}
