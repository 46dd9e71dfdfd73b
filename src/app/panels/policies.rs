//! Which policies are shown, each under both partitionings, by group.

use std::collections::BTreeSet;

use yew::prelude::*;

use crate::policy::{Group, PolicyId, PolicyKind};
use crate::scenario::Mode;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub ticked: BTreeSet<PolicyId>,
    pub toggle: Callback<PolicyId>,
}

#[component]
pub fn Policies(props: &Props) -> Html {
    // A group that has been open stays open when its last policy is unticked: the reader is at work there.
    let opened = use_mut_ref(|| vec![Group::Spark, Group::VirtualTime]);
    for policy in &props.ticked {
        let group = policy.kind.info().group;
        if !opened.borrow().contains(&group) {
            opened.borrow_mut().push(group);
        }
    }
    let cell = |kind: PolicyKind, partitioning: Mode, name: &str| {
        let policy = PolicyId { kind, partitioning };
        let onchange = props.toggle.reform(move |_: Event| policy);
        html! {
            <label class="tick">
                <input type="checkbox" id={format!("policy-{policy}")} checked={props.ticked.contains(&policy)} {onchange}
                    aria-label={format!("{}, {name} partitioning", kind.info().title)} />
            </label>
        }
    };
    let rows = |group: Group| {
        let kinds = PolicyKind::ALL.iter().copied().filter(move |kind| kind.info().group == group);
        kinds.map(|kind| {
            html! {
                <>
                    <b title={kind.info().summary}>{ kind.info().title }</b>
                    { cell(kind, Mode::Default, "default") }
                    { cell(kind, Mode::Runtime, "runtime") }
                </>
            }
        })
    };
    let mut groups: Vec<Group> = Vec::new();
    for group in PolicyKind::ALL.iter().map(|kind| kind.info().group) {
        if !groups.contains(&group) {
            groups.push(group);
        }
    }
    html! {
        <section>
            <h2>{ "Policies" }</h2>
            <div class="policies">
                <div class="rows">
                    <i>{ "partitioning" }</i>
                    <i title="Each stage is cut into its default number of tasks">{ "default" }</i>
                    <i title="Stages are cut into tasks of about the advisory task runtime (the suffix -P)">{ "runtime" }</i>
                </div>
                { for groups.into_iter().map(|group| html! {
                    <details open={opened.borrow().contains(&group)}>
                        <summary id={format!("policies-{}", group.title().to_lowercase().replace(' ', "-"))}>{ group.title() }</summary>
                        <div class="rows">{ for rows(group) }</div>
                    </details>
                }) }
            </div>
        </section>
    }
}
