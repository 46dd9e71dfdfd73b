//! The figures of all policies side by side, the best of each column marked.

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
    let outcomes: Vec<_> =
        props.state.outcomes().map(|(policy, outcome)| (policy, outcome.clone())).collect();
    let quick = use_paced(&props.state);
    let fairness = use_careful(&props.state);
    if props.state.runs.is_empty() {
        return html! { <p class="hint">{ "No policy is ticked. Tick one to see its figures." }</p> };
    }
    html! {
        <>
            <section>
                <h2>{ "Response time, s" }</h2>
                <TableView id="overview" label="Response times and makespan by policy" table={quick.overview.clone()} />
            </section>
            <section>
                <h2>{ "Mean response time by user, s" }</h2>
                <TableView id="by-user" label="Mean response time by policy and user" table={quick.users.clone()} />
                <p class="hint">{ "The best value of each column is bold. Slowdown is the response time divided by the response time alone on the idle cluster." }</p>
            </section>
            <CarefulView tables={fairness} />
            <section>
                <h2>{ "Jobs completed within a time" }</h2>
                { props.later.show(|parts| parts.ecdf, ecdf::Props { outcomes, still: props.state.drag.is_some(), colours: props.colours.clone() }) }
            </section>
        </>
    }
}

/// The tables that every simulation fills.
struct Quick {
    overview: Table,
    users: Table,
}

/// While something is dragged the tables follow once in so many milliseconds. Schedules come sixty times a second then,
/// which nobody can read, and whose layout would take as long as all lanes and charts together.
const TABLES_EVERY_MS: u32 = 500;

/// The tables that every simulation fills, as they are now or, while something is dragged, were a moment ago.
#[hook]
fn use_paced(state: &State) -> Rc<Quick> {
    let shown = use_mut_ref(|| None::<Rc<Quick>>);
    let pause = use_mut_ref(|| None::<Timeout>);
    let again = use_force_update();
    let mut shown = shown.borrow_mut();
    let dragging = state.drag.is_some();
    let paused = dragging && pause.borrow().is_some();
    let known = shown.as_ref().filter(|known| paused && known.overview.rows.iter().eq(state.runs.keys()));
    if let Some(known) = known {
        return Rc::clone(known);
    }
    // What comes within the pause is shown at its end.
    *pause.borrow_mut() = dragging.then(|| {
        let pause = Rc::downgrade(&pause);
        Timeout::new(TABLES_EVERY_MS, move || {
            if let Some(pause) = pause.upgrade() {
                pause.borrow_mut().take();
                again.force_update();
            }
        })
    });
    let tables = Quick { overview: selectors::overview(state), users: selectors::by_user(state) };
    Rc::clone(shown.insert(Rc::new(tables)))
}

/// The tables that careful simulations fill.
#[derive(Clone, Debug, PartialEq)]
struct Careful {
    groups: Table,
    ujf: Table,
    ideal: Table,
    users: Table,
    cores: Table,
}

/// The tables that careful simulations fill. While something is dragged, and until all that was
/// simulated in haste has been simulated with care, they stay as they are: they would come and go.
#[hook]
fn use_careful(state: &State) -> Shared<Careful> {
    let last = use_mut_ref(|| None::<Shared<Careful>>);
    let hasty = state.drag.is_some() || state.outcomes().any(|(_, outcome)| outcome.detail.is_none());
    let mut last = last.borrow_mut();
    match &*last {
        Some(tables) if hasty && tables.groups.rows.iter().eq(state.runs.keys()) => tables.clone(),
        _ => {
            let tables = Careful {
                groups: selectors::by_group(state),
                ujf: selectors::against_ujf(state),
                ideal: selectors::against_ideal(state),
                users: selectors::users_against_ujf(state),
                cores: selectors::cores(state),
            };
            let same = last.as_ref().filter(|known| ***known == tables).cloned();
            last.insert(same.unwrap_or_else(|| Shared::new(tables))).clone()
        }
    }
}

#[derive(Properties, PartialEq)]
struct CarefulProps {
    tables: Shared<Careful>,
}

#[component]
fn CarefulView(props: &CarefulProps) -> Html {
    let Careful { groups, ujf, ideal, users, cores } = &*props.tables;
    html! {
        <>
            <section>
                <h2>{ "By rank of response time, s" }</h2>
                <TableView id="by-group" label="Response times by policy and rank" table={groups.clone()} />
                <Meanings table={groups.clone()} />
            </section>
            <section>
                <h2>{ "Delays and gains against UJF" }</h2>
                <TableView id="against-ujf" label="Violations and slacks by policy, against UJF with the same partitioning" table={ujf.clone()} />
                <Meanings table={ujf.clone()} />
            </section>
            <section>
                <h2>{ "Delays and gains against the ideal" }</h2>
                <TableView id="against-ideal" label="Violations and slacks by policy, against the fluid ideal" table={ideal.clone()} />
                <Meanings table={ideal.clone()} />
            </section>
            <section>
                <h2>{ "Users' response times against UJF" }</h2>
                <TableView id="users-against-ujf" label="Mean response times against UJF by policy and user" table={users.clone()} />
                <p class="hint">{ "Negative means faster than under UJF with the same partitioning. UJF itself has no figures here." }</p>
            </section>
            <section>
                <h2>{ "Cores" }</h2>
                <TableView id="use-of-cores" label="Utilization, inversion and idle time by policy" table={cores.clone()} />
                <Meanings table={cores.clone()} />
            </section>
        </>
    }
}

#[derive(Properties, PartialEq)]
struct MeaningsProps {
    table: Table,
}

/// What a table's columns mean, for those who cannot point at a heading.
#[component]
fn Meanings(props: &MeaningsProps) -> Html {
    html! {
        <details class="meanings">
            <summary>{ "What the columns mean" }</summary>
            <dl>
                { for props.table.columns.iter().map(|column| html! {
                    <><dt>{ &column.name }</dt><dd>{ &column.meaning }{ "." }</dd></>
                }) }
            </dl>
        </details>
    }
}

#[derive(Properties, PartialEq)]
struct TableProps {
    id: AttrValue,
    label: AttrValue,
    table: Table,
}

#[component]
fn TableView(props: &TableProps) -> Html {
    let table = &props.table;
    html! {
        <div class="scroll" tabindex="0" role="region" aria-label={&props.label}>
            <table id={&props.id}>
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
                                    <td class="best"><b>{ column.shown.text(figure.value) }</b><span class="sr">{ " best" }</span></td>
                                },
                                Some(figure) => html! { <td>{ column.shown.text(figure.value) }</td> },
                            }) }
                        </tr>
                    }) }
                </tbody>
            </table>
        </div>
    }
}
