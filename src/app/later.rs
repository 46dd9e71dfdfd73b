//! What the first picture of a scenario does not need: a second program, fetched once that picture is there.
//!
//! [`PARTS`] is the only way into it. Whatever is reached through these functions alone is left out of the first
//! program when the page is built (see `page/`); the two share their memory, so that nothing is copied between
//! them.

use std::future::Future;
use std::pin::Pin;

use yew::prelude::*;

use super::background;
use super::instants::after_picture;
use super::panels::{charts, differences, export, fidelity, generator, job, lessons, share, why};
use super::plots::ecdf;

/// The parts of the page in the second program, each a component and its properties.
pub struct Parts {
    pub charts: fn(charts::Props) -> Html,
    pub job: fn(job::Props) -> Html,
    pub why: fn(why::Props) -> Html,
    pub differences: fn(differences::Props) -> Html,
    pub lesson: fn(lessons::CardProps) -> Html,
    pub generator: fn(generator::Props) -> Html,
    pub fidelity: fn(fidelity::Props) -> Html,
    pub ecdf: fn(ecdf::Props) -> Html,
    pub lessons: fn(lessons::ListProps) -> Html,
    pub share: fn(share::Props) -> Html,
    pub export: fn(export::Props) -> Html,
    pub background: fn(background::Props) -> Html,
}

/// All of them, there once the second program is.
pub static PARTS: Parts = Parts {
    charts: |props| html! { <charts::Charts ..props /> },
    job: |props| html! { <job::JobEditor ..props /> },
    why: |props| html! { <why::Why ..props /> },
    differences: |props| html! { <differences::Differences ..props /> },
    lesson: |props| html! { <lessons::LessonCard ..props /> },
    generator: |props| html! { <generator::GeneratorPanel ..props /> },
    fidelity: |props| html! { <fidelity::Fidelity ..props /> },
    ecdf: |props| html! { <ecdf::Ecdf ..props /> },
    lessons: |props| html! { <lessons::List ..props /> },
    share: |props| html! { <share::Share ..props /> },
    export: |props| html! { <export::ExportItems ..props /> },
    background: |props| html! { <background::Background ..props /> },
};

/// The second program cannot be had, for want of a connection most likely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreachable;

/// Fetches the second program.
pub type Fetch = fn() -> Pin<Box<dyn Future<Output = Result<&'static Parts, Unreachable>>>>;

/// The second program as the page knows it.
#[derive(Clone)]
pub struct Later {
    state: Known,
    again: Callback<MouseEvent>,
}

impl PartialEq for Later {
    /// Nothing else shows.
    fn eq(&self, other: &Later) -> bool {
        std::mem::discriminant(&self.state) == std::mem::discriminant(&other.state)
    }
}

#[derive(Clone, Copy)]
enum Known {
    /// On its way, or not asked for yet.
    Awaited,
    Here(&'static Parts),
    Failed,
}

impl Later {
    /// Whether nothing more comes by itself.
    pub fn is_settled(&self) -> bool {
        !matches!(self.state, Known::Awaited)
    }

    /// A part, or what stands in its place until it is there.
    pub fn show<P>(&self, part: fn(&Parts) -> fn(P) -> Html, props: P) -> Html {
        self.show_or(part, props, || self.missing())
    }

    /// A part, or something else until it is there.
    pub fn show_or<P>(
        &self,
        part: fn(&Parts) -> fn(P) -> Html,
        props: P,
        other: impl FnOnce() -> Html,
    ) -> Html {
        match self.state {
            Known::Here(parts) => part(parts)(props),
            Known::Awaited | Known::Failed => other(),
        }
    }

    fn missing(&self) -> Html {
        match self.state {
            Known::Here(_) => Html::default(),
            Known::Awaited => html! { <span class="hint awaited" role="status">{ "loading…" }</span> },
            Known::Failed => html! {
                <span class="hint awaited" role="alert">
                    { "This part failed to load. Check your connection and try again. " }
                    <button type="button" class="small again" onclick={self.again.clone()}>{ "Try again" }</button>
                </span>
            },
        }
    }
}

/// The second program, asked for once the first picture is there, earlier if the reader wants something of it,
/// and again after a failure.
#[hook]
pub fn use_later(fetch: Fetch, wanted: bool) -> Later {
    let state = use_state(|| Known::Awaited);
    let attempt = use_state(|| 0_u32);
    let bring = {
        let setter = state.setter();
        move || {
            wasm_bindgen_futures::spawn_local(async move {
                setter.set(match fetch().await {
                    Ok(parts) => Known::Here(parts),
                    Err(Unreachable) => Known::Failed,
                });
            });
        }
    };
    // Fetched twice it is still the same.
    use_effect_with(
        (wanted, *attempt),
        move |&(wanted, _)| if wanted { bring() } else { after_picture(bring) },
    );
    let again = {
        let (attempt, setter) = (attempt.clone(), state.setter());
        Callback::from(move |_| {
            setter.set(Known::Awaited);
            attempt.set(*attempt + 1);
        })
    };
    Later { state: *state, again }
}
