//! How a stage's tasks become longer the more of them run: a row for each point.

use serde_json::json;
use yew::prelude::*;

use crate::panels::editors::field::{EditorFields, help_id};
use crate::store::DocumentAction;
use crate::ui::send::Handlers;
use fairlane::ids::JobId;
use fairlane::scenario::edit::{Edit, ObjectPath};
use fairlane::scenario::{Stage, field};

/// The points of a stage's inflation as rows of fields, each with a button that removes it, and one that adds another.
pub fn inflation(fields: &EditorFields, job: JobId, index: u32, stage: &Stage) -> Html {
    let points = &stage.inflation;
    let id = format!("stage-{index}-inflation");
    let with =
        move |points: Vec<(u32, f64)>| Edit::set(ObjectPath::Stage(job, index), "inflation", json!(points));
    let press = |points: Vec<(u32, f64)>| fields.send.press(DocumentAction::Edit(with(points.clone())));
    let row = |place: usize| {
        let (tasks, factor) = points[place];
        let at = {
            let points = points.clone();
            move |point| {
                let mut points = points.clone();
                points[place] = point;
                with(points)
            }
        };
        let of_tasks = at.clone();
        let mut rest = points.clone();
        rest.remove(place);
        let remove = format!("Remove the point at {tasks}");
        html! {
            <li key={place}>
                { fields.typed(format!("{id}-{place}-tasks"), "At", "running",
                    "Running tasks of the stage, the new one included.", tasks.to_string(),
                    None, move |text| field::count(text).map(|tasks| of_tasks((tasks, factor)))) }
                { fields.typed(format!("{id}-{place}-factor"), "Factor", "×",
                    "How many times as long a task takes that is launched then.", factor.to_string(),
                    None, move |text| field::number(text).map(|factor| at((tasks, factor)))) }
                <button type="button" class="small" onclick={press(rest)} aria-label={remove.clone()}
                    title={remove}>{ "✕" }</button>
            </li>
        }
    };
    let cores = fields.document.scenario.cluster().cores();
    let (add, more) = match points.last() {
        None => ("Slow down wide stages", wide(cores)),
        Some(&(tasks, factor)) => {
            let mut more = points.clone();
            more.push((tasks.saturating_mul(2), factor));
            ("Add a point", more)
        }
    };
    html! {
        <div class="points" role="group" aria-labelledby={id.clone()} aria-describedby={help_id(&id)}>
            <p id={id.clone()}>{ "Inflation" }</p>
            <p class="hint" id={help_id(&id)}>
                { if points.is_empty() { "None: a task takes as long however many run." }
                  else { "Between points the factor is linear, before the first and after the last it stays." } }
            </p>
            if !points.is_empty() {
                <ul>{ for (0..points.len()).map(row) }</ul>
            }
            <button type="button" class="small" id={format!("{id}-add")} onclick={press(more)}>{ add }</button>
        </div>
    }
}

/// What Decima measured, roughly: nothing with one task, two fifths longer when a stage fills the cluster.
fn wide(cores: u32) -> Vec<(u32, f64)> {
    vec![(1, 1.0), (cores.max(2), 1.4)]
}
