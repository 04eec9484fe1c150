//! The running program as a process.

use super::go_readers;
use crate::corelib::facts::{ask, int_field, known, text_field};
use crate::corelib::{CallContext, FnError};
use crate::value::Value;
use crate::vocab::{FactSpec, hostname, program};

go_readers! {
    EXECUTABLE "golang/os.executable" "func() str" "Returns the path of the running executable. Symbolic links are not \
                                                    resolved."
    ["os.executable()" => r#""/usr/bin/mclive""#, r#"os.executable() + "/a""# => r#""/usr/bin/mclive/a""#, "len(os.executable())" => "15"]
    |world, _| ask(world, &FactSpec::Program(program::Fact::Executable { resolved: false }));

    GETEGID "golang/os.getegid" "func() int" "Returns the effective group id."
    ["os.getegid()" => "0", "os.getegid() + 1" => "1", "os.getegid() >= 0" => "true"]
    |world, _| number(world, "egid");

    GETEUID "golang/os.geteuid" "func() int" "Returns the effective user id."
    ["os.geteuid()" => "0", "os.geteuid() + 1" => "1", "os.geteuid() >= 0" => "true"]
    |world, _| number(world, "euid");

    GETGID "golang/os.getgid" "func() int" "Returns the group id."
    ["os.getgid()" => "0", "os.getgid() + 1" => "1", "os.getgid() >= 0" => "true"]
    |world, _| number(world, "gid");

    GETPAGESIZE "golang/os.getpagesize" "func() int" "Returns the memory page size in bytes."
    ["os.getpagesize()" => "4096", "os.getpagesize() + 1" => "4097", "os.getpagesize() >= 0" => "true"]
    |world, _| number(world, "page_size");

    GETPID "golang/os.getpid" "func() int" "Returns the process id."
    ["os.getpid()" => "100", "os.getpid() + 1" => "101", "os.getpid() >= 0" => "true"]
    |world, _| number(world, "pid");

    GETPPID "golang/os.getppid" "func() int" "Returns the process id of the parent process."
    ["os.getppid()" => "1", "os.getppid() + 1" => "2", "os.getppid() >= 0" => "true"]
    |world, _| number(world, "ppid");

    GETUID "golang/os.getuid" "func() int" "Returns the user id."
    ["os.getuid()" => "0", "os.getuid() + 1" => "1", "os.getuid() >= 0" => "true"]
    |world, _| number(world, "uid");

    GETWD "golang/os.getwd" "func() str" "Returns the current directory."
    ["os.getwd()" => r#""/root""#, r#"os.getwd() + "/a""# => r#""/root/a""#, "len(os.getwd())" => "5"]
    |world, _| Ok(Some(Value::from(text_field(&known!(ask(world, &FactSpec::Program(program::Fact::Process))), "cwd"))));

    HOSTNAME "golang/os.hostname" "func() str" "The host's name."
    ["os.hostname()" => r#""host1""#, r#"os.hostname() + "/a""# => r#""host1/a""#, "len(os.hostname())" => "5"]
    |world, _| ask(world, &FactSpec::Hostname(hostname::Fact));
}

fn number(world: &mut dyn CallContext, field: &str) -> Result<Option<Value>, FnError> {
    Ok(Some(Value::Int(int_field(&known!(ask(world, &FactSpec::Program(program::Fact::Process))), field))))
}
