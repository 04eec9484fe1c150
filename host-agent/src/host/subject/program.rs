//! The host program: this process.

use super::{Backend, Place, absent};
use crate::host::{Host, Shared};
use mclive_base::protocol::Ticket;

use crate::host::errno;
use mclive_base::vocab::program::Fact;
use mclive_base::vocab::subjects::Program;
use mclive_base::vocab::{Datum, HostError, HostErrorKind, Outcome};
use std::collections::BTreeMap;
use std::ffi::OsString;

impl Shared {
    fn variable(&self, name: &str) -> Option<OsString> {
        let given = self.environment.iter().rev().find(|(known, _)| known == name);
        given.map(|(_, value)| value.into()).or_else(|| std::env::var_os(name))
    }
}

impl Backend for Program {
    type State = ();
    absent! { probe step watch }

    fn fact(shared: &Shared, fact: &Fact) -> Result<Datum, HostError> {
        let missing = |message: String| HostError::new(HostErrorKind::NotFound, message);
        match fact {
            Fact::Env { name } => match shared.variable(name) {
                Some(value) => Ok(bytes(&value)),
                None => Err(missing(format!("the environment variable `{name}` is not set"))),
            },
            Fact::Environment => {
                let mut all: BTreeMap<OsString, OsString> = std::env::vars_os().collect();
                all.extend(shared.environment.iter().map(|(name, value)| (name.into(), value.into())));
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

fn bytes(text: &std::ffi::OsStr) -> Datum {
    use std::os::unix::ffi::OsStrExt;
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
