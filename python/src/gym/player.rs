//! The policy of an episode, which does what it is told.

use fairlane::ids::{CoreId, StageIndex, UserId};
use fairlane::policy::explain::Key;
use fairlane::policy::{Context, Idling, Info, JobPhase, Launch, OfferCause, Policy, StageView, View};

const INFO: Info = Info {
    id: "played",
    title: "Played",
    summary: "Each decision was taken from outside.",
    key: "none: stages were chosen one by one",
    idling: Idling::OnPurpose,
    ..Info::DEFAULT
};

/// What goes next.
#[derive(Clone, Copy, Debug)]
pub enum Order {
    /// The stage launches tasks while its job runs fewer than the limit.
    Stage { stage: StageIndex, limit: u32 },
    /// The user's first stage launches a task.
    User(UserId),
    /// Users launch tasks by their weights.
    Weights,
}

/// Launches the tasks of an order. Without one, a freed core goes on with its stage, if cores keep theirs.
#[derive(Clone)]
pub struct Player {
    order: Option<Order>,
    /// By user.
    weights: Vec<f64>,
    /// Whether a freed core goes on with its stage.
    pub keeps_stages: bool,
    /// In the offer round after a task's end: the freed core and its stage.
    freed: Option<Launch>,
    /// By core: the stage of its last task.
    last: Vec<Option<StageIndex>>,
    /// The stage of the order that is carried out, and the free cores for its tasks, the best at the end. They stay so
    /// until the offer round is over, as nothing but its launches happens in it.
    cores: Option<(StageIndex, Vec<CoreId>)>,
}

impl Player {
    /// What the next offer round does.
    pub fn order(&mut self, order: Order) {
        self.order = Some(order);
    }

    /// The order ends with its offer round: what is left of it is asked again.
    pub fn forget_order(&mut self) {
        self.order = None;
    }

    /// The weights of the users.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The weights of the users, to be changed.
    pub fn weights_mut(&mut self) -> &mut [f64] {
        &mut self.weights
    }

    /// The stage that goes first among those that can launch a task, of one user or of all: of the user with the fewest
    /// tasks for its weight, of the job that arrived first.
    fn first(&self, user: Option<UserId>, view: &View) -> Option<StageIndex> {
        let load = |stage: &StageView| {
            f64::from(view.user_running(stage.user())) / self.weights[stage.user().index()]
        };
        let stages = view.waiting().filter(|stage| may_launch(*stage));
        let stages = stages.filter(|stage| user.is_none_or(|user| stage.user() == user));
        let order = |one: &StageView, other: &StageView| {
            let ends = |stage: &StageView| (stage.user(), stage.job(), stage.id());
            load(one).total_cmp(&load(other)).then_with(|| ends(one).cmp(&ends(other)))
        };
        stages.min_by(order).map(|stage| stage.index())
    }

    /// A free core for a stage's next task: one that ran the stage last, then one of its job, then one that serves no
    /// job, then any.
    fn core_for(&mut self, stage: StageView) -> Option<CoreId> {
        let known = self.cores.take().filter(|(known, _)| *known == stage.index());
        let mut cores = known.map_or_else(|| self.cores_for(stage), |(_, cores)| cores);
        let core = loop {
            let core = cores.pop();
            // A launch takes memory of its executor's other cores.
            if core.is_none_or(|core| stage.view().fits(stage.index(), core)) {
                break core;
            }
        };
        self.cores = Some((stage.index(), cores));
        core
    }

    /// The free cores that a stage's tasks fit, the best at the end.
    fn cores_for(&self, stage: StageView) -> Vec<CoreId> {
        let view = stage.view();
        let distance = |core: CoreId| match self.last[core.index()].map(|last| view.stage(last)) {
            Some(last) if last.index() == stage.index() => 0,
            Some(last) if last.job() == stage.job() => 1,
            Some(last) if last.job_view().phase() != JobPhase::Ended => 3,
            _ => 2,
        };
        let fitting = view.every_free_core().filter(|&core| view.fits(stage.index(), core));
        let mut cores: Vec<(u8, CoreId)> = fitting.map(|core| (distance(core), core)).collect();
        cores.sort_unstable_by(|one, other| other.cmp(one));
        cores.into_iter().map(|(_, core)| core).collect()
    }
}

/// Whether a stage has a task that fits a free core.
pub fn may_launch(stage: StageView) -> bool {
    let most = stage.view().largest_free_memory();
    stage.is_submitted() && stage.pending() > 0 && most.is_some_and(|most| stage.memory() <= most)
}

/// Whether any stage has such a task.
pub fn some_may_launch(view: &View) -> bool {
    view.free_cores() > 0 && view.waiting().any(may_launch)
}

impl Policy for Player {
    fn info() -> &'static Info {
        &INFO
    }

    fn new(context: &Context) -> Self {
        let cores = context.scenario.cluster().cores() as usize;
        let weights = context.scenario.users().iter().map(|user| user.weight.value()).collect();
        Player { order: None, weights, keeps_stages: true, freed: None, last: vec![None; cores], cores: None }
    }

    fn task_launched(&mut self, launch: Launch, _: &View) {
        self.last[launch.core.index()] = Some(launch.stage);
    }

    fn offer_started(&mut self, cause: OfferCause, _: &View) {
        self.cores = None;
        self.freed = match cause {
            OfferCause::TaskEnd(launch) if self.keeps_stages => Some(launch),
            _ => None,
        };
    }

    fn next_task(&mut self, view: &View) -> Option<Launch> {
        if let Some(freed) = self.freed.take()
            && view.stage(freed.stage).pending() > 0
            && view.fits(freed.stage, freed.core)
        {
            return Some(freed);
        }
        let order = self.order.take()?;
        let (stage, next) = match order {
            Order::Stage { stage, limit } => {
                let of = view.stage(stage);
                let goes_on = of.pending() > 0 && of.job_view().running() < limit;
                (goes_on.then_some(stage)?, Some(order))
            }
            Order::User(user) => (self.first(Some(user), view)?, None),
            Order::Weights => (self.first(None, view)?, Some(order)),
        };
        let core = self.core_for(view.stage(stage))?;
        self.order = next;
        Some(Launch { stage, core })
    }

    /// The engine gives no cores by itself.
    fn moves_cores(&self) -> bool {
        true
    }

    fn key(&self, stage: StageView) -> Key {
        Key::new(stage, [])
    }
}
