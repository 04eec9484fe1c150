//! `net/http.response`: the result of an http client resource.

use crate::corelib::facts::{ask, keep_first};
use crate::corelib::{Args, CallContext, Example, FnDef, FnError, Run, Shape, Sig};
use crate::value::Value;
use crate::vocab::{FactSpec, request};

pub(super) static RESPONSE: FnDef = FnDef {
    path: "net/http.response",
    sig: Sig::Fixed("func(uid str) struct{status int; output str}"),
    doc: "Returns the status and body of the `http:client` resource with this name.\n\nThe status is 0 before the \
          first response and -1 after a failure. The name must not change while the program runs.",
    examples: &[
        Example { call: r#"http.response("page")"#, gives: r#"struct{status: 200; output: "hello"}"# },
        Example { call: r#"http.response("nope")"#, gives: r#"struct{status: 0; output: ""}"# },
        Example { call: r#"http.response("")"#, gives: "error: can't use an empty uid" },
    ],
    shape: Shape::DYNAMIC,
    run: Run::World(run),
};

fn run(world: &mut dyn CallContext, args: &Args) -> Result<Option<Value>, FnError> {
    let uid = args.text(0)?.into_owned();
    if uid.is_empty() {
        return Err(FnError::fatal("can't use an empty uid"));
    }
    keep_first(world, &uid, "uid")?;
    let fail = |error: FnError| FnError::fatal(format!("could not read http output for `{uid}`: {}", error.message));
    ask(world, &FactSpec::Request(request::Fact::Last { uid: uid.clone() })).map_err(fail)
}
