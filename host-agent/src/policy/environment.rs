//! Which variables a command may have: those that cannot influence which code it runs.
//!
//! Where the policy limits commands, an environment set by a program could circumvent that: `LD_PRELOAD`,
//! `LD_LIBRARY_PATH` and `GCONV_PATH` load code into any program, `PATH`, `IFS`, `BASH_ENV` and `ENV` affect shells,
//! `PYTHONPATH`, `PERL5OPT`, `NODE_OPTIONS` and `HOME` interpreters, `GIT_SSH_COMMAND`, `PAGER` and `EDITOR` tools. A
//! list of dangerous variables is never complete, so there is a list of harmless ones; the policy's own `environment`
//! replaces it.
//!
//! Services get secrets in their environment. So where the policy limits what a program reads, this includes the agent's
//! variables: otherwise it could copy a token of the agent to a file.

use super::Policy;
use super::glob;
use mclive_base::vocab::path::shown;

/// Language and time zone, as long as they do not name a file.
const HARMLESS: [&str; 5] = ["LANG", "LANGUAGE", "LC_*", "TZ", "NO_COLOR"];
/// The variables that a function's command gets from the agent's environment in addition: the user who started the
/// agent chose them.
const INHERITED: [&str; 4] = ["PATH", "HOME", "USER", "LOGNAME"];
/// Further variables of the agent that contain no secrets: directories.
const DIRECTORIES: [&str; 3] = ["TMPDIR", "XDG_*_HOME", "PWD"];

impl Policy {
    /// Whether a program may set this variable for a command.
    pub(crate) fn variable(&self, name: &str, value: &str) -> Result<(), String> {
        if !self.limits_commands() || self.environment.is_given() && self.environment.names(name) {
            return Ok(());
        }
        if !self.environment.is_given() && is_harmless(name, value) {
            return Ok(());
        }
        Err(format!(
            "the policy does not allow the variable `{name}` for a command: no pattern of `environment` matches it"
        ))
    }

    /// Whether a function's command gets this variable from the agent's environment.
    pub(crate) fn inherits(&self, name: &str, value: &str) -> bool {
        self.variable(name, value).is_ok() || !self.environment.is_given() && INHERITED.contains(&name)
    }

    /// Whether a program may read this variable of the agent's environment.
    pub(crate) fn reads_variable(&self, name: &str) -> Result<(), String> {
        let mut harmless = HARMLESS.iter().chain(&INHERITED).chain(&DIRECTORIES);
        let is_harmless = harmless.any(|pattern| glob::matches(pattern, name));
        if !self.reads.is_given() || self.environment.names(name) || is_harmless {
            return Ok(());
        }
        let name = shown(name);
        Err(format!(
            "the policy does not allow reading the environment variable `{name}`: no pattern of `environment` matches it"
        ))
    }

    pub(super) fn limits_commands(&self) -> bool {
        self.commands.is_given() || self.environment.is_given()
    }
}

fn is_harmless(name: &str, value: &str) -> bool {
    let names_a_file = value.starts_with(['/', ':']) || value.contains("..");
    !names_a_file && HARMLESS.iter().any(|pattern| glob::matches(pattern, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limited_command_has_harmless_variables_alone() {
        let policy = Policy::parse("commands = ['/bin/x']").unwrap();
        for name in ["LD_PRELOAD", "PATH", "IFS", "BASH_ENV", "ENV", "PYTHONPATH", "HOME", "lang", "LCX", ""] {
            assert!(policy.variable(name, "x").unwrap_err().contains("`environment`"), "{name}");
        }
        for (name, value) in [("LANG", "C.UTF-8"), ("LC_ALL", "de_DE"), ("TZ", "Europe/Berlin")] {
            assert_eq!(policy.variable(name, value), Ok(()));
        }
        for (name, value) in [("TZ", "/srv/x"), ("TZ", ":x"), ("LANGUAGE", "../../srv/x")] {
            assert!(policy.variable(name, value).is_err(), "{name}={value}");
        }
    }

    #[test]
    fn the_environment_of_the_agent_is_read_where_files_may_be_read() {
        let reads = |policy: &str, name: &str| Policy::parse(policy).unwrap().reads_variable(name);
        for policy in ["", "paths = []\ncommands = []", "environment = []"] {
            assert_eq!(reads(policy, "TOKEN"), Ok(()), "{policy}");
        }
        assert!(Policy::all().reads_variable("TOKEN").is_ok() && Policy::nothing().reads_variable("TOKEN").is_ok());
        assert_eq!(
            reads("reads = []", "TOKEN").unwrap_err(),
            "the policy does not allow reading the environment variable `TOKEN`: no pattern of `environment` matches it"
        );
        assert!(reads("reads = ['/**']\nenvironment = ['APP_*']", "TOKEN").is_err());
        assert_eq!(reads("reads = ['/srv']\nenvironment = ['TOK*']", "TOKEN"), Ok(()));
        for name in ["PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "XDG_CONFIG_HOME"] {
            assert_eq!(reads("reads = []", name), Ok(()), "{name}");
        }
    }

    #[test]
    fn a_policy_says_which_variables_it_wants() {
        let policy = Policy::parse("environment = ['APP_*', 'PATH']").unwrap();
        assert!(policy.variable("APP_KEY", "/x").is_ok() && policy.variable("PATH", "/x").is_ok());
        assert!(policy.variable("LANG", "C").is_err() && policy.variable("LD_PRELOAD", "/x").is_err());
        assert!(!policy.inherits("HOME", "/root"));
        assert!(Policy::parse("").unwrap().variable("LD_PRELOAD", "/x").is_ok());
    }
}
