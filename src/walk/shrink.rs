//! Shorter walks that fail too.

use std::time::{Duration, Instant};

use super::{Step, run};

/// How long a failure is shortened.
const PATIENCE: Duration = Duration::from_secs(60);

/// What tells a failure from others: the place of a panic, or the beginning of the words.
fn mark(why: &str) -> String {
    why.lines().next().unwrap_or_default().chars().take(60).collect()
}

/// The steps without those that a failure does not need: ever smaller stretches are left out as long as the rest fails
/// alike (delta debugging).
pub(super) fn shortest(page: usize, mut steps: Vec<Step>, why: &str) -> Vec<Step> {
    let (begin, mark_of) = (Instant::now(), mark(why));
    let mut length = steps.len().div_ceil(2);
    while length > 0 && !steps.is_empty() {
        let mut from = 0;
        let mut found = false;
        while from < steps.len() && begin.elapsed() < PATIENCE {
            let to = (from + length).min(steps.len());
            let rest = [&steps[..from], &steps[to..]].concat();
            if run(page, &rest).is_err_and(|why| mark(&why) == mark_of) {
                (steps, found) = (rest, true);
            } else {
                from = to;
            }
        }
        if length > 1 || !found {
            length /= 2;
        }
    }
    steps
}

/// The steps, a line each.
pub(super) fn listed(steps: &[Step]) -> String {
    let line = |step: &Step| {
        let text = match step {
            Step::Act(crate::store::Action::Document(crate::store::DocumentAction::Open(document))) => {
                format!("Open({:?})", document.title())
            }
            step => format!("{step:?}"),
        };
        let short: String = text.chars().take(240).collect();
        format!("  {short}\n")
    };
    steps.iter().map(line).collect()
}
