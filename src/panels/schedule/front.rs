//! On a phone one schedule is in front, and the names of the others stand above it: what differs is seen at a tap, in
//! the same place.

use yew::prelude::*;

use crate::store::selectors::PanelFacts;
use crate::store::{Action, ViewAction};
use crate::ui::send::Handlers;
use fairlane::number;
use fairlane::policy::PolicyId;

/// The policy whose panel is in front: the wanted one or the one that it is merged into, else the first.
pub fn in_front(panels: &[PanelFacts], wanted: Option<PolicyId>) -> Option<PolicyId> {
    let shows = |facts: &&PanelFacts| {
        wanted.is_some_and(|wanted| facts.policy == wanted || facts.merged.contains(&wanted))
    };
    panels.iter().find(shows).or(panels.first()).map(|facts| facts.policy)
}

/// A button for each panel. The stylesheet shows them only where one panel is in front.
pub fn names(panels: &[PanelFacts], front: Option<PolicyId>, send: &Callback<Action>) -> Html {
    if panels.len() < 2 {
        return Html::default();
    }
    html! {
        <div class="fronts" role="group" aria-label="Schedule in front">
            { for panels.iter().map(|facts| {
                let policy = facts.policy;
                let titles: Vec<String> =
                    [policy].iter().chain(&facts.merged).map(|policy| policy.title()).collect();
                html! {
                    <button type="button" key={policy.to_string()} id={format!("front-{policy}")}
                        aria-pressed={(front == Some(policy)).to_string()}
                        onclick={send.press(ViewAction::Front(policy))}>{ number::list(&titles) }</button>
                }
            }) }
        </div>
    }
}
