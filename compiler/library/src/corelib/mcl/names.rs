//! The names in modules written in MCL, for the docs. A test compares them with the files.

use crate::corelib::Example;

/// The kind of a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum What {
    Function,
    /// With its value, in value notation.
    Variable(&'static str),
    Class,
}

/// A name in such a module.
#[derive(Debug)]
pub(crate) struct Written {
    /// The module.
    pub module: &'static str,
    /// The name, without the module.
    pub name: &'static str,
    /// What it is.
    pub what: What,
    /// The signature of a function, the type of a variable; empty for a class.
    pub signature: &'static str,
    /// The description, in Markdown.
    pub doc: &'static str,
    /// Calls with their results.
    pub examples: &'static [Example],
}

const fn example(call: &'static str, gives: &'static str) -> Example {
    Example { call, gives }
}

const fn function(name: &'static str, doc: &'static str, examples: &'static [Example]) -> Written {
    Written { module: "example", name, what: What::Function, signature: "func() int", doc, examples }
}

const fn text(name: &'static str, value: &'static str, doc: &'static str) -> Written {
    let what = What::Variable(value);
    Written { module: "embedded/provisioner", name, what, signature: "str", doc, examples: &[] }
}

const fn class(name: &'static str, doc: &'static str) -> Written {
    Written { module: "embedded/provisioner", name, what: What::Class, signature: "", doc, examples: &[] }
}

/// All of them.
pub(crate) static ALL: &[Written] = &[
    function(
        "nativeanswer",
        "Returns 42; an example of a function written in MCL. It cannot be imported.",
        &[
            example("example.nativeanswer()", "error: cannot find function `example.nativeanswer` in this scope"),
            example("example.nativeanswer() <|> 1", "error: cannot find function `example.nativeanswer` in this scope"),
            example("example.answer()", "42"),
        ],
    ),
    function(
        "test1",
        "A function that shares its name with a variable and a class. It cannot be imported.",
        &[
            example("example.test1()", "error: cannot find function `example.test1` in this scope"),
            example("example.test1() <|> 1", "error: cannot find function `example.test1` in this scope"),
            example("$example.test1", "error: cannot find variable `$example.test1` in this scope"),
        ],
    ),
    Written {
        module: "example",
        name: "test1",
        what: What::Variable("13"),
        signature: "int",
        doc: "A variable that shares its name with a function and a class.",
        examples: &[],
    },
    Written {
        module: "example",
        name: "test1",
        what: What::Class,
        signature: "",
        doc: "A class that shares its name with a function and a variable; it declares a `print` resource.",
        examples: &[],
    },
    text("http_suffix", r#""http/""#, "The directory that the web server serves."),
    text("tftp_suffix", r#""tftp/""#, "The directory that the TFTP server serves."),
    text("uefi_suffix", r#""uefi/""#, "The directory of the boot loaders."),
    text("kickstart_suffix", r#""kickstart/""#, "The directory of the answer files and boot scripts."),
    text("ipxe_iso_filename", r#""ipxe.iso""#, "The image file of the boot loader."),
    text("ipxe_iso_default", r#""https://boot.ipxe.org/ipxe.iso""#, "The URL of that image."),
    text("ipxe_efi_x86_64_filename", r#""ipxe.x86_64.efi""#, "The boot loader file."),
    text("ipxe_efi_x86_64_default", r#""https://boot.ipxe.org/x86_64-efi/ipxe.efi""#, "The URL of the boot loader."),
    text("ipxe_autoexec_filename", r#""autoexec.ipxe""#, "The script that the boot loader runs."),
    class(
        "base",
        "A machine that provisions other machines: `include provisioner.base($config)`.\n\nFields of `$config`, all \
         optional except `prefix`: interface, http_port (4280), network (192.168.42.0/24; empty disables DHCP), \
         router, dns, prefix (ends with a slash), firewalld (true), ipxe_iso, ipxe_efi_x86_64.",
    ),
    class(
        "base:repo",
        "The package repository of a release: `include base.repo($config)`.\n\nFields: distro (fedora), version (39), \
         arch (x86_64), mirror, rsync. Hosts refer to it by its `uid`.",
    ),
    class(
        "base:host",
        "A machine to install: `include base.host($name, $config)`.\n\nFields: repo, flavour, mac, ip, bios (false), \
         password (a hash of 106 characters), sshkey, part, luks (true), packages, provision (false), handoff, \
         handoff_exec, handoff_code, handoff_module_path, handoff_svc_sshurl, handoff_svc_hostkey, handoff_svc_sshid, \
         handoff_hostname, bmc_uri. `provisioned` is true once it is installed.",
    ),
    class(
        "base:runner",
        "SSH access to the installed machines: `include base.runner($config)`.\n\nFields: sshkey, sshid.",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_define_them() {
        for written in ALL {
            let files = crate::corelib::mcl::system(written.module).iter();
            let mut texts = files.chain(crate::corelib::mcl::embedded(written.module)).map(|file| file.text);
            let head = match written.what {
                What::Function => format!("func {}(", written.name),
                What::Variable(value) => format!("${} = {value}\n", written.name),
                What::Class => format!("class {}", written.name),
            };
            let is_there = texts.any(|text| text.starts_with(&head) || text.contains(&format!("\n{head}")));
            assert!(is_there, "{head}");
        }
    }
}
