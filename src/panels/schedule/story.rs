//! The scenario in a line, above everything else, and what to do next.

use wasm_bindgen::JsCast;
use web_sys::HtmlElement;
use yew::prelude::*;

use crate::browser::dom::find;
use crate::panels::scroll_to_panel;
use crate::store::{
    Action, BetterPolicy, ChangeEffect, Document, DocumentAction, DocumentCondition, Future, Guide, Loser,
    PageVerdict, PlaybackAction, PolicyEffect, State, ViewAction, selectors,
};
use crate::ui::send::{Handlers, use_send};
use fairlane::ids::UserId;
use fairlane::metrics::{ReplayError, ResponsePercentiles};
use fairlane::policy::PolicyId;
use fairlane::scenario::Scenario;
use fairlane::{catalog, number};
use fairlane_study::lesson::{OUTLINES, Outline, StepId};
use fairlane_view::link::Origin;
use fairlane_view::{verdict, words};

#[derive(Clone, Properties, PartialEq)]
pub struct StoryProps {
    pub state: State,
}

/// A policy that serves users by their shares, offered where another one does not.
const FAIRER: &str = "uwfq";

#[component]
pub fn Story(props: &StoryProps) -> Html {
    let send = use_send();
    let StoryProps { state } = props;
    match state.future() {
        future if future.is_hidden() => question(state, &send),
        _ => html! { <Lines state={state.without_playhead()} /> },
    }
}

/// What to guess while the future is hidden, and how to see it.
fn question(state: &State, send: &Callback<Action>) -> Html {
    let reveal = send.press(PlaybackAction::HideFuture(false));
    let users = state.document.scenario.users().len();
    html! {
        <>
            <p class="cause">{ match users {
                0 | 1 => GUESS_ONE,
                _ => GUESS_USERS,
            } }</p>
            if state.future() == Future::Hidden {
                <button type="button" class="small" id="reveal" onclick={reveal}>{ "Show it" }</button>
            }
        </>
    }
}

/// Asked while the future is hidden, of several users and of one.
const GUESS_USERS: &str = "Guess: who waits how long, and under which policy least?";
const GUESS_ONE: &str = "Guess: when do the jobs end, and under which policy first?";

/// Tells of whole schedules, so that the playhead changes nothing of it.
#[component]
fn Lines(props: &StoryProps) -> Html {
    let send = use_send();
    let StoryProps { state } = props;
    let verdict = state.worst_served();
    let document = &state.document;
    let words = match verdict {
        Some(verdict) => causes(state, verdict),
        None if state.replay_error().is_some_and(|error| !error.is_tolerable()) => no_verdict(state),
        None if document.changed_from().is_none() => quiet(document).into(),
        None if state.is_settled() && state.drag.is_none() => EVERYBODY_SERVED.into(),
        None => Html::default(),
    };
    let press = |id: &'static str, text: String, onclick: Callback<MouseEvent>| {
        html! { <button type="button" class="small" {id} {onclick}>{ text }</button> }
    };
    let button = |id: &'static str, text: String, action: Action| press(id, text, send.press(action));
    // The new panel may be below those in sight.
    let tick =
        |policy: PolicyId| send.press_then(ViewAction::Toggle(policy), move || scroll_to_panel(policy));
    // The scenario is made once it is wanted.
    let open = |entry: &'static catalog::Entry| {
        send.reform(move |_: MouseEvent| {
            Action::Document(DocumentAction::Open(Document::from_catalog(entry).into()))
        })
    };
    let user = |verdict: PageVerdict| document.scenario.users()[verdict.user.index()].name.clone();
    html! {
        <>
            <div>
            if let Some(verdict) = verdict {
                <p class="headline">{ headline(document, verdict) }</p>
            }
            <p class="cause" title={document.entry().filter(|_| document.changed_from().is_none()).map(|entry|
                entry.look_for)}>
                if let Some(effect) = state.effect() {
                    { effect_words(&effect) }
                } else if let Some(entry) = document.changed_from() {
                    { "Changed from: " }<b>{ entry.title }</b>{ ". " }
                }
                { words }
            </p>
            if is_opening(document) {
                <p class="invitation"><b>{ "Now you: " }</b>{ INVITATION }</p>
            }
            </div>
            // On a narrow screen a menu over the page: whatever there is to do, the lanes stay where they are.
            <button type="button" id="next-steps" class="more-button" popovertarget="next">{ "Next" }</button>
            <span class="next" id="next" popover="auto">
                if let Some(entry) = document.changed_from() {
                    { press("reset", "Reset".into(), open(entry)) }
                }
                if let Some(verdict) = verdict {
                    { button("follow", format!("Follow {}", user(verdict)), Action::View(ViewAction::Follow(verdict.user))) }
                }
                if let Some(paper) = catalog::find("paper-scenario-1").filter(|_| is_opening(document)) {
                    { press("to-paper", "The paper's scenario".into(), open(paper)) }
                }
                if document.log.as_ref().is_some_and(|log| log.without_pools().is_some()) {
                    { press("open-pools", "Open fairscheduler.xml…".into(), Callback::from(|_: MouseEvent| {
                        if let Some(input) = find("#file").and_then(|input| input.dyn_into::<HtmlElement>().ok()) {
                            input.click();
                        }
                    })) }
                }
                if let Some(policy) = unticked(state) {
                    { press("tick-next", format!("Tick {}", policy.title()), tick(policy)) }
                }
                if let Some((index, lesson)) = next_lesson(state, verdict) {
                    { button("next-lesson", format!("Lesson: {}", lesson.title),
                        Action::Guide(Guide::Start(StepId::first(index)))) }
                }
            </span>
        </>
    }
}

/// The lesson about the cause, or else the first that is not done.
fn next_lesson(state: &State, verdict: Option<PageVerdict>) -> Option<(usize, &'static Outline)> {
    let open = || {
        let lessons = OUTLINES.iter().enumerate().filter(|(_, outline)| !outline.is_of_challenges());
        lessons.filter(|(_, lesson)| !state.lessons.done.contains(lesson.id))
    };
    let cause = verdict.and_then(|verdict| verdict.cause);
    open()
        .find(|(_, lesson)| cause.is_some_and(|cause| cause.lesson() == lesson.id))
        .or_else(|| open().next())
}

/// Who waits how long under which policy, how much longer than fair that is, and what helps.
fn headline(
    document: &Document,
    PageVerdict { policy, user, response, ratio, best, .. }: PageVerdict,
) -> Html {
    let scenario = &document.scenario;
    let several = scenario.jobs().iter().filter(|job| job.user == user).count() > 1;
    let times = verdict::ratio(ratio);
    html! {
        <>
            { "Under " }{ policy.title() }{ ", " }<em class={classes!("name", hue(&document.scenario, user))}>{
                &scenario.users()[user.index()].name }</em><span title={words::WAIT.meaning}>{ " waits " }</span><b class="bad">{ seconds(response) }</b>
            { if several { " on average" } else { "" } }
            <span title={words::IDEAL.meaning}>{ format!(", {} times a fair share.", times.trim_end_matches('×')) }</span>
            if let Some(better) = best {
                { format!(" Under {}, ", better.policy.title()) }<b>{ seconds(better.response) }</b>{ "." }
            }
        </>
    }
}

/// What the last change did, against the page as it was.
fn effect_words(effect: &ChangeEffect) -> Html {
    let ChangeEffect { change, undone, most, further, unmoved, is_of_parameters } = effect;
    let titles: Vec<String> = unmoved.iter().map(|policy| policy.title()).collect();
    let arrow = |[before, after]: [f64; 2]| {
        format!("{}\u{a0}→\u{a0}{}", number::three_digits(before), seconds(after))
    };
    let what = match most {
        Some(PolicyEffect { policy, users, p95 }) => {
            let users = users.iter().map(|(name, means)| format!("{name} {}", arrow(*means)));
            let p95 = p95.filter(|[before, after]| (after / before - 1.0).abs() >= MIN_P95);
            let p95 = p95.map(|p95| format!("p95 {}", arrow(p95)));
            let figures: Vec<String> = users.chain(p95).collect();
            let others = match titles.is_empty() {
                true => String::new(),
                false => format!(" Nobody's mean changes by {MIN_MEAN} under {}.", number::list(&titles)),
            };
            let further = further.iter().map(|PolicyEffect { policy, users, .. }| {
                let users = users.iter().map(|(name, means)| format!("{name} {}", arrow(*means)));
                format!("; under {}, {}", policy.title(), users.collect::<Vec<_>>().join(", "))
            });
            let further: String = further.collect();
            format!("under {}, {}{further}.{others}", policy.title(), figures.join(", "))
        }
        None if *is_of_parameters => {
            format!("no effect, because no schedule of {} depends on it.", number::list(&titles))
        }
        None => format!("nobody's mean changes by {MIN_MEAN} under {}.", number::list(&titles)),
    };
    html! {
        <span id="effect">
            { if *undone { "Undone: " } else { "" } }<b>{ change }</b>{ ": " }{ what }{ " " }
        </span>
    }
}

/// The least change of a mean that is told: `MIN_FACTOR` in words.
const MIN_MEAN: &str = "0.5 %";
/// A change of the 95th percentile by a smaller part than this is not told.
const MIN_P95: f64 = 0.005;

/// Why somebody waits, and what the policy that helps costs.
fn causes(state: &State, PageVerdict { policy, cause, best, .. }: PageVerdict) -> Html {
    let analysis = state.runs.get(&policy).and_then(|run| run.analysis.as_ref());
    let because = cause.zip(analysis).map(|(cause, analysis)| cause.words(analysis));
    html! {
        <>
            { because.map(|because| format!("Because {because}. ")).unwrap_or_default() }
            { for best.map(|better| price(state, policy, better)) }
        </>
    }
}

/// What a policy that serves one user better costs the others, and what it does to the slowest jobs.
fn price(state: &State, than: PolicyId, BetterPolicy { policy, loser, p95, .. }: BetterPolicy) -> Html {
    let document = &state.document;
    let users = document.scenario.users();
    let costs = match loser {
        None => html! { { format!("Nobody's mean grows by 5\u{a0}% under {}", policy.title()) } },
        Some((Loser { user, responses: [from, to] }, _)) => {
            let losers = state.losers(than, policy).into_iter();
            let losers: Vec<(&str, [f64; 2])> =
                losers.map(|loser| (users[loser.user.index()].name.as_str(), loser.responses)).collect();
            let (others, all) = others_who_lose(&losers);
            html! {
                <>
                    { format!("{} costs ", policy.title()) }<em class={classes!("name", hue(&document.scenario, user))}>{ &users[user.index()].name }</em>
                    { format!(" {} instead of {}", seconds(to), seconds(from)) }
                    if !others.is_empty() { <span id="price-others" title={all}>{ others }</span> }
                </>
            }
        }
    };
    let slowest = p95.map(|p95| slowest_words(p95, document.scenario.jobs().len(), state.replay_error()));
    html! { <>{ costs }<span id="price-p95" title={words::P95.meaning}>{ slowest.unwrap_or_default() }</span>{ "." }</> }
}

/// Most users who lose by a policy that are named.
const NAMED_LOSERS: usize = 3;

/// Who loses besides the first of those who do, and how much: up to [`NAMED_LOSERS`] with the first by name, with their
/// response times in seconds before and after; and all names if there are more.
fn others_who_lose(losers: &[(&str, [f64; 2])]) -> (String, Option<String>) {
    let more = losers.len().saturating_sub(NAMED_LOSERS);
    let loses = |&(name, [from, to]): &(&str, [f64; 2])| {
        format!("{name} {} instead of {}", seconds(to), number::three_digits(from))
    };
    let mut named: Vec<String> = losers.iter().skip(1).take(NAMED_LOSERS - 1).map(loses).collect();
    named.extend((more > 0).then(|| number::counted(more, "other")));
    match named.is_empty() {
        true => (String::new(), None),
        false => {
            let names: Vec<&str> = losers.iter().map(|&(name, _)| name).collect();
            (format!(", and {}", number::list(&named)), (more > 0).then(|| names.join(", ")))
        }
    }
}

/// Fewest jobs whose 95th percentile is told.
const MIN_JOBS: usize = 5;

/// What becomes of the 95th percentile of so many jobs, and how sure that is: on how many jobs it rests, and of a log how
/// far its simulation is off. Nothing if nothing is to be seen of it.
fn slowest_words([before, after]: [f64; 2], jobs: usize, error: Option<ReplayError>) -> String {
    let [from, to] = [before, after].map(seconds);
    // Of a handful of jobs it is the slowest one alone.
    if from == to || jobs < MIN_JOBS {
        return String::new();
    }
    if error.is_some_and(|error| error.hides(before, after)) {
        return format!("; p95 {from} → {to}, which is within the simulation's error");
    }
    let error = error.map(|error| format!(" ± {}", number::percent(error.mean, 1))).unwrap_or_default();
    let slow = ResponsePercentiles::jobs_from_p95(jobs);
    let take = if slow == 1 { "takes" } else { "take" };
    format!("; p95 {from} → {to}{error} ({slow} of {} {take} as long)", number::counted(jobs, "job"))
}

fn hue(scenario: &Scenario, user: UserId) -> String {
    format!("hue-{}", selectors::user_hue(scenario, user))
}

fn seconds(seconds: f64) -> String {
    format!("{}\u{a0}s", number::three_digits(seconds))
}

/// Why nothing is said about who waits: the simulation of what ran is too far from it.
fn no_verdict(state: &State) -> Html {
    let error = state.replay_error().map(|error| number::percent(error.mean, 0)).unwrap_or_default();
    let most = number::percent(ReplayError::TOLERANCE, 0);
    let log = state.document.log.as_ref();
    let assumed = log.is_some_and(|log| log.without_pools().is_some());
    html! {
        <>
            { format!("No verdict: the simulation of the log's own scheduler misses a job's response time by {error} on \
                       average, more than {most}, so what another policy shows here says little about this cluster.") }
            if assumed { { " Its pools are assumed: open the cluster's fairscheduler.xml, and the log is simulated with it." } }
        </>
    }
}

/// The first sentence of the scenario's own words; of an untitled one, how to begin.
fn quiet(document: &Document) -> String {
    let words = document.entry().map_or(document.scenario.description(), |entry| entry.look_for);
    match (words.split_once(". "), &document.origin) {
        (Some((first, _)), _) => format!("{first}."),
        (None, Origin::File(name))
            if words.is_empty() && name == Document::BLANK && document.scenario.jobs().len() == 1 =>
        {
            "A new cluster with one tiny job, as a schedule needs one. Drag in more, rename it, change the cluster.".to_owned()
        }
        (None, _) if words.is_empty() =>
            "Drag a job, press Play, tick another policy: all schedules update.".to_owned(),
        (None, _) => words.to_owned(),
    }
}

/// A changed scenario in which no policy treats anybody badly.
const EVERYBODY_SERVED: &str =
    "Now no user's jobs take noticeably longer than with a fair share of the cores.";
/// What to try in the opening scenario.
const INVITATION: &str = "drag ben's job to 6 s, or up to ana.";

/// Whether the page shows the scenario that it opens with, unchanged.
fn is_opening(document: &Document) -> bool {
    document.condition == DocumentCondition::Pristine
        && matches!(document.origin, Origin::Catalog(name) if name == catalog::opening().name)
}

/// The fairer policy under default, then under runtime partitioning, unless both are ticked.
fn unticked(state: &State) -> Option<PolicyId> {
    [FAIRER.to_owned(), format!("{FAIRER}-p")]
        .iter()
        .filter_map(|policy| policy.parse().ok())
        .find(|policy| !state.view.policies.contains(policy))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn up_to_three_who_lose_are_named() {
        let losers = [
            ("ana", [4.0, 5.0]),
            ("ben", [6.63, 7.07]),
            ("cho", [2.0, 2.2]),
            ("dan", [1.0, 2.0]),
            ("eve", [1.0, 2.0]),
        ];
        assert_eq!(others_who_lose(&losers[..1]), (String::new(), None));
        let two = ", and ben 7.07\u{a0}s instead of 6.63";
        assert_eq!(others_who_lose(&losers[..2]), (two.to_owned(), None));
        let (words, all) = others_who_lose(&losers);
        assert_eq!(
            words,
            ", and ben 7.07\u{a0}s instead of 6.63, cho 2.20\u{a0}s instead of 2.00 and 2 others"
        );
        assert_eq!(all.as_deref(), Some("ana, ben, cho, dan, eve"));
    }

    #[test]
    fn a_percentile_says_on_how_many_jobs_it_rests_and_how_far_it_is_off() {
        assert_eq!(
            slowest_words([15.5, 19.1], 49, None),
            "; p95 15.5\u{a0}s → 19.1\u{a0}s (3 of 49 jobs take as long)"
        );
        let error = Some(ReplayError { mean: 0.019, median: 0.0, bias: 0.0 });
        assert_eq!(
            slowest_words([15.5, 19.1], 5, error),
            "; p95 15.5\u{a0}s → 19.1\u{a0}s ± 1.9 % (1 of 5 jobs takes as long)"
        );
        assert_eq!(slowest_words([15.5, 19.1], 4, None), "", "that would be the slowest job");
        assert!(slowest_words([15.5, 15.7], 49, error).ends_with("within the simulation's error"));
        assert_eq!(slowest_words([15.5, 15.501], 49, None), "");
        // Nearest rank: among 100 jobs the 95th is exceeded by five.
        assert_eq!([0, 1, 19, 20, 21, 100].map(ResponsePercentiles::jobs_from_p95), [0, 1, 1, 2, 2, 6]);
    }
}
