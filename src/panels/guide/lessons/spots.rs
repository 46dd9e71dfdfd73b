//! Where on the page to find what a step points at.

use fairlane_study::lesson::document::StepTarget;
use fairlane_study::lesson::{FactError, LessonFacts};

/// The selector of each thing that a step points at.
///
/// # Errors
/// [`FactError`] if the scenario has no job or user of a name; a test asks for every step.
pub fn selectors(targets: &[StepTarget], facts: &LessonFacts) -> Result<Vec<String>, FactError> {
    targets.iter().map(|target| selector(target, facts)).collect()
}

fn selector(target: &StepTarget, facts: &LessonFacts) -> Result<String, FactError> {
    Ok(match target {
        StepTarget::Lanes => "#lanes".to_owned(),
        StepTarget::Lane(user) => format!("#lanes [data-user='{}']", facts.user(user)?.0),
        StepTarget::Job(job) => format!("#lanes [data-job='{}']", facts.job(job)?.0),
        StepTarget::Panel(policy) => format!("#panel-{policy}"),
        StepTarget::Load(policy) => format!("#panel-{policy} .load"),
        StepTarget::Response(policy) => format!("#panel-{policy} .response"),
        StepTarget::Policy(policy) => format!(".left .policy:has(#policy-{policy}) summary"),
        StepTarget::Pools => ".left .scroll:has(#spark-pools)".to_owned(),
        StepTarget::Write => "#write-policy".to_owned(),
        StepTarget::Atr => ".left .field:has(#atr), #atr-slider".to_owned(),
        StepTarget::MarkInversion => ".tools .switch:has(#mark-inversion)".to_owned(),
        StepTarget::MarkSkew => ".tools .switch:has(#mark-skew)".to_owned(),
        StepTarget::Palette => ".palette .chip".to_owned(),
        StepTarget::Overview => ".scroll:has(#overview)".to_owned(),
        StepTarget::ByUser => ".scroll:has(#by-user)".to_owned(),
        StepTarget::Queue => ".scroll:has(#queue)".to_owned(),
        StepTarget::Reason => "#why-sentence".to_owned(),
        StepTarget::VirtualTime => "#virtual-time-row .plot".to_owned(),
        StepTarget::SkewBars => "#side .skew".to_owned(),
        StepTarget::Estimate => "#side .field:has(#job-estimate)".to_owned(),
    })
}
