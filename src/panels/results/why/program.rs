//! A program, line by line: how its functions ran at the moment that is asked about, and how it ranks a stage.

use yew::prelude::*;

use crate::panels::editors::field::{row, select};
use crate::results::codec::Analysis;
use crate::results::shared::Shared;
use crate::ui::table::{Table, columns};
use fairlane::policy::ProgramCall;
use fairlane::replay::{ReplayPoint, WaitingStage};

#[derive(Properties, PartialEq)]
pub struct ProgramLinesProps {
    pub analysis: Shared<Analysis>,
    pub at: ReplayPoint,
    /// The stages that wait, best first.
    pub stages: Vec<WaitingStage>,
}

#[component]
pub fn ProgramLines(props: &ProgramLinesProps) -> Html {
    let ProgramLinesProps { analysis, at, stages } = props;
    let open = use_state_eq(|| false);
    let chosen = use_state_eq(|| 0_usize);
    let stage = stages.get(*chosen).or(stages.first());
    let calls = {
        let of = (*open, analysis.clone(), *at, stage.map(|stage| (stage.job, stage.stage)));
        use_memo(of, |(open, analysis, at, stage)| {
            stage.filter(|_| *open).map(|stage| analysis.program_calls(*at, stage)).unwrap_or_default()
        })
    };
    let toggle = {
        let open = open.clone();
        Callback::from(move |event: MouseEvent| {
            // The list is made before it is shown.
            event.prevent_default();
            open.set(!*open);
        })
    };
    let pick = {
        let chosen = chosen.setter();
        Callback::from(move |word: String| chosen.set(word.parse().unwrap_or(0)))
    };
    let policy = analysis.trace.policy.kind.info().id;
    let text = analysis.scenario.parameters().get(policy, "program").and_then(|text| text.as_str());
    let lines: Vec<&str> = text.unwrap_or_default().lines().collect();
    let options = stages
        .iter()
        .enumerate()
        .map(|(index, stage)| (index.to_string(), analysis.scenario.stage_label(stage.job, stage.stage)));
    html! {
        <details id="program-lines" open={*open}>
            <summary onclick={toggle}>{ "The program, line by line" }</summary>
            { row("program-stage", "Stage", "", "", None,
                select("program-stage", &chosen.to_string(), options, None, pick)) }
            { for calls.iter().map(|call| call_table(call, &lines)) }
        </details>
    }
}

/// A call: its lines, and the variables before each; those that changed in bold.
fn call_table(call: &ProgramCall, lines: &[&str]) -> Html {
    let title = match call.function.as_str() {
        "" => "The expression",
        function => function,
    };
    let row = |(index, ran): (usize, &fairlane::policy::custom::ProgramLine)| {
        let before = index.checked_sub(1).map(|index| &call.lines[index].variables);
        let variable = |(name, value): &(String, String)| {
            let is_new = before
                .is_some_and(|before| !before.iter().any(|known| known == &(name.clone(), value.clone())));
            html! { <span class={is_new.then_some("new")}>{ format!("{name} = {value}") }</span> }
        };
        html! {
            <tr>
                <th scope="row">{ ran.line }</th>
                <td><code>{ lines.get(ran.line as usize - 1).map(|line| line.trim().to_owned()) }</code></td>
                <td class="variables">{ for ran.variables.iter().map(variable) }</td>
            </tr>
        }
    };
    html! {
        <>
            <h3>{ title }</h3>
            <Table class="program-lines" label={format!("Lines of {title}")}
                columns={columns(["line", "runs", "before it"])}>
                { for call.lines.iter().enumerate().map(row) }
            </Table>
            if !call.answer.is_empty() {
                <p class="answer">{ "Answer: " }<b>{ &call.answer }</b></p>
            }
        </>
    }
}
