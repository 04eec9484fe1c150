//! Kinds and fields of other tools, and their MCL counterparts.

/// The MCL kind for another tool's `kind`, with a note if they differ.
pub fn kind(kind: &str) -> Option<(&'static str, &'static str)> {
    Some(match kind {
        "service" | "systemd" | "unit" => ("svc", ""),
        "package" | "apt" | "yum" | "dnf" | "apt_package" | "packages" => ("pkg", ""),
        "command" | "cmd" | "shell" | "script" | "execute" | "bash" => ("exec", ""),
        "directory" | "folder" | "dir" => ("file", "; a directory is a `file` whose path ends with a slash"),
        "symlink" | "link" => ("file", "; a link is a `file` with the field `symlink`"),
        "template" | "copy" | "cookbook_file" | "remote_file" => ("file", ", with the field `content` or `source`"),
        "notify" | "notice" | "echo" | "debug" | "message" => ("print", ", with the field `msg`"),
        "lineinfile" | "file_line" => ("line", ""),
        "cronjob" | "cron_job" => ("cron", ""),
        "users" | "account" => ("user", ""),
        "groups" => ("group", ""),
        "authorized_key" | "ssh_authorized_key" => ("ssh:authorized_key", ""),
        "docker_container" | "container" => ("docker:container", ""),
        "docker_image" | "image" => ("docker:image", ""),
        "firewall" | "firewall_rule" => ("firewalld", ""),
        "vm" | "virtual_machine" => ("virt", ""),
        _ => return None,
    })
}

/// The MCL counterpart of a `kind` that is not a resource in its own language.
pub(super) fn construct(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "foreach" | "each" => "a loop is written `for $index, $value in $list { … }`",
        "while" | "until" | "loop" | "repeat" => {
            "MCL has no loop with a condition: `for $index, $value in $list { … }`"
        }
        "unless" => "write `if not $cond { … }`",
        "when" => "write `if $cond { … }`",
        "node" => "compare the host name: `if $hostname == \"name\" { … }`",
        "define" | "role" | "recipe" => "write `class name { … }`, and `include name`",
        "function" | "def" | "fn" => "a function is written `func name($param) { … }`",
        "variable" | "let" | "var" | "locals" => "a variable is written `$name = value`",
        "resource" => "a resource begins with its kind, as in `file \"/etc/motd\" { … }`",
        "module" | "require" | "use" => "write `import \"name\"` or `include name`",
        _ => return None,
    })
}

/// The MCL field for another tool's `field`, as a help text. `has` tells which fields exist.
pub(super) fn field(field: &str, has: impl Fn(&str) -> bool) -> Option<(Option<&'static str>, String)> {
    let ours = match field {
        "ensure" | "status" => "state",
        "target" if has("symlink") => {
            return Some((None, "a link is written `source => \"/target\",` and `symlink => true,`".into()));
        }
        "path" | "dest" | "destination" | "filename" if has("symlink") => {
            return (!has(field))
                .then(|| (None, "the name of the resource is its path: `file \"/etc/motd\" { … }`".into()));
        }
        "name" | "title" | "id" if !has(field) => {
            return Some((None, "the name of a resource goes before its `{`".into()));
        }
        "text" | "contents" | "data" | "body" => "content",
        "permissions" | "perms" | "chmod" => "mode",
        "command" | "run" => "cmd",
        "message" => "msg",
        "enable" | "enabled" | "boot" => "startup",
        "src" => "source",
        "user" | "username" => "owner",
        "recursive" => "recurse",
        "version" => "state",
        "onlyif" | "only_if" => "ifcmd",
        "unless" | "not_if" => "nifcmd",
        "require" | "requires" | "depends_on" | "depend" | "after" => return Some((None, edge("Depend"))),
        "before" => return Some((None, edge("Before"))),
        "notify" | "notifies" => return Some((None, edge("Notify"))),
        "subscribe" | "listen" => return Some((None, edge("Listen"))),
        "noop" | "retry" | "delay" | "poll" | "limit" | "sema" | "timeout" => {
            return (!has(field)).then(|| (None, format!("a meta parameter is written `Meta:{field} => value,`")));
        }
        _ => return None,
    };
    has(ours).then(|| (Some(ours), format!("the field is named `{ours}`")))
}

fn edge(property: &str) -> String {
    format!("an edge is written `{property} => Kind[\"name\"],`")
}
