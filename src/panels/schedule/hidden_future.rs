//! Why a job's tasks do not run yet.

use yew::prelude::*;

use crate::results::codec::Analysis;
use crate::results::shared::Shared;
use fairlane::ids::JobId;
use fairlane::metrics::{self, JobTasks};
use fairlane::units::Time;
use fairlane_view::{estimates, not_yet};

/// Why a job's tasks do not run yet at an instant, in sentences; `None` while it has no waiting ones.
#[hook]
pub fn use_not_yet(analysis: &Shared<Analysis>, job: Option<JobId>, at: Time) -> Option<Vec<String>> {
    // The instant changes more often than the job.
    let tasks = use_memo((analysis.clone(), job), |(analysis, job)| {
        job.filter(|job| analysis.has_job(*job))
            .map(|job| (job, JobTasks::new(&analysis.scenario, &analysis.trace, job)))
    });
    let (job, tasks) = (*tasks).as_ref()?;
    let facts = metrics::not_yet((&analysis.scenario, &analysis.trace), analysis.index(), tasks, *job, at)?;
    let behind = analysis.cores_behind(*job, at);
    let mut sentences = not_yet::sentences(&facts, analysis, *job, behind);
    sentences.extend(estimates::far_off(analysis, *job));
    Some(sentences)
}
