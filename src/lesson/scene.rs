//! What a step sets the page up to.

use super::{FactError, Facts};
use crate::ids::JobId;
use crate::policy::PolicyId;
use crate::scenario::{Scenario, catalog};
use crate::trace::At;
use crate::units::{Span, Time};
use crate::view::TimeAxis;

/// Where a step's scenario comes from.
#[derive(Clone, Copy, Debug)]
pub enum Source {
    /// The catalog's entry of that name.
    Catalog(&'static str),
    /// A scenario file of the lesson's own.
    Own(&'static str),
}

/// What colours stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hue {
    /// Users.
    User,
    /// Jobs.
    Job,
    /// Stages.
    Stage,
}

/// Marks over the charts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// Who waits, and who holds the cores meanwhile.
    Inversion,
    /// Stragglers and the cores that idle behind them.
    Skew,
}

/// What *why* is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// The queue at the playhead.
    Playhead,
    /// The round that launched the first task of a job, by name.
    FirstTaskOf(&'static str),
}

/// What the side of the page shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Tables of figures.
    Results,
    /// The chosen job's editor.
    Job,
    /// Why, under a policy.
    Why(&'static str, Question),
    /// What differs between two policies.
    Differences(&'static str, &'static str),
}

/// What the page shows in a step.
#[derive(Clone, Copy, Debug)]
pub struct Scene {
    /// The scenario.
    pub source: Source,
    /// Another advisory task runtime than the scenario's, in milliseconds.
    pub atr_ms: Option<u64>,
    /// The ticked policies, as on the command line.
    pub policies: &'static str,
    /// The playhead, in milliseconds.
    pub at_ms: u64,
    /// The window of time, in milliseconds; `None`: everything.
    pub window_ms: Option<(u64, u64)>,
    /// The chosen jobs, by name.
    pub chosen: &'static [&'static str],
    /// What colours stand for.
    pub colours: Hue,
    /// Marks that are on.
    pub layers: &'static [Layer],
    /// What the side shows.
    pub side: Side,
}

/// An instant of so many milliseconds.
fn instant(ms: u64) -> Time {
    Time(ms * 1_000)
}

impl Scene {
    /// A scene with a scenario and policies, and else as a page that has just been opened. The lessons
    /// state what differs from it.
    pub const fn of(source: Source, policies: &'static str) -> Scene {
        Scene {
            source,
            atr_ms: None,
            policies,
            at_ms: 0,
            window_ms: None,
            chosen: &[],
            colours: Hue::User,
            layers: &[],
            side: Side::Results,
        }
    }

    /// The scene with the playhead elsewhere.
    pub const fn at(self, at_ms: u64) -> Scene {
        Scene { at_ms, ..self }
    }

    /// The scene with a part of the time shown.
    pub const fn showing(self, from_ms: u64, to_ms: u64) -> Scene {
        Scene { window_ms: Some((from_ms, to_ms)), ..self }
    }

    /// The scene with jobs chosen.
    pub const fn choosing(self, chosen: &'static [&'static str]) -> Scene {
        Scene { chosen, ..self }
    }

    /// The scene with another side.
    pub const fn beside(self, side: Side) -> Scene {
        Scene { side, ..self }
    }

    /// The scene with marks.
    pub const fn marking(self, layers: &'static [Layer]) -> Scene {
        Scene { layers, ..self }
    }

    /// The scene with other colours.
    pub const fn coloured(self, colours: Hue) -> Scene {
        Scene { colours, ..self }
    }

    /// The scene with another advisory task runtime.
    pub const fn cut_to(self, atr_ms: u64) -> Scene {
        Scene { atr_ms: Some(atr_ms), ..self }
    }

    /// The scene with other policies.
    pub const fn under(self, policies: &'static str) -> Scene {
        Scene { policies, ..self }
    }

    /// The scenario.
    pub fn scenario(&self) -> Scenario {
        let scenario = match self.source {
            Source::Catalog(name) => {
                catalog::find(name).expect("a test looks up every scene's entry").scenario()
            }
            Source::Own(file) => Scenario::from_json(file).expect("a test reads every scene's file"),
        };
        match self.atr_ms {
            Some(ms) => scenario
                .with_advisory_task_runtime(Span(instant(ms).0))
                .expect("a test cuts every scene's scenario"),
            None => scenario,
        }
    }

    /// The ticked policies.
    pub fn policies(&self) -> impl Iterator<Item = PolicyId> {
        self.policies.split(',').filter_map(|policy| policy.parse().ok())
    }

    /// The playhead.
    pub fn playhead(&self) -> Time {
        instant(self.at_ms)
    }

    /// The window of time; `None`: everything.
    pub fn window(&self) -> Option<TimeAxis> {
        self.window_ms.map(|(from, to)| TimeAxis { from: instant(from), to: instant(to) })
    }

    /// The chosen jobs.
    ///
    /// # Errors
    /// [`FactError`] if the scenario has no job of a name.
    pub fn chosen(&self, facts: &Facts) -> Result<Vec<JobId>, FactError> {
        self.chosen.iter().map(|name| facts.job(name)).collect()
    }

    /// The decision that is asked about, if the side shows why.
    ///
    /// # Errors
    /// [`FactError`] if there is no such policy or job.
    pub fn question(&self, facts: &Facts) -> Result<Option<(PolicyId, At)>, FactError> {
        let Side::Why(policy, question) = self.side else { return Ok(None) };
        let at = match question {
            Question::Playhead => At::Instant(self.playhead()),
            Question::FirstTaskOf(job) => At::Dispatch(facts.first_task(policy, job)?),
        };
        Ok(Some((facts.policy(policy)?, at)))
    }
}
