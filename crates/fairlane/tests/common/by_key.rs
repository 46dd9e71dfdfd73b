//! A policy that launches the task with the least key, whatever queue it has.

use fairlane::ids::{Rank, StageIndex};
use fairlane::policy::explain::Key;
use fairlane::policy::{
    Actions, Admission, Context, Info, Launch, OfferCause, Policy, QueueClass, StageView, View, by_key,
};

/// Asks the policy for the key of every waiting stage.
#[derive(Clone)]
pub struct ByKey<P>(P);

impl<P: Policy + Clone> Policy for ByKey<P> {
    fn info() -> &'static Info {
        P::info()
    }

    fn new(context: &Context) -> Self {
        ByKey(P::new(context))
    }

    fn started(&mut self, view: &View, actions: &mut Actions) {
        self.0.started(view, actions);
    }

    fn job_arrived(&mut self, job: Rank, view: &View, actions: &mut Actions) -> Admission {
        self.0.job_arrived(job, view, actions)
    }

    fn stage_submitted(&mut self, stage: StageIndex, view: &View) {
        self.0.stage_submitted(stage, view);
    }

    fn task_launched(&mut self, launch: Launch, view: &View) {
        self.0.task_launched(launch, view);
    }

    fn task_ended(&mut self, launch: Launch, view: &View) {
        self.0.task_ended(launch, view);
    }

    fn counts_changed(&mut self, stage: StageIndex, view: &View) {
        self.0.counts_changed(stage, view);
    }

    fn stage_ended(&mut self, stage: StageIndex, view: &View) {
        self.0.stage_ended(stage, view);
    }

    fn job_ended(&mut self, job: Rank, view: &View, actions: &mut Actions) {
        self.0.job_ended(job, view, actions);
    }

    fn woken(&mut self, token: u32, view: &View, actions: &mut Actions) {
        self.0.woken(token, view, actions);
    }

    fn ticked(&mut self, view: &View, actions: &mut Actions) {
        self.0.ticked(view, actions);
    }

    fn offer_started(&mut self, cause: OfferCause, view: &View) {
        self.0.offer_started(cause, view);
    }

    fn next_task(&mut self, view: &View) -> Option<Launch> {
        by_key(self, view)
    }

    fn classes(&self) -> &[QueueClass] {
        self.0.classes()
    }

    fn key(&self, stage: StageView) -> Key {
        self.0.key(stage)
    }
}
