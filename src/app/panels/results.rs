//! The figures of all policies side by side, with the best of each column marked.

use std::rc::Rc;

use gloo::timers::callback::Timeout;
use yew::prelude::*;

use crate::app::later::Later;
use crate::app::plots::ecdf;
use crate::app::selectors::{self, Rating, Table};
use crate::app::shared::Shared;
use crate::app::store::State;
use crate::app::theme::Colours;

#[derive(Properties)]
pub struct Props {
    pub state: State,
    pub colours: Shared<Colours>,
    pub later: Later,
}

impl PartialEq for Props {
    /// Compares what figures follow from: they stay as they are while somebody zooms, pans or plays.
    fn eq(&self, other: &Props) -> bool {
        let parts =
            |props: &Props| (props.state.document.clone(), props.state.drag.is_some(), props.colours.clone());
        parts(self) == parts(other) && self.state.runs == other.state.runs && self.later == other.later
    }
}

#[component]
pub fn Results(props: &Props) -> Html {
    let analyses: Vec<_> =
        props.state.analyses().map(|(policy, analysis)| (policy, analysis.clone())).collect();
    let quick = use_throttled(&props.state);
    let careful = use_careful(&props.state);
    if props.state.runs.is_empty() {
        return html! { <p class="hint">{ "No policy is ticked. Tick one to see its figures." }</p> };
    }
    html! {
        <>
            <Tables sections={quick} />
            <Tables sections={careful} />
            <section>
                <h2>{ "Jobs completed within a time" }</h2>
                { props.later.show(|parts| parts.ecdf, ecdf::Props { analyses, still: props.state.drag.is_some(), colours: props.colours.clone() }) }
            </section>
        </>
    }
}

/// A table under its heading.
#[derive(Clone, Debug, PartialEq)]
struct Section {
    id: &'static str,
    title: &'static str,
    table: Table,
    below: Below,
}

/// What is shown below a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Below {
    Nothing,
    Hint(&'static str),
    /// What its columns mean, for those who cannot point at a heading.
    Meanings,
}

fn section(id: &'static str, title: &'static str, table: Table, below: Below) -> Section {
    Section { id, title, table, below }
}

/// The tables that every simulation fills.
fn quick(state: &State) -> Vec<Section> {
    let hint = "The best value of each column is bold. Slowdown is the response time divided by the response time alone on the idle cluster.";
    let users = selectors::by_user(state);
    vec![
        section("overview", "Response time, s", selectors::overview(state), Below::Nothing),
        section("by-user", "Mean response time by user, s", users, Below::Hint(hint)),
    ]
}

/// The tables that careful simulations fill.
fn careful(state: &State) -> Vec<Section> {
    let hint =
        "Negative means faster than under UJF with the same partitioning. UJF itself has no figures here.";
    let (ujf, ideal) = (selectors::against_ujf(state), selectors::against_ideal(state));
    let users = selectors::users_against_ujf(state);
    vec![
        section("by-group", "By rank of response time, s", selectors::by_group(state), Below::Meanings),
        section("against-ujf", "Delays and gains against UJF", ujf, Below::Meanings),
        section("against-ideal", "Delays and gains against the ideal", ideal, Below::Meanings),
        section("users-against-ujf", "Users' response times against UJF", users, Below::Hint(hint)),
        section("use-of-cores", "Cores", selectors::cores(state), Below::Meanings),
    ]
}

/// Whether tables have a row for each policy that is shown.
fn has_rows_of(sections: &[Section], state: &State) -> bool {
    sections[0].table.rows.iter().eq(state.runs.keys())
}

/// While something is dragged the tables are updated once in this many milliseconds. Schedules arrive sixty times a
/// second then, which nobody can read, and whose layout would take as long as all lanes and charts together.
const TABLES_EVERY_MS: u32 = 500;

/// The tables that every simulation fills, as they are now or, while something is dragged, as they were a moment ago.
#[hook]
fn use_throttled(state: &State) -> Shared<Vec<Section>> {
    let shown = use_mut_ref(|| None::<Shared<Vec<Section>>>);
    let pause = use_mut_ref(|| None::<Timeout>);
    let again = use_force_update();
    let mut shown = shown.borrow_mut();
    let dragging = state.drag.is_some();
    let paused = dragging && pause.borrow().is_some();
    if let Some(known) = shown.as_ref().filter(|known| paused && has_rows_of(known, state)) {
        return known.clone();
    }
    // What arrives within the pause is shown at its end.
    *pause.borrow_mut() = dragging.then(|| {
        let pause = Rc::downgrade(&pause);
        Timeout::new(TABLES_EVERY_MS, move || {
            if let Some(pause) = pause.upgrade() {
                pause.borrow_mut().take();
                again.force_update();
            }
        })
    });
    shown.insert(Shared::new(quick(state))).clone()
}

/// The tables that careful simulations fill. While something is dragged, and until every quick simulation has been
/// repeated with care, they stay as they are: they would flicker.
#[hook]
fn use_careful(state: &State) -> Shared<Vec<Section>> {
    let last = use_mut_ref(|| None::<Shared<Vec<Section>>>);
    let hasty = state.drag.is_some() || state.analyses().any(|(_, analysis)| analysis.extras.is_none());
    let mut last = last.borrow_mut();
    match &*last {
        Some(sections) if hasty && has_rows_of(sections, state) => sections.clone(),
        _ => {
            let sections = careful(state);
            let same = last.as_ref().filter(|known| ***known == sections).cloned();
            last.insert(same.unwrap_or_else(|| Shared::new(sections))).clone()
        }
    }
}

#[derive(Properties, PartialEq)]
struct TablesProps {
    sections: Shared<Vec<Section>>,
}

#[component]
fn Tables(props: &TablesProps) -> Html {
    html! {
        { for props.sections.iter().map(|section| html! {
            <section>
                <h2 id={heading_id(section)}>{ section.title }</h2>
                { table(section) }
                { match section.below {
                    Below::Nothing => Html::default(),
                    Below::Hint(hint) => html! { <p class="hint">{ hint }</p> },
                    Below::Meanings => meanings(&section.table),
                } }
            </section>
        }) }
    }
}

fn heading_id(section: &Section) -> String {
    format!("{}-title", section.id)
}

/// What a table's columns mean.
fn meanings(table: &Table) -> Html {
    html! {
        <details class="meanings">
            <summary>{ "What the columns mean" }</summary>
            <dl>
                { for table.columns.iter().map(|column| html! {
                    <><dt>{ &column.name }</dt><dd>{ &column.meaning }{ "." }</dd></>
                }) }
            </dl>
        </details>
    }
}

fn table(section: &Section) -> Html {
    let table = &section.table;
    html! {
        <div class="scroll" tabindex="0" role="region" aria-labelledby={heading_id(section)}>
            <table id={section.id}>
                <thead>
                    <tr>
                        <th scope="col">{ "policy" }</th>
                        { for table.columns.iter().map(|column| html! { <th scope="col" title={column.meaning.clone()}>{ &column.name }</th> }) }
                    </tr>
                </thead>
                <tbody>
                    { for table.rows.iter().enumerate().map(|(row, policy)| html! {
                        <tr key={policy.to_string()}>
                            <th scope="row">{ policy.title() }</th>
                            { for table.columns.iter().map(|column| match column.figures[row] {
                                None => html! { <td>{ "–" }</td> },
                                Some(figure) if figure.rating == Rating::Best => html! {
                                    <td class="best"><b>{ column.format.text(figure.value) }</b><span class="sr">{ " best" }</span></td>
                                },
                                Some(figure) => html! { <td>{ column.format.text(figure.value) }</td> },
                            }) }
                        </tr>
                    }) }
                </tbody>
            </table>
        </div>
    }
}
