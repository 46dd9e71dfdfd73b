//! The side of the page: the comparison, charts, the chosen job, why, what differs.

use yew::prelude::*;

use super::focus;
use crate::store::{Action, SideSheet, Tab};

#[derive(Properties, PartialEq)]
pub struct TabsProps {
    pub tab: Tab,
    pub sheet: SideSheet,
    pub send: Callback<Action>,
    pub children: Html,
}

const TABS: [(Tab, &str, &str); 6] = [
    (Tab::Compare, "compare", "Compare"),
    (Tab::Charts, "charts", "Charts"),
    (Tab::Job, "job", "Job"),
    (Tab::Why, "why", "Why"),
    (Tab::Differences, "differences", "Differences"),
    (Tab::Program, "program", "Program"),
];

#[component]
pub fn Tabs(props: &TabsProps) -> Html {
    let current = TABS.iter().position(|(tab, ..)| *tab == props.tab).unwrap_or(0);
    let onkeydown = {
        let send = props.send.clone();
        Callback::from(move |event: KeyboardEvent| {
            let next = match event.key().as_str() {
                "ArrowRight" | "ArrowDown" => (current + 1) % TABS.len(),
                "ArrowLeft" | "ArrowUp" => (current + TABS.len() - 1) % TABS.len(),
                "Home" => 0,
                "End" => TABS.len() - 1,
                _ => return,
            };
            event.prevent_default();
            send.emit(Action::Show(TABS[next].0));
            focus(&format!("#tab-{}", TABS[next].1));
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
    let set_up = props.send.reform(|_: MouseEvent| Action::SetUp);
    html! {
        <>
            // On a phone, beside the tabs.
            <button type="button" id="tab-set-up" aria-controls="set-up" onclick={set_up}
                aria-expanded={(props.sheet == SideSheet::SetUp).to_string()}>{ "Policies" }</button>
            <div class="tabs" role="tablist" aria-label="Results and editors" {onkeydown}>
                { for TABS.iter().map(|&(tab, id, name)| {
                    let onclick = props.send.reform(move |_: MouseEvent| Action::Show(tab));
                    let selected = tab == props.tab;
                    html! {
                        <button type="button" role="tab" id={format!("tab-{id}")}
                            aria-selected={selected.to_string()} aria-controls="side"
                            tabindex={if selected { "0" } else { "-1" }} {onclick}>{ name }</button>
                    }
                }) }
            </div>
            <div id="side" role="tabpanel"
                aria-labelledby={format!("tab-{}", TABS[current].1)}>{ props.children.clone() }</div>
        </>
    }
}
