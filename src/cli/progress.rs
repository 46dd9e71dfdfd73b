//! A progress bar on standard error for commands that take longer than a second.

use std::io::{self, IsTerminal};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::engine::{self, Control};
use crate::metrics;
use crate::policy::PolicyId;
use crate::scenario::Scenario;
use crate::trace::{Journal, Trace};
use crate::units::Span;

/// How long a command may take before the bar appears.
const PATIENCE: Duration = Duration::from_secs(1);
/// Time between two redraws.
const TICK: Duration = Duration::from_millis(100);

/// A progress bar that appears after a second, and only on a terminal.
pub(super) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    pub(super) fn new() -> Progress {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        if io::stderr().is_terminal() {
            let bar = bar.downgrade();
            thread::spawn(move || {
                thread::sleep(PATIENCE);
                if let Some(bar) = bar.upgrade() {
                    bar.set_draw_target(ProgressDrawTarget::stderr());
                    bar.enable_steady_tick(TICK);
                }
            });
        }
        Progress { bar }
    }

    /// Shows the points of a sweep.
    pub(super) fn points(&self, points: u64) {
        self.bar.set_style(style("[{bar:40}] {human_pos} of {human_len} points, {eta} left"));
        self.bar.set_length(points);
    }

    /// Counts one more point.
    pub(super) fn advance(&self) {
        self.bar.inc(1);
    }

    /// Writes to the terminal while the bar is hidden.
    pub(super) fn aside<R>(&self, write: impl FnOnce() -> R) -> R {
        self.bar.suspend(write)
    }

    /// Simulates a scenario, showing the tasks launched.
    pub(super) fn simulate(&self, scenario: &Scenario, policy: PolicyId) -> Trace {
        self.launching(&policy.title());
        let trace = engine::simulate_observed(scenario, policy, &mut |progress| self.launched(progress));
        trace.expect("the observer never asks to stop")
    }

    /// Simulates a scenario and keeps what its policy did inside, showing the tasks launched.
    pub(super) fn simulate_with_journal(&self, scenario: &Scenario, policy: PolicyId) -> (Trace, Journal) {
        self.launching(&policy.title());
        let record = engine::simulate_with_journal(scenario, policy, &mut |progress| self.launched(progress));
        record.expect("the observer never asks to stop")
    }

    /// Simulates practical UJF for others to be measured against, showing the tasks launched.
    pub(super) fn simulate_reference(&self, scenario: &Scenario, ujf: PolicyId) -> Trace {
        self.launching(&format!("{} as the reference", ujf.title()));
        let trace = engine::simulate_observed(scenario, ujf, &mut |progress| self.launched(progress));
        trace.expect("the observer never asks to stop")
    }

    fn launching(&self, message: &str) {
        self.bar.set_style(style("{msg} [{bar:40}] {human_pos} of {human_len} tasks, {eta} left"));
        self.bar.set_message(message.to_owned());
        self.bar.set_position(0);
    }

    fn launched(&self, progress: engine::Progress) -> Control {
        self.bar.set_length(progress.tasks);
        self.bar.set_position(progress.launched);
        Control::Continue
    }

    /// Simulates every job alone.
    pub(super) fn alone_responses(&self, scenario: &Scenario, policy: PolicyId) -> Vec<Span> {
        self.bar.set_style(style("{msg} {spinner} every job alone, for the slowdowns"));
        self.bar.set_message(policy.title());
        metrics::alone_responses(scenario, policy)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the templates are valid")
}
