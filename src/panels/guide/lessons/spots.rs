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
    // Anybody may have written the name: in a selector it is one that there is.
    let known = |policy: &str| facts.policy(policy).map(|policy| policy.to_string());
    Ok(match target {
        StepTarget::Lanes => "#lanes".to_owned(),
        StepTarget::Lane(user) => format!("#lanes [data-user='{}']", facts.user(user)?.0),
        StepTarget::Job(job) => format!("#lanes [data-job='{}']", facts.job(job)?.0),
        StepTarget::Panel(policy) => format!("#panel-{}", known(policy)?),
        StepTarget::Load(policy) => format!("#panel-{} .load", known(policy)?),
        StepTarget::Response(policy) => format!("#panel-{} .response", known(policy)?),
        StepTarget::Policy(policy) => format!(".left .policy:has(#policy-{}) summary", known(policy)?),
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
