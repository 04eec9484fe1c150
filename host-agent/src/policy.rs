//! [`Policy`]: what a program may do to this host. Every step and every command passes it.
//!
//! ```toml
//! kinds = ["file", "exec"]              # resource kinds that may change anything; default: all
//! paths = ["/srv/**", "/etc/motd"]      # what file changes may touch
//! commands = ["/usr/bin/make"]          # programs that may be run
//! listen = ["127.0.0.1:*"]              # addresses on which servers may listen
//! ```
//!
//! A list that is left out allows all, an empty one nothing. Default for a program from this disk: all.
//! For one from a link: nothing, so that it can be planned but not applied.

use crate::glob;
use mclive_compiler::protocol::ResourceId;
use mclive_compiler::vocab::{CommandSpec, Step};
use serde::Deserialize;

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Policy {
    kinds: Option<Vec<String>>,
    paths: Option<Vec<String>>,
    commands: Option<Vec<String>>,
    listen: Option<Vec<String>>,
}

impl Policy {
    pub(crate) fn all() -> Policy {
        Policy::default()
    }

    pub(crate) fn nothing() -> Policy {
        let none = || Some(Vec::new());
        Policy { kinds: none(), paths: none(), commands: none(), listen: none() }
    }

    pub(crate) fn parse(text: &str) -> Result<Policy, String> {
        toml::from_str(text).map_err(|error| error.to_string())
    }

    /// May this step be carried out? `Err` says why not.
    pub(crate) fn step(&self, of: &ResourceId, step: &Step) -> Result<(), String> {
        if !allowed(&self.kinds, &of.kind) {
            return Err(format!("the policy does not allow resources of kind `{}` to change anything", of.kind));
        }
        match step {
            Step::WriteFile { path, .. }
            | Step::CreateFile { path, .. }
            | Step::MakeDir { path, .. }
            | Step::Remove { path, .. }
            | Step::Symlink { path, .. }
            | Step::SetMode { path, .. }
            | Step::SetOwner { path, .. }
            | Step::SetLabel { path, .. } => self.path(path),
            Step::Run(spec) => self.command(spec),
            // The agent's own files, and words.
            Step::WriteState { .. } | Step::RemoveState { .. } | Step::SetKey { .. } | Step::Print { .. } => Ok(()),
        }
    }

    fn path(&self, path: &str) -> Result<(), String> {
        let plain = path.trim_end_matches('/');
        // A pattern speaks of where a change lands, so a way with `..` in it cannot be judged.
        let steps_out = plain.split('/').any(|part| part == "..");
        if self.paths.is_none() || (!steps_out && allowed(&self.paths, plain)) {
            return Ok(());
        }
        Err(format!("the policy does not allow changes of `{path}`"))
    }

    /// May a server listen on this address?
    pub(crate) fn listen(&self, address: &str) -> Result<(), String> {
        if allowed(&self.kinds, "http:server") && allowed(&self.listen, address) {
            return Ok(());
        }
        Err(format!("the policy does not allow a server on `{address}`"))
    }

    /// May this command be run, be it to change something or only to look?
    pub(crate) fn command(&self, spec: &CommandSpec) -> Result<(), String> {
        let program = spec.argv.first().map_or("", String::as_str);
        if allowed(&self.commands, program) {
            return Ok(());
        }
        Err(format!("the policy does not allow the command `{program}`"))
    }
}

fn allowed(patterns: &Option<Vec<String>>, text: &str) -> bool {
    patterns.as_ref().is_none_or(|patterns| patterns.iter().any(|pattern| glob::matches(pattern, text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(policy: &str, kind: &str, path: &str) -> bool {
        let step = Step::SetMode { path: path.into(), mode: 0 };
        Policy::parse(policy).unwrap().step(&ResourceId::new(kind, "x"), &step).is_ok()
    }

    #[test]
    fn each_list_counts_and_what_is_left_out_allows_all() {
        assert!(check("", "file", "/etc/x"));
        assert!(check("paths = ['/srv/**']", "file", "/srv/a/b") && !check("paths = ['/srv/**']", "file", "/etc/x"));
        assert!(!check("kinds = ['exec']", "file", "/srv/a"));
        assert!(!check("paths = ['/srv/**']", "file", "/srv/../etc/x"));
    }

    #[test]
    fn a_misspelt_word_is_an_error_and_not_an_open_door() {
        assert!(Policy::parse("path = ['/srv/**']").unwrap_err().contains("unknown field"));
    }

    #[test]
    fn servers_listen_where_they_may() {
        let may = |policy: &str, address: &str| Policy::parse(policy).unwrap().listen(address).is_ok();
        assert!(may("", ":80") && may("listen = ['127.0.0.1:*']", "127.0.0.1:80"));
        assert!(!may("listen = ['127.0.0.1:*']", ":80") && !may("kinds = ['file']", ":80"));
        assert!(Policy::nothing().listen(":80").is_err());
    }

    #[test]
    fn nothing_is_nothing() {
        let step = Step::CreateFile { path: "/x".into(), mode: None };
        assert!(Policy::nothing().step(&ResourceId::new("file", "x"), &step).is_err());
    }
}
