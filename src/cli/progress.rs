//! A progress bar on standard error for commands that take longer than a second.

use std::io::{self, IsTerminal};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::engine::{self, Control};
use crate::policy::PolicyId;
use crate::scenario::Scenario;
use crate::trace::Trace;

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

    /// Shows which fraction of some work is done.
    pub(super) fn fraction(&self, message: &str) -> impl Fn(f64) + '_ {
        self.bar.set_style(style("{msg} [{bar:40}] {percent} %, {eta} left"));
        self.bar.set_message(message.to_owned());
        self.bar.set_length(1000);
        |fraction| self.bar.set_position((fraction * 1000.0) as u64)
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
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the templates are valid")
}
