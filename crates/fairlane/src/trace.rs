//! What happened: who ran where and when.
//!
//! ```
//! use fairlane::units::Span;
//! use fairlane::{simulate, trace};
//! let scenario = fairlane::catalog::find("two-users").expect("an entry").scenario();
//! let (fifo, uwfq) = (simulate(&scenario, "fifo".parse()?), simulate(&scenario, "uwfq".parse()?));
//! assert_ne!(fifo.hash(), uwfq.hash());
//! assert_eq!(fifo.end(), uwfq.end());
//! println!("{}", trace::text_gantt(&uwfq, Span(1_000_000)));
//! # Ok::<(), fairlane::policy::UnknownPolicy>(())
//! ```

pub(crate) mod attempts;
mod check;
mod diff;
mod file;
mod gantt;
mod index;
mod load;
mod timeline;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

pub use check::{Fault, check, checks_idling};
pub use diff::{Difference, DifferentJobs, Divergence, MovedTasks, difference};
pub use gantt::text_gantt;
pub use index::CoreIndex;
pub(crate) use load::finish_order;
pub use load::{CoreLoad, LoadColumns, LoadIndex};
pub use timeline::Timeline;

use crate::ids::{CoreId, JobId, UserId};
use crate::order;
use crate::policy::{PolicyId, QueueClass};
use crate::units::{SlotTime, Span, Time};

/// The tag of the trace format that this version writes.
pub const FORMAT: &str = "fairlane/trace@1";

/// One task's stay on a core: the half-open interval from `start` to `end`, overhead included.
///
/// 32 bytes without a gap, so that a list of them can be handed on as it lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct TaskRun {
    /// The job, by index in the file.
    pub job: JobId,
    /// The stage, by index in the job.
    pub stage: u32,
    /// The task, by index in the stage.
    pub task: u32,
    /// Where it ran.
    pub core: CoreId,
    /// When it was launched.
    pub start: Time,
    /// When it freed the core.
    pub end: Time,
}

impl TaskRun {
    /// The fields one after the other, each with its lowest byte first.
    fn to_le_bytes(self) -> [u8; 32] {
        let mut bytes = [0; 32];
        for (index, part) in [self.job.0, self.stage, self.task, self.core.0].into_iter().enumerate() {
            bytes[4 * index..4 * index + 4].copy_from_slice(&part.to_le_bytes());
        }
        bytes[16..24].copy_from_slice(&self.start.0.to_le_bytes());
        bytes[24..].copy_from_slice(&self.end.0.to_le_bytes());
        bytes
    }
}

/// How a job ended, and when (docs/model.md section 11).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Outcome {
    /// Its last stage ended then.
    Finished(Time),
    /// The policy ended it then, before all its tasks had run.
    Dropped(Time),
    /// The policy refused it at its arrival, which was then.
    Rejected(Time),
    /// It was cancelled then; attempts of it may have gone on.
    Cancelled(Time),
}

impl Outcome {
    /// The word that files and tables use.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Finished(_) => "finished",
            Outcome::Dropped(_) => "dropped",
            Outcome::Rejected(_) => "rejected",
            Outcome::Cancelled(_) => "cancelled",
        }
    }
}

/// Why an attempt of a task was ended before its time (docs/model.md section 18).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum KillReason {
    /// The policy dropped its job.
    Dropped,
    /// Its job was cancelled.
    Cancelled,
    /// Its executor was lost, or that of another task of its barrier stage.
    Lost,
    /// Another attempt of the task ended first.
    Overtaken,
    /// Its core went to somebody who had too few.
    Preempted,
}

impl KillReason {
    /// The word that files and tables use.
    pub fn name(self) -> &'static str {
        match self {
            KillReason::Dropped => "dropped",
            KillReason::Cancelled => "cancelled",
            KillReason::Lost => "lost",
            KillReason::Overtaken => "overtaken",
            KillReason::Preempted => "preempted",
        }
    }
}

/// A job from its arrival to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobRun {
    /// Who submitted it.
    pub user: UserId,
    /// When it arrived.
    pub arrival: Time,
    /// When its first stages were submitted: at its arrival, unless the driver was busy or the policy made it wait.
    /// `None` if it was never admitted.
    pub started: Option<Time>,
    /// How it ended, and when.
    pub outcome: Outcome,
}

impl Outcome {
    /// When it ended.
    pub fn at(self) -> Time {
        match self {
            Outcome::Finished(at) | Outcome::Dropped(at) | Outcome::Rejected(at) | Outcome::Cancelled(at) => {
                at
            }
        }
    }
}

impl JobRun {
    /// The instant at which it ended, however it did.
    pub fn end(&self) -> Time {
        self.outcome.at()
    }

    /// The instant at which its last stage ended, if it finished.
    pub fn finish(&self) -> Option<Time> {
        match self.outcome {
            Outcome::Finished(at) => Some(at),
            Outcome::Dropped(_) | Outcome::Rejected(_) | Outcome::Cancelled(_) => None,
        }
    }

    /// Response time: from arrival to the end of its last stage, if it finished.
    pub fn response(&self) -> Option<Span> {
        self.finish().map(|finish| finish.since(self.arrival))
    }
}

/// The record of one simulation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The scenario's name, empty if it has none.
    pub scenario: String,
    /// Who decided.
    pub policy: PolicyId,
    /// Number of cores R.
    pub cores: u32,
    /// Names of the users, by [`UserId`].
    pub users: Vec<String>,
    /// Attempts in the order of launch: the stays of tasks on cores.
    pub tasks: Vec<TaskRun>,
    /// Indices in `tasks` of those that were ended before their time, ascending.
    pub killed: Vec<u32>,
    /// Why each of these was; empty where only a policy that drops their job ends attempts.
    pub reasons: Vec<KillReason>,
    /// Whether files say of each job how it ended, although it can only be dropped under some policies.
    pub names_outcomes: bool,
    /// Core time during which tasks waited for executors that they prefer although other cores were free; not in files.
    pub held_back: SlotTime,
    /// Jobs by index in the file.
    pub jobs: Vec<JobRun>,
    /// The users' classes, by [`UserId`]; none under a policy that has no classes.
    pub classes: Vec<QueueClass>,
    /// Which executors were there when, in the order of joining; empty if all were there all the time.
    pub executors: Vec<ExecutorRun>,
}

/// An executor from its joining to its leaving.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExecutorRun {
    /// Number of the executor.
    pub executor: u32,
    /// When it joined.
    pub from: Time,
    /// When it left; those that stayed left when the last job ended.
    pub to: Time,
}

impl Trace {
    /// The instant at which the last job ended, however it did.
    pub fn end(&self) -> Time {
        self.jobs.iter().map(JobRun::end).max().unwrap_or(Time::ZERO)
    }

    /// The instant from which on nothing happens any longer: the last job has ended, and the last task, as tasks of a
    /// cancelled job may run on.
    pub fn last(&self) -> Time {
        self.tasks.iter().map(|run| run.end).max().unwrap_or(Time::ZERO).max(self.end())
    }

    /// Jobs in the order of arrival, ties by file order.
    pub fn arrival_order(&self) -> Vec<JobId> {
        let order = order::by_key(self.jobs.len(), |job| self.jobs[job as usize].arrival.0);
        order.into_iter().map(JobId).collect()
    }

    /// The trace as a file, `"format": "fairlane/trace@1"`.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a trace has only keys that are text")
    }

    /// A 64-bit fingerprint (XXH3) of the policy, the cores, every task run in the order of launch,
    /// every job's arrival and outcome and executors that come and go: equal traces have equal hashes on every
    /// platform.
    pub fn hash(&self) -> u64 {
        let mut hasher = Xxh3::new();
        hasher.update(self.policy.to_string().as_bytes());
        hasher.update(&u64::from(self.cores).to_le_bytes());
        hasher.update(&(self.tasks.len() as u64).to_le_bytes());
        // Where numbers lie with their lowest byte first, this is how the tasks lie in memory.
        if cfg!(target_endian = "little") {
            hasher.update(self.tasks.as_bytes());
        } else {
            self.tasks.iter().for_each(|run| hasher.update(&run.to_le_bytes()));
        }
        for job in &self.jobs {
            hasher.update(&job.arrival.0.to_le_bytes());
            hasher.update(&job.end().0.to_le_bytes());
            if job.finish().is_none() {
                hasher.update(job.outcome.name().as_bytes());
            }
        }
        for run in &self.executors {
            for part in [u64::from(run.executor), run.from.0, run.to.0] {
                hasher.update(&part.to_le_bytes());
            }
        }
        hasher.digest()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fingerprint reads tasks as they lie in memory.
    #[test]
    fn a_run_lies_in_memory_field_by_field() {
        let run = TaskRun {
            job: JobId(0x0102_0304),
            stage: 5,
            task: 0x0600_0000,
            core: CoreId(7),
            start: Time(0x0809_0a0b_0c0d_0e0f),
            end: Time(1 << 40),
        };
        if cfg!(target_endian = "little") {
            assert_eq!(run.as_bytes(), run.to_le_bytes());
        }
    }
}
