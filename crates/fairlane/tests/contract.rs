//! The contract between policies and the engine: a policy that breaks a rule is an error that names policy, instant and
//! rule; one that waits, drops, rejects and wakes is obeyed.

use crate::scripted;
use crate::scripted::{Script, Scripted};
use fairlane::engine::Engine;
use fairlane::ids::{CoreId, Rank, StageIndex};
use fairlane::policy::explain::Key;
use fairlane::policy::{Context, Idling, Info, Launch, Policy, PolicyKind, Rule, StageView, View};
use fairlane::scenario::PartitionMode;
use fairlane::trace::{Outcome, check};
use fairlane::units::Time;
use fairlane::{Scenario, Trace};

/// Two cores; job a (2 x 4 s) at 0 s, job b (1 x 1 s) at 1 s, job c (1 x 1 s) at 2 s.
fn scenario() -> Scenario {
    Scenario::from_json(
        r#"{ "format": "fairlane/scenario@1", "cluster": { "cores_per_executor": 2, "memory_mb_per_executor": 10 },
             "jobs": [
                { "user": "ana", "arrival_s": 0, "stages": [{ "tasks_s": [4, 4], "memory_mb": 4 }] },
                { "user": "ben", "arrival_s": 1, "stages": [{ "tasks_s": [1], "memory_mb": 9 }] },
                { "user": "ben", "arrival_s": 2, "stages": [{ "tasks_s": [1] }] } ] }"#,
    )
    .expect("a good scenario")
}

fn run(script: Script) -> Result<Trace, Rule> {
    let result = scripted::run(&scenario(), script);
    result.map_err(|error| {
        assert_eq!(error.policy, "scripted");
        assert!(error.to_string().starts_with("the policy scripted broke a rule at "), "{error}");
        error.rule
    })
}

fn starts(trace: &Trace) -> Vec<(u32, f64, f64)> {
    trace.tasks.iter().map(|run| (run.job.0, run.start.seconds(), run.end.seconds())).collect()
}

#[test]
fn a_policy_from_outside_is_simulated() {
    let trace = run(Script::Greedy).expect("it keeps the contract");
    // When the first core is freed, job b does not fit beside the other task of job a; job c does.
    assert_eq!(starts(&trace), [(0, 0.0, 4.0), (0, 0.0, 4.0), (2, 4.0, 5.0), (1, 4.0, 5.0)]);
    assert_eq!(check(&scenario(), &trace), Ok(()));
    assert_eq!(trace.policy.kind, PolicyKind::of::<Scripted>());
    assert_eq!(trace.policy.title(), "Scripted");
}

#[test]
fn a_dropped_job_ends_at_once_and_a_rejected_one_never_runs() {
    let trace = run(Script::DropAndReject).expect("it keeps the contract");
    assert_eq!(starts(&trace), [(0, 0.0, 2.5), (0, 0.0, 2.5), (1, 2.5, 3.5)]);
    assert_eq!(trace.killed, [0, 1]);
    let outcomes: Vec<Outcome> = trace.jobs.iter().map(|job| job.outcome).collect();
    let at = |seconds: f64| Time((seconds * 1e6) as u64);
    assert_eq!(outcomes, [Outcome::Dropped(at(2.5)), Outcome::Finished(at(3.5)), Outcome::Rejected(at(2.0))]);
    assert_eq!(check(&scenario(), &trace), Ok(()));
    let file: serde_json::Value = serde_json::from_str(&trace.to_json()).expect("JSON");
    assert_eq!(file["killed"], serde_json::json!([0, 1]));
    assert_eq!(file["jobs"][2]["outcome"], "rejected");
}

#[test]
fn a_waiting_job_starts_when_its_policy_says() {
    let trace = run(Script::Delay).expect("it keeps the contract");
    assert_eq!(starts(&trace), [(0, 1.0, 5.0), (0, 1.0, 5.0), (2, 5.0, 6.0), (1, 5.0, 6.0)]);
}

#[test]
fn every_broken_rule_is_named() {
    let launch = |stage, core| Script::Launch(Launch { stage: StageIndex(stage), core: CoreId(core) });
    assert_eq!(run(launch(0, 7)), Err(Rule::CoreNotFree(CoreId(7))));
    assert_eq!(run(launch(1, 0)), Err(Rule::StageNotSubmitted(StageIndex(1))));
    assert_eq!(run(launch(99, 0)), Err(Rule::StageNotSubmitted(StageIndex(99))));
    assert_eq!(run(launch(0, 0)), Err(Rule::CoreNotFree(CoreId(0))), "its second task on the same core");
    assert_eq!(run(Script::Idle), Err(Rule::IdleCore(CoreId(0))));
    assert_eq!(run(Script::StartTwice), Err(Rule::NotWaiting(Rank(0))));
    assert_eq!(run(Script::DropEnded), Err(Rule::NotDroppable(Rank(0))));
    assert_eq!(run(Script::WakeInThePast), Err(Rule::WakeInThePast(Time(0))));
    assert_eq!(run(Script::NeverStart), Err(Rule::NeverStarted(Rank(1))));
    assert_eq!(run(Script::TickAtOnce), Err(Rule::ZeroPeriod));
    assert_eq!(Info::DEFAULT.idling, Idling::Never);
}

/// Launches a task of a stage that it is told, and nothing else.
#[derive(Clone)]
struct Told(Option<StageIndex>);

impl Policy for Told {
    fn info() -> &'static Info {
        &Info { id: "told", title: "Told", idling: Idling::OnPurpose, ..Info::DEFAULT }
    }

    fn new(_: &Context) -> Told {
        Told(None)
    }

    fn next_task(&mut self, view: &View) -> Option<Launch> {
        let stage = self.0.take()?;
        Some(Launch { stage, core: view.lowest_fitting_core(stage)? })
    }

    fn moves_cores(&self) -> bool {
        true
    }

    fn key(&self, stage: StageView) -> Key {
        Key::new(stage, [])
    }
}

/// Once an instant is over, the first stage with a task that fits a core goes first.
fn told(scenario: &Scenario) -> Trace {
    let mut engine = Engine::with(scenario, PartitionMode::Default, Told(None));
    loop {
        let is_over = engine.next_instant() != Some(engine.view().now());
        let view = engine.view();
        let fits = |stage: &StageView| view.lowest_fitting_core(stage.index()).is_some();
        let first = view.waiting().find(fits).map(|stage| stage.index());
        match first.filter(|_| is_over) {
            Some(stage) => {
                engine.policy_mut().0 = Some(stage);
                engine.offer_again();
            }
            None if !engine.step() => break,
            None => {}
        }
    }
    engine.into_trace().expect("it keeps the contract")
}

#[test]
fn a_policy_is_told_between_two_events() {
    let trace = told(&scenario());
    // Both tasks of job a have ended before anything is decided, so that job b fits.
    assert_eq!(starts(&trace), [(0, 0.0, 4.0), (0, 0.0, 4.0), (1, 4.0, 5.0), (2, 4.0, 5.0)]);
    assert_eq!(check(&scenario(), &trace), Ok(()));
    // Where cores belong to jobs, it is asked for those of others, too.
    let text = scenario().to_compact_json();
    let text =
        text.replace("\"cluster\":{", "\"cluster\":{\"executors_belong\":\"jobs\",\"core_move_s\":0.5,");
    let belonging = Scenario::from_json(&text).expect("a good scenario");
    let trace = told(&belonging);
    assert_eq!(starts(&trace), [(0, 0.0, 4.5), (0, 0.0, 4.5), (1, 4.5, 6.0), (2, 4.5, 6.0)]);
    assert_eq!(check(&belonging, &trace), Ok(()));
}
