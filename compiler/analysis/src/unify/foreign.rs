//! Kinds and fields of other tools, and their MCL counterparts.

use crate::parse::foreign_fields;
use crate::value::Value;

/// The MCL kind for another tool's `kind`, with a note if they differ.
pub fn kind(kind: &str) -> Option<(&'static str, &'static str)> {
    Some(match kind {
        "service" | "systemd" | "unit" | "systemd_service" | "daemon" => ("svc", ""),
        "package" | "apt" | "yum" | "dnf" | "apt_package" | "packages" | "yum_package" | "dnf_package" | "apk"
        | "zypper" | "pacman" | "brew" | "homebrew" => ("pkg", ""),
        "command" | "cmd" | "shell" | "script" | "execute" | "bash" | "run" | "sh" | "raw" => ("exec", ""),
        "directory" | "folder" | "dir" => ("file", "; a directory is a `file` whose path ends with a slash"),
        "symlink" | "link" => ("file", "; a link is a `file` with the field `symlink`"),
        "template" | "copy" | "cookbook_file" | "remote_file" => ("file", ", with the field `content` or `source`"),
        "notify" | "notice" | "echo" | "debug" | "message" | "log" => ("print", ", with the field `msg`"),
        "lineinfile" | "file_line" | "blockinfile" | "ini_setting" | "ini_file" | "host" => ("line", ""),
        "get_url" | "download" | "wget" | "curl" | "uri" | "http_request" => ("http:client", ", with the field `url`"),
        "concat" => ("file", ", with the field `fragments`"),
        "local_user" => ("user", ""),
        "cronjob" | "cron_job" | "cron_d" | "scheduled_task" | "systemd_timer" => ("cron", ""),
        "filesystem" | "mount_point" | "fstab" => ("mount", ""),
        "interface" | "network_interface" | "nmcli" => ("net", ""),
        "users" | "account" => ("user", ""),
        "groups" => ("group", ""),
        "authorized_key" | "ssh_authorized_key" => ("ssh:authorized_key", ""),
        "docker_container" | "container" => ("docker:container", ""),
        "docker_image" | "image" => ("docker:image", ""),
        "firewall" | "firewall_rule" | "iptables" | "ufw" | "nftables" => ("firewalld", ""),
        "vm" | "virtual_machine" => ("virt", ""),
        _ => return None,
    })
}

/// The MCL counterpart of a `kind` that is not a resource in its own language.
pub(super) fn construct(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "foreach" | "each" => "write a loop as `for $index, $value in $list { … }`",
        "while" | "until" | "loop" | "repeat" => {
            "MCL has no loop with a condition: `for $index, $value in $list { … }`"
        }
        "unless" => "write `if not $cond { … }`",
        "when" => "write `if $cond { … }`",
        "node" => "compare the host name: `if $hostname == \"name\" { … }`",
        "define" | "role" | "recipe" => "write `class name { … }`, and `include name`",
        "function" | "def" | "fn" => "write a function as `func name($param) { … }`",
        "block" | "rescue" | "always" | "transaction" => {
            "write the resources in sequence: those that depend on a failed one wait"
        }
        "handler" | "handlers" | "task" | "tasks" | "play" => "write `class name { … }`, and `include name`",
        "data" | "facter" | "setup" => "facts are functions, such as `os.family()` after `import \"os\"`",
        "output" => "show a value with `print \"name\" { msg => \"…\", }`",
        "provider" | "terraform" | "backend" => "remove the block: MCL resources need no provider",
        "assert" | "fail" | "meta" => "to stop with an error, write `panic(\"…\")`",
        "variable" | "let" | "var" | "locals" => "write a variable as `$name = value`",
        "resource" => "a resource begins with its kind, as in `file \"/etc/motd\" { … }`",
        "module" | "require" | "use" => "write `import \"name\"` or `include name`",
        _ => return without_kind(kind),
    })
}

/// What replaces a kind of another tool that has no counterpart in MCL.
fn without_kind(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "git" | "vcsrepo" | "git_repository" => {
            "clone a repository with a command: `exec \"clone\" { cmd => \"/usr/bin/git clone URL /srv/app\", creates => \
             \"/srv/app/.git\", }`"
        }
        "unarchive" | "archive" | "untar" | "unzip" => {
            "unpack an archive with a command: `exec \"unpack\" { cmd => \"/usr/bin/tar -xf /srv/app.tar -C /srv\", creates \
             => \"/srv/app\", }`"
        }
        "pip" | "pip3" | "gem" | "gem_package" | "npm" | "cargo" | "snap" | "flatpak" => {
            "`pkg` installs the packages of the system; other package managers are commands: `exec \"flask\" { cmd => \
             \"/usr/bin/pip install flask\", nifcmd => \"/usr/bin/pip show flask\", }`"
        }
        "apt_repository" | "apt_source" | "apt_key" | "yumrepo" | "yum_repository" => {
            "write the repository as the content of a file: `file \"/etc/apt/sources.list.d/name.list\" { state => \"exists\", content \
             => \"…\", }`"
        }
        "mysql_db"
        | "mysql_database"
        | "mysql_user"
        | "mysql_query"
        | "postgresql_db"
        | "postgresql_user"
        | "postgresql_database"
        | "postgresql_query" => {
            "run SQL statements with a database client: `exec \"name\" { cmd => \"/usr/bin/psql\", args => [\"-c\", \
             \"…\"], }`"
        }
        "timezone" => {
            "set the time zone with a link: `file \"/etc/localtime\" { state => \"exists\", source => \
             \"/usr/share/zoneinfo/Europe/Berlin\", symlink => true, }`"
        }
        "modprobe" | "kernel_module" | "kmod" => {
            "list kernel modules to load in a file: `file \"/etc/modules-load.d/name.conf\" { state => \
            \"exists\", content => \"name\\n\", }`"
        }
        "sudo" | "sudoers" => {
            "write a file: `file \"/etc/sudoers.d/name\" { state => \"exists\", mode => \"0440\", content => \"…\", }`"
        }
        "logrotate" | "logrotate_rule" => {
            "write a file: `file \"/etc/logrotate.d/name\" { state => \"exists\", content => \"…\", }`"
        }
        "systemd_unit" | "unit_file" | "systemd_unit_file" => {
            "write a file, and start the service with `svc`: `file \"/etc/systemd/system/name.service\" { state => \
             \"exists\", content => \"…\", }`"
        }
        "reboot" => {
            "restart a host with a command: `exec \"reboot\" { cmd => \"/usr/sbin/reboot\", ifcmd => \"/usr/bin/test -e \
             /run/reboot-required\", }`"
        }
        "wait_for" | "pause" | "sleep" | "wait" => {
            "remove it: a resource that needs another one waits for it with `Depend => Kind[\"name\"],`"
        }
        "stat" => "to check whether a file exists, write `os.file_exists(\"/path\")`, after `import \"os\"`",
        "set_fact" | "include_vars" => "write a variable as `$name = value`",
        "deployment" | "pod" | "statefulset" | "daemonset" | "helm_release" => {
            "declare a container with `docker:container \"name\" { image => \"…\", }`"
        }
        _ => return None,
    })
}

/// The name that is a path.
const NAME: &str = "the name of the resource is its path: `file \"/etc/motd\" { … }`";
const DOWNLOAD: &str =
    "download it with a resource: `http:client \"/path\" { url => \"https://…\", }`; its name is the file";
const TEMPLATE: &str = "pass the values of a template as an argument: `content => golang.template(\"…\", $values),`, \
    after `import \"golang\"`";

/// The MCL field for another tool's `field`, as a help text. `has` tells which fields exist.
pub(super) fn field(field: &str, has: impl Fn(&str) -> bool) -> Option<(Option<&'static str>, String)> {
    let ours = match field {
        "state" | "ensure" if !has("state") => {
            return Some((None, "remove the field: this kind has no `state`".into()));
        }
        "ensure" | "status" => "state",
        "command" | "cmd" | "job" if has("trigger") => {
            return Some((
                None,
                "set the unit that the timer starts, such as a service: `unit => \"backup.service\",`".into(),
            ));
        }
        "target" if has("symlink") => {
            return Some((None, "to create a link, write `source => \"/target\",` and `symlink => true,`".into()));
        }
        "path" | "dest" | "destination" | "filename" if has("symlink") => {
            return (!has(field)).then(|| (None, NAME.into()));
        }
        "name" | "title" | "id" if !has(field) => {
            return Some((None, "the name of a resource goes before its `{`".into()));
        }
        "url" | "uri" if has("symlink") => return Some((None, DOWNLOAD.into())),
        "variables" | "vars" | "template" | "epp" | "erb" if has("symlink") => return Some((None, TEMPLATE.into())),
        // Of a mount, a line, a served file and a download.
        "mount_point" | "mountpoint" | "path" if has("passno") => {
            return Some((None, "the name of the resource is its path: `mount \"/srv\" { … }`".into()));
        }
        "fstype" | "fs_type" if has("passno") => "type",
        "src" | "source" if has("passno") => "device",
        "opts" if has("passno") => "options",
        "path" | "dest" | "filename" if has("trim") => "file",
        "line" if has("trim") => "content",
        "content" | "contents" | "text" if has("data") => "data",
        "dest" | "destination" | "path" if has("mtime_check") => {
            return Some((None, "the name of the resource is the file: `http:client \"/path\" { … }`".into()));
        }
        "uri" | "src" | "source" if has("mtime_check") => "url",
        "checksum" | "sha256sum" if has("sha256") => "sha256",
        "seconds" | "every" | "period" if has("interval") => "interval",
        "text" | "content" | "contents" | "body" | "string" if has("msg") => "msg",
        "text" | "message" | "msg" | "content" if has("journal") => "body",
        "text" | "contents" | "data" | "body" => "content",
        "permissions" | "permission" | "perms" | "chmod" => "mode",
        "command" | "run" => "cmd",
        "message" => "msg",
        "enable" | "enabled" | "boot" | "onboot" if has("startup") => {
            return Some((None, "write `startup => \"enabled\",` or `startup => \"disabled\",`".into()));
        }
        "home" | "home_dir" | "home_directory" => "homedir",
        "managehome" | "manage_home" | "create_home" | "createhome" | "move_home" if has("homedir") => {
            let help = "create a home directory with a `file` whose path ends with a slash: `file \"/home/ann/\" { state => \"exists\", }`";
            return Some((None, help.into()));
        }
        "primary_group" if has("homedir") => "group",
        "ssh_keys" | "authorized_keys" | "ssh_authorized_keys" if has("homedir") => {
            return Some((None, "declare each key as a separate `ssh:authorized_key` resource".into()));
        }
        "password" | "passwd" | "password_hash" | "expires" | "expiry" if has("homedir") && !has(field) => {
            return Some((None, format!("remove the field: `user` does not manage `{field}`")));
        }
        "members" | "users" if has("gid") && !has("homedir") => {
            return Some((None, "set the groups of a user in a field of the `user`: `groups => [\"name\"],`".into()));
        }
        "regexp" | "regex" | "match" | "search_string" if has("trim") => {
            let help = "whole lines are compared: to remove another line, declare it with `state => \"absent\",`";
            return Some((None, help.into()));
        }
        "line" | "regexp" | "regex" | "insertafter" | "insertbefore" if has("symlink") => {
            let help = "declare a line of a file as a resource: `line \"name\" { file => \"/path\", state => \"exists\", content => \"…\", }`";
            return Some((None, help.into()));
        }
        "container_name" if has("apiversion") => {
            return Some((None, "the name of a resource goes before its `{`".into()));
        }
        "volumes" | "restart" | "restart_policy" | "networks" | "network_mode" | "entrypoint" | "privileged"
        | "healthcheck" | "labels"
            if has("apiversion") && !has(field) =>
        {
            return Some((None, format!("remove the field: a container has no `{field}` in MCL")));
        }
        "executable" if has("ifshell") => "shell",
        "login_shell" if has("homedir") => "shell",
        "src" => "source",
        "user" | "username" => "owner",
        "recursive" => "recurse",
        "version" if has("allowuntrusted") => {
            return Some((None, "write the version as the state: `state => \"1.2\",`".into()));
        }
        "hour" | "minute" | "weekday" | "monthday" | "day" | "month" | "special_time" | "schedule"
            if has("trigger") =>
        {
            let help = "write the time in systemd syntax: `trigger => \"OnCalendar\",` and `time => \"*-*-* 02:00\",`";
            return Some((None, help.into()));
        }
        "path" if has("ifcmd") => {
            return Some((None, "write the full path of the command: `cmd => \"/usr/bin/true\",`".into()));
        }
        "environment" | "environment_vars" if has("env") => "env",
        "argv" | "arguments" if has("ifcmd") => "args",
        "chdir" | "workdir" | "working_dir" | "working_directory" | "dir" | "directory" if has("cwd") => "cwd",
        "onlyif" | "only_if" => "ifcmd",
        "unless" | "not_if" => "nifcmd",
        "require" | "requires" | "depends_on" | "depend" | "after" => return Some((None, edge("Depend"))),
        "before" => return Some((None, edge("Before"))),
        "notify" | "notifies" => return Some((None, edge("Notify"))),
        "listen" | "bind" if has("address") => "address",
        "subscribe" | "listen" => return Some((None, edge("Listen"))),
        "when" | "only_when" | "condition" | "if" => {
            return Some((None, "write the condition around the resource: `if $condition { … }`".into()));
        }
        "loop" | "with_items" | "with_dict" | "for_each" | "count" if !has(field) => {
            let help = "write a loop around the resource, or give it a list of names: `pkg [\"vim\", \"git\"] { … }`";
            return Some((None, help.into()));
        }
        "retries" | "tries" | "max_retries" if !has(field) => {
            return Some((None, "to retry a failed resource, write `Meta:retry => 3,`".into()));
        }
        "try_sleep" | "retry_delay" if !has(field) => {
            return Some((None, "set the time between two attempts in milliseconds: `Meta:delay => 2000,`".into()));
        }
        "pkgs" | "packages" | "names" if !has(field) => {
            return Some((None, "write several names as a list before the `{`: `pkg [\"vim\", \"git\"] { … }`".into()));
        }
        "register" => {
            let help = "to use a value of a resource, send it with an edge: `Exec[\"a\"].output -> \
                File[\"/b\"].content`";
            return Some((None, help.into()));
        }
        "makedirs" | "parents" | "create_dirs" | "mkdir" if has("symlink") => {
            let help = "create each directory with a `file` whose path ends with a slash: `file \"/srv/app/\" { state => \"exists\", }`";
            return Some((None, help.into()));
        }
        "absent" | "exists" if has("state") && !has("startup") && !has("allowuntrusted") => {
            return Some((None, state(field)));
        }
        "running" | "stopped" if has("startup") && !has("trigger") => return Some((None, state(field))),
        "installed" | "uninstalled" | "newest" if has("allowuntrusted") => return Some((None, state(field))),
        "latest" if has("allowuntrusted") => return Some((None, state("newest"))),
        "address" | "addresses" | "ip" | "ips" | "ipaddress" | "ip_address" | "netmask" | "mask" | "prefix"
            if has("addrs") =>
        {
            let help = "write the addresses as a list, each with its prefix: `addrs => [\"192.168.0.1/24\"],`";
            return Some((None, help.into()));
        }
        "gw" | "default_gateway" | "router" if has("addrs") => "gateway",
        "dns" | "nameserver" | "nameservers" if has("addrs") => {
            return Some((None, format!("remove the field: `net` does not manage `{field}`")));
        }
        "port" if has("address") && !has(field) => {
            return Some((None, "write the port as part of the address: `address => \":80\",`".into()));
        }
        "docroot" | "document_root" | "webroot" | "www" if has("root") => "root",
        "become" | "become_user" | "sudo" | "run_as" | "runas" | "run_as_user" if !has(field) => {
            let help = match has("user") {
                true => "the field is named `user`; without it, everything runs as the user of the agent",
                false => "remove the field: everything runs as the user of the agent",
            };
            return Some((None, help.into()));
        }
        "tag" | "version" if has("apiversion") && !has(field) => {
            return Some((None, "the tag is part of the image: `nginx:1.27`".into()));
        }
        "ignore_errors" | "failed_when" | "changed_when" | "tags" | "tag" | "loglevel" | "backup" | "lifecycle"
        | "provider" | "register_as" | "delegate_to" | "check_mode" | "no_log" | "force" | "replace" | "show_diff"
        | "validate" | "returns" | "logoutput" | "live_stream" | "comment" | "gecos" | "system" | "append"
        | "membership" | "update_cache" | "cache_valid_time" | "install_options" | "subscription" | "run_once"
            if !has(field) =>
        {
            return Some((None, format!("remove the field: MCL has no equivalent of `{field}`")));
        }
        "action" | "actions" if has("startup") => {
            return Some((
                None,
                "declare the desired state: `state => \"running\",` and `startup => \"enabled\",`".into(),
            ));
        }
        "action" | "actions" if has("allowuntrusted") => {
            return Some((None, "declare the desired state: `state => \"installed\",`".into()));
        }
        "refreshonly" | "onchanges" | "action" if has("ifcmd") => {
            let help = "the command runs at each check unless `ifcmd`, `nifcmd` or `creates` says otherwise; `watchfiles` \
                        runs it after a change to a file";
            return Some((None, help.into()));
        }
        "onchanges" | "watch" if !has(field) => return Some((None, edge("Listen"))),
        // These are written in the resource that changes.
        "onchanges_in" | "watch_in" | "listen_in" if !has(field) => return Some((None, edge("Notify"))),
        "require_in" | "required_by" => return Some((None, edge("Before"))),
        "daemon_reload" | "restart" | "reload" | "hasrestart" | "hasstatus" if has("startup") => {
            let help =
                "to reload the service after a change, notify it from the changed resource: `Notify => Svc[\"name\"],`";
            return Some((None, help.into()));
        }
        "meta" if !has(field) => {
            let help = "write each meta parameter as an item: `Meta:retry => 3,`; `mclive docs meta` lists them";
            return Some((None, help.into()));
        }
        "noop" | "retry" | "delay" | "poll" | "limit" | "sema" | "timeout" => {
            return (!has(field)).then(|| (None, format!("write a meta parameter as `Meta:{field} => value,`")));
        }
        _ => return None,
    };
    has(ours).then(|| (Some(ours), format!("the field is named `{ours}`")))
}

/// The MCL items for another tool's `field` with this value, if they are more than a new name: `state => "installed"` for
/// `ensure => "present"`. The second part is what else differs.
pub(super) fn items(kind: &str, field: &str, value: &Value) -> Option<(String, Option<&'static str>)> {
    let is_bool = matches!(value, Value::Bool(_));
    let text = if let Value::Bool(value) = value { value.to_string() } else { value.as_text()?.into_owned() };
    let ours = foreign_fields(kind, field, &text)?;
    let is_renamed = |(name, value): &(String, String)| name == "state" && !is_bool && *value == format!("\"{text}\"");
    if ours.len() == 1 && ours.iter().all(is_renamed) {
        return None;
    }
    let items: Vec<String> = ours.iter().map(|(name, value)| format!("{name} => {value}")).collect();
    let more = match (kind, &*text) {
        ("file", "directory") => Some("a directory has a path that ends with a slash, as in `file \"/srv/\" { … }`"),
        ("file", "link" | "symlink") => {
            Some("write the target of the link in the field `source`: `source => \"/target\",`")
        }
        _ => None,
    };
    Some((items.join(", "), more))
}

fn state(value: &str) -> String {
    format!("write the state as the value of a field: `state => \"{value}\",`")
}

fn edge(property: &str) -> String {
    format!("write an edge as `{property} => Kind[\"name\"],`")
}
