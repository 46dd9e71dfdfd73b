//! The page's side: out of bytes becomes what the panels show.

use std::cell::OnceCell;
use std::rc::Rc;

use xxhash_rust::xxh3::xxh3_64;

use super::plain::{self, Plain};
use super::source::{Reader, Source};
use super::{Detail, LATER, NOW, Outcome, Undecodable};
use crate::app::shared::Shared;
use crate::metrics::{Inversion, Straggler, Summary};
use crate::policy::PolicyId;
use crate::scenario::Scenario;
use crate::trace::{JobRun, Journal, LoadColumns, LoadIndex, TaskRun, Trace};
use crate::units::{Span, Time};

/// Reads what a worker has sent, for the scenario and policy that were asked for: what is needed at once, and
/// of a careful simulation what may be asked for later, which stays where it is until then.
///
/// The large columns are copied straight to where they stay, with a pause after each chunk, so that whoever
/// decodes on the page's own thread can let it go on with something else.
///
/// # Errors
/// [`Undecodable`]: the bytes are damaged, or of another scenario, or too many.
pub async fn decode(
    now: &(impl Source + ?Sized),
    later: Option<Box<dyn Source>>,
    scenario: &Shared<Scenario>,
    policy: PolicyId,
    pause: &impl AsyncFn(),
) -> Result<Outcome, Undecodable> {
    let mut reader = Reader::new(now);
    let [magic, tasks, figures] = reader.words()?;
    let count = |word: u64| usize::try_from(word).map_err(|_| Undecodable::Damaged);
    if magic != NOW {
        return Err(Undecodable::Damaged);
    }
    let figures = Figures::read(&reader.bytes(count(figures)?)?, scenario)?;
    pause().await;
    if figures.checks.is_some() != later.is_some() {
        return Err(Undecodable::Damaged);
    }
    let tasks = count(tasks)?;
    let mut sound = sound_runs(scenario);
    let runs = reader.column(tasks, pause, |runs: &[TaskRun]| runs.iter().all(&mut sound)).await?;
    let trace = Trace {
        scenario: scenario.name().to_owned(),
        policy,
        cores: scenario.cluster().cores(),
        users: scenario.users().iter().map(|user| user.name.clone()).collect(),
        tasks: runs,
        jobs: figures.jobs,
    };
    let load = Rc::new(load(&mut reader, scenario, tasks, pause).await?);
    if reader.left() > 0 {
        return Err(Undecodable::Damaged);
    }
    let detail = match (figures.checks, later) {
        (Some(broken), Some(later)) => Some(Detail::new(broken.map_or(Ok(()), Err), later)?),
        _ => None,
    };
    Ok(Outcome {
        scenario: scenario.clone(),
        end: trace.end(),
        index: OnceCell::new(),
        trace,
        alone: figures.alone,
        summary: figures.summary,
        hash: figures.hash,
        load,
        detail,
    })
}

/// Whether a run is one of a scenario's tasks on one of its cores, so that all can be looked up by its numbers.
fn sound_runs(scenario: &Scenario) -> impl FnMut(&TaskRun) -> bool + use<> {
    let stages: Vec<u32> = scenario.jobs().iter().map(|job| job.stages.len() as u32).collect();
    let cores = scenario.cluster().cores();
    let mut before = Time::ZERO;
    move |run| {
        let in_order = before <= run.start && run.start <= run.end;
        before = run.start;
        in_order && run.core.0 < cores && stages.get(run.job.index()).is_some_and(|&count| run.stage < count)
    }
}

async fn load(
    reader: &mut Reader<'_, impl Source + ?Sized>,
    scenario: &Scenario,
    tasks: usize,
    pause: &impl AsyncFn(),
) -> Result<LoadIndex, Undecodable> {
    let stages = scenario.jobs().iter().map(|job| job.stages.len()).sum();
    let lengths = LoadColumns::lengths(scenario.users().len(), stages, tasks);
    let mut numbers = [const { Vec::new() }; 7];
    for (column, length) in numbers.iter_mut().zip(lengths.numbers) {
        *column = reader.column::<u32>(length, pause, |_| true).await?;
    }
    let times = reader.column::<Time>(lengths.times, pause, |_| true).await?;
    LoadIndex::from_columns(tasks, LoadColumns { numbers, times }).ok_or(Undecodable::Damaged)
}

/// What is small.
struct Figures {
    jobs: Vec<JobRun>,
    alone: Vec<Span>,
    hash: u64,
    summary: Summary,
    /// Of a careful simulation: the rule that the schedule breaks, if it breaks one.
    checks: Option<Option<String>>,
}

impl Figures {
    fn read(mut bytes: &[u8], scenario: &Scenario) -> Result<Figures, Undecodable> {
        let mut jobs = Vec::with_capacity(scenario.jobs().len());
        let mut alone = Vec::with_capacity(scenario.jobs().len());
        for job in scenario.jobs() {
            jobs.push(JobRun {
                user: job.user,
                arrival: job.arrival,
                outcome: crate::trace::Outcome::Finished(Time::take(&mut bytes)?),
            });
            alone.push(Span::take(&mut bytes)?);
        }
        let hash = u64::take(&mut bytes)?;
        let summary = Summary::take(&mut bytes)?;
        let checks = plain::read(bytes)?;
        if !plain::fits(&summary, scenario.jobs().len(), scenario.users().len()) {
            return Err(Undecodable::Damaged);
        }
        Ok(Figures { jobs, alone, hash, summary, checks })
    }
}

/// How the bytes for later fall into journal and the rest, with the fingerprint of each.
struct Later {
    journal: (usize, u64),
    rest: (usize, u64),
}

impl Later {
    fn of<S: Source + ?Sized>(source: &S) -> Result<(Later, Reader<'_, S>), Undecodable> {
        let mut reader = Reader::new(source);
        let [magic, length, journal, rest] = reader.words()?;
        let length = usize::try_from(length).map_err(|_| Undecodable::Damaged)?;
        let left =
            reader.left().checked_sub(length).filter(|_| magic == LATER).ok_or(Undecodable::Damaged)?;
        Ok((Later { journal: (length, journal), rest: (left, rest) }, reader))
    }
}

/// Reads some bytes that must have this fingerprint.
fn intact(
    reader: &mut Reader<'_, impl Source + ?Sized>,
    (length, fingerprint): (usize, u64),
) -> Result<Vec<u8>, Undecodable> {
    let bytes = reader.bytes(length)?;
    if xxh3_64(&bytes) == fingerprint { Ok(bytes) } else { Err(Undecodable::Damaged) }
}

/// Whether bytes could be those for later, as far as that can be told without reading all of them.
pub(super) fn are_for_later(source: &(impl Source + ?Sized)) -> bool {
    Later::of(source).is_ok()
}

/// Reads the journal of a trace.
pub(super) fn journal(
    source: &(impl Source + ?Sized),
    scenario: &Scenario,
    trace: &Trace,
) -> Result<Journal, Undecodable> {
    let (later, mut reader) = Later::of(source)?;
    let bytes = intact(&mut reader, later.journal)?;
    Journal::from_bytes(&bytes, scenario, trace).map_err(|_| Undecodable::Damaged)
}

/// Reads the inversions and stragglers of a trace.
pub(super) fn blocking(
    source: &(impl Source + ?Sized),
    trace: &Trace,
) -> Result<(Vec<Vec<Inversion>>, Vec<Straggler>), Undecodable> {
    let (later, mut reader) = Later::of(source)?;
    reader.skip(later.journal.0)?;
    let bytes = intact(&mut reader, later.rest)?;
    let bytes = &mut bytes.as_slice();
    let inversions: Vec<Vec<Inversion>> = Plain::take(bytes)?;
    let stragglers: Vec<Straggler> = plain::read(bytes)?;
    let is_run = |&run: &u32| (run as usize) < trace.tasks.len();
    let sound = stragglers.iter().all(|straggler| is_run(&straggler.run))
        && inversions.iter().flatten().all(|inversion| inversion.holders.iter().all(is_run));
    sound.then_some((inversions, stragglers)).ok_or(Undecodable::Damaged)
}
