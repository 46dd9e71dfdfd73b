//! The queues looked up in a journal against those that the engine had, on random scenarios.

mod common;

use std::cell::RefCell;
use std::rc::Rc;

use fairlane::engine::{Control, Engine, simulate_with_journal};

use fairlane::policy::explain::{
    Active, Activity, Clock, ClockJob, Explainer, Explanation, Part, Ranking, UserClock, Value,
};
use fairlane::policy::log::{JobHistory, Snapshot};
use fairlane::policy::queue::Scan;
use fairlane::policy::{
    ArrivingJob, Candidate, Context, Idling, Info, KeyBasis, PolicyId, PolicyKind, Ranked, RankedPolicy,
    RankedVisitor, SubmittedStage,
};
use fairlane::trace::{At, QueueIndex, RankedQueue, ranked_queue};
use fairlane::units::Time;
use fairlane::{Scenario, Trace};
use proptest::prelude::*;

/// A policy that records what it was asked and what it answered.
struct Spy<P: RankedPolicy + Explainer> {
    inner: P,
    log: Rc<RefCell<Log<P::Key>>>,
}

struct Log<K> {
    /// Every key asked for: the engine asks once for each waiting stage in each offer round.
    keys: Vec<(Candidate, K, Explanation)>,
    /// The clock after each submission: CFQ's stands still on arrivals.
    clocks: Vec<(u32, Time, Option<Clock>)>,
}

impl<P: RankedPolicy + Explainer> Ranking for Spy<P> {
    type Key = P::Key;

    fn key(&self, stage: &Candidate) -> P::Key {
        let key = self.inner.key(stage);
        self.log.borrow_mut().keys.push((*stage, key, self.inner.explain(stage)));
        key
    }
}

impl<P: RankedPolicy + Explainer> RankedPolicy for Spy<P> {
    const BASIS: KeyBasis<P::Key> = P::BASIS;
    const BY_USER: bool = P::BY_USER;

    // The engine asks for every key in each round. That it gives the same schedule as the policy's own queue is
    // checked as well.
    type Queue = Scan;
    type Reference = P::Reference;

    fn info() -> &'static Info {
        P::info()
    }

    fn new(context: &Context) -> Self {
        let log = Log { keys: Vec::new(), clocks: Vec::new() };
        Spy { inner: P::new(context), log: Rc::new(RefCell::new(log)) }
    }

    fn job_arrived(&mut self, now: Time, job: &ArrivingJob) {
        self.inner.job_arrived(now, job);
    }

    fn stage_submitted(&mut self, now: Time, stage: &SubmittedStage) {
        self.inner.stage_submitted(now, stage);
        self.log.borrow_mut().clocks.push((stage.event, now, self.inner.clock()));
    }
}

struct Watched<K> {
    trace: Trace,
    log: Log<K>,
}

fn watch<P: RankedPolicy<Key: 'static> + Explainer + 'static>(
    scenario: &Scenario,
    id: PolicyId,
) -> Watched<P::Key> {
    let context = Context::new(scenario, id.partitioning);
    let spy = Spy::<P>::new(&context);
    let log = Rc::clone(&spy.log);
    let policy = Ranked::with(spy, Scan::default());
    let mut engine = Engine::with(scenario, id.partitioning, policy);
    while engine.step() {}
    let trace = engine.into_trace().expect("the adapter keeps the contract");
    let log = Rc::into_inner(log).expect("the engine is gone").into_inner();
    Watched { trace, log }
}

fn check_all(scenario: &Scenario) {
    for id in PolicyId::all() {
        id.kind.visit_ranked(Check(scenario, id));
    }
}

/// Checks every look-up against what the policy's reference said during the simulation.
struct Check<'a>(&'a Scenario, PolicyId);

impl RankedVisitor for Check<'_> {
    type Output = ();

    fn visit<P: RankedPolicy + 'static>(self) {
        check::<P::Reference>(self.0, self.1);
    }
}

/// Keys of ranked policies do not depend on it.
struct NoHistory;

impl JobHistory for NoHistory {
    fn held(&self, _: fairlane::ids::Rank) -> [u64; 2] {
        [0; 2]
    }

    fn used(&self, _: fairlane::ids::Rank, _: Time) -> [u128; 2] {
        [0; 2]
    }
}

fn check<P: RankedPolicy + Explainer + 'static>(scenario: &Scenario, id: PolicyId) {
    let Watched { trace, log } = watch::<P>(scenario, id);
    let (fast, journal) =
        simulate_with_journal(scenario, id, &mut |_| Control::Continue).expect("nobody stops it");
    assert_eq!(trace, fast, "{id}: watching changes nothing");
    let index = QueueIndex::new(scenario, &trace, &journal);
    let ask = |at| ranked_queue(scenario, &trace, &journal, &index, at, usize::MAX);
    let mut asked = log.keys.into_iter();
    let mut covered = 0;
    for round in &journal.rounds {
        let first = round.launched as usize;
        let queue = ask(At::Dispatch(first));
        let mut live: Vec<_> = asked.by_ref().take(queue.waiting).collect();
        live.sort_by_key(|&(_, key, _)| key);
        assert_eq!(queue.stages.len(), live.len(), "{id}: as many stages wait");
        for (mine, (candidate, _, explanation)) in queue.stages.iter().zip(&live) {
            assert_eq!(mine.id, candidate.id, "{id}: the same stages in the same order");
            assert_eq!(mine.running, candidate.running, "{id}");
            assert_eq!(mine.user_running, candidate.user_running, "{id}");
            assert_eq!(mine.key.parts, explanation.parts, "{id}: the same key, bit by bit");
            check_facts(&mine.key, id);
        }
        for pair in queue.stages.windows(2) {
            let [first, second] = [&pair[0].key, &pair[1].key];
            let part = first.decided_by(second).expect("keys differ");
            let order = first.parts[part].value.compare(&second.parts[part].value);
            assert!(order.is_lt(), "{id}: what is shown orders the stages");
        }
        let launches = check_launches(&trace, &queue, id, &ask);
        // Asked for once more for each further launch of the round.
        for _ in 1..launches {
            let waiting = asked.as_slice().len().min(queue.waiting);
            asked.by_ref().take(waiting).for_each(drop);
        }
        covered += launches;
    }
    assert_eq!((covered, asked.next().is_none()), (trace.tasks.len(), true), "{id}: every task, every key");
    for (event, now, clock) in log.clocks {
        if id.kind == PolicyKind::UwfqReleased {
            // It is drawn as a line between its readings in whole milliseconds.
            break;
        }
        let events = &journal.events[..=event as usize];
        let snapshot = Snapshot { log: &journal.log, events, at: now.0 as f64, jobs: &NoHistory };
        compare_clocks(id, clock, P::at(&Context::new(scenario, id.partitioning), &snapshot).clock());
    }
}

/// The round launches what the queue says, in its order; how many tasks.
fn check_launches(
    trace: &Trace,
    queue: &RankedQueue,
    id: PolicyId,
    ask: &dyn Fn(At) -> RankedQueue,
) -> usize {
    let mut next = queue.launched as usize;
    for (place, stage) in queue.stages.iter().enumerate() {
        for _ in 0..stage.launches {
            let run = &trace.tasks[next];
            assert_eq!((run.job, run.stage, run.start), (stage.job, stage.stage, queue.time), "{id}");
            let asked = ask(At::Dispatch(next));
            assert_eq!(asked.chosen, Some(place), "{id}");
            assert_eq!(asked.stages, queue.stages, "{id}: one round, one queue");
            next += 1;
        }
    }
    next - queue.launched as usize
}

/// UWFQ: the facts add up to the deadline, with the engine's own arithmetic.
fn check_facts(key: &Explanation, id: PolicyId) {
    let fact = |name: &str| {
        let fact = key.facts.iter().find(|fact| fact.name == name);
        fact.map(|Part { value, .. }| match *value {
            Value::Work(micros) | Value::WorkPerWeight(micros) => micros,
            Value::Weight(weight) => weight.value(),
            ref other => panic!("{other} is not a number"),
        })
    };
    let sum = match id.kind {
        PolicyKind::Cfq => fact("V at submission").zip(fact("estimated work")).map(|(v, work)| v + work),
        PolicyKind::Uwfq => fact("V at the user's entry (Va)").and_then(|va| {
            let work = fact("work served since")? + fact("work of those")? + fact("its estimated work")?;
            Some(va + work / fact("weight")?)
        }),
        _ => return,
    };
    let (Value::Work(deadline) | Value::WorkPerWeight(deadline)) = key.parts[0].value else {
        panic!("{id} orders by deadline")
    };
    assert!(sum.is_none_or(|sum| sum == deadline), "{id}: {sum:?} is not {deadline}");
    assert!(sum.is_some() || key.remark.is_some(), "{id}: facts or a remark");
}

/// The recalled clock is that of the instant; the live one only notices at the next event who has
/// ended virtually at this very instant.
fn compare_clocks(id: PolicyId, live: Option<Clock>, recalled: Option<Clock>) {
    let (Some(live), Some(recalled)) = (live, recalled) else {
        assert!(!matches!(id.kind, PolicyKind::Cfq | PolicyKind::Uwfq));
        return;
    };
    let v = live.virtual_time;
    assert_eq!(v, recalled.virtual_time, "{id}");
    match (live.active, recalled.active) {
        (Active::Stages(mut live), Active::Stages(recalled)) => {
            live.retain(|&(_, deadline)| deadline > v);
            assert_eq!(live, recalled);
        }
        (Active::Users(live), Active::Users(recalled)) => {
            assert_eq!(live.len(), recalled.len());
            for (live, recalled) in live.iter().zip(&recalled) {
                compare_users(v, live, recalled);
            }
        }
        (live, recalled) => panic!("{live:?} {recalled:?}"),
    }
}

fn compare_users(v: f64, live: &UserClock, recalled: &UserClock) {
    let standing = |user: &UserClock| (user.user, user.virtual_arrival, user.end);
    assert_eq!(standing(live), standing(recalled));
    let scale = live.end.abs().max(1.0);
    if live.activity == Activity::Left || recalled.activity == Activity::Left {
        assert!(recalled.activity == Activity::Left && live.end <= v + 1e-9 * scale, "{live:?} {recalled:?}");
        return;
    }
    // Vu is not noted at every change of the others, so its last bits may differ.
    assert!((live.user_time - recalled.user_time).abs() <= 1e-9 * scale, "{live:?} {recalled:?}");
    let unfinished = |user: &UserClock| {
        let jobs = user.jobs.iter().filter(|job| job.user_deadline > live.user_time + 1e-9 * scale);
        jobs.copied().collect::<Vec<_>>()
    };
    let (live, recalled) = (unfinished(live), unfinished(recalled));
    let deadlines =
        |jobs: &[ClockJob]| jobs.iter().map(|job| (job.rank, job.estimate, job.deadline)).collect::<Vec<_>>();
    assert_eq!(deadlines(&live), deadlines(&recalled));
    for (live, recalled) in live.iter().zip(&recalled) {
        assert!((live.user_deadline - recalled.user_deadline).abs() <= 1e-9 * scale, "{live:?} {recalled:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_queue_looked_up_is_the_queue_there_was((seed, jobs) in (any::<u64>(), 1..=12_u64)) {
        let scenario = common::like_real_spark(seed, jobs);
        // Where memory is modelled the engine asks for keys in rounds that launch nothing, which no journal has.
        let mut cluster = scenario.cluster().clone();
        cluster.memory_per_executor = None;
        check_all(&scenario.to_builder().cluster(cluster).build().expect("a sound scenario"));
    }
}

/// Under policies whose keys follow from counts alone, the first of the queue that is looked up is what was launched;
/// under Tetris also where memory is modelled.
fn first_is_launched(scenario: &Scenario, policies: &[&str]) {
    for policy in policies {
        let id: PolicyId = policy.parse().expect("a policy");
        let (trace, journal) =
            simulate_with_journal(scenario, id, &mut |_| Control::Continue).expect("nobody stops it");
        // Of tasks without length and tasks that a drop ends at one instant, a trace does not say which ended first.
        if !trace.killed.is_empty() && trace.tasks.iter().any(|run| run.start == run.end) {
            continue;
        }
        let index = QueueIndex::new(scenario, &trace, &journal);
        for round in &journal.rounds {
            let task = round.launched as usize;
            let queue = ranked_queue(scenario, &trace, &journal, &index, At::Dispatch(task), 1);
            assert_eq!(queue.chosen, Some(0), "{id}, task {task}: {}", queue.reason);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn a_job_or_a_score_looked_up_is_the_one_that_was_launched((seed, jobs) in (any::<u64>(), 1..=12_u64)) {
        let scenario = Scenario::from_json(&common::costly_scenario_of(seed, jobs)).expect("a sound file");
        first_is_launched(&scenario, &["tetris", "tetris-p"]);
        let mut cluster = scenario.cluster().clone();
        cluster.memory_per_executor = None;
        let scenario = scenario.to_builder().cluster(cluster).build().expect("a sound scenario");
        first_is_launched(&scenario, &["tetris", "paf", "paf-p", "baseline-fs", "reactive-fs", "reactive-fs-p"]);
    }
}

#[test]
fn instants_and_the_end() {
    let scenario = Scenario::from_json(&common::random_scenario_of(3, 12)).expect("a sound file");
    for id in PolicyId::all() {
        let (trace, journal) = fairlane::engine::simulate_with_journal(&scenario, id, &mut |_| {
            fairlane::engine::Control::Continue
        })
        .expect("nobody asks to stop");
        let index = QueueIndex::new(&scenario, &trace, &journal);
        let ask = |at| ranked_queue(&scenario, &trace, &journal, &index, At::Instant(at), 3);
        for run in &trace.tasks {
            let queue = ask(run.start);
            let idles = id.kind.info().idling == Idling::OnPurpose;
            assert!(queue.free == 0 || queue.waiting == 0 || idles, "{id}");
            assert!(queue.stages.len() <= 3);
            let waiting: u32 = index.loads.at(&trace, run.start).iter().map(|load| load.waiting).sum();
            assert_eq!(waiting == 0, queue.waiting == 0, "{id}");
        }
        let end = ask(trace.end());
        assert_eq!((end.waiting, end.reason.as_str()), (0, "No stage waits."), "{id}");
    }
}
