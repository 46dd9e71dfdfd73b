//! Calls of a program's handlers, with what they ask for.

use std::rc::Rc;

use fairlane::ids::{Rank, StageIndex, UserId};
use fairlane::policy::{Actions, ProgramCall, View};

use super::CodePolicy;
use crate::code::{Argument, Code, Facts, HandlerCall, Wish};

impl<C: Code> CodePolicy<C> {
    /// Calls a handler if the program has it; its answer if it is a text.
    pub(super) fn handle(
        &mut self,
        handler: &str,
        view: &View,
        facts: Option<Rc<Facts>>,
        argument: Argument,
        actions: Option<&mut Actions>,
    ) -> Option<String> {
        if !self.code.has(handler) || self.has_failed() {
            return None;
        }
        let facts = facts.unwrap_or_else(|| self.facts(view, None, None, UserId(0)));
        let users = match self.depends.users {
            true => (0..view.scenario().users().len() as u32).map(UserId).collect(),
            false => Vec::new(),
        };
        let users = users.into_iter().map(|user| self.facts(view, None, None, user)).collect();
        let mut call = HandlerCall { random: self.random.clone(), users, wishes: Vec::new() };
        let answer = self.code.handle(handler, argument, &facts, &mut call);
        self.pay();
        if let Some(recorded) = &mut self.recorded {
            let answer = answer.as_ref().map_or_else(|_| String::new(), |answer| answer.shown.clone());
            let (function, lines) = (handler.to_owned(), self.code.take_lines());
            recorded.push(ProgramCall { function, lines, answer });
        }
        let HandlerCall { random, wishes, .. } = call;
        self.random = random;
        if self.depends.state {
            self.changes.state += 1;
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
                self.fail(self.code.wrong_answer(handler, message.to_owned()));
            }
        }
        answer.map_err(|error| self.fail(error)).ok()?.text
    }

    pub(super) fn handle_stage(&mut self, handler: &str, stage: StageIndex, view: &View) {
        if self.code.has(handler) {
            let facts = self.facts_of(view.stage(stage));
            self.handle(handler, view, Some(facts), Argument::Stage, None);
        }
    }

    pub(super) fn handle_job(
        &mut self,
        handler: &str,
        job: Rank,
        view: &View,
        actions: &mut Actions,
    ) -> Option<String> {
        if !self.code.has(handler) {
            return None;
        }
        let job = view.job(job);
        let facts = self.facts(view, Some(job), None, job.user());
        self.handle(handler, view, Some(facts), Argument::Job, Some(actions))
    }
}
