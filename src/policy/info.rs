//! What a policy declares of itself.

use super::Parameter;
use super::parameters::ParameterSet;

/// The policies that are listed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Group {
    /// Spark's own schedulers.
    Spark,
    /// Fair queuing by virtual time.
    VirtualTime,
    /// By the sizes of jobs.
    JobSizes,
    /// Cores that move between jobs.
    Elasticity,
    /// From outside this program.
    Other,
}

impl Group {
    /// The heading.
    pub fn title(self) -> &'static str {
        match self {
            Group::Spark => "Spark",
            Group::VirtualTime => "Virtual time",
            Group::JobSizes => "Job sizes",
            Group::Elasticity => "Elasticity",
            Group::Other => "Other",
        }
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

/// What a policy declares of itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Info {
    /// Name on the command line and in files.
    pub id: &'static str,
    /// Name on the page.
    pub title: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// Its key or rule, for the table in the documentation.
    pub key: &'static str,
    /// What it is listed with.
    pub group: Group,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// The parameters that it shares with other policies.
    pub shared: &'static [ParameterSet],
    /// Whether it leaves cores idle.
    pub idling: Idling,
    /// How jobs can end under it.
    pub outcomes: Outcomes,
}

impl Info {
    /// What holds unless a policy declares otherwise: no parameters, work-conserving, every job finishes.
    pub const DEFAULT: Info = Info {
        id: "",
        title: "",
        summary: "",
        key: "",
        group: Group::Other,
        parameters: &[],
        shared: &[],
        idling: Idling::Never,
        outcomes: Outcomes::Finished,
    };

    /// Its own parameters, as files give them.
    pub fn own(&self) -> ParameterSet {
        ParameterSet { id: self.id, parameters: self.parameters }
    }
}
