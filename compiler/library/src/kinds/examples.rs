//! An example program for each kind, for the manual and the site. The simulated host runs each of them in a test.

macro_rules! examples {
    ($($kind:literal $file:literal;)*) => {
        /// The example program of a kind; related kinds share one.
        pub fn of(kind: &str) -> Option<&'static str> {
            Some(match kind {
                $($kind => include_str!(concat!("examples/", $file, ".mcl")),)*
                _ => return None,
            })
        }
    };
}

/// A program with meta parameters, for their page.
pub const META: &str = include_str!("examples/meta.mcl");

examples! {
    "augeas" "augeas";
    "aws:ec2" "aws-ec2";
    "bmc:firmware" "bmc-firmware";
    "bmc:power" "bmc-power";
    "consul:kv" "consul-kv";
    "cron" "cron";
    "deploy:tar" "deploy-tar";
    "dhcp:host" "dhcp";
    "dhcp:range" "dhcp";
    "dhcp:server" "dhcp";
    "docker:container" "docker";
    "docker:image" "docker";
    "exec" "exec";
    "exit" "exit";
    "file" "file";
    "firewalld" "firewalld";
    "fwattr" "fwattr";
    "fwupd:device" "fwupd-device";
    "fwupd:remote" "fwupd-remote";
    "fwupd:system" "fwupd-system";
    "group" "user";
    "gsettings" "gsettings";
    "gzip" "gzip";
    "hetzner:vm" "hetzner-vm";
    "hostname" "hostname";
    "http:client" "http-client";
    "http:server" "http-server-file";
    "http:server:file" "http-server-file";
    "http:server:flag" "http-server-flag";
    "http:server:proxy" "http-server-proxy";
    "http:server:ui" "http-server-ui";
    "http:server:ui:input" "http-server-ui";
    "json:edit" "json-edit";
    "kv" "kv";
    "line" "line";
    "mount" "mount";
    "msg" "msg";
    "net" "net";
    "noop" "noop";
    "nspawn" "nspawn";
    "password" "password";
    "pkg" "pkg";
    "print" "print";
    "remote" "remote";
    "schedule" "schedule";
    "ssh:authorized_key" "ssh-authorized-key";
    "svc" "svc";
    "sysctl" "sysctl";
    "tar" "tar";
    "test" "test";
    "tftp:file" "tftp";
    "tftp:server" "tftp";
    "timer" "timer";
    "user" "user";
    "value" "value";
    "virt" "virt";
    "virt:builder" "virt-builder";
    "virt:network" "virt-network";
    "virt:network:host" "virt-network";
    "virt:network:range" "virt-network";
}

#[cfg(test)]
mod tests {
    use crate::kinds::all;

    #[test]
    fn every_kind_that_can_be_written_has_an_example() {
        let names = all().map(|kind| kind.decl().name);
        let without: Vec<&str> = names.filter(|name| !name.starts_with('_') && super::of(name).is_none()).collect();
        assert_eq!(without, Vec::<&str>::new());
    }
}
