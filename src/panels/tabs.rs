//! The side of the page: the comparison, charts, the chosen job, what differs, programs.

use std::mem::discriminant;

use yew::prelude::*;

use crate::store::{Action, InspectorPart, SideSheet, Tab, UiAction, ViewAction};
use crate::ui::focus::{focus, use_returned_focus};
use crate::ui::send::{Handlers, use_send};

#[derive(Properties, PartialEq)]
pub struct TabsProps {
    pub tab: Tab,
    /// Whether the scenario has programs to edit.
    pub has_programs: bool,
    pub sheet: SideSheet,
    pub children: Html,
}

const TABS: [(Tab, &str, &str); 5] = [
    (Tab::Compare, "compare", "Compare"),
    (Tab::Charts, "charts", "Charts"),
    (Tab::Inspector(InspectorPart::Why), "job", "Job"),
    (Tab::Differences, "differences", "Differences"),
    (Tab::Program, "program", "Program"),
];

/// Whether one tab shows both, whichever part of it.
fn is_same(one: Tab, other: Tab) -> bool {
    discriminant(&one) == discriminant(&other)
}

#[component]
pub fn Tabs(props: &TabsProps) -> Html {
    let send = use_send();
    let is_there = |tab: Tab| tab != Tab::Program || props.has_programs || props.tab == tab;
    let tabs: Vec<_> = TABS.iter().filter(|(tab, ..)| is_there(*tab)).copied().collect();
    let current = tabs.iter().position(|(tab, ..)| is_same(*tab, props.tab)).unwrap_or(0);
    let onkeydown = {
        let (send, tabs) = (send.clone(), tabs.clone());
        Callback::from(move |event: KeyboardEvent| {
            let next = match event.key().as_str() {
                "ArrowRight" | "ArrowDown" => (current + 1) % tabs.len(),
                "ArrowLeft" | "ArrowUp" => (current + tabs.len() - 1) % tabs.len(),
                "Home" => 0,
                "End" => tabs.len() - 1,
                _ => return,
            };
            event.prevent_default();
            send.emit(Action::View(ViewAction::Show(tabs[next].0)));
            focus(&format!("#tab-{}", tabs[next].1));
        })
    };
    // Another tab begins at its top. On a phone the sheet scrolls beside its tabs.
    use_effect_with(props.tab, |_| {
        for css in ["aside.right", "#side"] {
            if let Ok(Some(side)) = gloo::utils::document().query_selector(css) {
                side.set_scroll_top(0);
            }
        }
    });
    let is_inspected = matches!(props.tab, Tab::Inspector(_)) && props.sheet == SideSheet::Unfolded;
    use_returned_focus(is_inspected, ".tabs [aria-selected=true]");
    let set_up = send.press(UiAction::SetUp);
    html! {
        <>
            // On a phone, beside the tabs.
            <button type="button" id="tab-set-up" aria-controls="set-up" onclick={set_up}
                aria-expanded={(props.sheet == SideSheet::SetUp).to_string()}>{ "Policies" }</button>
            <div class="tabs" role="tablist" aria-label="Results and editors" {onkeydown}>
                { for tabs.iter().map(|&(tab, id, name)| {
                    let selected = is_same(tab, props.tab);
                    let shown = if selected { props.tab } else { tab };
                    let onclick = send.press(ViewAction::Show(shown));
                    html! {
                        <button type="button" role="tab" id={format!("tab-{id}")}
                            aria-selected={selected.to_string()} aria-controls="side"
                            tabindex={if selected { "0" } else { "-1" }} {onclick}>{ name }</button>
                    }
                }) }
            </div>
            <div id="side" role="tabpanel"
                aria-labelledby={format!("tab-{}", tabs[current].1)}>{ props.children.clone() }</div>
        </>
    }
}
