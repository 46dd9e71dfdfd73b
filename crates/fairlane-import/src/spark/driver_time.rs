//! The driver's time: how long after its last parent's end, or its job's arrival, a stage was submitted. Meanwhile the
//! driver planned, broadcast a table or generated code. Where a core was free, its first launch ends that time: then
//! the driver serialized tasks.

use strum::{Display, EnumString, VariantArray};

use super::cores::Placement;
use super::log::Log;
use super::report::DriverReport;
use super::scenario::ScenarioParts;
use super::tasks::ImportedTasks;
use super::unknown_word;
use fairlane::units::{Span, Time};

/// How much of the driver's time a scenario has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Display, EnumString, VariantArray)]
#[strum(serialize_all = "lowercase", parse_err_ty = String, parse_err_fn = unknown_word::<DriverTime>)]
pub enum DriverTime {
    /// Each stage its own.
    Stage,
    /// Each stage the median of those with parents, or of those without. It predicts other schedulers better than
    /// `Stage`, as measured on recorded runs (`docs/importing.md`).
    #[default]
    Median,
    /// None.
    None,
}

/// The delays of attempts at stages, by index in [`Tasks::nodes`](super::tasks::ImportedTasks::nodes).
pub(super) struct Delays {
    measured: Vec<Span>,
    /// Median of those of stages without parents, and of those with some.
    medians: [Span; 2],
    has_parents: Vec<bool>,
}

impl Delays {
    /// Those of a log.
    pub(super) fn measured(
        parts: &ScenarioParts<'_>,
        placement: &Placement,
        report: &mut DriverReport,
    ) -> Delays {
        let ScenarioParts { log, tasks, jobs, parents, schedule, .. } = *parts;
        let end = |&node: &u32| {
            let runs = tasks.nodes[node as usize].runs.iter();
            Time(runs.map(|&run| schedule.ends[run as usize]).max().unwrap_or_default())
        };
        let cores = CoresInUse::new(log, tasks, placement);
        let mut measured = vec![Span(0); tasks.nodes.len()];
        for job in jobs {
            for &node in &job.nodes {
                let ready =
                    parents.parents(node).iter().map(end).max().unwrap_or_else(|| parts.time(job.arrival));
                let submitted = tasks.submitted(log, node);
                let (launch, first) = tasks.first(node);
                // Once another stage is submitted, that one may be what takes the core.
                let alone = cores.launched(submitted) == first as usize
                    && cores.submitted(submitted) == cores.submitted(launch);
                let until = if alone && cores.any_free(submitted) { launch } else { submitted };
                measured[node as usize] = Span(parts.time(until).0.saturating_sub(ready.0));
            }
        }
        let has_parents: Vec<bool> =
            (0..measured.len() as u32).map(|node| !parents.parents(node).is_empty()).collect();
        let medians = [false, true].map(|with_parents| {
            let known = measured.iter().zip(&has_parents).filter(|(_, has)| **has == with_parents);
            let mut known: Vec<Span> = known.map(|(delay, _)| *delay).collect();
            known.sort_unstable();
            known.get(known.len() / 2).copied().unwrap_or_default()
        });
        report.total_s = measured.iter().map(|delay| delay.seconds()).sum();
        [report.median_root_s, report.median_s] = medians.map(Span::seconds);
        Delays { measured, medians, has_parents }
    }

    /// The delay of an attempt at a stage in a scenario.
    pub(super) fn of(&self, node: u32, time: DriverTime) -> Option<Span> {
        let delay = match time {
            DriverTime::Stage => self.measured[node as usize],
            DriverTime::Median => self.medians[usize::from(self.has_parents[node as usize])],
            DriverTime::None => Span(0),
        };
        Some(delay).filter(|delay| delay.0 > 0)
    }
}

/// Cores over time, in ms since 1970.
struct CoresInUse<'a> {
    placement: &'a Placement,
    /// Of all stages, ascending.
    submissions: Vec<u64>,
    /// Of all tasks, ascending.
    launches: Vec<u64>,
    /// Of all tasks, ascending.
    finishes: Vec<u64>,
}

impl CoresInUse<'_> {
    fn new<'a>(log: &Log, tasks: &ImportedTasks, placement: &'a Placement) -> CoresInUse<'a> {
        let mut submissions: Vec<u64> =
            (0..tasks.nodes.len() as u32).map(|node| tasks.submitted(log, node)).collect();
        submissions.sort_unstable();
        let mut finishes: Vec<u64> = tasks.runs.iter().map(|run| run.finish).collect();
        finishes.sort_unstable();
        CoresInUse {
            placement,
            submissions,
            launches: tasks.runs.iter().map(|run| run.launch).collect(),
            finishes,
        }
    }

    /// Stages submitted at an instant or before.
    fn submitted(&self, at: u64) -> usize {
        self.submissions.partition_point(|&submission| submission <= at)
    }

    /// Tasks launched at an instant or before.
    fn launched(&self, at: u64) -> usize {
        self.launches.partition_point(|&launch| launch <= at)
    }

    fn any_free(&self, at: u64) -> bool {
        let Placement { executors, cores_per_executor, executors_at, .. } = self.placement;
        let changed = executors_at.partition_point(|&(from, _)| from <= at);
        let executors = changed.checked_sub(1).map_or(*executors, |last| executors_at[last].1);
        let running = self.launched(at) - self.finishes.partition_point(|&finish| finish <= at);
        running < (executors * cores_per_executor) as usize
    }
}
