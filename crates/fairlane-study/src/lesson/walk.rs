//! UWFQ's Algorithm 1 line by line as a job arrives, with the state after each line. The figures are
//! those that the policy itself has recorded.

use super::facts::{Quantity, Run, Unit, fault};
use super::{FactError, Facts};
use fairlane::ids::JobId;
use fairlane::policy::explain::{Active, Activity, Clock, UserClock};
use fairlane::policy::log::{AdmissionEntry, SessionEntry};
use fairlane::units::{MICROS_PER_SECOND, Time};

/// An arrival followed through the algorithm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walk {
    /// The job.
    pub job: String,
    /// When it arrives, with the unit.
    pub at: String,
    /// The lines in their order.
    pub lines: Vec<Line>,
}

/// A line of Algorithm 1, or several that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
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
pub fn walk(facts: &Facts, job: &str) -> Result<Walk, FactError> {
    let run = facts.run("uwfq")?;
    let id = facts.job(job)?;
    let scenario = facts.scenario();
    let spec = &scenario.jobs()[id.index()];
    let rank = scenario.ranks()[id.index()];
    let log = &run.journal.log;
    let lost = || fault(job, "UWFQ has no record of its arrival");
    let entry = log.admissions.iter().find(|entry| entry.rank == rank).ok_or_else(lost)?;
    let session = &log.sessions[entry.session as usize];
    let earlier = scenario.jobs().iter().map(|job| job.arrival).filter(|&at| at < spec.arrival).max();
    let before = earlier.and_then(|at| facts.clock(&run, at));
    let after = facts.clock(&run, spec.arrival).ok_or_else(lost)?;
    let mine = users(Some(&after)).into_iter().find(|clock| clock.user == spec.user).ok_or_else(lost)?;
    let writer = Writer {
        facts,
        run: &run,
        name: scenario.job_label(id),
        user: &scenario.users()[spec.user.index()].name,
    };
    let lines = vec![
        writer.clocks(before.as_ref(), entry, earlier.unwrap_or_default(), spec.arrival),
        writer.entry(entry, session, mine),
        writer.user_time(entry),
        writer.user_deadline(entry),
        writer.list(mine),
        writer.first_deadline(mine),
        writer.further_deadlines(mine),
    ];
    let at = Quantity { value: spec.arrival.seconds(), unit: Unit::Seconds }.to_string();
    Ok(Walk { job: writer.name, at, lines: lines.into_iter().flatten().collect() })
}

/// A number of core-µs in core-seconds, as short as can be.
fn short(micros: f64) -> String {
    Quantity { value: micros / MICROS_PER_SECOND, unit: Unit::CoreSeconds }.bare()
}

fn users(clock: Option<&Clock>) -> Vec<&UserClock> {
    match clock.map(|clock| &clock.active) {
        Some(Active::Users(users)) => users.iter().collect(),
        _ => Vec::new(),
    }
}

struct Writer<'a> {
    facts: &'a Facts,
    run: &'a Run,
    name: String,
    user: &'a str,
}

impl Writer<'_> {
    fn user_name(&self, clock: &UserClock) -> &str {
        &self.facts.scenario().users()[clock.user.index()].name
    }

    fn job_name(&self, rank: fairlane::ids::Rank) -> String {
        let order = self.facts.scenario().arrival_order();
        self.facts.scenario().job_label(order.get(rank.index()).copied().unwrap_or(JobId(0)))
    }

    /// Line 1, which is Algorithms 2 and 3: V and every active user's Vu advance to now; users whose jobs have
    /// finished virtually leave.
    fn clocks(&self, before: Option<&Clock>, entry: &AdmissionEntry, from: Time, to: Time) -> Option<Line> {
        let active = users(before).into_iter().filter(|user| user.activity == Activity::Active);
        let was_v = before.map_or(0.0, |clock| clock.virtual_time);
        let mut state = vec![format!("V = {}", changed(was_v, entry.virtual_time))];
        let after = self.facts.clock(self.run, to);
        for user in active {
            let now = users(after.as_ref()).into_iter().find(|now| now.user == user.user);
            let now = now.filter(|now| now.activity == Activity::Active);
            state.push(match now {
                Some(now) => {
                    format!("Vu({}) = {}", self.user_name(user), changed(user.user_time, now.user_time))
                }
                None => format!("{} has left", self.user_name(user)),
            });
        }
        let words = match before.and_then(|clock| clock.rate) {
            None => "Advance the clocks. Nobody is active, so there is nothing to do.".to_owned(),
            Some(rate) => format!(
                "Advance the clocks (Algorithms 2 and 3): for {} V grows by {} per second, which is what each active user is owed.",
                Quantity { value: to.since(from).seconds(), unit: Unit::Seconds },
                Quantity { value: rate, unit: Unit::Ratio }.bare(),
            ),
        };
        Some(Line { number: "1", words, state })
    }

    fn entry(&self, entry: &AdmissionEntry, session: &SessionEntry, mine: &UserClock) -> Option<Line> {
        let user = self.user;
        let va = short(mine.virtual_arrival);
        let words = if session.event == entry.event {
            format!("{user} is not active and enters now: V becomes {user}'s virtual arrival.")
        } else {
            format!("{user} is active already and keeps the virtual arrival.")
        };
        Some(Line { number: "2–5", words, state: vec![format!("Va({user}) = {va}")] })
    }

    fn user_time(&self, entry: &AdmissionEntry) -> Option<Line> {
        let user = self.user;
        let words = format!("Read {user}'s own clock: what each of {user}'s jobs has been served so far.");
        Some(Line { number: "6", words, state: vec![format!("Vu({user}) = {}", short(entry.user_time))] })
    }

    fn user_deadline(&self, entry: &AdmissionEntry) -> Option<Line> {
        let (vu, work) = (entry.user_time, entry.estimate.0 as f64);
        let words = format!(
            "Among {}'s jobs, {} is due when that clock has advanced by its work L.",
            self.user, self.name
        );
        let state = format!("D_user({}) = {} + {} = {}", self.name, short(vu), short(work), short(vu + work));
        Some(Line { number: "7", words, state: vec![state] })
    }

    fn list(&self, mine: &UserClock) -> Option<Line> {
        let words = format!("Insert it into {}'s list, which is ordered by D_user.", self.user);
        let entry = |job: &fairlane::policy::explain::ClockJob| {
            format!("{} ({})", self.job_name(job.rank), short(job.user_deadline))
        };
        let list: Vec<String> = mine.jobs.iter().map(entry).collect();
        Some(Line { number: "8–9", words, state: vec![list.join(", ")] })
    }

    fn first_deadline(&self, mine: &UserClock) -> Option<Line> {
        let first = mine.jobs.first()?;
        let start = mine.virtual_arrival + mine.served;
        let served =
            if mine.served > 0.0 { ", plus the work of the jobs that have finished virtually" } else { "" };
        let words = format!(
            "The first job of the list is due its work after {}'s virtual arrival{served}.",
            self.user
        );
        let state = format!(
            "D_global({}) = {} + {} = {}",
            self.job_name(first.rank),
            short(start),
            short(first.estimate.0 as f64),
            short(first.deadline)
        );
        Some(Line { number: "10–14", words, state: vec![state] })
    }

    fn further_deadlines(&self, mine: &UserClock) -> Option<Line> {
        let user = self.user;
        let end = format!("End({user}) = {}", short(mine.end));
        if mine.jobs.len() < 2 {
            let words = format!("{user} has no other job. The last deadline is {user}'s End.");
            return Some(Line { number: "15–19", words, state: vec![end] });
        }
        let words = format!(
            "Each further job is due its work after the job before it. The last deadline is {user}'s End."
        );
        let deadline = |pair: &[fairlane::policy::explain::ClockJob]| {
            format!(
                "D_global({}) = {} + {} = {}",
                self.job_name(pair[1].rank),
                short(pair[0].deadline),
                short(pair[1].estimate.0 as f64),
                short(pair[1].deadline)
            )
        };
        let state = mine.jobs.windows(2).map(deadline).chain([end]).collect();
        Some(Line { number: "15–19", words, state })
    }
}

fn changed(before: f64, after: f64) -> String {
    let (before, after) = (short(before), short(after));
    if before == after { after } else { format!("{before} → {after}") }
}
