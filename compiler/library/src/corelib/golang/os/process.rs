//! The running program as a process.

use super::go_readers;
use crate::corelib::facts::{ask, int_field, known, text_field};
use crate::corelib::{CallContext, FnError};
use crate::value::Value;
use crate::vocab::{FactSpec, hostname, program};

go_readers! {
    EXECUTABLE "golang/os.executable" "func() str" "The path of the running executable, symbolic links as they are."
    ["os.executable()" => r#""/usr/bin/mclive""#, r#"os.executable() + "/a""# => r#""/usr/bin/mclive/a""#, "len(os.executable())" => "15"]
    |world, _| ask(world, &FactSpec::Program(program::Fact::Executable { resolved: false }));

    GETEGID "golang/os.getegid" "func() int" "The effective group's number."
    ["os.getegid()" => "0", "os.getegid() + 1" => "1", "os.getegid() >= 0" => "true"]
    |world, _| number(world, "egid");

    GETEUID "golang/os.geteuid" "func() int" "The effective user's number."
    ["os.geteuid()" => "0", "os.geteuid() + 1" => "1", "os.geteuid() >= 0" => "true"]
    |world, _| number(world, "euid");

    GETGID "golang/os.getgid" "func() int" "The group's number."
    ["os.getgid()" => "0", "os.getgid() + 1" => "1", "os.getgid() >= 0" => "true"]
    |world, _| number(world, "gid");

    GETPAGESIZE "golang/os.getpagesize" "func() int" "The size of a page of memory in bytes."
    ["os.getpagesize()" => "4096", "os.getpagesize() + 1" => "4097", "os.getpagesize() >= 0" => "true"]
    |world, _| number(world, "page_size");

    GETPID "golang/os.getpid" "func() int" "The process's number."
    ["os.getpid()" => "100", "os.getpid() + 1" => "101", "os.getpid() >= 0" => "true"]
    |world, _| number(world, "pid");

    GETPPID "golang/os.getppid" "func() int" "The number of the process that started this one."
    ["os.getppid()" => "1", "os.getppid() + 1" => "2", "os.getppid() >= 0" => "true"]
    |world, _| number(world, "ppid");

    GETUID "golang/os.getuid" "func() int" "The user's number."
    ["os.getuid()" => "0", "os.getuid() + 1" => "1", "os.getuid() >= 0" => "true"]
    |world, _| number(world, "uid");

    GETWD "golang/os.getwd" "func() str" "The current directory."
    ["os.getwd()" => r#""/root""#, r#"os.getwd() + "/a""# => r#""/root/a""#, "len(os.getwd())" => "5"]
    |world, _| Ok(Some(Value::from(text_field(&known!(ask(world, &FactSpec::Program(program::Fact::Process))), "cwd"))));

    HOSTNAME "golang/os.hostname" "func() str" "The host's name."
    ["os.hostname()" => r#""host1""#, r#"os.hostname() + "/a""# => r#""host1/a""#, "len(os.hostname())" => "5"]
    |world, _| ask(world, &FactSpec::Hostname(hostname::Fact));
}

fn number(world: &mut dyn CallContext, field: &str) -> Result<Option<Value>, FnError> {
    Ok(Some(Value::Int(int_field(&known!(ask(world, &FactSpec::Program(program::Fact::Process))), field))))
}
