//! Edits of what happens at an instant: executors are lost or return, and jobs are cancelled.

use serde_json::Value;

use super::set::json;
use super::{Edit, ObjectPath};
use crate::ids::JobId;
use crate::scenario::file::places::{LossFile, PreemptionFile, SpeculationFile};
use crate::scenario::{Loss, Preemption, Scenario, Speculation};
use crate::units::Time;

impl Edit {
    /// Takes an executor away at an instant. One that is away then returns at that instant, or is not lost at all if that
    /// is when it was lost, or if executors are allocated dynamically.
    pub fn toggle_executor(scenario: &Scenario, executor: u32, at: Time) -> Edit {
        let cluster = scenario.cluster();
        let mut losses = cluster.losses.clone();
        let is_away = |loss: &Loss| {
            loss.executor == executor && loss.at <= at && loss.back.is_none_or(|back| at < loss.at + back)
        };
        let verb = match losses.iter().position(is_away) {
            Some(place) => {
                let loss = &mut losses[place];
                if loss.at < at && cluster.dynamic_allocation.is_none() {
                    loss.back = Some(at.since(loss.at));
                } else {
                    losses.remove(place);
                }
                "bring back"
            }
            None => {
                losses.push(Loss { at, executor, back: None });
                losses.sort_by_key(|loss| (loss.at, loss.executor));
                "take away"
            }
        };
        set_losses(format!("{verb} executor {executor}"), losses)
    }

    /// An executor is not lost, by the index of its loss, if there is one.
    pub fn remove_loss(scenario: &Scenario, index: usize) -> Edit {
        let mut losses = scenario.cluster().losses.clone();
        if index < losses.len() {
            losses.remove(index);
        }
        set_losses("remove a loss".to_owned(), losses)
    }

    /// Attempts are killed for users or pools that have had too few cores, or no longer are.
    pub fn preemption(preemption: Option<&Preemption>) -> Edit {
        let json = preemption.map(|preemption| json(&PreemptionFile::from(preemption)));
        Edit::set(ObjectPath::Cluster, "preemption", json)
    }

    /// Slow tasks get second attempts, or no longer do.
    pub fn speculation(speculation: Option<&Speculation>) -> Edit {
        let json = speculation.map(|speculation| json(&SpeculationFile::from(speculation)));
        Edit::set(ObjectPath::Cluster, "speculation", json)
    }

    /// Cancels a job at an instant, counted from its arrival; one that is cancelled then already is not any more.
    pub fn toggle_cancellation(scenario: &Scenario, job: JobId, at: Time) -> Edit {
        let spec = &scenario.jobs()[job.index()];
        let after = at.since(spec.arrival);
        let set = |seconds: Option<f64>| Edit::set(ObjectPath::Job(job), "cancel_s", seconds);
        match spec.cancel == Some(after) {
            true => Edit::several(format!("do not cancel {}", scenario.job_label(job)), vec![set(None)]),
            false => {
                Edit::several(format!("cancel {}", scenario.job_label(job)), vec![set(Some(after.seconds()))])
            }
        }
    }
}

fn set_losses(title: String, losses: Vec<Loss>) -> Edit {
    let json = |loss| serde_json::to_value(LossFile::from(loss)).expect("a loss is an object in JSON");
    let losses: Vec<Value> = losses.into_iter().map(json).collect();
    Edit::several(title, vec![Edit::set(ObjectPath::Cluster, "losses", losses)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Span;

    fn scenario() -> Scenario {
        let cluster = r#""cluster":{"executors":2,"cores_per_executor":1}"#;
        let job = r#"{"user":"ana","arrival_s":1,"stages":[{"tasks_s":[5,5]}]}"#;
        let file = format!(
            r#"{{"format":"fairlane/scenario@1","name":"two",{cluster},"users":[{{"name":"ana"}}],"jobs":[{job}]}}"#
        );
        Scenario::from_json(&file).expect("a sound file")
    }

    fn toggled(scenario: &Scenario, executor: u32, seconds: u64) -> Scenario {
        let edit = Edit::toggle_executor(scenario, executor, Time(seconds * 1_000_000));
        scenario.with(&edit).expect("a possible edit")
    }

    /// Where tasks take 2 s at most they are killed after half a second; where they take minutes, after 30 s as usual.
    #[test]
    fn preemption_suits_the_longest_task() {
        let suiting = |seconds: u64| {
            let text = format!(
                r#"{{"format":"fairlane/scenario@1","jobs":[
                {{"user":"ana","arrival_s":0,"stages":[{{"tasks_s":[1,{seconds},1]}}]}}]}}"#
            );
            let scenario = Scenario::from_json(&text).expect("a good scenario");
            let preemption = Preemption::suiting(&scenario);
            let set = scenario.with(&Edit::preemption(Some(&preemption))).expect("a possible edit");
            assert_eq!(set.cluster().preemption.as_ref(), Some(&preemption));
            let removed = set.with(&Edit::preemption(None)).expect("a possible edit");
            assert_eq!(removed.cluster().preemption, None);
            [preemption.after, preemption.interval].map(Span::seconds)
        };
        assert_eq!(suiting(2), [0.5, 0.1]);
        assert_eq!(suiting(20), [5.0, 1.0]);
        assert_eq!(suiting(600), [30.0, 5.0]);
        assert_eq!(Preemption::suiting(&Scenario::from_json(
            r#"{"format":"fairlane/scenario@1","jobs":[{"user":"ana","arrival_s":0,"stages":[{"tasks_s":[0]}]}]}"#,
        ).expect("a good scenario")).interval, Span(1));
    }

    #[test]
    fn an_executor_is_lost_and_returns_at_the_instants_of_two_edits() {
        let at = |seconds: u64| Time(seconds * 1_000_000);
        let lost = toggled(&scenario(), 1, 3);
        assert_eq!(lost.cluster().losses, [Loss { at: at(3), executor: 1, back: None }]);
        let back = toggled(&lost, 1, 5);
        assert_eq!(back.cluster().losses, [Loss { at: at(3), executor: 1, back: Some(Span(2_000_000)) }]);
        // At the instant of its loss it is not lost; once it is back another can be lost, or it can be again.
        assert_eq!(toggled(&back, 1, 3).cluster().losses, []);
        let again = toggled(&back, 0, 2);
        let executors: Vec<(u32, Time)> =
            again.cluster().losses.iter().map(|loss| (loss.executor, loss.at)).collect();
        assert_eq!(executors, [(0, at(2)), (1, at(3))]);
        let fewer = again.with(&Edit::remove_loss(&again, 0)).expect("a possible edit");
        assert_eq!(fewer.cluster().losses, back.cluster().losses);
        assert_eq!(toggled(&back, 1, 5).cluster().losses.len(), 2);
    }

    #[test]
    fn the_last_executor_is_not_lost_for_good() {
        let lost = toggled(&scenario(), 1, 3);
        let error = lost.with(&Edit::toggle_executor(&lost, 0, Time(4_000_000))).expect_err("none is left");
        assert!(error.to_string().contains("back_s"), "{error}");
    }

    #[test]
    fn a_job_is_cancelled_at_an_instant_and_not_by_a_second_edit() {
        let scenario = scenario();
        let edit = |scenario: &Scenario| Edit::toggle_cancellation(scenario, JobId(0), Time(4_000_000));
        assert_eq!(edit(&scenario).title(&scenario), "cancel job 0");
        let cancelled = scenario.with(&edit(&scenario)).expect("a possible edit");
        assert_eq!(cancelled.jobs()[0].cancel, Some(Span(3_000_000)));
        let kept = cancelled.with(&edit(&cancelled)).expect("a possible edit");
        assert_eq!(kept.jobs()[0].cancel, None);
    }
}
