//! The component: what `wit/mclive.wit` promises, by calling the crate root.
//!
//! Thin on purpose: decode, call, encode. Nothing here decides.

// The macro's output is not ours to lint.
#[allow(unsafe_op_in_unsafe_fn, unreachable_pub)]
mod bindings {
    wit_bindgen::generate!({ path: "wit", world: "brain-world" });
    use super::Face;
    export!(Face);
}
