//! What follows from the state: the axis, the instants beside the playhead, what is compared.

use super::{
    Card, Direction, DisplayQuestion, Future, FutureWish, HidingSwitch, Motion, Playback, Poll, Quiz,
    REVEAL_S, RunPhase, State, Tab, View, WHOLE_S,
};
use crate::results::codec::Analysis;
use crate::results::shared::Shared;
use fairlane::ids::JobId;
use fairlane::policy::{PolicyGroup, PolicyId};
use fairlane::trace::{self, Difference};
use fairlane::units::{MAX_MICROS, Time};
use fairlane_study::lesson::document::GuessState;
use fairlane_view::TimeAxis;

impl State {
    /// The same but for the playhead: for what shows whole schedules.
    pub fn without_playhead(&self) -> State {
        let view = View { playhead: Time::ZERO, ..self.view.clone() };
        let playback = Playback { motion: Motion::Paused, played: false, reveal: None, ..self.playback };
        State { view, playback, ..self.clone() }
    }

    /// The two policies that are compared: the chosen ones, or else the first two ticked.
    pub fn compared(&self) -> Option<(PolicyId, PolicyId)> {
        let ticked = |policy: &PolicyId| self.runs.contains_key(policy);
        let asked = self.pair.filter(|(one, other)| ticked(one) && ticked(other));
        let mut policies = self.runs.keys().copied();
        asked.or_else(|| Some((policies.next()?, policies.next()?)))
    }

    /// How the second of the compared schedules differs from the first, once both are of the same document.
    pub fn difference(&self) -> Option<Difference> {
        let (one, other) = self.compared()?;
        let (one, other) = (self.runs.get(&one)?, self.runs.get(&other)?);
        if one.shown != other.shown {
            return None;
        }
        trace::difference(&one.analysis.as_ref()?.trace, &other.analysis.as_ref()?.trace).ok()
    }

    /// The policy that is asked and what, or the first one about the playhead; `None` if no policy is ticked.
    pub fn asked(&self) -> Option<(PolicyId, DisplayQuestion)> {
        let first = || self.runs.keys().next().map(|&policy| (policy, DisplayQuestion::Playhead));
        self.question.filter(|(policy, _)| self.runs.contains_key(policy)).or_else(first)
    }

    /// The task of a policy's schedule whose launch is explained at the side, by index in the trace.
    pub fn asked_task(&self, policy: PolicyId) -> Option<usize> {
        match self.question {
            Some((asked, DisplayQuestion::Dispatch(task)))
                if asked == policy && matches!(self.view.tab, Tab::Inspector(_)) =>
            {
                Some(task)
            }
            _ => None,
        }
    }

    /// The analyses that are there, in the order of their panels.
    pub fn analyses(&self) -> impl Iterator<Item = (PolicyId, &Shared<Analysis>)> {
        self.runs.iter().filter_map(|(&policy, run)| run.analysis.as_ref().map(|analysis| (policy, analysis)))
    }

    /// The analyses of the document as it is now.
    pub fn current_analyses(&self) -> impl Iterator<Item = (PolicyId, &Shared<Analysis>)> {
        self.analyses().filter(|(_, analysis)| analysis.simulated == self.document.scenario)
    }

    /// The last instant at which anything happens under any ticked policy; while nothing is known yet, when all work would
    /// be done at the earliest.
    pub fn end(&self) -> Time {
        let known = self.analyses().map(|(_, analysis)| analysis.end).max();
        known.map_or_else(|| self.earliest_end(), |end| end.max(self.last_arrival()))
    }

    fn last_arrival(&self) -> Time {
        let jobs = self.document.scenario.jobs().iter();
        jobs.map(|job| job.arrival).max().unwrap_or_default()
    }

    /// When all work would be done at the earliest, if each job could use all cores from its arrival on.
    fn earliest_end(&self) -> Time {
        let scenario = &self.document.scenario;
        let mut jobs: Vec<_> = scenario.jobs().iter().map(|job| (job.arrival, job.work().0)).collect();
        jobs.sort_unstable();
        // In core-microseconds, as a job may be a fraction of a microsecond long.
        let cores = u128::from(scenario.cluster().cores());
        let done = |done: u128, (arrival, work): (Time, u64)| {
            done.max(u128::from(arrival.0) * cores) + u128::from(work)
        };
        Time((jobs.into_iter().fold(0, done) / cores).min(u128::from(MAX_MICROS)) as u64)
    }

    /// The end of the axis that shows everything. While what follows is hidden it says nothing of when a schedule ends;
    /// and it is the same once that is shown.
    pub fn axis_end(&self) -> Time {
        match (self.playback.hidden_end, self.future().is_hidden()) {
            (Some(kept), true) => kept,
            (None, true) => self.hidden_axis_end(),
            (kept, false) => self.end().max(kept.unwrap_or_default()),
        }
    }

    /// Whether the axis is longer than what is shown needs, as more was hidden before.
    pub fn has_room(&self) -> bool {
        !self.future().is_hidden() && self.axis_end() > self.end()
    }

    /// The end of an axis that is known from the scenario's work. Where that does not reach, as behind a straggler, it
    /// grows by halves, so that it says no more of an end than that.
    pub(super) fn hidden_axis_end(&self) -> Time {
        let (mut end, needed) = (self.expected_axis_end().0, self.needed_axis_end().0);
        while end < needed {
            end = end.saturating_add(end / 2).saturating_add(1);
        }
        Time(end)
    }

    /// The end of an axis that suits the scenario's work, a quarter longer than that takes at least.
    pub(super) fn expected_axis_end(&self) -> Time {
        let least = self.earliest_end().0;
        Time(least.saturating_add(least / 4))
    }

    /// The end of the shortest axis on which everything is to be seen, and the playhead.
    pub(super) fn needed_axis_end(&self) -> Time {
        let known = self.current_analyses().map(|(_, analysis)| analysis.end).max().unwrap_or_default();
        known.max(Time(self.view.playhead.0.saturating_add(1)))
    }

    /// The axis that all panels share.
    pub fn axis(&self) -> TimeAxis {
        let dragged = self.drag.as_ref().map(|drag| drag.axis);
        self.view.window.or(dragged).unwrap_or_else(|| self.whole())
    }

    /// The axis that shows everything.
    pub fn whole(&self) -> TimeAxis {
        TimeAxis::whole(self.axis_end())
    }

    /// The chosen job, if it is one alone.
    pub fn chosen_job(&self) -> Option<JobId> {
        let mut chosen = self.view.chosen.iter();
        chosen.next().copied().filter(|_| chosen.next().is_none())
    }

    /// How much of the schedules beyond the playhead is shown: as the reader has chosen, or else all of it but while
    /// the schedule is played and in lessons. A question that a lesson asks hides it entirely, and so do predictions and
    /// questions to a class.
    pub fn future(&self) -> Future {
        let tour = self.lessons.tour.as_ref().filter(|tour| !matches!(tour.card, Card::Over(_)));
        let asks = |tour: &&super::ActiveLesson| tour.at.asks() && tour.guess_state() == GuessState::Open;
        let in_lesson = tour.is_some() && self.view.playhead > Time::ZERO;
        let plays = self.playback.motion == Motion::Playing || self.playback.played;
        match self.playback.wish {
            _ if self.predict.as_ref().is_some_and(Quiz::is_open) => Future::Secret,
            _ if self.poll.as_ref().is_some_and(Poll::is_open) => Future::Secret,
            FutureWish::Shown => Future::Shown,
            _ if tour.as_ref().is_some_and(asks) => Future::Secret,
            // Everything has happened at the end.
            FutureWish::Unsaid if plays || in_lesson => Future::Ghost,
            FutureWish::Unsaid => Future::Shown,
            _ if self.view.playhead >= self.end() && self.end() > Time::ZERO => Future::Shown,
            FutureWish::Hidden | FutureWish::Guess => Future::Hidden,
        }
    }

    /// What the switch *hide the future* stands at.
    pub fn hiding_switch(&self) -> HidingSwitch {
        match (self.playback.wish, self.future()) {
            (FutureWish::Hidden, _) | (_, Future::Hidden | Future::Secret) => HidingSwitch::On,
            (_, Future::Ghost) => HidingSwitch::Between,
            (_, Future::Shown) => HidingSwitch::Off,
        }
    }

    /// Whether figures of the panels are of what has happened up to the playhead alone, as long as something beyond
    /// it is hidden.
    pub fn shows_figures_so_far(&self) -> bool {
        self.future() != Future::Shown && self.view.playhead < self.end()
    }

    /// The ticked policies in the order of their panels.
    pub fn panels(&self) -> Vec<PolicyId> {
        let moved = self.view.order.iter().filter(|policy| self.runs.contains_key(policy));
        let others = self.runs.keys().filter(|policy| !self.view.order.contains(policy));
        moved.chain(others).copied().collect()
    }

    /// The policies with virtual time, in the order of their panels.
    pub fn with_virtual_time(&self) -> Vec<PolicyId> {
        let panels = self.panels().into_iter();
        panels.filter(|policy| policy.kind.info().group == PolicyGroup::VirtualTime).collect()
    }

    /// The policy whose virtual time is shown below the ideal: the chosen one, or another one while that is not ticked.
    pub fn shown_virtual_time(&self) -> Option<PolicyId> {
        let with = self.with_virtual_time();
        let chosen = self.view.virtual_time?;
        with.iter().find(|&&policy| policy == chosen).or(with.last()).copied()
    }

    pub(super) fn move_panel(&mut self, policy: PolicyId, direction: Direction) {
        let mut panels = self.panels();
        let Some(from) = panels.iter().position(|&other| other == policy) else { return };
        let to = match direction {
            Direction::Back => from.checked_sub(1),
            Direction::Forward => Some(from + 1).filter(|&to| to < panels.len()),
        };
        if let Some(to) = to {
            panels.swap(from, to);
            self.view.order = panels;
        }
    }

    /// Simulated seconds that a real second shows.
    pub fn simulated_per_second(&self) -> f64 {
        match self.playback.reveal {
            Some(part) => part.to.since(part.from).seconds() / REVEAL_S,
            None => self.playback.speed.unwrap_or_else(|| (self.end().seconds() / WHOLE_S).max(1e-6)),
        }
    }

    /// The nearest event of any ticked policy before or after the playhead.
    pub(super) fn event_beside(&self, direction: Direction) -> Option<Time> {
        self.nearest(direction, |analysis| match direction {
            Direction::Back => analysis.previous_instant(self.view.playhead),
            Direction::Forward => analysis.next_instant(self.view.playhead),
        })
    }

    /// The nearest launch of a task of a chosen job before or after the playhead.
    pub(super) fn launch_beside(&self, direction: Direction) -> Option<Time> {
        self.nearest(direction, |analysis| {
            let launches = analysis.trace.tasks.iter().filter(|run| self.view.chosen.contains(&run.job));
            // Launches are in the order of time.
            let mut times = launches.map(|run| run.start);
            match direction {
                Direction::Back => times.take_while(|&time| time < self.view.playhead).last(),
                Direction::Forward => times.find(|&time| time > self.view.playhead),
            }
        })
    }

    pub(super) fn next_finish(&self) -> Option<Time> {
        let mut finishes: Vec<Time> = self
            .analyses()
            .flat_map(|(_, analysis)| {
                self.view.chosen.iter().filter_map(|job| analysis.trace.jobs.get(job.index()))
            })
            .map(|run| run.end())
            .collect();
        finishes.sort();
        finishes.iter().find(|&&time| time > self.view.playhead).or(finishes.first()).copied()
    }

    fn nearest(&self, direction: Direction, beside: impl Fn(&Analysis) -> Option<Time>) -> Option<Time> {
        let times = self.analyses().filter_map(|(_, analysis)| beside(analysis));
        match direction {
            Direction::Back => times.max(),
            Direction::Forward => times.min(),
        }
    }

    /// Whether every ticked policy's answer about this very document is there.
    pub fn is_settled(&self) -> bool {
        self.runs.values().all(|run| !matches!(run.phase, RunPhase::Pending(_)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{DocumentAction, PlaybackAction, PollAction, Predict, ViewAction};
    use crate::testing::{page, policy, settled};
    use fairlane::catalog;
    use fairlane::scenario::edit::Edit;

    /// While the future is hidden the axis is known from the scenario's work, whatever the schedules are.
    #[test]
    fn a_hidden_future_does_not_show_by_the_axis_when_it_ends() {
        let hidden = |policies: &[&str]| {
            let policies = policies.iter().map(|name| policy(name)).collect();
            let state = page("two-users").reduce(ViewAction::Policies(policies));
            settled(state.reduce(PlaybackAction::HideFuture(true)))
        };
        let [none, fair, both] = [&[][..], &["fair"], &["fair", "uwfq-p"]].map(hidden);
        assert_eq!(none.axis(), fair.axis());
        assert_eq!(fair.axis(), both.axis());
        let shown = TimeAxis::whole(fair.end());
        assert_ne!(fair.axis(), shown);
        // It reaches beyond the playhead, and is the same once they are shown, until all of them is to be seen.
        let late = fair.reduce(PlaybackAction::Seek(Time(fair.end().0 - 1)));
        assert!(late.axis().to > late.view.playhead && late.future().is_hidden());
        let revealed = fair.reduce(PlaybackAction::HideFuture(false));
        assert_eq!((revealed.axis(), revealed.has_room()), (fair.axis(), true));
        let fitted = revealed.reduce(ViewAction::Zoom(None));
        assert_eq!((fitted.axis(), fitted.has_room()), (shown, false));
        let other = revealed.reduce(DocumentAction::Open(page("skew").document));
        assert!(!other.has_room(), "another scenario has its own axis");
    }

    /// However the future is revealed, by a switch, by playing, by an answer, the ruler is the same before and after.
    #[test]
    fn the_axis_does_not_move_when_the_future_is_revealed() {
        let (mut grown, mut short) = (Vec::new(), 0);
        let entries = catalog::ENTRIES.iter().filter(|entry| entry.scenario().jobs().len() <= 500);
        for entry in entries {
            let hidden = settled(page(entry.name).reduce(PlaybackAction::HideFuture(true)));
            let shown = hidden.reduce(PlaybackAction::HideFuture(false));
            // Nor is more than half of it empty then, but behind a straggler or a long chain of stages.
            short += usize::from(2 * shown.end().0 < shown.axis().to.0);
            if shown.axis() != hidden.axis() {
                grown.push((entry.name, hidden.axis().to, shown.axis().to));
            }
            let played = hidden.reduce(PlaybackAction::Seek(hidden.end()));
            assert_eq!(played.axis(), hidden.axis(), "{}", entry.name);
            assert_eq!(
                played.reduce(PlaybackAction::Seek(Time::ZERO)).axis(),
                hidden.axis(),
                "{}",
                entry.name
            );
        }
        assert_eq!((grown, short), (Vec::new(), 0));
        let page = settled(page("two-users"));
        let (fair, ben) = (policy("fair"), JobId(12));
        let asked = page.reduce(PollAction::Ask(fair, ben));
        let answered =
            asked.reduce(PollAction::Reveal(Motion::Playing)).reduce(PlaybackAction::Tick(REVEAL_S));
        let predicting = page.reduce(Predict::Start(fair));
        let left = predicting.reduce(Predict::Leave);
        for (before, after) in [(asked, answered), (predicting, left)] {
            assert!(before.future().is_hidden() && !after.future().is_hidden());
            assert_eq!(before.axis(), after.axis());
            // It follows the work that there is.
            let fewer = settled(
                after.reduce(DocumentAction::Edit(Edit::Delete { jobs: (0..6).map(JobId).collect() })),
            );
            assert!(fewer.axis().to < after.axis().to && fewer.axis().to > fewer.end());
        }
    }
}
