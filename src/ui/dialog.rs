//! A dialog over the page. All behave alike: Escape, a press outside and their button close them, menus close when one
//! opens, the browser keeps the focus inside, and it goes back to where it was.

use web_sys::{Element, HtmlDialogElement};
use yew::prelude::*;

use crate::ui::focus::{focus, give_if_lost};
use crate::ui::menu::close_menu;

#[derive(Properties, PartialEq)]
pub struct DialogProps {
    /// The beginning of the ids of the dialog, its title and its button.
    pub name: &'static str,
    pub class: &'static str,
    pub title: AttrValue,
    /// Whether title and button are shown above the contents.
    #[prop_or(true)]
    pub headed: bool,
    /// What has the focus at first, if it is not the first that can have it.
    #[prop_or_default]
    pub first: Option<&'static str>,
    /// What gets the focus if what had it before is gone.
    pub opener: &'static str,
    pub onclose: Callback<()>,
    pub children: Html,
}

#[component]
pub fn Dialog(props: &DialogProps) -> Html {
    let node = use_node_ref();
    let (dialog, first, opener) = (node.clone(), props.first, props.opener);
    use_effect_with((), move |()| {
        close_menu();
        if let Some(dialog) = dialog.cast::<HtmlDialogElement>() {
            // It fails only for one that is not in the page.
            let _ = dialog.show_modal();
        }
        first.into_iter().for_each(focus);
        // As soon as the dialog has left the page, which keeps the focus until then.
        move || wasm_bindgen_futures::spawn_local(async move { give_if_lost(opener) })
    });
    // A press that began inside, such as one that selects text, may end outside.
    let begun_outside = use_mut_ref(|| false);
    let begun = begun_outside.clone();
    let onpointerdown = Callback::from(move |event: PointerEvent| *begun.borrow_mut() = is_outside(&event));
    let onclick = Callback::from(move |event: MouseEvent| {
        let dialog = event.target_dyn_into::<HtmlDialogElement>();
        if let Some(dialog) = dialog.filter(|_| *begun_outside.borrow() && is_outside(&event)) {
            dialog.close();
        }
    });
    html! {
        <dialog ref={node} id={format!("{}-dialog", props.name)} class={props.class}
            aria-label={props.title.clone()} onclose={props.onclose.reform(|_: Event| ())} {onpointerdown} {onclick}>
            if props.headed {
                <header>
                    <h2>{ &props.title }</h2>
                    <form method="dialog"><button class="small" id={format!("{}-close", props.name)}
                        aria-label="Close">{ "✕" }</button></form>
                </header>
            }
            { props.children.clone() }
        </dialog>
    }
}

/// Whether a pointer is on the backdrop of the dialog that it is reported of.
fn is_outside(event: &MouseEvent) -> bool {
    let Some(area) = event.target_dyn_into::<HtmlDialogElement>() else { return false };
    let area = Element::from(area).get_bounding_client_rect();
    let (x, y) = (f64::from(event.client_x()), f64::from(event.client_y()));
    x < area.left() || x > area.right() || y < area.top() || y > area.bottom()
}
