//! Options of mgmt that mclive does not need. They are accepted, so that scripts keep working, and a line of output
//! says what they mean in mclive.

use clap::Args;

const PGP: &str = "mclive does not use PGP keys; `mclive key new` creates a key that deploys are signed with";
const ETCD: &str = "mclive does not start etcd; start it yourself, and pass the URLs of its members to --world";
const SSH: &str = "open a tunnel with `ssh -L`, and pass its local end to --world";
const GIT: &str = "a deploy needs no git repository; the commit is recorded if there is one";
const HOSTS: &str = "this is an option of `mclive run`, which each host sets for itself";
const PROFILE: &str = "use a system profiler, such as `perf`; `--prometheus` exposes metrics";

/// Those of `run`.
#[derive(Args, Clone, Default)]
pub(crate) struct ForeignRun {
    #[arg(long, hide = true)]
    no_pgp: bool,
    #[arg(long, hide = true, value_name = "FILE")]
    pgp_key_path: Option<String>,
    #[arg(long, hide = true, value_name = "NAME")]
    pgp_identity: Option<String>,
    #[arg(long, hide = true)]
    no_network: bool,
    #[arg(long, hide = true, value_name = "URL")]
    client_urls: Vec<String>,
    #[arg(long, hide = true, value_name = "URL")]
    server_urls: Vec<String>,
    #[arg(long, hide = true, value_name = "URL")]
    advertise_client_urls: Vec<String>,
    #[arg(long, hide = true, value_name = "URL")]
    advertise_server_urls: Vec<String>,
    #[arg(long, hide = true)]
    no_deploy_watch: bool,
    #[arg(long, hide = true, value_name = "ADDRESS")]
    pprof: Option<String>,
    #[command(flatten)]
    tunnel: ForeignTunnel,
}

/// Those of `deploy`.
#[derive(Args, Clone, Default)]
pub(crate) struct ForeignDeploy {
    #[arg(long, hide = true)]
    no_git: bool,
    #[arg(long, hide = true)]
    force: bool,
    #[arg(long, hide = true, value_name = "N", allow_negative_numbers = true)]
    sema: Option<i64>,
    #[arg(long, hide = true)]
    no_autoedges: bool,
    #[arg(long, hide = true)]
    no_autogroup: bool,
    #[command(flatten)]
    tunnel: ForeignTunnel,
}

#[derive(Args, Clone, Default)]
struct ForeignTunnel {
    #[arg(long, hide = true, value_name = "URL")]
    ssh_url: Option<String>,
    #[arg(long, hide = true, value_name = "KEY")]
    ssh_hostkey: Option<String>,
    #[arg(long, hide = true, value_name = "FILE")]
    ssh_id: Option<String>,
}

impl ForeignRun {
    /// A line for each that was given.
    pub(crate) fn notes(&self) -> Vec<String> {
        const DEPLOYS: &str = "with a program, `run` ignores deploys";
        let given = [
            ("--no-pgp", self.no_pgp, PGP),
            ("--pgp-key-path", self.pgp_key_path.is_some(), PGP),
            ("--pgp-identity", self.pgp_identity.is_some(), PGP),
            ("--no-network", self.no_network, ETCD),
            ("--client-urls", !self.client_urls.is_empty(), ETCD),
            ("--server-urls", !self.server_urls.is_empty(), ETCD),
            ("--advertise-client-urls", !self.advertise_client_urls.is_empty(), ETCD),
            ("--advertise-server-urls", !self.advertise_server_urls.is_empty(), ETCD),
            ("--no-deploy-watch", self.no_deploy_watch, DEPLOYS),
            ("--pprof", self.pprof.is_some(), PROFILE),
        ];
        notes(given.into_iter().chain(self.tunnel.given()))
    }
}

impl ForeignDeploy {
    /// A line for each that was given.
    pub(crate) fn notes(&self) -> Vec<String> {
        let given = [
            ("--no-git", self.no_git, GIT),
            ("--force", self.force, GIT),
            ("--sema", self.sema.is_some(), HOSTS),
            ("--no-autoedges", self.no_autoedges, HOSTS),
            ("--no-autogroup", self.no_autogroup, HOSTS),
        ];
        notes(given.into_iter().chain(self.tunnel.given()))
    }
}

impl ForeignTunnel {
    fn given(&self) -> [(&'static str, bool, &'static str); 3] {
        [
            ("--ssh-url", self.ssh_url.is_some(), SSH),
            ("--ssh-hostkey", self.ssh_hostkey.is_some(), SSH),
            ("--ssh-id", self.ssh_id.is_some(), SSH),
        ]
    }
}

fn notes(options: impl Iterator<Item = (&'static str, bool, &'static str)>) -> Vec<String> {
    let given = options.filter(|(_, is_given, _)| *is_given);
    given.map(|(option, _, meaning)| format!("mclive: note: {option} has no effect: {meaning}")).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Cli, Command};
    use clap::Parser;

    #[test]
    fn options_of_mgmt_are_accepted_and_told() {
        let notes = |words: &str| match Cli::try_parse_from(words.split(' ')).expect(words).command {
            Command::Run(run) => run.foreign.notes(),
            Command::Deploy(deploy) => deploy.foreign.notes(),
            _ => Vec::new(),
        };
        assert!(notes("mclive run main.mcl").is_empty());
        let told = notes("mclive run --no-pgp --client-urls http://127.0.0.1:2379 --ssh-url ssh://h main.mcl");
        assert_eq!(told.len(), 3);
        assert!(told[0].starts_with("mclive: note: --no-pgp has no effect: mclive does not use PGP keys"), "{told:?}");
        assert!(notes("mclive deploy --world http://127.0.0.1:2379 --noop main.mcl").is_empty());
        assert_eq!(notes("mclive deploy --world http://127.0.0.1:2379 --no-git --force main.mcl").len(), 2);
        assert_eq!(notes("mclive run --pprof localhost:6060 main.mcl").len(), 1);
        let of_hosts = "--sema -1 --no-autoedges --no-autogroup";
        let told = notes(&format!("mclive deploy --world http://127.0.0.1:2379 {of_hosts} main.mcl"));
        let expect =
            "mclive: note: --sema has no effect: this is an option of `mclive run`, which each host sets for itself";
        assert_eq!((told.len(), told[0].as_str()), (3, expect));
    }
}
