//! Facts that are read once: the world at the start of a program counts.

use super::Seen::{Catchable, Fatal, Value};
use super::{NOTHING, Row, row};
use crate::World;
use crate::vocab::Datum;

fn set(world: &mut World, name: &str, value: &str) {
    world.env.insert(name.into(), value.into());
}

pub(super) fn rows() -> Vec<Row> {
    vec![
        row(
            "sys.getenv",
            r#"sys.getenv("A")"#,
            Catchable("environment variable not set: A"),
            &[(|world| set(world, "A", "x"), 0, Value(r#""x""#))],
        ),
        row("sys.hasenv", r#"sys.hasenv("A")"#, Value("false"), &[(|world| set(world, "A", ""), 0, Value("true"))]),
        row("sys.env", "len(sys.env())", Value("4"), &[(|world| set(world, "A", ""), 0, Value("5"))]),
        row(
            "os.args",
            "os.args()",
            Value(r#"["mclive", "run"]"#),
            &[(|world| world.subjects.program.args.push("x".into()), 0, Value(r#"["mclive", "run", "x"]"#))],
        ),
        row(
            "os.release",
            "os.release()->id + \"\"",
            Value(r#""debian""#),
            &[
                (|world| world.write("/etc/os-release", "ID=fedora\n").unwrap(), 0, Value(r#""fedora""#)),
                (
                    |world| world.remove("/etc/os-release").unwrap(),
                    0,
                    Fatal("ParseOSRelease failed: No content available from os-release files"),
                ),
            ],
        ),
        row(
            "os.family",
            "os.family()",
            Value(r#""debian""#),
            &[
                (|world| world.write("/etc/redhat-release", "").unwrap(), 0, Value(r#""redhat""#)),
                (|world| world.remove("/etc").unwrap(), 0, Value(r#""""#)),
            ],
        ),
        row(
            "os.is_family_debian",
            "os.is_family_debian()",
            Value("true"),
            &[(|world| world.remove("/etc/debian_version").unwrap(), 0, Value("false"))],
        ),
        row(
            "os.is_family_redhat",
            "os.is_family_redhat()",
            Value("false"),
            &[(|world| world.write("/etc/redhat-release", "").unwrap(), 0, Value("true"))],
        ),
        row(
            "os.is_family_archlinux",
            "os.is_family_archlinux()",
            Value("false"),
            &[(|world| world.write("/etc/arch-release", "").unwrap(), 0, Value("true"))],
        ),
        row(
            "os.is_virtual",
            "os.is_virtual()",
            Value("false"),
            &[(|world| world.subjects.machine.texts = vec![b"x".to_vec(), b"QEMU".to_vec()], 0, Value("true"))],
        ),
        row(
            "os.modinfo_loaded",
            r#"os.modinfo_loaded("ext4")"#,
            Value("true"),
            &[(|world| world.subjects.machine.kernel_modules.clear(), 0, Value("false"))],
        ),
        row(
            "os.home",
            r#"os.home("alice")"#,
            Value(r#""/home/alice/""#),
            &[(|world| world.users.clear(), 0, Fatal("cannot find user `alice`"))],
        ),
        row(
            "os.uid",
            r#"os.uid("alice")"#,
            Value(r#""1000""#),
            &[(|world| world.users.clear(), 0, Fatal("cannot find user `alice`"))],
        ),
        row(
            "os.expand_home",
            r#"os.expand_home("~alice/x")"#,
            Value(r#""/home/alice/x""#),
            &[(|world| world.users.clear(), 0, Fatal("can't expand ~alice/ into home directory"))],
        ),
        row(
            "util.hostname_mapper",
            r#"util.hostname_mapper({"52:54:00:12:34:56" => "web1"})"#,
            Value(r#""web1""#),
            &[(|world| world.subjects.link.interfaces.clear(), 0, Value(r#""""#))],
        ),
        row(
            "golang/os.getenv",
            r#"os.getenv("A")"#,
            Value(r#""""#),
            &[(|world| set(world, "A", "x"), 0, Value(r#""x""#))],
        ),
        row(
            "golang/os.expand_env",
            r#"os.expand_env("-$A-")"#,
            Value(r#""--""#),
            &[(|world| set(world, "A", "x"), 0, Value(r#""-x-""#))],
        ),
        row(
            "golang/os.temp_dir",
            "os.temp_dir()",
            Value(r#""/tmp""#),
            &[(|world| set(world, "TMPDIR", "/x/"), 0, Value(r#""/x/""#))],
        ),
        row(
            "golang/os.user_cache_dir",
            "os.user_cache_dir()",
            Value(r#""/root/.cache""#),
            &[
                (|world| set(world, "XDG_CACHE_HOME", "/c/"), 0, Value(r#""/c/""#)),
                (|world| set(world, "XDG_CACHE_HOME", "c"), 0, Fatal("path in $XDG_CACHE_HOME is relative")),
                (|world| world.env.clear(), 0, Fatal("neither $XDG_CACHE_HOME nor $HOME are defined")),
            ],
        ),
        row(
            "golang/os.user_config_dir",
            "os.user_config_dir()",
            Value(r#""/root/.config""#),
            &[
                (|world| set(world, "XDG_CONFIG_HOME", "/c"), 0, Value(r#""/c""#)),
                (|world| set(world, "XDG_CONFIG_HOME", "c"), 0, Fatal("path in $XDG_CONFIG_HOME is relative")),
                (|world| world.env.clear(), 0, Fatal("neither $XDG_CONFIG_HOME nor $HOME are defined")),
            ],
        ),
        row(
            "golang/os.user_home_dir",
            "os.user_home_dir()",
            Value(r#""/root""#),
            &[(|world| world.env.clear(), 0, Fatal("$HOME is not defined"))],
        ),
        row(
            "golang/os.hostname",
            "os.hostname()",
            Value(r#""host1""#),
            &[(|world| world.hostname = "h".into(), 0, Value(r#""h""#))],
        ),
        row(
            "golang/os.read_file",
            r#"os.read_file("/srv/a")"#,
            Fatal("open /srv/a: no such file or directory"),
            &[
                (|world| world.write("/srv/a", "x").unwrap(), 0, Value(r#""x""#)),
                (
                    |world| world.remove("/srv/a").and_then(|()| world.make_dir("/srv/a")).unwrap(),
                    0,
                    Fatal("read /srv/a: is a directory"),
                ),
            ],
        ),
        row(
            "golang/os.readlink",
            r#"os.readlink("/srv/a")"#,
            Fatal("readlink /srv/a: no such file or directory"),
            &[(|world| world.symlink("/srv/a", "b").unwrap(), 0, Value(r#""b""#))],
        ),
        row(
            "golang/path/filepath.eval_symlinks",
            r#"filepath.eval_symlinks("/srv/a")"#,
            Fatal("lstat /srv/a: no such file or directory"),
            &[(|world| world.symlink("/srv/a", "../etc").unwrap(), 0, Value(r#""/etc""#))],
        ),
        row(
            "golang/path/filepath.eval_symlinks",
            r#"filepath.eval_symlinks("srv/./a")"#,
            Fatal("lstat /srv/./a: no such file or directory"),
            &[(|world| world.symlink("/srv/a", "../etc").unwrap(), 0, Value(r#""etc""#))],
        ),
        row(
            "golang/os/exec.look_path",
            r#"exec.look_path("tool")"#,
            Fatal(r#"exec: "tool": executable file not found in $PATH"#),
            &[(
                |world| world.write("/usr/bin/tool", "").and_then(|()| world.chmod("/usr/bin/tool", 0o755)).unwrap(),
                0,
                Value(r#""/usr/bin/tool""#),
            )],
        ),
        row(
            "golang/os.mkdir_temp",
            r#"os.mkdir_temp("/srv", "a*") == """#,
            Value("false"),
            &[(|world| world.remove("/srv").unwrap(), 0, Fatal("/srv: no such file or directory"))],
        ),
        row("local.pool", r#"local.pool("n", "a")"#, Value("1"), &[(NOTHING, 0, Value("1"))]),
        row("local.vardir", r#"local.vardir("a/")"#, Value(r#""/var/lib/mclive/vardir/functions/a/""#), &[]),
        row("random1", "len(random1(9))", Value("9"), &[]),
        row(
            "embedded/provisioner.cli_mirror",
            "provisioner.cli_mirror()",
            Value(r#""""#),
            &[(
                |world| {
                    world.subjects.program.settings.insert("mirror".into(), Datum::text("https://m"));
                },
                0,
                Value(r#""https://m""#),
            )],
        ),
    ]
}
