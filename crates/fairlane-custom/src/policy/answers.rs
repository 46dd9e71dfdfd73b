//! What code answers of a stage or a job, and for how long that holds.

use std::rc::Rc;

use fairlane::policy::explain::KeyComponent;
use fairlane::policy::{JobView, ProgramError, StageView, View};

use super::CodePolicy;
use crate::code::Code;
use crate::keys::{Answers, KnownKey, RankedKey, Stamp};
use crate::names::{CHANGING, Changes, NAMES, NameScope, indices};

/// Keys that are remembered.
const REMEMBERED: usize = 4096;

impl<C: Code> CodePolicy<C> {
    /// What the key of a stage depends on besides what never changes.
    fn stamp(&self, stage: StageView) -> Stamp {
        let of = |changes: &[u64], index: usize| changes.get(index).copied().unwrap_or(0);
        let now = if self.code.follows(Changes::Time) { stage.view().now().0 } else { 0 };
        let user = of(&self.changes.users, stage.user().index());
        let job = of(&self.changes.jobs, stage.job().index());
        let own = of(&self.changes.stages, stage.index().index());
        // Each only grows.
        [self.changes.all, now, user, job + own]
    }

    /// Brings the key of a stage up to date; a number that ascends as its first part does.
    pub(super) fn rank(&self, stage: StageView) -> u64 {
        let index = stage.index().index();
        let stamp = self.stamp(stage);
        if let Some(Some(known)) = self.keys.borrow().get(index)
            && known.stamp == stamp
        {
            return known.order.first;
        }
        let parts = match self.has_failed() {
            true => Rc::default(),
            false => self.parts(stage).unwrap_or_else(|error| {
                self.fail(error);
                Rc::default()
            }),
        };
        let order = RankedKey::new(stage, parts);
        let first = order.first;
        let mut keys = self.keys.borrow_mut();
        if keys.len() <= index {
            keys.resize(index + 1, None);
        }
        keys[index] = Some(KnownKey { stamp, order });
        first
    }

    /// The place of a stage as last known.
    pub(super) fn order(&self, stage: StageView) -> Option<RankedKey> {
        let keys = self.keys.borrow();
        Some(keys.get(stage.index().index())?.as_ref()?.order.clone())
    }

    /// Moves a stage whose counts have changed to its place in the queue.
    pub(super) fn queue_again(&mut self, stage: StageView) {
        let Some(mut queue) = self.queue.take() else { return };
        if let Some(before) = self.order(stage) {
            queue.remove(&before);
        }
        if stage.pending() > 0 {
            self.rank(stage);
            queue.extend(self.order(stage).map(|order| (order, stage.index())));
        }
        self.queue = Some(queue);
    }

    /// The parts of a stage's key: remembered if what it depends on was the same before.
    fn parts(&self, stage: StageView) -> Result<Rc<[KeyComponent]>, ProgramError> {
        if self.depends.state || self.depends.texts {
            return self.own_parts(stage);
        }
        let given = self.numbers(stage, self.code.read());
        if let Some(parts) = self.memory.borrow().get(&given) {
            return Ok(Rc::clone(parts));
        }
        let parts = self.asked(stage)?;
        let mut memory = self.memory.borrow_mut();
        if memory.len() >= REMEMBERED {
            memory.clear();
        }
        memory.insert(given, Rc::clone(&parts));
        Ok(parts)
    }

    /// The parts of a key that depends on whose it is or on the state: remembered by stage.
    fn own_parts(&self, stage: StageView) -> Result<Rc<[KeyComponent]>, ProgramError> {
        let (index, constant) = (stage.index().index(), CHANGING[Changes::Never as usize]);
        let numbers = self.numbers(stage, self.code.read() & !constant);
        {
            let mut answers = self.answers.borrow_mut();
            if answers.len() <= index {
                answers.resize_with(index + 1, Answers::default);
            }
            if let Some(parts) = answers[index].get(self.changes.state, &numbers) {
                return Ok(parts);
            }
        }
        let parts = self.asked(stage)?;
        // Only now it is known what has been read.
        let numbers = self.numbers(stage, self.code.read() & !constant);
        self.answers.borrow_mut()[index].insert(&numbers, Rc::clone(&parts));
        Ok(parts)
    }

    /// Asks for the key of a stage.
    fn asked(&self, stage: StageView) -> Result<Rc<[KeyComponent]>, ProgramError> {
        let parts = self.code.key(&self.facts_of(stage));
        self.pay();
        Ok(parts?.into())
    }

    /// Numbers of a stage, its job and its user, of the names whose bits are set.
    fn numbers(&self, stage: StageView, bits: u64) -> Vec<u64> {
        let (view, user, job) = (stage.view(), stage.user(), Some(stage.job_view()));
        let scope = NameScope { view, known: &self.known, stage: Some(stage), job, user };
        indices(bits).map(|index| (NAMES[index].get)(&scope).to_bits()).collect()
    }

    /// The most cores that a job may hold.
    pub(super) fn most_cores(&self, stage: StageView) -> f64 {
        let (index, stamp) = (stage.job().index(), self.stamp(stage));
        if let Some(Some((before, cap))) = self.caps.borrow().get(index)
            && *before == stamp
        {
            return *cap;
        }
        let cap = self.cores("cap", stage.job_view(), stage.view()).unwrap_or(0.0);
        let mut caps = self.caps.borrow_mut();
        if caps.len() <= index {
            caps.resize(index + 1, None);
        }
        caps[index] = Some((stamp, cap));
        cap
    }

    /// What a function about a job answers, in cores; `None` if the program fails.
    pub(super) fn cores(&self, function: &str, job: JobView, view: &View) -> Option<f64> {
        let facts = self.facts(view, Some(job), None, job.user());
        let cores = self.code.cores(function, &facts);
        self.pay();
        let cores = cores.and_then(|cores| match cores {
            Some(cores) if !cores.is_nan() => Ok(cores),
            _ => {
                Err(self.code.wrong_answer(function, format!("`{function}` answers with a number of cores")))
            }
        });
        cores.map_err(|error| self.fail(error)).ok()
    }
}
