//! A progress bar on standard error for commands that take longer than a second.

use std::io::{self, IsTerminal, Read, Seek};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{CliError, parallel};
use fairlane::engine::{self, Control};
use fairlane::metrics::{self, Baselines, Evaluation, EvaluationDetail};
use fairlane::policy::PolicyId;
use fairlane::policy::explain::Decision;
use fairlane::replay::Replay;
use fairlane::scenario::Scenario;
use fairlane::trace::Trace;

/// How long a command may take before the bar appears.
const PATIENCE: Duration = Duration::from_secs(1);
/// Time between two redraws.
const TICK: Duration = Duration::from_millis(100);

/// A progress bar that appears after a second, and only on a terminal.
pub(super) struct DelayedProgressBar {
    bar: ProgressBar,
}

impl DelayedProgressBar {
    pub(super) fn new() -> DelayedProgressBar {
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
        DelayedProgressBar { bar }
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

    /// Shows bytes read of files.
    pub(super) fn bytes(&self, bytes: u64) {
        self.bar.set_style(style("[{bar:40}] {bytes} of {total_bytes}, {eta} left"));
        self.bar.set_length(bytes);
    }

    /// Shows bytes of a download, however many it has.
    pub(super) fn downloading(&self, name: String) {
        self.bar.set_style(style("{msg} {bytes}, {bytes_per_sec}"));
        self.bar.set_message(name);
    }

    /// Counts the bytes of a download.
    pub(super) fn reading_stream(&self, stream: impl Read) -> impl Read {
        self.bar.wrap_read(stream)
    }

    /// Counts the bytes read of a file.
    pub(super) fn reading(&self, file: impl Read + Seek) -> impl Read + Seek {
        self.bar.wrap_read(file)
    }

    /// Writes to the terminal while the bar is hidden.
    pub(super) fn aside<R>(&self, write: impl FnOnce() -> R) -> R {
        self.bar.suspend(write)
    }

    /// Evaluates a scenario under some policies, showing which fraction of each is done. Without the causes of waiting,
    /// which nothing prints one by one. Fails only by a program.
    pub(super) fn evaluate(
        &self,
        scenario: &Scenario,
        policies: impl IntoIterator<Item = PolicyId>,
        detail: EvaluationDetail,
    ) -> Result<Vec<Evaluation>, CliError> {
        let mut baselines = Baselines::new(parallel::all_cores());
        let evaluate = |policy: PolicyId| {
            self.bar.set_style(style("{msg} [{bar:40}] {percent} %, {eta} left"));
            self.bar.set_message(policy.title());
            self.bar.set_length(1000);
            let mut report = |fraction: f64| {
                self.bar.set_position((fraction * 1000.0) as u64);
                Control::Continue
            };
            let evaluation = metrics::evaluate(scenario, policy, detail, &mut baselines, &mut report);
            let evaluation =
                evaluation.map_err(|error| CliError::new(policy.to_string(), error.to_string()))?;
            Ok(Evaluation { causes: None, ..evaluation })
        };
        policies.into_iter().map(evaluate).collect()
    }

    /// Simulates a scenario, showing the tasks launched. Fails only by a program.
    pub(super) fn simulate(&self, scenario: &Scenario, policy: PolicyId) -> Result<Trace, CliError> {
        self.bar.set_style(style("{msg} [{bar:40}] {human_pos} of {human_len} tasks, {eta} left"));
        self.bar.set_message(policy.title());
        let mut report = |progress: engine::Progress| {
            self.bar.set_length(progress.tasks);
            self.bar.set_position(progress.launched);
            Control::Continue
        };
        let trace = engine::simulate_observed(scenario, policy, &mut report);
        trace.map_err(|error| CliError::new(policy.to_string(), error.to_string()))
    }

    /// What a policy decides about users and jobs besides the order of stages.
    pub(super) fn decisions(&self, scenario: &Scenario, policy: PolicyId) -> Vec<Decision> {
        let mut replay = Replay::new(scenario, policy).expect("the command knows its policies");
        replay.decisions().to_vec()
    }
}

impl Drop for DelayedProgressBar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the templates are valid")
}
