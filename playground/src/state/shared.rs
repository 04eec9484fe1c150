//! [`Shared`]: a large part of the model, compared by identity.

use std::ops::Deref;
use std::rc::Rc;

/// Like `Rc`, but equality means the same object. The model is compared at every action, by every part of the page,
/// which must not walk large data.
#[derive(Default, Debug)]
pub struct Shared<T>(Rc<T>);

impl<T> Shared<T> {
    /// A new object.
    pub fn new(value: T) -> Shared<T> {
        Shared(Rc::new(value))
    }
}

impl<T: PartialEq> Shared<T> {
    /// Takes another value. An equal one keeps the object, so that nothing that shows it is rendered again.
    pub fn set(&mut self, value: T) {
        if *self.0 != value {
            self.0 = Rc::new(value);
        }
    }
}

impl<T: Clone> Shared<T> {
    /// Mutable access; makes a copy if it is shared.
    pub fn make_mut(&mut self) -> &mut T {
        Rc::make_mut(&mut self.0)
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Shared<T> {
        Shared(self.0.clone())
    }
}

impl<T> PartialEq for Shared<T> {
    fn eq(&self, other: &Shared<T>) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> Eq for Shared<T> {}

impl<T> Deref for Shared<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_equal_value_keeps_the_object() {
        let first = Shared::new("a");
        let mut now = first.clone();
        now.set("a");
        assert_eq!(now, first);
        now.set("b");
        assert!(now != first && *now == "b");
        assert_ne!(Shared::new("a"), first, "equality means the same object");
    }
}
