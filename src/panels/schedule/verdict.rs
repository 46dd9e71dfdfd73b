//! The verdict in a panel's heading: each user's mean response as a bar, in seconds and as a ratio to the fluid ideal;
//! and whether the schedule obeys the rules.

use yew::prelude::*;

use crate::browser::dom::around;
use crate::results::codec::Analysis;
use crate::results::shared::Shared;
use crate::store::{Action, FigureSubject, ViewAction, selectors};
use crate::ui::focus::move_focus;
use crate::ui::icon::icon;
use crate::ui::send::{Handlers, use_send};
use fairlane::ids::{JobId, UserId};
use fairlane::metrics;
use fairlane::number;
use fairlane::trace;
use fairlane::units::Time;
use fairlane_view::verdict::{ratio, tone};

#[derive(Properties, PartialEq)]
pub struct VerdictListProps {
    pub analysis: Shared<Analysis>,
    /// The schedule at the start of the drag under way.
    pub before: Option<Shared<Analysis>>,
    /// While the future is hidden, the instant up to which jobs count.
    pub until: Option<Time>,
    /// The longest mean of all panels, in seconds: a full bar.
    pub longest: f64,
    /// Whether a press on a user's figures opens the inspector.
    pub opens: bool,
}

/// Most users that a panel has room for.
pub const MAX_USERS: usize = 4;

/// Each user; of more users than fit, the worst.
#[component]
pub fn VerdictList(props: &VerdictListProps) -> Html {
    let send = use_send::<Action>();
    let analysis = &props.analysis;
    let verdicts = use_memo((analysis.clone(), props.until), |(analysis, until)| {
        until.map_or_else(|| analysis.verdicts(), |until| analysis.verdicts_by(until))
    });
    let (shown, more) = match props.until {
        // The same users throughout.
        Some(_) => {
            let (shown, more) = metrics::worst(&analysis.verdicts(), MAX_USERS);
            (shown.iter().map(|verdict| verdicts[verdict.user.index()]).collect(), more)
        }
        None => metrics::worst(&verdicts, MAX_USERS),
    };
    let before = props.before.as_ref().filter(|_| props.until.is_none());
    let before = before.map(|analysis| analysis.verdicts()).unwrap_or_default();
    let policy = analysis.trace.policy;
    let row = |(index, verdict): (usize, &metrics::ScheduleVerdict)| {
        let name = &analysis.trace.users[verdict.user.index()];
        let hue = format!("hue-{}", selectors::user_hue(&analysis.scenario, verdict.user));
        // Until the first job has finished, the time that has passed counts up.
        let open = props.until.and_then(|until| open_for(analysis, verdict.user, until));
        let counts = verdict.response.is_none() && open.is_some();
        let mean = verdict.response.or(open.map(|(seconds, _)| seconds));
        let late = counts && open.is_some_and(|(_, late)| late);
        let seconds =
            mean.map_or_else(|| "–".to_owned(), |mean| format!("{}\u{a0}s", number::three_digits(mean)));
        // A user who is alone is treated neither well nor badly.
        let fairness = verdict.ratio.filter(|_| analysis.trace.users.len() > 1);
        let (class, times) =
            fairness.map_or(("none", "–".to_owned()), |figure| (tone(figure).class(), ratio(figure)));
        let remark = match (props.until, verdict.response) {
            (Some(_), None) => Some("no job has finished yet".to_owned()),
            _ => verdict.remark(),
        };
        let earlier =
            before.get(verdict.user.index()).map(|earlier| earlier.ratio.map_or("–".to_owned(), ratio));
        let earlier = earlier.filter(|_| fairness.is_some());
        let earlier = earlier.filter(|earlier| *earlier != times);
        let spoken = match (verdict.response, fairness) {
            (Some(mean), Some(figure)) => format!(
                "{name}: mean response {} s, {} times as long as under the ideal{}",
                number::short(mean),
                number::short(figure),
                remark.as_ref().map(|remark| format!(", {remark}")).unwrap_or_default()
            ),
            (Some(mean), None) => format!("{name}: mean response {} s", number::short(mean)),
            _ => format!("{name}: {}", remark.clone().unwrap_or_default()),
        };
        let width = mean.map_or(0.0, |mean| (100.0 * mean / props.longest).clamp(1.0, 100.0));
        let subject = FigureSubject::User(verdict.user);
        let press =
            (props.opens && props.until.is_none()).then(|| send.press(ViewAction::Inspect(policy, subject)));
        let figures = html! {
            <>
                <span class="name" aria-hidden="true"><i
                    class={classes!("dot", hue.clone())}></i><span>{ name }</span></span>
                <span class={classes!("bar", if late { "late-bar".to_owned() } else { hue })} aria-hidden="true"><i
                    style={format!("width:{width:.1}%")}></i></span>
                <span class={classes!("seconds", late.then_some("bad"))} aria-hidden="true">{ seconds }</span>
                <b class={classes!("ratio", class)}
                    aria-hidden="true">if let Some(earlier) = &earlier
                    { <small>{ earlier.trim_end_matches('×') }{ "→" }</small> }{ times }if remark.is_some()
                        && (props.until.is_none() || verdict.response.is_some()) { <sup>{ "*" }</sup> }</b>
            </>
        };
        html! {
            <li key={verdict.user.0} title={spoken.clone()} class={classes!(earlier.is_some().then_some("changed"))}>
                if let Some(onclick) = press {
                    <button type="button" tabindex={if index == 0 { "0" } else { "-1" }} {onclick}>
                        <span class="sr">{ format!("{spoken}. Why?") }</span>{ figures }
                    </button>
                } else {
                    <span class="sr">{ spoken }</span>{ figures }
                }
            </li>
        }
    };
    let onkeydown = Callback::from(|event: KeyboardEvent| {
        let by = match event.key().as_str() {
            "ArrowLeft" | "ArrowUp" => -1,
            "ArrowRight" | "ArrowDown" => 1,
            _ => return,
        };
        if around(&event, ".verdicts button").is_some() {
            event.prevent_default();
            event.stop_propagation();
            move_focus(".verdicts button", by);
        }
    });
    html! {
        <ul class="verdicts" {onkeydown} aria-label={format!("Mean response of each user, and as a ratio to the ideal{}",
            if props.until.is_some() { ", so far" } else { "" })}>
            { for shown.iter().enumerate().map(row) }
            if more > 0 {
                <li class="more"><span>{ format!("and {more} more") }</span></li>
            }
        </ul>
    }
}

/// The seconds since the arrival of the user's first job that has not ended by an instant, and whether the ideal would
/// have finished it.
fn open_for(analysis: &Analysis, user: UserId, at: Time) -> Option<(f64, bool)> {
    let jobs = (0..).map(JobId).zip(&analysis.trace.jobs);
    let open = jobs.filter(|(_, run)| run.user == user && run.arrival <= at && at < run.end());
    let (job, run) = open.min_by_key(|(_, run)| run.arrival)?;
    Some((at.since(run.arrival).seconds(), analysis.ideal(job).is_some_and(|ideal| ideal < at)))
}

#[derive(Properties, PartialEq)]
pub struct TrustProps {
    pub analysis: Shared<Analysis>,
    /// Whether Tab leads to it; the arrow keys lead from it to the marks of the other panels.
    pub reached: bool,
}

/// Whether the schedule obeys the rules, as a mark that opens what was checked and the hash.
#[component]
pub fn Trust(props: &TrustProps) -> Html {
    let analysis = &props.analysis;
    let checks = analysis.extras.as_ref().map(|extras| &extras.checks);
    if let Some(Err(fault)) = checks {
        return html! { <span class="trust bad" role="alert">{ format!("check failed: {fault}") }</span> };
    }
    let (class, mark, label) = match checks {
        Some(_) => ("ok", "M5 13l4 4L19 7", "checks pass"),
        None => ("ok dim", "M6 12h12", "not checked yet"),
    };
    let idling = match trace::checks_idling(&analysis.scenario, analysis.trace.policy) {
        true => " no core was idle while work waited,",
        false => "",
    };
    let rules = match checks {
        Some(_) => format!("{RULES},{idling} and the tables' figures match the chart."),
        None => "The rules are checked once nothing is being dragged or simulated.".to_owned(),
    };
    let onkeydown = Callback::from(|event: KeyboardEvent| {
        let by = match event.key().as_str() {
            "ArrowUp" => -1,
            "ArrowDown" => 1,
            _ => return,
        };
        event.prevent_default();
        event.stop_propagation();
        move_focus(".trust summary", by);
    });
    html! {
        <details class="trust menu" name="menu">
            <summary {class} tabindex={if props.reached { "0" } else { "-1" }} {onkeydown}
                aria-label={format!("{label}; details")} title={label}>
                { icon(mark) }
            </summary>
            <div>
                <span>{ rules }</span>
                <span>{ "Hash, as fairlane simulate --hash prints it: " }<code
                    class="hash">{ format!("{:016x}", analysis.hash) }</code></span>
            </div>
        </details>
    }
}

const RULES: &str =
    "Every task ran exactly once and for its length, no core ran two tasks at once, stages ran in order";
