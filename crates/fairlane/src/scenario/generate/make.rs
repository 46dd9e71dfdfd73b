//! From parameters to a scenario.

use std::collections::BTreeMap;

use super::draw::{Draws, Purpose};
use super::{Generator, UserGroup, stages};
use crate::ids::UserId;
use crate::scenario::error::ensure;
use crate::scenario::{Job, Limits, Scenario, ScenarioError, User};
use crate::units::{SecondsError, SlotTime, Time, micros_from_seconds};

/// A job as it is drawn, before the sizes are scaled.
struct DraftJob {
    /// Index in [`Draft::sources`].
    source: usize,
    /// Index among the source's jobs.
    index: usize,
    arrival: Time,
    /// Work for the stages with a share, in core-seconds.
    size_s: f64,
}

/// A user's jobs of one kind, with the streams from which their particulars are drawn.
struct JobStream {
    group: usize,
    user: UserId,
    label: String,
    skew: Draws,
    estimates: Draws,
}

/// The draws, before sizes are scaled.
#[derive(Default)]
struct Draft {
    /// In the order of the groups.
    users: Vec<User>,
    /// Group by group, user by user.
    sources: Vec<JobStream>,
    /// Source by source, each one's in the order of arrival.
    jobs: Vec<DraftJob>,
}

impl Generator {
    /// The workload as a scenario.
    ///
    /// # Errors
    /// The first parameter that is out of range, with its JSON path and what to do; or that no job
    /// arrives, or more than a scenario may hold.
    pub fn scenario(&self) -> Result<Scenario, ScenarioError> {
        let limits = Limits::default();
        self.check(&limits)?;
        let (users, jobs) = match &self.preset {
            Some(preset) => preset.draw(self.seed, &self.cluster)?,
            None => self.of_groups(&limits)?,
        };
        let (name, description) = match &self.preset {
            Some(preset) => (format!("{}, seed {}", preset.paper().title(), self.seed), String::new()),
            None => (format!("Generated, seed {}", self.seed), self.described(users.len(), jobs.len())),
        };
        let or = |given: &String, usual| if given.is_empty() { usual } else { given.clone() };
        Scenario::builder()
            .name(or(&self.name, name))
            .description(or(&self.description, description))
            .cluster(self.cluster.clone())
            .partitioning(self.partitioning.clone())
            .parameters(self.parameters.clone())
            .users(users)
            .jobs(jobs)
            .build_within(&limits)
    }

    /// Users and jobs of the groups.
    fn of_groups(&self, limits: &Limits) -> Result<(Vec<User>, Vec<Job>), ScenarioError> {
        let Draft { users, mut sources, jobs: mut drawn } = self.draft(limits)?;
        ensure!(
            !drawn.is_empty(),
            "groups",
            "no job arrives before duration_s; raise the rate, the duration or the number of users",
        );
        let factor = self.factor(&sources, &drawn)?;
        // Stable, so that ties are in the order of the draws; and a source's particulars are drawn in the
        // order of its jobs.
        drawn.sort_by_key(|job| job.arrival);
        let mut slices = 0;
        let mut jobs = Vec::with_capacity(drawn.len());
        for job in &drawn {
            jobs.push(self.job(job, factor, &mut sources[job.source], limits, &mut slices)?);
        }
        Ok((users, jobs))
    }

    fn described(&self, users: usize, jobs: usize) -> String {
        let load = self.load.map(|load| format!(", scaled to a load of {load}")).unwrap_or_default();
        format!("A generated workload: {users} users, {jobs} jobs, seed {}{load}.", self.seed)
    }

    /// Everybody with their streams, and all jobs with arrival and unscaled size.
    fn draft(&self, limits: &Limits) -> Result<Draft, ScenarioError> {
        let mut draft = Draft::default();
        let mut by_name = BTreeMap::new();
        for (group, spec) in self.groups.iter().enumerate() {
            let path = format!("groups[{group}]");
            let weight = spec.weight(&path)?;
            for index in 0..spec.users {
                let name = spec.user_name(index);
                let label = spec.label(&name);
                let user = *by_name.entry(name.clone()).or_insert_with(|| {
                    draft.users.push(User { weight, ..User::named(name) });
                    UserId(draft.users.len() as u32 - 1)
                });
                let start_s = spec.start_s + spec.stagger_s * f64::from(index);
                self.draw_jobs(spec, start_s, &label, limits, &mut draft.jobs, draft.sources.len())
                    .map_err(|(key, message)| ScenarioError::at(format!("{path}.{key}"), message))?;
                let skew = Draws::new(self.seed, &label, Purpose::Skew);
                let estimates = Draws::new(self.seed, &label, Purpose::Estimates);
                draft.sources.push(JobStream { group, user, label, skew, estimates });
            }
        }
        Ok(draft)
    }

    /// Adds one source's jobs. An error is a key of the group and a sentence.
    fn draw_jobs(
        &self,
        group: &UserGroup,
        start_s: f64,
        label: &str,
        limits: &Limits,
        jobs: &mut Vec<DraftJob>,
        source: usize,
    ) -> Result<(), (&'static str, String)> {
        let room = limits.jobs - jobs.len();
        let mut draws = Draws::new(self.seed, label, Purpose::Arrivals);
        let instants = group.arrivals.instants(start_s, self.duration_s, group.jobs, room, &mut draws);
        let mut instants = instants.ok_or_else(|| {
            let most = limits.jobs;
            ("arrivals", format!("from here on there are more than {most} jobs; let fewer arrive"))
        })?;
        // A long burst may overlap the next one.
        instants.sort_by(f64::total_cmp);
        let mut sizes = Draws::new(self.seed, label, Purpose::Sizes);
        for (index, instant_s) in instants.into_iter().enumerate() {
            let arrival = micros_from_seconds(instant_s)
                .map_err(|error| ("arrivals", format!("a job's arrival {error}")))?;
            let size_s = group.sizes.draw(&mut sizes);
            jobs.push(DraftJob { source, index, arrival: Time(arrival), size_s });
        }
        Ok(())
    }

    /// By how much sizes are to be multiplied to reach the target load; 1 without one.
    fn factor(&self, sources: &[JobStream], drawn: &[DraftJob]) -> Result<f64, ScenarioError> {
        let (Some(load), Some(duration_s)) = (self.load, self.duration_s) else { return Ok(1.0) };
        let wanted_s = load * f64::from(self.cluster.cores()) * duration_s;
        let fixed_s: f64 =
            drawn.iter().map(|job| self.groups[sources[job.source].group].fixed_work_s()).sum();
        let sizes_s: f64 = drawn.iter().map(|job| job.size_s).sum();
        if wanted_s <= fixed_s {
            let least = fixed_s / (f64::from(self.cluster.cores()) * duration_s);
            return Err(ScenarioError::at(
                "load",
                format!(
                    "the stages of fixed length alone make a load of {least:.3}; ask for more, or shorten them"
                ),
            ));
        }
        Ok((wanted_s - fixed_s) / sizes_s)
    }

    fn job(
        &self,
        drawn: &DraftJob,
        factor: f64,
        source: &mut JobStream,
        limits: &Limits,
        slices: &mut u64,
    ) -> Result<Job, ScenarioError> {
        let group = &self.groups[source.group];
        let path = format!("groups[{}]", source.group);
        let size_s = drawn.size_s * factor;
        let size = job_size(size_s).map_err(|error| {
            ScenarioError::at(
                format!("{path}.sizes"),
                format!("a job's work {error}, or a cap where there can be one"),
            )
        })?;
        let estimate =
            job_size(group.estimates.estimate(size_s, &mut source.estimates)).map_err(|error| {
                ScenarioError::at(format!("{path}.estimates"), format!("a job's estimate {error}"))
            })?;
        let stages = stages::stages(
            &group.stages,
            &path,
            size,
            estimate,
            &self.cluster,
            &mut source.skew,
            |index, count| {
                *slices += count;
                if *slices <= limits.slices as u64 {
                    return Ok(());
                }
                let most = limits.slices;
                let message = format!(
                    "from here on there are more than {most} slices of input; use fewer partitions or jobs"
                );
                Err(ScenarioError::at(format!("{path}.stages[{index}]"), message))
            },
        )?;
        let name = format!("{}-{}", source.label, drawn.index + 1);
        Ok(Job { name, ..Job::new(source.user, drawn.arrival, stages) })
    }
}

/// Core-seconds to whole core-microseconds. A job that is drawn holds at least one.
fn job_size(seconds: f64) -> Result<SlotTime, SecondsError> {
    micros_from_seconds(seconds).map(|micros| SlotTime(micros.max(1)))
}
