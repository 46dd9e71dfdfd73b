//! The log that the scenario was imported from: how near its simulation is, by which rules it was read, and what was
//! not carried over.

use yew::prelude::*;

use super::field::{ChoiceField, ChoiceProps};
use crate::shared::Shared;
use crate::store::{Action, Document, ImportedLog, LogReport, LogRules, Run};
use fairlane::number;
use fairlane::policy::OBSERVED;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub document: Shared<Document>,
    /// The simulation under the log's scheduler, if that is ticked.
    pub simulated: Option<Run>,
    /// Imports the log again, by other rules.
    pub import: Callback<(usize, LogRules)>,
    pub send: Callback<Action>,
}

/// Nothing of a scenario that has no log, or whose jobs were edited.
#[component]
pub fn LogCard(props: &Props) -> Html {
    let Some(log) = &props.document.log else { return Html::default() };
    let report = &log.report;
    let section = |title: &str| report.sections.iter().find(|section| section.title == title);
    let text = |title: &str| section(title).map(|section| section.text.clone()).unwrap_or_default();
    html! {
        <section class="editor" id="log">
            <h2>{ "Imported log" }</h2>
            <p>{ text("log") }</p>
            { nearness(props, log) }
            { rules(props, log, report) }
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

/// How far the simulation under the log's own scheduler is from what happened.
fn nearness(props: &Props, log: &ImportedLog) -> Html {
    let title = log.ran_with.title();
    let simulated = props.simulated.as_ref().and_then(|run| run.analysis.as_ref());
    let Some(error) = simulated.and_then(|simulated| log.replay_error(simulated)) else {
        return html! { <p class="hint">{ format!("It ran with {title}. Tick {title} to see how near the simulation is.") }</p> };
    };
    let policy = log.ran_with;
    let compare = props.send.reform(move |_: MouseEvent| Action::Compare(OBSERVED, policy));
    html! {
        <p id="log-error">
            { format!("Simulated under {title}, the scheduler it ran with, a job's response time is off by ") }<b>{ number::percent(error.mean, 1) }</b>
            { format!(" on average; the mean response is off by {}. ", number::with_minus(&number::signed_percent(error.bias, 1))) }
            <button type="button" class="small" id="log-compare" onclick={compare}>{ "Job by job" }</button>
        </p>
    }
}

/// The rules by which the log was imported, to be changed.
fn rules(props: &Props, log: &ImportedLog, report: &LogReport) -> Html {
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
        html! { <ChoiceField ..ChoiceProps { id: id.into(), label: label.into(), help: help.into(), options, value: value.into(), pick } /> }
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
    let rule = |word: &str, usual: &str| if word.is_empty() { usual.to_owned() } else { word.to_owned() };
    html! {
        <>
            { choice("log-jobs", "Jobs", "What a user submits and waits for", report.jobs.clone(),
                words(&[("sql", "SQL executions"), ("spark", "jobs of Spark")]), |rules| &mut rules.jobs) }
            { choice("log-users", "Users", "What a job's user is read from", rule(&log.rules.users, "auto"), users, |rules| &mut rules.users) }
            { choice("log-estimates", "Estimates", "What policies know of a job's work before it runs", rule(&log.rules.estimates, "perfect"),
                words(&[("perfect", "the real work"), ("earlier", "mean of earlier runs"), ("factor:0.1", "a tenth of that"), ("factor:0.5", "half of that"), ("factor:2", "twice that"), ("factor:10", "ten times that")]),
                |rules| &mut rules.estimates) }
        </>
    }
}
