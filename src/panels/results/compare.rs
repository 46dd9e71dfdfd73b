//! The comparison: how long each user waits under each policy against the fluid ideal, for whom, and all tables.

pub mod tables;
mod wait_matrix;

use yew::prelude::*;

use crate::browser::dom::around;
use crate::panels::StateProps;
use crate::panels::results::compare::wait_matrix::Waited;
use crate::results::codec::Analysis;
use crate::results::shared::Shared;
use crate::store::{Action, FigureSubject, ViewAction, selectors};
use crate::ui::focus::focus;
use crate::ui::scroll::Scroll;
use crate::ui::send::{Handlers, use_send};
use fairlane::ids::{JobId, UserId};
use fairlane::number;
use fairlane::policy::{OBSERVED, PolicyId};
use fairlane_view::verdict::{RatioTone, Sorting, ratio, sorted, strength, tone};
use tables::{AllTables, use_throttled};

/// Schedules by policy, in the order of their panels.
pub type Runs = Vec<(PolicyId, Shared<Analysis>)>;

/// Most users that are listed, and most chosen jobs.
const MAX_USERS: usize = 40;
const MAX_JOBS: usize = 8;

#[component]
pub fn Compare(props: &StateProps) -> Html {
    html! { <Comparison key={props.state.lineage} state={props.state.without_playhead()}
    colours={props.colours.clone()} /> }
}

/// Compares whole schedules, so that the playhead changes nothing of it.
#[component]
fn Comparison(props: &StateProps) -> Html {
    let StateProps { state, colours } = props;
    let runs = use_throttled(state);
    let worst = use_memo(runs.clone(), |runs| {
        // What is simulated of a log that the simulation misses says nothing of anybody.
        let is_told =
            |policy| policy == OBSERVED || state.replay_error().is_none_or(|error| error.is_tolerable());
        let worst = |(policy, analysis): &(PolicyId, Shared<Analysis>)| {
            Some((*policy, state.worst_served_under(analysis).filter(|_| is_told(*policy))?))
        };
        runs.iter().filter_map(worst).collect::<Vec<_>>()
    });
    if state.runs.is_empty() {
        return html! { <p class="hint">{ "No policy is ticked. Tick one to see its figures." }</p> };
    }
    if runs.is_empty() {
        return html! { <p class="hint">{ selectors::no_schedule(state) }</p> };
    }
    // Of a log, first what happened.
    let named = state.worst_served().filter(|_| state.document.log.is_none()).map(|worst| worst.policy);
    let chosen: Vec<JobId> = state.view.chosen.iter().copied().take(MAX_JOBS).collect();
    html! {
        <>
            <Heat runs={runs.clone()} {chosen} />
            <Waited runs={runs.clone()} worst={(*worst).clone()} policy={named} open={state.document.log.is_some()} />
            <details id="all-tables" class="all-tables">
                <summary>{ "All tables" }</summary>
                <AllTables state={state.clone()} {runs} colours={colours.clone()} />
            </details>
        </>
    }
}

#[derive(Properties, PartialEq)]
struct HeatProps {
    runs: Shared<Runs>,
    chosen: Vec<JobId>,
}

/// A row of the heat map: who, and a figure for each policy.
struct HeatRow {
    who: FigureSubject,
    name: String,
    /// Number of the user's hue.
    hue: usize,
    cells: Vec<HeatCell>,
}

struct HeatCell {
    ratio: Option<f64>,
    remark: Option<String>,
}

/// Users (and the chosen jobs) by policies: the ratio to the ideal, coloured.
#[component]
fn Heat(props: &HeatProps) -> Html {
    let send = use_send::<Action>();
    let HeatProps { runs, chosen } = props;
    let sorting = use_state_eq(Sorting::default);
    // The cell that Tab leads to; the arrow keys go to the others.
    let reached = use_state_eq(|| (0_usize, 0_usize));
    let Some((_, first)) = runs.first() else { return Html::default() };
    let users = user_rows(runs, first);
    let order = sorted(users.len(), *sorting, |row, column| users[row].cells.get(column)?.ratio);
    let left_out = users.len().saturating_sub(MAX_USERS);
    let jobs = job_rows(runs, first, chosen);
    let shown: Vec<&HeatRow> = order.iter().take(MAX_USERS).map(|&row| &users[row]).chain(&jobs).collect();
    let (rows, columns) = (shown.len(), runs.len());
    let at = (reached.0.min(rows.saturating_sub(1)), reached.1.min(columns - 1));
    let onkeydown = {
        let reached = reached.setter();
        Callback::from(move |event: KeyboardEvent| {
            if around(&event, "[data-cell]").is_none() {
                return;
            }
            let (row, column) = at;
            let next = match event.key().as_str() {
                "ArrowRight" => (row, (column + 1).min(columns - 1)),
                "ArrowLeft" => (row, column.saturating_sub(1)),
                "ArrowDown" => ((row + 1).min(rows.saturating_sub(1)), column),
                "ArrowUp" => (row.saturating_sub(1), column),
                "Home" => (row, 0),
                "End" => (row, columns - 1),
                _ => return,
            };
            event.prevent_default();
            event.stop_propagation();
            reached.set(next);
            focus(&format!("#heat [data-cell='{},{}']", next.0, next.1));
        })
    };
    let body = |from: usize, rows: &[&HeatRow]| -> Html {
        rows.iter()
            .enumerate()
            .map(|(index, row)| {
                let cells = row.cells.iter().zip(runs.iter()).enumerate();
                let cells = cells.map(|(column, (cell, (policy, _)))| {
                    let position = (from + index, column);
                    let reached = reached.setter();
                    let onclick =
                        send.press_then(ViewAction::Inspect(*policy, row.who), move || reached.set(position));
                    heat_cell(row, cell, *policy, position, position == at, onclick)
                });
                html! {
                    <tr key={format!("{:?}", row.who)}>
                        <th scope="row" title={row.name.clone()}><i
                            class={classes!("dot", format!("hue-{}", row.hue))}></i>{
                            &row.name }</th>
                        { for cells }
                    </tr>
                }
            })
            .collect()
    };
    let users_shown = rows - jobs.len();
    html! {
        <section>
            <h2 id="heat-title">{ "Response against the ideal" }</h2>
            <Scroll labelledby="heat-title">
                <table id="heat" {onkeydown}>
                    <thead><tr>
                        <th scope="col">{ "user" }</th>
                        { for runs.iter().enumerate().map(|(column, (policy, _))| heading(column, *policy, &sorting)) }
                    </tr></thead>
                    <tbody>{ body(0, &shown[..users_shown]) }</tbody>
                    if !jobs.is_empty() {
                        <tbody>
                            <tr><th scope="rowgroup" class="group"
                                colspan={(columns + 1).to_string()}>{ if jobs.len() == 1 { "the chosen job" }
                                else { "the chosen jobs" } }</th></tr>
                            { body(users_shown, &shown[users_shown..]) }
                        </tbody>
                    }
                </table>
            </Scroll>
            if left_out > 0 {
                <p class="hint">{ format!("and {left_out} more users; sort by a policy to see whom it treats worst.") }</p>
            }
            <p class="hint">{ "Mean response time over that under the fluid ideal: 1.0× is as soon as the ideal. Press a cell for the job furthest behind it: why it waits, and who holds the cores meanwhile. Press a heading to sort." }</p>
        </section>
    }
}

/// The heading of a policy's column, by which the rows are sorted.
fn heading(column: usize, policy: PolicyId, sorting: &UseStateHandle<Sorting>) -> Html {
    let (now, sorting) = (**sorting, sorting.setter());
    let onclick = Callback::from(move |_: MouseEvent| sorting.set(now.pressed(column)));
    let mark = match now.aria(column) {
        "descending" => "▼",
        "ascending" => "▲",
        _ => "",
    };
    html! {
        <th scope="col" aria-sort={now.aria(column)}>
            <button type="button" class="link" {onclick}
                title={format!("Sort by {}", policy.title())}>{ policy.title() }<i
                aria-hidden="true">{ mark }</i></button>
        </th>
    }
}

/// A row for each user of the first schedule, with the ratios of the schedules that have this user too.
fn user_rows(runs: &Runs, first: &Analysis) -> Vec<HeatRow> {
    let verdicts: Vec<_> = runs.iter().map(|(_, analysis)| analysis.verdicts()).collect();
    let row = |(user, name): (u32, &String)| HeatRow {
        who: FigureSubject::User(UserId(user)),
        name: name.clone(),
        hue: selectors::user_hue(&first.scenario, UserId(user)),
        cells: runs
            .iter()
            .zip(&verdicts)
            .map(|((_, analysis), verdicts)| {
                let is_same = analysis.trace.users.get(user as usize) == Some(name);
                let verdict = verdicts.get(user as usize).filter(|_| is_same);
                HeatCell {
                    ratio: verdict.and_then(|verdict| verdict.ratio),
                    remark: verdict.and_then(|verdict| verdict.remark()),
                }
            })
            .collect(),
    };
    (0..).zip(&first.trace.users).map(row).collect()
}

/// A row for each chosen job of the first schedule, with the ratios of the schedules that have this job too.
fn job_rows(runs: &Runs, first: &Analysis, chosen: &[JobId]) -> Vec<HeatRow> {
    let known = chosen.iter().copied().filter(|job| first.has_job(*job));
    let row = |job: JobId| HeatRow {
        who: FigureSubject::Job(job),
        name: first.scenario.job_label(job),
        hue: selectors::user_hue(&first.scenario, first.trace.jobs[job.index()].user),
        cells: runs
            .iter()
            .map(|(_, analysis)| {
                let named =
                    |of: &Analysis| (of.scenario.job_label(job), of.scenario.user_name(job).to_owned());
                if !analysis.has_job(job) || named(analysis) != named(first) {
                    return HeatCell { ratio: None, remark: None };
                }
                let run = analysis.trace.jobs.get(job.index());
                let unfinished =
                    run.filter(|run| run.finish().is_none()).map(|run| run.outcome.name().to_owned());
                HeatCell { ratio: analysis.ratio_to_ideal(job), remark: unfinished }
            })
            .collect(),
    };
    known.map(row).collect()
}

fn heat_cell(
    row: &HeatRow,
    cell: &HeatCell,
    policy: PolicyId,
    (at_row, at_column): (usize, usize),
    reached: bool,
    onclick: Callback<MouseEvent>,
) -> Html {
    let facts = match (cell.ratio, &cell.remark) {
        (Some(figure), remark) => format!(
            "{} times as long as under the ideal{}. Who held the cores?",
            number::short(figure),
            remark.as_ref().map(|remark| format!(", {remark}")).unwrap_or_default()
        ),
        (None, remark) => remark.clone().unwrap_or_else(|| "nothing to compare".to_owned()),
    };
    let title = format!("{} under {}: {facts}", row.name, policy.title());
    let shown = cell.ratio.map_or_else(|| "–".to_owned(), ratio);
    let tone = cell.ratio.map(|figure| if figure > 1.0 { RatioTone::Bad } else { tone(figure) });
    let style = cell.ratio.map(|figure| format!("--strength:{:.0}%", strength(figure) * 45.0));
    html! {
        <td class={classes!("heat", tone.map(RatioTone::class))} {style}>
            <button type="button" data-cell={format!("{at_row},{at_column}")}
                tabindex={if reached { "0" } else { "-1" }} {onclick} title={title.clone()}
                aria-label={format!("{shown}: {title}")}>
                { &shown }
                if cell.ratio.is_some() && cell.remark.is_some() { <sup>{ "*" }</sup> }
            </button>
        </td>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::codec::analyze_here;
    use crate::testing::{policy, scenario};
    use fairlane::scenario::edit::Edit;
    use fairlane::scenario::palette::JobTemplate;
    use fairlane::units::{Time, Weight};

    /// One policy's schedule is that of an edited scenario, the other's that of the one before.
    #[test]
    fn cells_of_a_schedule_without_the_user_or_the_job_are_empty() {
        let before = scenario("two-users");
        let user = UserId(before.users().len() as u32);
        let added = Edit::AddUser { name: "zoe".to_owned(), weight: Weight::ONE };
        let job = Edit::AddJob { kind: JobTemplate::Tiny, user, arrival: Time(0) };
        let after = before.with(&Edit::several("", vec![added, job])).expect("it is possible");
        let fair = policy("fair");
        let runs: Runs =
            [after, before].map(|scenario| (fair, analyze_here(&Shared::new(scenario), fair))).into();
        let [new, old] = [&runs[0].1, &runs[1].1];
        let last = user_rows(&runs, new).pop().expect("a user");
        assert_eq!(
            (last.name.as_str(), last.cells[0].ratio.is_some(), last.cells[1].ratio),
            ("zoe", true, None)
        );
        let job = JobId(old.trace.jobs.len() as u32);
        let row = job_rows(&runs, new, &[job]).pop().expect("the job");
        assert_eq!((row.cells[0].ratio.is_some(), row.cells[1].ratio), (true, None));
    }
}
