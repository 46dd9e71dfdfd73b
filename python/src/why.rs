//! Why a task was launched when it was: the stages that waited, in the order of their keys.

use fairlane::engine::{Control, Progress, simulate_observed};
use fairlane::policy::PolicyId;
use fairlane::policy::explain;
use fairlane::replay::{RankedQueue, Replay, ReplayPoint};
use fairlane::scenario::{Scenario, ScenarioError};
use fairlane_view::export;
use serde_json::{Map, Value, json};

use crate::input::unplaced;

/// Most stages of an answer.
const MAX_STAGES: usize = 1000;

/// The queue of the decision that launched a task, by its index in the order of launch.
pub fn why(
    scenario: &Scenario,
    policy: PolicyId,
    task: usize,
    observer: &mut dyn FnMut(Progress) -> Control,
) -> Result<Value, ScenarioError> {
    let trace = simulate_observed(scenario, policy, observer)?;
    let count = trace.tasks.len();
    let queue = Replay::new(scenario, policy)
        .and_then(|mut replay| replay.queue(&trace, ReplayPoint::Dispatch(task), MAX_STAGES));
    let queue = queue.ok_or_else(|| {
        unplaced(format!("no decision launched task {task}; give the row of one of the {count} tasks"))
    })?;
    let mut answer = document(scenario, &queue);
    answer["trace_hash"] = export::trace_hash(&trace).into();
    Ok(answer)
}

fn document(scenario: &Scenario, queue: &RankedQueue) -> Value {
    let stages = queue.stages.iter().map(|stage| {
        let parts = stage.key.parts().iter().map(|part| (part.name.to_string(), number(&part.value)));
        json!({
            "job": stage.job.0,
            "stage": stage.stage,
            "user": scenario.users()[stage.user.index()].name,
            "pending": stage.pending,
            "running": stage.running,
            "launches": stage.launches,
            "key": parts.collect::<Map<_, _>>(),
        })
    });
    json!({
        "time_s": queue.time.seconds(),
        "reason": queue.reason,
        "stages": stages.collect::<Vec<_>>(),
    })
}

/// A part of a key: counts and positions as whole numbers, other numbers in their own unit, and texts.
fn number(value: &explain::Value) -> Value {
    match *value {
        explain::Value::Tasks(count) | explain::Value::Jobs(count) => count.into(),
        explain::Value::Number(number) => number.into(),
        // Beyond these not every whole number is one.
        explain::Value::Whole(number) if number.abs() < (1_u64 << 53) as f64 => (number as i64).into(),
        _ => value.number().map_or_else(|| value.to_string().into(), Value::from),
    }
}
