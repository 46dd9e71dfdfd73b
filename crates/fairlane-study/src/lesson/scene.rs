//! What a step sets the page up to.

use super::{FactError, LessonFacts};
use fairlane::catalog;
use fairlane::policy::PolicyId;
use fairlane::scenario::{Edit, Scenario};
use fairlane::units::{Span, Time};
use fairlane_view::TimeAxis;
use fairlane_view::view::{Colouring, DisplayQuestion, Mark, Tab, View};

/// The source of a step's scenario.
#[derive(Clone, Copy, Debug)]
pub enum StepSource {
    /// The catalog's entry of that name.
    Catalog(&'static str),
    /// A scenario file of the lesson's own.
    Own(&'static str),
    /// The run of real Spark that is in the file [`RECORDING_FILE`]. It is shown as it ran, beside the policies.
    Recorded,
}

/// The name of the recorded run of real Spark.
pub const RECORDING: &str = "four-users-on-spark";
/// The file beside the page with its event log.
pub const RECORDING_FILE: &str = "multi-fair.gz";

/// What the page shows in a step.
#[derive(Clone, Copy, Debug)]
pub struct LessonScene {
    /// The scenario.
    pub source: StepSource,
    /// Another advisory task runtime than the scenario's, in milliseconds.
    pub atr_ms: Option<u64>,
    /// The ticked policies, as on the command line.
    pub policies: &'static str,
    /// The playhead.
    pub playhead: Time,
    /// The window of time, in milliseconds; `None`: everything.
    pub window_ms: Option<(u64, u64)>,
    /// The chosen jobs, by name.
    pub chosen: &'static [&'static str],
    /// What colours mean.
    pub colouring: Colouring,
    /// The marks over the charts.
    pub marks: &'static [Mark],
    /// The tab at the side.
    pub tab: Tab,
    /// What the tab [`Tab::Why`] explains: under a policy, the decision that launched the first task of a job from the
    /// playhead on, or without a job the queue at the playhead.
    pub why: Option<(&'static str, Option<&'static str>)>,
}

/// An instant in milliseconds.
fn instant(ms: u64) -> Time {
    Time(ms * 1_000)
}

impl LessonScene {
    /// A scene with a scenario and policies, and else as a page that has just been opened. The lessons
    /// state what differs from it.
    pub const fn new(source: StepSource, policies: &'static str) -> LessonScene {
        LessonScene {
            source,
            atr_ms: None,
            policies,
            playhead: Time::ZERO,
            window_ms: None,
            chosen: &[],
            colouring: Colouring::User,
            marks: &[],
            tab: Tab::Compare,
            why: None,
        }
    }

    /// The scene with the playhead elsewhere, in milliseconds.
    pub const fn at(self, ms: u64) -> LessonScene {
        self.at_micros(ms * 1000)
    }

    /// The scene with the playhead elsewhere, in microseconds.
    pub const fn at_micros(self, micros: u64) -> LessonScene {
        LessonScene { playhead: Time(micros), ..self }
    }

    /// The scene with a part of the time shown.
    pub const fn showing(self, from_ms: u64, to_ms: u64) -> LessonScene {
        LessonScene { window_ms: Some((from_ms, to_ms)), ..self }
    }

    /// The scene with jobs chosen.
    pub const fn choosing(self, chosen: &'static [&'static str]) -> LessonScene {
        LessonScene { chosen, ..self }
    }

    /// The scene with the editor of the chosen job.
    pub const fn editing(self) -> LessonScene {
        LessonScene { tab: Tab::Job, ..self }
    }

    /// The scene with the queue at the playhead under a policy.
    pub const fn why(self, policy: &'static str) -> LessonScene {
        LessonScene { tab: Tab::Why, why: Some((policy, None)), ..self }
    }

    /// The scene with the decision that launched the first task of a job from the playhead on, under a policy.
    pub const fn why_task(self, policy: &'static str, job: &'static str) -> LessonScene {
        LessonScene { tab: Tab::Why, why: Some((policy, Some(job))), ..self }
    }

    /// The scene with marks.
    pub const fn marking(self, marks: &'static [Mark]) -> LessonScene {
        LessonScene { marks, ..self }
    }

    /// The scene with other colours.
    pub const fn coloured(self, colouring: Colouring) -> LessonScene {
        LessonScene { colouring, ..self }
    }

    /// The scene with another advisory task runtime.
    pub const fn cut_to(self, atr_ms: u64) -> LessonScene {
        LessonScene { atr_ms: Some(atr_ms), ..self }
    }

    /// The scene with other policies.
    pub const fn under(self, policies: &'static str) -> LessonScene {
        LessonScene { policies, ..self }
    }

    /// The scenario; `None` if it has to be read from the recorded run.
    pub fn scenario(&self) -> Option<Scenario> {
        let scenario = match self.source {
            StepSource::Catalog(name) => {
                catalog::find(name).expect("a test looks up every scene's entry").scenario()
            }
            StepSource::Own(file) => Scenario::from_json(file).expect("a test reads every scene's file"),
            StepSource::Recorded => return None,
        };
        Some(match self.atr_ms {
            Some(ms) => scenario
                .with(&Edit::advisory_task_runtime(Span(instant(ms).0)))
                .expect("a test cuts every scene's scenario"),
            None => scenario,
        })
    }

    /// The ticked policies.
    pub fn policies(&self) -> impl Iterator<Item = PolicyId> {
        self.policies.split(',').filter_map(|policy| policy.parse().ok())
    }

    /// What is shown of the scenario.
    ///
    /// # Errors
    /// [`FactError`] if the scenario has no job of a name.
    pub fn view(&self, facts: &LessonFacts) -> Result<View, FactError> {
        Ok(View {
            policies: self.policies().collect(),
            playhead: self.playhead,
            window: self.window_ms.map(|(from, to)| TimeAxis { from: instant(from), to: instant(to) }),
            chosen: self.chosen.iter().map(|name| facts.job(name)).collect::<Result<_, _>>()?,
            marks: Some(self.marks.iter().copied().collect()),
            colouring: self.colouring,
            tab: self.tab,
            ..View::default()
        })
    }

    /// What the tab [`Tab::Why`] explains, if anything.
    ///
    /// # Errors
    /// [`FactError`] if there is no such policy or job.
    pub fn question(&self, facts: &LessonFacts) -> Result<Option<(PolicyId, DisplayQuestion)>, FactError> {
        let Some((policy, job)) = self.why else { return Ok(None) };
        let question = match job {
            Some(job) => DisplayQuestion::Dispatch(facts.first_task(policy, job, self.playhead)?),
            None => DisplayQuestion::Playhead,
        };
        Ok(Some((facts.policy(policy)?, question)))
    }
}
