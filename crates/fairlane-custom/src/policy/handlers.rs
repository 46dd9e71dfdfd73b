//! Calls of a program's handlers, with what they ask for.

use std::rc::Rc;

use fairlane::ids::{Rank, StageIndex, UserId};
use fairlane::policy::{Actions, ProgramCall, View};
use rhai::FuncArgs;

use super::ProgramPolicy;
use crate::language::{Facts, JobObject, StageObject, Wish, shown};
use crate::program::HandlerCall;

impl ProgramPolicy {
    /// Calls a handler if the program has it; its answer if it is a text.
    pub(super) fn handle(
        &mut self,
        handler: &str,
        view: &View,
        facts: Option<Rc<Facts>>,
        arguments: impl FuncArgs,
        actions: Option<&mut Actions>,
    ) -> Option<String> {
        if !self.program.has(handler) || self.has_failed() {
            return None;
        }
        let facts = facts.unwrap_or_else(|| self.facts(view, None, None, UserId(0)));
        let users = match self.program.mentions_users {
            true => (0..view.scenario().users().len() as u32).map(UserId).collect(),
            false => Vec::new(),
        };
        let users = users.into_iter().map(|user| self.facts(view, None, None, user)).collect();
        let mut call = HandlerCall { random: self.random.clone(), users, wishes: Vec::new() };
        let answer =
            self.with_notes(|state| self.program.handle(handler, &facts, state, arguments, &mut call));
        if let Some(recorded) = &mut self.recorded {
            let answer = answer.as_ref().ok().filter(|answer| !answer.is_unit()).and_then(shown);
            let lines = self.program.frame().lines.take();
            let function = handler.to_owned();
            recorded.push(ProgramCall { function, lines, answer: answer.unwrap_or_default() });
        }
        let HandlerCall { random, wishes, .. } = call;
        self.random = random;
        if self.program.key_reads_state {
            self.changes.all += 1;
        }
        match actions {
            Some(actions) => wishes.into_iter().for_each(|wish| match wish {
                Wish::Start(job) => actions.start(job),
                Wish::Drop(job) => actions.drop(job),
                Wish::Wake { at, token } => actions.wake(at, token),
            }),
            None if wishes.is_empty() => {}
            None => {
                let message = "`start`, `drop` and `wake` work in on_start, on_arrival, on_job_end, on_wake \
                               and on_tick";
                self.fail(self.program.wrong_answer(handler, message));
            }
        }
        let answer = answer.map_err(|error| self.fail(error)).ok()?;
        answer.into_string().ok()
    }

    pub(super) fn handle_stage(&mut self, handler: &str, stage: StageIndex, view: &View) {
        if self.program.has(handler) {
            let facts = self.facts_of(view.stage(stage));
            let object = StageObject(Rc::clone(&facts));
            self.handle(handler, view, Some(facts), (object,), None);
        }
    }

    pub(super) fn handle_job(
        &mut self,
        handler: &str,
        job: Rank,
        view: &View,
        actions: &mut Actions,
    ) -> Option<String> {
        if !self.program.has(handler) {
            return None;
        }
        let job = view.job(job);
        let facts = self.facts(view, Some(job), None, job.user());
        let object = JobObject(Rc::clone(&facts));
        self.handle(handler, view, Some(facts), (object,), Some(actions))
    }
}
