//! `strings.replace_all`.

use crate::corelib::bytes::{check_size, find_all, pieces};
use crate::corelib::{Example, FnDef, FnError, Run, Shape, Sig};
use crate::value::Value;

pub(super) static DEF: FnDef = FnDef {
    path: "strings.replace_all",
    sig: Sig::Fixed("func(s str, old str, new str) str"),
    doc: "Replaces every `old` with `new`, from left to right.\n\nAn empty `old` matches before each character and at \
          the end.",
    examples: &[
        Example { call: r#"strings.replace_all("aaa", "aa", "b")"#, gives: r#""ba""# },
        Example { call: r#"strings.replace_all("héy", "", "-")"#, gives: r#""-h-é-y-""# },
        Example { call: r#"strings.replace_all("", "x", "y")"#, gives: r#""""# },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|args| Ok(Value::from(replace(args.bytes(0)?, args.bytes(1)?, args.bytes(2)?, usize::MAX)?))),
};

/// Replaces the first `n` of `old` by `new`.
pub(crate) fn replace(text: &[u8], old: &[u8], new: &[u8], n: usize) -> Result<Vec<u8>, FnError> {
    let mut out = Vec::with_capacity(text.len());
    if old.is_empty() {
        let n_pieces = pieces(text).count();
        check_size(text.len() as u64 + (n_pieces.min(n) as u64).saturating_mul(new.len() as u64))?;
        for (at, piece) in pieces(text).enumerate() {
            out.extend_from_slice(if at < n { new } else { b"" });
            out.extend_from_slice(piece);
        }
        out.extend_from_slice(if n_pieces < n { new } else { b"" });
        return Ok(out);
    }
    let mut from = 0;
    for at in find_all(text, old).take(n) {
        out.extend_from_slice(&text[from..at]);
        out.extend_from_slice(new);
        from = at + old.len();
        if new.len() > old.len() {
            check_size(out.len() as u64)?;
        }
    }
    out.extend_from_slice(&text[from..]);
    Ok(out)
}
