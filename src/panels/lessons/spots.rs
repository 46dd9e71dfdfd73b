//! Where on the page to find what a step points at.

use fairlane_study::lesson::{FactError, Facts, Spot};

/// The selector of each thing that a step points at.
///
/// # Errors
/// [`FactError`] if the scenario has no job or user of a name; a test asks for every step.
pub fn selectors(spots: &[Spot], facts: &Facts) -> Result<Vec<String>, FactError> {
    spots.iter().map(|spot| selector(*spot, facts)).collect()
}

fn selector(spot: Spot, facts: &Facts) -> Result<String, FactError> {
    Ok(match spot {
        Spot::Lanes => "#lanes".to_owned(),
        Spot::Lane(user) => format!("#lanes [data-user='{}']", facts.user(user)?.0),
        Spot::Job(job) => format!("#lanes [data-job='{}']", facts.job(job)?.0),
        Spot::Panel(policy) => format!("#panel-{policy}"),
        Spot::Load(policy) => format!("#panel-{policy} .load"),
        Spot::Response(policy) => format!("#panel-{policy} .response"),
        Spot::Policy(policy) => format!(".left .policy:has(#policy-{policy}) > b"),
        Spot::Pools => ".scroll:has(#spark-pools)".to_owned(),
        Spot::Atr => ".left .field:has(#atr), #atr-slider".to_owned(),
        Spot::MarkInversion => ".tools .switch:has(#mark-inversion)".to_owned(),
        Spot::MarkSkew => ".tools .switch:has(#mark-skew)".to_owned(),
        Spot::Palette => ".palette".to_owned(),
        Spot::Overview => ".scroll:has(#overview)".to_owned(),
        Spot::ByUser => ".scroll:has(#by-user)".to_owned(),
        Spot::Queue => ".scroll:has(#queue)".to_owned(),
        Spot::Reason => "#why-sentence".to_owned(),
        Spot::VirtualTime => "#virtual-time .plane".to_owned(),
        Spot::SkewBars => "#side .skew".to_owned(),
        Spot::Estimate => "#side .field:has(#job-estimate)".to_owned(),
    })
}
