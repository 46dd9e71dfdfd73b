//! How components change what they show: they send an action, by the callback of the context around all of them.

use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

/// The callback that sends actions, which the [`ContextProvider`] around the component has.
#[hook]
pub fn use_send<A: 'static>() -> Callback<A> {
    use_context().unwrap_or_default()
}

/// Handlers that send an action.
pub trait Handlers<A> {
    /// A handler that sends an action whenever its element is pressed.
    fn press(&self, action: impl Into<A>) -> Callback<MouseEvent>;

    /// The same, and then does something else.
    fn press_then(&self, action: impl Into<A>, then: impl Fn() + 'static) -> Callback<MouseEvent>;

    /// A handler that sends what comes of a task that begins whenever its element is pressed.
    fn press_task<F: Future<Output = A> + 'static>(
        &self,
        task: impl Fn() -> F + 'static,
    ) -> Callback<MouseEvent>;

    /// A handler that sends what an event means, if it means anything.
    fn on<E: 'static>(&self, action: impl Fn(E) -> Option<A> + 'static) -> Callback<E>;
}

impl<A: Clone + 'static> Handlers<A> for Callback<A> {
    fn press(&self, action: impl Into<A>) -> Callback<MouseEvent> {
        self.press_then(action, || {})
    }

    fn press_then(&self, action: impl Into<A>, then: impl Fn() + 'static) -> Callback<MouseEvent> {
        let (send, action) = (self.clone(), action.into());
        Callback::from(move |_| {
            send.emit(action.clone());
            then();
        })
    }

    fn press_task<F: Future<Output = A> + 'static>(
        &self,
        task: impl Fn() -> F + 'static,
    ) -> Callback<MouseEvent> {
        let send = self.clone();
        Callback::from(move |_| {
            let (send, task) = (send.clone(), task());
            spawn_local(async move { send.emit(task.await) });
        })
    }

    fn on<E: 'static>(&self, action: impl Fn(E) -> Option<A> + 'static) -> Callback<E> {
        let send = self.clone();
        Callback::from(move |event| action(event).into_iter().for_each(|action| send.emit(action)))
    }
}
