//! What a trace means to users: one file per family, every function with its definition.

mod inversion;
mod response;
mod slowdown;
mod straggler;

pub use inversion::{Inversion, inversion_time, inversions};
pub use response::{mean_response, mean_response_by_user, worst_decile_mean};
pub use slowdown::{alone_responses, mean_slowdown, slowdown};
pub use straggler::{IdleCore, Straggler, idle_behind, stragglers};

use crate::scenario::Scenario;
use crate::trace::Trace;
use crate::units::Span;

/// The figures of one row in a comparison of policies.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Mean response time of all jobs, in seconds.
    pub mean_response: f64,
    /// Mean of the worst tenth of response times, in seconds.
    pub worst_decile: f64,
    /// Mean slowdown, a ratio.
    pub mean_slowdown: f64,
    /// Mean response time by user, in seconds; `None` for a user without jobs.
    pub by_user: Vec<Option<f64>>,
    /// From the start of time to the end of the last task.
    pub makespan: Span,
}

impl Summary {
    /// Summarizes a trace. `alone` are the response times of its jobs on the idle cluster, from
    /// [`alone_responses`].
    pub fn new(scenario: &Scenario, trace: &Trace, alone: &[Span]) -> Summary {
        Summary {
            mean_response: mean_response(&trace.jobs),
            worst_decile: worst_decile_mean(&trace.jobs),
            mean_slowdown: mean_slowdown(&trace.jobs, alone),
            by_user: mean_response_by_user(&trace.jobs, scenario.users.len()),
            makespan: Span(trace.end().0),
        }
    }
}
