//! `os.args` and `os.system`.

use crate::corelib::facts::ask;
use crate::corelib::{Example, FnDef, Run, Shape, Sig};
use crate::vocab::{FactSpec, command, program};

pub(super) static ARGS: FnDef = FnDef {
    path: "os.args",
    sig: Sig::Fixed("func() []str"),
    doc: "Returns the command line of the running program, including its name.",
    examples: &[
        Example { call: "os.args()", gives: r#"["mclive", "run", "main.mcl"]"# },
        Example { call: "len(os.args())", gives: "3" },
        Example { call: "list_lookup(os.args(), 0)", gives: r#""mclive""# },
    ],
    shape: Shape::PLAIN,
    run: Run::World(|world, _| ask(world, &FactSpec::Program(program::Fact::Args))),
};

pub(super) static SYSTEM: FnDef = FnDef {
    path: "os.system",
    sig: Sig::Fixed("func(cmd str) str"),
    doc: "Runs a shell command and returns its latest line of output.\n\nThere is no value before the first line. The \
          last line remains when the command ends. When `cmd` changes, the running command is stopped.",
    examples: &[
        Example { call: r#"os.system("echo hi")"#, gives: r#""hi""# },
        Example { call: r#"len(os.system("echo hi"))"#, gives: "2" },
        Example { call: r#"os.system("fail to start")"#, gives: "error: fork failed" },
    ],
    shape: Shape::DYNAMIC,
    run: Run::World(|world, args| {
        ask(world, &FactSpec::Command(command::Fact::Lines { command: args.text(0)?.into_owned() }))
    }),
};
