//! The worker's side: all that the page shows of a simulation is found out here and sent as bytes.

use std::collections::BTreeMap;
use std::rc::Rc;

use xxhash_rust::xxh3::xxh3_64;
use zerocopy::IntoBytes;

use super::plain::Plain;
use super::{Care, LATER, NOW};
use crate::engine::{self, Control, Progress, Stopped};
use crate::metrics::{self, Inversion, Reference, Straggler, Summary};
use crate::partition::Mode;
use crate::policy::{PolicyId, PolicyKind};
use crate::scenario::Scenario;
use crate::trace::{self, Journal, LoadIndex, Trace};
use crate::units::{Span, Time};

/// One policy's simulation, and what is shown of it.
pub struct Found {
    trace: Trace,
    alone: Rc<[Span]>,
    summary: Summary,
    load: LoadIndex,
    careful: Option<Careful>,
}

/// What only a careful simulation brings.
struct Careful {
    checks: Result<(), String>,
    journal: Journal,
    inversions: Vec<Vec<Inversion>>,
    stragglers: Vec<Straggler>,
}

/// A scenario and what has been found out about it that serves several policies, or the next version of it.
pub struct Known {
    scenario: Rc<Scenario>,
    /// The fluid ideal.
    ideal: Option<Reference>,
    /// When its jobs finish under practical UJF, by partitioning.
    ujf: Vec<(Mode, Rc<[Time]>)>,
    /// Response times of jobs alone under the policies, each of the scenario as it was then.
    alone: BTreeMap<PolicyId, (Rc<Scenario>, Rc<[Span]>)>,
}

/// How much of a careful simulation's time its parts take, roughly: the schedule, the one under UJF, and what
/// is found out about both.
const SCHEDULE: f64 = 0.4;
const REFERENCE: f64 = 0.2;
const BLOCKING: f64 = 0.25;
/// The schedule's part of a hasty one.
const HASTY_SCHEDULE: f64 = 0.7;

/// Tells how far a part of the work is as a part of the whole.
struct Course<'a> {
    tell: &'a mut dyn FnMut(f64) -> Control,
    done: f64,
}

impl Course<'_> {
    /// An observer of a simulation that takes this part of the whole.
    fn part(&mut self, part: f64) -> impl FnMut(Progress) -> Control + '_ {
        let from = self.done;
        self.done += part;
        move |progress| {
            (self.tell)(from + part * (progress.launched as f64 / progress.tasks.max(1) as f64).min(1.0))
        }
    }

    /// Tells that all up to here is done, and a part more after what follows.
    fn then(&mut self, part: f64) -> Result<(), Stopped> {
        let told = (self.tell)(self.done);
        self.done += part;
        if told == Control::Continue { Ok(()) } else { Err(Stopped) }
    }
}

impl Known {
    /// A scenario of which nothing is known yet.
    pub fn new(scenario: Scenario) -> Known {
        Known { scenario: Rc::new(scenario), ideal: None, ujf: Vec::new(), alone: BTreeMap::new() }
    }

    /// Another version of the scenario. What is known of jobs alone may serve again.
    pub fn after(self, scenario: Scenario) -> Known {
        Known { alone: self.alone, ..Known::new(scenario) }
    }

    /// The scenario.
    pub fn scenario(&self) -> &Rc<Scenario> {
        &self.scenario
    }

    /// Simulates, and finds out what is shown. `tell` hears now and then how far it is, from 0 to 1.
    ///
    /// # Errors
    /// `tell` stops it.
    pub fn find(
        &mut self,
        policy: PolicyId,
        care: Care,
        tell: &mut dyn FnMut(f64) -> Control,
    ) -> Result<Found, Stopped> {
        let mut course = Course { tell, done: 0.0 };
        let scenario = Rc::clone(&self.scenario);
        match care {
            Care::Quick => {
                let trace = engine::simulate_observed(&scenario, policy, &mut course.part(HASTY_SCHEDULE))?;
                let (alone, summary) = self.summary(&trace, &mut course)?;
                let load = LoadIndex::new(&scenario, &trace);
                Ok(Found { trace, alone, summary, load, careful: None })
            }
            Care::Full => {
                let (trace, journal) =
                    engine::simulate_with_journal(&scenario, policy, &mut course.part(SCHEDULE))?;
                let ujf = self.ujf(&trace, &mut course)?;
                let ujf = Reference::new(&scenario, ujf.iter().map(|finish| finish.0 as f64).collect());
                course.then(BLOCKING)?;
                let inversions = metrics::inversions(&scenario, &trace, &journal);
                let stragglers = metrics::stragglers(&trace);
                let (alone, summary) = self.summary(&trace, &mut course)?;
                let summary =
                    summary.against_ujf(&trace, ujf).blocked(&trace, inversions.as_deref(), &stragglers);
                let load = LoadIndex::new(&scenario, &trace);
                let checks = trace::check(&scenario, &trace).map_err(|fault| fault.to_string());
                let inversions = inversions.unwrap_or_default();
                let careful = Careful { checks, journal, inversions, stragglers };
                Ok(Found { trace, alone, summary, load, careful: Some(careful) })
            }
        }
    }

    /// Response times of the jobs alone, and the figures that follow from the schedule.
    fn summary(&mut self, trace: &Trace, course: &mut Course) -> Result<(Rc<[Span]>, Summary), Stopped> {
        course.then(0.1)?;
        let (scenario, policy) = (&self.scenario, trace.policy);
        let alone: Rc<[Span]> = match self.alone.get(&policy) {
            Some((of, alone)) if Rc::ptr_eq(of, scenario) => Rc::clone(alone),
            Some((of, alone)) => metrics::alone_responses_after(scenario, policy, (of, alone)).into(),
            None => metrics::alone_responses(scenario, policy).into(),
        };
        self.alone.insert(policy, (Rc::clone(scenario), Rc::clone(&alone)));
        course.then(0.1)?;
        let ideal = self.ideal.get_or_insert_with(|| Reference::fluid_ujf(scenario)).clone();
        let summary = Summary::with_ideal(scenario, trace, &alone, ideal);
        Ok((alone, summary))
    }

    /// When the jobs finish under practical UJF with the partitioning of a schedule.
    fn ujf(&mut self, trace: &Trace, course: &mut Course) -> Result<Rc<[Time]>, Stopped> {
        let mode = trace.policy.partitioning;
        if let Some((_, finishes)) = self.ujf.iter().find(|(of, _)| *of == mode) {
            course.done += REFERENCE;
            return Ok(Rc::clone(finishes));
        }
        let reference = PolicyId { kind: PolicyKind::Ujf, partitioning: mode };
        let finishes = |trace: &Trace| trace.jobs.iter().map(|job| job.end()).collect::<Rc<[Time]>>();
        let mut observer = course.part(REFERENCE);
        let finishes = match trace.policy == reference {
            true => finishes(trace),
            false => finishes(&engine::simulate_observed(&self.scenario, reference, &mut observer)?),
        };
        self.ujf.push((mode, Rc::clone(&finishes)));
        Ok(finishes)
    }
}

/// A result as bytes, in pieces that are to stand one behind the other. What is large lies where it was made.
pub struct Encoded {
    found: Found,
    head: Vec<u8>,
    later: Option<[Vec<u8>; 3]>,
}

impl From<Found> for Encoded {
    fn from(found: Found) -> Encoded {
        let Found { trace, alone, summary, careful, .. } = &found;
        let mut figures = Vec::new();
        for (job, alone) in trace.jobs.iter().zip(alone.iter()) {
            job.end().put(&mut figures);
            alone.put(&mut figures);
        }
        trace.hash().put(&mut figures);
        summary.put(&mut figures);
        careful.as_ref().map(|careful| careful.checks.clone().err()).put(&mut figures);
        let mut head = Vec::new();
        head.extend_from_slice([NOW, trace.tasks.len() as u64, figures.len() as u64].as_bytes());
        head.append(&mut figures);
        let later = careful.as_ref().map(|careful| {
            let (journal, mut rest) = (careful.journal.to_bytes(), Vec::new());
            careful.inversions.put(&mut rest);
            careful.stragglers.put(&mut rest);
            let head = [LATER, journal.len() as u64, xxh3_64(&journal), xxh3_64(&rest)];
            [head.as_bytes().to_vec(), journal, rest]
        });
        Encoded { found, head, later }
    }
}

impl Encoded {
    /// What the page needs at once: figures, schedule, running and waiting tasks.
    pub fn now(&self) -> Vec<&[u8]> {
        let load = self.found.load.columns();
        let mut pieces = vec![self.head.as_slice(), self.found.trace.tasks.as_bytes()];
        pieces.extend(load.numbers.map(|numbers| numbers.as_bytes()));
        pieces.push(load.times.as_bytes());
        // Further columns that panels need at once would stand here, such as an index of the schedule.
        pieces
    }

    /// What only some questions need: journal, inversions and stragglers of a careful simulation.
    pub fn later(&self) -> Option<Vec<&[u8]>> {
        Some(self.later.as_ref()?.each_ref().map(Vec::as_slice).to_vec())
    }
}
