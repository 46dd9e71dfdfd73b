//! Edits of a job's stages.

use super::{Edited, ObjectPath, exists, kept};
use crate::ids::JobId;
use crate::scenario::error::{ensure, micros};
use crate::scenario::{Input, InputForm, Job, Scenario, ScenarioError, Stage, palette};
use crate::units::SlotTime;

/// Most slices that an edit makes; a file may have more.
const MAX_SLICES: u32 = 10_000;

pub(super) fn with_slices(
    mut after: Scenario,
    job: JobId,
    stage: u32,
    count: u32,
) -> Result<Edited, ScenarioError> {
    let path = after.path_of_stage(job, stage)?;
    ensure!(
        count <= MAX_SLICES,
        format!("{path}.profile"),
        "{count} slices are too many to edit; give at most {MAX_SLICES}",
    );
    with_job(&mut after.jobs[job.index()], |stages| {
        let stage = &mut stages[stage as usize];
        let follows =
            *stage.input.form() == InputForm::Tasks && stage.partitions as usize == stage.input.slices();
        refill(stage, stage.input.with_slices(count, &path)?);
        if follows {
            stage.partitions = count;
        }
        Ok(())
    })?;
    Ok(Edited::new(after).about_jobs(vec![job]))
}

pub(super) fn with_slice(
    mut after: Scenario,
    job: JobId,
    stage: u32,
    slice: u32,
    weight: f64,
) -> Result<Edited, ScenarioError> {
    let path = after.path_of_stage(job, stage)?;
    with_job(&mut after.jobs[job.index()], |stages| {
        let stage = &mut stages[stage as usize];
        refill(stage, input_with_slice(&stage.input, slice as usize, weight, &path)?);
        Ok(())
    })?;
    Ok(Edited::new(after).about_jobs(vec![job]))
}

pub(super) fn add(mut after: Scenario, job: JobId) -> Result<Edited, ScenarioError> {
    after.check_job(job)?;
    let cluster = after.cluster.clone();
    with_job(&mut after.jobs[job.index()], |stages| {
        let last = stages.len() as u32 - 1;
        let name = format!("stage {}", last + 1);
        stages.push(palette::stage(&name, palette::ADDED_STAGE_S, vec![last], &cluster));
        Ok(())
    })?;
    Ok(Edited::new(after).about_jobs(vec![job]))
}

pub(super) fn remove(mut after: Scenario, job: JobId, stage: u32) -> Result<Edited, ScenarioError> {
    after.check_stage(job, stage)?;
    with_job(&mut after.jobs[job.index()], |stages| {
        ensure!(
            stages.len() != 1,
            format!("jobs[{}].stages", job.0),
            "a job needs at least one stage; delete the job instead, or add another stage first",
        );
        let removed = stages.remove(stage as usize);
        for spec in stages.iter_mut() {
            spec.parents = parents_without(&spec.parents, stage, &removed.parents);
        }
        Ok(())
    })?;
    Ok(Edited::new(after).about_jobs(vec![job]))
}

/// A stage's parents after one stage is removed: its parents replace it, and later stages move up.
fn parents_without(parents: &[u32], removed: u32, its_parents: &[u32]) -> Vec<u32> {
    let mut kept = Vec::with_capacity(parents.len());
    for &parent in parents {
        let replacements = if parent == removed { its_parents } else { std::slice::from_ref(&parent) };
        for &parent in replacements {
            let now = parent - u32::from(parent > removed);
            if !kept.contains(&now) {
                kept.push(now);
            }
        }
    }
    kept
}

impl Scenario {
    /// The path of a stage that exists.
    fn path_of_stage(&self, job: JobId, stage: u32) -> Result<ObjectPath, ScenarioError> {
        self.check_stage(job, stage)?;
        Ok(ObjectPath::Stage(job, stage))
    }
}

/// Changes a job's stages. A job's estimate that was the sum of its stages' remains it.
pub(super) fn with_job(
    job: &mut Job,
    change: impl FnOnce(&mut Vec<Stage>) -> Result<(), ScenarioError>,
) -> Result<(), ScenarioError> {
    let sum = |job: &Job| job.stages.iter().map(|stage| stage.estimate).sum::<SlotTime>();
    let follows = job.estimate == sum(job);
    change(&mut job.stages)?;
    if follows {
        job.estimate = sum(job);
    }
    Ok(())
}

/// Gives a stage another input. An estimate that equals its work follows.
pub(super) fn refill(stage: &mut Stage, input: Input) {
    if stage.estimate == stage.input.work() {
        stage.estimate = input.work();
    }
    stage.input = input;
}

/// An input with one slice of another weight.
fn input_with_slice(
    input: &Input,
    slice: usize,
    weight: f64,
    path: &ObjectPath,
) -> Result<Input, ScenarioError> {
    exists(slice as u32, input.slices(), &format!("{path}.profile"), "slice")?;
    match input.form() {
        InputForm::Profile { work, weights } => {
            let mut weights = weights.clone();
            weights[slice] = weight;
            Input::of_profile_at(*work, weights, path)
        }
        InputForm::Tasks => {
            let at = || format!("{path}.tasks_s[{slice}]");
            let mut slices: Vec<u64> = input.slice_work().collect();
            slices[slice] = kept(micros(weight, at)?, at)?;
            Input::of_tasks_at(&slices, path)
        }
    }
}
