//! Values that change with the clock.

use super::Seen::{Value, Waiting};
use super::{NOTHING, Row, row};

pub(super) fn rows() -> Vec<Row> {
    vec![
        row("datetime.now", "datetime.now()", Value("1767225600"), &[(NOTHING, 1500, Value("1767225601"))]),
        row(
            "datetime.str_now",
            "datetime.str_now()",
            Value(r#""1767225600""#),
            &[(NOTHING, 2500, Value(r#""1767225602""#))],
        ),
        row(
            "datetime.weekday_fast",
            "datetime.weekday_fast()",
            Value(r#""thursday""#),
            &[(NOTHING, 1000, Value(r#""thursday""#)), (NOTHING, 86_400_000, Value(r#""friday""#))],
        ),
        row("sys.uptime", "sys.uptime()", Value("0"), &[(NOTHING, 3500, Value("3"))]),
        row(
            "sys.load",
            "sys.load()",
            Value("struct{x1: 0.1; x5: 0.1; x15: 0.1}"),
            &[(|world| world.subjects.machine.load = [2.0, 1.0, 0.5], 6000, Value("struct{x1: 2; x5: 1; x15: 0.5}"))],
        ),
        row(
            "example.flipflop",
            "example.flipflop()",
            Value("true"),
            &[(NOTHING, 5500, Value("false")), (NOTHING, 5000, Value("true"))],
        ),
        row(
            "example.vumeter",
            r#"example.vumeter("=", 4, 0.9)"#,
            Value(r#""(0.500000):\n==\n==""#),
            &[(
                |world| world.subjects.machine.audio_peak = 1.0,
                1500,
                Value(r#""(1.000000):\n==== PEAK!!!\n==== PEAK!!!""#),
            )],
        ),
        row("test.fastcount", "test.fastcount() > 100", Value("false"), &[(NOTHING, 500, Value("true"))]),
        row(
            "test.forloop",
            "test.forloop()",
            Value(r#"["foo"]"#),
            &[(NOTHING, 5500, Value(r#"["bar"]"#)), (NOTHING, 5000, Value(r#"["bar"]"#))],
        ),
        // Every evaluation after the first must find the same argument.
        row("test.one_stream", "test.one_stream(2)", Value(r#""xx""#), &[(NOTHING, 5000, Value(r#""xx""#))]),
        row(
            "test.slow_string",
            "test.slow_string()",
            Waiting,
            &[(NOTHING, 5500, Value(r#""five seconds has elapsed""#))],
        ),
        row(
            "history",
            r#"history(os.readfile("/etc/hostname"), 2000)"#,
            Value(r#""host1\n""#),
            &[
                (|world| world.write("/etc/hostname", "b").unwrap(), 1000, Value(r#""host1\n""#)),
                (NOTHING, 2000, Value(r#""b""#)),
            ],
        ),
    ]
}
