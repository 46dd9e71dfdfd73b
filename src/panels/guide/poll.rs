//! A lecturer asks a class how long a job waits: the question in place of the headline, a card that collects guesses
//! below the schedules, flags for them on the ruler, and the answer with its cause.

use wasm_bindgen::JsCast;
use yew::prelude::*;

use crate::browser::dom::prefers_reduced_motion;
use crate::panels::asking;
use crate::panels::editors::field::{policy_select, select, typing};
use crate::store::{Action, Motion, Poll, PollAction, PollScene, State, selectors};
use crate::ui::focus::focus;
use crate::ui::send::{Handlers, use_send};
use fairlane::ids::JobId;
use fairlane::number;
use fairlane::policy::{OBSERVED, PolicyId};
use fairlane::scenario::Scenario;
use fairlane::units::{Span, Time};
use fairlane_view::verdict::Cause;

#[derive(Clone, Properties, PartialEq)]
pub struct PollProps {
    pub state: State,
}

/// The most jobs in the list to choose from; with more, it has those next to the job that is asked about.
const MAX_JOBS: usize = 200;

fn seconds(span: Span) -> String {
    format!("{}\u{a0}s", number::three_digits(span.seconds()))
}

/// A guess as exactly as it was typed.
fn exactly(span: Span) -> String {
    format!("{}\u{a0}s", number::trimmed(span.seconds(), 3))
}

/// What follows the name of who waits: for which job, if there are several, and under which policy.
fn further_words(scenario: &Scenario, job: JobId, policy: PolicyId) -> String {
    let user = scenario.jobs()[job.index()].user;
    let several = scenario.jobs().iter().filter(|job| job.user == user).count() > 1;
    let of = if several { format!(" for {}", scenario.job_label(job)) } else { String::new() };
    match policy == OBSERVED {
        true => format!("{of} in the run that the log recorded"),
        false => format!("{of} under {}", policy.title()),
    }
}

/// Why a job waits as long as it does, as far as one cause explains it.
fn because(state: &State, poll: &Poll) -> Option<String> {
    let analysis = state.runs.get(&poll.policy)?.analysis.as_ref()?;
    let cause = Cause::of(analysis, poll.job)?;
    Some(format!("Because {}.", cause.words(analysis)))
}

/// The job that is asked about, if it is there.
fn asked(state: &State) -> Option<(&Poll, PollScene)> {
    let poll = state.poll.as_ref()?;
    state.document.scenario.jobs().get(poll.job.index())?;
    Some((poll, state.poll_scene()?))
}

/// The question or its answer, in place of the headline.
#[component]
pub fn PollStory(props: &PollProps) -> Html {
    let state = &props.state;
    let Some((poll, scene)) = asked(state) else { return Html::default() };
    let scenario = &state.document.scenario;
    let job = &scenario.jobs()[poll.job.index()];
    let hue = format!("hue-{}", selectors::user_hue(scenario, job.user));
    let name = html! { <em class={classes!("name", hue)}>{ scenario.user_name(poll.job) }</em> };
    let further = further_words(scenario, poll.job, poll.policy);
    let (headline, below) = match scene {
        PollScene::Asked | PollScene::Playing => (
            html! { <>{ "How long does " }{ name }{ " wait" }{ further }{ "?" }</> },
            format!("From {}, when the job arrives, to its answer.", number::about(job.arrival)),
        ),
        PollScene::Answered(_) if state.poll_is_outdated() => {
            (answer(name, scene, &further), OUTDATED.to_owned())
        }
        PollScene::Answered(_) => (answer(name, scene, &further), because(state, poll).unwrap_or_default()),
    };
    html! {
        <div aria-live="polite">
            <p class="headline" id="poll-question" tabindex="-1">{ headline }</p>
            <p class="cause">{ below }</p>
        </div>
    }
}

/// Said where the answer is of another scenario than the one on the page.
const OUTDATED: &str = "The scenario has changed since it was asked.";

fn answer(name: Html, scene: PollScene, further: &str) -> Html {
    match scene {
        PollScene::Answered(Some(wait)) => {
            html! { <>{ name }{ " waits " }<b>{ seconds(wait) }</b>{ further }{ "." }</> }
        }
        _ => html! { <>{ name }{ " never has an answer" }{ further }{ "." }</> },
    }
}

/// How the class has guessed, beside the answer.
fn result_words(poll: &Poll, wait: Option<Span>) -> String {
    let guesses = match poll.count() {
        1 => "1 guess".to_owned(),
        several => format!("{several} guesses"),
    };
    match (wait, poll.median(), wait.and_then(|wait| poll.nearest(wait))) {
        (_, None, _) => "Nobody has guessed.".to_owned(),
        (Some(wait), Some(median), Some(nearest)) => {
            let near = match poll.near(wait) {
                0 => "none is".to_owned(),
                1 => "1 is".to_owned(),
                several => format!("{several} are"),
            };
            format!(
                "{guesses}. The median is {}, {near} within 10 % of the answer, and the nearest is {}.",
                seconds(median),
                exactly(nearest)
            )
        }
        (_, Some(median), _) => format!("{guesses}. The median is {}.", seconds(median)),
    }
}

/// The card: whom the question is about, the guesses, and how to go on.
#[component]
pub fn PollCard(props: &PollProps) -> Html {
    let send = use_send();
    let PollProps { state } = props;
    let text = use_state_eq(String::new);
    let scene = state.poll_scene();
    use_focus(scene);
    let Some((poll, scene)) = asked(state) else { return Html::default() };
    let act = |action: PollAction| send.press(Action::Poll(action));
    let body = match scene {
        PollScene::Asked | PollScene::Playing => collecting(state, poll, scene, &text, &send),
        PollScene::Answered(wait) => html! {
            <>
                <p class="poll-row" id="poll-result" tabindex="-1">{ result_words(poll, wait) }</p>
                <p class="poll-row buttons">
                    <button type="button" id="poll-again" class="go" onclick={asking(PollAction::Again, &send)}>{ "Ask again" }</button>
                    <button type="button" id="poll-done" onclick={act(PollAction::Done)}>{ "Done" }</button>
                </p>
            </>
        },
    };
    html! {
        <section class="predict poll" id="poll" aria-label="Ask the class">
            <header>
                <h2>{ "Ask the class" }</h2>
                { about(state, poll, &send) }
                <span class="space"></span>
                <button type="button" class="small" id="poll-leave" onclick={act(PollAction::Done)}
                    aria-label="End the question; everything is shown again"
                    title="End the question; everything is shown again">{ "✕" }</button>
            </header>
            <div class="predict-body">
                { body }
                { chips(poll, scene, &send) }
            </div>
        </section>
    }
}

/// The policy and the job that are asked about, which can be others as long as nobody has guessed.
fn about(state: &State, poll: &Poll, send: &Callback<Action>) -> Html {
    if poll.count() > 0 || !poll.is_open() {
        return Html::default();
    }
    let (policy, job) = (poll.policy, poll.job);
    let of_policy = send.reform(move |policy| Action::Poll(PollAction::Ask(policy, job)));
    let of_job = send.reform(move |word: String| {
        let job = word.parse().map_or(job, JobId);
        Action::Poll(PollAction::Ask(policy, job))
    });
    let scenario = &state.document.scenario;
    let jobs = scenario.jobs().len() as u32;
    let from = job.0.saturating_sub(MAX_JOBS as u32 / 2).min(jobs.saturating_sub(MAX_JOBS as u32));
    let options = (from..jobs).take(MAX_JOBS).map(|index| {
        let (label, user) = (scenario.job_label(JobId(index)), scenario.user_name(JobId(index)));
        (index.to_string(), format!("{user}: {label}"))
    });
    html! {
        <>
            <label for="poll-job" class="sr">{ "Job that is asked about" }</label>
            { select("poll-job", &job.0.to_string(), options, None, of_job) }
            <label for="poll-policy" class="sr">{ "Policy that is asked about" }</label>
            { policy_select("poll-policy", state, Some(policy), of_policy) }
        </>
    }
}

/// The field for a guess, and the button that shows the answer.
fn collecting(
    state: &State,
    poll: &Poll,
    scene: PollScene,
    text: &UseStateHandle<String>,
    send: &Callback<Action>,
) -> Html {
    let onsubmit = {
        let (send, text) = (send.clone(), text.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            send.emit(Action::Poll(PollAction::Guess((*text).clone())));
            // At once, so that nothing is lost of a next guess; what was refused is quoted below.
            let field = gloo::utils::document().get_element_by_id("poll-guess");
            if let Some(field) = field.and_then(|field| field.dyn_into::<web_sys::HtmlInputElement>().ok()) {
                field.set_value("");
            }
            text.set(String::new());
            focus("#poll-guess");
        })
    };
    let reveal = send.reform(|_: MouseEvent| {
        let motion = if prefers_reduced_motion() { Motion::Paused } else { Motion::Playing };
        Action::Poll(PollAction::Reveal(motion))
    });
    let hint = match &poll.refused {
        Some(why) => html! { <p class="poll-row error" id="poll-hint" role="alert">{ why.to_string() }</p> },
        None => html! { <p class="poll-row hint" id="poll-hint">{ hint(state, poll) }</p> },
    };
    html! {
        <>
            <form class="poll-row" {onsubmit}>
                <label for="poll-guess">{ "A guess" }</label>
                <input id="poll-guess" type="text" inputmode="decimal" autocomplete="off" value={(**text).clone()}
                    oninput={typing(text)} aria-describedby="poll-question poll-hint"
                    aria-invalid={poll.refused.is_some().then_some("true")} />
                <span aria-hidden="true">{ "s" }</span>
                <button type="submit" id="poll-add">{ "Add" }</button>
                <button type="button" id="poll-reveal" class="go" onclick={reveal} disabled={!state.can_reveal()}>
                    { if scene == PollScene::Playing { "Skip" } else { "Reveal" } }</button>
            </form>
            { hint }
        </>
    }
}

fn hint(state: &State, poll: &Poll) -> String {
    let counted = match poll.count() {
        _ if !state.can_reveal() => "The schedule is not there yet.".to_owned(),
        0 => "Type what the class guesses, one after another, with Enter.".to_owned(),
        1 => "1 guess. Press it to remove it.".to_owned(),
        several => format!("{several} guesses. Press one to remove it."),
    };
    if state.poll_is_outdated() { format!("{OUTDATED} {counted}") } else { counted }
}

/// The guesses, the shortest first, each with how often it was made.
fn chips(poll: &Poll, scene: PollScene, send: &Callback<Action>) -> Html {
    let nearest = match scene {
        PollScene::Answered(Some(wait)) => poll.nearest(wait),
        _ => None,
    };
    let chip = |(guess, count): (Span, usize)| {
        let words = match count {
            1 => exactly(guess),
            count => format!("{} × {count}", exactly(guess)),
        };
        let is_nearest = nearest == Some(guess);
        let content = match scene {
            PollScene::Answered(_) => {
                html! { <span class={classes!(is_nearest.then_some("nearest"))}>{ words }</span> }
            }
            _ => {
                let onclick = send.press(PollAction::Remove(guess));
                html! { <button type="button" class="small" {onclick} title={format!("Remove {}", exactly(guess))}
                aria-label={format!("{words}: remove")}>{ words }</button> }
            }
        };
        html! { <li key={guess.0.to_string()}>{ content }</li> }
    };
    html! { <ul class="poll-guesses" id="poll-guesses" aria-label="Guesses">{ for poll.guesses().map(chip) }</ul> }
}

/// The guesses as flags on the ruler, and once it is known the answer over the schedules.
#[component]
pub fn PollFlags(props: &PollProps) -> Html {
    let state = &props.state;
    let Some((poll, scene)) = asked(state) else { return Html::default() };
    let scenario = &state.document.scenario;
    let job = &scenario.jobs()[poll.job.index()];
    let axis = state.axis();
    let place = |wait: Span| {
        let at: Time = job.arrival + wait;
        (axis.from <= at && at <= axis.to).then(|| format!("--expected:{:.4}", axis.fraction(at)))
    };
    let hue = format!("hue-{}", selectors::user_hue(scenario, job.user));
    // What is longer than the axis is at its end, and says so by its form.
    let flag = |guess: Span| match job.arrival + guess {
        late if late > axis.to => Some(("--expected:1".to_owned(), Some("beyond"))),
        _ => place(guess).map(|style| (style, None)),
    };
    let guesses = poll.guesses().filter_map(|(guess, _)| flag(guess));
    let is_known = !state.poll_is_outdated();
    let answer = match scene {
        PollScene::Answered(wait) if is_known => wait.and_then(|wait| Some((place(wait)?, seconds(wait)))),
        _ => None,
    };
    let median = answer
        .as_ref()
        .and_then(|_| poll.median())
        .and_then(|median| Some((place(median)?, seconds(median))));
    html! {
        <div class={classes!("poll-flags", hue.clone())} aria-hidden="true">
            <div class="poll-ticks">{ for guesses.map(|(style, class)| html! { <i {class} {style}></i> }) }</div>
            if let Some((style, words)) = median {
                <div class="expected median" {style}><span class="tag">{ format!("median: {words}") }</span></div>
            }
            if let Some((style, words)) = answer {
                <div class={classes!("expected", hue)} {style}><span class="tag">{ format!("answer: {words}") }</span></div>
            }
        </div>
    }
}

/// The focus goes to what came out, once it is there and what had the focus is gone.
#[hook]
fn use_focus(scene: Option<PollScene>) {
    let is_answered = matches!(scene, Some(PollScene::Answered(_)));
    use_effect_with(is_answered, |is_answered| {
        let element = gloo::utils::document().active_element();
        let is_lost = element.is_none_or(|element| element.tag_name() == "BODY");
        if *is_answered && is_lost {
            focus("#poll-again");
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{page, policy, settled};

    fn polled(guesses: &[&str]) -> State {
        let asked = settled(page("two-users")).reduce(PollAction::Ask(policy("fair"), JobId(12)));
        guesses.iter().fold(asked, |state, guess| state.reduce(PollAction::Guess((*guess).to_owned())))
    }

    #[test]
    fn the_result_counts_the_guesses_against_the_answer() {
        let words = |guesses: &[&str], wait: Option<u64>| {
            let state = polled(guesses);
            result_words(state.poll.as_ref().expect("a question"), wait.map(|millis| Span(millis * 1_000)))
        };
        assert_eq!(words(&[], Some(5_000)), "Nobody has guessed.");
        assert_eq!(
            words(&["5.4"], Some(5_000)),
            "1 guess. The median is 5.40\u{a0}s, 1 is within 10 % of the answer, and the nearest is 5.4\u{a0}s."
        );
        assert_eq!(
            words(&["2", "3", "30"], Some(5_000)),
            "3 guesses. The median is 3.00\u{a0}s, none is within 10 % of the answer, and the nearest is 3\u{a0}s."
        );
        assert_eq!(words(&["2", "3"], None), "2 guesses. The median is 2.50\u{a0}s.");
    }

    #[test]
    fn the_question_names_the_job_of_a_user_who_has_several() {
        let scenario = &page("two-users").document.scenario;
        assert_eq!(further_words(scenario, JobId(12), policy("fair")), " under Fair");
        let several = further_words(scenario, JobId(3), policy("uwfq"));
        assert_eq!(several, format!(" for {} under UWFQ", scenario.job_label(JobId(3))));
        assert!(further_words(scenario, JobId(12), OBSERVED).contains("the log recorded"));
    }

    #[test]
    fn the_cause_is_measured() {
        let state = polled(&[]);
        let words = because(&state, state.poll.as_ref().expect("a question")).expect("a cause");
        assert!(words.contains("ana") && words.contains("counts jobs, not users"), "{words}");
    }
}
