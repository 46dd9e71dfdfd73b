//! `sjf-cp` (section 9).

use super::{Key, Negative, Offers, Policy, Whole};
use crate::reference::State;
use crate::reference::setting::Job;

pub struct SjfCp;

/// The largest sum of stage estimates along a chain from this stage to an end, itself included.
pub fn critical_path(job: &Job, stage: usize) -> u64 {
    let children = (0..job.stages.len()).filter(|&child| job.stages[child].parents.contains(&stage));
    job.stages[stage].estimate + children.map(|child| critical_path(job, child)).max().unwrap_or(0)
}

impl Policy for SjfCp {
    fn offers(&self) -> Offers {
        Offers::Ranking
    }

    fn key(&self, state: &State, job: usize, stage: usize) -> Key {
        let spec = &state.setting.jobs[job];
        let cp = critical_path(spec, stage);
        vec![Whole(spec.estimate), Whole(state.ranks[job]), Negative(cp), Whole(state.ids[job][stage])]
    }
}
