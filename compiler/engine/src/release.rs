//! [`release`]: frees the result of a stage before the next one, if it is large.

use mclive_base::discard::discard;

/// Beyond this number of parts, reusing the memory matters more than the time to free it.
const LARGE: usize = 100_000;

/// Drops a value with this number of parts. In the last call of a sandbox, a small one is leaked to save time.
pub(crate) fn release<T>(value: T, n_parts: usize) {
    if n_parts > LARGE { drop(value) } else { discard(value) }
}
