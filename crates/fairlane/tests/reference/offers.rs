//! Offer rounds: sections 3, 8 and 9 with the barriers and passes of sections 20 and 22.

use std::collections::BTreeMap;

use super::policies::{self, Key, Offers};
use super::{Event, Kind, Simulation};

/// A task and a core.
#[derive(Clone, Copy)]
pub struct Choice {
    pub task: usize,
    pub core: usize,
    pub is_copy: bool,
    /// 1, 2 or 3.
    pub pass: u32,
}

/// A stage and what it launches.
type Turn = (usize, usize, Vec<Choice>);

impl Simulation<'_> {
    /// An offer round; after a task's end with the core that it freed and the job that this served.
    pub(super) fn offer_round(&mut self, freed: Option<(usize, usize)>) {
        match self.policy.offers() {
            _ if self.state.setting.executors_belong => self.own_round(freed),
            Offers::Ranking => self.ranked_round(),
            _ => self.round_one_by_one(freed),
        }
        if self.state.waiting().is_empty() {
            self.forget_backlog();
        }
    }

    fn all_cores(&self) -> Vec<usize> {
        (0..self.state.cores.len()).collect()
    }

    /// Section 22: whether pass 3 is open with these tasks left pending.
    fn is_open(&self, job: usize, stage: usize, left: &[usize]) -> bool {
        let (counts, spec) = (&self.state.counts[job][stage], &self.state.setting.jobs[job].stages[stage]);
        let prefers_one =
            |task: &usize| spec.preferred(*task).iter().any(|&executor| self.state.takes_tasks(executor));
        counts.level_is_any
            || self.state.now - counts.reset >= self.state.setting.locality_wait
            || !left.iter().any(prefers_one)
    }

    /// What a stage launches on some cores, at most `room` tasks: the three passes. A barrier stage launches all its
    /// tasks or none.
    pub(super) fn passes(
        &self,
        job: usize,
        stage: usize,
        cores: &[usize],
        room: u64,
        without_wait: bool,
    ) -> Vec<Choice> {
        let (counts, spec) = (&self.state.counts[job][stage], &self.state.setting.jobs[job].stages[stage]);
        if self.state.pending(job, stage) + self.state.marks(job, stage) == 0 {
            return Vec::new();
        }
        let (mut pending, mut marks) = (counts.pending.clone(), counts.marks.clone());
        let mut choices: Vec<Choice> = Vec::new();
        for pass in 1..=3 {
            if pass == 3 && !without_wait && !self.is_open(job, stage, &pending) {
                break;
            }
            for &core in cores {
                let executor = self.state.executor_of(core);
                let planned = choices.iter().filter(|choice| self.state.executor_of(choice.core) == executor);
                let needed = (planned.count() as u64 + 1) * spec.memory;
                let has_memory = self.state.free_memory(executor as u64).is_none_or(|free| needed <= free);
                let is_taken = choices.iter().any(|choice| choice.core == core);
                if choices.len() as u64 >= room || !self.state.is_free(core) || is_taken || !has_memory {
                    continue;
                }
                if !self.state.takes(executor, job, stage) {
                    continue;
                }
                let is_of_pass = |task: usize| match pass {
                    1 => spec.preferred(task).contains(&executor),
                    2 => spec.preferred(task).is_empty(),
                    _ => true,
                };
                if let Some(place) = pending.iter().position(|&task| is_of_pass(task)) {
                    let task = pending.remove(place);
                    choices.push(Choice { task, core, is_copy: false, pass });
                    continue;
                }
                let is_new = |task: usize| !counts.tasks[task].tried.contains(&executor);
                if let Some(place) = marks.iter().position(|&task| is_of_pass(task) && is_new(task)) {
                    let task = marks.remove(place);
                    choices.push(Choice { task, core, is_copy: true, pass });
                }
            }
        }
        if spec.barrier && choices.len() < spec.tasks.len() {
            choices.clear();
        }
        choices
    }

    fn launch_all(&mut self, job: usize, stage: usize, choices: &[Choice]) {
        for &choice in choices {
            self.launch(job, stage, choice);
        }
    }

    fn ranked_round(&mut self) {
        let key = |(job, stage)| (self.policy.key(&self.state, job, stage), job, stage);
        let mut queue: Vec<_> = self.state.waiting().into_iter().map(key).collect();
        queue.sort_by(|a, b| policies::compare(&a.0, &b.0));
        for (_, job, stage) in queue {
            let room = self.policy.room(&self.state, job, stage);
            let choices = self.passes(job, stage, &self.all_cores(), room, false);
            self.launch_all(job, stage, &choices);
            self.decide_reset(job, stage, &choices);
        }
    }

    fn round_one_by_one(&mut self, freed: Option<(usize, usize)>) {
        let mut launched: BTreeMap<(usize, usize), Vec<Choice>> = BTreeMap::new();
        let mut next = freed.and_then(|(core, served)| self.sticky_turn(core, served));
        while let Some((job, stage, choices)) = next.or_else(|| self.first_turn()) {
            self.launch_all(job, stage, &choices);
            launched.entry((job, stage)).or_default().extend(choices);
            next = None;
        }
        for ((job, stage), choices) in launched {
            self.decide_reset(job, stage, &choices);
        }
    }

    /// Section 9: the freed core is first offered to the job it served.
    fn sticky_turn(&self, core: usize, served: usize) -> Option<Turn> {
        if self.policy.offers() != Offers::Sticky {
            return None;
        }
        let is_offered = |&(job, stage): &(usize, usize)| {
            job == served && !self.state.setting.jobs[job].stages[stage].barrier
        };
        let stages = self.state.waiting().into_iter().filter(is_offered).collect();
        self.least(stages, &[core], |job, stage| self.policy.key(&self.state, job, stage))
    }

    fn first_turn(&self) -> Option<Turn> {
        if self.policy.offers() != Offers::ByExecutor {
            let key = |job, stage| self.policy.key(&self.state, job, stage);
            return self.least(self.state.waiting(), &self.all_cores(), key);
        }
        let c = self.state.setting.cores_per_executor as usize;
        (0..self.state.executors.len()).find_map(|executor| {
            let cores: Vec<usize> = (executor * c..(executor + 1) * c).collect();
            let fits =
                |&(job, stage): &(usize, usize)| cores.iter().any(|&core| self.state.fits(job, stage, core));
            let stages = self.state.waiting().into_iter().filter(fits).collect();
            self.least(stages, &cores, |job, stage| self.policy.key_on(&self.state, job, stage, cores[0]))
        })
    }

    /// Among stages that can launch something on some cores, the one with the least key: one task, or all of a barrier
    /// stage, wherever.
    fn least(
        &self,
        stages: Vec<(usize, usize)>,
        cores: &[usize],
        key: impl Fn(usize, usize) -> Key,
    ) -> Option<Turn> {
        let turn = |(job, stage): (usize, usize)| {
            let room = self.policy.room(&self.state, job, stage);
            let choices = match self.state.setting.jobs[job].stages[stage].barrier {
                true => self.passes(job, stage, &self.all_cores(), room, false),
                false => self.passes(job, stage, cores, room.min(1), false),
            };
            (!choices.is_empty()).then(|| (key(job, stage), (job, stage, choices)))
        };
        let turns = stages.into_iter().filter_map(turn);
        turns.min_by(|a, b| policies::compare(&a.0, &b.0)).map(|(_, turn)| turn)
    }

    /// Section 22: "If it launched something".
    fn decide_reset(&mut self, job: usize, stage: usize, launched: &[Choice]) {
        let spec = &self.state.setting.jobs[job].stages[stage];
        if launched.is_empty() || !spec.has_level() {
            return;
        }
        let pending = &self.state.counts[job][stage].pending;
        let has_core = self.all_cores().into_iter().any(|core| self.state.fits(job, stage, core));
        let has_task = !pending.is_empty() && self.policy.room(&self.state, job, stage) > 0;
        if has_core && has_task && !self.is_open(job, stage, pending) {
            return;
        }
        let counts = &mut self.state.counts[job][stage];
        counts.reset = self.state.now;
        counts.level_is_any = launched.iter().all(|choice| choice.pass == 3);
        self.schedule_wait(job, stage);
    }

    pub(super) fn schedule_wait(&mut self, job: usize, stage: usize) {
        let counts = &self.state.counts[job][stage];
        if self.state.setting.jobs[job].stages[stage].has_level() && !counts.level_is_any {
            let time = counts.reset + self.state.setting.locality_wait;
            let (kind, order) = (Kind::StageSubmission, self.scheduled);
            self.events.push(Event { time, kind, order, job, stage, other: true, exclusion: false });
            self.scheduled += 1;
        }
    }

    pub(super) fn wait_is_over(&mut self, job: usize, stage: usize) {
        let counts = &self.state.counts[job][stage];
        let is_last = counts.reset + self.state.setting.locality_wait == self.state.now;
        if is_last && !counts.level_is_any && !counts.pending.is_empty() {
            self.offer_round(None);
        }
    }
}
