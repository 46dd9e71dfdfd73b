//! The dialog that shows how the page looks as a demo in another page, and has the text to paste there.

use web_sys::{HtmlInputElement, HtmlTextAreaElement};
use yew::prelude::*;

use super::export;
use super::link::document_fragment;
use crate::browser::address;
use crate::panels::editors::field::{input_text, policy_select, select};
use crate::plots::theme::{self, ThemeColours};
use crate::store::{Action, Card, ChartKind, LessonPlace, Notice, State};
use crate::ui::dialog::Dialog;
use crate::ui::send::use_send;
use fairlane::number;
use fairlane::scenario::field;
use fairlane_view::link::LinkBounds;
use fairlane_view::link::embed::snippet::{self, SnippetContext, StillPicture};
use fairlane_view::link::embed::{DemoPart, DemoSubject, DemoTheme, Embed};

#[derive(Properties, PartialEq)]
pub struct EmbedButtonProps {
    pub state: State,
}

/// A form of the text to paste.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EmbedForm {
    Element,
    Frame,
    Picture,
}

impl EmbedForm {
    /// Each with its word, its name, and when it is the right one.
    const ALL: [(EmbedForm, &str, &str, &str); 3] = [
        (
            EmbedForm::Element,
            "element",
            "Element",
            "A script and an element. It loads when it nears the viewport; a page can steer it.",
        ),
        (EmbedForm::Frame, "frame", "Frame", "A plain frame, for pages that allow no scripts of others."),
        (
            EmbedForm::Picture,
            "picture",
            "Picture",
            "A still picture of the schedules that leads to the lab, for pages that allow no frames.",
        ),
    ];
}

/// What the reader has chosen.
#[derive(Clone, PartialEq)]
struct Choices {
    demo: Embed,
    height: u32,
    form: EmbedForm,
}

/// Least and most height of a demo in pixels, and the usual one.
const HEIGHTS: (u32, u32) = (160, 2000);
const HEIGHT: u32 = 420;

/// A button, and the dialog that it opens.
#[component]
pub fn EmbedButton(props: &EmbedButtonProps) -> Html {
    let send = use_send();
    let choices = use_state(|| None::<Choices>);
    let open = {
        let (state, send, choices) = (props.state.clone(), send.clone(), choices.setter());
        Callback::from(move |_: MouseEvent| match subject(&state) {
            Ok(demo) => choices.set(Some(Choices { demo, height: HEIGHT, form: EmbedForm::Element })),
            Err(notice) => send.emit(Action::warn(notice)),
        })
    };
    let onclose = {
        let choices = choices.setter();
        Callback::from(move |()| choices.set(None))
    };
    let change = {
        let choices = choices.setter();
        Callback::from(move |changed| choices.set(Some(changed)))
    };
    html! {
        <>
            <button id="embed" onclick={open} aria-haspopup="dialog"
                title="Show this in a page of your own">{ "Embed" }</button>
            if let Some(choices) = &*choices {
                <Dialog name="embed" class="embed" title="Embed" opener="#embed" {onclose}>
                    <Contents state={props.state.clone()} choices={choices.clone()} {change} />
                </Dialog>
            }
        </>
    }
}

/// The demo that the page is at first: the lesson under way, or else the session.
fn subject(state: &State) -> Result<Embed, Notice> {
    let lesson = state.lessons.tour.as_ref().filter(|tour| !matches!(tour.card, Card::Over(_)));
    if let Some(tour) = lesson {
        let fragment = match &tour.at {
            LessonPlace::Own(id) => id.fragment(),
            LessonPlace::Opened(lesson, step) => document_fragment(lesson, *step)?,
        };
        return Ok(Embed {
            subject: DemoSubject::Fragment(fragment),
            parts: [DemoPart::Lesson, DemoPart::Panels, DemoPart::Transport].into(),
            ..Embed::default()
        });
    }
    Embed::of_session(&state.session()).map_err(|error| Notice {
        title: format!("A demo of this page {error}"),
        detail: error.remedy().to_owned(),
    })
}

#[derive(Properties, PartialEq)]
struct ContentsProps {
    state: State,
    choices: Choices,
    change: Callback<Choices>,
}

#[component]
fn Contents(props: &ContentsProps) -> Html {
    let ContentsProps { state, choices, .. } = props;
    let copied = use_state_eq(|| None::<String>);
    let text = use_node_ref();
    let around = surroundings(state, choices.height);
    let still = use_memo((choices.form, choices.demo.theme), |(form, theme)| {
        (*form == EmbedForm::Picture).then(|| still(state, *theme))
    });
    let snippet = match (choices.form, &*still) {
        (EmbedForm::Element, _) => snippet::element(&choices.demo, &around),
        (EmbedForm::Frame, _) => snippet::frame(&choices.demo, &around),
        (EmbedForm::Picture, Some(still)) => snippet::picture(still, &around),
        (EmbedForm::Picture, None) => String::new(),
    };
    {
        let copied = copied.setter();
        use_effect_with(snippet.clone(), move |_| copied.set(None));
    }
    let copy = {
        let (snippet, text, copied) = (snippet.clone(), text.clone(), copied.setter());
        Callback::from(move |_: MouseEvent| {
            let (snippet, text, copied) = (snippet.clone(), text.clone(), copied.clone());
            wasm_bindgen_futures::spawn_local(async move {
                let said = match address::copy(&snippet).await {
                    true => "Copied",
                    false => "The browser denied access to the clipboard: copy the marked text",
                };
                if let Some(text) = text.cast::<HtmlTextAreaElement>() {
                    text.select();
                }
                copied.set(Some(said.to_owned()));
            });
        })
    };
    let (word, about) = EmbedForm::ALL
        .iter()
        .find(|(form, ..)| *form == choices.form)
        .map_or(("", ""), |known| (known.1, known.3));
    let form = |&(form, word, name, _): &(EmbedForm, &'static str, &'static str, &'static str)| {
        let pick = changing(props, move |choices, _: MouseEvent| choices.form = form);
        html! { <button type="button" id={format!("embed-as-{word}")}
        aria-pressed={(choices.form == form).to_string()} onclick={pick}>{ name }</button> }
    };
    // Another address is another frame: a change of the fragment alone would not load it again.
    let demo_address = format!("./{}", choices.demo.to_query());
    html! {
        <>
            { options(props) }
            <div class="embed-result">
                <div class="embed-preview" style={format!("height:{}px", choices.height)}>
                    if let Some(still) = &*still {
                        <img id="embed-still"
                            src={format!("data:image/svg+xml,{}",
                            String::from(js_sys::encode_uri_component(&still.svg)))} alt={still.description.clone()} />
                    } else {
                        <iframe key={demo_address.clone()} id="embed-frame" src={demo_address}
                            title="The demo as it will be" style={format!("height:{}px", choices.height)}
                            sandbox="allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox"></iframe>
                    }
                </div>
                <div class="embed-snippet">
                    <span class="segments" role="group"
                        aria-label="Form of the text to paste">{ for EmbedForm::ALL.iter().map(form) }</span>
                    <p class="hint">{ about }</p>
                    <textarea ref={text} id="embed-text" readonly=true rows="6" spellcheck="false"
                        aria-label="Text to paste" data-form={word} value={snippet} />
                    <p class="buttons">
                        <button type="button" id="embed-copy" class="go" onclick={copy}>{ "Copy" }</button>
                        if let Some(still) = &*still {
                            { save_button(still) }
                        }
                        <span role="status" id="embed-copied">{ (*copied).clone().unwrap_or_default() }</span>
                    </p>
                    if still.as_ref().as_ref().is_some_and(snippet::needs_file) {
                        <p class="hint">{
                            "The picture is too large to be part of the text: save it beside your page." }</p>
                    }
                </div>
            </div>
        </>
    }
}

/// The snippets' surroundings.
fn surroundings(state: &State, height: u32) -> SnippetContext {
    let lesson = state.lessons.tour.as_ref().filter(|tour| !matches!(tour.card, Card::Over(_)));
    let (session, title) = match lesson {
        Some(tour) => {
            let session = match &tour.at {
                LessonPlace::Own(id) => id.fragment(),
                LessonPlace::Opened(lesson, step) => document_fragment(lesson, *step).unwrap_or_default(),
            };
            (session, tour.at.lesson_title())
        }
        // A scenario too long for a link: the lab without it.
        None => (state.session().to_text(&LinkBounds::LINK).unwrap_or_default(), state.document.title()),
    };
    let title = title.to_owned();
    SnippetContext { lab: address::folder(), title, session, height }
}

/// The charts as they are now.
fn still(state: &State, theme: DemoTheme) -> StillPicture {
    let colours = ThemeColours::for_mode(theme::of_demo(theme));
    let policies: Vec<String> = state.current_analyses().map(|(policy, _)| policy.title()).collect();
    StillPicture {
        svg: export::picture(state, &colours),
        file: export::file(state, "-charts.svg"),
        description: format!("{}: schedules under {}", state.document.title(), number::list(&policies)),
    }
}

fn save_button(still: &StillPicture) -> Html {
    let still = still.clone();
    let save = Callback::from(move |_: MouseEvent| {
        // A browser that refuses downloads says so itself; the text can still be copied.
        let _ = export::save(&still.file, "image/svg+xml", &still.svg);
    });
    html! { <button type="button" id="embed-save" onclick={save}>{ "Save the picture" }</button> }
}

/// A handler that changes the choices.
fn changing<E: 'static>(props: &ContentsProps, change: impl Fn(&mut Choices, E) + 'static) -> Callback<E> {
    let choices = props.choices.clone();
    props.change.reform(move |event: E| {
        let mut changed = choices.clone();
        change(&mut changed, event);
        changed
    })
}

/// A part's name.
fn name(part: DemoPart) -> &'static str {
    match part {
        DemoPart::Lanes => "lanes with the jobs",
        DemoPart::Ideal => "the ideal",
        DemoPart::Panels => "a panel per policy",
        DemoPart::Compare => "comparison of users",
        DemoPart::Chart => "a chart",
        DemoPart::Lesson => "the lesson’s card",
        DemoPart::Transport => "time controls",
    }
}

/// What the demo shows, and how.
fn options(props: &ContentsProps) -> Html {
    let ContentsProps { state, choices, .. } = props;
    let demo = &choices.demo;
    let has_lesson = matches!(&demo.subject, DemoSubject::Fragment(text) if text.starts_with("lesson")
        || text.starts_with("document"));
    let chart_kind = state.chart.kind.id();
    let part = |&(part, word): &(DemoPart, &'static str)| {
        let toggle = changing(props, move |choices, _: Event| {
            if !choices.demo.parts.remove(&part) {
                choices.demo.parts.insert(part);
            }
            if part == DemoPart::Chart {
                let shown = choices.demo.parts.contains(&DemoPart::Chart);
                choices.demo.chart = shown.then(|| chart_kind.to_owned());
            }
        });
        html! {
            <label class="switch" key={word}><input type="checkbox" id={format!("embed-part-{word}")}
                checked={demo.shows(part)} onchange={toggle} />{ name(part) }</label>
        }
    };
    let parts = DemoPart::WORDS.iter().filter(|(part, _)| has_lesson || *part != DemoPart::Lesson);
    let pick_chart = changing(props, |choices, chart: String| choices.demo.chart = Some(chart));
    let pick_theme = changing(props, |choices, word: String| {
        let known = DemoTheme::WORDS.iter().find(|(_, known)| *known == word);
        choices.demo.theme = known.map_or(DemoTheme::System, |(theme, _)| *theme);
    });
    let edit = changing(props, |choices, event: Event| choices.demo.editable = is_checked(&event));
    let first = state.panels().first().copied();
    let predict = changing(props, move |choices, event: Event| {
        choices.demo.predict = first.filter(|_| is_checked(&event));
    });
    let pick_policy = changing(props, |choices, policy| choices.demo.predict = Some(policy));
    let start = changing(props, |choices, event: Event| {
        if let Some(Ok(at)) = input_text(&event).map(|text| field::instant(&text)) {
            choices.demo = choices.demo.clone().from_instant(at);
        }
    });
    let height = changing(props, |choices, event: Event| {
        if let Some(Ok(height)) = input_text(&event).map(|text| text.parse::<u32>()) {
            choices.height = height.clamp(HEIGHTS.0, HEIGHTS.1);
        }
    });
    let at = demo.at.unwrap_or(state.view.playhead);
    html! {
        <form class="embed-options" method="dialog"
            onsubmit={Callback::from(|event: SubmitEvent| event.prevent_default())}>
            <fieldset>
                <legend>{ "Show" }</legend>
                { for parts.map(part) }
            </fieldset>
            if let Some(chart) = demo.chart.as_deref().filter(|_| demo.shows(DemoPart::Chart)) {
                <label for="embed-chart">{ "Chart" }</label>
                { select("embed-chart", chart, ChartKind::all().map(|kind| (kind.id(), kind.name())), None, pick_chart) }
            }
            <label for="embed-theme">{ "Theme" }</label>
            { select("embed-theme", demo.theme.word(), DemoTheme::WORDS.map(|(theme, word)| (word, theme.name())),
                None, pick_theme) }
            <label for="embed-at">{ "Starts at, s" }</label>
            <input type="text" inputmode="decimal" autocomplete="off" id="embed-at" value={field::seconds(at.0)}
                onchange={start} />
            <label for="embed-height">{ "Height, px" }</label>
            <input type="number" id="embed-height" min={HEIGHTS.0.to_string()} max={HEIGHTS.1.to_string()} step="10"
                value={choices.height.to_string()} onchange={height} />
            <label class="switch wide"><input type="checkbox" id="embed-edit" checked={demo.editable}
                onchange={edit} />{ "readers can move jobs" }</label>
            <label class="switch wide"><input type="checkbox" id="embed-predict" checked={demo.predict.is_some()}
                disabled={first.is_none()} onchange={predict} />{ "readers predict which job goes next" }</label>
            if demo.predict.is_some() {
                <label for="embed-policy">{ "under" }</label>
                { policy_select("embed-policy", state, demo.predict, pick_policy) }
            }
        </form>
    }
}

fn is_checked(event: &Event) -> bool {
    event.target_dyn_into::<HtmlInputElement>().is_some_and(|input| input.checked())
}
