//! Sections 8, 18 and 24: what a task costs where it runs, how attempts end, and second attempts.

use super::driver::Message;
use super::offers::Choice;
use super::state::{Attempt, Phase, Task};
use super::{Event, Kind, Simulation};

impl Simulation<'_> {
    /// A task goes to a core.
    pub(super) fn launch(&mut self, job: usize, stage: usize, choice: Choice) {
        let Choice { task, core, is_copy, .. } = choice;
        let (now, setting) = (self.state.now, self.state.setting);
        let spec = &setting.jobs[job].stages[stage];
        let executor = self.state.executor_of(core);
        let counts = &mut self.state.counts[job][stage];
        if is_copy {
            counts.marks.retain(|&mark| mark != task);
        } else {
            counts.pending.retain(|&pending| pending != task);
        }
        counts.tasks[task].tried.push(executor);
        if counts.first_launch.is_none() {
            counts.first_launch = Some(now);
            for exclusion in &spec.exclusions {
                if let Some(lasts) = exclusion.lasts {
                    let (time, order) = (now + exclusion.from + lasts, self.scheduled);
                    let kind = Kind::StageSubmission;
                    self.events.push(Event { time, kind, order, job, stage, other: false, exclusion: true });
                    self.scheduled += 1;
                }
            }
        }
        counts.running += 1;
        let last = self.state.cores[core].last;
        let warm = last.is_some_and(|(last_job, _)| last_job == job);
        let mut f = spec.inflation(counts.running);
        if last != Some((job, stage)) {
            f *= spec.first_wave;
        }
        if warm {
            f /= setting.jobs[job].warm_factor;
        }
        f /= setting.speeds.get(executor).copied().unwrap_or(1.0);
        let preferred = spec.preferred(task);
        if !preferred.is_empty() && !preferred.contains(&executor) {
            f *= spec.away;
        }
        let d = spec.tasks[task];
        let d = if f == 1.0 { d } else { (d as f64 * f + 0.5).floor() as u64 };
        let on_its_way = if setting.executors_belong { now - self.state.cores[core].given } else { 0 };
        let moves = if warm { 0 } else { setting.core_move.saturating_sub(on_its_way) };
        let end = now + d + setting.task_overhead + moves;
        self.state.cores[core].runs = Some((job, stage));
        self.state.cores[core].last = Some((job, stage));
        let row = self.state.lines.len();
        self.state.lines.push([job as u64, stage as u64, task as u64, core as u64, now, end]);
        self.state.attempts.push(Attempt { row, job, stage, task, core, start: now });
        self.schedule(end, Kind::TaskFinish, row as u64, job, stage);
        self.party_launches(job, stage);
    }

    /// Takes an attempt out of all counts.
    fn take_off(&mut self, row: usize) -> Attempt {
        let place = self.state.attempts.iter().position(|attempt| attempt.row == row).unwrap();
        let attempt = self.state.attempts.remove(place);
        let counts = &mut self.state.counts[attempt.job][attempt.stage];
        counts.running -= 1;
        counts.marks.retain(|&mark| mark != attempt.task);
        attempt
    }

    /// Whether a task has an attempt.
    fn runs(&self, job: usize, stage: usize, task: usize) -> bool {
        self.state.attempts.iter().any(|other| (other.job, other.stage, other.task) == (job, stage, task))
    }

    /// An attempt ends by itself.
    pub(super) fn attempt_ends(&mut self, row: usize) {
        let now = self.state.now;
        let Attempt { job, stage, task, core, start, .. } = self.take_off(row);
        let executor = self.state.executor_of(core);
        let is_read = self.state.setting.jobs[job].stages.iter().any(|child| child.parents.contains(&stage));
        if is_read && self.state.phases[job] == Phase::Started {
            self.holds_output(executor, job);
        }
        let output = self.state.executors[executor].as_ref().map(|there| (executor, there.stay));
        let ended = &mut self.state.counts[job][stage].tasks[task];
        ended.ended = true;
        ended.output = output;
        self.state.counts[job][stage].lengths.push(now - start);
        self.task_leaves(core);
        let others = self.state.attempts.iter();
        let others = others.filter(|other| (other.job, other.stage, other.task) == (job, stage, task));
        for other in others.map(|other| other.row).collect::<Vec<usize>>() {
            self.kill(other, "overtaken");
        }
        self.offer_round(Some((core, job)));
        let is_last = self.is_done(job, stage);
        self.send(if is_last { Message::LastTaskEnd(job, stage) } else { Message::TaskEnd });
    }

    /// Kills an attempt; its task, if that returns.
    pub(super) fn kill(&mut self, row: usize, reason: &str) -> Option<(usize, usize, usize)> {
        let Attempt { job, stage, task, core, .. } = self.take_off(row);
        self.events.retain(|event| event.kind != Kind::TaskFinish || event.order != row as u64);
        self.state.lines[row][5] = self.state.now;
        self.outcome.killed.push((row as u32, reason.to_owned()));
        self.task_leaves(core);
        let is_over = self.state.phases[job] != Phase::Started;
        let is_left =
            !is_over && !self.runs(job, stage, task) && !self.state.counts[job][stage].tasks[task].ended;
        is_left.then_some((job, stage, task))
    }

    /// Tasks of a stage return, before all pending ones, by index.
    pub(super) fn return_tasks(&mut self, job: usize, stage: usize, mut tasks: Vec<usize>) {
        tasks.sort_unstable();
        tasks.dedup();
        if tasks.is_empty() {
            return;
        }
        let counts = &mut self.state.counts[job][stage];
        for &task in &tasks {
            let tried = std::mem::take(&mut counts.tasks[task].tried);
            counts.tasks[task] = Task { tried, ..Task::default() };
        }
        counts.pending.splice(0..0, tasks);
        self.notice_backlog();
    }

    /// Section 24: a check.
    pub(super) fn check_speculatable_tasks(&mut self) {
        let (now, setting) = (self.state.now, self.state.setting);
        let rules = setting.speculation.as_ref().unwrap();
        self.schedule(now + rules.interval, Kind::Speculation, 0, 0, 0);
        let mut has_new = false;
        for (job, stage) in self.state.stages() {
            let counts = &self.state.counts[job][stage];
            let spec = &setting.jobs[job].stages[stage];
            let n = spec.tasks.len();
            let is_looked_at = counts.submitted
                && !counts.ended
                && self.state.phases[job] == Phase::Started
                && !spec.barrier
                && n >= 2;
            let least = ((rules.quantile * n as f64).floor() as usize).max(1);
            if !is_looked_at || counts.lengths.len() < least {
                continue;
            }
            let mut lengths = counts.lengths.clone();
            lengths.sort_unstable();
            let m = lengths[lengths.len() / 2] as f64;
            let longest = f64::max(rules.multiplier * m, rules.min as f64);
            let attempts_of = |task: usize| {
                let of_stage =
                    self.state.attempts.iter().filter(|other| (other.job, other.stage) == (job, stage));
                of_stage.filter(|other| other.task == task).collect::<Vec<_>>()
            };
            let is_slow = |&task: &usize| match attempts_of(task)[..] {
                [only] => (now - only.start) as f64 > longest && !counts.marks.contains(&task),
                _ => false,
            };
            let marks: Vec<usize> = (0..n).filter(is_slow).collect();
            if !marks.is_empty() {
                has_new = true;
                self.state.counts[job][stage].marks.splice(0..0, marks);
                self.notice_backlog();
            }
        }
        if has_new {
            self.offer_round(None);
        }
    }
}
