//! The charts: one at a time, at the side or large over the page, with its numbers.

mod tuner;

use wasm_bindgen::JsValue;
use yew::prelude::*;

use super::properties::PropertiesTable;
use crate::panels::editors::field::{input_text, policy_select, select};
use crate::panels::measurements::use_sweep;
use crate::panels::share::export::{save, save_png, saving};
use crate::plots::chart::ChartView;
use crate::plots::frame::svg;
use crate::plots::theme::ThemeColours;
use crate::results::codec::Analysis;
use crate::results::measurement::{CostAxis, MeasuredMeans, SweepSetting};
use crate::results::shared::Shared;
use crate::store::{
    Action, ChartChoice, ChartKind, ChartNumbers, Document, ReferencePolicy, Size, State, ViewAction,
    chart_data,
};
use crate::ui::dialog::Dialog;
use crate::ui::scroll::Scroll;
use crate::ui::send::{Handlers, use_send};
use crate::ui::table::{Table, columns, plain_row};
use crate::workers::pool::Pool;
use fairlane::ids::UserId;
use fairlane::policy::PolicyId;
use fairlane::scenario::PartitionMode;
use fairlane_view::TimeAxis;
use fairlane_view::chart::{Chart, ChartTable, CoreHolder, Grouping};

#[derive(Clone, Properties, PartialEq)]
pub struct ChartsProps {
    pub state: State,
    pub colours: Shared<ThemeColours>,
    pub pool: Pool,
}

/// Logical pixels of a chart at the side, and of a saved one.
const SIDE_HEIGHT: f64 = 260.0;
const SAVED: (f64, f64) = (800.0, 460.0);
/// What a dialog needs besides the chart, and how high that is at the least.
const AROUND: f64 = 250.0;
const MIN_HEIGHT: f64 = 240.0;
/// Most rows of a table on the page.
const MAX_ROWS: usize = 500;

/// Everything that a chart's data depend on.
#[derive(Clone, PartialEq)]
struct Inputs {
    choice: ChartChoice,
    document: Shared<Document>,
    analyses: Vec<(PolicyId, Shared<Analysis>)>,
    window: Option<TimeAxis>,
    means: MeasuredMeans,
}

#[component]
pub fn Charts(props: &ChartsProps) -> Html {
    let send = use_send();
    let ChartsProps { state, colours, .. } = props;
    let choice = state.chart;
    let chosen = (choice.kind, choice.seed, choice.policy, choice.tuned, choice.cost);
    let settings = use_memo((state.document.clone(), state.view.policies.clone(), chosen), |_| {
        chart_data::settings(state)
    });
    use_sweep(state, &settings, &props.pool);
    let chart = use_chart(state, &settings);
    let wanted = chart_data::wanted(state, &settings).len();
    let all = settings.len() * chart_data::swept(state).len();
    let busy = !chart_data::is_still(state) || wanted > 0;
    let room = match choice.size {
        Size::Side => SIDE_HEIGHT,
        Size::Large => {
            let inner = gloo::utils::window().inner_height().ok().and_then(|height| height.as_f64());
            (inner.unwrap_or(800.0) - AROUND).max(MIN_HEIGHT)
        }
    };
    let playhead = choice.kind.is_over_time().then(|| state.view.playhead.seconds());
    let body = html! {
        <div class="charts">
            { chooser(state, &send) }
            if choice.kind == ChartKind::Properties {
                <PropertiesTable state={state.clone()} pool={props.pool.clone()} />
            } else if chart.is_empty() {
                { nothing(state) }
            } else {
                <ChartView key={choice.kind.id()} id={format!("chart-{}", choice.kind.id())} chart={chart.clone()}
                    colours={colours.clone()} height={room} {playhead} {busy} />
            }
            { tick_runtime(state, &send) }
            { tuner::buttons(state, &settings, &send) }
            if wanted > 0 {
                <p class="hint sweeping"><progress id="sweep-progress" max={all.to_string()}
                    value={(all - wanted).to_string()}
                    aria-label="Sweep"></progress>{ format!(" {} of {all} simulated", all - wanted) }</p>
            }
            { for chart.notes.iter().map(|note| html! { <p class="hint">{ note }</p> }) }
            <p class="hint">{ choice.kind.about() }</p>
            if choice.kind == ChartKind::Properties {
                <div class="buttons">{ size_button(choice, &send) }</div>
            } else {
                { buttons(choice, &chart, colours, &send) }
            }
            if choice.kind != ChartKind::Properties && choice.table == ChartNumbers::Shown {
                { table(&chart) }
            }
        </div>
    };
    match choice.size {
        Size::Side => body,
        Size::Large => html! {
            <Dialog name="chart" class="chart-dialog" title={choice.kind.name()} headed=false
                first="#chart-dialog canvas" opener="#chart-size"
                onclose={send.reform(move |()| Action::View(ViewAction::Chart(ChartChoice { size: Size::Side, ..choice })))}>{ body }</Dialog>
        },
    }
}

/// The chosen chart. While something is dragged or simulated the last one stays, unless another one is
/// chosen.
#[hook]
fn use_chart(state: &State, settings: &[SweepSetting]) -> Shared<Chart> {
    let last = use_mut_ref(|| None::<(Inputs, Shared<Chart>)>);
    let axis = state.axis();
    let inputs = Inputs {
        // Neither changes the data.
        choice: ChartChoice {
            table: ChartNumbers::Hidden,
            size: Size::Side,
            tuning: false,
            checking: false,
            ..state.chart
        },
        document: state.document.clone(),
        analyses: state.analyses().map(|(policy, analysis)| (policy, analysis.clone())).collect(),
        window: (state.chart.kind == ChartKind::Cores).then_some(axis),
        means: state.means.clone(),
    };
    let mut last = last.borrow_mut();
    match &*last {
        Some((before, chart)) if *before == inputs => chart.clone(),
        Some((before, chart)) if before.choice == inputs.choice && !chart_data::is_still(state) => {
            chart.clone()
        }
        _ => {
            let chart = Shared::new(chart_data::chart(state, settings, axis));
            *last = Some((inputs, chart.clone()));
            chart
        }
    }
}

/// Which chart, and what it is about.
fn chooser(state: &State, send: &Callback<Action>) -> Html {
    let choice = state.chart;
    let pick = |change: fn(ChartChoice, &str) -> ChartChoice| {
        send.reform(move |word: String| Action::View(ViewAction::Chart(change(choice, &word))))
    };
    let kinds = ChartKind::all().map(|kind| (kind.id(), kind.name()));
    let pick_kind = pick(|choice, id| {
        let kind = ChartKind::from_id(id).unwrap_or_default();
        ChartChoice { kind, ..choice }
    });
    let further = match choice.kind {
        ChartKind::Responses => of_user(state, send),
        ChartKind::Users | ChartKind::Fairness => {
            let against = [(ReferencePolicy::PracticalUjf, "UJF"), (ReferencePolicy::FluidUjf, "fluid UJF")];
            let grouping = [(Grouping::Policy, "policy"), (Grouping::User, "user")];
            html! {
                <>
                    if choice.kind == ChartKind::Fairness {
                        { one_of("Against", "chart-against", against, choice.against,
                            send.reform(move |against| Action::View(ViewAction::Chart(ChartChoice { against, ..choice })))) }
                    }
                    { one_of("Grouped by", "chart-grouping", grouping, choice.grouping,
                        send.reform(move |grouping| Action::View(ViewAction::Chart(ChartChoice { grouping, ..choice })))) }
                </>
            }
        }
        ChartKind::EstimateError => {
            let onchange = pick(|choice, seed| ChartChoice {
                seed: seed.trim().parse().unwrap_or(choice.seed),
                ..choice
            });
            let onchange = onchange.reform(|event: Event| input_text(&event).unwrap_or_default());
            html! {
                <label title="Another seed draws other errors">{ "Seed" }
                    <input id="chart-seed" type="number" min="0" step="1" value={choice.seed.to_string()} {onchange} />
                </label>
            }
        }
        ChartKind::Targets => of_whom(state, send),
        ChartKind::Cost => {
            let axes = [(CostAxis::Executors, "executors"), (CostAxis::IdleTimeout, "idle time-out")];
            one_of(
                "Over",
                "chart-cost",
                axes,
                choice.cost,
                send.reform(move |cost| Action::View(ViewAction::Chart(ChartChoice { cost, ..choice }))),
            )
        }
        ChartKind::Parameter => tuner::choices(state, send),
        _ => Html::default(),
    };
    let pick_policy = send.reform(move |policy| {
        Action::View(ViewAction::Chart(ChartChoice { policy: Some(policy), tuning: false, ..choice }))
    });
    html! {
        <div class="chooser">
            <label class="wide"><span class="sr">{ "Chart" }</span>{ select("chart-kind", choice.kind.id(), kinds,
                None, pick_kind) }</label>
            if choice.kind.is_of_one_policy() {
                <label>{ "Policy" }{ policy_select("chart-policy", state, chart_data::shown_policy(state), pick_policy)
                    }</label>
            }
            { further }
        </div>
    }
}

/// A choice between two, whose names are their words.
fn one_of<T: Copy + PartialEq + 'static>(
    label: &'static str,
    id: &'static str,
    options: [(T, &'static str); 2],
    chosen: T,
    pick: Callback<T>,
) -> Html {
    let chosen = options.iter().find(|(value, _)| *value == chosen).map_or("", |(_, name)| name);
    let pick = pick.reform(move |word: String| options[usize::from(word != options[0].1)].0);
    html! { <label>{ label }{ select(id, chosen, options.map(|(_, name)| (name, name)), None, pick) }</label> }
}

/// The chooser of the users whose jobs are shown.
fn of_user(state: &State, send: &Callback<Action>) -> Html {
    let choice = state.chart;
    let users = state.document.scenario.users().iter().enumerate();
    let users = users.map(|(user, spec)| (user.to_string(), spec.name.clone()));
    let options = std::iter::once((String::new(), "all users".to_owned())).chain(users);
    let chosen = chart_data::user(state).map(|user| user.0.to_string()).unwrap_or_default();
    let pick = send.reform(move |user: String| {
        Action::View(ViewAction::Chart(ChartChoice { user: user.parse().ok().map(UserId), ..choice }))
    });
    html! { <label>{ "Jobs of" }{ select("chart-user", &chosen, options, None, pick) }</label> }
}

/// Most jobs that are offered one by one.
const MAX_JOBS: usize = 200;

/// The chooser of whose cores are shown: everybody's, a user's or a job's.
fn of_whom(state: &State, send: &Callback<Action>) -> Html {
    let choice = state.chart;
    let scenario = &state.document.scenario;
    let users = (0..).zip(scenario.users());
    let users = users.map(|(user, spec)| (CoreHolder::User(UserId(user)), spec.name.clone()));
    let jobs = scenario.arrival_order().into_iter().take(MAX_JOBS);
    let jobs = jobs.map(|job| (CoreHolder::Job(job), format!("job {}", scenario.job_label(job))));
    let all = std::iter::once((CoreHolder::All, "all users".to_owned()));
    let options: Vec<(CoreHolder, String)> = all.chain(users).chain(jobs).collect();
    let chosen = chart_data::whose(state);
    let chosen = options.iter().position(|(whose, _)| *whose == chosen).unwrap_or_default();
    let names: Vec<_> =
        options.iter().enumerate().map(|(index, (_, name))| (index.to_string(), name.clone())).collect();
    let pick = send.reform(move |word: String| {
        let index: usize = word.parse().unwrap_or_default();
        let whose = options.get(index).map_or(CoreHolder::All, |option| option.0);
        Action::View(ViewAction::Chart(ChartChoice { whose, ..choice }))
    });
    html! { <label>{ "Cores of" }{ select("chart-whose", &chosen.to_string(), names, None, pick) }</label> }
}

/// Why there is no chart, and what to do about it.
fn nothing(state: &State) -> Html {
    let waits = state.runs.values().any(|run| run.analysis.is_none());
    let words = match (state.view.policies.is_empty(), waits, state.chart.kind) {
        (true, ..) => "No policy is ticked. Tick one to see its figures.",
        (_, true, _) => crate::store::selectors::no_schedule(state),
        (.., ChartKind::Targets | ChartKind::TargetSizes) => {
            "This policy has no targets for jobs. Tick one that does: Weighted fair, Graphene, Decima, PAF, the deadline \
             oracle or Justice."
        }
        (.., ChartKind::Deadlines) => {
            "No job is judged by a deadline. Give a job one (Job), or tick a policy of deadlines."
        }
        (.., ChartKind::Memory) => {
            "This scenario does not model memory. Give its executors some to see who holds it."
        }
        (.., ChartKind::Cost) if chart_data::settings(state).is_empty() => {
            "Switch on dynamic allocation (Cluster, Executors that come and go) to see what it costs."
        }
        (.., ChartKind::Parameter) if chart_data::tuned(state).is_none() => {
            "No ticked policy has a number to tune. Tick one that does, such as Weighted fair or PAF."
        }
        (.., ChartKind::Parameter) => {
            "Choose what is to be best and press Tune: the values are tried one after the other."
        }
        _ => "There are no figures to show yet.",
    };
    html! { <p class="hint">{ words }</p> }
}

/// What to do if there is nothing that the ATR could change.
fn tick_runtime(state: &State, send: &Callback<Action>) -> Html {
    let no_runtime = state.view.policies.iter().all(|policy| policy.partitioning == PartitionMode::Default);
    if state.chart.kind != ChartKind::AdvisoryTaskRuntime || state.view.policies.is_empty() || !no_runtime {
        return Html::default();
    }
    let missing: Vec<PolicyId> =
        state.view.policies.iter().map(|policy| policy.with(PartitionMode::Runtime)).collect();
    let send = send.clone();
    let onclick = Callback::from(move |_: MouseEvent| {
        missing.iter().for_each(|policy| send.emit(Action::View(ViewAction::Toggle(*policy))));
    });
    html! {
        <>
            <p class="hint">{ "Only runtime partitioning uses the ATR, and no policy is ticked with it." }</p>
            <button type="button" id="chart-tick-runtime"
                {onclick}>{ "Tick the same policies with runtime partitioning" }</button>
        </>
    }
}

/// Enlarges the chart, or closes it.
fn size_button(choice: ChartChoice, send: &Callback<Action>) -> Html {
    let (size, label) = match choice.size {
        Size::Side => (Size::Large, "Enlarge"),
        Size::Large => (Size::Side, "Close"),
    };
    let onclick = send.press(ViewAction::Chart(ChartChoice { size, ..choice }));
    html! { <button type="button" class="small" id="chart-size" {onclick}>{ label }</button> }
}

/// Table, size, and saving the chart.
fn buttons(
    choice: ChartChoice,
    chart: &Shared<Chart>,
    colours: &Shared<ThemeColours>,
    send: &Callback<Action>,
) -> Html {
    let shown = choice.table == ChartNumbers::Shown;
    let table = if shown { ChartNumbers::Hidden } else { ChartNumbers::Shown };
    let choose = |choice: ChartChoice| send.press(ViewAction::Chart(choice));
    let saver = |id: &'static str,
                 label: &'static str,
                 save: fn(&str, &Chart, &ThemeColours) -> Result<(), JsValue>| {
        let empty = chart.is_empty();
        let (chart, colours) = (chart.clone(), colours.clone());
        let onclick = saving(send, move || save(choice.kind.id(), &chart, &colours));
        html! { <button type="button" class="small" {id} {onclick} aria-label={format!("Save as {label}")}
        title={format!("Save as {label}")} disabled={empty}>{ label }</button> }
    };
    html! {
        <div class="buttons">
            <button type="button" class="small" id="chart-table" aria-pressed={shown.to_string()}
                onclick={choose(ChartChoice { table, ..choice })}>{ "Table" }</button>
            { size_button(choice, send) }
            <span class="space"></span>
            { saver("chart-svg", "SVG", |id, chart,
                colours| save(&format!("{id}.svg"), "image/svg+xml", &svg(chart, SAVED, colours))) }
            { saver("chart-png", "PNG", |id, chart,
                colours| save_png(&format!("{id}.png"), &svg(chart, SAVED, colours))) }
            { saver("chart-csv", "CSV", |id, chart,
                _| save(&format!("{id}.csv"), "text/csv", &chart.table(usize::MAX).csv())) }
        </div>
    }
}

/// The chart's numbers.
fn table(chart: &Chart) -> Html {
    let ChartTable { head, rows, left_out } = chart.table(MAX_ROWS);
    html! {
        <>
            <Scroll class="numbers" label={format!("{}, as a table", chart.title)}>
                <Table id="chart-numbers" caption={caption(chart)} columns={columns(head)}>
                    { for rows.iter().map(|cells| plain_row(&cells[0], &cells[1..])) }
                </Table>
            </Scroll>
            if left_out > 0 {
                <p class="hint">{ format!("{left_out} more rows are not shown; save the CSV file to get all of them.") }</p>
            }
        </>
    }
}

/// What the figures of a table are.
fn caption(chart: &Chart) -> String {
    use fairlane_view::chart::SeriesShape;
    match chart.shape {
        SeriesShape::Shares | SeriesShape::Bars => format!("{}: {}", chart.title, chart.x.name),
        _ => format!("{}: {}", chart.title, chart.y.name),
    }
}
