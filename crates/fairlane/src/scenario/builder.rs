//! A scenario built in Rust rather than read from a file.

use super::check;
use super::{Cluster, Job, Limits, Partitioning, PolicyParameters, Scenario, ScenarioError, Sessions, User};

/// Collects the parts of a [`Scenario`]; made by [`Scenario::builder`] or [`Scenario::to_builder`].
#[derive(Clone, Debug)]
#[must_use]
pub struct ScenarioBuilder {
    scenario: Scenario,
}

impl ScenarioBuilder {
    /// Sets the title.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.scenario.name = name.into();
        self
    }

    /// Sets the sentences for the reader.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.scenario.description = description.into();
        self
    }

    /// Sets the machines.
    pub fn cluster(mut self, cluster: Cluster) -> Self {
        self.scenario.cluster = cluster;
        self
    }

    /// Sets how stages are cut into tasks under runtime partitioning.
    pub fn partitioning(mut self, partitioning: Partitioning) -> Self {
        self.scenario.partitioning = partitioning;
        self
    }

    /// Sets the parameters of policies.
    pub fn parameters(mut self, parameters: PolicyParameters) -> Self {
        self.scenario.parameters = parameters;
        self
    }

    /// Sets the users; jobs refer to them by index.
    pub fn users(mut self, users: impl IntoIterator<Item = User>) -> Self {
        self.scenario.users = users.into_iter().collect::<Vec<_>>().into();
        self
    }

    /// Sets the jobs.
    pub fn jobs(mut self, jobs: impl IntoIterator<Item = Job>) -> Self {
        self.scenario.jobs = jobs.into_iter().collect::<Vec<_>>().into();
        self
    }

    /// Sets whether jobs wait for their predecessors.
    pub fn sessions(mut self, sessions: Sessions) -> Self {
        self.scenario.sessions = sessions;
        self
    }

    /// Sets how far a simulation is from the log that the scenario is from.
    pub fn log_error(mut self, error: Option<f64>) -> Self {
        self.scenario.log_error = error;
        self
    }

    /// Checks the scenario within the default [`Limits`].
    ///
    /// # Errors
    /// The first rule broken, with the JSON path that it would have in a file.
    pub fn build(self) -> Result<Scenario, ScenarioError> {
        self.build_within(&Limits::default())
    }

    /// Checks the scenario within other limits.
    ///
    /// # Errors
    /// As [`ScenarioBuilder::build`].
    pub fn build_within(self, limits: &Limits) -> Result<Scenario, ScenarioError> {
        self.scenario.checked_within(limits)
    }
}

impl Scenario {
    /// An empty scenario to fill.
    ///
    /// ```
    /// use fairlane::Scenario;
    /// use fairlane::ids::UserId;
    /// use fairlane::scenario::{Cluster, Input, Job, Stage, User};
    /// use fairlane::units::{SlotTime, Span, Time};
    ///
    /// let scan = Stage::with_input(Input::of_tasks([Span(500_000), Span(1_500_000)])?);
    /// let scenario = Scenario::builder()
    ///     .cluster(Cluster::new(1, 2))
    ///     .users([User::named("ana")])
    ///     .jobs([Job::new(UserId(0), Time::ZERO, vec![scan])])
    ///     .build()?;
    /// assert_eq!(scenario.jobs()[0].work(), SlotTime(2_000_000));
    /// # Ok::<(), fairlane::scenario::ScenarioError>(())
    /// ```
    pub fn builder() -> ScenarioBuilder {
        let scenario = Scenario {
            name: String::new(),
            description: String::new(),
            cluster: Cluster::default(),
            partitioning: Partitioning::default(),
            parameters: PolicyParameters::default(),
            users: Vec::new().into(),
            jobs: Vec::new().into(),
            sessions: Sessions::default(),
            log_error: None,
        };
        ScenarioBuilder { scenario }
    }

    /// This scenario if it keeps all rules.
    fn checked_within(self, limits: &Limits) -> Result<Scenario, ScenarioError> {
        check::check(&self, limits)?;
        Ok(self)
    }

    /// A builder that begins with this scenario.
    pub fn to_builder(&self) -> ScenarioBuilder {
        ScenarioBuilder { scenario: self.clone() }
    }
}
