//! `strings.left_pad` and `right_pad`.

use crate::corelib::bytes::{MAX_TEXT, too_long};
use crate::corelib::{Args, Example, FnDef, FnError, Run, Shape, Sig};
use crate::value::Value;

pub(super) static LEFT: FnDef = FnDef {
    path: "strings.left_pad",
    sig: Sig::Fixed("func(s str, pad str, len int) str"),
    doc: "Prepends `pad` until the string has at least `len` bytes.",
    examples: &[
        Example { call: r#"strings.left_pad("7", "0", 3)"#, gives: r#""007""# },
        Example { call: r#"strings.left_pad("7", "ab", 4)"#, gives: r#""abab7""# },
        Example { call: r#"strings.left_pad("abc", "", 2)"#, gives: r#""abc""# },
        Example { call: r#"strings.left_pad("a", "", 2)"#, gives: "error: an empty text can't pad" },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|args| {
        let text = args.bytes(0)?;
        let mut out = padding(args)?;
        out.extend_from_slice(text);
        Ok(Value::from(out))
    }),
};

pub(super) static RIGHT: FnDef = FnDef {
    path: "strings.right_pad",
    sig: Sig::Fixed("func(s str, pad str, len int) str"),
    doc: "Appends `pad` until the string has at least `len` bytes.",
    examples: &[
        Example { call: r#"strings.right_pad("7", ".", 3)"#, gives: r#""7..""# },
        Example { call: r#"strings.right_pad("é", "0", 3)"#, gives: r#""é0""# },
        Example { call: r#"strings.right_pad("a", "", -2)"#, gives: r#""a""# },
        Example { call: r#"strings.right_pad("a", "", 2)"#, gives: "error: an empty text can't pad" },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|args| {
        let padding = padding(args)?;
        Ok(Value::from([args.bytes(0)?, &padding].concat()))
    }),
};

fn padding(args: &Args) -> Result<Vec<u8>, FnError> {
    // Lengths that do not fit a size (32 bits in the sandbox) are too long.
    let (pad, len) = (args.bytes(1)?, usize::try_from(args.int(2)?.max(0)).unwrap_or(usize::MAX));
    let missing = len.saturating_sub(args.bytes(0)?.len());
    if missing == 0 {
        return Ok(Vec::new());
    }
    if pad.is_empty() {
        return Err(FnError::fatal("an empty text can't pad").said("the padding is empty"));
    }
    if missing > MAX_TEXT {
        return Err(too_long());
    }
    Ok(pad.repeat(missing.div_ceil(pad.len())))
}
