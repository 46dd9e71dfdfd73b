//! The figures of all policies side by side, with the best of each column marked.

use std::rc::Rc;

use gloo::timers::callback::Timeout;
use yew::prelude::*;

use super::Runs;
use crate::plots::ecdf::Ecdf;
use crate::plots::theme::ThemeColours;
use crate::results::shared::Shared;
use crate::store::{State, selectors};
use crate::ui::table::{Table, explained_columns};
use fairlane::policy::PolicyId;
use fairlane_view::export::columns::{FigureColumn, FigureColumns};

#[derive(Properties)]
pub struct AllTablesProps {
    pub state: State,
    /// The schedules, which change only now and then while something is dragged.
    pub runs: Shared<Runs>,
    pub colours: Shared<ThemeColours>,
}

impl PartialEq for AllTablesProps {
    /// Compares what the figures depend on: they stay the same while the reader zooms, pans or plays.
    fn eq(&self, other: &AllTablesProps) -> bool {
        let parts = |props: &AllTablesProps| {
            (props.state.document.clone(), props.state.drag.is_some(), props.colours.clone())
        };
        parts(self) == parts(other) && self.runs == other.runs && self.state.runs == other.state.runs
    }
}

/// Tables of all figures, each with the best of each column marked.
#[component]
pub fn AllTables(props: &AllTablesProps) -> Html {
    let analyses =
        props.state.analyses().map(|(policy, analysis)| (policy, analysis.clone())).collect::<Runs>();
    let quick = use_memo(props.runs.clone(), |runs| Shared::new(quick(runs)));
    let full = use_full(&props.state, &analyses);
    html! {
        <>
            <Tables sections={(*quick).clone()} />
            <Tables sections={full} />
            <section>
                <h2>{ "Jobs completed within a time" }</h2>
                <Ecdf {analyses} still={props.state.drag.is_some()} colours={props.colours.clone()} />
            </section>
        </>
    }
}

/// Tables, each with a row per policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Sections {
    policies: Vec<PolicyId>,
    tables: Vec<CompareTable>,
}

/// A table under its heading.
#[derive(Clone, Debug, PartialEq)]
struct CompareTable {
    id: &'static str,
    title: &'static str,
    columns: Vec<FigureColumn>,
    below: TableFooter,
}

/// What is shown below a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TableFooter {
    Nothing,
    Hint(&'static str),
    /// What its columns mean, for those who cannot point at a heading.
    Meanings,
}

fn sections(runs: &Runs, tables: impl FnOnce(&FigureColumns) -> Vec<CompareTable>) -> Sections {
    let evaluations: Vec<_> = runs.iter().map(|(_, analysis)| &analysis.evaluation).collect();
    let columns = FigureColumns::new(&evaluations);
    let mut tables = tables(&columns);
    tables.iter_mut().for_each(|table| table.columns.extend(columns.unfinished()));
    Sections { policies: runs.iter().map(|(policy, _)| *policy).collect(), tables }
}

/// The tables that every simulation fills.
pub fn quick(runs: &Runs) -> Sections {
    let hint = "The best value of each column is bold. Slowdown is the response time divided by the response time alone on the idle cluster.";
    sections(runs, |columns| {
        let users = (0..columns.users.len()).map(|user| columns.user(user)).collect();
        let with_unit = |column: FigureColumn| match column.unit {
            "" => column,
            unit => FigureColumn { name: format!("{}, {unit}", column.name), ..column },
        };
        let cost = columns.executors().into_iter().chain(columns.attempts()).map(with_unit);
        vec![
            CompareTable {
                id: "overview",
                title: "Response time, s",
                columns: columns.overview().into_iter().chain(columns.percentiles()).chain(cost).collect(),
                below: TableFooter::Nothing,
            },
            CompareTable {
                id: "by-user",
                title: "Mean response time by user, s",
                columns: users,
                below: TableFooter::Hint(hint),
            },
        ]
    })
}

/// The tables that full analyses fill.
pub fn full(runs: &Runs) -> Sections {
    let hint =
        "Negative means faster than under UJF with the same partitioning. UJF itself has no figures here.";
    sections(runs, |columns| {
        let groups =
            columns.groups().map(|column| FigureColumn { name: column.name.replace('-', "–"), ..column });
        let groups = groups.chain([columns.column("worst_10_percent_slowdown")]).collect();
        let mut ideal = columns.against_ideal();
        let delay = ideal.pop().map(|column| column.named("worst delay, s"));
        ideal.extend(delay);
        let users = (0..columns.users.len()).map(|user| columns.user_against_ujf(user)).collect();
        let all = 0..columns.users.len();
        let shares = all.filter_map(|user| columns.dominant_share(user)).collect();
        let table = |id, title, columns| CompareTable { id, title, columns, below: TableFooter::Meanings };
        let mut tables = vec![
            table("deadlines", "Deadlines", columns.deadlines()),
            table("progress", "Progress", columns.progress()),
            table("by-queue", "Mean response time by kind of queue, s", columns.queues()),
            table("dominant-shares", "Dominant shares in the long run", shares),
            table("memory-use", "Memory in use", columns.memory()),
        ];
        // Only what the scenario has.
        tables.retain(|table| !table.columns.is_empty());
        tables.extend([
            table("by-group", "By rank of response time, s", groups),
            table("against-ujf", "Delays and gains against UJF", columns.against_ujf()),
            table("against-ideal", "Delays and gains against the ideal", ideal),
            CompareTable {
                below: TableFooter::Hint(hint),
                ..table("users-against-ujf", "Users' response times against UJF", users)
            },
            table("use-of-cores", "Cores", columns.cores().into()),
        ]);
        tables
    })
}

/// While something is dragged the figures are updated once in this many milliseconds. Schedules arrive sixty times a
/// second then, which nobody can read, and whose layout would take as long as all lanes and charts together.
const FIGURES_EVERY_MS: u32 = 500;

/// The schedules as they are now or, while something is dragged, as they were a moment ago.
#[hook]
pub fn use_throttled(state: &State) -> Shared<Runs> {
    let shown = use_mut_ref(|| None::<Shared<Runs>>);
    let pause = use_mut_ref(|| None::<Timeout>);
    let again = use_force_update();
    let mut shown = shown.borrow_mut();
    let dragging = state.drag.is_some();
    let paused = dragging && pause.borrow().is_some();
    let policies = |runs: &Runs| runs.iter().map(|(policy, _)| *policy).eq(state.panels());
    if let Some(known) = shown.as_ref().filter(|known| paused && policies(known)) {
        return known.clone();
    }
    let now: Runs = selectors::schedules(state);
    if let Some(known) = shown.as_ref().filter(|known| ***known == now) {
        return known.clone();
    }
    // What arrives within the pause is shown at its end.
    *pause.borrow_mut() = dragging.then(|| {
        let pause = Rc::downgrade(&pause);
        Timeout::new(FIGURES_EVERY_MS, move || {
            if let Some(pause) = pause.upgrade() {
                pause.borrow_mut().take();
                again.force_update();
            }
        })
    });
    shown.insert(Shared::new(now)).clone()
}

/// The tables that full analyses fill. While something is dragged, and until every quick analysis has been repeated in
/// full, they stay as they are: they would flicker.
#[hook]
fn use_full(state: &State, runs: &Runs) -> Shared<Sections> {
    let last = use_mut_ref(|| None::<Shared<Sections>>);
    let partial = state.drag.is_some() || runs.iter().any(|(_, analysis)| analysis.extras.is_none());
    let mut last = last.borrow_mut();
    match &*last {
        Some(sections) if partial && sections.policies.iter().eq(state.runs.keys()) => sections.clone(),
        _ => {
            let sections = full(runs);
            let same = last.as_ref().filter(|known| ***known == sections).cloned();
            last.insert(same.unwrap_or_else(|| Shared::new(sections))).clone()
        }
    }
}

#[derive(Properties, PartialEq)]
struct TablesProps {
    sections: Shared<Sections>,
}

#[component]
fn Tables(props: &TablesProps) -> Html {
    let Sections { policies, tables } = &*props.sections;
    html! {
        { for tables.iter().map(|table| html! {
            <section>
                <h2>{ table.title }</h2>
                { rows(table, policies) }
                { match table.below {
                    TableFooter::Meanings => meanings(&table.columns),
                    TableFooter::Nothing => Html::default(),
                    TableFooter::Hint(hint) => html! { <p class="hint">{ hint }</p> },
                } }
            </section>
        }) }
    }
}

/// What a table's columns mean.
fn meanings(columns: &[FigureColumn]) -> Html {
    html! {
        <details class="meanings">
            <summary>{ "What the columns mean" }</summary>
            <dl>
                { for columns.iter().map(|column| html! {
                    <><dt>{ &column.name }</dt><dd>{ &column.meaning }{ "." }</dd></>
                }) }
            </dl>
        </details>
    }
}

fn rows(table: &CompareTable, policies: &[PolicyId]) -> Html {
    let cell = |column: &FigureColumn, row: usize| match column.figures[row] {
        None => html! { <td>{ "–" }</td> },
        Some(figure) if column.is_best(row) => html! {
            <td class="best"><b>{ column.format.text(figure) }</b><span class="sr">{ " best" }</span></td>
        },
        Some(figure) => html! { <td>{ column.format.text(figure) }</td> },
    };
    let first = [("policy".to_owned(), String::new())].into_iter();
    let columns = table.columns.iter().map(|column| (column.name.clone(), column.meaning.clone()));
    let columns = explained_columns(first.chain(columns));
    html! {
        <Table id={table.id} label={table.title} {columns}>
            { for policies.iter().enumerate().map(|(row, policy)| html! {
                <tr key={policy.to_string()}>
                    <th scope="row">{ policy.title() }</th>
                    { for table.columns.iter().map(|column| cell(column, row)) }
                </tr>
            }) }
        </Table>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::codec::analyze_here;
    use crate::testing::{policy, scenario};

    /// Two executors, one of which is lost under work; without a loss no time is wasted and nothing is said of it.
    #[test]
    fn what_was_wasted_stands_beside_the_response_times() {
        let columns = |name: &str| {
            let runs: Runs = ["fair", "uwfq"]
                .map(policy)
                .map(|policy| (policy, analyze_here(&Shared::new(scenario(name)), policy)))
                .into_iter()
                .collect();
            let overview = quick(&runs).tables.swap_remove(0);
            overview.columns.into_iter().map(|column| column.name).collect::<Vec<_>>()
        };
        let lost = columns("machine-dies");
        assert!(lost.iter().any(|name| name == "wasted, core-s"), "{lost:?}");
        assert!(lost.iter().any(|name| name == "attempts"), "{lost:?}");
        let whole = columns("two-users");
        assert!(whole.iter().all(|name| !name.starts_with("wasted")), "{whole:?}");
    }
}
