//! What differs between two traces of one scenario: where they part, which jobs gained and lost,
//! which tasks moved.

use std::cmp::Reverse;

use super::{TaskRun, Trace};
use crate::ids::JobId;
use crate::units::{Span, Time};

/// Two traces that are not of one scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the two traces are not of the same jobs; compare traces of one scenario")]
pub struct DifferentJobs;

/// How the second of two traces differs from the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The first launch that differs in more than a tie; `None` if the schedules are the same.
    pub parting: Option<Divergence>,
    /// Jobs that finish sooner in the second trace and by how much, most first, ties by job.
    pub gained: Vec<(JobId, Span)>,
    /// Jobs that finish later in the second trace and by how much, most first, ties by job.
    pub lost: Vec<(JobId, Span)>,
    /// Tasks that run elsewhere or at another time.
    pub moved: MovedTasks,
}

/// Where two schedules part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// Index of the launch, the same in both traces: before it both have launched the same tasks at the same instants.
    pub dispatch: usize,
    /// The instant: the earlier of the two launches.
    pub at: Time,
    /// What the first trace launched; `None` if it had nothing left to launch.
    pub first: Option<TaskRun>,
    /// What the second trace launched; `None` if it had nothing left to launch.
    pub second: Option<TaskRun>,
}

/// Tasks that run elsewhere or at another time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MovedTasks {
    /// Tasks whose core or start differs, as ascending indices in each trace's task list.
    Tasks {
        /// In the first trace.
        first: Vec<u32>,
        /// The same tasks in the second.
        second: Vec<u32>,
    },
    /// The partitionings cut some stage into different numbers of tasks, so that tasks cannot be
    /// matched one to one; only jobs can be compared.
    Unmatched,
}

/// Compares two traces of one scenario.
///
/// # Errors
/// [`DifferentJobs`] if their jobs differ in number or user.
pub fn difference(first: &Trace, second: &Trace) -> Result<Difference, DifferentJobs> {
    let pairs = || first.jobs.iter().zip(&second.jobs);
    let alike = pairs().all(|(a, b)| a.user == b.user);
    if !alike || first.jobs.len() != second.jobs.len() {
        return Err(DifferentJobs);
    }
    let (mut gained, mut lost) = (Vec::new(), Vec::new());
    for (job, (a, b)) in (0..).map(JobId).zip(pairs()) {
        // From arrivals, which differ where a job waits for the end of another one.
        let [first, second] = [a, b].map(|run| run.end().since(run.arrival));
        match first.cmp(&second) {
            std::cmp::Ordering::Greater => gained.push((job, Span(first.0 - second.0))),
            std::cmp::Ordering::Less => lost.push((job, Span(second.0 - first.0))),
            std::cmp::Ordering::Equal => {}
        }
    }
    for list in [&mut gained, &mut lost] {
        list.sort_by_key(|&(job, by)| (Reverse(by), job));
    }
    Ok(Difference { parting: parting(first, second), gained, lost, moved: moved(first, second) })
}

/// The first launch that differs in more than the order or the cores of tasks that start at one instant in both: those
/// are ties. If there is none, the first tie that was broken otherwise.
fn parting(first: &Trace, second: &Trace) -> Option<Divergence> {
    let launch = |run: &TaskRun| (name(run), run.core, run.start);
    let first_tie =
        || first.tasks.iter().zip(&second.tasks).take_while(|(a, b)| launch(a) == launch(b)).count();
    let same = beyond_ties(&first.tasks, &second.tasks).unwrap_or_else(first_tie);
    let [first, second] = [first, second].map(|trace| trace.tasks.get(same).copied());
    let at = [first, second].into_iter().flatten().map(|run| run.start).min()?;
    Some(Divergence { dispatch: same, at, first, second })
}

/// Index of the first launch at an instant at which the two do not launch the same tasks; `None` if there is none.
fn beyond_ties(first: &[TaskRun], second: &[TaskRun]) -> Option<usize> {
    let mut done = 0;
    while done < first.len().max(second.len()) {
        let instant =
            [first, second].into_iter().filter_map(|runs| runs.get(done)).map(|run| run.start).min()?;
        let at_once = |runs: &'_ [TaskRun]| -> Vec<(JobId, u32, u32)> {
            let rest = runs.get(done..).unwrap_or_default().iter();
            rest.take_while(|run| run.start == instant).map(name).collect()
        };
        let (one, other) = (at_once(first), at_once(second));
        let [mut sorted, mut other_sorted] = [one.clone(), other.clone()];
        sorted.sort_unstable();
        other_sorted.sort_unstable();
        if sorted != other_sorted {
            let lacks = |known: &[(JobId, u32, u32)], launched: Option<&(JobId, u32, u32)>| {
                launched.is_none_or(|launched| known.binary_search(launched).is_err())
            };
            let ahead = (0..one.len().max(other.len()))
                .find(|&at| lacks(&other_sorted, one.get(at)) || lacks(&sorted, other.get(at)));
            return Some(done + ahead.unwrap_or_default());
        }
        done += one.len();
    }
    None
}

/// Which task a run is of.
fn name(run: &TaskRun) -> (JobId, u32, u32) {
    (run.job, run.stage, run.task)
}

fn moved(first: &Trace, second: &Trace) -> MovedTasks {
    let by_name = |trace: &Trace| {
        let mut indices: Vec<u32> = (0..trace.tasks.len() as u32).collect();
        indices.sort_by_key(|&index| name(&trace.tasks[index as usize]));
        indices
    };
    let (a, b) = (by_name(first), by_name(second));
    let names = |trace, indices: &[u32]| -> Vec<_> {
        let trace: &Trace = trace;
        indices.iter().map(|&index| name(&trace.tasks[index as usize])).collect()
    };
    if names(first, &a) != names(second, &b) {
        return MovedTasks::Unmatched;
    }
    let stays = |a: u32, b: u32| {
        let (a, b) = (&first.tasks[a as usize], &second.tasks[b as usize]);
        (a.core, a.start) == (b.core, b.start)
    };
    let (mut first, mut second): (Vec<u32>, Vec<u32>) =
        a.into_iter().zip(b).filter(|&(a, b)| !stays(a, b)).unzip();
    first.sort();
    second.sort();
    MovedTasks::Tasks { first, second }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scenario;

    /// One core; ana's jobs of 2 s and 1 s and ben's of 1 s, all at 0 s, and ben's of 1 s at 9 s.
    /// All start with ana's 2 s, since they arrive one by one.
    fn workload() -> Scenario {
        Scenario::from_json(
            r#"{ "format": "fairlane/scenario@1", "cluster": { "cores_per_executor": 1 },
                 "partitioning": { "advisory_task_runtime_s": 1 },
                 "jobs": [
                    { "user": "ana", "arrival_s": 0, "stages": [{ "tasks_s": [2] }] },
                    { "user": "ana", "arrival_s": 0, "stages": [{ "tasks_s": [3] }] },
                    { "user": "ben", "arrival_s": 0, "stages": [{ "tasks_s": [1] }] },
                    { "user": "ben", "arrival_s": 9, "stages": [{ "tasks_s": [1] }] } ] }"#,
        )
        .expect("a sound workload")
    }

    fn compare(first: &str, second: &str) -> Difference {
        let trace = |policy: &str| crate::simulate(&workload(), policy.parse().expect("a policy"));
        difference(&trace(first), &trace(second)).expect("one scenario")
    }

    /// Which of two tasks that start at once gets which core, and is launched first, is no difference worth telling.
    #[test]
    fn what_differs_first_is_more_than_a_tie() {
        let scenario = Scenario::from_json(
            r#"{ "format": "fairlane/scenario@1", "cluster": { "executors": 1, "cores_per_executor": 2 },
                 "jobs": [
                    { "user": "ana", "arrival_s": 0, "stages": [{ "tasks_s": [1, 1, 1] }] },
                    { "user": "ben", "arrival_s": 0, "stages": [{ "tasks_s": [2] }] } ] }"#,
        );
        let first = crate::simulate(&scenario.expect("a sound scenario"), "fifo".parse().expect("a policy"));
        let mut second = first.clone();
        second.tasks.swap(0, 1);
        (second.tasks[0].core, second.tasks[1].core) = (first.tasks[0].core, first.tasks[1].core);
        let parting = |second: &Trace| difference(&first, second).expect("one scenario").parting;
        assert_eq!(parting(&first), None);
        assert_eq!(parting(&second).map(|parting| parting.dispatch), Some(0), "nothing but a tie");
        second.tasks[2].start.0 += 1;
        let parting = parting(&second).expect("they differ");
        assert_eq!((parting.dispatch, parting.at), (2, first.tasks[2].start));
    }

    /// FIFO: 0-2 job 0, 2-5 job 1, 5-6 job 2, 9-10 job 3. CFQ: the deadlines are 2, 3 and 1
    /// core-seconds, so job 2 goes before job 1: 2-3 and 3-6.
    #[test]
    fn the_shorter_job_overtakes_the_longer() {
        let second = 1_000_000;
        let difference = compare("fifo", "cfq");
        let parting = difference.parting.expect("they part");
        assert_eq!((parting.dispatch, parting.at), (1, Time(2 * second)));
        let jobs = [parting.first, parting.second].map(|run| run.map(|run| run.job.0));
        assert_eq!(jobs, [Some(1), Some(2)]);
        assert_eq!(difference.gained, [(JobId(2), Span(3 * second))]);
        assert_eq!(difference.lost, [(JobId(1), Span(second))]);
        assert_eq!(difference.moved, MovedTasks::Tasks { first: vec![1, 2], second: vec![1, 2] });
    }

    #[test]
    fn a_trace_does_not_differ_from_itself() {
        let difference = compare("ujf", "ujf");
        let nothing = MovedTasks::Tasks { first: vec![], second: vec![] };
        assert_eq!(
            (difference.parting, difference.gained, difference.lost, difference.moved),
            (None, vec![], vec![], nothing)
        );
    }

    /// FIFO-P cuts the jobs into tasks of 1 s; on one core every job ends when it did. The first
    /// launch is alike but for the task's length, the second is not.
    #[test]
    fn tasks_cut_otherwise_cannot_be_matched() {
        let difference = compare("fifo", "fifo-p");
        let parting = difference.parting.expect("they part");
        assert_eq!((parting.dispatch, parting.at), (1, Time(1_000_000)));
        assert_eq!(
            (difference.gained, difference.lost, difference.moved),
            (vec![], vec![], MovedTasks::Unmatched)
        );
    }

    #[test]
    fn traces_of_other_scenarios_are_refused() {
        let policy = "fifo".parse().expect("a policy");
        let other = crate::catalog::find("skew").expect("an entry").scenario();
        let [first, second] = [workload(), other].map(|scenario| crate::simulate(&scenario, policy));
        assert_eq!(difference(&first, &second), Err(DifferentJobs));
    }
}
