//! Decima: a network that was trained on this simulator scores the stages, and how many cores their jobs may hold
//! (Decima, sections 5 and 6.1).
//!
//! ```
//! use fairlane::{catalog, simulate};
//! let scenario = catalog::find("heavy-first").expect("an entry").scenario();
//! let [decima, fifo] = ["decima", "fifo"].map(|policy| simulate(&scenario, policy.parse().expect("a policy")));
//! // A small job behind twenty of a heavy user.
//! let job = scenario.jobs().len() - 1;
//! assert!(decima.jobs[job].response() < fifo.jobs[job].response());
//! ```

mod agent;
mod alternative;
mod embedding;
mod features;
pub mod network;

use std::cell::RefCell;
use std::sync::{Arc, OnceLock};

use super::explain::{Contender, Key, KeyComponent, NumberedFacts, Target, Value};
use super::{
    Actions, Admission, Context, EstimatesRead, Idling, Info, KeyOrder, Launch, OfferCause, Placement,
    Policy, PolicyGroup, StageView, View,
};
use crate::ids::{Rank, StageIndex};
use crate::number;
use crate::units::MICROS_PER_SECOND;
use agent::{Agent, Class};
use embedding::Given;
use network::Weights;

/// What readers should know of Decima.
pub const INFO: Info = Info {
    id: "decima",
    title: "Decima",
    source: "Decima paper",
    summary: "A trained network scores the stages, and how many cores their jobs may hold. Trained for queries on 50 \
              executors; elsewhere it may leave cores idle.",
    key: "class (0 = keeps its core, 1 = may launch, 2 = at the limit of its job), -score of the stage, rank of \
          arrival, stage id",
    group: PolicyGroup::Learned,
    look: 23,
    estimates: EstimatesRead::Stages,
    idling: Idling::OnPurpose,
    targets: true,
    order: KeyOrder::EachLaunch,
    placement: Placement::SameStage,
    ..Info::DEFAULT
};

/// Decima. Key: (class, -score of the stage, rank of arrival, stage id).
#[derive(Clone, Debug)]
pub struct Decima(RefCell<Agent>);

impl Decima {
    /// With other weights than those that are installed.
    pub fn with(weights: Arc<Weights>, cores: u32) -> Decima {
        Decima(RefCell::new(Agent::new(weights, cores)))
    }
}

static WEIGHTS: OnceLock<Arc<Weights>> = OnceLock::new();

/// Installs the network's weights, the repository's `decima/weights.bin`. Native programs need no call; on a page
/// the weights come with the part that calls this.
pub fn install() {
    WEIGHTS.get_or_init(|| {
        Arc::new(Weights::from_bytes(include_bytes!("decima/weights.bin")).expect("the repository's weights"))
    });
}

/// Installs other weights. Only the first call of this and [`install`] counts.
pub fn install_weights(weights: Weights) {
    WEIGHTS.get_or_init(|| Arc::new(weights));
}

/// The weights; `None` if they have not been installed.
pub fn weights() -> Option<Arc<Weights>> {
    if !cfg!(target_arch = "wasm32") {
        install();
    }
    WEIGHTS.get().cloned()
}

impl Decima {
    /// If a stage goes first by its score: the smallest change of one number that lets the next one go first.
    fn alternative(&self, stage: StageView) -> Option<KeyComponent> {
        let view = stage.view();
        let agent = &mut *self.0.borrow_mut();
        let (class, score) = agent.rank(stage);
        if class != Class::May {
            return None;
        }
        let others = view.waiting().filter(|other| other.index() != stage.index());
        let mut others: Vec<_> = others.map(|other| (agent.embeddings().stage_score(other), other)).collect();
        others.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        let (next, runner_up) = others.into_iter().find(|(_, other)| agent.rank(*other).0 == Class::May)?;
        if next > score {
            return None;
        }
        let found = alternative::alternative(agent.embeddings(), stage, runner_up)?;
        let number = found.would_be;
        let (what, value) = match found.given {
            Given::TasksLeft => ("tasks left", Value::Tasks(number)),
            Given::MeanTask => ("a mean task", Value::Seconds(f64::from(number) * 1000.0)),
            Given::CoresOnStage => ("cores on it", Value::Cores(number.into())),
            Given::FreeCores => ("free cores", Value::Cores(number.into())),
            Given::LocalCores => ("free cores local to the job", Value::Cores(number.into())),
        };
        let label = view.scenario().job_label(runner_up.job_view().id());
        Some(KeyComponent::new(format!("{label} would go first with {what} of"), value))
    }
}

impl Policy for Decima {
    fn info() -> &'static Info {
        &INFO
    }

    fn new(context: &Context) -> Self {
        Decima::with(weights().expect("create says so"), context.cores())
    }

    fn job_arrived(&mut self, job: Rank, view: &View, _: &mut Actions) -> Admission {
        self.0.get_mut().job_arrived(job, view);
        Admission::Start
    }

    fn job_ended(&mut self, job: Rank, _: &View, _: &mut Actions) {
        self.0.get_mut().job_ended(job);
    }

    fn stage_submitted(&mut self, stage: StageIndex, _: &View) {
        self.0.get_mut().stage_submitted(stage);
    }

    fn task_launched(&mut self, launch: Launch, view: &View) {
        self.0.get_mut().task_launched(launch, view);
    }

    fn task_ended(&mut self, launch: Launch, _: &View) {
        self.0.get_mut().task_ended(launch);
    }

    fn attempt_killed(&mut self, launch: Launch, _: &View) {
        self.0.get_mut().task_ended(launch);
    }

    fn counts_changed(&mut self, stage: StageIndex, _: &View) {
        self.0.get_mut().counts_changed(stage);
    }

    /// Whether its class allows it, or nothing would ever happen.
    fn may_launch(&self, stage: StageView) -> bool {
        let agent = &mut *self.0.borrow_mut();
        agent.is_idle() || agent.rank(stage).0 != Class::AtLimit
    }

    fn offer_started(&mut self, cause: OfferCause, _: &View) {
        self.0.get_mut().offer_started(cause);
    }

    fn next_task(&mut self, view: &View) -> Option<Launch> {
        self.0.get_mut().next_task(view)
    }

    fn moves_cores(&self) -> bool {
        true
    }

    fn key(&self, stage: StageView) -> Key {
        let (class, score) = self.0.borrow_mut().rank(stage);
        Key::new(
            stage,
            [
                KeyComponent::new("class", Value::Number(class as u64)),
                KeyComponent::new("-score", Value::Score(-f64::from(score))),
            ],
        )
    }

    fn facts(&self, stage: StageView) -> NumberedFacts {
        let alternative = self.alternative(stage);
        let agent = &mut *self.0.borrow_mut();
        let (class, _) = agent.rank(stage);
        let counts = agent.embeddings().counts(stage.job());
        let number = |number: f32| f64::from(number) * MICROS_PER_SECOND;
        let limit = agent.limit(stage.job());
        let mut parts = vec![
            KeyComponent::new("tasks left", Value::Tasks(stage.pending())),
            KeyComponent::new("mean task", Value::Seconds(number(features::mean_task(stage)))),
            KeyComponent::new("cores on it", Value::Cores(stage.running().into())),
            KeyComponent::new("cores on the job", Value::Cores(counts.running.into())),
            KeyComponent::new("free cores", Value::Cores(stage.view().free_cores().into())),
            KeyComponent::new("free cores local to the job", Value::Cores(counts.idle.into())),
            KeyComponent::new("work left of the job", Value::Work(number(counts.work))),
            KeyComponent::new(
                "jobs with less work left",
                Value::Jobs(agent.embeddings().smaller(stage.job())),
            ),
            KeyComponent::new("limit of the job", Value::Cores(limit.into())),
        ];
        // Only differences count.
        let scores = agent.limits().iter().map(|limit| agent.embeddings().limit_score(stage.job(), *limit));
        let scores: Vec<f64> = scores.map(f64::from).collect();
        let greatest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        for (limit, score) in agent.limits().iter().zip(scores) {
            let name = format!("score of the limit {}, less the greatest", limit.cores);
            parts.push(KeyComponent::new(name, Value::Score(score - greatest)));
        }
        parts.extend(alternative);
        let remark = match class {
            Class::Keeps => Some("The freed core goes on with its stage."),
            Class::May => None,
            Class::AtLimit => Some("The job holds as many cores as its limit, or no core may move to it."),
        };
        NumberedFacts { parts, remark }
    }

    fn target(&self, job: Rank, view: &View) -> Option<Target> {
        let agent = &mut *self.0.borrow_mut();
        agent.update(view);
        Some(Target { cores: agent.limit(job).into(), fair_share: None })
    }

    fn reason(&self, first: &Contender, second: &Contender, part: usize) -> String {
        let (label, other) = (first.label, second.label);
        let [mine, theirs] = [first, second].map(|stage| &stage.key.parts()[part].value);
        match (part, mine) {
            (0, Value::Number(0)) => format!("A freed core goes on with its stage, so {label} goes first."),
            (0, _) => format!(
                "{label} may launch a task, and {other}'s job holds as many cores as its limit or no core may move to \
                 it, so {label} goes first."
            ),
            _ => {
                let [mine, theirs] = [mine, theirs].map(|score| match score {
                    Value::Score(negative) => number::trimmed(-negative, 4),
                    _ => String::new(),
                });
                format!("The network scores {label} higher ({mine} against {theirs}), so it goes first.")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::embedding::Embeddings;
    use super::*;
    use crate::catalog;
    use crate::engine::Engine;
    use crate::policy::JobPhase;
    use crate::scenario::PartitionMode;

    /// Jobs that have arrived and not ended.
    fn active(view: &View) -> impl Iterator<Item = Rank> {
        (0..view.jobs()).map(Rank).filter(|job| view.job(*job).phase() != JobPhase::Ended)
    }

    /// The scores from nothing but the view and what each core ran last.
    fn afresh(view: &View, known: &Embeddings) -> Embeddings {
        let mut embeddings = Embeddings::new(weights().expect("included"), view.cores());
        for rank in (0..view.jobs()).map(Rank) {
            embeddings.job_arrived(rank, view);
            if active(view).all(|active| active != rank) {
                embeddings.job_ended(rank);
            }
        }
        for &(core, stage, job) in known.owned() {
            embeddings.launched(stage, job, core);
        }
        embeddings.update(view);
        embeddings
    }

    #[test]
    fn what_is_kept_up_to_date_is_what_is_computed_afresh() {
        for name in ["heavy-first", "branches", "two-users", "skew"] {
            let scenario = catalog::find(name).expect("an entry").scenario();
            let mut engine = Engine::<Decima>::new(&scenario, PartitionMode::Default);
            while engine.step() {
                let (view, agent) = (engine.view(), &mut *engine.policy().0.borrow_mut());
                agent.update(view);
                let fresh = afresh(view, agent.embeddings());
                for (stage, score) in agent.embeddings().stage_scores(view.waiting()) {
                    let others = [agent.embeddings().stage_score(stage), fresh.stage_score_slowly(stage)];
                    let at = view.now();
                    assert_eq!(
                        others.map(f32::to_bits),
                        [score.to_bits(); 2],
                        "{name}: {:?} at {at:?}",
                        stage.index()
                    );
                }
                for job in active(view) {
                    for &limit in agent.limits() {
                        let scores =
                            [agent.embeddings(), &fresh].map(|of| of.limit_score(job, limit).to_bits());
                        assert_eq!(scores[0], scores[1], "{name}: job {job:?} at {:?}", view.now());
                    }
                }
            }
        }
    }

    #[test]
    fn limits_are_one_all_and_some_between() {
        let cores = |count| -> Vec<u32> { features::limits(count).iter().map(|limit| limit.cores).collect() };
        assert_eq!(cores(1), [1]);
        assert_eq!(cores(2), [1, 2]);
        assert_eq!(cores(50), [1, 2, 3, 5, 7, 10, 13, 16, 20, 24, 28, 33, 38, 44, 50]);
    }
}
