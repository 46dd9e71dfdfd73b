//! Who held the cores while a user waited.

use yew::prelude::*;

use crate::panels::results::why::WrongEstimates;
use crate::results::codec::Analysis;
use crate::results::shared::Shared;
use crate::store::{Action, DisplayQuestion, selectors};
use crate::ui::focus::scroll_to;
use fairlane::ids::UserId;
use fairlane::metrics;
use fairlane::number;
use fairlane::policy::PolicyId;

#[derive(Properties, PartialEq)]
pub struct HeldProps {
    pub policy: PolicyId,
    pub user: UserId,
    pub analysis: Shared<Analysis>,
    pub send: Callback<Action>,
}

/// Most users that are listed.
const MOST: usize = 8;

#[component]
pub fn Held(props: &HeldProps) -> Html {
    let HeldProps { policy, user, analysis, send } = props;
    let held = use_memo((analysis.clone(), *user), |(analysis, user)| {
        let waits = metrics::user_waits(&analysis.scenario, &analysis.trace, *user);
        metrics::holders(&analysis.scenario, &analysis.trace, &waits)
    });
    // The answer to a press may be out of sight, as in a phone's sheet.
    use_effect_with((*policy, *user), |_| scroll_to("#held-section"));
    let name = &analysis.trace.users[user.index()];
    let why = send.reform({
        let policy = *policy;
        move |_: MouseEvent| Action::Ask(policy, DisplayQuestion::Playhead)
    });
    let all = held.by_user.iter().chain([&held.idle]).map(|time| time.0).sum::<u64>() as f64;
    let mut users: Vec<(usize, f64)> =
        held.by_user.iter().map(|time| time.0 as f64).enumerate().filter(|(_, time)| *time > 0.0).collect();
    users.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let more = users.len().saturating_sub(MOST);
    let row = |hue: Option<usize>, name: Html, time: f64| {
        let share = time / all.max(1.0);
        html! {
            <tr>
                <th scope="row">{ for hue.map(|hue| html! { <i class={classes!("dot", format!("hue-{hue}"))}></i> })
                    }{ name }</th>
                <td class="share"><span class={classes!("bar", hue.map(|hue| format!("hue-{hue}")))}><i
                    style={format!("width:{:.1}%", share * 100.0)}></i></span></td>
                <td>{ number::short(time / 1e6) }</td>
                <td>{ number::percent(share, 0) }</td>
            </tr>
        }
    };
    html! {
        <section class="held" id="held-section" aria-labelledby="held-title">
            <h2 id="held-title">{ format!("Who held the cores while {name} waited under {}", policy.title()) }</h2>
            if held.length.0 == 0 {
                <p>{ format!("No task of {name} ever waited.") }</p>
            } else {
                <p>{ format!("For {} s tasks of {name} waited. Core-seconds held meanwhile:",
                    number::short(held.length.seconds())) }</p>
                <table id="held">
                    <thead class="sr"><tr><th scope="col">{ "user" }</th><th scope="col">{ "share" }</th><th
                        scope="col">{ "core-seconds" }</th><th scope="col">{ "per cent" }</th></tr></thead>
                    <tbody>
                        { for users.iter().take(MOST).map(|&(index, time)| {
                            let own = index == user.index();
                            let name = &analysis.trace.users[index];
                            let name = if own { html! { <b>{ name }</b> } } else { html! { { name } } };
                            row(Some(selectors::user_hue(&analysis.scenario, UserId(index as u32))), name, time)
                        }) }
                        if held.idle.0 > 0 {
                            { row(None, html! { { "idle" } }, held.idle.0 as f64) }
                        }
                    </tbody>
                </table>
                if more > 0 {
                    <p class="hint">{ format!("and {more} more users.") }</p>
                }
                <WrongEstimates analysis={analysis.clone()} job={analysis.worst_job(*user)} />
                <p class="hint">{ format!("The job of {name} furthest behind the ideal was chosen, and the playhead moved to its longest wait.") }</p>
                <button type="button" class="small" id="held-why"
                    onclick={why}>{ "Who is next then, and why?" }</button>
            }
        </section>
    }
}
