//! The hooks of a policy without its type, so that one engine can serve all policies: where the program must be small,
//! a call through a pointer costs less than an engine for each.

use crate::ids::{Rank, StageIndex};
use crate::policy::log::PolicyLog;
use crate::policy::{Actions, Admission, Launch, OfferCause, Policy, View};

/// What the engine calls; see [`Policy`].
pub trait Hooks {
    /// [`Policy::job_arrived`].
    fn job_arrived(&mut self, job: Rank, view: &View, actions: &mut Actions) -> Admission;
    /// [`Policy::stage_submitted`].
    fn stage_submitted(&mut self, stage: StageIndex, view: &View);
    /// [`Policy::task_launched`].
    fn task_launched(&mut self, launch: Launch, view: &View);
    /// [`Policy::task_ended`].
    fn task_ended(&mut self, launch: Launch, view: &View);
    /// [`Policy::stage_ended`].
    fn stage_ended(&mut self, stage: StageIndex, view: &View);
    /// [`Policy::job_ended`].
    fn job_ended(&mut self, job: Rank, view: &View, actions: &mut Actions);
    /// [`Policy::woken`].
    fn woken(&mut self, token: u32, view: &View, actions: &mut Actions);
    /// [`Policy::offer_started`].
    fn offer_started(&mut self, cause: OfferCause, view: &View);
    /// [`Policy::next_task`].
    fn next_task(&mut self, view: &View) -> Option<Launch>;
    /// [`Policy::start_log`].
    fn start_log(&mut self);
    /// [`Policy::finish_log`].
    fn finish_log(&mut self) -> PolicyLog;
}

impl<P: Policy> Hooks for P {
    #[inline]
    fn job_arrived(&mut self, job: Rank, view: &View, actions: &mut Actions) -> Admission {
        Policy::job_arrived(self, job, view, actions)
    }

    #[inline]
    fn stage_submitted(&mut self, stage: StageIndex, view: &View) {
        Policy::stage_submitted(self, stage, view);
    }

    #[inline]
    fn task_launched(&mut self, launch: Launch, view: &View) {
        Policy::task_launched(self, launch, view);
    }

    #[inline]
    fn task_ended(&mut self, launch: Launch, view: &View) {
        Policy::task_ended(self, launch, view);
    }

    #[inline]
    fn stage_ended(&mut self, stage: StageIndex, view: &View) {
        Policy::stage_ended(self, stage, view);
    }

    #[inline]
    fn job_ended(&mut self, job: Rank, view: &View, actions: &mut Actions) {
        Policy::job_ended(self, job, view, actions);
    }

    #[inline]
    fn woken(&mut self, token: u32, view: &View, actions: &mut Actions) {
        Policy::woken(self, token, view, actions);
    }

    #[inline]
    fn offer_started(&mut self, cause: OfferCause, view: &View) {
        Policy::offer_started(self, cause, view);
    }

    #[inline]
    fn next_task(&mut self, view: &View) -> Option<Launch> {
        Policy::next_task(self, view)
    }

    #[inline]
    fn start_log(&mut self) {
        Policy::start_log(self);
    }

    #[inline]
    fn finish_log(&mut self) -> PolicyLog {
        Policy::finish_log(self)
    }
}

#[cfg(target_arch = "wasm32")]
impl Hooks for Box<dyn Hooks> {
    fn job_arrived(&mut self, job: Rank, view: &View, actions: &mut Actions) -> Admission {
        (**self).job_arrived(job, view, actions)
    }

    fn stage_submitted(&mut self, stage: StageIndex, view: &View) {
        (**self).stage_submitted(stage, view);
    }

    fn task_launched(&mut self, launch: Launch, view: &View) {
        (**self).task_launched(launch, view);
    }

    fn task_ended(&mut self, launch: Launch, view: &View) {
        (**self).task_ended(launch, view);
    }

    fn stage_ended(&mut self, stage: StageIndex, view: &View) {
        (**self).stage_ended(stage, view);
    }

    fn job_ended(&mut self, job: Rank, view: &View, actions: &mut Actions) {
        (**self).job_ended(job, view, actions);
    }

    fn woken(&mut self, token: u32, view: &View, actions: &mut Actions) {
        (**self).woken(token, view, actions);
    }

    fn offer_started(&mut self, cause: OfferCause, view: &View) {
        (**self).offer_started(cause, view);
    }

    fn next_task(&mut self, view: &View) -> Option<Launch> {
        (**self).next_task(view)
    }

    fn start_log(&mut self) {
        (**self).start_log();
    }

    fn finish_log(&mut self) -> PolicyLog {
        (**self).finish_log()
    }
}
