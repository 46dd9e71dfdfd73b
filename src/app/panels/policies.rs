//! Which policies are shown, each under both partitionings.

use std::collections::BTreeSet;

use yew::prelude::*;

use crate::policy::{PolicyId, PolicyKind};
use crate::scenario::Mode;

/// The policies that are listed at once, which are those of the UWFQ paper; the others fold away.
const FIRST: usize = 5;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub ticked: BTreeSet<PolicyId>,
    pub toggle: Callback<PolicyId>,
}

#[component]
pub fn Policies(props: &Props) -> Html {
    let cell = |policy: PolicyId| {
        let onchange = props.toggle.reform(move |_: Event| policy);
        let partitioning = match policy.partitioning {
            Mode::Default => "default partitioning",
            Mode::Runtime => "runtime partitioning",
        };
        html! {
            <label class="tick">
                <input type="checkbox" id={format!("policy-{policy}")} checked={props.ticked.contains(&policy)} {onchange}
                    aria-label={format!("{}, {partitioning}", policy.kind.info().title)} />
            </label>
        }
    };
    let row = |&kind: &PolicyKind| {
        html! {
            <>
                <b title={kind.info().summary}>{ kind.info().title }</b>
                { cell(PolicyId { kind, partitioning: Mode::Default }) }
                { cell(PolicyId { kind, partitioning: Mode::Runtime }) }
            </>
        }
    };
    let (first, more) = PolicyKind::ALL.split_at(FIRST);
    html! {
        <section>
            <h2>{ "Policies" }</h2>
            <div class="policies">
                <i>{ "partitioning" }</i>
                <i title="Each stage is cut into its default number of tasks">{ "default" }</i>
                <i title="Stages are cut into tasks of about the advisory task runtime (the suffix -P)">{ "runtime" }</i>
                { for first.iter().map(row) }
            </div>
            <details>
                <summary id="more-policies">{ "More policies" }</summary>
                <div class="policies">{ for more.iter().map(row) }</div>
            </details>
        </section>
    }
}
