//! Which policies are shown, each under both partitionings: the UWFQ paper's five, and more by group, which a search
//! finds by name, sentence, group or paper.

use std::collections::BTreeSet;

use wasm_bindgen::JsCast;
use yew::prelude::*;

use super::parameters::parameter_fields;
use crate::panels::editors::field::{EditorFields, typing};
use crate::panels::editors::program;
use crate::results::shared::Shared;
use crate::store::{Action, Document, ViewAction};
use crate::ui::focus::focus;
use crate::ui::send::use_send;
use fairlane::number;
use fairlane::policy::parameters::ParameterKind;
use fairlane::policy::{PolicyGroup, PolicyId, PolicyKind, custom};
use fairlane::scenario::PartitionMode;

#[derive(Clone, Properties, PartialEq)]
pub struct PoliciesProps {
    pub ticked: BTreeSet<PolicyId>,
    /// The policy whose parameters are shown.
    pub document: Shared<Document>,
}

#[component]
pub fn Policies(props: &PoliciesProps) -> Html {
    let send = use_send();
    // A group that has been open stays open when its last policy is unticked: the reader is at work there.
    let opened = use_mut_ref(Vec::<PolicyGroup>::new);
    for policy in props.ticked.iter().filter(|policy| !is_main(policy.kind)) {
        let group = policy.kind.info().group;
        if !opened.borrow().contains(&group) {
            opened.borrow_mut().push(group);
        }
    }
    // Of each group's ticks Tab leads to the one that had the focus last, or else to the first; the arrow keys to the
    // others.
    let reached = use_state_eq(String::new);
    let onfocusin = {
        let reached = reached.setter();
        Callback::from(move |event: FocusEvent| {
            let tick = event
                .target_dyn_into::<web_sys::Element>()
                .filter(|element| element.matches(TICKS).unwrap_or(false));
            if let Some(tick) = tick {
                reached.set(tick.id());
            }
        })
    };
    let search = use_state_eq(String::new);
    let searching = !search.trim().is_empty();
    // The search stays in sight when it has been emptied again.
    let searched = use_mut_ref(|| false);
    *searched.borrow_mut() |= searching;
    let oninput = typing(&search);
    let onkeydown = {
        let search = search.setter();
        Callback::from(move |event: KeyboardEvent| match event.key().as_str() {
            "Escape" if searching => {
                handled(&event);
                search.set(String::new());
                focus("#find-policy");
            }
            key => {
                if let Some((rows, columns)) = arrow_delta(key) {
                    move_focus(&event, rows, columns);
                }
            }
        })
    };
    let fields = EditorFields { document: &props.document, send: &send };
    let write = program::writing(FIRST_PROGRAM, &send);
    let found: Vec<PolicyKind> =
        PolicyKind::ALL.iter().copied().filter(|kind| kind.info().matches(&search)).collect();
    let (main, more): (Vec<PolicyKind>, Vec<PolicyKind>) = found.iter().partition(|kind| is_main(**kind));
    let mut groups: Vec<PolicyGroup> = Vec::new();
    for group in more.iter().map(|kind| kind.info().group) {
        if !groups.contains(&group) {
            groups.push(group);
        }
    }
    html! {
        <section {onkeydown} {onfocusin}>
            <h2>{ "Policies" }</h2>
            <div class="policies">
                <div class="rows">
                    <i>{ "partitioning" }</i>
                    <i title="Each stage is cut into its default number of tasks">{ "default" }</i>
                    <i title="Stages are cut into tasks of about the advisory task runtime (the suffix -P)">{
                        "runtime" }</i>
                </div>
                { rows(props, &fields, &main, &reached) }
                { rows(props, &fields, &custom::programs(&props.document.scenario), &reached) }
                <button type="button" class="small" id="write-policy" onclick={write}>{ "Write a policy" }</button>
                <details class="more" open={*searched.borrow() || !opened.borrow().is_empty()}>
                <summary id="more-policies">{ "More policies" }</summary>
                <input type="search" id="find-policy" class="find" placeholder="find a policy"
                    aria-label="Find a policy by name, sentence, group or paper" autocomplete="off"
                    value={(*search).clone()} {oninput} />
                <p class="sr" role="status">{ if searching { number::counted(found.len(), "policy") }
                    else { String::new() } }</p>
                // One node, however many groups: the search must not lose the focus to another number of them.
                { groups.into_iter().map(|group| html! {
                    <details key={group.title()} open={searching || opened.borrow().contains(&group)}>
                        <summary id={format!("policies-{}", group.title().to_lowercase().replace(' ', "-"))}>{
                            group.title() }</summary>
                        { rows(props, &fields, &more.iter().copied().filter(|kind| kind.info().group
                            == group).collect::<Vec<_>>(), &reached) }
                    </details>
                }).collect::<Html>() }
                if found.is_empty() {
                    <p class="hint">{ "No policy matches." }</p>
                }
                </details>
            </div>
        </section>
    }
}

/// What a program of one's own begins with: weighted fair sharing in three words.
const FIRST_PROGRAM: &str = "running / weight";

/// Whether the UWFQ paper compares the policy.
fn is_main(kind: PolicyKind) -> bool {
    ["fifo", "fair", "ujf", "cfq", "uwfq"].contains(&kind.info().id)
}

/// Policies one below the other.
fn rows(props: &PoliciesProps, fields: &EditorFields, kinds: &[PolicyKind], reached: &str) -> Html {
    let policies = || {
        let of = |&kind: &PolicyKind| {
            [PartitionMode::Default, PartitionMode::Runtime]
                .map(|partitioning| PolicyId { kind, partitioning })
        };
        kinds.iter().flat_map(of)
    };
    let stop = policies().find(|&policy| tick_id(policy) == reached).or_else(|| policies().next());
    html! { <div>{ for kinds.iter().map(|&kind| policy(props, fields, kind, stop)) }</div> }
}

/// The ticks that are in sight.
const TICKS: &str = ".policies > div .tick input, .policies .more[open] > details[open] .tick input";

fn tick_id(policy: PolicyId) -> String {
    format!("policy-{policy}")
}

/// A policy: its title, its two ticks, and on demand its sentence and, where it is ticked, its parameters. Tab leads to
/// the tick of the policy `stop`.
fn policy(props: &PoliciesProps, fields: &EditorFields, kind: PolicyKind, stop: Option<PolicyId>) -> Html {
    let info = kind.info();
    let cell = |partitioning: PartitionMode, name: &str| {
        let policy = PolicyId { kind, partitioning };
        let onchange = fields.send.reform(move |_: Event| Action::View(ViewAction::Toggle(policy)));
        html! {
            <label class="tick">
                <input type="checkbox" id={tick_id(policy)} checked={props.ticked.contains(&policy)} {onchange}
                    tabindex={if stop == Some(policy) { "0" } else { "-1" }}
                    aria-label={format!("{}, {name} partitioning", info.title)}
                    aria-describedby={format!("about-{}", info.id)} />
            </label>
        }
    };
    let ticked = props.ticked.iter().copied().find(|policy| policy.kind == kind);
    // Pools are a table, which is worked with more than a few numbers are.
    let has_pools = info.parameters.iter().any(|parameter| parameter.kind == ParameterKind::Pools);
    let full_name = if info.name.is_empty() { info.title } else { info.name };
    html! {
        <div class={classes!("policy", ticked.map(|_| "ticked"))} key={info.id}>
            <details open={has_pools && ticked.is_some()}>
                <summary title={format!("{full_name}: {} ({})", info.summary, info.source)}>{ info.title }</summary>
                <p id={format!("about-{}", info.id)}>{ info.summary }</p>
                if let Some(ticked) = ticked {
                    { parameter_fields(fields, kind, ticked) }
                }
            </details>
            <span class="ticks">{ cell(PartitionMode::Default, "default") }{ cell(PartitionMode::Runtime, "runtime")
                }</span>
        </div>
    }
}

/// How many rows and columns of ticks a key leads on.
fn arrow_delta(key: &str) -> Option<(i32, i32)> {
    Some(match key {
        "ArrowUp" => (-1, 0),
        "ArrowDown" => (1, 0),
        "ArrowLeft" => (0, -1),
        "ArrowRight" => (0, 1),
        _ => return None,
    })
}

/// The key has been used and means nothing to the rest of the page.
fn handled(event: &KeyboardEvent) {
    event.prevent_default();
    event.stop_propagation();
}

/// Moves the focus among the ticks that are in sight: up and down within a column, sideways to the other one. From the
/// search down leads to the first tick, and from the first row up to the search.
fn move_focus(event: &KeyboardEvent, rows: i32, columns: i32) {
    let Some(target) = event.target_dyn_into::<web_sys::Element>() else { return };
    let Ok(ticks) = gloo::utils::document().query_selector_all(TICKS) else {
        return;
    };
    let ticks: Vec<web_sys::HtmlElement> =
        (0..ticks.length()).filter_map(|index| ticks.item(index)?.dyn_into().ok()).collect();
    let at = ticks.iter().position(|tick| tick.id() == target.id());
    let next = match at {
        // Two ticks a row.
        Some(at) if columns != 0 => Some(at as i32 ^ 1),
        Some(at) => Some(at as i32 + 2 * rows),
        None if target.id() == "find-policy" && rows > 0 => Some(0),
        None => return,
    };
    handled(event);
    match next.filter(|&next| next >= 0).and_then(|next| ticks.get(next as usize)) {
        Some(tick) => _ = tick.focus(),
        None if rows < 0 => focus("#find-policy"),
        None => {}
    }
}
