//! Who waited for whom, as JSON.

use serde::Serialize;

use fairlane::ids::UserId;
use fairlane::metrics::{Evaluation, Holder, WaitedFor, Waiter, Waiting};

/// Who waited for whom under a policy, as `fairlane compare --metrics waiting --format json` prints it. The worst
/// first.
#[derive(Debug, Serialize)]
pub struct WaitingJson<'a> {
    policy: String,
    /// What all users were short of together.
    core_s: f64,
    users: Vec<WaiterJson<'a>>,
    /// Who had jobs, but no task that ran or could have run, and how long.
    driver: Vec<DriverWait<'a>>,
}

#[derive(Debug, Serialize)]
struct DriverWait<'a> {
    user: &'a str,
    waited_s: f64,
}

#[derive(Debug, Serialize)]
struct WaiterJson<'a> {
    user: &'a str,
    core_s: f64,
    longest_from_s: f64,
    longest_to_s: f64,
    waited_for: Vec<WaitedForJson<'a>>,
}

#[derive(Debug, Serialize)]
struct WaitedForJson<'a> {
    /// `null` if cores were idle.
    user: Option<&'a str>,
    core_s: f64,
    longest_from_s: f64,
    longest_to_s: f64,
}

impl<'a> WaitingJson<'a> {
    /// The waiting in a schedule.
    pub fn new(run: &'a Evaluation, waiting: &Waiting) -> WaitingJson<'a> {
        let name = |user: UserId| run.scenario.users()[user.index()].name.as_str();
        let waited_for = |wait: &WaitedFor| WaitedForJson {
            user: match wait.holder {
                Holder::User(user) => Some(name(user)),
                Holder::Idle => None,
            },
            core_s: wait.core_seconds(),
            longest_from_s: wait.longest.from.seconds(),
            longest_to_s: wait.longest.to.seconds(),
        };
        let waiter = |row: &Waiter| WaiterJson {
            user: name(row.user),
            core_s: row.core_seconds(),
            longest_from_s: row.longest.from.seconds(),
            longest_to_s: row.longest.to.seconds(),
            waited_for: row.waits.iter().map(waited_for).collect(),
        };
        WaitingJson {
            policy: run.trace.policy.to_string(),
            core_s: waiting.core_seconds(),
            users: waiting.rows.iter().map(waiter).collect(),
            driver: waiting
                .driver
                .iter()
                .map(|&(user, span)| DriverWait { user: name(user), waited_s: span.seconds() })
                .collect(),
        }
    }
}
