//! The service of the agent in an image: it applies the newest deploy of a store.

/// The command for the image that installs and enables the service. The seeds are separated by commas.
///
/// What else the agent needs, such as `MCLIVE_WORLD_PLAIN=1`, can be written to `/etc/default/mclive`.
pub(super) fn installs(seeds: &str) -> String {
    // A percent sign begins a specifier of systemd, also between quotes.
    let seeds = seeds.replace('\\', r"\\").replace('"', r#"\""#).replace('%', "%%");
    let unit = format!(
        "[Unit]\n\
         Description=mclive\n\
         Wants=network-online.target\n\
         After=network-online.target\n\
         \n\
         [Service]\n\
         Environment=\"MCLIVE_WORLD={seeds}\"\n\
         EnvironmentFile=-/etc/default/mclive\n\
         ExecStart=/usr/local/bin/mclive run\n\
         Restart=always\n\
         RestartSec=5\n\
         \n\
         [Install]\n\
         WantedBy=multi-user.target\n"
    );
    let unit = unit.replace('\'', r"'\''");
    format!("printf %s '{unit}' >/etc/systemd/system/mclive.service && systemctl enable mclive")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_the_shell_nor_systemd_reads_a_seed_as_its_own() {
        let command = installs(r#"https://a:2379,https://b/50%25'$x"\"#);
        let expect = r#"Environment="MCLIVE_WORLD=https://a:2379,https://b/50%%25'\''$x\"\\""#;
        assert!(command.lines().any(|line| line == expect), "{command}");
    }
}
