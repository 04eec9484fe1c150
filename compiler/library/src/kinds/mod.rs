//! The resource kinds, one file each, pure: declared data, validation, and the methods of [`Kind`]. The engine asks
//! them, a host looks and changes; check and apply share `decide`.
//!
//! To add a kind, write a file and add its line to [`ALL`], which is sorted by name.

mod accounts;
mod address;
#[cfg(test)]
pub(crate) mod check;
pub mod compare;
pub mod crontab;
pub mod decl;
pub mod docs;
mod duration;
pub mod examples;
pub mod host_type;
pub mod kind;
pub mod lines;
mod made;
pub mod meta;
mod own_file;
mod rented;
pub mod required;
mod rules;
#[cfg(test)]
mod rules_tests;
pub mod secrets;
pub mod sendrecv;
mod ssh_key;
pub mod store;
pub mod systemd_time;
mod units;
mod url;
mod walk;
mod want;

mod augeas;
mod aws_ec2;
mod bmc;
mod consul_kv;
mod cron;
mod deploy_tar;
mod dhcp;
mod docker;
mod exec;
mod exit;
mod file;
mod firewalld;
mod fwattr;
mod fwupd;
mod group;
mod gsettings;
mod gzip;
mod hetzner_vm;
mod hostname;
mod http;
mod json_edit;
mod kv;
mod line;
mod mount;
mod msg;
mod net;
mod noop;
mod nspawn;
mod panic;
mod password;
mod pkg;
mod print;
mod remote;
mod schedule;
mod ssh_authorized_key;
mod svc;
mod sysctl;
mod tar;
mod test;
mod tftp;
mod timer;
mod user;
mod value;
mod virt;

pub use crate::property::MetaProperty;
pub use decl::{Compared, Constant, Field, FieldDefault, KindDecl, Params, Secrecy, Sendable, Traits};
pub use host_type::{HostField, HostType};
pub use kind::{Claim, Decided, Decision, Direction, How, Kind, Owned, Read, Seen, Sent, WantBatch};
pub use meta::Meta;
pub use want::{Member, Members, Want};

/// Every kind by its name, in byte order.
static ALL: &[(&str, &dyn Kind)] = &[
    ("_panic", &panic::Panic),
    ("augeas", &augeas::Augeas),
    ("aws:ec2", &aws_ec2::AwsEc2),
    ("bmc:firmware", &bmc::firmware::BmcFirmware),
    ("bmc:power", &bmc::power::BmcPower),
    ("consul:kv", &consul_kv::ConsulKv),
    ("cron", &cron::Cron),
    ("deploy:tar", &deploy_tar::DeployTar),
    ("dhcp:host", &dhcp::host::DhcpHost),
    ("dhcp:range", &dhcp::range::DhcpRange),
    ("dhcp:server", &dhcp::server::DhcpServer),
    ("docker:container", &docker::container::DockerContainer),
    ("docker:image", &docker::image::DockerImage),
    ("exec", &exec::Exec),
    ("exit", &exit::Exit),
    ("file", &file::File),
    ("firewalld", &firewalld::Firewalld),
    ("fwattr", &fwattr::Fwattr),
    ("fwupd:device", &fwupd::device::FwupdDevice),
    ("fwupd:remote", &fwupd::remote::FwupdRemote),
    ("fwupd:system", &fwupd::system::FwupdSystem),
    ("group", &group::Group),
    ("gsettings", &gsettings::Gsettings),
    ("gzip", &gzip::Gzip),
    ("hetzner:vm", &hetzner_vm::HetznerVm),
    ("hostname", &hostname::Hostname),
    ("http:client", &http::client::HttpClient),
    ("http:server", &http::server::HttpServer),
    ("http:server:file", &http::server_file::HttpServerFile),
    ("http:server:flag", &http::server_flag::HttpServerFlag),
    ("http:server:proxy", &http::server_proxy::HttpServerProxy),
    ("http:server:ui", &http::server_ui::HttpServerUi),
    ("http:server:ui:input", &http::server_ui_input::HttpServerUiInput),
    ("json:edit", &json_edit::JsonEdit),
    ("kv", &kv::Kv),
    ("line", &line::Line),
    ("mount", &mount::Mount),
    ("msg", &msg::Msg),
    ("net", &net::Net),
    ("noop", &noop::Noop),
    ("nspawn", &nspawn::Nspawn),
    ("password", &password::Password),
    ("pkg", &pkg::Pkg),
    ("print", &print::Print),
    ("remote", &remote::Remote),
    ("schedule", &schedule::Schedule),
    ("ssh:authorized_key", &ssh_authorized_key::SshAuthorizedKey),
    ("svc", &svc::Svc),
    ("sysctl", &sysctl::Sysctl),
    ("tar", &tar::Tar),
    ("test", &test::Test),
    ("tftp:file", &tftp::file::TftpFile),
    ("tftp:server", &tftp::server::TftpServer),
    ("timer", &timer::Timer),
    ("user", &user::User),
    ("value", &value::Value),
    ("virt", &virt::domain::Virt),
    ("virt:builder", &virt::builder::VirtBuilder),
    ("virt:network", &virt::network::VirtNetwork),
    ("virt:network:host", &virt::network_host::VirtNetworkHost),
    ("virt:network:range", &virt::network_range::VirtNetworkRange),
];

/// The kind of this name. Cost: a binary search.
pub fn lookup(name: &str) -> Option<&'static dyn Kind> {
    let at = ALL.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
    Some(ALL[at].1)
}

/// Validates a resource: its meta parameters, its name, and, unless it is hidden, its kind's own rules. Language spec,
/// 12.1 step 6.
///
/// Errors: the reason in `KIND[NAME] did not Validate: …`.
pub fn validate(kind: &dyn Kind, want: &Want) -> Result<(), String> {
    want.meta.validate().map_err(|why| format!("invalid meta parameter: {why}"))?;
    if want.name.starts_with('$') && !want.meta.dollar {
        return Err(
            "the name starts with `$`: write `${name}` to insert a variable, or set `Meta:dollar => true`".into()
        );
    }
    if want.meta.hidden { Ok(()) } else { kind.validate(want) }
}

/// Every kind, sorted by name; `_panic`, which cannot be written, is the first.
pub fn all() -> impl Iterator<Item = &'static dyn Kind> + Clone {
    ALL.iter().map(|(_, kind)| *kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_found_by_its_declared_name() {
        assert_eq!(ALL.len(), 61);
        assert!(ALL.is_sorted_by(|a, b| a.0 < b.0));
        for kind in all() {
            let found = lookup(kind.decl().name).map(|found| found.decl().name);
            assert_eq!(found, Some(kind.decl().name));
        }
        assert!(lookup("nothing").is_none());
    }

    #[test]
    fn no_field_is_declared_twice() {
        for kind in all() {
            let mut names: Vec<&str> = kind.decl().fields.iter().map(|field| field.name).collect();
            names.sort_unstable();
            assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{}", kind.decl().name);
        }
    }

    #[test]
    fn constants_of_kinds_are_those_of_the_language() {
        for kind in all() {
            for (name, value) in kind.decl().constants {
                let full = format!("$const.res.{}.{name}", kind.decl().name);
                let found = crate::corelib::docs::entries().find(|entry| entry.name == full);
                let known = found.and_then(|entry| entry.value);
                assert_eq!(known, Some(value.value().to_string()), "{full}");
            }
        }
    }
}
