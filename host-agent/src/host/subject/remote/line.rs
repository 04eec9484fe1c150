//! [`Line`]: a command line of `ssh`, with the secrets that it must not contain.

use crate::host::subject::tool;
use mclive_base::vocab::remote::{Place, Tunnel};
use mclive_base::vocab::{CommandSpec, HostError};
use std::fs::File;

pub(super) struct Line {
    spec: CommandSpec,
    /// Files that `ssh` reads by the paths in the line.
    _beside: Vec<File>,
}

impl Line {
    /// A script with its arguments, for a place. With a tunnel, nothing is run unless it is open.
    pub(super) fn to(
        ssh: String,
        place: &Place,
        script: &str,
        words: &[&str],
        tunnel: Option<&Tunnel>,
    ) -> Result<Line, HostError> {
        let target = &place.target;
        let mut beside = Vec::new();
        let mut known_hosts = "UserKnownHostsFile=~/.ssh/known_hosts".to_owned();
        if !target.host_key.is_empty() {
            let name =
                if target.port == 22 { target.host.clone() } else { format!("[{}]:{}", target.host, target.port) };
            let file = tool::memory("known_hosts", format!("{name} {}\n", target.host_key).as_bytes())?;
            known_hosts += &format!(" {}", tool::path(&file));
            beside.push(file);
        }
        let mut options = vec![
            "StrictHostKeyChecking=yes".to_owned(),
            known_hosts,
            "UpdateHostKeys=no".to_owned(),
            "ConnectTimeout=10".to_owned(),
            "ServerAliveInterval=10".to_owned(),
            "ServerAliveCountMax=3".to_owned(),
            "ControlMaster=no".to_owned(),
        ];
        match tunnel {
            None => options.push("ClearAllForwardings=yes".to_owned()),
            // In a connection that others share, the tunnel would outlive this one.
            Some(_) => options.extend(["ExitOnForwardFailure=yes", "ControlPath=none"].map(str::to_owned)),
        }
        let mut env = Vec::new();
        match target.password.0.as_str() {
            "" => options.push("BatchMode=yes".to_owned()),
            password => {
                let secret = tool::memory("password", password.as_bytes())?;
                let asker =
                    tool::memory("askpass", format!("#!/bin/sh\nexec cat {}\n", tool::path(&secret)).as_bytes())?;
                env.push(("SSH_ASKPASS".to_owned(), tool::path(&asker)));
                env.push(("SSH_ASKPASS_REQUIRE".to_owned(), "force".to_owned()));
                options.push("NumberOfPasswordPrompts=1".to_owned());
                beside.extend([secret, asker]);
            }
        }
        match target.key.as_deref() {
            None => env.extend(std::env::var("SSH_AUTH_SOCK").map(|socket| ("SSH_AUTH_SOCK".to_owned(), socket))),
            Some("") => options.push("PubkeyAuthentication=no".to_owned()),
            Some(key) => options.extend([format!("IdentityFile=\"{key}\""), "IdentitiesOnly=yes".to_owned()]),
        }
        let mut argv = vec![ssh, "-T".to_owned()];
        argv.extend(options.into_iter().flat_map(|option| ["-o".to_owned(), option]));
        if let Some(tunnel) = tunnel {
            argv.extend(["-R".to_owned(), format!("{}:{}", tunnel.listen, tunnel.end())]);
        }
        argv.extend(["-p".to_owned(), target.port.to_string(), "-l".to_owned(), target.user.clone()]);
        let kept = if place.is_kept { "1" } else { "" };
        let words = [&*place.id, kept].into_iter().chain(words.iter().copied()).map(quoted);
        let command = format!("exec sh -c {} mclive {}", quoted(script), words.collect::<Vec<_>>().join(" "));
        argv.extend(["--".to_owned(), target.host.clone(), command]);
        Ok(Line { spec: CommandSpec { argv, env, ..CommandSpec::default() }, _beside: beside })
    }

    pub(super) fn spec(&self) -> CommandSpec {
        self.spec.clone()
    }
}

/// Quotes a word for the shell of the other host.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mclive_base::vocab::password::Secret;
    use mclive_base::vocab::remote::{Store, Target};

    fn place() -> Place {
        let target = Target {
            url: "ssh://h:2222".into(),
            user: "bob".into(),
            host: "h".into(),
            port: 2222,
            password: Secret("hush-hush".into()),
            key: Some(String::new()),
            host_key: "ssh-ed25519 AAAA".into(),
        };
        Place { target, id: "0123456789".into(), is_kept: true }
    }

    #[test]
    fn words_are_data_and_passwords_no_words() {
        let line = Line::to("ssh".into(), &place(), "echo", &["it's; $(rm)"], None).unwrap();
        let spec = line.spec();
        assert_eq!(spec.argv.last().unwrap(), r"exec sh -c 'echo' mclive '0123456789' '1' 'it'\''s; $(rm)'");
        assert!(!format!("{spec:?}").contains("hush-hush"));
        assert!(spec.argv.contains(&"PubkeyAuthentication=no".to_owned()));
        let known = spec.argv.iter().find_map(|word| word.split_once("known_hosts ")).unwrap().1;
        assert_eq!(std::fs::read_to_string(known).unwrap(), "[h]:2222 ssh-ed25519 AAAA\n");
    }

    #[test]
    fn a_tunnel_is_open_before_anything_is_run_or_nothing_is() {
        let store = Store { url: "https://[2001:db8::1]".into(), group: "main".into() };
        let tunnel = Tunnel { listen: "127.0.0.1:2379".into(), store };
        let argv = Line::to("ssh".into(), &place(), "echo", &[], Some(&tunnel)).unwrap().spec().argv;
        let at = argv.iter().position(|word| word == "-R").unwrap();
        assert_eq!(argv[at + 1], "127.0.0.1:2379:[2001:db8::1]:443");
        assert!(at < argv.iter().position(|word| word == "--").unwrap());
        for option in ["ExitOnForwardFailure=yes", "ControlPath=none"] {
            assert!(argv.iter().any(|word| word == option), "{option}");
        }
        // That would close the tunnel as well.
        assert!(!argv.iter().any(|word| word.starts_with("ClearAllForwardings")));
    }
}
