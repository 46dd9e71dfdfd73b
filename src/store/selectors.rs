//! What the panels show, derived from the state: colours by number, marked tasks, lengths of blocks.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use yew::{Classes, classes};

use crate::results::codec::Analysis;
use crate::results::shared::Shared;
use crate::store::{Colouring, Mark, Motion, State};
use fairlane::ids::JobId;
use fairlane::number;
use fairlane::policy::{PolicyGroup, PolicyId};
use fairlane::scenario::{PartitionMode, Scenario};
use fairlane::trace::{Difference, MovedTasks};
use fairlane::units::{MAX_MICROS, Span, Time};
use fairlane_view::chips;
pub use fairlane_view::hue::{HUES, Hue, SHADED_USERS, hue_of, job_hues, user_hue};

/// Hues of jobs and stages, which cycle.
const CYCLING_HUES: usize = 10;

/// A colour by number for a job or a stage of its own. It is no user's, as long as there are enough for all.
pub fn cycling_hue(number: usize, scenario: &Scenario) -> Hue {
    hue_beyond(scenario.highest_colour() as usize, number)
}

/// A colour by number, after the given number of users' colours.
fn hue_beyond(users: usize, number: usize) -> Hue {
    let first = users.clamp(CYCLING_HUES, HUES - CYCLING_HUES);
    Hue { hue: number % CYCLING_HUES + first + 1, shade: number / CYCLING_HUES % 2 }
}

/// Each job's colour in the lanes, by index in the file: as in the schedules, where those are not coloured by stage.
pub fn block_hues(scenario: &Scenario, colouring: Colouring) -> Vec<Hue> {
    match colouring {
        Colouring::User | Colouring::Stage => job_hues(scenario),
        Colouring::Job => {
            let users = scenario.highest_colour() as usize;
            (0..scenario.jobs().len()).map(|job| hue_beyond(users, job)).collect()
        }
    }
}

/// The colour of a stage's tasks beside the schedules, whose users' jobs alternate their shades.
pub fn stage_hue(scenario: &Scenario, colouring: Colouring, job: JobId, stage: u32) -> Hue {
    match colouring {
        Colouring::User => Hue { hue: user_hue(scenario, scenario.jobs()[job.index()].user), shade: 0 },
        Colouring::Job => cycling_hue(job.index(), scenario),
        Colouring::Stage => cycling_hue(stage as usize, scenario),
    }
}

/// The classes of a colour in the stylesheet.
pub fn hue_classes(Hue { hue, shade }: Hue) -> Classes {
    classes!(format!("hue-{hue}"), (shade == 1).then_some("alt"))
}

/// A policy's colour in charts, under both partitionings.
pub fn policy_hue(policy: PolicyId) -> Hue {
    hue_beyond(0, policy.kind.info().look)
}

/// The colours of a chart by number, at most half of what a chart can show: the other half is the same, faded.
pub fn chart_colours(scenario: &Scenario, colouring: Colouring) -> Vec<Hue> {
    match colouring {
        Colouring::User if scenario.highest_colour() as usize > SHADED_USERS => {
            (1..=HUES).map(|hue| Hue { hue, shade: 0 }).collect()
        }
        Colouring::User => {
            (1..=SHADED_USERS).flat_map(|hue| [0, 1].map(|shade| Hue { hue, shade })).collect()
        }
        Colouring::Job | Colouring::Stage => {
            (0..2 * CYCLING_HUES).map(|number| cycling_hue(number, scenario)).collect()
        }
    }
}

/// What is shown instead of figures while there is no schedule.
pub fn no_schedule(state: &State) -> &'static str {
    match state.is_settled() {
        true => "No schedule could be simulated; the panels say why.",
        false => "Simulating…",
    }
}

/// Describes a chart to screen readers; while the future is hidden, without what it would give away.
pub fn aria_label(policy: PolicyId, analysis: &Analysis, until: Option<Time>) -> String {
    let what = format!("Gantt chart of {} cores under {}", analysis.trace.cores, policy.title());
    if until.is_some() {
        return format!("{what}; what follows the playhead is hidden");
    }
    format!(
        "{what}: {} tasks, the last ends at {}; {}",
        analysis.trace.tasks.len(),
        number::about(analysis.end),
        analysis.summary.mean_response_in_words(),
    )
}

/// The tasks to be marked in the two compared charts, by index in the trace.
pub fn moved(
    state: &State,
    difference: Option<&Shared<Difference>>,
) -> BTreeMap<PolicyId, Shared<Vec<usize>>> {
    let tasks = |list: &[u32]| Shared::new(list.iter().map(|&task| task as usize).collect::<Vec<_>>());
    match (state.compared(), difference.map(|difference| &difference.moved)) {
        (Some((one, other)), Some(MovedTasks::Tasks { first, second })) => {
            [(one, tasks(first)), (other, tasks(second))].into()
        }
        _ => BTreeMap::new(),
    }
}

/// The jobs whose deadlines are plotted: the chosen ones, or else a few from all over the schedule.
pub fn plotted(chosen: &BTreeSet<JobId>, analysis: &Analysis, most: usize) -> Vec<JobId> {
    let jobs = analysis.trace.jobs.len();
    match chosen.is_empty() {
        true => {
            let order = analysis.trace.arrival_order();
            order.into_iter().step_by(jobs.div_ceil(most).max(1)).collect()
        }
        false => chosen.iter().copied().filter(|job| job.index() < jobs).collect(),
    }
}

/// What the stylesheet needs of the playhead, and whether that is out of the window.
pub fn playhead_style(state: &State) -> (String, bool) {
    let (axis, at) = (state.axis(), state.view.playhead);
    let fraction = axis.fraction(at);
    (format!("--at:{fraction};--now:\"{}\"", axis.label(at)), !(0.0..=1.0).contains(&fraction))
}

/// The longest mean response of a user under any policy, in seconds; 0 while nothing is known.
pub fn longest_mean(state: &State) -> f64 {
    let means = state.analyses().flat_map(|(_, analysis)| analysis.summary.by_user.iter().flatten());
    means.copied().fold(0.0, f64::max)
}

/// Policies whose schedules are those of an earlier one, task for task, each with the first such policy.
pub fn identical(analyses: &[(PolicyId, Shared<Analysis>)]) -> BTreeMap<PolicyId, PolicyId> {
    let mut firsts: Vec<&(PolicyId, Shared<Analysis>)> = Vec::new();
    let mut identical = BTreeMap::new();
    for run in analyses {
        let (policy, analysis) = run;
        let same = |(_, first): &&&(PolicyId, Shared<Analysis>)| {
            let (one, other) = (&first.trace, &analysis.trace);
            first.simulated == analysis.simulated && one.jobs == other.jobs && one.tasks == other.tasks
        };
        match firsts.iter().find(same) {
            Some((first, _)) => {
                identical.insert(*policy, *first);
            }
            None => firsts.push(run),
        }
    }
    identical
}

/// The schedules that are there, in the order of their panels.
pub fn schedules(state: &State) -> Vec<(PolicyId, Shared<Analysis>)> {
    let analysis = |policy: PolicyId| Some((policy, state.runs.get(&policy)?.analysis.clone()?));
    state.panels().into_iter().filter_map(analysis).collect()
}

/// What a panel shows besides its policy's own schedule.
#[derive(Clone, Debug, PartialEq)]
pub struct PanelFacts {
    /// The policy whose panel it is.
    pub policy: PolicyId,
    /// Whether it is the first with a schedule.
    pub first: bool,
    /// The instant at which the waiting stages are shown.
    pub waiting_at: Time,
    /// While the future is hidden, the instant up to which jobs count.
    pub until: Option<Time>,
    /// The schedule at the start of the drag under way, once another one is shown.
    pub before: Option<Shared<Analysis>>,
    /// Until there is a schedule, that of another panel.
    pub neighbour: Option<Shared<Analysis>>,
    /// An earlier panel that shows the same schedule, task for task.
    pub duplicate_of: Option<PolicyId>,
    /// Whether the reader has asked to see both.
    pub unmerged: bool,
    /// Policies with the same schedule that are merged into this panel.
    pub merged: Vec<PolicyId>,
    /// The task that answers a prediction, by index in the trace.
    pub launched: Option<usize>,
    /// The text of a program that the reader has not let run.
    pub unapproved: Option<Rc<str>>,
}

/// The panels, without those that are merged into another one. `settled_state` is the state before a drag, `identical` what
/// [`identical`] says of it.
pub fn panels(
    state: &State,
    settled_state: &State,
    identical: &BTreeMap<PolicyId, PolicyId>,
) -> Vec<PanelFacts> {
    let panels = state.panels();
    let analysis = |policy: PolicyId| state.runs.get(&policy)?.analysis.clone();
    // Whoever guesses is not told that two come out alike.
    let is_hidden = state.future().is_hidden();
    // A lesson, a question, a prediction or a mark may be about one of them alone.
    let is_shown = |policy: PolicyId| {
        is_hidden
            || state.view.unmerged.contains(&policy)
            || state.lessons.tour.is_some()
            || state.marks().contains(&Mark::Inversion)
            || state.question.is_some_and(|(asked, _)| asked == policy)
            || state.predict.as_ref().is_some_and(|quiz| quiz.policy == policy)
    };
    let merged = |policy: PolicyId| identical.contains_key(&policy) && !is_shown(policy);
    let first = panels.iter().copied().find(|&policy| analysis(policy).is_some());
    let shown = panels.iter().copied().filter(|&policy| !merged(policy));
    let facts = |(index, policy): (usize, PolicyId)| {
        let waiting_at = waiting_at(state, index);
        let now = analysis(policy);
        let before = settled_state.runs.get(&policy).and_then(|run| run.analysis.clone());
        let neighbour = || panels.iter().find_map(|&policy| analysis(policy));
        let same = identical.iter().filter(|&(&other, &first)| first == policy && merged(other));
        PanelFacts {
            policy,
            first: first == Some(policy),
            waiting_at,
            until: state.shows_figures_so_far().then_some(waiting_at),
            merged: same.map(|(&other, _)| other).collect(),
            launched: state.predict.as_ref().and_then(|quiz| quiz.launched(policy)),
            duplicate_of: identical.get(&policy).copied().filter(|_| !is_hidden),
            unmerged: state.view.unmerged.contains(&policy),
            unapproved: state.unapproved(policy.kind).map(Rc::from),
            neighbour: if now.is_none() { neighbour() } else { None },
            before: before.filter(|before| state.drag.is_some() && now.as_ref() != Some(before)),
        }
    };
    shown.enumerate().map(facts).collect()
}

/// Response times alone on the idle cluster: under a policy that divides no stage further and gives a job all cores, if
/// one is ticked, so that no other policy changes the length of a block; best one under which all jobs finish alone.
/// While the jobs change, an older run's times serve, best of as many jobs: lanes keep their heights.
pub fn alone(state: &State) -> Option<&[Option<Span>]> {
    let jobs = state.document.scenario.jobs().len();
    let key = |(policy, analysis): &(PolicyId, &Shared<Analysis>)| {
        let gives_all = matches!(policy.kind.info().group, PolicyGroup::Spark | PolicyGroup::VirtualTime);
        let finish = analysis.alone.iter().all(Option::is_some);
        let is_usual = policy.partitioning == PartitionMode::Default && gives_all;
        (analysis.alone.len() != jobs, !finish, !is_usual)
    };
    state.analyses().min_by_key(key).map(|(_, analysis)| analysis.alone.as_slice())
}

/// Real seconds between two pictures of what waits, while a schedule plays.
const BEAT_S: f64 = 0.2;

/// The instant at which the waiting stages are shown beside a panel: the playhead, or while the schedule plays the last
/// of a few instants a second, another for each panel.
fn waiting_at(state: &State, panel: usize) -> Time {
    match state.playback.motion {
        Motion::Paused => state.view.playhead,
        Motion::Playing => {
            let step = ((state.simulated_per_second() * BEAT_S * 1e6) as u64).min(MAX_MICROS);
            chips::beat(state.view.playhead, step, panel, state.runs.len())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{DisplayQuestion, ViewAction};
    use crate::testing::{page, policy, settled};
    use fairlane::ids::UserId;
    use fairlane_view::gantt::MAX_COLOURS;

    fn scenario(users: usize) -> Scenario {
        let job = |user| format!(r#"{{"user":"u{user}","arrival_s":0,"stages":[{{"work_s":1}}]}}"#);
        let jobs: Vec<String> = (0..users).flat_map(|user| [job(user), job(user)]).collect();
        let text = format!(r#"{{"format":"fairlane/scenario@1","jobs":[{}]}}"#, jobs.join(","));
        Scenario::from_json(&text).expect("a good scenario")
    }

    #[test]
    fn no_ticked_policy_changes_the_length_of_a_block() {
        let one = settled(page("skew").reduce(ViewAction::Policies([policy("uwfq")].into())));
        let more = ["uwfq-p", "decima", "justice", "fifo"].map(policy);
        let more =
            settled(one.reduce(ViewAction::Policies([policy("uwfq")].into_iter().chain(more).collect())));
        assert_eq!(alone(&one), alone(&more));
        assert!(alone(&one).is_some_and(|alone| alone.iter().all(Option::is_some)));
    }

    #[test]
    fn no_two_of_thirty_users_share_a_colour() {
        for users in [3, 11, 16, 17, 30] {
            let scenario = scenario(users);
            let hues = job_hues(&scenario);
            for (index, hue) in hues.iter().enumerate() {
                let others = hues
                    .iter()
                    .enumerate()
                    .filter(|(other, _)| scenario.jobs()[*other].user != scenario.jobs()[index].user);
                assert!(others.into_iter().all(|(_, other)| other.hue != hue.hue), "{users} users");
            }
            let colours = chart_colours(&scenario, Colouring::User);
            assert!(hues.iter().all(|hue| colours.contains(hue)));
            assert!(2 * colours.len() <= MAX_COLOURS);
        }
    }

    #[test]
    fn jobs_and_stages_have_no_users_colour() {
        let catalog = fairlane::catalog::ENTRIES.iter().map(|entry| entry.scenario());
        for scenario in catalog.chain([scenario(10), scenario(11), scenario(22)]) {
            let users = scenario.users().len();
            let of_users: Vec<usize> =
                (0..users as u32).map(|user| user_hue(&scenario, UserId(user))).collect();
            for colouring in [Colouring::Job, Colouring::Stage] {
                let colours = chart_colours(&scenario, colouring);
                let own = |colour: &Hue| !of_users.contains(&colour.hue) || users > HUES - CYCLING_HUES;
                assert!(colours.iter().all(own), "{} users: {colours:?}", users);
                let known = |number| colours.contains(&cycling_hue(number, &scenario));
                assert!((0..scenario.jobs().len()).all(known));
            }
        }
    }

    #[test]
    fn policies_have_colours_of_their_own() {
        for entry in fairlane::catalog::ENTRIES.iter() {
            let policies = fairlane::catalog::suggested(entry);
            let hues: BTreeMap<_, _> =
                policies.iter().map(|policy| (policy.kind, policy_hue(*policy))).collect();
            let hues: Vec<Hue> = hues.into_values().collect();
            let differ = hues.iter().enumerate().all(|(index, hue)| !hues[..index].contains(hue));
            assert!(differ && hues.iter().all(|hue| hue.hue > CYCLING_HUES), "{}: {hues:?}", entry.name);
        }
    }

    #[test]
    fn policies_with_one_schedule_share_a_panel_but_for_what_is_about_one_of_them() {
        let state = settled(page("two-users"));
        let runs: Vec<_> = state.analyses().map(|(policy, analysis)| (policy, analysis.clone())).collect();
        let identical = identical(&runs);
        assert_eq!(identical, [(policy("cfq"), policy("fifo"))].into());
        let shown = |state: &State| {
            panels(state, state, &identical).iter().any(|facts| facts.policy == policy("cfq"))
        };
        assert!(!shown(&state));
        assert!(shown(&state.reduce(ViewAction::Fold(policy("cfq")))), "apart");
        assert!(shown(&state.reduce(ViewAction::MarkToggle(Mark::Inversion))), "its inversions are its own");
        assert!(shown(&state.reduce(ViewAction::Ask(policy("cfq"), DisplayQuestion::Playhead))));
    }
}
