//! Section 23, with the barriers of section 20.

use super::Simulation;
use super::state::Phase;

impl Simulation<'_> {
    /// An executor is lost, or a loss of it is over.
    pub(super) fn loss(&mut self, executor: usize, is_over: bool) {
        if is_over {
            self.loss_is_over(executor);
        } else {
            self.lose(executor);
            self.see_to_needs(None);
        }
        self.offer_round(None);
    }

    fn lose(&mut self, executor: usize) {
        self.note_loss(executor);
        let Some(stay) = self.state.executors[executor].as_ref().map(|there| there.stay) else { return };
        let rows: Vec<usize> = self
            .state
            .attempts
            .iter()
            .filter(|attempt| self.state.executor_of(attempt.core) == executor)
            .map(|attempt| attempt.row)
            .collect();
        // Stages of which an attempt was killed, with its task.
        let hit: Vec<(usize, usize)> = self
            .state
            .attempts
            .iter()
            .filter(|attempt| rows.contains(&attempt.row))
            .map(|attempt| (attempt.job, attempt.stage))
            .collect();
        let returning: Vec<_> = rows.into_iter().filter_map(|row| self.kill(row, "lost")).collect();
        self.leave_now(executor);
        for (job, stage) in self.state.stages() {
            if self.state.phases[job] != Phase::Started {
                continue;
            }
            let stages = &self.state.setting.jobs[job].stages;
            let is_read = stages.iter().any(|child| child.parents.contains(&stage));
            let tasks = &self.state.counts[job][stage].tasks;
            let is_lost = |&task: &usize| tasks[task].ended && tasks[task].output == Some((executor, stay));
            let lost: Vec<usize> = (0..tasks.len()).filter(|task| is_read && is_lost(task)).collect();
            let killed: Vec<usize> =
                returning.iter().filter(|lost| (lost.0, lost.1) == (job, stage)).map(|lost| lost.2).collect();
            if self.state.counts[job][stage].ended {
                for task in lost {
                    self.state.counts[job][stage].tasks[task].missing = true;
                }
            } else if stages[stage].barrier {
                if !lost.is_empty() || hit.contains(&(job, stage)) {
                    self.start_over(job, stage);
                }
            } else {
                self.return_tasks(job, stage, lost);
                self.return_tasks(job, stage, killed);
            }
        }
    }

    /// Section 20: all tasks of a barrier stage return.
    fn start_over(&mut self, job: usize, stage: usize) {
        let of_stage = self.state.attempts.iter().filter(|other| (other.job, other.stage) == (job, stage));
        for row in of_stage.map(|other| other.row).collect::<Vec<usize>>() {
            self.kill(row, "lost");
        }
        self.state.counts[job][stage].pending.clear();
        self.return_tasks(job, stage, (0..self.state.setting.jobs[job].stages[stage].tasks.len()).collect());
    }

    /// "Needs": whether anything was reopened.
    pub(super) fn see_to_needs(&mut self, to_be_submitted: Option<(usize, usize)>) -> bool {
        let mut reopened = false;
        loop {
            let needs_parents = |&(job, stage): &(usize, usize)| {
                let counts = &self.state.counts[job][stage];
                let is_pending = counts.submitted && !counts.ended && !counts.pending.is_empty();
                Some((job, stage)) == to_be_submitted
                    || is_pending && self.state.phases[job] == Phase::Started
            };
            let is_missing = |&(job, stage): &(usize, usize)| {
                self.state.counts[job][stage].tasks.iter().any(|task| task.missing)
            };
            let needed = self.state.stages().into_iter().filter(needs_parents).flat_map(|(job, stage)| {
                self.state.setting.jobs[job].stages[stage].parents.iter().map(move |&parent| (job, parent))
            });
            let Some((job, stage)) = needed.into_iter().find(is_missing) else { return reopened };
            reopened = true;
            let counts = &mut self.state.counts[job][stage];
            counts.ended = false;
            let missing = (0..counts.tasks.len()).filter(|&task| counts.tasks[task].missing).collect();
            if self.state.setting.jobs[job].stages[stage].barrier {
                self.start_over(job, stage);
            } else {
                self.return_tasks(job, stage, missing);
            }
        }
    }
}
