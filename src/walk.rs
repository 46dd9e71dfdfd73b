//! Random walks over the store: all that can happen to a page in any order, with results of workers that arrive late,
//! twice, out of order and for documents that are gone. After each action all that is shown is computed and checked.
//!
//! A walk is a list of steps, made from a seed. One that fails is shortened as long as it fails, and printed.

mod actions;
mod checks;
mod edits;
mod pages;
mod random;
mod regressions;
mod sequence;
mod shrink;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;
use std::time::{Duration, Instant};

use crate::results::codec::analyzed_here;
use crate::results::measurement::{self, SweepPoint};
use crate::results::shared::Shared;
use crate::store::{Action, Document, DocumentAction, RunAction, RunPhase, State, chart_data};
use checks::Seen;
use fairlane::engine::Control;
use fairlane::metrics::EvaluationDetail;
use fairlane::policy::PolicyId;
use fairlane::scenario::Generator;
use random::Random;

/// Steps of a walk: fewer than the history keeps, so that undo leads to the start.
const STEPS: usize = 120;
/// Requests that workers still answer.
const MAX_REQUESTS: usize = 40;
/// Most tasks of a simulation here; larger ones fail as if their worker had died.
const MAX_TASKS: u64 = 3_000;

/// Something that happens to a page.
#[derive(Clone, Debug)]
enum Step {
    /// An action.
    Act(Action),
    /// A worker answers the request of this number, counted from the newest; it may have been answered before.
    Answer(usize),
}

/// What a worker was asked about a version of a document.
#[derive(Clone)]
struct Request {
    revision: u32,
    document: Shared<Document>,
    wanted: Wanted,
}

#[derive(Clone, PartialEq)]
enum Wanted {
    Simulation(PolicyId, EvaluationDetail),
    Point(SweepPoint),
    Properties(PolicyId),
}

impl Wanted {
    fn policy(&self) -> PolicyId {
        match self {
            Wanted::Simulation(policy, _) | Wanted::Properties(policy) => *policy,
            Wanted::Point(point) => point.policy,
        }
    }
}

/// A page on a walk.
struct Walk {
    state: State,
    /// The page without what is dragged.
    settled_state: State,
    requests: VecDeque<Request>,
    seen: Seen,
}

impl Walk {
    fn new(page: usize) -> Walk {
        fairlane_custom::install();
        let state = State::new(pages::page(page));
        let mut walk =
            Walk { settled_state: state.clone(), state, requests: VecDeque::new(), seen: Seen::default() };
        walk.ask();
        walk
    }

    /// Makes a step and checks all that is shown then.
    fn take(&mut self, step: &Step) -> Result<(), String> {
        let action = match step {
            Step::Act(action) => Some(action.clone()),
            Step::Answer(newest) => self.requests.iter().rev().nth(*newest).map(answer),
        };
        let Some(action) = action else { return Ok(()) };
        self.state = self.state.reduce(action);
        if self.state.drag.is_none() {
            self.settled_state = self.state.clone();
        }
        self.ask();
        checks::check(&self.state, &self.settled_state, &mut self.seen)
    }

    /// Asks workers for what the page waits for.
    fn ask(&mut self) {
        let state = &self.state;
        let detail = match state.drag.is_none() && state.full_results {
            true => EvaluationDetail::Full,
            false => EvaluationDetail::Responses,
        };
        let pending = state.runs.iter().filter(|(_, run)| matches!(run.phase, RunPhase::Pending(_)));
        let simulations = pending.map(|(policy, _)| Wanted::Simulation(*policy, detail));
        let points =
            chart_data::wanted(state, &chart_data::settings(state)).into_iter().take(3).map(Wanted::Point);
        let properties = chart_data::unchecked(state).into_iter().take(1).map(Wanted::Properties);
        let wanted: Vec<Wanted> = simulations.chain(points).chain(properties).collect();
        let source = state.source();
        // As in the page, what is not admitted is not asked.
        for wanted in wanted.into_iter().filter(|wanted| source.admit(wanted.policy()).is_ok()) {
            let (revision, document) = (state.revision, state.document.clone());
            let is_asked = |request: &Request| request.revision == revision && request.wanted == wanted;
            if !self.requests.iter().any(is_asked) {
                self.requests.push_back(Request { revision, document, wanted });
            }
        }
        while self.requests.len() > MAX_REQUESTS {
            self.requests.pop_front();
        }
    }

    /// Undoes everything: the page is as at the start; and does it again.
    fn back_to_the_start(&mut self, start: &Shared<Document>) -> Result<(), String> {
        self.take(&Step::Act(Action::Document(DocumentAction::DragCommit)))?;
        let end = self.state.document.clone();
        let mut steps = 0;
        while self.state.history.undo_title().is_some() {
            self.take(&Step::Act(Action::Document(DocumentAction::Undo)))?;
            steps += 1;
        }
        if *self.state.document.scenario != *start.scenario {
            return Err("undo to the start leads elsewhere".to_owned());
        }
        (0..steps).try_for_each(|_| self.take(&Step::Act(Action::Document(DocumentAction::Redo))))?;
        if *self.state.document.scenario != *end.scenario {
            return Err("redo leads elsewhere".to_owned());
        }
        Ok(())
    }
}

/// What follows from a worker's answer.
fn answer(request: &Request) -> Action {
    let Request { revision, document, wanted } = request;
    let go_on = &mut |_| Control::Continue;
    match wanted {
        Wanted::Simulation(policy, detail) => {
            let result = match document.tasks(policy.partitioning) > MAX_TASKS {
                true => Err("The worker has died.".to_owned()),
                false => {
                    analyzed_here(&document.scenario, *policy, *detail).map_err(|error| error.to_string())
                }
            };
            Action::Run(RunAction::Finished(*revision, *policy, result))
        }
        Wanted::Point(point) => {
            let subject = point.subject();
            let generator = document.generator().filter(|_| subject.is_generated()).map(Generator::to_json);
            let scenario = &document.scenario;
            let figure = measurement::measure(scenario, point.policy, subject, generator.as_deref(), go_on);
            Action::Run(RunAction::Swept(*revision, point.clone(), figure))
        }
        Wanted::Properties(policy) => {
            let properties = measurement::check(&document.scenario, *policy, go_on);
            Action::Run(RunAction::Checked(
                *revision,
                *policy,
                properties.map(|properties| Shared::new(*properties)),
            ))
        }
    }
}

/// The steps of a walk so far, and what went wrong with the last.
struct Failure {
    page: usize,
    steps: Vec<Step>,
    why: String,
}

/// Makes the steps from a page on, then undoes and redoes all of them; `Err` with what was wrong, also where it was a
/// panic.
fn run(page: usize, steps: &[Step]) -> Result<(), String> {
    caught(|| {
        let mut walk = Walk::new(page);
        let start = walk.state.document.clone();
        steps.iter().try_for_each(|step| walk.take(step))?;
        walk.back_to_the_start(&start)
    })
}

thread_local! {
    /// While this thread catches panics, where the last one was.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs what may panic; a panic is an error with its place.
fn caught(run: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let caught = PLACE.with_borrow_mut(|place| place.as_mut().map(|place| *place = info.to_string()));
            caught.unwrap_or_else(|| usual(info));
        }));
    });
    PLACE.set(Some(String::new()));
    let result = panic::catch_unwind(AssertUnwindSafe(run));
    let place = PLACE.take().unwrap_or_default();
    result.unwrap_or(Err(place))
}

/// Takes a walk from a seed.
fn walk(seed: u64) -> Result<usize, Box<Failure>> {
    let mut random = Random::new(seed);
    let page = random.below(pages::PAGES);
    let mut steps = Vec::new();
    let result = caught(|| {
        let mut walk = Walk::new(page);
        let start = walk.state.document.clone();
        for _ in 0..STEPS {
            let step = match random.below(5) {
                0 | 1 if !walk.requests.is_empty() => {
                    Step::Answer(random.below(walk.requests.len()).min(random.below(9)))
                }
                _ => Step::Act(actions::action(&mut random, &walk.state)),
            };
            steps.push(step.clone());
            walk.take(&step)?;
        }
        walk.back_to_the_start(&start)
    });
    match result {
        Ok(()) => Ok(steps.len()),
        Err(why) => Err(Box::new(Failure { page, steps, why })),
    }
}

/// Takes walks from one seed on, as long as `goes_on` of the actions so far says. Prints what it did; fails with the
/// shortest list of steps that does.
fn walks(first: u64, goes_on: impl Fn(usize) -> bool) {
    let mut actions = 0;
    let mut seed = first;
    while goes_on(actions) {
        match walk(seed) {
            Ok(steps) => actions += steps,
            Err(failure) => {
                let Failure { page, steps, why } = *failure;
                let steps = shrink::shortest(page, steps, &why);
                let why = run(page, &steps).err().unwrap_or(why);
                panic!("walk {seed} from page {page}: {why}\n{}", shrink::listed(&steps));
            }
        }
        seed += 1;
    }
    println!("walks {first} to {seed}: {actions} actions");
}

/// Seconds that walks take in every run of the tests.
const SECONDS: u64 = 40;

#[test]
fn random_walks_end_without_a_panic() {
    let begin = Instant::now();
    walks(first_seed(), |_| begin.elapsed() < Duration::from_secs(SECONDS));
}

/// For a release: `cargo test --release -p fairlane-page --lib walk::a_million -- --ignored --nocapture`.
#[test]
#[ignore = "takes minutes; CONTRIBUTING.md says when"]
fn a_million_actions() {
    walks(first_seed(), |actions| actions < 1_000_000);
}

/// The first seed: that of `FAIRLANE_WALK`, or else 0.
fn first_seed() -> u64 {
    std::env::var("FAIRLANE_WALK").ok().and_then(|seed| seed.parse().ok()).unwrap_or_default()
}
