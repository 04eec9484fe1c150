//! [`batches`]: splits what is read or written into groups that each fit into one transaction.

/// The maximum number of keys of one transaction; etcd allows 128.
pub(in super::super) const MOST_KEYS: usize = 100;
/// The maximum number of bytes of one transaction; etcd allows 1.5 MiB.
pub(in super::super) const MOST_BYTES: usize = 1 << 20;

/// The groups, in order. `size`: the bytes of one of them.
pub(in super::super) fn batches<T>(all: Vec<T>, size: impl Fn(&T) -> usize) -> Vec<Vec<T>> {
    let mut batches: Vec<Vec<T>> = Vec::new();
    let mut n_bytes = 0;
    for one in all {
        let size = size(&one);
        match batches.last_mut().filter(|last| last.len() < MOST_KEYS && n_bytes + size <= MOST_BYTES) {
            Some(last) => {
                n_bytes += size;
                last.push(one);
            }
            None => {
                n_bytes = size;
                batches.push(vec![one]);
            }
        }
    }
    batches
}
