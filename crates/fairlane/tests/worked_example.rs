//! One small workload on which every policy lands differently, its schedules worked out by hand.

use fairlane::trace::text_gantt;
use fairlane::units::Span;
use fairlane::{Scenario, simulate};

/// Two cores. ana submits job a (four tasks of 1 s) and job b (three tasks of 1 s) at 0 s, ben
/// submits job c (one task of 4 s) at 1 s. Runtime partitioning wants tasks of 1 s.
///
/// Stages are numbered 0 (a), 1 (b) and 2 (c). What happens whoever decides:
///
/// - 0 s: a arrives first and is alone, so it takes both cores; b finds none free.
/// - 1 s: task finishes come before arrivals, and each freed core is offered at once. So core 0 and
///   then core 1 are given away between a (two tasks left) and b (three), and c arrives too late.
/// - From 2 s on all three jobs compete, core 0 being offered before core 1.
const WORKLOAD: &str = r#"{ "format": "fairlane/scenario@1",
    "cluster": { "executors": 1, "cores_per_executor": 2 },
    "partitioning": { "advisory_task_runtime_s": 1 },
    "jobs": [
        { "user": "ana", "name": "a", "arrival_s": 0, "stages": [{ "tasks_s": [1, 1, 1, 1] }] },
        { "user": "ana", "name": "b", "arrival_s": 0, "stages": [{ "tasks_s": [1, 1, 1] }] },
        { "user": "ben", "name": "c", "arrival_s": 1, "stages": [{ "tasks_s": [4] }] } ] }"#;

/// A line per core, a letter per second: which job holds the core, a capital where a task begins.
#[track_caller]
fn assert_schedule(policy: &str, lines: [&str; 2]) {
    let scenario = Scenario::from_json(WORKLOAD).expect("a sound workload");
    let trace = simulate(&scenario, policy.parse().expect("a policy"));
    let expected = format!("core 0 {}\ncore 1 {}\n", lines[0], lines[1]);
    let actual = text_gantt(&trace, Span(1_000_000));
    assert!(actual == expected, "{policy} was expected to give\n{expected}but gave\n{actual}");
}

/// - 1 s: a came first: its last two tasks take both cores.
/// - 2 s: then b: both cores.
/// - 3 s: b's last task on core 0; nothing but c is left for core 1, until 7 s.
#[test]
fn fifo() {
    assert_schedule("fifo", ["AABB...", "AABCccc"]);
}

/// Key: the stage's running tasks, then its number.
///
/// - 1 s: core 0 comes free while a still runs on core 1: b runs 0 tasks against 1 and takes it.
///   Then core 1 comes free: now a runs 0 against b's 1 and takes it.
/// - 2 s: core 0: a 1, b 0, c 0; of b and c the smaller number goes first: b. Core 1: a 0, b 1, c 0:
///   a, its last task.
/// - 3 s: core 0: b 0, c 0: b again, its last task. Core 1: c, until 7 s. That c is ben's only job
///   counts for nothing.
#[test]
fn fair() {
    assert_schedule("fair", ["ABBB...", "AAACccc"]);
}

/// Key: the user's running tasks, then as Fair among the user's stages.
///
/// - 1 s: only ana waits. As under Fair: b on core 0, a on core 1.
/// - 2 s: core 0: ana runs 1 task (on core 1), ben none: c, until 6 s. Core 1: only ana waits; a 0,
///   b 0, the smaller number: a, its last task.
/// - 3 s and 4 s: core 1: b's last two tasks.
#[test]
fn ujf() {
    assert_schedule("ujf", ["ABCccc", "AAABB."]);
}

/// Key: D = V + work in core-seconds at submission; V grows by cores / active stages per second.
///
/// - 0 s: V = 0: D(a) = 4, D(b) = 3.
/// - 1 s: b before a: b on both cores. Then c: two stages have shared two cores for 1 s, so V = 1
///   and D(c) = 1 + 4 = 5, the last of all.
/// - 2 s: core 0: b's last task. Core 1: a.
/// - 3 s: core 0: a's last task. Core 1: c, until 7 s.
#[test]
fn cfq() {
    assert_schedule("cfq", ["ABBA...", "ABACccc"]);
}

/// Key: D of the job = V at the user's entry + work of the user's jobs up to and including it, in
/// the order in which they would end if they shared the user's cores; V grows by cores / active
/// users per second.
///
/// - 0 s: ana enters at V = 0. Sharing equally, b (3) would end before a (4): D(b) = 3 and
///   D(a) = 3 + 4 = 7.
/// - 1 s: b on both cores. Then c: ana alone has had two cores for 1 s, so V = 2, at which ben
///   enters: D(c) = 2 + 4 = 6, before a's 7.
/// - 2 s: core 0: b's last task. Core 1: c, until 6 s.
/// - 3 s and 4 s: core 0: a's last two tasks.
#[test]
fn uwfq() {
    assert_schedule("uwfq", ["ABBAA.", "ABCccc"]);
}

/// c is cut into four tasks of 1 s; a and b have tasks of 1 s already.
///
/// - Up to 2 s as above: b's last task on core 0, c's first on core 1.
/// - 3 s: c (6) before a (7): both cores.
/// - 4 s: core 0: c's last task; c ends at 5 s and not at 6 s. Core 1: a.
/// - 5 s: core 0: a's last task.
#[test]
fn uwfq_with_runtime_partitioning() {
    assert_schedule("uwfq-p", ["ABBCCA", "ABCCA."]);
}

/// The order is FIFO's, but c no longer ends alone: cut into four tasks it ends at 6 s, not at 7 s.
///
/// - 3 s: core 0: b's last task. Core 1: c.
/// - 4 s: c on both cores. 5 s: c's last task on core 0.
#[test]
fn fifo_with_runtime_partitioning() {
    assert_schedule("fifo-p", ["AABBCC", "AABCC."]);
}
