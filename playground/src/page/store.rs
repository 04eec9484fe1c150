//! The model as a Yew store, and the properties of a part of the page: the dispatcher, and its data.

use crate::state::{Action, Model, reduce, sent};
use crate::worker::protocol::Request;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Clone, PartialEq)]
pub(super) struct Store(pub(super) Model);

impl Reducible for Store {
    type Action = Action;
    fn reduce(self: Rc<Self>, action: Action) -> Rc<Self> {
        // The page is rendered once for an action and the request that follows from it, and not at all for an action that
        // changes nothing: ten times a second time passes, and the host waits while the user types.
        let model = sent(reduce(self.0.clone(), action));
        if model == self.0 { self } else { Rc::new(Store(model)) }
    }
}

/// The dispatcher of actions: the same one while the page exists.
#[derive(Clone, PartialEq)]
pub(super) struct Dispatch(pub(super) UseReducerDispatcher<Store>);

impl Dispatch {
    pub(super) fn send(&self, action: Action) {
        self.0.dispatch(action);
    }

    /// A callback that sends an action, whatever the event was.
    pub(super) fn on<E>(&self, action: Action) -> Callback<E> {
        let dispatch = self.clone();
        Callback::from(move |_| dispatch.send(action.clone()))
    }

    /// A callback that sends a request to the worker.
    pub(super) fn ask<E>(&self, request: Request) -> Callback<E> {
        self.on(Action::Asked(request))
    }
}

/// The properties of a part of the page: it is rendered again when its data changes.
#[derive(Properties, PartialEq, Clone)]
pub(super) struct Part<T: PartialEq + Clone> {
    pub(super) dispatch: Dispatch,
    pub(super) shows: T,
}
