//! Schedules in the Trace Event Format, which Perfetto and `chrome://tracing` open: an executor is a process, a core a
//! thread, an attempt of a task a slice; each user's running and waiting tasks are counters.
//!
//! ```
//! use fairlane_view::export::chrome_trace::ChromeTrace;
//! let scenario = fairlane::catalog::find("two-users").expect("an entry").scenario();
//! let traces = ["fair", "uwfq"].map(|policy| fairlane::simulate(&scenario, policy.parse().expect("a policy")));
//! let text = serde_json::to_string(&ChromeTrace { scenario: &scenario, traces: &traces.each_ref() })?;
//! assert!(text.starts_with(r#"{"displayTimeUnit":"ms","traceEvents":["#));
//! # Ok::<(), serde_json::Error>(())
//! ```

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::ser::{Serialize, SerializeStruct, Serializer};

use fairlane::ids::UserId;
use fairlane::scenario::Scenario;
use fairlane::trace::{LoadIndex, TaskRun, Timeline, Trace};
use fairlane::units::Time;

/// Schedules of one scenario, one below the other. Serializes as a JSON object; times are microseconds.
#[derive(Clone, Copy, Debug)]
pub struct ChromeTrace<'a> {
    /// What was simulated.
    pub scenario: &'a Scenario,
    /// What happened under each policy.
    pub traces: &'a [&'a Trace],
}

/// An event of the format: metadata, a slice or a counter.
#[derive(serde::Serialize)]
struct TraceEvent<'a> {
    name: Cow<'a, str>,
    #[serde(rename = "ph")]
    phase: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cat: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ts: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dur: Option<u64>,
    pid: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    tid: Option<u32>,
    args: EventArguments<'a>,
}

#[derive(serde::Serialize)]
#[serde(untagged)]
enum EventArguments<'a> {
    Name {
        name: String,
    },
    Position {
        sort_index: u32,
    },
    Task {
        user: &'a str,
        job: u32,
        stage: u32,
        #[serde(skip_serializing_if = "str::is_empty")]
        stage_name: &'a str,
        task: u32,
        #[serde(skip_serializing_if = "Option::is_none")]
        killed: Option<&'static str>,
    },
    Load {
        running: u32,
        waiting: u32,
    },
}

impl Serialize for ChromeTrace<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        /// The events, made while they are written.
        struct Events<'a>(ChromeTrace<'a>);
        impl Serialize for Events<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let schedules = self.0.traces.iter().zip(0..);
                serializer.collect_seq(schedules.flat_map(|(trace, index)| {
                    let schedule = ChromeSchedule::new(self.0.scenario, trace, index);
                    let (names, slices, counters) =
                        (schedule.names(), schedule.slices(), schedule.counters());
                    names.into_iter().chain(slices).chain(counters)
                }))
            }
        }
        let mut object = serializer.serialize_struct("ChromeTrace", 2)?;
        object.serialize_field("displayTimeUnit", "ms")?;
        object.serialize_field("traceEvents", &Events(*self))?;
        object.end()
    }
}

/// One policy's schedule among the processes.
#[derive(Clone, Copy)]
struct ChromeSchedule<'a> {
    scenario: &'a Scenario,
    trace: &'a Trace,
    /// Number of the process of the first executor; the process after the last executor has the counters.
    first_process: u32,
}

impl<'a> ChromeSchedule<'a> {
    fn new(scenario: &'a Scenario, trace: &'a Trace, index: u32) -> ChromeSchedule<'a> {
        // Zero is the process of whoever draws, for some viewers.
        ChromeSchedule { scenario, trace, first_process: 1 + index * (scenario.cluster().executors + 1) }
    }

    fn counter_process(&self) -> u32 {
        self.first_process + self.scenario.cluster().executors
    }

    /// Names and order of processes and threads.
    fn names(&self) -> Vec<TraceEvent<'a>> {
        let cluster = self.scenario.cluster();
        let title = self.trace.policy.title();
        let metadata = |name, pid, tid, args| TraceEvent {
            name: Cow::Borrowed(name),
            phase: "M",
            cat: None,
            ts: None,
            dur: None,
            pid,
            tid,
            args,
        };
        let mut events = Vec::new();
        let executors = (0..cluster.executors).map(|executor| format!("{title}: executor {executor}"));
        for (name, pid) in executors.chain([format!("{title}: users")]).zip(self.first_process..) {
            events.push(metadata("process_name", pid, None, EventArguments::Name { name }));
            events.push(metadata(
                "process_sort_index",
                pid,
                None,
                EventArguments::Position { sort_index: pid },
            ));
        }
        for core in 0..cluster.cores() {
            let pid = self.first_process + core / cluster.cores_per_executor;
            let args = EventArguments::Name { name: format!("core {core}") };
            events.push(metadata("thread_name", pid, Some(core + 1), args));
        }
        events
    }

    /// The attempts of tasks, in the order of launch.
    fn slices(self) -> impl Iterator<Item = TraceEvent<'a>> {
        let killed: BTreeMap<u32, &'static str> = {
            let reasons = self.trace.reasons.iter().map(|reason| reason.name());
            self.trace.killed.iter().copied().zip(reasons.chain(std::iter::repeat("dropped"))).collect()
        };
        self.trace.tasks.iter().zip(0..).map(move |(run, index)| self.slice(run, killed.get(&index).copied()))
    }

    fn slice(&self, run: &TaskRun, killed: Option<&'static str>) -> TraceEvent<'a> {
        let job = &self.scenario.jobs()[run.job.index()];
        let user = &self.scenario.users()[job.user.index()].name;
        let args = EventArguments::Task {
            user,
            job: run.job.0,
            stage: run.stage,
            stage_name: &job.stages[run.stage as usize].name,
            task: run.task,
            killed,
        };
        TraceEvent {
            name: Cow::Owned(self.scenario.job_label(run.job)),
            phase: "X",
            cat: Some(user),
            ts: Some(run.start.0),
            dur: Some(run.end.since(run.start).0),
            pid: self.first_process + run.core.0 / self.scenario.cluster().cores_per_executor,
            tid: Some(run.core.0 + 1),
            args,
        }
    }

    /// What each user has running and waiting, whenever that changes.
    fn counters(self) -> impl Iterator<Item = TraceEvent<'a>> {
        let load = LoadIndex::new(self.scenario, self.trace);
        let mut last = BTreeMap::new();
        self.changes().into_iter().filter_map(move |(at, user)| {
            let now = load.user_load(self.trace, user, at);
            (last.insert(user, now) != Some(now)).then(|| TraceEvent {
                name: Cow::Borrowed(&self.scenario.users()[user.index()].name),
                phase: "C",
                cat: None,
                ts: Some(at.0),
                dur: None,
                pid: self.counter_process(),
                tid: None,
                args: EventArguments::Load { running: now.running, waiting: now.waiting },
            })
        })
    }

    /// The instants at which something starts, ends or is submitted, and whose it is; each once, ascending.
    fn changes(&self) -> Vec<(Time, UserId)> {
        let user = |job: usize| self.scenario.jobs()[job].user;
        let mut changes: Vec<(Time, UserId)> = self
            .trace
            .tasks
            .iter()
            .flat_map(|run| [run.start, run.end].map(|at| (at, user(run.job.index()))))
            .collect();
        for (job, (run, submissions)) in
            self.trace.jobs.iter().zip(Timeline::new(self.scenario, self.trace).submissions).enumerate()
        {
            changes.extend(submissions.into_iter().chain([run.end()]).map(|at| (at, user(job))));
        }
        changes.sort_unstable();
        changes.dedup();
        changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn events(text: &str, policies: &[&str]) -> Vec<Value> {
        let scenario = Scenario::from_json(text).expect("a sound scenario");
        let traces: Vec<Trace> = policies
            .iter()
            .map(|policy| fairlane::simulate(&scenario, policy.parse().expect("a policy")))
            .collect();
        let traces: Vec<&Trace> = traces.iter().collect();
        let object = serde_json::to_value(ChromeTrace { scenario: &scenario, traces: &traces });
        object.expect("keys are text")["traceEvents"].as_array().expect("a list").clone()
    }

    const SCENARIO: &str = r#"{ "format": "fairlane/scenario@1",
        "cluster": { "executors": 2, "cores_per_executor": 1, "losses": [{ "at_s": 1, "executor": 1, "back_s": 1 }] },
        "jobs": [
            { "user": "ana", "name": "scan", "arrival_s": 0, "stages": [{ "tasks_s": [2, 2], "splittable": false }] },
            { "user": "ben", "arrival_s": 0.5, "stages": [{ "tasks_s": [1] }] } ] }"#;

    #[test]
    fn attempts_are_slices_on_the_threads_of_their_cores() {
        let all = events(SCENARIO, &["fifo", "uwfq"]);
        let slices: Vec<&Value> =
            all.iter().filter(|event| event["ph"] == "X" && event["pid"].as_u64() < Some(4)).collect();
        assert_eq!(slices[0]["name"], "scan");
        assert_eq!(
            (&slices[0]["pid"], &slices[0]["tid"], &slices[0]["dur"]),
            (&1.into(), &1.into(), &2_000_000.into())
        );
        // The second executor is lost after a second, with what ran there.
        assert_eq!((&slices[1]["pid"], &slices[1]["dur"]), (&2.into(), &1_000_000.into()));
        assert_eq!(slices[1]["args"]["killed"], "lost");
        assert!(slices.iter().any(|slice| slice["name"] == "job 1" && slice["args"]["user"] == "ben"));
        let names: Vec<&Value> = all
            .iter()
            .filter(|event| event["name"] == "process_name")
            .map(|event| &event["args"]["name"])
            .collect();
        assert_eq!(names[0], "FIFO: executor 0");
        assert_eq!((names.len(), names[5]), (6, &"UWFQ: users".into()));
    }

    #[test]
    fn counters_begin_at_the_first_change_and_end_at_zero() {
        let all = events(SCENARIO, &["fifo"]);
        for user in ["ana", "ben"] {
            let counts: Vec<&Value> =
                all.iter().filter(|event| event["ph"] == "C" && event["name"] == user).collect();
            assert!(counts.iter().is_sorted_by_key(|event| event["ts"].as_u64()));
            let last = &counts.last().expect("a counter")["args"];
            assert_eq!((&last["running"], &last["waiting"]), (&0.into(), &0.into()), "{user}");
            assert!(counts.iter().any(|event| event["args"]["running"] != 0), "{user}");
        }
        let first = all.iter().find(|event| event["ph"] == "C" && event["name"] == "ben").expect("a counter");
        assert_eq!((&first["ts"], &first["args"]["waiting"]), (&500_000.into(), &1.into()));
    }
}
