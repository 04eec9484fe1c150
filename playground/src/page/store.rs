//! The model as Yew holds it, and what a part of the page gets: the way to change the model, and what it shows.

use crate::state::{Action, Model, reduce};
use crate::worker::protocol::Request;
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

/// The way to change the model: the same one as long as the page stands.
#[derive(Clone, PartialEq)]
pub(super) struct Dispatch(pub(super) UseReducerDispatcher<Store>);

impl Dispatch {
    pub(super) fn send(&self, action: Action) {
        self.0.dispatch(action);
    }

    /// A callback that sends one action, whatever the event was.
    pub(super) fn on<E>(&self, action: Action) -> Callback<E> {
        let dispatch = self.clone();
        Callback::from(move |_| dispatch.send(action.clone()))
    }

    /// A callback that asks the worker for something.
    pub(super) fn ask<E>(&self, request: Request) -> Callback<E> {
        self.on(Action::Asked(request))
    }
}

/// What a part of the page gets: rendered again when what it shows is another thing.
#[derive(Properties, PartialEq, Clone)]
pub(super) struct Part<T: PartialEq + Clone> {
    pub(super) dispatch: Dispatch,
    pub(super) shows: T,
}
