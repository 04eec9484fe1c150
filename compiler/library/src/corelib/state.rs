//! [`CallState`]: what a function keeps from one evaluation of a vertex to the next.

use std::any::Any;

/// A value of any type that can be copied: a copy of a running program must not share what changes.
pub struct CallState {
    value: Box<dyn Any + Send>,
    copy: fn(&CallState) -> CallState,
}

impl CallState {
    /// Keeps this value.
    pub fn new<T: Any + Send + Clone>(value: T) -> CallState {
        CallState { value: Box::new(value), copy: copy::<T> }
    }

    /// The value, if it has this type.
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.value.downcast_ref()
    }

    /// The same, to keep.
    pub fn take<T: Any>(self) -> Option<T> {
        self.value.downcast().ok().map(|value| *value)
    }
}

impl Clone for CallState {
    fn clone(&self) -> CallState {
        (self.copy)(self)
    }
}

fn copy<T: Any + Send + Clone>(state: &CallState) -> CallState {
    CallState::new(state.get::<T>().expect("a state has the type that it was made with").clone())
}

#[cfg(test)]
mod tests {
    use super::CallState;

    #[test]
    fn a_copy_is_of_its_own() {
        let mut state = Some(CallState::new(vec![1]));
        let copy = state.clone();
        let mut kept: Vec<i32> = state.take().and_then(CallState::take).expect("it is a list");
        kept.push(2);
        state = Some(CallState::new(kept));
        let list = |state: &Option<CallState>| state.as_ref().and_then(|state| state.get::<Vec<i32>>().cloned());
        assert_eq!((list(&state), list(&copy)), (Some(vec![1, 2]), Some(vec![1])));
        assert_eq!(copy.and_then(CallState::take::<String>), None);
    }
}
