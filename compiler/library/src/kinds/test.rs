//! `test`: exercises every supported field type and engine feature; used by test suites. Resource spec, 9.

use crate::kinds::rules::ensure;
use crate::kinds::{Decision, Field, HostField, HostType, Kind, KindDecl, Seen, Sendable, Traits, Want, compare};
use crate::value::Value;
use crate::vocab::{CommandSpec, Finding, Probe};

/// The kind `test`.
pub(crate) struct Test;

static DECL: KindDecl = KindDecl {
    name: "test",
    doc: "Exercises every field type and engine feature. Used in tests.",
    fields: &[
        Field::bool("bool", "Bool", "bool sample; not writable in MCL (keyword)"),
        Field::str("str", "Str", "str sample; not writable in MCL (keyword)"),
        Field::int("int", "Int", HostType::Int, "int sample; not writable in MCL (keyword)"),
        Field::int("int8", "Int8", HostType::Int8, "int8 sample"),
        Field::int("int16", "Int16", HostType::Int16, "int16 sample"),
        Field::int("int32", "Int32", HostType::Int32, "int32 sample"),
        Field::int("int64", "Int64", HostType::Int64, "int64 sample"),
        Field::int("uint", "Uint", HostType::Uint, "uint sample"),
        Field::int("uint8", "Uint8", HostType::Uint8, "uint8 sample"),
        Field::int("uint16", "Uint16", HostType::Uint16, "uint16 sample"),
        Field::int("uint32", "Uint32", HostType::Uint32, "uint32 sample"),
        Field::int("uint64", "Uint64", HostType::Uint64, "uint64 sample"),
        Field::int("byte", "Byte", HostType::Uint8, "uint8 alias sample"),
        Field::int("rune", "Rune", HostType::Int32, "int32 alias sample"),
        Field::new("float32", "Float32", HostType::Float32, "float32 sample"),
        Field::new("float64", "Float64", HostType::Float64, "float64 sample"),
        Field::new("complex64", "Complex64", HostType::Complex(64), "complex sample; not settable from MCL"),
        Field::new("complex128", "Complex128", HostType::Complex(128), "complex sample; not settable from MCL"),
        Field::bool("boolptr", "BoolPtr", "nullable bool sample").nullable(),
        Field::str("stringptr", "StringPtr", "nullable str sample").nullable(),
        Field::int("int64ptr", "Int64Ptr", HostType::Int64, "nullable int sample").nullable(),
        Field::int("int8ptr", "Int8Ptr", HostType::Int8, "nullable int8 sample").nullable(),
        Field::int("uint8ptr", "Uint8Ptr", HostType::Uint8, "nullable uint8 sample").nullable(),
        Field::int("int8ptrptrptr", "Int8PtrPtrPtr", HostType::Int8, "triple indirection sample").nullable(),
        Field::strs("slicestring", "SliceString", "list sample").empty_differs(),
        Field::new("mapintfloat", "MapIntFloat", HostType::Map(&HostType::Int64, &HostType::Float64), "map sample")
            .empty_differs(),
        Field::new(
            "mixedstruct",
            "MixedStruct",
            HostType::Struct(&[
                HostField::new("somebool", HostType::Bool),
                HostField::new("somestr", HostType::Str),
                HostField::new("someint", HostType::Int),
                HostField::new("somefloat", HostType::Float64),
                HostField::private("somePrivatefield", HostType::Str),
            ]),
            "struct sample",
        ),
        Field::new("interface", "Interface", HostType::Any, "variant sample"),
        Field::str("anotherstr", "AnotherStr", "second str sample"),
        Field::new(
            "func1",
            "Func1",
            HostType::IntToStr,
            "function sample, called with 42 when logging; setting it from MCL always fails",
        )
        .not_compared(),
        Field::bool("validatebool", "ValidateBool", "if true, validation fails"),
        Field::str("validateerror", "ValidateError", "if not empty, validation fails with this text"),
        Field::bool("alwaysgroup", "AlwaysGroup", "allow autogrouping with other test resources"),
        Field::bool(
            "comparefail",
            "CompareFail",
            "never compare equal, so that the resource is replaced with every new graph",
        )
        .not_compared(),
        Field::str("sendvalue", "SendValue", "value to send as `hello`"),
        Field::strs("expectrecv", "ExpectRecv", "exact number of received keys that the check requires")
            .nullable()
            .empty_differs(),
        Field::strs("onlyshow", "OnlyShow", "names of the fields to log; empty means all"),
        Field::int(
            "waitforerror",
            "WaitForError",
            HostType::Int64,
            "block the check for this many milliseconds, then fail",
        ),
        Field::str("comment", "Comment", "free text"),
    ],
    traits: Traits {
        groupable: true,
        groups_others: true,
        refreshable: true,
        recvable: true,
        background: true,
        sends: &[
            Sendable { name: "hello", host: HostType::Str, nullable: true },
            Sendable { name: "answer", host: HostType::Int, nullable: false },
        ],
        ..Traits::NONE
    },
    constants: &[],
    policy: &[],
};

impl Kind for Test {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        ensure(!want.bool("validatebool"), "the validate param was set to true")?;
        let error = want.text("validateerror");
        ensure(error.is_empty(), format!("the validate error param was set to: {error}"))
    }

    fn compare(&self, one: &Want, other: &Want) -> Result<(), String> {
        ensure(!one.bool("comparefail") && !other.bool("comparefail"), "the CompareFail is true")?;
        compare::fields(one, other)
    }

    fn groups(&self, leader: &Want, member: &Want) -> Result<(), String> {
        ensure(member.decl.name == leader.decl.name, "only a `test` can be grouped with a `test`")?;
        ensure(leader.bool("alwaysgroup"), "the leader does not ask for it")
    }

    fn backend(&self) -> &'static str {
        "nothing is changed on the host."
    }

    /// Always up to date, unless configured to fail. Resource spec, 2.9.
    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        if let Some(Value::List(expected)) = want.set("expectrecv")
            && expected.len() != seen.received.len()
        {
            let (expected, got) = (expected.len(), seen.received.len());
            return Decision::CannotTell(format!("expected {expected} received fields, got {got}"));
        }
        let wait = want.int("waitforerror");
        if wait > 0 {
            let seconds = wait as f64 / 1000.0;
            return match seen.findings.first() {
                // Waiting is running a command that only waits: it can be cancelled like any command.
                None => Decision::LookFurther(vec![Probe::Command(waiting(seconds))]),
                Some(Finding::Failed(error)) => Decision::CannotTell(error.message.clone()),
                Some(_) => Decision::CannotTell(format!("waitforerror {seconds} seconds")),
            };
        }
        let hello = Value::Str(want.bytes("sendvalue"));
        Decision::InState(vec![("hello", Some(hello)), ("answer", Some(Value::Int(42)))])
    }

    fn leads(&self, want: &Want) -> bool {
        want.bool("alwaysgroup")
    }
}

fn waiting(seconds: f64) -> CommandSpec {
    CommandSpec {
        argv: vec!["sleep".to_string(), seconds.to_string()],
        env: Vec::new(),
        cwd: String::new(),
        user: String::new(),
        group: String::new(),
        signal: "SIGTERM".to_string(),
    }
}
