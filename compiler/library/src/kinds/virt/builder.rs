//! `virt:builder`: builds a virtual machine disk image once with virt-builder. Resource spec, 9.

use super::part;
use crate::kinds::required::{PolicyList, Required};
use crate::kinds::rules::{absolute_dir, ensure, one_of_named};
use crate::kinds::url::Url;
use crate::kinds::walk::{Walk, cannot_tell};
use crate::kinds::{Decision, Field, FieldDefault, HostField, HostType, Kind, KindDecl, Seen, Traits, Want};
use crate::value::Value;
use crate::vocab::builder::{self, PACKAGE};
use crate::vocab::package::{self, PackageChange, Preview, Transaction};
use crate::vocab::password::Secret;
use crate::vocab::{Finding, Watch, file};
use std::borrow::Cow;

/// The kind `virt:builder`.
pub(crate) struct VirtBuilder;

static DECL: KindDecl = KindDecl {
    name: "virt:builder",
    doc: "Builds a disk image of a virtual machine once with virt-builder.",
    fields: &[
        Field::str("output", "Output", "Path of the image; defaults to the resource name."),
        Field::str("os_version", "OSVersion", "Template of virt-builder such as `fedora-40`.").required(),
        Field::str("arch", "Arch", "CPU architecture; defaults to that of this host."),
        Field::str("hostname", "Hostname", "Host name of the guest."),
        Field::str("format", "Format", "`raw`, `qcow2` or empty."),
        Field::int("size", "Size", HostType::Int, "Disk size in bytes; 0 keeps the size of the template."),
        Field::strs("packages", "Packages", "Packages to install."),
        Field::bool("update", "Update", "Update packages during the build.").default(FieldDefault::Bool(true)),
        Field::bool("selinux_relabel", "SelinuxRelabel", "Relabel the image for SELinux.")
            .default(FieldDefault::Bool(true)),
        Field::bool("no_setup", "NoSetup", "Do not install virt-builder if it is missing."),
        Field::new(
            "ssh_keys",
            "SSHKeys",
            HostType::List(&HostType::Struct(&[
                HostField::new("user", HostType::Str),
                HostField::new("type", HostType::Str),
                HostField::new("key", HostType::Str),
                HostField::new("comment", HostType::Str),
            ])),
            "SSH keys to inject.",
        ),
        Field::bool("root_ssh_inject", "RootSSHInject", "Inject the SSH key of the current user for root.")
            .default(FieldDefault::Bool(true)),
        Field::str("root_password_selector", "RootPasswordSelector", "Root password, as a selector of virt-builder.")
            .default(FieldDefault::Str("disabled"))
            .secret(),
        Field::bool("bootstrap", "Bootstrap", "Copy this program and its dependencies into the image.")
            .default(FieldDefault::Bool(true)),
        Field::strs(
            "seeds",
            "Seeds",
            "URLs of the shared store from which the guest applies the newest deploy; requires `bootstrap`.",
        ),
        Field::strs("mkdir", "Mkdir", "Directories to create."),
        Field::new(
            "copy_in",
            "CopyIn",
            HostType::List(&HostType::Struct(&[
                HostField::new("path", HostType::Str),
                HostField::new("dest", HostType::Str),
            ])),
            "Files to copy in.",
        ),
        Field::strs("run_cmd", "RunCmd", "Commands to run during the build."),
        Field::strs("firstboot_cmd", "FirstbootCmd", "Commands to run at first boot."),
        Field::bool("log_output", "LogOutput", "Keep the output of virt-builder in the state directory.")
            .default(FieldDefault::Bool(true)),
        Field::bool("tweaks", "Tweaks", "Apply workarounds for the distribution and install the guest agent.")
            .default(FieldDefault::Bool(true)),
    ],
    traits: Traits { uses_vardir: true, ..Traits::NONE },
    constants: &[],
    policy: &[
        Required::list(PolicyList::Paths),
        Required::list(PolicyList::Reads).case("copied files"),
        Required::list(PolicyList::Commands).entry("`/usr/bin/virt-builder`"),
        Required::list(PolicyList::Packages).entry("`guestfs-tools`").case("its installation"),
    ],
};

impl Kind for VirtBuilder {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        let output = want.effective("output");
        ensure(output.starts_with('/'), "`output` must be absolute")?;
        ensure(!want.text("os_version").is_empty(), "`os_version` is missing")?;
        one_of_named("format", &want.text("format"), &["raw", "qcow2", ""])?;
        ensure(want.int("size") >= 0, "`size` must not be negative")?;
        for package in want.texts("packages") {
            ensure(!package.is_empty(), "the name of a package must not be empty")?;
            ensure(!package.contains(','), "the name of a package must not contain a comma")?;
        }
        want.items("ssh_keys").iter().try_for_each(check_key)?;
        for seed in want.texts("seeds") {
            ensure(!seed.is_empty(), "an entry of `seed` is empty")?;
            Url::parse(&seed)?;
        }
        for dir in want.texts("mkdir") {
            ensure(!dir.is_empty(), "an entry of `mkdir` is empty")?;
            absolute_dir("each entry of `mkdir`", &dir)?;
        }
        for copy in want.items("copy_in") {
            let (path, dest) = (part(copy, "path"), part(copy, "dest"));
            ensure(!path.is_empty(), "`path` is empty")?;
            ensure(path.starts_with('/'), "`path` must be absolute")?;
            // The tool would read the path up to there, which the policy has not been asked about.
            ensure(!path.contains(':'), "`path` must not contain a colon, which is a separator for `virt-builder`")?;
            ensure(!dest.is_empty(), "`dest` is empty")?;
            absolute_dir("`dest`", &dest)?;
        }
        for (field, what) in [("run_cmd", "RunCmd"), ("firstboot_cmd", "FirstbootCmd")] {
            ensure(want.texts(field).iter().all(|command| !command.is_empty()), format!("empty {what} entry"))?;
        }
        Ok(())
    }

    fn puts(&self, want: &Want) -> Vec<String> {
        vec![output(want)]
    }

    fn backend(&self) -> &'static str {
        "`virt-builder` (package `guestfs-tools`, which is installed with apt if it is missing, unless `no_setup` is \
         set). An image is moved to its path once it is complete; an existing file is never changed. With \
         `log_output`, the logs of the last 10 builds are kept: of each, at most the first 64 KiB and the last 256 \
         KiB. With `bootstrap`, the binary of this agent, which should be called `mclive`, is copied to \
         `/usr/local/bin` in the image, and with `seeds`, the service `mclive` runs it there: `mclive run` with these \
         URLs of the store, and with the environment of `/etc/default/mclive`."
    }

    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        walk(want, &mut Walk::new(seen)).unwrap_or_else(|decision| decision)
    }

    fn watches(&self, want: &Want) -> Vec<Watch> {
        vec![file::Watch { path: output(want), recursive: false }.into()]
    }
}

fn output(want: &Want) -> String {
    want.effective("output").into_owned()
}

fn walk(want: &Want, walk: &mut Walk) -> Result<Decision, Decision> {
    let stat = file::Probe::Stat { path: output(want), follow: false };
    match &walk.look(vec![stat.into()])?[0] {
        Finding::File(file::Finding::Stat(Some(_))) => return Ok(Decision::InState(Vec::new())),
        Finding::File(file::Finding::Stat(None)) => {}
        other => return Err(cannot_tell(other)),
    }
    match &walk.look(vec![builder::Probe.into()])?[0] {
        Finding::Builder(builder::Finding::Tool(true)) => {}
        Finding::Builder(builder::Finding::Tool(false)) if want.bool("no_setup") => {
            let why = format!("virt-builder is not installed: install the package `{PACKAGE}`");
            return Err(Decision::CannotTell(why));
        }
        Finding::Builder(builder::Finding::Tool(false)) => install(walk)?,
        other => return Err(cannot_tell(other)),
    }
    let step = step(want);
    if step.template.starts_with('-') {
        return Err(Decision::CannotTell(format!("`{}` is an option, not a template of virt-builder", step.template)));
    }
    walk.mend(vec![step.into()])
}

fn install(walk: &mut Walk) -> Result<(), Decision> {
    let probe = package::Probe::Packages { names: vec![PACKAGE.to_owned()], offers: true };
    let found = match &walk.look(vec![probe.into()])?[0] {
        Finding::Package(package::Finding::Packages { packages, .. } | package::Finding::Holding { packages, .. }) => {
            packages.first()
        }
        other => return Err(cannot_tell(other)),
    };
    let Some((found, to)) = found.and_then(|found| Some((found, found.candidate.clone()?))) else {
        let why = format!("virt-builder is not installed, and apt has no package `{PACKAGE}`");
        return Err(Decision::CannotTell(why));
    };
    let change =
        PackageChange { name: found.name.clone(), now: found.installed.clone(), to: Some(to), is_pinned: false };
    let transaction =
        Transaction { changes: vec![change], allow_downgrade: false, allow_untrusted: false, also: Preview::default() };
    walk.act(vec![package::Step::Transaction(transaction).into()]).map(drop)
}

/// The arguments of the tool, in the order in which they take effect.
fn step(want: &Want) -> builder::Step {
    let template = want.text("os_version");
    let has_tweaks = want.bool("tweaks");
    let is_debian = template.starts_with("debian-");
    let has_guest_agent = has_tweaks && (is_debian || template.starts_with("fedora-"));
    let mut words: Vec<String> = Vec::new();
    let mut say = |flag: &str, value: &str| words.extend([flag.to_owned(), value.to_owned()]);
    for (field, flag) in [("arch", "--arch"), ("hostname", "--hostname"), ("format", "--format")] {
        let value = want.text(field);
        if !value.is_empty() {
            say(flag, &value);
        }
    }
    if want.int("size") > 0 {
        say("--size", &format!("{}b", want.int("size")));
    }
    let mut packages: Vec<_> = want.texts("packages");
    packages.extend(has_guest_agent.then_some(Cow::Borrowed("qemu-guest-agent")));
    if !packages.is_empty() {
        say("--install", &packages.join(","));
    }
    if has_guest_agent {
        say("--run-command", "systemctl enable qemu-guest-agent");
    }
    // A new boot loader would ask where to install itself.
    let holds = has_tweaks && is_debian && want.bool("update");
    if holds {
        say("--run-command", "apt-mark hold grub-pc");
    }
    if want.bool("update") {
        words.push("--update".into());
    }
    let mut say = |flag: &str, value: &str| words.extend([flag.to_owned(), value.to_owned()]);
    if holds {
        say("--run-command", "apt-mark unhold grub-pc");
    }
    for key in want.items("ssh_keys") {
        let (user, comment) = (part(key, "user"), part(key, "comment"));
        let user = if user.is_empty() { "root" } else { &*user };
        let line = format!("{} {} {comment}", part(key, "type"), part(key, "key"));
        say("--ssh-inject", &format!("{user}:string:{}", line.trim_end()));
    }
    if want.bool("root_ssh_inject") {
        say("--ssh-inject", "root");
    }
    if want.bool("selinux_relabel") {
        words.push("--selinux-relabel".into());
    }
    let selector = want.text("root_password_selector");
    let password_file = selector.trim_start_matches("locked:").strip_prefix("file:").map(str::to_owned);
    let copies = want.items("copy_in").iter().map(|copy| part(copy, "path").into_owned());
    let reads = copies.chain(password_file).collect();
    let mut last_words = Vec::new();
    let mut say = |flag: &str, value: &str| last_words.extend([flag.to_owned(), value.to_owned()]);
    let seeds = want.texts("seeds");
    if want.bool("bootstrap") && !seeds.is_empty() {
        say("--run-command", &super::seeds::installs(&seeds.join(",")));
    }
    want.texts("mkdir").iter().for_each(|dir| say("--mkdir", dir));
    for copy in want.items("copy_in") {
        say("--copy-in", &format!("{}:{}", part(copy, "path"), part(copy, "dest")));
    }
    want.texts("run_cmd").iter().for_each(|command| say("--run-command", command));
    want.texts("firstboot_cmd").iter().for_each(|command| say("--firstboot-command", command));
    builder::Step {
        output: output(want),
        template: template.into_owned(),
        words,
        password: Secret(selector.into_owned()),
        has_agent: want.bool("bootstrap"),
        last_words,
        reads,
        logs: want.bool("log_output"),
    }
}

fn check_key(key: &Value) -> Result<(), String> {
    ensure(!part(key, "type").is_empty(), "`type` is empty")?;
    ensure(!part(key, "key").is_empty(), "`key` is empty")?;
    // What follows a colon would be a selector of the tool, such as a file of this host, which the policy has not been
    // asked about.
    ensure(
        !part(key, "user").contains(':'),
        "`user` must not contain a colon, which is a separator for `virt-builder`",
    )?;
    for (name, what) in [("user", "User"), ("type", "Type"), ("key", "Key"), ("comment", "Comment")] {
        let blank = part(key, name).contains(char::is_whitespace);
        ensure(!blank, format!("problem with {what}: white space chars found"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::kinds::check::Draft;
    use crate::value::Value;

    #[test]
    fn a_copy_is_of_the_path_that_is_judged() {
        let copies = |path: &str| {
            let copy = Value::structure([("path", path.into()), ("dest", "/opt/".into())]);
            let draft = Draft::new("virt:builder", "/srv/a.img").text("os_version", "debian-12");
            draft.set("copy_in", Value::list([copy]))
        };
        copies("/srv/tree").check("");
        copies("/srv/tree:/x").check("`path` must not contain a colon, which is a separator for `virt-builder`");
    }

    #[test]
    fn the_user_of_a_key_names_no_file() {
        let key = |user: &str| {
            let fields = [("user", user), ("type", "ssh-ed25519"), ("key", "AAAA"), ("comment", "")];
            let key = Value::structure(fields.map(|(name, value)| (name, Value::from(value))));
            let draft = Draft::new("virt:builder", "/srv/a.img").text("os_version", "debian-12");
            draft.set("ssh_keys", Value::list([key]))
        };
        key("").check("");
        key("alice").check("");
        key("root:file:/srv/x").check("`user` must not contain a colon, which is a separator for `virt-builder`");
    }
}
