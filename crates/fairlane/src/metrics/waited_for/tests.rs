//! Small workloads, worked out by hand.

mod reference;

use super::*;
use crate::catalog;

const ANA: UserId = UserId(0);
const BEN: UserId = UserId(1);
const CHO: UserId = UserId(2);
const DAN: UserId = UserId(3);

fn waiting_under(policy: &str, cores: u32, jobs: &str) -> Waiting {
    let text = format!(
        r#"{{"format": "fairlane/scenario@1", "cluster": {{"cores_per_executor": {cores}}}, "jobs": [{jobs}]}}"#
    );
    let scenario = Scenario::from_json(&text).expect("a good scenario");
    waiting(&scenario, &crate::simulate(&scenario, policy.parse().expect("a policy")))
}

fn wait(holder: Holder, core_s: f64, from: u64, to: u64) -> WaitedFor {
    let longest = Stretch { from: Time(from * 1_000_000), to: Time(to * 1_000_000) };
    WaitedFor { holder, core_time: core_s * 1e6, longest }
}

/// Two cores. ana's four tasks of 2 s arrive at 0 s, ben's two of 1 s at 1 s. FIFO gives ana both cores until 4 s. ana
/// alone has her share, though two of her tasks wait. From 1 s on each could use two cores and is owed one: for three
/// seconds ben is one core short, and ana has one too many.
#[test]
fn a_user_is_owed_a_share_and_no_more() {
    let jobs = r#"{"user": "ana", "arrival_s": 0, "stages": [{"tasks_s": [2, 2, 2, 2]}]},
        {"user": "ben", "arrival_s": 1, "stages": [{"tasks_s": [1, 1]}]}"#;
    let fifo = waiting_under("fifo", 2, jobs);
    let waits = vec![wait(Holder::User(ANA), 3.0, 1, 4)];
    let longest = waits[0].longest;
    let ben = Waiter { user: BEN, core_time: 3e6, longest, waits };
    let expected = Waiting { rows: vec![ben], holders: vec![Holder::User(ANA)], driver: Vec::new() };
    assert_eq!(fifo, expected);
    // UJF gives ben the first core that ana frees.
    let ujf = waiting_under("ujf", 2, jobs);
    assert_eq!(ujf.rows[0].waits, [wait(Holder::User(ANA), 1.0, 1, 2)]);
    assert_eq!((ujf.core_seconds(), ujf.core_seconds_of(BEN), ujf.core_seconds_of(ANA)), (1.0, 1.0, 0.0));
}

/// Six cores under FIFO. Until 4 s ana holds four and ben two; cho and dan arrive at 1 s with six tasks of 4 s each.
///
/// | seconds | share     | short          | excess           |
/// |---------|-----------|----------------|------------------|
/// | 1 to 4  | 6 / 4     | cho, dan: 1.5  | ana 2.5, ben 0.5 |
/// | 4 to 8  | 6 / 2     | dan: 3         | cho 3            |
///
/// So cho waits for ana at 1.5 · 2.5 / 3 = 1.25 cores and for ben at 0.25, for three seconds, and dan too.
#[test]
fn those_with_more_than_their_share_are_waited_for_in_proportion() {
    let jobs = r#"{"user": "ana", "arrival_s": 0, "stages": [{"tasks_s": [4, 4, 4, 4]}]},
        {"user": "ben", "arrival_s": 0, "stages": [{"tasks_s": [4, 4]}]},
        {"user": "cho", "arrival_s": 1, "stages": [{"tasks_s": [4, 4, 4, 4, 4, 4]}]},
        {"user": "dan", "arrival_s": 1, "stages": [{"tasks_s": [4, 4, 4, 4, 4, 4]}]}"#;
    let waiting = waiting_under("fifo", 6, jobs);
    let both = [wait(Holder::User(ANA), 3.75, 1, 4), wait(Holder::User(BEN), 0.75, 1, 4)];
    let [dan, cho] = &waiting.rows[..] else { panic!("{waiting:?}") };
    assert_eq!((dan.user, &dan.waits[0]), (DAN, &wait(Holder::User(CHO), 12.0, 4, 8)));
    assert_eq!((&dan.waits[1..], dan.core_seconds()), (&both[..], 16.5));
    assert_eq!(dan.longest, Stretch { from: Time(1_000_000), to: Time(8_000_000) });
    assert_eq!((cho.user, &cho.waits[..], cho.core_seconds()), (CHO, &both[..], 4.5));
    assert_eq!(waiting.holders, [CHO, ANA, BEN].map(Holder::User));
    assert_eq!(dan.wait_for(Holder::User(BEN)), Some(&both[1]));
}

/// The oracle gives ana's job one of two cores for life, so that until ben gets the other one at 1 s it idles beside
/// ana's tasks. ben's two tasks are then owed one core, which he has.
#[test]
fn idle_cores_are_waited_for_too() {
    let jobs = r#"{"user": "ana", "arrival_s": 0, "deadline_s": 9, "stages": [{"tasks_s": [2, 2, 2, 2]}]},
        {"user": "ben", "arrival_s": 1, "deadline_s": 100, "stages": [{"tasks_s": [8]}]}"#;
    let waiting = waiting_under("deadline-oracle", 2, jobs);
    assert_eq!(waiting.rows.len(), 1);
    assert_eq!(waiting.rows[0].waits, [wait(Holder::Idle, 1.0, 0, 1)]);
}

#[test]
fn nobody_waits_where_there_are_cores_for_all() {
    let jobs = r#"{"user": "ana", "arrival_s": 0, "stages": [{"tasks_s": [2, 2]}]}"#;
    assert_eq!(waiting_under("fair", 2, jobs), Waiting::default());
}

/// Two executors of a core, one of them from 3 s on, under Spark's scheduler. ana's two tasks of 1 s run one after the
/// other, as there is no other core; nobody is short. The driver is at work before both jobs' stages, for 0.5 and 1 s.
#[test]
fn the_driver_and_executors_that_are_not_there_are_no_idle_cores() {
    let text = r#"{"format": "fairlane/scenario@1", "cluster": {"executors": 2, "cores_per_executor": 1,
        "executors_at": [[0, 1], [3, 2]]}, "jobs": [
        {"user": "ana", "arrival_s": 0, "stages": [{"tasks_s": [1, 1], "delay_s": 0.5}]},
        {"user": "ben", "arrival_s": 9, "stages": [{"tasks_s": [1], "delay_s": 1}]}]}"#;
    let scenario = Scenario::from_json(text).expect("a good scenario");
    let waiting = waiting(&scenario, &crate::simulate(&scenario, "spark".parse().expect("a policy")));
    assert_eq!(waiting.rows, []);
    assert_eq!(waiting.driver, [(BEN, Span(1_000_000)), (ANA, Span(500_000))]);
}

/// All that is named, under policies of every kind: executors that come and go, drivers at work, jobs that are dropped,
/// attempts that are killed, weights, memory.
#[test]
fn the_matrix_is_that_of_the_definition() {
    for entry in catalog::ENTRIES.iter() {
        let scenario = entry.scenario();
        if scenario.jobs().len() > 100 {
            continue;
        }
        for policy in ["fifo", "ujf", "cfq-p", "justice", "spark"] {
            let trace = crate::simulate(&scenario, policy.parse().expect("a policy"));
            let place = format!("{policy} {}", entry.name);
            assert_equal(&waiting(&scenario, &trace), &reference::waiting(&scenario, &trace), &place);
        }
    }
}

/// Stretches and who waits for whom are equal, core times but for rounding, and the worst comes first everywhere.
fn assert_equal(waiting: &Waiting, expected: &reference::Expected, place: &str) {
    let near = |one: f64, other: f64| (one - other).abs() <= 1e-9 * other.max(1.0);
    let mut columns: BTreeMap<Holder, f64> = BTreeMap::new();
    for row in &waiting.rows {
        let whole = &expected.rows[&row.user];
        assert!(near(row.core_time, whole.core_time()), "{place}: {row:?}");
        assert_eq!(row.longest, whole.longest(), "{place}: {row:?}");
        for wait in &row.waits {
            let cell = &expected.cells[&(row.user, wait.holder)];
            assert!(near(wait.core_time, cell.core_time()), "{place}: {row:?}, {wait:?}");
            assert_eq!(wait.longest, cell.longest(), "{place}: {row:?}, {wait:?}");
            *columns.entry(wait.holder).or_default() += wait.core_time;
        }
        assert!(row.waits.is_sorted_by(|one, next| one.core_time >= next.core_time), "{place}: {row:?}");
    }
    assert_eq!(waiting.rows.len(), expected.rows.len(), "{place}");
    let cells: usize = waiting.rows.iter().map(|row| row.waits.len()).sum();
    assert_eq!(cells, expected.cells.len(), "{place}");
    assert!(waiting.rows.is_sorted_by(|one, next| one.core_time >= next.core_time), "{place}");
    assert_eq!(waiting.holders.len(), columns.len(), "{place}");
    assert!(waiting.holders.is_sorted_by(|one, next| columns[one] >= columns[next]), "{place}");
    assert_eq!(waiting.driver.iter().copied().collect::<BTreeMap<_, _>>(), expected.driver, "{place}");
    assert!(waiting.driver.is_sorted_by(|one, next| one.1 >= next.1), "{place}");
}
