//! `paf` (section 10).

use super::{Key, Number, Offers, Policy, Whole};
use crate::reference::State;

pub struct Paf;

fn parallelism(state: &State, job: usize) -> u64 {
    state.setting.jobs[job].stages.iter().map(|stage| stage.tasks.len() as u64).max().unwrap()
}

/// The jobs, by rank, with what each has.
type Shares = Vec<(usize, u64)>;

/// R times, one slot to the job with the least share / weight, then a, among those below their parallelism.
fn fair_shares(state: &State) -> Shares {
    let mut shares: Shares = state.active_jobs().into_iter().map(|job| (job, 0)).collect();
    for _ in 0..state.setting.cores {
        let by_weight = |&(job, share): &(usize, u64)| {
            share as f64 / state.setting.users[state.setting.jobs[job].user].weight()
        };
        let below = shares.iter_mut().filter(|(job, share)| *share < parallelism(state, *job));
        let least = below.min_by(|a, b| by_weight(a).partial_cmp(&by_weight(b)).unwrap());
        if let Some((_, share)) = least {
            *share += 1;
        }
    }
    shares
}

/// Algorithm 1.
fn allocations(state: &State) -> Shares {
    let alpha = state.setting.parameter("paf", "alpha", 0.9);
    let p = |job: usize, x: u64| state.setting.jobs[job].curve.as_ref().unwrap().p(x);
    let fair = fair_shares(state);
    let mut shares = fair.clone();
    let has_curve = |index: usize| state.setting.jobs[fair[index].0].curve.is_some();
    let minimum: Vec<u64> = (0..fair.len())
        .map(|index| {
            let (job, share) = fair[index];
            if !has_curve(index) {
                return share;
            }
            (0..=share).find(|&x| p(job, x) >= alpha * p(job, share)).unwrap()
        })
        .collect();
    let mut givers: Vec<usize> =
        (0..fair.len()).filter(|&index| has_curve(index) && fair[index].1 > 0).collect();
    loop {
        let loss =
            |index: usize| p(shares[index].0, shares[index].1) - p(shares[index].0, shares[index].1 - 1);
        let gain =
            |index: usize| p(shares[index].0, shares[index].1 + 1) - p(shares[index].0, shares[index].1);
        let least = givers.iter().copied().min_by(|&a, &b| loss(a).partial_cmp(&loss(b)).unwrap());
        let Some(giver) = least else { return shares };
        let takers = (0..shares.len()).filter(|&index| {
            index != giver && has_curve(index) && shares[index].1 < parallelism(state, shares[index].0)
        });
        // The first of the greatest.
        let taker = takers.reduce(|best, other| if gain(other) > gain(best) { other } else { best });
        let Some(taker) = taker else { return shares };
        if loss(giver) >= gain(taker) {
            return shares;
        }
        if shares[giver].1 == minimum[giver] {
            givers.retain(|&index| index != giver);
        } else {
            shares[giver].1 -= 1;
            shares[taker].1 += 1;
            if shares[giver].1 == 0 {
                givers.retain(|&index| index != giver);
            }
        }
    }
}

impl Policy for Paf {
    fn target(&self, state: &State, job: usize) -> Option<f64> {
        allocations(state).into_iter().find(|(other, _)| *other == job).map(|(_, target)| target as f64)
    }

    fn offers(&self) -> Offers {
        Offers::OneByOne
    }

    fn key(&self, state: &State, job: usize, stage: usize) -> Key {
        let allocations = allocations(state);
        let (_, target) = allocations.iter().find(|(other, _)| *other == job).unwrap();
        let first = -(*target as f64 - state.held_by_job(job) as f64);
        let running = state.counts[job][stage].running;
        vec![Number(first), Whole(state.ranks[job]), Whole(running), Whole(state.ids[job][stage])]
    }
}
