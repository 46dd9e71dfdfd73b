//! The smallest change of one number that lets the runner-up go first.

use super::super::StageView;
use super::embedding::{Embeddings, Given};

/// Most steps by which a number is changed, in either direction.
const MAX_STEPS: u32 = 48;
/// Each step changes a number by this part of it, and by 1 at least.
const STEP: f64 = 0.15;

/// A number that would have to be another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alternative {
    /// The number.
    pub given: Given,
    /// What it is.
    pub is: u32,
    /// What it would have to be, the nearest such value that was tried.
    pub would_be: u32,
}

impl Alternative {
    /// How far it is from what is: the logarithm of the ratio, of numbers that may be 0.
    fn distance(self) -> f64 {
        let log = |number: u32| libm::log(f64::from(number) + 1.0);
        (log(self.would_be) - log(self.is)).abs()
    }
}

/// The smallest change of one number of a stage, its job or the cluster with which another stage has the greater score;
/// `None` if no such change was found.
pub fn alternative(embeddings: &Embeddings, stage: StageView, runner_up: StageView) -> Option<Alternative> {
    let cores = stage.view().cores();
    let found = Given::ALL.into_iter().filter_map(|given| {
        let is = embeddings.given(given, stage);
        let most = if matches!(given, Given::TasksLeft | Given::MeanTask) { u32::MAX } else { cores };
        // A stage without tasks does not wait.
        let least = u32::from(given == Given::TasksLeft);
        let loses = |value: &u32| {
            let [own, other] = embeddings.altered_scores(given, *value, stage, runner_up);
            other > own
        };
        let step = |value: u32| (f64::from(value) * STEP).max(1.0) as u32;
        let up = std::iter::successors(Some(is), |&value| value.checked_add(step(value))).skip(1);
        let down = std::iter::successors(Some(is), |&value| value.checked_sub(step(value))).skip(1);
        let up = up.take(MAX_STEPS as usize).take_while(|value| *value <= most).find(loses);
        let down = down.take(MAX_STEPS as usize).take_while(|value| *value >= least).find(loses);
        let either = up.into_iter().chain(down).map(|would_be| Alternative { given, is, would_be });
        either.min_by(|one, other| one.distance().total_cmp(&other.distance()))
    });
    found.min_by(|one, other| one.distance().total_cmp(&other.distance()))
}

#[cfg(test)]
mod tests {
    use super::super::weights;
    use super::*;
    use crate::engine::{Control, Observation, Observer, simulate_seen};
    use crate::policy::Policy;
    use std::cell::Cell;
    use std::rc::Rc;

    /// A number that stays as it is changes nothing, and an alternative lets the other stage win.
    #[test]
    fn an_alternative_lets_the_runner_up_win() {
        let scenario = crate::catalog::find("decima-batch").expect("an entry").scenario();
        let weights = weights().expect("the repository's weights");
        let mut embeddings = Embeddings::new(weights, scenario.cluster().cores());
        let found = Rc::new(Cell::new(0));
        let counted = Rc::clone(&found);
        let mut launches = 0;
        let seen: Observer<dyn Policy> = Box::new(move |seen, _, view| match seen {
            Observation::Arrival(job) => embeddings.job_arrived(job, view),
            Observation::JobEnd(job) => embeddings.job_ended(job),
            Observation::Submission(stage) => embeddings.counts_changed(stage),
            Observation::End(launch) => embeddings.counts_changed(launch.stage),
            Observation::Launch(launch) => {
                embeddings.launched(launch.stage, view.stage(launch.stage).job(), launch.core);
                embeddings.counts_changed(launch.stage);
                launches += 1;
                let mut waiting = view.waiting();
                let (Some(one), Some(other)) = (waiting.next(), waiting.last()) else { return };
                if launches % 50 > 0 {
                    return;
                }
                embeddings.update(view);
                let scores = [one, other].map(|stage| embeddings.stage_score(stage));
                for given in Given::ALL {
                    let is = embeddings.given(given, one);
                    let same = embeddings.altered_scores(given, is, one, other);
                    let is_close = scores.iter().zip(same).all(|(score, same)| (score - same).abs() < 0.05);
                    assert!(is_close, "{given:?}: {scores:?} {same:?}");
                }
                let [first, second] = if scores[0] >= scores[1] { [one, other] } else { [other, one] };
                if let Some(Alternative { given, is, would_be }) = alternative(&embeddings, first, second) {
                    let [own, other] = embeddings.altered_scores(given, would_be, first, second);
                    assert!(other > own && would_be != is);
                    counted.set(counted.get() + 1);
                }
            }
            Observation::InstantEnd => {}
        });
        let policy = "decima".parse().expect("a policy");
        simulate_seen(&scenario, policy, seen, &mut |_| Control::Continue).expect("a schedule");
        assert!(found.get() > 10, "{}", found.get());
    }
}
