//! A program that runs: its state, and what it has noted.

use std::cell::RefCell;
use std::rc::Rc;

use fairlane::policy::ProgramError;
use fairlane::policy::custom::ProgramLine;
use fairlane::policy::explain::KeyComponent;
use rhai::Dynamic;

use crate::code::{Answer, Argument, Code, Dependence, Facts, HandlerCall, Settings};
use crate::language::{JobObject, Notes, StageObject, number, shown};
use crate::program::Program;

/// A program with its state.
#[derive(Clone)]
pub struct Script {
    program: Rc<Program>,
    state: RefCell<Dynamic>,
    notes: RefCell<Notes>,
}

impl Script {
    /// A program at its start; of the facts it sees the cluster's cores.
    pub(crate) fn new(program: Program, facts: &Rc<Facts>) -> Result<Script, ProgramError> {
        let state = program.state(facts)?;
        Ok(Script { state: RefCell::new(state), notes: RefCell::default(), program: Rc::new(program) })
    }

    /// Lends the notes to a call.
    fn with_notes<T>(&self, call: impl FnOnce(&mut Dynamic) -> T) -> T {
        let frame = self.program.frame();
        frame.notes.swap(&self.notes);
        let answer = call(&mut self.state.borrow_mut());
        frame.notes.swap(&self.notes);
        answer
    }
}

impl Code for Script {
    fn nothing() -> Script {
        let program = Program::new("rank").unwrap_or_else(|error| panic!("a sound program: {error}"));
        Script { program: Rc::new(program), state: RefCell::default(), notes: RefCell::default() }
    }

    fn has(&self, function: &str) -> bool {
        self.program.has(function)
    }

    fn settings(&self) -> Settings {
        let state = self.state.borrow();
        let setting = |name: &str| state.as_map_ref().ok().and_then(|state| state.get(name).cloned());
        Settings {
            period: setting("period").map(|period| number(&period).unwrap_or(f64::NAN)),
            keys: setting("keys").map(|keys| keys.into_string().unwrap_or_default()),
        }
    }

    fn given(&self) -> &[usize] {
        &self.program.used
    }

    fn read(&self) -> u64 {
        self.program.read
    }

    fn dependence(&self) -> Dependence {
        Dependence {
            state: self.program.key_reads_state,
            texts: self.program.mentions_names,
            users: self.program.mentions_users,
            is_stage_alone: self.program.ranks_stages_alone(),
        }
    }

    fn key(&self, facts: &Rc<Facts>) -> Result<Vec<KeyComponent>, ProgramError> {
        let object = StageObject(Rc::clone(facts));
        self.with_notes(|state| self.program.key(facts, state, (object,)))
    }

    fn cores(&self, function: &str, facts: &Rc<Facts>) -> Result<Option<f64>, ProgramError> {
        let object = JobObject(Rc::clone(facts));
        let cores = self.with_notes(|state| self.program.call(function, facts, state, (object,)))?;
        Ok(number(&cores))
    }

    fn handle(
        &self,
        handler: &str,
        argument: Argument,
        facts: &Rc<Facts>,
        call: &mut HandlerCall,
    ) -> Result<Answer, ProgramError> {
        let answer = self.with_notes(|state| {
            let (program, given) = (&self.program, Rc::clone(facts));
            match argument {
                Argument::None => program.handle(handler, facts, state, (), call),
                Argument::Stage => program.handle(handler, facts, state, (StageObject(given),), call),
                Argument::Job => program.handle(handler, facts, state, (JobObject(given),), call),
                Argument::Token(token) => program.handle(handler, facts, state, (i64::from(token),), call),
            }
        })?;
        let shown = if answer.is_unit() { None } else { shown(&answer) };
        Ok(Answer { text: answer.into_string().ok(), shown: shown.unwrap_or_default() })
    }

    fn wrong_answer(&self, function: &str, message: String) -> ProgramError {
        self.program.wrong_answer(function, message)
    }

    fn period_is_missing(&self) -> &'static str {
        "say how often: `const period = 1.0;` in seconds, outside of functions"
    }

    fn cost(&self) -> u64 {
        self.program.frame().operations.get()
    }

    fn record_lines(&mut self) {
        self.program = Rc::new(self.program.recording());
    }

    fn take_lines(&self) -> Vec<ProgramLine> {
        self.program.frame().lines.take()
    }
}
