//! A real cluster's log that a scenario was imported from, and the schedule that it recorded.

use serde::{Deserialize, Serialize};

use super::Run;
use super::run::RunPhase;
use crate::results::codec::Analysis;
use crate::results::shared::Shared;
use fairlane::ids::UserId;
use fairlane::policy::PolicyId;
use fairlane::scenario::Scenario;
use fairlane_import::spark::{DriverTime, LogSection, LogSimulations, NOBODY};
use fairlane_view::link::{LinkedLog, LinkedSimulation};

/// A log that a scenario was imported from: on this page, or on that of whoever shared a link to it.
#[derive(Debug)]
pub struct ImportedLog {
    /// What it says of each user, and how near the simulation is to it: all of it that a link contains.
    pub known: LinkedLog,
    /// The scenario whose users and jobs are those of the log.
    scenario: Shared<Scenario>,
    /// The log itself; `None` behind a link, or where the page was restored.
    pub read: Option<ReadLog>,
}

/// A log whose files this page has read.
#[derive(Debug)]
pub struct ReadLog {
    /// Identifies the files, so that they can be imported again by other rules.
    pub number: usize,
    /// The rules.
    pub rules: LogRules,
    /// The schedule that it recorded, under [`OBSERVED`](fairlane::policy::OBSERVED).
    pub analysis: Shared<Analysis>,
    /// What was carried over and what was not.
    pub report: LogReport,
    /// Ties between fair pools, and how many went to the first by name.
    pub ties: [u64; 2],
}

/// What the page shows of an import.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct LogReport {
    /// What a job of the scenario is.
    pub jobs: String,
    /// What users were read from.
    pub source: String,
    /// The rules by which users can be distinguished, each with its word, its name and the number of users.
    pub offered: Vec<(String, String, usize)>,
    /// Users that no job has by the rule, where other jobs have one.
    pub unnamed: Vec<String>,
    /// The scheduler's mode; empty if the log does not say it and nobody has given it.
    pub mode: String,
    /// The simulations under the log's own scheduler, each with its error; `None` if no job ended in both.
    pub simulations: Option<LogSimulations>,
    /// The report in sentences.
    pub sections: Vec<LogSection>,
}

/// Rules of an import, in the words of the command line; empty: as the log suggests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct LogRules {
    /// What a job is.
    pub jobs: String,
    /// What a job's user is read from.
    pub users: String,
    /// What policies know of a job's work.
    pub estimates: String,
    /// The scheduler's mode.
    pub mode: String,
    /// How much of the driver's time the scenario has.
    pub driver_time: String,
    /// How jobs arrive: `sessions` or `open`.
    pub arrivals: String,
    /// Which executors the scenario has: `recorded` or `dynamic`.
    pub executors: String,
    /// Whether several applications share all executors: `own` or `share`.
    pub share: String,
    /// The text of `fairscheduler.xml`.
    pub pools: String,
}

/// A log by its number, and the rules to import it by.
pub type LogImport = (usize, LogRules);

impl LogRules {
    /// Those of the recorded run that the page has with it. It is there to be retold, so each stage has its own driver
    /// time.
    pub fn recording() -> LogRules {
        LogRules { driver_time: DriverTime::Stage.to_string(), ..LogRules::default() }
    }
}

impl ReadLog {
    /// Users that stand for the jobs of which the log does not say whose they are.
    fn nobody(&self) -> Vec<UserId> {
        let users = (0..).map(UserId).zip(self.analysis.scenario.users());
        let is_nobody = |name: &String| name == NOBODY || self.report.unnamed.contains(name);
        users.filter(|(_, user)| is_nobody(&user.name)).map(|(user, _)| user).collect()
    }
}

impl ImportedLog {
    /// A log that the page has read, of a cluster that ran with that policy.
    pub fn new(read: ReadLog, ran_with: PolicyId) -> ImportedLog {
        let simulation = read.report.simulations.as_ref().map(|both| &both.scenario);
        let known = LinkedLog {
            ran_with,
            observed: read.analysis.summary.by_user.clone(),
            simulation: simulation
                .map(|one| LinkedSimulation { error: one.error(), means: one.means().to_vec() }),
            nobody: read.nobody(),
            // What is simulated is a what-if then: the log says nothing of one shared application.
            changed: read.rules.share == "share",
        };
        ImportedLog { known, scenario: read.analysis.simulated.clone(), read: Some(read) }
    }

    /// A log that a link speaks of, with the link's scenario.
    pub fn linked(known: LinkedLog, scenario: Shared<Scenario>) -> ImportedLog {
        ImportedLog { known, scenario, read: None }
    }

    /// What a link to a scenario says of its log.
    pub fn link(&self, scenario: &Scenario) -> LinkedLog {
        LinkedLog { changed: !self.is_unchanged(scenario), ..self.known.clone() }
    }

    /// The recorded schedule of a scenario as a run of a revision: there is nothing to simulate. `None` if the page
    /// does not have it, or if the scenario is another one.
    pub(super) fn run(&self, scenario: &Scenario, revision: u32) -> Option<Run> {
        let read = self.read.as_ref().filter(|_| self.recorded(scenario))?;
        Some(Run { analysis: Some(read.analysis.clone()), shown: revision, phase: RunPhase::Settled })
    }

    /// The scenario with the log's cluster and pools.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// The log and its rules, if the page has read it.
    pub fn import(&self) -> Option<LogImport> {
        self.read.as_ref().map(|read| (read.number, read.rules.clone()))
    }

    /// The log and its rules, if its pools are unknown: if they matter, and no file has declared them.
    pub fn without_pools(&self) -> Option<LogImport> {
        let read = self.read.as_ref()?;
        let is_unknown = read.rules.pools.is_empty() && read.report.mode != "fifo";
        is_unknown.then(|| self.import()).flatten()
    }

    /// Whether a scenario has the log's users and jobs, so that its schedules are compared with the log's. Users' weights
    /// are part of a what-if.
    pub(super) fn matches_jobs_of(&self, scenario: &Scenario) -> bool {
        let names = |scenario: &Scenario| -> Vec<String> {
            scenario.users().iter().map(|user| user.name.clone()).collect()
        };
        self.scenario.jobs() == scenario.jobs() && names(&self.scenario) == names(scenario)
    }

    /// Whether the log recorded a schedule of this scenario too: it has the log's jobs, users and cluster.
    fn recorded(&self, scenario: &Scenario) -> bool {
        let own = &self.scenario;
        self.matches_jobs_of(scenario)
            && own.users() == scenario.users()
            && own.cluster() == scenario.cluster()
    }

    /// Whether a scenario is that of the log, with its scheduler.
    pub fn is_unchanged(&self, scenario: &Scenario) -> bool {
        !self.known.changed && self.recorded(scenario) && self.scenario.parameters() == scenario.parameters()
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::results::codec::observed_here;
    use crate::store::{Action, Document, DocumentAction, JobChoice, PlaybackAction, State, ViewAction};
    use crate::testing::{policy, scenario};
    use fairlane::ids::JobId;
    use fairlane::policy::OBSERVED;
    use fairlane::scenario::edit::{Edit, ObjectPath, Shift};
    use fairlane::units::{Time, Weight};
    use fairlane_view::TimeAxis;
    use fairlane_view::link::Origin;

    /// A page with a log, whose schedule is FIFO's.
    fn page() -> State {
        let (scenario, fifo) = (Shared::new(scenario("two-users")), policy("fifo"));
        let mut trace = fairlane::simulate(&scenario, fifo);
        trace.policy = OBSERVED;
        let analysis = observed_here(&scenario, trace);
        let rules = LogRules::default();
        let report = LogReport::default();
        let log = ImportedLog::new(ReadLog { number: 0, rules, analysis, report, ties: [0; 2] }, fifo);
        let mut document = Document::new((*scenario).clone(), Origin::File("app.zstd".to_owned()));
        document.log = Some(Rc::new(log));
        State::new(Shared::new(Document::blank())).reduce(DocumentAction::Open(Shared::new(document)))
    }

    #[test]
    fn a_log_is_shown_beside_the_simulation_of_its_scheduler() {
        let page = page();
        let titles: Vec<String> = page.panels().into_iter().map(PolicyId::title).collect();
        assert_eq!(titles, ["As it ran", "FIFO", "UWFQ", "UWFQ-P"]);
        let (one, other) = page.compared().expect("two schedules");
        assert_eq!((one.title(), other.title()), ("As it ran".to_owned(), "FIFO".to_owned()));
        assert_eq!(page.runs[&OBSERVED].phase, RunPhase::Settled);
        // Nothing simulates it, and nothing saves it.
        assert!(!page.view.policies.contains(&OBSERVED));
        assert_eq!(page.session().view.policies, page.view.policies);
        let analysis = page.runs[&OBSERVED].analysis.as_ref().expect("a schedule");
        assert!(analysis.extras.as_ref().is_some_and(|extras| extras.checks.is_ok()));
        assert_eq!(
            analysis.ranked_queue(fairlane::replay::ReplayPoint::Dispatch(0), 1),
            None,
            "nothing says why"
        );
        assert_eq!(analysis.waiting(), fairlane::metrics::waiting(&analysis.scenario, &analysis.trace));
    }

    #[test]
    fn a_weight_is_a_what_if_that_keeps_what_is_known_of_the_log() {
        let weight = Edit::Set { of: ObjectPath::User(UserId(0)), field: "weight".into(), value: 3.into() };
        let heavier = page().reduce(DocumentAction::Edit(weight));
        assert!(heavier.document.log.is_some() && !heavier.document.left_log);
        assert!(
            !heavier.document.log.as_ref().is_some_and(|log| log.is_unchanged(&heavier.document.scenario))
        );
        let other = Edit::AddUser { name: "eve".to_owned(), weight: Weight::ONE };
        assert!(
            page().reduce(DocumentAction::Edit(other)).document.log.is_none(),
            "the log knows nothing of a user more"
        );
    }

    /// What has become of a log of these jobs and those of another scenario.
    fn grown(page: &State, rules: LogRules) -> Action {
        let (scenario, fifo) = (Shared::new(scenario("skew")), policy("fifo"));
        let mut trace = fairlane::simulate(&scenario, fifo);
        trace.policy = OBSERVED;
        let analysis = observed_here(&scenario, trace);
        let read = ReadLog { number: 0, rules, analysis, report: LogReport::default(), ties: [0; 2] };
        let log = ImportedLog::new(read, fifo);
        let mut document = Document::new((*scenario).clone(), page.document.origin.clone());
        document.log = Some(Rc::new(log));
        Action::Document(DocumentAction::Open(Shared::new(document)))
    }

    #[test]
    fn what_is_shown_of_a_log_stays_while_it_grows() {
        let at = Time(300_000);
        let window = Some(TimeAxis { from: Time(100_000), to: Time(900_000) });
        let page = page()
            .reduce(ViewAction::Toggle(policy("fair")))
            .reduce(PlaybackAction::Seek(at))
            .reduce(ViewAction::Zoom(window))
            .reduce(ViewAction::Choose(JobId(0), JobChoice::Only));
        let view = page.view.clone();
        assert_eq!((view.playhead, view.window), (at, window));
        let longer = page.reduce(grown(&page, LogRules::default()));
        assert_eq!(longer.view, view, "playhead, window, policies, jobs and the rest");
        assert!(longer.document.log.is_some() && *longer.document.scenario != *page.document.scenario);
        assert_eq!(longer.runs[&OBSERVED].phase, RunPhase::Settled);
        assert_eq!(longer.runs[&policy("fair")].phase, RunPhase::Pending(0.0));
        assert_eq!(longer.history, page.history, "no step");
        // By other rules, or once the reader has made it a scenario of their own, it is another document.
        let by_pools = LogRules { users: "pool".to_owned(), ..LogRules::default() };
        assert_eq!(page.reduce(grown(&page, by_pools)).view.window, None);
        let edited = page.reduce(DocumentAction::Edit(Edit::set(ObjectPath::Cluster, "executors", 7)));
        assert_eq!(edited.document.unchanged_log(), None);
        assert_eq!(edited.reduce(grown(&page, LogRules::default())).view.window, None);
    }

    #[test]
    fn a_recorded_schedule_is_not_compared_with_other_jobs() {
        let page = page();
        let named = page.reduce(DocumentAction::Edit(Edit::set(ObjectPath::Scenario, "name", "Monday")));
        assert!(named.runs.contains_key(&OBSERVED), "a title changes no job");
        let moved = Edit::Move { jobs: vec![JobId(0)], by: Shift(700_000), lanes: 0 };
        let moved = named.reduce(DocumentAction::Edit(moved));
        assert!(!moved.runs.contains_key(&OBSERVED) && moved.document.log.is_none());
        let back = moved.reduce(DocumentAction::Undo);
        assert_eq!(back.runs[&OBSERVED].phase, RunPhase::Settled);
        // On another cluster the log is still what its jobs are compared with.
        let larger = named.reduce(DocumentAction::Edit(Edit::set(ObjectPath::Cluster, "executors", 7)));
        assert!(!larger.runs.contains_key(&OBSERVED));
        let log = larger.document.log.as_ref().expect("a log");
        let unchanged = |state: &State| log.is_unchanged(&state.document.scenario);
        assert_eq!((unchanged(&larger), unchanged(&named)), (false, true));
    }
}
