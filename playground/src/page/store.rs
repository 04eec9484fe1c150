//! The model as Yew holds it.

use crate::state::{Action, Model, reduce};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Clone, PartialEq)]
pub(super) struct Store(pub(super) Model);

impl Reducible for Store {
    type Action = Action;
    fn reduce(self: Rc<Self>, action: Action) -> Rc<Self> {
        Rc::new(Store(reduce(Rc::unwrap_or_clone(self).0, action)))
    }
}

/// The model and the way to change it, as components pass it on.
#[derive(Clone, PartialEq)]
pub(super) struct Page(pub(super) UseReducerHandle<Store>);

impl Page {
    pub(super) fn model(&self) -> &Model {
        &self.0.0
    }

    pub(super) fn send(&self, action: Action) {
        self.0.dispatch(action);
    }

    /// A callback that sends one action, whatever the event was.
    pub(super) fn on<E>(&self, action: Action) -> Callback<E> {
        let dispatcher = self.0.dispatcher();
        Callback::from(move |_| dispatcher.dispatch(action.clone()))
    }
}

/// What every component gets.
#[derive(Properties, PartialEq, Clone)]
pub(super) struct PageProps {
    pub(super) page: Page,
}
