//! Whose jobs they are: several applications, one user, nobody.

use super::LogSection;
use crate::spark::ImportReport;
use crate::spark::report::{OneOfSeveralReport, PoolSource};
use fairlane::number::{counted, list};

impl ImportReport {
    /// Several applications, and whether they share their executors.
    pub(super) fn applications_section(&self) -> Option<LogSection> {
        let shares = self.cluster.pools.iter().all(|pool| pool.source != PoolSource::Application);
        let text = if shares {
            "one application shared by all, a pool for each: what that would have done"
        } else {
            "under spark each has its own executors: a pool with as many cores as they had at most; other policies \
             share all cores, as does --share"
        };
        let details = self.applications.iter().map(|one| {
            let attempt =
                if one.attempt.is_empty() { String::new() } else { format!(", attempt {}", one.attempt) };
            let same = |other: &&OneOfSeveralReport| other.id == one.id;
            let again = match self.applications.iter().filter(same).count() {
                0 | 1 => "",
                _ if self.applications.iter().filter(same).all(|other| other.attempt == one.attempt) => {
                    ", an id that several have: are they of one cluster?"
                }
                _ => ", one of several attempts at one application",
            };
            Some(format!(
                "{} ({}{attempt}{again}): user {}, {}, at most {}, {:.1} to {:.1} s",
                one.name,
                one.id,
                one.user,
                counted(one.jobs as usize, "job"),
                counted(one.cores as usize, "core"),
                one.from_s,
                one.until_s
            ))
        });
        let section = LogSection::new("several", text.to_owned(), details.chain([self.alone()]));
        (!self.applications.is_empty()).then_some(section)
    }

    /// Applications that ran when no other did, if there are any: sharing changes nothing for them.
    fn alone(&self) -> Option<String> {
        let overlap = |one: &OneOfSeveralReport, other: &OneOfSeveralReport| {
            one.from_s < other.until_s && other.from_s < one.until_s
        };
        let is_alone = |(number, one): &(usize, &OneOfSeveralReport)| {
            let others = self.applications.iter().enumerate().filter(|(other, _)| other != number);
            { others }.all(|(_, other)| !overlap(one, other))
        };
        let alone: Vec<String> =
            self.applications.iter().enumerate().filter(is_alone).map(|(_, one)| one.pool.clone()).collect();
        match alone.len() {
            0 => None,
            all if all == self.applications.len() => Some(
                "no two of them ran at one time, so that nobody waited for another's: are these logs of one \
                 evening?"
                    .to_owned(),
            ),
            _ => Some(format!("ran when no other did, and so waited for none: {}", list(&alone))),
        }
    }

    /// What can be asked of a log in which nobody competes.
    pub(super) fn one_user_section(&self) -> Option<LogSection> {
        let [user] = self.users.users.as_slice() else { return None };
        let text = format!(
            "everything is {}'s: who waits for whom has no answer, and no policy is fairer than another",
            user.name
        );
        let ask = "what can be asked: how stages are cut into tasks (policies ending in -p), how large the cluster \
                   should be, in which order jobs and stages run, and how much of the time is the driver's";
        let rules = "other rules for users may divide it: see what the log offers (--users)";
        Some(LogSection::new("users", text, [Some(ask.to_owned()), Some(rules.to_owned())]))
    }

    /// Jobs of which the rule for users says nothing.
    pub(super) fn fallback_section(&self) -> Option<LogSection> {
        let fallbacks = &self.users.fallbacks;
        let jobs: u64 = fallbacks.values().sum();
        let text = format!(
            "{} {} no {}; their user is read from what they have",
            counted(jobs as usize, "job"),
            if jobs == 1 { "has" } else { "have" },
            self.users.source
        );
        let details = fallbacks.iter().map(|(source, jobs)| Some(format!("{jobs} from: {source}")));
        (jobs > 0).then(|| LogSection::new("users", text, details))
    }
}
