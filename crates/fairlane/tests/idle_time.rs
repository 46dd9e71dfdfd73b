//! Time in which nothing happens costs no events, and leaves the same behind as if it did.

use fairlane::engine::{Control, Engine, create, simulate_observed};
use fairlane::ids::StageIndex;
use fairlane::policy::explain::{Explanation, Key};
use fairlane::policy::{Actions, Context, Info, Launch, Policy, PolicyId, PolicyKind, StageView, View};
use fairlane::replay::{Replay, ReplayPoint};
use fairlane::scenario::PartitionMode;
use fairlane::trace::{ExecutorRun, TaskRun};
use fairlane::units::{Span, Time};
use fairlane::{Scenario, simulate};
use proptest::prelude::*;
use serde_json::json;

/// Karma that passes over periods, or that receives every tick.
#[derive(Clone)]
struct Ticking<const PASSES: bool>(Box<dyn Policy>);

impl<const PASSES: bool> Policy for Ticking<PASSES> {
    fn info() -> &'static Info {
        PolicyKind::Karma.info()
    }

    fn new(context: &Context) -> Self {
        Ticking(create(context.scenario, "karma".parse().expect("a policy")).expect("a registered policy"))
    }

    fn tick(&self) -> Option<Span> {
        self.0.tick()
    }

    fn ticked(&mut self, view: &View, actions: &mut Actions) {
        self.0.ticked(view, actions);
    }

    fn pass_periods(&mut self, periods: u64, view: &View) -> u64 {
        if PASSES { self.0.pass_periods(periods, view) } else { 0 }
    }

    fn counts_changed(&mut self, stage: StageIndex, view: &View) {
        self.0.counts_changed(stage, view);
    }

    fn next_task(&mut self, view: &View) -> Option<Launch> {
        self.0.next_task(view)
    }

    fn key(&self, stage: StageView) -> Key {
        self.0.key(stage)
    }
}

/// Jobs of some seconds, up to some minutes apart.
fn files() -> impl Strategy<Value = Scenario> {
    let job = (0..3_u32, 0..400_u64, prop::collection::vec(1..80_u32, 1..8));
    let allocation = (0..3_u32, 0..30_u32, 0..30_u32, 1..50_u32, 0..400_u32, any::<bool>());
    (prop::collection::vec(job, 1..8), prop::option::of(allocation), 0..=4_u32, 1..30_u32).prop_map(
        |(jobs, allocation, alpha, quantum)| {
            let tenths = |number: u32| f64::from(number) / 10.0;
            let jobs = jobs.into_iter().map(|(user, arrival_s, tasks)| {
                let tasks: Vec<f64> = tasks.into_iter().map(tenths).collect();
                json!({ "user": format!("u{user}"), "arrival_s": arrival_s, "stages": [{ "tasks_s": tasks }] })
            });
            let mut file = json!({
                "format": "fairlane/scenario@1", "cluster": { "executors": 3, "cores_per_executor": 2 },
                "policies": { "karma": { "alpha": f64::from(alpha) / 4.0, "quantum_s": tenths(quantum) } },
                "jobs": jobs.collect::<Vec<_>>(),
            });
            if let Some((min, backlog, sustained, idle, start, whole)) = allocation {
                // Some requests fall between two ticks.
                let time = |number: u32| if whole { f64::from(number) } else { f64::from(number) / 30.0 };
                file["cluster"]["dynamic_allocation"] = json!({
                    "min": min, "backlog_s": time(backlog), "sustained_s": time(sustained),
                    "idle_s": time(idle), "start_s": time(start),
                });
            }
            Scenario::from_json(&file.to_string()).expect("a sound file")
        },
    )
}

/// What is left of a simulation: its schedule, and what the policy knows of the users.
fn left<const PASSES: bool>(scenario: &Scenario) -> (Vec<TaskRun>, Vec<ExecutorRun>, Vec<Explanation>) {
    let mut engine = Engine::<Ticking<PASSES>>::new(scenario, PartitionMode::Default);
    while engine.step() {}
    let users: Vec<Explanation> =
        engine.policy().0.users(engine.view()).into_iter().map(|(_, explanation)| explanation).collect();
    let trace = engine.into_trace().expect("karma keeps the contract");
    (trace.tasks, trace.executors, users)
}

proptest! {
    #[test]
    fn ticks_passed_over_leave_what_ticks_leave(scenario in files()) {
        prop_assert_eq!(left::<true>(&scenario), left::<false>(&scenario));
    }
}

fn scenario(file: serde_json::Value) -> Scenario {
    Scenario::from_json(&file.to_string()).expect("a sound file")
}

/// Two jobs at the date of their submission.
fn after_years() -> Scenario {
    scenario(json!({ "format": "fairlane/scenario@1", "jobs": [
        { "user": "a", "arrival_s": 1_700_000_000, "stages": [{ "work_s": 4 }] },
        { "user": "b", "arrival_s": 1_700_000_010, "stages": [{ "work_s": 7 }] }] }))
}

/// Executors that take years to start, alone and with ticks of Karma meanwhile.
fn slow_start() -> Scenario {
    scenario(json!({ "format": "fairlane/scenario@1",
        "cluster": { "executors": 2, "cores_per_executor": 4,
            "dynamic_allocation": { "start_s": 2_147_483_648_u32 } },
        "jobs": [{ "user": "a", "arrival_s": 0, "stages": [{ "work_s": 4 }] }] }))
}

#[test]
fn years_without_events_take_no_time() {
    for scenario in [after_years(), slow_start()] {
        for policy in PolicyId::all() {
            let mut reports = 0;
            let trace = simulate_observed(&scenario, policy, &mut |_| {
                reports += 1;
                if reports > 20 { Control::Stop } else { Control::Continue }
            });
            assert!(trace.is_ok(), "{policy} handles more than 160 000 events");
        }
    }
}

/// An explanation in the middle of the years knows the credits of its instant, not those at their end.
#[test]
fn a_look_at_idle_time_sees_its_instant() {
    let scenario = after_years();
    let trace = simulate(&scenario, "karma".parse().expect("a policy"));
    let mut replay = Replay::new(&scenario, trace.policy).expect("a registered policy");
    let mut credits = |seconds: u64| {
        let moment = replay.at(&trace, ReplayPoint::Instant(Time(seconds * 1_000_000))).expect("an instant");
        let (_, user) = moment.users().swap_remove(0);
        user.facts.iter().find(|fact| fact.name == "credits").expect("credits").value.clone()
    };
    let [late, early, later] = [1_000_000, 10, 1_500_000_000].map(&mut credits);
    let expected = [1e6 + 1e6, 1e6 + 10.0, 1e6 + 15e8].map(fairlane::policy::explain::Value::Score);
    assert_eq!([late, early, later], expected);
}
