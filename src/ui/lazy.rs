//! Components that the first picture does without. Placeholders are shown until they are loaded.

use std::any::Any;

use yew::html::BaseComponent;
use yew::prelude::*;

/// The function that makes a component from its properties.
pub type Render<C> = fn(<C as BaseComponent>::Properties) -> Html;

/// The function that makes the placeholder of a component from its properties.
pub type Placeholder<C> = fn(&<C as BaseComponent>::Properties) -> Html;

/// A component that is loaded after the first picture. The list in `app::lazy` has all of them.
pub trait LazyComponent: BaseComponent<Properties: Clone> {
    /// Place in [`LoadedComponents`].
    const INDEX: usize;
    /// What is shown until the component is loaded; without it a line says that it is loading.
    const PLACEHOLDER: Option<Placeholder<Self>> = None;
}

/// A [`Render`] for each component that is loaded later, at its [`LazyComponent::INDEX`].
#[derive(Clone, Copy)]
pub struct LoadedComponents(pub &'static [&'static (dyn Any + Send + Sync)]);

impl PartialEq for LoadedComponents {
    fn eq(&self, _: &LoadedComponents) -> bool {
        // There is one list.
        true
    }
}

/// How far the components are loaded.
#[derive(Clone, Copy, PartialEq)]
pub enum LoadStatus {
    Loading,
    Loaded(LoadedComponents),
    Failed,
}

/// The context in which [`Lazy`] finds its component.
#[derive(Clone, PartialEq)]
pub struct LazyContext {
    pub status: LoadStatus,
    /// Loads the components again after a failure.
    pub retry: Callback<MouseEvent>,
}

/// Shows a component once it is loaded, and its placeholder until then.
#[component]
pub fn Lazy<C: LazyComponent>(props: &C::Properties) -> Html {
    let context = use_context::<LazyContext>();
    if let Some(LazyContext { status: LoadStatus::Loaded(LoadedComponents(renders)), .. }) = context {
        let render = renders.get(C::INDEX).and_then(|render| render.downcast_ref::<Render<C>>());
        return render.map(|render| render(props.clone())).unwrap_or_default();
    }
    C::PLACEHOLDER.map_or_else(|| hint(context), |placeholder| placeholder(props))
}

/// A line in the place of a component that is not loaded. It is one function for all components.
fn hint(context: Option<LazyContext>) -> Html {
    match context {
        Some(LazyContext { status: LoadStatus::Failed, retry }) => html! {
            <span class="hint awaited" role="alert">
                { "This part failed to load. Check your connection and try again. " }
                <button type="button" class="small again" onclick={retry}>{ "Try again" }</button>
            </span>
        },
        _ => html! { <span class="hint awaited" role="status">{ "loading…" }</span> },
    }
}
