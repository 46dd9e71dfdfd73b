//! The log that the scenario was imported from: how near its simulation is, by which rules it was read, and what was
//! not carried over.

use yew::prelude::*;

use crate::browser::dom::find;
use crate::panels::editors::field::{ChoiceField, ChoiceProps};
use crate::panels::setup::pools::changed_file;
use crate::results::shared::Shared;
use crate::store::{
    Action, Document, ImportedLog, LogImport, LogRules, ReadLog, Run, UiAction, ViewAction, selectors,
};
use crate::ui::hooks::use_media;
use crate::ui::send::{Handlers, use_send};
use crate::ui::table::{Table, explained_columns};
use fairlane::ids::UserId;
use fairlane::number;
use fairlane::policy::OBSERVED;
use fairlane::scenario::User;
use fairlane_import::spark::{DriverTime, ExecutorRule, LogSection};
use fairlane_view::link::LinkedSimulation;

/// Windows in which the set-up is beside the schedules; the stylesheet has the same bound.
const BESIDE: &str = "(min-width: 58.8125em)";

#[derive(Clone, Properties, PartialEq)]
pub struct LogProps {
    pub document: Shared<Document>,
    /// The simulation under the log's scheduler, if that is ticked.
    pub simulated: Option<Run>,
    /// Imports the log again, by other rules.
    pub import: Callback<LogImport>,
    /// Whether nothing is opened beside the schedules.
    pub is_folded: bool,
}

/// Nothing of a scenario that has no log, or whose jobs were edited.
#[component]
pub fn LogCard(props: &LogProps) -> Html {
    let send = use_send();
    // What a log says of itself is read first: it is above everything else in the set-up, which opens where it covers no
    // schedules.
    let opens = use_media(BESIDE) && props.is_folded;
    let number = props.document.log.as_ref().and_then(|log| log.read.as_ref()).map(|read| read.number);
    let unfold = send.reform(|()| Action::Ui(UiAction::SetUp));
    use_effect_with(number, move |log| {
        if let Some(column) = find("#set-up") {
            column.set_scroll_top(0);
        }
        if log.is_some() && opens {
            unfold.emit(());
        }
    });
    let Some(log) = &props.document.log else { return Html::default() };
    let Some(read) = &log.read else {
        return html! {
            <section class="editor" id="log">
                <h2>{ "Imported log" }</h2>
                { nearness(props, log, &send) }
                <p class="hint" id="log-linked">{ LINKED }</p>
            </section>
        };
    };
    let report = &read.report;
    let section = |title: &str| report.sections.iter().find(|section| section.title == title);
    let text = |title: &str| section(title).map(|section| section.text.clone()).unwrap_or_default();
    html! {
        <section class="editor" id="log">
            <h2>{ "Imported log" }</h2>
            <p>{ text("log") }</p>
            { nearness(props, log, &send) }
            { certainty(section("sure")) }
            { rules(props, read) }
            <details id="log-report">
                <summary>{ format!("Tasks: {}", text("tasks")) }</summary>
                { for report.sections.iter().map(|section| html! {
                    <>
                        <h3>{ &section.title }</h3>
                        <p>{ &section.text }</p>
                        <ul>{ for section.details.iter().map(|detail| html! { <li>{ detail }</li> }) }</ul>
                    </>
                }) }
            </details>
            <p class="hint">{ "The log was read in this browser; nothing of it has left this machine." }</p>
        </section>
    }
}

/// What is said of a log that the page does not have.
const LINKED: &str = "Its users' figures and the simulation's error came with the link, or were kept with the page; the \
    schedule as it ran and the import's report did not. Open the log itself to see them.";

/// How sure an answer about the log is, in words that need no other.
fn certainty(sure: Option<&LogSection>) -> Html {
    let Some(LogSection { text, details, .. }) = sure else { return Html::default() };
    let words: Vec<&str> = std::iter::once(text).chain(details).map(String::as_str).collect();
    html! { <p class="hint" id="log-sure"><b>{ "How sure: " }</b>{ words.join("; ") }{ "." }</p> }
}

/// How far the simulation under the log's own scheduler is from what happened, and each user's mean response: as it
/// ran, in that simulation and, where the scheduler or the cluster has been changed since, now.
fn nearness(props: &LogProps, log: &ImportedLog, send: &Callback<Action>) -> Html {
    let policy = log.known.ran_with;
    let title = policy.title();
    let Some(simulation) = &log.known.simulation else {
        return html! { <p class="hint">{ "No job ended in the log, so nothing says how near a simulation is." }</p> };
    };
    let error = simulation.error;
    let is_unchanged = log.is_unchanged(&props.document.scenario);
    let now = props.simulated.as_ref().filter(|_| !is_unchanged && error.is_tolerable());
    let now = now.and_then(|run| run.analysis.as_ref()).map(|analysis| &analysis.summary.by_user);
    let compare = send.press(ViewAction::Compare(OBSERVED, policy));
    let seconds = |means: &[Option<f64>], user: usize| {
        let mean = means.get(user).copied().flatten();
        mean.map_or_else(|| "–".to_owned(), number::three_digits)
    };
    let row = |(user, named): (usize, &User)| {
        let hue = format!("hue-{}", selectors::user_hue(&props.document.scenario, UserId(user as u32)));
        html! {
            <tr key={user}>
                <th scope="row"><i class={classes!("dot", hue)}></i>{ &named.name }</th>
                <td>{ seconds(&log.known.observed, user) }</td><td>{ seconds(&simulation.means, user) }</td>
                if let Some(now) = now { { change(simulation, seconds(now, user), now.get(user).copied().flatten(), user) } }
            </tr>
        }
    };
    let users = props.document.scenario.users();
    let own = "Under the log's own scheduler, pools and executors: what alternatives are compared with";
    let columns = [("mean, s", String::new()), ("as it ran", String::new()), ("simulated", own.to_owned())];
    let columns = columns.into_iter().chain(now.map(|_| ("now", format!("{title} as it is set now"))));
    html! {
        <>
            <p id="log-error">
                { format!("Simulated under {title}, the scheduler it ran with, a job's response time is off by ")
                    }<b>{ number::percent(error.mean, 1) }</b>
                { format!(" on average (median {}); the mean response is off by {}. ",
                    number::percent(error.median, 1), number::with_minus(&number::signed_percent(error.bias, 1))) }
                if is_unchanged && props.simulated.is_some() && log.read.is_some() {
                    <button type="button" class="small" id="log-compare" onclick={compare}>{ "Job by job" }</button>
                }
            </p>
            <Table id="log-means" label="Mean response of each user in seconds: as it ran and simulated"
                columns={explained_columns(columns)}>
                { for users.iter().enumerate().take(MAX_USERS).map(row) }
            </Table>
            if users.len() > MAX_USERS { <p
                class="hint">{ format!("and {}.", number::counted(users.len() - MAX_USERS, "more user")) }</p> }
            if !is_unchanged {
                <p class="hint">{ match (now.is_some(), error.is_tolerable()) {
                    (true, _) => "Pools or cluster are not those of the log: compare the column now with simulated, not with as it ran.".to_owned(),
                    (false, true) => format!("Pools or cluster are not those of the log. Tick {title} to see what that changes."),
                    (false, false) => "The simulation is too far from the log to say what a change of pools or cluster does.".to_owned(),
                } }</p>
                { own_pools(props, log) }
            }
        </>
    }
}

/// A button that takes the pools as they are set now for those that the cluster had, so that the log is simulated with
/// them and the error is theirs; nothing where they are not changed, or no pools file can say it.
fn own_pools(props: &LogProps, log: &ImportedLog) -> Html {
    let file = changed_file(&props.document.scenario, log.scenario());
    let Some(((number, rules), pools)) = log.import().zip(file) else { return Html::default() };
    let rules = LogRules { pools, mode: "fair".to_owned(), ..rules };
    let onclick = props.import.reform(move |_: MouseEvent| (number, rules.clone()));
    html! {
        <p><button type="button" class="small" id="log-own-pools" {onclick}
            title="Imports the log again as if fairscheduler.xml had declared these pools: the error is that of them">{
            "The cluster had these pools" }</button></p>
    }
}

/// What a user's mean response is now: plain, and said to be noise, where it differs from the simulated one by less than
/// that is off from the log.
fn change(simulation: &LinkedSimulation, words: String, now: Option<f64>, user: usize) -> Html {
    let before = simulation.means.get(user).copied().flatten();
    match now.zip(before).is_some_and(|(now, before)| simulation.error.hides(before, now)) {
        true => {
            html! { <td title="The change is smaller than the simulation's error, so it says nothing">{ words }
            { " " }<small>{ "noise" }</small></td> }
        }
        false => html! { <td><b>{ words }</b></td> },
    }
}

/// Most users in the table.
const MAX_USERS: usize = 12;

/// The rules by which the log was imported, to be changed.
fn rules(props: &LogProps, log: &ReadLog) -> Html {
    let report = &log.report;
    let choice = |id: &'static str,
                  label: &'static str,
                  help: &'static str,
                  value: String,
                  options: Vec<(String, String)>,
                  rule: fn(&mut LogRules) -> &mut String| {
        let (number, rules) = (log.number, log.rules.clone());
        let pick = props.import.reform(move |word: String| {
            let mut rules = rules.clone();
            *rule(&mut rules) = word;
            (number, rules)
        });
        let options = options.into_iter().map(|(word, name)| (word.into(), name.into())).collect();
        html! { <ChoiceField ..ChoiceProps { id: id.into(), label: label.into(), help: help.into(), options,
        value: value.into(), pick } /> }
    };
    let words = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
        pairs.iter().map(|(word, name)| ((*word).to_owned(), (*name).to_owned())).collect()
    };
    let mut users = vec![("auto".to_owned(), format!("as found: {}", report.source))];
    users.extend(
        report.offered.iter().map(|(word, name, count)| {
            (word.clone(), format!("{name} ({})", number::counted(*count, "user")))
        }),
    );
    let mut modes = words(&[("fair", "FAIR"), ("fifo", "FIFO")]);
    if report.mode.is_empty() {
        modes.insert(0, (String::new(), "unknown".to_owned()));
    }
    let rule = |word: &str, usual: &str| if word.is_empty() { usual.to_owned() } else { word.to_owned() };
    html! {
        <>
            { choice("log-jobs", "Jobs", "What a user submits and waits for", report.jobs.clone(),
                words(&[("sql", "SQL executions"), ("spark", "jobs of Spark")]), |rules| &mut rules.jobs) }
            { choice("log-users", "Users", "What a job's user is read from", rule(&log.rules.users, "auto"),
                users, |rules| &mut rules.users) }
            { choice("log-estimates", "Estimates", "What policies know of a job's work before it runs",
                rule(&log.rules.estimates, "perfect"),
                words(&[("perfect", "the real work"), ("earlier", "mean of earlier runs"),
                    ("factor:0.1", "a tenth of that"), ("factor:0.5", "half of that"), ("factor:2", "twice that"),
                        ("factor:10", "ten times that")]),
                |rules| &mut rules.estimates) }
            if report.mode.is_empty() {
                <p class="hint bad" role="alert">{
                    "The log does not have its settings, so its scheduler's mode is unknown: choose it." }</p>
            }
            { choice("log-mode", "Scheduler's mode", "spark.scheduler.mode of the cluster", report.mode.clone(),
                modes, |rules| &mut rules.mode) }
            { choice("log-driver-time", "Driver time",
                "The driver's time before stages: its median unless that is too far from the log, as in the log, or none",
                rule(&log.rules.driver_time, &DriverTime::default().to_string()),
                words(&[("auto", "the median if it is near"), ("median", "the median"), ("stage", "of each stage"), ("none", "none")]),
                |rules| &mut rules.driver_time) }
            { choice("log-arrivals", "Arrivals",
                "Whether users wait for their answers before they ask again, as far as the log lets guess",
                rule(&log.rules.arrivals, "sessions"),
                words(&[("sessions", "after their answers"), ("open", "when they did")]),
                |rules| &mut rules.arrivals) }
            { choice("log-executors", "Executors",
                "Executors as they came and went, or as dynamic allocation asks for them, with the log's start-up time",
                rule(&log.rules.executors, &ExecutorRule::default().to_string()),
                words(&[("recorded", "as they came and went"), ("dynamic", "by dynamic allocation")]),
                |rules| &mut rules.executors) }
            if report.sections.iter().any(|section| section.title == "several") {
                { choice("log-share", "Applications", "What each application may use under Spark's own scheduler",
                    rule(&log.rules.share, "own"),
                    words(&[("own", "have their own executors"), ("share", "are one that shares all")]),
                    |rules| &mut rules.share) }
            }
        </>
    }
}
