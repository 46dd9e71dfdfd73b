//! The second program: the parts of the interface that the first schedule does not need, loaded once that is painted.
//!
//! All programs share their memory, so that nothing is copied between them. This file knows no part but by its
//! type; the table of them is [`parts`](super::parts).

use std::any::{Any, TypeId};
use std::future::Future;
use std::pin::Pin;

use yew::html::BaseComponent;
use yew::prelude::*;

use super::instants::after_picture;

/// A component of the second program.
pub trait Part: BaseComponent {}

/// Renders a component from its properties, boxed.
pub type Render = fn(Box<dyn Any>) -> Html;

/// A component of the second program: its type, and what renders it.
pub type Entry = (fn() -> TypeId, Render);

/// The components of the second program.
pub struct Parts(pub &'static [Entry]);

impl Parts {
    /// Renders a component; nothing if it is not among the parts.
    fn render<C: Part>(&self, props: C::Properties) -> Html {
        let part = self.0.iter().find(|(part, _)| part() == TypeId::of::<C>());
        part.map(|(_, render)| render(Box::new(props))).unwrap_or_default()
    }
}

/// The second program failed to load, most likely for lack of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreachable;

/// A part of the program that is being loaded.
pub type Loading<T> = Pin<Box<dyn Future<Output = Result<T, Unreachable>>>>;

/// Loads the second program.
#[derive(Clone, Copy)]
pub struct Fetch(pub fn() -> Loading<&'static Parts>);

impl PartialEq for Fetch {
    /// There is one second program.
    fn eq(&self, _: &Fetch) -> bool {
        true
    }
}

/// The second program and whether it is loaded.
#[derive(Clone)]
pub struct Deferred {
    status: Status,
    retry: Callback<MouseEvent>,
}

impl PartialEq for Deferred {
    /// Nothing else is visible.
    fn eq(&self, other: &Deferred) -> bool {
        std::mem::discriminant(&self.status) == std::mem::discriminant(&other.status)
    }
}

#[derive(Clone, Copy)]
enum Status {
    /// Being loaded, or not requested yet.
    Loading,
    Loaded(&'static Parts),
    Failed,
}

impl Deferred {
    /// Whether it is loaded or has failed to load.
    pub fn is_settled(&self) -> bool {
        !matches!(self.status, Status::Loading)
    }

    /// A part, or a hint until it is loaded.
    pub fn show<C: Part>(&self, props: C::Properties) -> Html {
        self.show_or::<C>(props, || self.hint())
    }

    /// A part, or something else until it is loaded.
    pub fn show_or<C: Part>(&self, props: C::Properties, other: impl FnOnce() -> Html) -> Html {
        match self.status {
            Status::Loaded(parts) => parts.render::<C>(props),
            Status::Loading | Status::Failed => other(),
        }
    }

    fn hint(&self) -> Html {
        match self.status {
            Status::Loaded(_) => Html::default(),
            Status::Loading => html! { <span class="hint awaited" role="status">{ "loading…" }</span> },
            Status::Failed => html! {
                <span class="hint awaited" role="alert">
                    { "This part failed to load. Check your connection and try again. " }
                    <button type="button" class="small again" onclick={self.retry.clone()}>{ "Try again" }</button>
                </span>
            },
        }
    }
}

/// The second program, loaded once the first schedule is painted, earlier if the reader wants one of its parts, and
/// again after a failure.
#[hook]
pub fn use_deferred(fetch: Fetch, wanted: bool) -> Deferred {
    let status = use_state(|| Status::Loading);
    let attempt = use_state(|| 0_u32);
    let load = {
        let setter = status.setter();
        move || {
            wasm_bindgen_futures::spawn_local(async move {
                setter.set(match fetch.0().await {
                    Ok(parts) => Status::Loaded(parts),
                    Err(Unreachable) => Status::Failed,
                });
            });
        }
    };
    // Loading it twice does no harm.
    use_effect_with(
        (wanted, *attempt),
        move |&(wanted, _)| if wanted { load() } else { after_picture(load) },
    );
    let retry = {
        let (attempt, setter) = (attempt.clone(), status.setter());
        Callback::from(move |_| {
            setter.set(Status::Loading);
            attempt.set(*attempt + 1);
        })
    };
    Deferred { status: *status, retry }
}
