//! `test.one_instance_*`: functions that must have a single vertex.

use crate::corelib::{Example, FnDef, Run, Shape, Sig};
use crate::value::Value;

macro_rules! once {
    ($name:ident, $path:literal, $call:literal) => {
        pub(super) static $name: FnDef = FnDef {
            path: $path,
            sig: Sig::Fixed("func() str"),
            doc: "Returns `hello`. It is used to test that a shared value is a single vertex.",
            examples: &[
                Example { call: $call, gives: r#""hello""# },
                Example { call: concat!("len(", $call, ")"), gives: "5" },
                Example { call: concat!($call, " + \"!\""), gives: r#""hello!""# },
            ],
            shape: Shape::DYNAMIC,
            run: Run::Pure(|_| Ok(Value::str("hello"))),
        };
    };
}

once!(A, "test.one_instance_a", "test.one_instance_a()");
once!(B, "test.one_instance_b", "test.one_instance_b()");
once!(C, "test.one_instance_c", "test.one_instance_c()");
once!(D, "test.one_instance_d", "test.one_instance_d()");
once!(E, "test.one_instance_e", "test.one_instance_e()");
once!(F, "test.one_instance_f", "test.one_instance_f()");
once!(G, "test.one_instance_g", "test.one_instance_g()");
once!(H, "test.one_instance_h", "test.one_instance_h()");
