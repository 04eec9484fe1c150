//! Links that open a program in the playground ([`mclive_compiler::link`]).

use mclive_base::layout;
use mclive_compiler::link::pack;
use mclive_playground::state::share;

/// The address of the playground with this program, relative to the site.
pub(crate) fn link(text: &str) -> String {
    let deflated = miniz_oxide::deflate::compress_to_vec(text.as_bytes(), 9);
    format!("./{}", share::fragment(&pack(&deflated), text, layout::ALL[0]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_holds_the_program() {
        let text = "print \"x\" {}\n".repeat(9);
        let link = link(&text);
        assert!(link.starts_with("./#c=B") && link.len() < text.len(), "{link}");
    }
}
