//! Figures as the lines of a CSV file.

use super::{Figures, PartFigures, UserFigures};
use fairlane::metrics::{Group, has_deadlines};
use fairlane::policy::{Outcomes, PolicyId};
use fairlane::scenario::Scenario;

/// The columns of a CSV file of [`Figures`].
#[derive(Clone, Debug, Default)]
pub struct Heading {
    /// Their names.
    pub names: Vec<String>,
    /// Which of the last ones there are.
    special: Vec<Special>,
}

/// Columns that are only there if a scenario or a policy has what they are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Special {
    /// Jobs that did not finish.
    Unfinished,
    /// Deadlines, productive and wasted time, equality and fairness.
    Deadlines,
    /// Progress rates.
    Curves,
    /// Completion by kind of queue.
    Queues,
    /// Dominant shares, by user.
    Shares,
    /// Memory in use.
    Memory,
}

impl Special {
    /// Those of a scenario under some policies.
    fn of(scenario: &Scenario, policies: &[PolicyId]) -> Vec<Special> {
        let queues = scenario.users().iter().any(|user| user.queue.is_some());
        let memory = scenario.cluster().memory_per_executor.is_some();
        let there = [
            (Special::Unfinished, may_end_early(policies)),
            (Special::Deadlines, policies.iter().any(|&policy| has_deadlines(scenario, policy))),
            (Special::Curves, scenario.jobs().iter().any(|job| job.curve.is_some())),
            (Special::Queues, queues),
            (Special::Shares, queues || memory),
            (Special::Memory, memory),
        ];
        there.into_iter().filter(|&(_, there)| there).map(|(special, _)| special).collect()
    }

    /// Those of the columns that are not by user.
    fn columns(self) -> &'static [Column<Figures>] {
        match self {
            Special::Unfinished => UNFINISHED,
            Special::Deadlines => DEADLINES,
            Special::Curves => CURVES,
            Special::Queues => QUEUES,
            Special::Shares => &[],
            Special::Memory => MEMORY,
        }
    }
}

impl Heading {
    /// The columns of a file without any figures.
    pub fn without_figures() -> Heading {
        Heading { names: vec!["policy".to_owned()], special: Vec::new() }
    }
}

impl Figures {
    /// The columns of a file of some policies. The first are those of the first version of this format, in the same
    /// order; the last are only there if the scenario or one of the policies has what they are about.
    pub fn heading(scenario: &Scenario, policies: &[PolicyId]) -> Heading {
        let mut names: Vec<String> = ["policy", "trace_hash"].map(str::to_owned).into();
        names.extend(FIRST.iter().map(|(name, _)| (*name).to_owned()));
        let of_users = |name: &str| {
            let name = name.to_owned();
            scenario.users().iter().map(move |user| format!("{name}[{}]", user.name))
        };
        names.extend(of_users("mean_response_s"));
        names.extend(OVERALL.iter().map(|(name, _)| (*name).to_owned()));
        for group in Group::ALL {
            names.extend(PART.iter().map(|(name, _)| format!("group_{}_{name}", group.key())));
        }
        // A user's mean response time is among the first fields.
        for (name, _) in PART.iter().filter(|(name, _)| *name != "mean_response_s") {
            names.extend(of_users(name));
        }
        names.extend(USER.iter().flat_map(|(name, _)| of_users(name)));
        let special = Special::of(scenario, policies);
        for kind in &special {
            names.extend(kind.columns().iter().map(|(name, _)| (*name).to_owned()));
            if *kind == Special::Shares {
                names.extend(of_users("dominant_share"));
            }
        }
        Heading { names, special }
    }

    /// The figures as a line of a CSV file; empty where there is none.
    pub fn record(&self, heading: &Heading) -> Vec<String> {
        let mut texts = vec![self.policy.clone(), self.trace_hash.clone()];
        texts.extend(FIRST.iter().map(|(_, figure)| text(figure(self))));
        texts.extend(self.users.iter().map(|user| text(user.part.mean_response_s)));
        texts.extend(OVERALL.iter().map(|(_, figure)| text(figure(self))));
        for group in &self.groups {
            texts.extend(PART.iter().map(|(_, figure)| text(figure(&group.part))));
        }
        for (_, figure) in PART.iter().filter(|(name, _)| *name != "mean_response_s") {
            texts.extend(self.users.iter().map(|user| text(figure(&user.part))));
        }
        texts.extend(USER.iter().flat_map(|(_, figure)| self.users.iter().map(|user| text(figure(user)))));
        for kind in &heading.special {
            texts.extend(kind.columns().iter().map(|(_, figure)| text(figure(self))));
            if *kind == Special::Shares {
                texts.extend(self.users.iter().map(|user| text(user.dominant_share)));
            }
        }
        texts
    }
}

/// A name and a look-up. Counts are whole below 2^53, so that an f64 shows them exactly.
type Column<T> = (&'static str, fn(&T) -> Option<f64>);

const FIRST: &[Column<Figures>] = &[
    ("mean_response_s", |it| it.mean_response_s),
    ("worst_10_percent_response_s", |it| it.worst_10_percent_response_s),
    ("mean_slowdown", |it| it.mean_slowdown),
    ("makespan_s", |it| it.makespan_s),
];

const UNFINISHED: &[Column<Figures>] =
    &[("dropped", |it| Some(it.dropped as f64)), ("rejected", |it| Some(it.rejected as f64))];

const DEADLINES: &[Column<Figures>] = &[
    ("deadlines_met", |it| Some(it.deadlines_met? as f64)),
    ("satisfied_deadlines_ratio", |it| it.satisfied_deadlines_ratio),
    ("productive_time_ratio", |it| it.productive_time_ratio),
    ("wasted_time_ratio", |it| it.wasted_time_ratio),
    ("equality", |it| it.equality),
    ("fairness", |it| it.fairness),
];

const CURVES: &[Column<Figures>] = &[("progress_rate", |it| it.progress_rate)];

const QUEUES: &[Column<Figures>] = &[
    ("latency_queues_mean_response_s", |it| it.latency_queues_mean_response_s),
    ("throughput_queues_mean_response_s", |it| it.throughput_queues_mean_response_s),
];

const MEMORY: &[Column<Figures>] =
    &[("memory_mean_ratio", |it| it.memory_mean_ratio), ("memory_peak_ratio", |it| it.memory_peak_ratio)];

const OVERALL: &[Column<Figures>] = &[
    ("worst_10_percent_slowdown", |it| it.worst_10_percent_slowdown),
    ("utilization", |it| it.utilization),
    ("jain_slowdown", |it| it.jain_slowdown),
    ("ujf_dvr", |it| it.against_ujf?.dvr),
    ("ujf_violations", |it| Some(it.against_ujf?.violations as f64)),
    ("ujf_dsr", |it| it.against_ujf?.dsr),
    ("ujf_slacks", |it| Some(it.against_ujf?.slacks as f64)),
    ("ujf_unrated", |it| Some(it.against_ujf?.unrated as f64)),
    ("fluid_dvr", |it| it.against_fluid.dvr),
    ("fluid_violations", |it| Some(it.against_fluid.violations as f64)),
    ("fluid_dsr", |it| it.against_fluid.dsr),
    ("fluid_slacks", |it| Some(it.against_fluid.slacks as f64)),
    ("fluid_unrated", |it| Some(it.against_fluid.unrated as f64)),
    ("furthest_behind_job", |it| Some(it.furthest_behind_job? as f64)),
    ("furthest_behind_s", |it| it.furthest_behind_s),
    ("uwfq_allowance_s", |it| Some(it.uwfq_allowance_s)),
    ("inversion_s", |it| it.inversion_s),
    ("straggler_idle_core_s", |it| it.straggler_idle_core_s),
];

const PART: &[Column<PartFigures>] = &[
    ("jobs", |it| Some(it.jobs as f64)),
    ("mean_response_s", |it| it.mean_response_s),
    ("mean_slowdown", |it| it.mean_slowdown),
    ("ujf_dvr", |it| it.against_ujf?.dvr),
    ("ujf_violations", |it| Some(it.against_ujf?.violations as f64)),
    ("ujf_dsr", |it| it.against_ujf?.dsr),
    ("ujf_slacks", |it| Some(it.against_ujf?.slacks as f64)),
    ("fluid_dvr", |it| it.against_fluid.dvr),
    ("fluid_violations", |it| Some(it.against_fluid.violations as f64)),
    ("fluid_dsr", |it| it.against_fluid.dsr),
    ("fluid_slacks", |it| Some(it.against_fluid.slacks as f64)),
    ("inversion_s", |it| it.inversion_s),
];

const USER: &[Column<UserFigures>] = &[("r_ujf", |it| it.r_ujf), ("r_fluid", |it| it.r_fluid)];

/// Whether jobs can be dropped or rejected under any of some policies.
pub(in crate::export) fn may_end_early(policies: &[PolicyId]) -> bool {
    policies.iter().any(|policy| policy.kind.info().outcomes == Outcomes::Any)
}

/// A field of a CSV file.
pub(in crate::export) fn text(figure: Option<f64>) -> String {
    figure.map_or_else(String::new, |figure| figure.to_string())
}
