//! Edits of a job's stages.

use super::{Edited, Estimate, StageEdit, exists, kept};
use crate::ids::JobId;
use crate::scenario::error::{ensure, micros};
use crate::scenario::{Input, InputForm, Job, Scenario, ScenarioError, Stage, palette};
use crate::units::SlotTime;

/// Most slices that an edit makes; a file may have more.
const MOST_SLICES: u32 = 10_000;

pub(super) fn change(
    mut after: Scenario,
    job: JobId,
    stage: u32,
    edit: &StageEdit,
) -> Result<Edited, ScenarioError> {
    let path = check_stage(&after, job, stage)?;
    with_job(&mut after.jobs[job.index()], |stages| {
        let spec = &mut stages[stage as usize];
        match edit {
            StageEdit::Name(name) => spec.name.clone_from(name),
            StageEdit::Parents(parents) => spec.parents.clone_from(parents),
            StageEdit::Work(work) => {
                kept(work.0, || format!("{path}.work_s"))?;
                refill(spec, spec.input.with_work(*work, &path)?);
            }
            StageEdit::Partitions(partitions) => spec.partitions = *partitions,
            StageEdit::Splittable(splittable) => spec.splittable = *splittable,
            StageEdit::Estimate(Estimate::Perfect) => spec.estimate = spec.input.work(),
            StageEdit::Estimate(Estimate::Of(work)) => {
                spec.estimate = SlotTime(kept(work.0, || format!("{path}.estimate_s"))?);
            }
            StageEdit::Slices(count) => {
                ensure!(
                    *count <= MOST_SLICES,
                    format!("{path}.profile"),
                    "{count} slices are too many to edit; give at most {MOST_SLICES}",
                );
                let follows =
                    spec.input.form == InputForm::Tasks && spec.partitions as usize == spec.input.slices();
                refill(spec, spec.input.with_slices(*count, &path)?);
                if follows {
                    spec.partitions = *count;
                }
            }
            StageEdit::Slice(slice, weight) => {
                refill(spec, with_slice(&spec.input, *slice as usize, *weight, &path)?);
            }
        }
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
    check_stage(&after, job, stage)?;
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

/// The path of a stage that exists.
pub(super) fn check_stage(scenario: &Scenario, job: JobId, stage: u32) -> Result<String, ScenarioError> {
    scenario.check_job(job)?;
    let key = format!("jobs[{}].stages", job.0);
    exists(stage, scenario.jobs[job.index()].stages.len(), &key, "stage")?;
    Ok(format!("{key}[{stage}]"))
}

/// Changes a job's stages. A job's estimate that was the sum of its stages' remains it.
fn with_job(
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
fn refill(stage: &mut Stage, input: Input) {
    if stage.estimate == stage.input.work() {
        stage.estimate = input.work();
    }
    stage.input = input;
}

/// An input with one slice of another weight.
fn with_slice(input: &Input, slice: usize, weight: f64, path: &str) -> Result<Input, ScenarioError> {
    exists(slice as u32, input.slices(), &format!("{path}.profile"), "slice")?;
    match &input.form {
        InputForm::Profile { work, weights } => {
            let mut weights = weights.clone();
            weights[slice] = weight;
            Input::of_profile_at(*work, weights, &path)
        }
        InputForm::Tasks => {
            let at = || format!("{path}.tasks_s[{slice}]");
            let mut slices: Vec<u64> = input.slice_work().collect();
            slices[slice] = kept(micros(weight, at)?, at)?;
            Input::of_tasks_at(&slices, &path)
        }
    }
}
