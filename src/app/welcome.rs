//! The first minute of a newcomer: one question above two lanes and one schedule. What is not explained yet is not
//! there; the whole laboratory is one press away.

use yew::prelude::*;

use crate::panels::guide::help::EXPLAINER;
use crate::panels::header::brand;
use crate::store::{Action, DocumentAction, PlaybackAction, State, WelcomeAction, WelcomeScene, selectors};
use crate::ui::focus::focus_soon;
use crate::ui::send::Handlers;
use fairlane::number;
use fairlane::units::{Span, Time};

/// Steps of the flag in a second.
const STEPS_PER_SECOND: f64 = 10.0;

/// The bar: whose page this is, and the way into the laboratory.
pub fn bar(send: &Callback<Action>) -> Html {
    let onclick = send.press_then(WelcomeAction::Leave, || focus_soon("#stage"));
    html! {
        <header class="top">
            { brand() }
            <p class="subject">{ "Who waits when many share one Spark cluster, and why?" }</p>
            <span class="space"></span>
            <button type="button" id="whole-lab" {onclick}>{ "The whole lab" }</button>
        </header>
    }
}

fn seconds(span: Span) -> String {
    format!("{}\u{a0}s", number::three_digits(span.seconds()))
}

fn at(time: Time) -> String {
    format!("{:.1}\u{a0}s", time.0 as f64 / 1e6)
}

/// When the job that asks arrives, where its user still has it.
fn arrival(state: &State) -> Option<Time> {
    Some(state.document.scenario.jobs()[state.welcome_job()?.index()].arrival)
}

/// What is seen, in a sentence, and what goes with it.
pub fn story(state: &State, scene: WelcomeScene) -> Html {
    let waits = state.welcome_waits();
    let (headline, below) = match (scene, waits.as_slice()) {
        (WelcomeScene::Start, _) => (
            html! { "ana submits twelve jobs. ben asks one question." },
            html! { "Eight cores do the work. Each job alone would take one second." },
        ),
        (WelcomeScene::Guess | WelcomeScene::Playing, _) => (
            html! { "ana submits twelve jobs. ben asks one question." },
            html! { "When will ben have his answer?" },
        ),
        (WelcomeScene::Answer, [(_, fair), ..]) => (
            html! { <>{ "ben waits " }<b class="bad">{ seconds(*fair) }</b>{ " for a one-second answer." }</> },
            html! { "Spark’s Fair mode shares among jobs. Twelve of the thirteen are ana’s." },
        ),
        (WelcomeScene::Turns, [(_, fair), (_, uwfq)]) => (
            html! { <>{ "ben waits " }<b class="bad">{ seconds(*fair) }</b>{ format!(" under Fair, {} under UWFQ.", seconds(*uwfq)) }</> },
            html! { "Same jobs, same cores. Only the order differs." },
        ),
        (WelcomeScene::Changed, [(_, fair), (_, uwfq)]) => (
            html! {
                <>{ format!("Asked at {}, ben waits ", arrival(state).map(at).unwrap_or_default()) }<b>{ seconds(*fair) }</b>
                { format!(" under Fair, {} under UWFQ.", seconds(*uwfq)) }</>
            },
            html! { "Change something else, or undo it: all schedules follow." },
        ),
        _ => (
            html! { "Other jobs, another answer." },
            html! { "Change something else, or undo it: all schedules follow." },
        ),
    };
    html! {
        <div class="story" id="story" role="region" aria-label="In short" aria-live="polite">
            <div><h2 class="headline">{ headline }</h2><p class="cause">{ below }</p></div>
        </div>
    }
}

/// The flag that a newcomer puts where the answer is expected, over all that is not known yet.
pub fn flag(state: &State, scene: WelcomeScene, send: &Callback<Action>) -> Html {
    let Some(welcome) = state.ui.welcome else { return Html::default() };
    let is_shown = matches!(scene, WelcomeScene::Guess | WelcomeScene::Playing | WelcomeScene::Answer);
    let Some(job) = state.welcome_job().filter(|_| is_shown) else { return Html::default() };
    let steps = |time: Time| (time.0 as f64 / 1e6 * STEPS_PER_SECOND).round();
    let oninput = send.reform(|event: InputEvent| {
        let input = event.target_dyn_into::<web_sys::HtmlInputElement>();
        let value = input.map_or(0.0, |input| input.value_as_number()).max(0.0);
        Action::Welcome(WelcomeAction::Guess(Time((value / STEPS_PER_SECOND * 1e6).round() as u64)))
    });
    let hue = selectors::user_hue(&state.document.scenario, state.document.scenario.jobs()[job.index()].user);
    let words = format!("your guess: {}", at(welcome.guess));
    html! {
        <div class={classes!("expected", format!("hue-{hue}"))} style={format!("--expected:{:.4}", state.axis().fraction(welcome.guess))}>
            <input id="guess" type="range" min="0" max={steps(state.axis().to).to_string()} step="1"
                value={steps(welcome.guess).to_string()} disabled={scene != WelcomeScene::Guess} {oninput}
                aria-label="When ben has his answer: your guess" aria-valuetext={at(welcome.guess)} />
            <span class="tag" aria-hidden="true">{ words }</span>
        </div>
    }
}

/// What to know at this point, and how to go on.
pub fn telling(state: &State, scene: WelcomeScene, send: &Callback<Action>) -> Html {
    let go = |words: &'static str, action: Action| {
        html! { <button type="button" key="go" id="go-on" class="go" onclick={send.press(action)}>{ words }</button> }
    };
    let welcome = |action: WelcomeAction| Action::Welcome(action);
    let (words, buttons) = match scene {
        WelcomeScene::Start => (
            html! {
                <>
                    <p>{ "Each coloured block is a " }<b>{ "job" }</b>{ ": work that would keep all eight " }<b>{ "cores" }</b>
                        { " busy for a second. Each row below is a core, which runs one piece of a job at a time." }</p>
                    <p class="dim">{ "Nothing has run yet." }</p>
                </>
            },
            go("Start", welcome(WelcomeAction::Begin)),
        ),
        WelcomeScene::Guess => (
            html! {
                <>
                    <p>{ "Half a second in, all eight cores are free again. Thirteen jobs want them." }</p>
                    <p><b>{ "Put ben’s flag" }</b>{ " where you think his answer is ready. " }
                        <span class="dim">{ "Drag it, or press ← and →." }</span></p>
                </>
            },
            go("See what happens", welcome(WelcomeAction::See)),
        ),
        WelcomeScene::Playing => (
            html! { <p>{ "Watch for ben’s colour." }</p> },
            go("Skip", Action::Playback(PlaybackAction::Seek(state.end()))),
        ),
        WelcomeScene::Answer => {
            (answer(state), go("What if people took turns?", welcome(WelcomeAction::TakeTurns)))
        }
        WelcomeScene::Turns => (
            html! {
                <>
                    <p><b>{ "UWFQ" }</b>{ " shares between ana and ben, not between their jobs. So ben’s question goes ahead, \
                                           and ana’s last job ends when it did before." }</p>
                    <p><b>{ "Now you: " }</b>{ "drag ben’s job to another time." }</p>
                </>
            },
            go("Open the whole lab", welcome(WelcomeAction::Leave)),
        ),
        WelcomeScene::Changed => (
            html! {
                <>
                    <p>{ "Each change is simulated at once, on this machine." }</p>
                    <p>{ "In the lab there are more policies, users and clusters, and the scenarios of the papers." }</p>
                </>
            },
            html! {
                <>
                    { go("Open the whole lab", welcome(WelcomeAction::Leave)) }
                    <button type="button" key="undo" id="undo" onclick={send.press(DocumentAction::Undo)}>{ "Undo" }</button>
                </>
            },
        ),
    };
    html! {
        <aside class="telling" aria-label="What happens">
            <div class="telling-words">{ words }</div>
            <div class="buttons">{ buttons }</div>
            if scene.is_answered() {
                <p><a href={EXPLAINER}>{ "Fair queuing in ten minutes" }</a></p>
            }
        </aside>
    }
}

/// The answer beside the guess, and its cause.
fn answer(state: &State) -> Html {
    let fair = state.welcome_waits().first().map(|(_, wait)| *wait);
    let end = fair.zip(arrival(state)).map(|(wait, arrival)| arrival + wait);
    let guess = state.ui.welcome.map(|welcome| welcome.guess);
    html! {
        <>
            <p class="answer bad">{ fair.map(seconds) }</p>
            if let Some((guess, end)) = guess.zip(end) {
                <p>{ format!("You expected the answer at {}; it came at {}.", at(guess), at(end)) }</p>
            }
            <p>{ "ben is last because Fair counts " }<b>{ "jobs" }</b>{ ": whenever a core is free, one of ana’s twelve has as \
                  little as he has, and came first." }</p>
        </>
    }
}
