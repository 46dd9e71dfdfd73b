//! From parameters to a scenario.

use super::draw::{Draws, Purpose};
use super::{Generator, stages};
use crate::ids::UserId;
use crate::scenario::check::{self, Limits, ScenarioError};
use crate::scenario::{Job, Scenario, User};
use crate::units::{SecondsError, SlotTime, Time, Weight, micros_from_seconds};

/// A job as it is drawn, before the sizes are scaled.
struct Drawn {
    group: usize,
    user: usize,
    /// Place among the user's jobs.
    place: usize,
    arrival: Time,
    /// Work for the stages with a share, in core-seconds.
    size_s: f64,
}

/// A user with the streams from which their jobs' particulars are drawn.
struct Member {
    name: String,
    weight: Weight,
    skew: Draws,
    estimates: Draws,
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
        let (mut members, mut drawn) = self.drawn(&limits)?;
        if drawn.is_empty() {
            return Err(ScenarioError::at(
                "groups",
                "no job arrives before duration_s; raise the rate, the duration or the number of users",
            ));
        }
        let factor = self.factor(&drawn)?;
        // By arrival, ties by user and then by the user's own order: the draws' order, kept by a
        // stable sort.
        drawn.sort_by_key(|job| job.arrival);
        let mut slices = 0;
        let mut jobs = Vec::with_capacity(drawn.len());
        // A user's particulars are drawn in the order of their jobs, which is that of their arrivals.
        for job in &drawn {
            jobs.push(self.job(job, factor, &mut members[job.user], &limits, &mut slices)?);
        }
        let scenario = Scenario {
            name: if self.name.is_empty() {
                format!("Generated, seed {}", self.seed)
            } else {
                self.name.clone()
            },
            description: if self.description.is_empty() {
                self.described(jobs.len())
            } else {
                self.description.clone()
            },
            cluster: self.cluster.clone(),
            partitioning: self.partitioning.clone(),
            users: members
                .into_iter()
                .map(|member| User { name: member.name, weight: member.weight })
                .collect(),
            jobs,
        };
        check::check(&scenario, &limits)?;
        Ok(scenario)
    }

    fn described(&self, jobs: usize) -> String {
        let users: u64 = self.groups.iter().map(|group| u64::from(group.users)).sum();
        let load = self.load.map(|load| format!(", scaled to a load of {load}")).unwrap_or_default();
        format!("A generated workload: {users} users, {jobs} jobs, seed {}{load}.", self.seed)
    }

    /// Everybody with their streams, and all jobs with arrival and unscaled size: group by group, user
    /// by user, each user's in the order of arrival.
    fn drawn(&self, limits: &Limits) -> Result<(Vec<Member>, Vec<Drawn>), ScenarioError> {
        let mut members = Vec::new();
        let mut drawn: Vec<Drawn> = Vec::new();
        for (index, group) in self.groups.iter().enumerate() {
            let path = format!("groups[{index}]");
            let weight = group.weight(&path)?;
            for place in 0..group.users {
                let name = group.user_name(place);
                let room = limits.jobs - drawn.len();
                let start_s = group.start_s + group.stagger_s * f64::from(place);
                let mut draws = Draws::new(self.seed, &name, Purpose::Arrivals);
                let mut arrivals = group
                    .arrivals
                    .instants(start_s, self.duration_s, group.jobs, room, &mut draws)
                    .ok_or_else(|| {
                        let most = limits.jobs;
                        let message =
                            format!("from here on there are more than {most} jobs; let fewer arrive");
                        ScenarioError::at(format!("{path}.arrivals"), message)
                    })?;
                // A long burst may still go on when the next one begins.
                arrivals.sort_by(f64::total_cmp);
                let mut sizes = Draws::new(self.seed, &name, Purpose::Sizes);
                let user = members.len();
                for (place, arrival_s) in arrivals.into_iter().enumerate() {
                    let micros = micros_from_seconds(arrival_s).map_err(|error| {
                        ScenarioError::at(format!("{path}.arrivals"), format!("a job's arrival {error}"))
                    })?;
                    let size_s = group.sizes.draw(&mut sizes);
                    drawn.push(Drawn { group: index, user, place, arrival: Time(micros), size_s });
                }
                let skew = Draws::new(self.seed, &name, Purpose::Skew);
                let estimates = Draws::new(self.seed, &name, Purpose::Estimates);
                members.push(Member { name, weight, skew, estimates });
            }
        }
        Ok((members, drawn))
    }

    /// By how much sizes are to be multiplied to reach the target load; 1 without one.
    fn factor(&self, drawn: &[Drawn]) -> Result<f64, ScenarioError> {
        let (Some(load), Some(duration_s)) = (self.load, self.duration_s) else { return Ok(1.0) };
        let wanted_s = load * f64::from(self.cluster.cores()) * duration_s;
        let fixed_s: f64 = drawn.iter().map(|job| self.groups[job.group].fixed_work_s()).sum();
        let sizes_s: f64 = drawn.iter().map(|job| job.size_s).sum();
        if wanted_s <= fixed_s {
            let least = fixed_s / (f64::from(self.cluster.cores()) * duration_s);
            return Err(ScenarioError::at(
                "load",
                format!(
                    "the stages of fixed length alone come to a load of {least:.3}; ask for more, or shorten them"
                ),
            ));
        }
        Ok((wanted_s - fixed_s) / sizes_s)
    }

    fn job(
        &self,
        drawn: &Drawn,
        factor: f64,
        member: &mut Member,
        limits: &Limits,
        slices: &mut u64,
    ) -> Result<Job, ScenarioError> {
        let group = &self.groups[drawn.group];
        let path = format!("groups[{}]", drawn.group);
        let size_s = drawn.size_s * factor;
        let size = job_size(size_s).map_err(|error| {
            ScenarioError::at(
                format!("{path}.sizes"),
                format!("a job's work {error}, or a cap where there can be one"),
            )
        })?;
        let told = job_size(group.estimates.told(size_s, &mut member.estimates)).map_err(|error| {
            ScenarioError::at(format!("{path}.estimates"), format!("a job's estimate {error}"))
        })?;
        let stages = stages::stages(
            &group.stages,
            &path,
            size,
            told,
            &self.cluster,
            &mut member.skew,
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
        Ok(Job {
            user: UserId(drawn.user as u32),
            name: format!("{}-{}", member.name, drawn.place + 1),
            arrival: drawn.arrival,
            estimate: stages.iter().map(|stage| stage.estimate).sum(),
            stages,
        })
    }
}

/// Core-seconds to whole core-microseconds. A job that is drawn holds at least one.
fn job_size(seconds: f64) -> Result<SlotTime, SecondsError> {
    micros_from_seconds(seconds).map(|micros| SlotTime(micros.max(1)))
}
