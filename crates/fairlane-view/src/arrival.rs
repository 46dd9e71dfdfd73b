//! When a job arrives, in words: at an instant, after an answer, or as a micro-batch.

use fairlane::ids::JobId;
use fairlane::number;
use fairlane::scenario::{Predecessor, Scenario, Sessions};
use fairlane::units::Span;

/// When a job arrives, as far as that is known before a simulation: `arrives at 2 s`, `arrives 5 s after scan has
/// ended`, `a micro-batch: arrives at 4 s, or once the batches before it have ended`.
pub fn words(scenario: &Scenario, job: JobId) -> String {
    waiting(scenario, job)
        .unwrap_or_else(|| format!("arrives at {}", number::instant(scenario.jobs()[job.index()].arrival)))
}

/// The same with the job's name: `report arrives at 2 s`.
pub fn sentence(scenario: &Scenario, job: JobId) -> String {
    let (label, words) = (scenario.job_label(job), words(scenario, job));
    let comma = if words.starts_with("arrives") { "" } else { "," };
    format!("{label}{comma} {words}")
}

/// The same of a job that waits for others; `None` if it arrives by itself.
pub fn waiting(scenario: &Scenario, job: JobId) -> Option<String> {
    let spec = &scenario.jobs()[job.index()];
    let Predecessor { job: before, think, batch } =
        spec.after.filter(|_| scenario.sessions() == Sessions::Closed)?;
    let pause = match think {
        Span(0) => String::new(),
        think => format!("{} s after ", number::trimmed(think.seconds(), 6)),
    };
    Some(match (batch, think) {
        (true, Span(0)) => {
            let at = number::instant(spec.arrival);
            format!("a micro-batch: arrives at {at}, or once the batches before it have ended")
        }
        (true, _) => {
            let at = number::instant(spec.arrival);
            format!("a micro-batch: arrives at {at}, or {pause}the batches before it have ended")
        }
        (false, Span(0)) => format!("arrives once {} has ended", scenario.job_label(before)),
        (false, _) => format!("arrives {pause}{} has ended", scenario.job_label(before)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrivals_name_what_they_wait_for() {
        let text = |sessions: &str| {
            format!(
                r#"{{"format":"fairlane/scenario@1","sessions":"{sessions}","jobs":[
                {{"user":"a","name":"scan","arrival_s":2,"stages":[{{"work_s":1}}]}},
                {{"user":"a","arrival_s":3,"after":{{"job":0}},"stages":[{{"work_s":1}}]}},
                {{"user":"a","arrival_s":4,"after":{{"job":0,"think_s":1.5}},"stages":[{{"work_s":1}}]}},
                {{"user":"a","arrival_s":5,"after":{{"job":0,"batch":true}},"stages":[{{"work_s":1}}]}},
                {{"user":"a","arrival_s":6,"after":{{"job":3,"batch":true,"think_s":1}},"stages":[{{"work_s":1}}]}}]}}"#
            )
        };
        let said = |sessions: &str| {
            let scenario = Scenario::from_json(&text(sessions)).expect("a sound file");
            (0..5).map(|job| words(&scenario, JobId(job))).collect::<Vec<_>>()
        };
        assert_eq!(
            said("closed"),
            [
                "arrives at 2.000 s",
                "arrives once scan has ended",
                "arrives 1.5 s after scan has ended",
                "a micro-batch: arrives at 5.000 s, or once the batches before it have ended",
                "a micro-batch: arrives at 6.000 s, or 1 s after the batches before it have ended",
            ]
        );
        let scenario = Scenario::from_json(&text("closed")).expect("a sound file");
        assert_eq!(sentence(&scenario, JobId(0)), "scan arrives at 2.000 s");
        let batch = "job 3, a micro-batch: arrives at 5.000 s, or once the batches before it have ended";
        assert_eq!(sentence(&scenario, JobId(3)), batch);
        // With open sessions every job arrives when the file says.
        assert_eq!(said("open")[1..3], ["arrives at 3.000 s", "arrives at 4.000 s"]);
    }
}
