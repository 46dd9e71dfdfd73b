//! Episodes: the policy in training, through the contract that all policies keep.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use fairlane::Scenario;
use fairlane::engine::Engine;
use fairlane::ids::Rank;
use fairlane::policy::decima::INFO;
use fairlane::policy::decima::agent::Agent;
use fairlane::policy::decima::choice::{Candidate, Choice, greatest};
use fairlane::policy::decima::embedding::Embeddings;
use fairlane::policy::decima::features::Limit;
use fairlane::policy::decima::network::Weights;
use fairlane::policy::explain::Key;
use fairlane::policy::{Actions, Admission, Context, Info, Launch, OfferCause, Policy, StageView, View};
use fairlane::scenario::PartitionMode;

use crate::random::Random;
use crate::record::{Picked, Step, StepChoice};
use crate::teacher::Teacher;

/// Who decides in an episode.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mode {
    /// The teacher.
    Teacher,
    /// The greatest scores.
    Greedy,
    /// The network, at random by the scores.
    Sampled,
}

/// What an episode leaves.
pub struct Episode {
    /// Some of its decisions. Under [`Mode::Sampled`] their choices are those made, else the teacher's.
    pub steps: Vec<Step>,
    /// Per job: arrival and end, in seconds.
    pub jobs: Vec<[f64; 2]>,
}

impl Episode {
    /// Average job completion time, in seconds.
    pub fn mean(&self) -> f64 {
        self.jobs.iter().map(|[arrival, end]| end - arrival).sum::<f64>() / self.jobs.len() as f64
    }
}

/// The logarithms of the probabilities of choices with these scores.
pub fn log_softmax(scores: &[f32]) -> Vec<f32> {
    let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f32 = scores.iter().map(|score| (score - most).exp()).sum();
    scores.iter().map(|score| score - most - sum.ln()).collect()
}

struct Recorder {
    steps: Vec<Step>,
    random: Random,
    /// One decision of so many is kept.
    every: usize,
}

#[derive(Clone)]
struct Learner {
    agent: Agent,
    teacher: Teacher,
    mode: Mode,
    recorder: Rc<RefCell<Recorder>>,
}

struct Chooser<'a> {
    view: &'a View,
    teacher: &'a Teacher,
    mode: Mode,
    limits: Vec<Limit>,
    recorder: &'a mut Recorder,
    keeps: bool,
    step: Option<Step>,
}

impl Chooser<'_> {
    fn choose(
        &mut self,
        scores: &[f32],
        teacher: usize,
        embeddings: &Embeddings,
        picked: impl FnOnce(&Step) -> Picked,
    ) -> usize {
        let mut log_probability = 0.0;
        let chosen = match self.mode {
            Mode::Teacher => teacher,
            Mode::Greedy => greatest(scores.iter().copied()),
            Mode::Sampled => {
                let logs = log_softmax(scores);
                let mut left = self.recorder.random.unit() as f32;
                let chosen = logs.iter().position(|log| {
                    left -= log.exp();
                    left < 0.0
                });
                let chosen = chosen.unwrap_or(greatest(scores.iter().copied()));
                log_probability = logs[chosen];
                chosen
            }
        };
        if self.keeps && scores.len() > 1 {
            let step = self.step.get_or_insert_with(|| Step::new(self.view, embeddings));
            let index = if self.mode == Mode::Sampled { chosen } else { teacher };
            let picked = picked(step);
            step.choices.push(StepChoice { picked, index, log_probability });
        }
        chosen
    }
}

impl Chooser<'_> {
    fn asks_teacher(&self) -> bool {
        self.mode == Mode::Teacher || (self.mode == Mode::Greedy && self.keeps)
    }
}

impl Choice for Chooser<'_> {
    fn stage(&mut self, candidates: &[Candidate], embeddings: &Embeddings) -> usize {
        let view = self.view;
        let scores: Vec<f32> = candidates.iter().map(|candidate| candidate.score).collect();
        let teacher = if !self.asks_teacher() {
            0
        } else {
            greatest(
                candidates
                    .iter()
                    .map(|candidate| self.teacher.stage(view.stage(candidate.stage), embeddings)),
            )
        };
        self.choose(&scores, teacher, embeddings, |step| {
            Picked::Stage(
                candidates
                    .iter()
                    .map(|candidate| step.stage(candidate.job, view.stage(candidate.stage).position()))
                    .collect(),
            )
        })
    }

    fn limit(&mut self, job: Rank, scores: &[f32], embeddings: &Embeddings) -> usize {
        let teacher = if !self.asks_teacher() {
            0
        } else {
            self.teacher.limit_index(job, &self.limits, self.view, embeddings)
        };
        let limits = self.limits.clone();
        self.choose(scores, teacher, embeddings, |step| Picked::Limit(step.job(job), limits))
    }
}

impl Policy for Learner {
    fn info() -> &'static Info {
        &INFO
    }

    fn new(_: &Context) -> Self {
        unreachable!("episodes create it")
    }

    fn job_arrived(&mut self, job: Rank, view: &View, _: &mut Actions) -> Admission {
        self.agent.job_arrived(job, view);
        self.teacher.job_arrived(job, view);
        Admission::Start
    }

    fn job_ended(&mut self, job: Rank, _: &View, _: &mut Actions) {
        self.agent.job_ended(job);
    }

    fn stage_submitted(&mut self, stage: fairlane::ids::StageIndex, _: &View) {
        self.agent.stage_submitted(stage);
    }

    fn task_launched(&mut self, launch: Launch, view: &View) {
        self.agent.task_launched(launch, view);
    }

    fn task_ended(&mut self, launch: Launch, _: &View) {
        self.agent.task_ended(launch);
    }

    fn offer_started(&mut self, cause: OfferCause, _: &View) {
        self.agent.offer_started(cause);
    }

    fn next_task(&mut self, view: &View) -> Option<Launch> {
        let recorder = &mut *self.recorder.borrow_mut();
        let keeps = recorder.every > 0 && recorder.random.below(recorder.every) == 0;
        let limits = self.agent.limits().to_vec();
        let mut chooser =
            Chooser { view, teacher: &self.teacher, mode: self.mode, limits, recorder, keeps, step: None };
        let launch = self.agent.next_task(view, &mut chooser);
        if let Some(step) = chooser.step {
            chooser.recorder.steps.push(step);
        }
        launch
    }

    fn key(&self, stage: StageView) -> Key {
        Key::new(stage, [])
    }
}

/// Runs an episode; one decision of `every` is kept, none if that is 0.
pub fn run(scenario: &Scenario, weights: &Arc<Weights>, mode: Mode, every: usize, seed: u32) -> Episode {
    let recorder = Recorder { steps: Vec::new(), random: Random::new(seed), every };
    let recorder = Rc::new(RefCell::new(recorder));
    let learner = Learner {
        agent: Agent::new(Arc::clone(weights), scenario.cluster().cores()),
        teacher: Teacher::default(),
        mode,
        recorder: Rc::clone(&recorder),
    };
    let mut engine = Engine::with(scenario, PartitionMode::Default, learner);
    while engine.step() {}
    let trace = engine.into_trace().expect("the agent keeps the contract");
    let jobs = trace.jobs.iter().map(|job| [job.arrival.seconds(), job.end().seconds()]).collect();
    let steps = std::mem::take(&mut recorder.borrow_mut().steps);
    Episode { steps, jobs }
}
