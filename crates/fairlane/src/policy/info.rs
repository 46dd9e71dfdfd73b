//! What a policy declares of itself.

use super::parameters::ParameterSet;
use super::{Parameter, PolicyKind};

/// The policies that are listed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PolicyGroup {
    /// Spark's own schedulers.
    Spark,
    /// Fair queuing by virtual time.
    VirtualTime,
    /// By the sizes of jobs.
    JobSizes,
    /// Cores that move between jobs.
    Elasticity,
    /// Users who are owed for what they did not use.
    PastUse,
    /// Jobs with deadlines.
    Deadlines,
    /// Queues with bursts.
    Queues,
    /// Trained on simulations.
    Learned,
    /// From outside this program.
    Other,
}

impl PolicyGroup {
    /// The heading.
    pub fn title(self) -> &'static str {
        match self {
            PolicyGroup::Spark => "Spark",
            PolicyGroup::VirtualTime => "Virtual time",
            PolicyGroup::JobSizes => "Job sizes",
            PolicyGroup::Elasticity => "Elasticity",
            PolicyGroup::PastUse => "Past use",
            PolicyGroup::Deadlines => "Deadlines",
            PolicyGroup::Queues => "Queues",
            PolicyGroup::Learned => "Learned",
            PolicyGroup::Other => "Other",
        }
    }

    /// The registered policies by group, both in the order in which they are listed.
    pub fn listed() -> Vec<(PolicyGroup, Vec<&'static Info>)> {
        let mut groups: Vec<(PolicyGroup, Vec<&'static Info>)> = Vec::new();
        for info in PolicyKind::ALL.iter().map(|kind| kind.info()) {
            match groups.iter_mut().find(|(group, _)| *group == info.group) {
                Some((_, policies)) => policies.push(info),
                None => groups.push((info.group, vec![info])),
            }
        }
        groups
    }
}

/// Whether a policy leaves cores idle that a pending task fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Idling {
    /// Never: it is work-conserving.
    Never,
    /// It may, on purpose.
    OnPurpose,
}

/// How jobs can end under a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcomes {
    /// Every job finishes.
    Finished,
    /// Jobs may also be dropped or rejected; traces then say of each how it ended.
    Any,
}

/// Which estimates a policy reads. Runtime partitioning reads those of stages under every policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EstimatesRead {
    /// None: it knows only what has happened.
    None,
    /// Those of jobs.
    Jobs,
    /// Those of stages.
    Stages,
    /// Those of jobs and of stages.
    Both,
}

impl EstimatesRead {
    /// Whether the estimates of jobs are among them.
    pub fn of_jobs(self) -> bool {
        matches!(self, EstimatesRead::Jobs | EstimatesRead::Both)
    }

    /// Whether the estimates of stages are among them.
    pub fn of_stages(self) -> bool {
        matches!(self, EstimatesRead::Stages | EstimatesRead::Both)
    }
}

/// When the keys of an offer round are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyOrder {
    /// At its start, as Spark sorts its task sets once (docs/model.md section 5).
    EachRound,
    /// Before each launch.
    EachLaunch,
}

/// Which core a task goes to, where several are free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// The lowest-numbered that it fits.
    Any,
    /// The same, but a freed core goes first to the job that it served.
    SameJob,
    /// The same, but a freed core goes first to the stage that it served.
    SameStage,
    /// The first executor on which some task fits; there the stage with the least key goes first.
    FirstExecutor,
}

/// What a policy's keys follow from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyBasis {
    /// Counts of running tasks, or what tasks have used: a task that starts raises its own key, so that nobody can be
    /// said to hold a core that is due to another.
    Use,
    /// An order of arrival or deadlines. Running tasks do not change it; an event may change the keys of its user, and
    /// moves at most its own job among the jobs of the user.
    Precedence,
}

/// From when on a stage has a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankedFrom {
    /// From its submission.
    Submission,
    /// From the arrival of its job.
    Arrival,
}

/// What a policy declares of itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Info {
    /// Name on the command line and in files.
    pub id: &'static str,
    /// Name on the page.
    pub title: &'static str,
    /// What the title is short for; empty if it is not.
    pub name: &'static str,
    /// Where it is from, such as a paper.
    pub source: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// Its key or rule, for the table in the documentation.
    pub key: &'static str,
    /// What it is listed with.
    pub group: PolicyGroup,
    /// The number of its colour, dashes and marker in charts, by which policies are told apart.
    pub look: usize,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// The parameters that it shares with other policies.
    pub shared: &'static [ParameterSet],
    /// Which estimates it reads.
    pub estimates: EstimatesRead,
    /// Whether it leaves cores idle.
    pub idling: Idling,
    /// How jobs can end under it.
    pub outcomes: Outcomes,
    /// When the keys of an offer round are computed.
    pub order: KeyOrder,
    /// Which core a task goes to.
    pub placement: Placement,
    /// What its keys follow from.
    pub basis: KeyBasis,
    /// From when on stages have keys.
    pub ranked_from: RankedFrom,
    /// Whether it wants jobs to hold certain numbers of cores ([`Policy::target`](super::Policy::target)).
    pub targets: bool,
}

impl Info {
    /// What holds unless a policy declares otherwise: no parameters, no estimates, work-conserving, every job finishes.
    pub const DEFAULT: Info = Info {
        id: "",
        title: "",
        name: "",
        source: "",
        summary: "",
        key: "",
        group: PolicyGroup::Other,
        look: 0,
        parameters: &[],
        shared: &[],
        estimates: EstimatesRead::None,
        idling: Idling::Never,
        outcomes: Outcomes::Finished,
        order: KeyOrder::EachRound,
        placement: Placement::Any,
        basis: KeyBasis::Use,
        ranked_from: RankedFrom::Submission,
        targets: false,
    };

    /// Whether each word of a search is somewhere in what readers see of it, in any case.
    pub fn matches(&self, search: &str) -> bool {
        let texts = [self.id, self.title, self.name, self.source, self.summary, self.group.title()];
        let text = texts.join(" ").to_lowercase();
        search.to_lowercase().split_whitespace().all(|word| text.contains(word))
    }

    /// The parameters that apply to it: its own and those that it shares, as files give them.
    pub fn parameter_sets(&self) -> Vec<ParameterSet> {
        let sets = std::iter::once(self.own()).chain(self.shared.iter().copied());
        sets.filter(|set| !set.parameters.is_empty()).collect()
    }

    /// Its own parameters, as files give them.
    pub fn own(&self) -> ParameterSet {
        ParameterSet { id: self.id, parameters: self.parameters }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::catalog;
    use crate::ids::JobId;
    use crate::policy::PolicyId;
    use crate::policy::parameters::ParameterKind;
    use crate::scenario::edit::{Edit, ObjectPath};
    use crate::scenario::{PartitionMode, Scenario, Stage};
    use crate::units::SlotTime;

    /// The scenario with estimates that are far off, some too high and some too low.
    fn misjudged(scenario: &Scenario, of_stages: bool) -> Scenario {
        let off = |work: SlotTime, index: usize| {
            SlotTime([work.0 * 7 + 1, work.0 / 5 + 1, work.0 * 3 + 1][index % 3])
        };
        let estimate = |of, work: SlotTime| Edit::set(of, "estimate_s", work.seconds());
        let mut changed = scenario.clone();
        for (index, job) in scenario.jobs().iter().enumerate() {
            let id = JobId(index as u32);
            let mut edits = vec![estimate(ObjectPath::Job(id), off(job.work(), index))];
            if of_stages {
                let stages = (0..).zip(&job.stages);
                let of_stage = |(stage, spec): (u32, &Stage)| {
                    estimate(ObjectPath::Stage(id, stage), off(spec.input.work(), index + stage as usize))
                };
                edits = stages.map(of_stage).collect();
                // It follows its stages' unless it has been set.
                edits.push(estimate(ObjectPath::Job(id), job.estimate));
            }
            for edit in edits {
                changed = changed.with(&edit).expect("a sound estimate");
            }
        }
        changed
    }

    /// The scenario with the policy's numbers set to 1: a power of 0 would hide the estimate that it is of.
    fn with_parameters(scenario: Scenario, info: &Info) -> Scenario {
        let numbers =
            info.parameters.iter().filter(|parameter| matches!(parameter.kind, ParameterKind::Number { .. }));
        numbers.fold(scenario, |scenario, parameter| {
            let edit = Edit::parameter(info.id, parameter.name, 1.0);
            scenario.with(&edit).expect("1 is within all bounds")
        })
    }

    #[test]
    fn no_two_policies_look_the_same() {
        let looks: BTreeSet<usize> = PolicyKind::ALL.iter().map(|kind| kind.info().look).collect();
        assert_eq!(looks.len(), PolicyKind::ALL.len());
    }

    #[test]
    fn a_search_finds_names_sentences_groups_and_sources() {
        let found = |search: &str| -> Vec<&str> {
            PolicyKind::ALL
                .iter()
                .map(|kind| kind.info())
                .filter(|info| info.matches(search))
                .map(|info| info.id)
                .collect()
        };
        assert_eq!(found("").len(), PolicyKind::ALL.len());
        assert_eq!(found("user-JOB"), ["ujf"]);
        assert_eq!(found("decima"), ["sjf-cp", "wfair", "graphene", "tetris", "decima"]);
        assert_eq!(found("dominant resource"), ["drf"]);
        assert_eq!(found("deadlines justice"), ["baseline-fs", "reactive-fs", "deadline-oracle", "justice"]);
        assert_eq!(found("nothing of the kind"), [""; 0]);
    }

    /// What a policy declares is what it does: other estimates change a schedule only if it reads them, and do so in
    /// some scenario if it does.
    #[test]
    fn policies_read_the_estimates_that_they_declare() {
        for &kind in PolicyKind::ALL {
            let policy = PolicyId { kind, partitioning: PartitionMode::Default };
            let reads = |of_stages: bool| {
                ["two-users", "skew", "priority-inversion", "heavy-first", "branches"].iter().any(|name| {
                    let scenario = catalog::find(name).expect("an entry").scenario();
                    let scenario = with_parameters(scenario, kind.info());
                    let changed = misjudged(&scenario, of_stages);
                    crate::simulate(&scenario, policy).tasks != crate::simulate(&changed, policy).tasks
                })
            };
            let declared = kind.info().estimates;
            assert_eq!(reads(false), declared.of_jobs(), "{policy}: estimates of jobs");
            assert_eq!(reads(true), declared.of_stages(), "{policy}: estimates of stages");
        }
    }
}
