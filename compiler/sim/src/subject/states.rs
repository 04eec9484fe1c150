//! [`Subjects`]: the state of each subject on a host, one field each; `()` for a subject without state.

use crate::vocab::{Subject, subjects};
use mclive_base::each_subject;
use std::collections::BTreeMap;

/// A subject on a simulated host.
pub trait Simulated: Subject {
    /// What a host has of it.
    type State: SubjectState;
}

/// What a host has of a subject.
pub trait SubjectState: Clone {
    /// What a new host of this name has.
    fn of_new_host(hostname: &str) -> Self;

    /// The agent has been killed: ends what it kept open.
    fn forget(&mut self) {}

    /// The number of entries that can grow, for an estimate of the memory that a copy takes.
    fn n_entries(&self) -> usize {
        0
    }

    /// The bytes of its contents and long texts, for the same estimate.
    fn n_bytes(&self) -> usize {
        0
    }

    /// The lines of its logs, for the same estimate.
    fn lines(&self) -> Vec<&str> {
        Vec::new()
    }
}

impl SubjectState for () {
    fn of_new_host(_: &str) {}
}

/// A list that is empty at first.
impl<T: Clone> SubjectState for Vec<T> {
    fn of_new_host(_: &str) -> Vec<T> {
        Vec::new()
    }

    fn n_entries(&self) -> usize {
        self.len()
    }
}

/// A table that is empty at first.
impl<K: Clone + Ord, V: Clone> SubjectState for BTreeMap<K, V> {
    fn of_new_host(_: &str) -> BTreeMap<K, V> {
        BTreeMap::new()
    }

    fn n_entries(&self) -> usize {
        self.len()
    }
}

macro_rules! states {
    ($($Name:ident: $module:ident,)*) => {
        /// What a host has of each subject.
        #[derive(Clone)]
        pub struct Subjects {
            $(
                /// See the subject of this name.
                pub $module: <subjects::$Name as Simulated>::State,
            )*
        }

        impl Subjects {
            /// What a new host of this name has.
            pub(crate) fn of_new_host(hostname: &str) -> Subjects {
                Subjects { $($module: SubjectState::of_new_host(hostname),)* }
            }

            /// The agent has been killed.
            pub(crate) fn forget(&mut self) {
                $(SubjectState::forget(&mut self.$module);)*
            }

            /// The number of entries that can grow.
            pub(crate) fn n_entries(&self) -> usize {
                [$(SubjectState::n_entries(&self.$module),)*].into_iter().sum()
            }

            /// The bytes of contents and long texts.
            pub(crate) fn n_bytes(&self) -> usize {
                [$(SubjectState::n_bytes(&self.$module),)*].into_iter().sum()
            }

            /// The lines of all logs.
            pub(crate) fn lines(&self) -> Vec<&str> {
                [$(SubjectState::lines(&self.$module),)*].concat()
            }
        }
    };
}
each_subject!(states);
