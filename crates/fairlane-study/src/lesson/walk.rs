//! UWFQ's Algorithm 1 line by line as a job arrives, with the state after each line. The figures are
//! those that the policy itself has recorded.

use super::facts::{Quantity, QuantityUnit, fault};
use super::{FactError, LessonFacts};
use fairlane::ids::{JobId, Rank, UserId};
use fairlane::policy::uwfq::{ReferenceJob, UwfqReference, VirtualUser};
use fairlane::units::{MICROS_PER_SECOND, Time};

/// An arrival followed through the algorithm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlgorithmWalk {
    /// The job.
    pub job: String,
    /// When it arrives, with the unit.
    pub at: String,
    /// The lines in their order.
    pub lines: Vec<AlgorithmLine>,
}

/// A line of Algorithm 1, or several that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlgorithmLine {
    /// As the paper numbers them: `1`, `2–5`.
    pub number: &'static str,
    /// What it does.
    pub words: String,
    /// The state after it, variable by variable.
    pub state: Vec<String>,
}

/// Follows a job's arrival. Deadlines are those right after it; the clocks before it are those right
/// after the arrival before.
///
/// # Errors
/// [`FactError`] if the scenario has no such job.
pub fn walk(facts: &LessonFacts, job: &str) -> Result<AlgorithmWalk, FactError> {
    let id = facts.job(job)?;
    let scenario = facts.scenario();
    let spec = &scenario.jobs()[id.index()];
    let (rank, arrival) = (scenario.ranks()[id.index()], spec.arrival);
    let lost = || fault(job, "UWFQ does not have the job in a list");
    let earlier = scenario.jobs().iter().map(|job| job.arrival).filter(|&at| at < arrival).max();
    let after = facts.uwfq(arrival, true);
    let mine = after.user_at(spec.user, arrival).ok_or_else(lost)?;
    let admitted = *mine.jobs.iter().find(|job| job.rank == rank).ok_or_else(lost)?;
    let writer = WalkWriter {
        facts,
        name: scenario.job_label(id),
        user: &scenario.users()[spec.user.index()].name,
        enters: facts.uwfq(arrival, false).user_at(spec.user, arrival).is_none(),
        after,
        admitted,
    };
    let lines = vec![
        writer.clocks(earlier.unwrap_or_default(), arrival),
        writer.entry(&mine),
        writer.user_time(),
        writer.user_deadline(),
        writer.list(&mine),
        writer.first_deadline(&mine),
        writer.further_deadlines(&mine),
    ];
    let at = Quantity { value: arrival.seconds(), unit: QuantityUnit::Seconds }.to_string();
    Ok(AlgorithmWalk { job: writer.name, at, lines: lines.into_iter().flatten().collect() })
}

/// A number of core-µs in core-seconds, as short as can be.
fn short(micros: f64) -> String {
    Quantity { value: micros / MICROS_PER_SECOND, unit: QuantityUnit::CoreSeconds }.bare()
}

struct WalkWriter<'a> {
    facts: &'a LessonFacts,
    name: String,
    user: &'a str,
    /// Whether the user becomes active by this arrival.
    enters: bool,
    /// UWFQ after the arrival.
    after: UwfqReference,
    /// The job in its user's list.
    admitted: ReferenceJob,
}

impl WalkWriter<'_> {
    fn job_name(&self, rank: Rank) -> String {
        let order = self.facts.scenario().arrival_order();
        self.facts.scenario().job_label(order.get(rank.index()).copied().unwrap_or(JobId(0)))
    }

    /// Vu at the admission.
    fn admission_time(&self) -> f64 {
        self.admitted.deadline.0 - self.admitted.estimate.0 as f64
    }

    /// Line 1, which is Algorithms 2 and 3: V and every active user's Vu advance to now; users whose jobs have
    /// finished virtually leave.
    fn clocks(&self, from: Time, to: Time) -> Option<AlgorithmLine> {
        let before = self.facts.uwfq(from, true);
        let ((was_v, rate), (v, _)) = (before.virtual_time_at(from), self.after.virtual_time_at(to));
        let mut state = vec![format!("V = {}", changed(was_v, v))];
        for (user, spec) in (0..).map(UserId).zip(self.facts.scenario().users()) {
            let Some(was) = before.user_at(user, from) else { continue };
            let name = &spec.name;
            state.push(match self.after.user_at(user, to) {
                Some(now) => format!("Vu({name}) = {}", changed(was.user_time, now.user_time)),
                None => format!("{name} has left"),
            });
        }
        let words = match rate {
            None => "Advance the clocks. Nobody is active, so there is nothing to do.".to_owned(),
            Some(rate) => format!(
                "Advance the clocks (Algorithms 2 and 3): for {} V grows by {} per second, which is what each \
                    active user is owed.",
                Quantity { value: to.since(from).seconds(), unit: QuantityUnit::Seconds },
                Quantity { value: rate, unit: QuantityUnit::Ratio }.bare(),
            ),
        };
        Some(AlgorithmLine { number: "1", words, state })
    }

    fn entry(&self, mine: &VirtualUser) -> Option<AlgorithmLine> {
        let user = self.user;
        let va = short(mine.virtual_arrival);
        let words = if self.enters {
            format!("{user} is not active and enters now: V becomes {user}'s virtual arrival.")
        } else {
            format!("{user} is active already and keeps the virtual arrival.")
        };
        Some(AlgorithmLine { number: "2–5", words, state: vec![format!("Va({user}) = {va}")] })
    }

    fn user_time(&self) -> Option<AlgorithmLine> {
        let user = self.user;
        let words = format!("Read {user}'s own clock: what each of {user}'s jobs has been served so far.");
        let state = vec![format!("Vu({user}) = {}", short(self.admission_time()))];
        Some(AlgorithmLine { number: "6", words, state })
    }

    fn user_deadline(&self) -> Option<AlgorithmLine> {
        let (vu, work) = (self.admission_time(), self.admitted.estimate.0 as f64);
        let words = format!(
            "Among {}'s jobs, {} is due when that clock has advanced by its work L.",
            self.user, self.name
        );
        let state = format!("D_user({}) = {} + {} = {}", self.name, short(vu), short(work), short(vu + work));
        Some(AlgorithmLine { number: "7", words, state: vec![state] })
    }

    fn list(&self, mine: &VirtualUser) -> Option<AlgorithmLine> {
        let words = format!("Insert it into {}'s list, which is ordered by D_user.", self.user);
        let entry = |job: &ReferenceJob| format!("{} ({})", self.job_name(job.rank), short(job.deadline.0));
        let list: Vec<String> = mine.jobs.iter().map(entry).collect();
        Some(AlgorithmLine { number: "8–9", words, state: vec![list.join(", ")] })
    }

    fn first_deadline(&self, mine: &VirtualUser) -> Option<AlgorithmLine> {
        let first = mine.jobs.first()?;
        let start = mine.virtual_arrival + mine.served as f64;
        let served =
            if mine.served > 0 { ", plus the work of the jobs that have finished virtually" } else { "" };
        let words = format!(
            "The first job of the list is due its work after {}'s virtual arrival{served}.",
            self.user
        );
        let state = format!(
            "D_global({}) = {} + {} = {}",
            self.job_name(first.rank),
            short(start),
            short(first.estimate.0 as f64),
            short(self.after.deadline(first.rank))
        );
        Some(AlgorithmLine { number: "10–14", words, state: vec![state] })
    }

    fn further_deadlines(&self, mine: &VirtualUser) -> Option<AlgorithmLine> {
        let user = self.user;
        let end = format!("End({user}) = {}", short(mine.end));
        if mine.jobs.len() < 2 {
            let words = format!("{user} has no other job. The last deadline is {user}'s End.");
            return Some(AlgorithmLine { number: "15–19", words, state: vec![end] });
        }
        let words = format!(
            "Each further job is due its work after the job before it. The last deadline is {user}'s End."
        );
        let deadline = |pair: &[ReferenceJob]| {
            format!(
                "D_global({}) = {} + {} = {}",
                self.job_name(pair[1].rank),
                short(self.after.deadline(pair[0].rank)),
                short(pair[1].estimate.0 as f64),
                short(self.after.deadline(pair[1].rank))
            )
        };
        let state = mine.jobs.windows(2).map(deadline).chain([end]).collect();
        Some(AlgorithmLine { number: "15–19", words, state })
    }
}

fn changed(before: f64, after: f64) -> String {
    let (before, after) = (short(before), short(after));
    if before == after { after } else { format!("{before} → {after}") }
}
