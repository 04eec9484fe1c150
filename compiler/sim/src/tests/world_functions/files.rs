//! Files, the lines of a command, accounts.

use super::Seen::{Catchable, Fatal, Value, Waiting};
use super::{NOTHING, Row, row};

pub(super) fn rows() -> Vec<Row> {
    vec![
        row(
            "os.readfile",
            r#"os.readfile("/srv/a/b")"#,
            Catchable("error reading file: open /srv/a/b: no such file or directory"),
            &[
                (|world| world.make_dir("/srv/a").unwrap(), 100, Catchable("no such file")),
                (|world| world.write("/srv/a/b", "1").unwrap(), 100, Value(r#""1""#)),
                (|world| world.write("/srv/a/b", "2").unwrap(), 100, Value(r#""2""#)),
                (|world| world.rename("/srv/a/b", "/srv/a/c").unwrap(), 100, Catchable("no such file")),
                (
                    |world| world.make_dir("/srv/a/b").unwrap(),
                    100,
                    Fatal("error reading file: read /srv/a/b: is a directory"),
                ),
                (|world| world.remove("/srv/a").unwrap(), 100, Catchable("no such file")),
                (
                    |world| world.make_dir("/srv/a").and_then(|()| world.write("/srv/a/b", "3")).unwrap(),
                    100,
                    Value(r#""3""#),
                ),
            ],
        ),
        row(
            "os.file_exists",
            r#"os.file_exists("/srv/x/y")"#,
            Value("false"),
            &[
                (|world| world.make_dir("/srv/x/y").unwrap(), 100, Value("true")),
                (|world| world.remove("/srv/x").unwrap(), 100, Value("false")),
                (|world| world.write("/srv/x", "").unwrap(), 100, Fatal("not a directory")),
                (|world| world.remove("/srv/x").unwrap(), 100, Value("false")),
            ],
        ),
        row(
            "os.system",
            r#"os.system("echo one; sleep 3; echo two")"#,
            Value(r#""one""#),
            &[(NOTHING, 4000, Value(r#""two""#)), (NOTHING, 4000, Value(r#""two""#))],
        ),
        row("os.system", r#"os.system("sleep 3")"#, Waiting, &[(NOTHING, 4000, Fatal("without printing a line"))]),
        row("os.system", r#"os.system("printf two")"#, Value(r#""two""#), &[]),
        row(
            "os.user_exists",
            r#"os.user_exists("bob")"#,
            Value("false"),
            &[(
                |world| {
                    let alice = world.users["alice"].clone();
                    world.users.insert("bob".into(), alice);
                },
                100,
                Value("true"),
            )],
        ),
    ]
}
