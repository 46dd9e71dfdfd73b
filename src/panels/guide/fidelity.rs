//! How close the simulator is to real Spark: what `fairlane report` printed when this page was built.

use yew::prelude::*;

use crate::store::{Action, Document, DocumentAction};
use crate::ui::dialog::Dialog;
use crate::ui::send::{Handlers, use_send};
use crate::ui::table::{Table, columns, explained_columns, plain_row};
use fairlane::catalog::{self, CatalogSection, Entry};
use fairlane::number;
use fairlane::policy::PolicyId;
use fairlane_study::fidelity::figures::{
    FidelityFigures, MacroFigures, MacroTimes, MicroRowFigures, PaperFigures, RunFigures,
};

/// What `fairlane report --format json` printed; a native test keeps it up to date.
const REPORT: &str = include_str!("fidelity/report.json");
const TITLE: &str = "How close to real Spark?";

/// A button, and the report that it opens over the page.
#[component]
pub fn Fidelity() -> Html {
    let send = use_send();
    let is_open = use_state_eq(|| false);
    // Read while it is open.
    let figures =
        use_memo(*is_open, |is_open| is_open.then(|| serde_json::from_str::<FidelityFigures>(REPORT).ok()));
    let turn = |open: bool| {
        let is_open = is_open.setter();
        Callback::from(move |()| is_open.set(open))
    };
    let play = {
        let close = turn(false);
        send.on(move |name| {
            let entry = catalog::find(name)?;
            close.emit(());
            Some(Action::Document(DocumentAction::Open(Document::from_catalog(entry).into())))
        })
    };
    html! {
        <>
            <button type="button" id="fidelity" class="small" onclick={turn(true).reform(|_: MouseEvent| ())}
                aria-haspopup="dialog">{ TITLE }</button>
            if let Some(figures) = &*figures {
                <Dialog name="fidelity" class="report" title={TITLE} opener="#fidelity" onclose={turn(false)}>
                    { match figures {
                        None => html! { <p
                            role="alert">{ "The report shipped with this page cannot be read; run `fairlane report` to print it." }</p> },
                        Some(figures) => report(figures, &play),
                    } }
                </Dialog>
            }
        </>
    }
}

fn report(figures: &FidelityFigures, play: &Callback<&'static str>) -> Html {
    let FidelityFigures { table_1, table_2, recorded, papers, .. } = figures;
    let worst = table_1.rows.iter().map(|row| row.error.abs()).fold(0.0, f64::max);
    let button = |name: &'static str, text: &'static str| {
        let onclick = play.reform(move |_: MouseEvent| name);
        html! { <button type="button" class="small" data-play={name} {onclick}>{ text }</button> }
    };
    html! {
        <>
            <p>{ "Measured on real Spark, and simulated here. " }<code>{ "fairlane report" }</code>{
                " prints the same report, with every job on request, and compares other recordings." }</p>
            if let (Some(error), Some(between)) = (recorded.paired_error, recorded.between_runs) {
                <p class="verdict">
                    { "A job's response time is off by " }<b>{ unsigned(error) }</b>{
                        " on average; two runs of real Spark differ by " }<b>{ unsigned(between) }</b>{ "." }
                </p>
            }
            <section>
                <h3>{ "Schedules recorded from real Spark 3.5.5" }</h3>
                <Table id="fidelity-recorded" label="Recorded schedules and their simulations"
                    columns={explained_columns([("workload", ""), ("policy", ""), ("run", ""),
                        ("Spark, s", "Mean response time on real Spark"), ("simulated, s", "Mean response time here"),
                        ("error", "Error of the mean response time"),
                        ("per job", "Error of a job's response time, averaged over the jobs"),
                        ("run to run", "The same error for Spark's other run of the workload")])}>
                    { for recorded.runs.iter().map(run) }
                </Table>
            </section>
            <section>
                <h3>{ "The paper's Table 1: mean response time, s" }</h3>
                <p class="hint">{ format!("Mean error {}, the worst {}. Pairs of figures are measured / simulated.",
                    unsigned(table_1.mean_error), unsigned(worst)) }</p>
                <Table id="fidelity-table-1" label="The paper's Table 1, measured and simulated"
                    columns={columns(["scenario", "policy", "measured", "simulated", "error", "worst 10 %", "user1",
                        "user2", "user3", "user4"])}>
                    { for table_1.rows.iter().map(micro) }
                </Table>
                <p>{ button("paper-scenario-1", "Open scenario 1") }{ " " }{ button("paper-scenario-2",
                    "Open scenario 2") }</p>
            </section>
            <section>
                <h3>{ "The paper's Table 2: response times of job groups, s" }</h3>
                <p class="hint">{ "Measured / simulated, without outlier runs, both counted as the authors counted: some groups twice." }</p>
                <Table id="fidelity-table-2" label="The paper's Table 2, measured and simulated"
                    columns={columns(["policy", "mean", "0–80 %", "80–95 %", "95–100 %", "makespan"])}>
                    { for table_2.iter().map(macro_row) }
                </Table>
                <p>{ button("macro", "Open the workload") }{ " " }{ button("macro-p", "Open it as -P cuts it") }</p>
            </section>
            { for papers.iter().map(|figures| paper(figures, play)) }
        </>
    }
}

/// What another paper published.
fn paper(figures: &PaperFigures, play: &Callback<&'static str>) -> Html {
    let PaperFigures { paper, remark, findings } = figures;
    let about = |entry: &&Entry| findings.iter().any(|finding| finding.scenario == entry.name);
    let button = |entry: &'static Entry| {
        let onclick = play.reform(move |_: MouseEvent| entry.name);
        html! { <>{ " " }<button type="button" class="small" data-play={entry.name} title={entry.look_for}
        {onclick}>{ entry.title }</button></> }
    };
    html! {
        <section>
            <h3>{ format!("{paper}: published and simulated") }</h3>
            <p class="hint">{ remark }</p>
            <Table label={format!("{paper}: published and simulated figures")}
                columns={columns(["figure", "quantity", "published", "simulated"])}>
                { for findings.iter().map(|finding| html! {
                    <tr><td>{ &finding.figure }</td><th scope="row">{ &finding.quantity }</th><td>{
                        &finding.published }</td><td>{ &finding.simulated }</td></tr>
                }) }
            </Table>
            <p>{ "Open" }{ for CatalogSection::Papers.entries().filter(about).map(button) }</p>
        </section>
    }
}

/// The policy's name for people.
fn title(policy: &str) -> String {
    policy.parse().map_or_else(|_| policy.to_owned(), PolicyId::title)
}

fn signed(ratio: f64) -> String {
    number::with_minus(&number::signed_percent(ratio, 1))
}

fn unsigned(ratio: f64) -> String {
    number::percent(ratio, 1)
}

fn run(run: &RunFigures) -> Html {
    let seconds = |seconds: f64| format!("{seconds:.2}");
    let cells = [
        title(&run.policy),
        run.run.to_string(),
        seconds(run.spark_mean_response_s),
        seconds(run.simulated_mean_response_s),
        signed(run.mean_error),
        unsigned(run.error),
        run.between_runs.map_or("–".to_owned(), unsigned),
    ];
    plain_row(&run.workload, cells)
}

fn micro(figures: &MicroRowFigures) -> Html {
    let (measured, simulated) = (&figures.measured, &figures.simulated);
    let users = measured.users_mean_response_s.iter().zip(&simulated.users_mean_response_s);
    let cells = [
        title(&figures.policy),
        format!("{:.2}", measured.mean_response_s),
        format!("{:.2}", simulated.mean_response_s),
        signed(figures.error),
        pair(measured.worst_10_percent_s, simulated.worst_10_percent_s),
    ];
    let cells = cells.into_iter().chain(users.map(|(&measured, &simulated)| pair(measured, simulated)));
    plain_row(if figures.scenario == "paper-scenario-1" { 1 } else { 2 }, cells)
}

/// A measured figure beside the simulated one.
fn pair(measured: f64, simulated: f64) -> String {
    format!("{measured:.1} / {simulated:.1}")
}

fn macro_row(figures: &MacroFigures) -> Html {
    let all = |times: &MacroTimes| {
        let [quickest, middle, slowest] = times.ranks_mean_response_s;
        [times.mean_response_s, quickest, middle, slowest, times.makespan_s]
    };
    let cells = all(&figures.measured).into_iter().zip(all(&figures.simulated));
    plain_row(title(&figures.policy), cells.map(|(measured, simulated)| pair(measured, simulated)))
}
