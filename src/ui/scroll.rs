//! A box that scrolls sideways if what it holds is too wide.

use web_sys::Element;
use yew::prelude::*;

use crate::ui::hooks::use_width;

#[derive(Properties, PartialEq)]
pub struct ScrollProps {
    #[prop_or_default]
    pub class: Classes,
    /// Describes it, or else `labelledby` names what does.
    #[prop_or_default]
    pub label: Option<AttrValue>,
    #[prop_or_default]
    pub labelledby: Option<AttrValue>,
    pub children: Html,
}

/// A box that the keyboard reaches only while there is something to scroll.
#[component]
pub fn Scroll(props: &ScrollProps) -> Html {
    let node = use_node_ref();
    use_width(&node);
    {
        let node = node.clone();
        // After every change of what it holds or of its width.
        use_effect(move || {
            if let Some(element) = node.cast::<Element>() {
                // It fails only for names that are none.
                let _ = match overflows(&element) {
                    true => element.set_attribute("tabindex", "0"),
                    false => element.remove_attribute("tabindex"),
                };
            }
        });
    }
    html! {
        <div ref={node} class={classes!("scroll", props.class.clone())} role="region"
            aria-label={props.label.clone()} aria-labelledby={props.labelledby.clone()}>
            { props.children.clone() }
        </div>
    }
}

fn overflows(element: &Element) -> bool {
    element.scroll_width() > element.client_width() || element.scroll_height() > element.client_height()
}
