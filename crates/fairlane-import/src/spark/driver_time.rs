//! The driver's time: how long after its last parent's end, or its job's arrival, a stage was submitted. Meanwhile the
//! driver planned, broadcast a table or generated code. Where a core was free, its first launch ends that time: then
//! the driver serialized tasks.

use std::collections::BTreeMap;

use strum::{Display, EnumString, VariantArray};

use super::cores::Placement;
use super::log::Log;
use super::parts::ScenarioParts;
use super::report::DriverReport;
use super::tasks::ImportedTasks;
use super::{ExecutorRule, unknown_word};
use fairlane::units::{Span, Time};

/// How much of the driver's time a scenario has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Display, EnumString, VariantArray)]
#[strum(serialize_all = "lowercase", parse_err_ty = String, parse_err_fn = unknown_word::<DriverTime>)]
pub enum DriverTime {
    /// The median, or each stage its own where the median is too far from the log and that is nearer.
    #[default]
    Auto,
    /// Each stage its own.
    Stage,
    /// Each stage the median of those with parents, or of those without. It predicts other schedulers better than
    /// `Stage`, as measured on recorded runs (`docs/importing.md`).
    Median,
    /// None.
    None,
}

/// The delays of attempts at stages, by index in [`Tasks::nodes`](super::tasks::ImportedTasks::nodes).
pub(super) struct Delays {
    measured: Vec<Span>,
    /// How long each waited for the first executor of its resource profile.
    for_profile: Vec<Span>,
    /// Whether a simulation knows of it where executors come as they did.
    are_profiles_simulated: bool,
    /// Median of those of stages without parents, and of those with some.
    medians: [Span; 2],
    has_parents: Vec<bool>,
}

impl Delays {
    /// Those of a log.
    pub(super) fn measured(parts: &ScenarioParts<'_>, report: &mut DriverReport) -> Delays {
        let ScenarioParts { log, tasks, jobs, parents, schedule, placement, .. } = parts;
        let end = |&node: &u32| {
            let runs = tasks.nodes[node as usize].runs.iter();
            Time(runs.map(|&run| schedule.ends[run as usize]).max().unwrap_or_default())
        };
        let cores = CoresInUse::new(log, tasks, placement);
        let mut measured = vec![Span(0); tasks.nodes.len()];
        let mut for_profile = vec![Span(0); tasks.nodes.len()];
        for job in jobs {
            for &node in &job.nodes {
                let ready =
                    parents.parents(node).iter().map(end).max().unwrap_or_else(|| parts.time(job.arrival));
                let submitted = tasks.submitted(log, node);
                let (launch, _) = tasks.first(node);
                let profile = log.stages[tasks.nodes[node as usize].stage as usize].profile;
                if let Some(came) =
                    placement.first_of_profile(profile, submitted).filter(|&came| came <= launch)
                {
                    for_profile[node as usize] = Span(parts.time(came).0.saturating_sub(ready.0));
                    measured[node as usize] = Span(parts.time(submitted).0.saturating_sub(ready.0));
                    continue;
                }
                // Where a core was free and nothing was launched, the driver was busy until something was.
                // A barrier stage needs as many as it has tasks.
                let needed =
                    if parts.places.is_barrier(node) { tasks.nodes[node as usize].runs.len() } else { 1 };
                let has_cores = cores.free(submitted, profile) >= needed;
                let until = if has_cores { cores.next_launch(submitted) } else { submitted };
                measured[node as usize] = Span(parts.time(until.min(launch)).0.saturating_sub(ready.0));
            }
        }
        let has_parents: Vec<bool> =
            (0..measured.len() as u32).map(|node| !parents.parents(node).is_empty()).collect();
        let medians = [false, true].map(|with_parents| {
            let known = measured.iter().zip(&has_parents).zip(&for_profile);
            let known = known.filter(|((_, has), waited)| **has == with_parents && waited.0 == 0);
            let mut known: Vec<Span> = known.map(|((delay, _), _)| *delay).collect();
            known.sort_unstable();
            let middle = |index: usize| known.get(index).copied().unwrap_or_default().0;
            Span(middle(known.len().saturating_sub(1) / 2).midpoint(middle(known.len() / 2)))
        });
        report.total_s = measured.iter().map(|delay| delay.seconds()).sum();
        report.for_profile_s = for_profile.iter().map(|delay| delay.seconds()).sum();
        [report.median_root_s, report.median_s] = medians.map(Span::seconds);
        let are_profiles_simulated = !placement.resource_profiles.is_empty();
        Delays { measured, for_profile, are_profiles_simulated, medians, has_parents }
    }

    /// The delay of an attempt at a stage in a scenario whose executors come as they did, or as Spark's manager asks for
    /// them.
    pub(super) fn of(&self, node: u32, time: DriverTime, executors: ExecutorRule) -> Option<Span> {
        let waited = self.for_profile[node as usize];
        let is_simulated = self.are_profiles_simulated && executors == ExecutorRule::Recorded;
        let delay = match time {
            _ if waited.0 > 0 && !is_simulated => waited,
            DriverTime::Stage => self.measured[node as usize],
            DriverTime::Auto | DriverTime::Median => {
                self.medians[usize::from(self.has_parents[node as usize])]
            }
            DriverTime::None => Span(0),
        };
        Some(delay).filter(|delay| delay.0 > 0)
    }
}

/// Cores over time, in ms since 1970.
struct CoresInUse<'a> {
    placement: &'a Placement,
    /// The launches of all tasks, ascending.
    launches: Vec<u64>,
    /// Launches and ends of the tasks of each resource profile, ascending; of all as 0 where profiles are not simulated.
    of_profiles: BTreeMap<u32, [Vec<u64>; 2]>,
}

impl CoresInUse<'_> {
    fn new<'a>(log: &Log, tasks: &ImportedTasks, placement: &'a Placement) -> CoresInUse<'a> {
        let mut of_profiles: BTreeMap<u32, [Vec<u64>; 2]> = BTreeMap::new();
        for run in &tasks.runs {
            let profile = match placement.resource_profiles.is_empty() {
                true => 0,
                false => log.stages[tasks.nodes[run.node as usize].stage as usize].profile,
            };
            let [launches, finishes] = of_profiles.entry(profile).or_default();
            launches.push(run.launch);
            finishes.push(run.finish);
        }
        of_profiles.values_mut().for_each(|[_, finishes]| finishes.sort_unstable());
        CoresInUse { placement, launches: tasks.runs.iter().map(|run| run.launch).collect(), of_profiles }
    }

    /// The first launch of any task at an instant or later.
    fn next_launch(&self, at: u64) -> u64 {
        let next = self.launches.partition_point(|&launch| launch < at);
        self.launches.get(next).copied().unwrap_or(at)
    }

    /// Those that are free for tasks of a resource profile.
    fn free(&self, at: u64, profile: u32) -> usize {
        let Placement { executors, cores_per_executor, executors_at, resource_profiles, profiles, .. } =
            self.placement;
        let (profile, executors, executors_at) = match profiles.get(&profile) {
            Some(of_profile) if !resource_profiles.is_empty() => (profile, 0, of_profile),
            _ => (0, *executors, executors_at),
        };
        let changed = executors_at.partition_point(|&(from, _)| from <= at);
        let executors = changed.checked_sub(1).map_or(executors, |last| executors_at[last].1);
        let Some([launches, finishes]) = self.of_profiles.get(&profile) else { return 0 };
        let launched = launches.partition_point(|&launch| launch <= at);
        let running = launched - finishes.partition_point(|&finish| finish <= at);
        ((executors * cores_per_executor) as usize).saturating_sub(running)
    }
}
