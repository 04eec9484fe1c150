//! `os.args` and `os.system`.

use crate::corelib::facts::ask;
use crate::corelib::{Example, FnDef, Run, Shape, Sig};
use crate::vocab::{FactSpec, command, program};

pub(super) static ARGS: FnDef = FnDef {
    path: "os.args",
    sig: Sig::Fixed("func() []str"),
    doc: "The arguments of the running program, its own name first.",
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
    doc: "Runs a shell command, and gives each line that it prints in turn.\n\n\
          Before the first line there is no value; the last one stays. Another command ends the one before.",
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
