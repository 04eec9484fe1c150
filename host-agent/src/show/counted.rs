//! [`counted`]: a number of things, in words.

/// `1 file`, `2 files`.
pub(crate) fn counted(n: usize, thing: &str) -> String {
    format!("{n} {thing}{}", if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_is_not_several() {
        assert_eq!([0, 1, 2].map(|n| counted(n, "key")), ["0 keys", "1 key", "2 keys"]);
    }
}
