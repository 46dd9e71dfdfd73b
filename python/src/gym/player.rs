//! The policy of an episode, which does what it is told.

use fairlane::ids::{CoreId, StageIndex};
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

/// A stage that goes next.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    pub stage: StageIndex,
    /// It launches tasks while its job runs fewer.
    pub limit: u32,
}

/// Launches the tasks of an order; without one, a freed core goes on with its stage.
#[derive(Clone)]
pub struct Player {
    order: Option<Order>,
    /// In the offer round after a task's end: the freed core and its stage.
    freed: Option<Launch>,
    /// By core: the stage of its last task.
    last: Vec<Option<StageIndex>>,
}

impl Player {
    /// What the next offer round does.
    pub fn order(&mut self, order: Order) {
        self.order = Some(order);
    }

    /// A free core for a stage's next task: one that ran the stage last, then one of its job, then one that serves no
    /// job, then any.
    fn core_for(&self, stage: StageView) -> Option<CoreId> {
        let view = stage.view();
        let distance = |core: CoreId| match self.last[core.index()].map(|last| view.stage(last)) {
            Some(last) if last.index() == stage.index() => 0,
            Some(last) if last.job() == stage.job() => 1,
            Some(last) if last.job_view().phase() != JobPhase::Ended => 3,
            _ => 2,
        };
        let fitting = view.every_free_core().filter(|&core| view.fits(stage.index(), core));
        fitting.min_by_key(|&core| (distance(core), core))
    }
}

impl Policy for Player {
    fn info() -> &'static Info {
        &INFO
    }

    fn new(context: &Context) -> Self {
        let cores = context.scenario.cluster().cores() as usize;
        Player { order: None, freed: None, last: vec![None; cores] }
    }

    fn task_launched(&mut self, launch: Launch, _: &View) {
        self.last[launch.core.index()] = Some(launch.stage);
    }

    fn offer_started(&mut self, cause: OfferCause, _: &View) {
        self.freed = match cause {
            OfferCause::TaskEnd(launch) => Some(launch),
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
        let Order { stage, limit } = self.order?;
        let stage = view.stage(stage);
        let core = if stage.pending() > 0 && stage.job_view().running() < limit {
            self.core_for(stage)
        } else {
            None
        };
        if core.is_none() {
            self.order = None;
        }
        Some(Launch { stage: stage.index(), core: core? })
    }

    /// The engine gives no cores by itself.
    fn moves_cores(&self) -> bool {
        true
    }

    fn key(&self, stage: StageView) -> Key {
        Key::new(stage, [])
    }
}
