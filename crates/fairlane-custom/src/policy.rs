//! A program, or other code that keeps its contract, as a policy.

mod answers;
mod handlers;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use fairlane::Scenario;
use fairlane::engine::simulate_start;
use fairlane::ids::{Rank, StageIndex, UserId};
use fairlane::policy::explain::{Key, KeyComponent, NumberedFacts, Target};
use fairlane::policy::{
    Actions, Admission, Cap, Context, Info, JobView, KeyOrder, Launch, Policy, PolicyError, PolicyId,
    ProgramCall, ProgramError, Rule, StageView, View, custom,
};
use fairlane::units::{Span, micros_from_seconds};

use crate::code::{Argument, Code, Dependence, Facts, Random, Settings};
use crate::keys::{Answers, Epochs, KeyQueue, KnownKeys, RankedStage, Stamp, count};
use crate::language::{OPERATIONS, OPERATIONS_PER_TASK};
use crate::names::{Changes, Known, NAMES, NameScope, Subject, indices};
use crate::program::{KeyMemory, Program};
use crate::script::Script;

/// Operations and events of a trial, which takes a few milliseconds unless a call does not end.
const TRIAL_OPERATIONS: u64 = 1_100_000;
const TRIAL_EVENTS: u32 = 100;
const OUT_OF_OPERATIONS: &str = "takes too many operations in all; make it do less at each call";

/// A policy that is a program.
pub type ProgramPolicy = CodePolicy<Script>;

/// A policy of one's own.
#[derive(Clone)]
pub struct CodePolicy<C> {
    code: C,
    depends: Dependence,
    known: Rc<Known>,
    random: Random,
    period: Option<Span>,
    is_by_launch: bool,
    /// Keys by stage, and caps by job.
    keys: KnownKeys,
    /// By stage, if they depend on more than numbers.
    answers: RefCell<Vec<Answers<Rc<[KeyComponent]>>>>,
    /// The waiting stages, if a key changes only with the counts of its own stage.
    queue: Option<KeyQueue>,
    caps: RefCell<Vec<Option<(Stamp, f64)>>>,
    memory: Rc<RefCell<KeyMemory>>,
    changes: Epochs,
    /// Operations that are left.
    operations: Cell<u64>,
    failure: RefCell<Option<ProgramError>>,
    /// Calls that are kept, once they are.
    recorded: Option<Vec<ProgramCall>>,
}

impl ProgramPolicy {
    /// The policy of a program.
    ///
    /// # Errors
    /// A mistake that shows before the simulation starts.
    pub fn new(context: &Context, program: Program, seed: u32) -> Result<ProgramPolicy, ProgramError> {
        let mut facts = Facts::none();
        facts.numbers[1] = context.cores().into();
        ProgramPolicy::of(context, Script::new(program, &Rc::new(facts))?, seed)
    }

    /// Runs a program on the first events of a scenario, as long as that takes few operations.
    ///
    /// # Errors
    /// What the program does wrong in them.
    pub fn try_out(scenario: &Scenario, policy: PolicyId, program: Program) -> Result<(), ProgramError> {
        let context = Context::new(scenario, policy.partitioning);
        let tried = ProgramPolicy::new(&context, program, 0)?;
        tried.operations.set(TRIAL_OPERATIONS);
        match simulate_start(scenario, policy, Box::new(tried), TRIAL_EVENTS) {
            Err(PolicyError { rule: Rule::Program(error), .. }) if error.message != OUT_OF_OPERATIONS => {
                Err(error)
            }
            _ => Ok(()),
        }
    }
}

impl<C: Code> CodePolicy<C> {
    /// The policy of some code; its random numbers follow from the seed.
    ///
    /// # Errors
    /// Settings that there are not.
    pub fn of(context: &Context, code: C, seed: u32) -> Result<CodePolicy<C>, ProgramError> {
        let wrong = |function: &str, message: &str| Err(code.wrong_answer(function, message.to_owned()));
        let Settings { period, keys } = code.settings();
        let period = match period.filter(|_| code.has("on_tick")) {
            None => None,
            Some(seconds) => match micros_from_seconds(seconds) {
                Ok(micros) if micros >= SHORTEST_PERIOD => Some(Span(micros)),
                _ => return wrong("", "`period` is a number of seconds, at least 0.001"),
            },
        };
        if code.has("on_tick") && period.is_none() {
            return wrong("on_tick", code.period_is_missing());
        }
        let is_by_launch = match keys.as_deref() {
            None | Some("each round") => false,
            Some("each launch") => true,
            Some(_) => return wrong("", "`keys` is \"each round\" or \"each launch\""),
        };
        let tasks = context.scenario.jobs().iter().flat_map(|job| &job.stages);
        let tasks =
            tasks.map(|stage| context.scenario.partitioning().task_count(stage, context.partitioning));
        let operations = OPERATIONS.saturating_add(OPERATIONS_PER_TASK.saturating_mul(tasks.sum::<u64>()));
        let depends = code.dependence();
        Ok(CodePolicy {
            code,
            depends,
            known: Rc::new(Known::new(context)),
            random: Random::new(seed),
            period,
            is_by_launch,
            keys: RefCell::default(),
            answers: RefCell::default(),
            queue: depends.is_stage_alone.then(KeyQueue::new),
            caps: RefCell::default(),
            memory: Rc::default(),
            changes: Epochs { users: vec![0; context.weights.len()], ..Epochs::default() },
            operations: Cell::new(operations),
            failure: RefCell::default(),
            recorded: None,
        })
    }

    fn has_failed(&self) -> bool {
        self.failure.borrow().is_some()
    }

    fn fail(&self, error: ProgramError) {
        self.failure.borrow_mut().get_or_insert(error);
    }

    /// Takes what a call has cost off what is left.
    fn pay(&self) {
        let left = self.operations.get().checked_sub(self.code.cost());
        self.operations.set(left.unwrap_or(0));
        if left.is_none() {
            self.fail(self.code.wrong_answer("key", OUT_OF_OPERATIONS.to_owned()));
        }
    }

    fn facts(&self, view: &View, job: Option<JobView>, stage: Option<StageView>, user: UserId) -> Rc<Facts> {
        let scope = NameScope { view, known: &self.known, stage, job, user };
        let mut facts = Facts::none();
        for &index in self.code.given() {
            let is_there = match NAMES[index].subject {
                Subject::Cluster | Subject::User => true,
                Subject::Job => job.is_some(),
                Subject::Stage => stage.is_some(),
            };
            if is_there {
                facts.numbers[index] = (NAMES[index].get)(&scope);
            }
        }
        facts.user = user;
        facts.stage = stage.map_or(StageIndex(0), |stage| stage.index());
        facts.rank = job.map_or(Rank(0), |job| job.rank());
        if self.depends.texts {
            facts.user_name = self.known.user_name(user, view);
            facts.job_name = job.map_or_else(|| facts.job_name, |job| self.known.job_name(job));
        }
        Rc::new(facts)
    }

    fn facts_of(&self, stage: StageView) -> Rc<Facts> {
        self.facts(stage.view(), Some(stage.job_view()), Some(stage), stage.user())
    }
}

/// Shortest period of ticks, in µs.
const SHORTEST_PERIOD: u64 = 1000;

impl<C: Code + 'static> Policy for CodePolicy<C> {
    fn info() -> &'static Info {
        custom::kind("custom").expect("the name of programs").info()
    }

    /// A policy without code; one with it is created by [`CodePolicy::of`].
    fn new(context: &Context) -> Self {
        CodePolicy::of(context, C::nothing(), 0).unwrap_or_else(|error| panic!("nothing is wrong: {error}"))
    }

    fn started(&mut self, view: &View, actions: &mut Actions) {
        self.handle("on_start", view, None, Argument::None, Some(actions));
    }

    fn job_arrived(&mut self, job: Rank, view: &View, actions: &mut Actions) -> Admission {
        let answer = self.handle_job("on_arrival", job, view, actions);
        // Only charts ask later: a mistake shows at once.
        self.target(job, view);
        match answer.as_deref() {
            Some("wait") => Admission::Wait,
            Some("reject") => Admission::Reject,
            Some("start") | None => Admission::Start,
            Some(other) => {
                let message = format!(
                    "`on_arrival` answers \"start\", \"wait\" or \"reject\", or nothing; not \"{other}\""
                );
                self.fail(self.code.wrong_answer("on_arrival", message));
                Admission::Start
            }
        }
    }

    fn stage_submitted(&mut self, stage: StageIndex, view: &View) {
        self.counts_changed(stage, view);
        self.handle_stage("on_submission", stage, view);
    }

    fn task_launched(&mut self, launch: Launch, view: &View) {
        self.counts_changed(launch.stage, view);
        self.handle_stage("on_launch", launch.stage, view);
    }

    fn task_ended(&mut self, launch: Launch, view: &View) {
        self.counts_changed(launch.stage, view);
        self.handle_stage("on_task_end", launch.stage, view);
    }

    fn counts_changed(&mut self, stage: StageIndex, view: &View) {
        let code = &self.code;
        if code.follows(Changes::StageCounts) {
            count(&mut self.changes.stages, stage.index());
        }
        let stage = view.stage(stage);
        if code.follows(Changes::JobCounts) {
            count(&mut self.changes.jobs, stage.job().index());
        }
        if code.follows(Changes::UserCounts) {
            count(&mut self.changes.users, stage.user().index());
        }
        if code.follows(Changes::AnyCounts) {
            self.changes.all += 1;
        }
        self.queue_again(stage);
    }

    fn stage_ended(&mut self, stage: StageIndex, view: &View) {
        if let Some(answers) = self.answers.get_mut().get_mut(stage.index()) {
            *answers = Answers::default();
        }
        self.handle_stage("on_stage_end", stage, view);
    }

    fn job_ended(&mut self, job: Rank, view: &View, actions: &mut Actions) {
        self.handle_job("on_job_end", job, view, actions);
    }

    fn woken(&mut self, token: u32, view: &View, actions: &mut Actions) {
        self.handle("on_wake", view, None, Argument::Token(token), Some(actions));
    }

    fn tick(&self) -> Option<Span> {
        self.period
    }

    fn ticked(&mut self, view: &View, actions: &mut Actions) {
        self.handle("on_tick", view, None, Argument::None, Some(actions));
    }

    fn record_calls(&mut self) {
        self.code.record_lines();
        self.recorded = Some(Vec::new());
    }

    fn calls(&self, stage: StageView) -> Vec<ProgramCall> {
        let Some(mut calls) = self.recorded.clone() else { return Vec::new() };
        let facts = self.facts_of(stage);
        let parts = self.code.key(&facts);
        self.pay();
        let lines = self.code.take_lines();
        let part = |part: &KeyComponent| format!("{}: {}", part.name, part.value);
        let answer = match parts {
            Ok(parts) => parts.iter().map(part).collect::<Vec<_>>().join(", "),
            Err(error) => error.to_string(),
        };
        let function = if self.code.has("key") { "key".to_owned() } else { String::new() };
        calls.push(ProgramCall { function, lines, answer });
        calls
    }

    fn failure(&self) -> Option<ProgramError> {
        self.failure.borrow().clone()
    }

    fn next_task(&mut self, view: &View) -> Option<Launch> {
        let may_launch = |stage: StageView| self.may_launch(stage);
        let rank = |stage: StageView| RankedStage {
            first: self.rank(stage),
            stage: stage.index(),
            keys: &self.keys,
        };
        let launch = match &self.queue {
            Some(queue) if view.has_simple_round() => {
                let (_, &stage) = queue.first_key_value()?;
                view.lowest_free_core().map(|core| Launch { stage, core })
            }
            _ if self.is_by_launch => view.first(may_launch, rank),
            Some(queue) => view.first_in_order(may_launch, || queue.values().copied().collect()),
            None => view.first_of_round(may_launch, rank),
        };
        launch.filter(|_| !self.has_failed())
    }

    fn key_order(&self, _: &View) -> KeyOrder {
        if self.is_by_launch { KeyOrder::EachLaunch } else { KeyOrder::EachRound }
    }

    fn may_launch(&self, stage: StageView) -> bool {
        !self.code.has("cap") || f64::from(stage.job_view().running()) < self.most_cores(stage)
    }

    fn cap(&self, stage: StageView) -> Option<Cap> {
        let running = f64::from(stage.job_view().running());
        let room = || (self.most_cores(stage) - running).ceil() as u32;
        self.code.has("cap").then(|| Cap { group: stage.job().0, room: room() })
    }

    fn target(&self, job: Rank, view: &View) -> Option<Target> {
        let has_target = self.code.has("target") && !self.has_failed();
        has_target
            .then(|| self.cores("target", view.job(job), view))?
            .map(|cores| Target { cores, fair_share: None })
    }

    fn key(&self, stage: StageView) -> Key {
        self.rank(stage);
        let parts = self.order(stage).map(|order| order.parts).unwrap_or_default();
        Key::new(stage, parts.iter().cloned())
    }

    fn facts(&self, stage: StageView) -> NumberedFacts {
        let facts = self.facts_of(stage);
        let names = indices(self.code.read()).map(|index| {
            let name = &NAMES[index];
            let subject = match name.subject.word() {
                "" => String::new(),
                word => format!("{word}."),
            };
            KeyComponent::new(format!("{subject}{}", name.name), name.unit.value(facts.numbers[index]))
        });
        names.collect::<Vec<_>>().into()
    }
}
