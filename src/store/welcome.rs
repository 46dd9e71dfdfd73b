//! The first minute of a newcomer: two lanes and one schedule, a guess, the answer, and a fairer policy beside it.

use super::playback::FutureWish;
use super::{DisplayMode, Document, DocumentCondition, Motion, State};
use fairlane::catalog;
use fairlane::ids::{JobId, UserId};
use fairlane::policy::PolicyId;
use fairlane::units::{Span, Time};
use fairlane_view::link::Origin;

/// The policy that is guessed about, and the fairer one beside it.
const POLICIES: [&str; 2] = ["fair", "uwfq"];
/// Who asks, in the scenario with which the page opens.
const ASKER: UserId = UserId(1);
/// Where the flag of the guess stands at first: neither at the start nor near the answer.
const FIRST_GUESS: Time = Time(3_000_000);

/// How far a newcomer has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Welcome {
    step: WelcomeStep,
    /// When the newcomer expects the answer.
    pub guess: Time,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WelcomeStep {
    Start,
    Guess,
    Turns,
}

/// What a newcomer does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WelcomeAction {
    /// Goes to the first instant at which somebody has to wait.
    Begin,
    /// Moves the flag of the guess.
    Guess(Time),
    /// Sees what happens.
    See,
    /// Sees the fairer policy beside the first.
    TakeTurns,
    /// Goes on in the whole laboratory.
    Leave,
}

/// What a newcomer sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WelcomeScene {
    /// Nothing has run yet.
    Start,
    /// A flag is put where the answer is expected.
    Guess,
    /// The schedule plays.
    Playing,
    /// How long it took, and why.
    Answer,
    /// The fairer policy beside it, and an invitation.
    Turns,
    /// What the newcomer has changed, and what it did.
    Changed,
}

impl WelcomeScene {
    /// Its name in the page's markup.
    pub fn word(self) -> &'static str {
        match self {
            WelcomeScene::Start => "start",
            WelcomeScene::Guess => "guess",
            WelcomeScene::Playing => "playing",
            WelcomeScene::Answer => "answer",
            WelcomeScene::Turns => "turns",
            WelcomeScene::Changed => "changed",
        }
    }

    /// Whether the schedules have been seen to their end, so that time can be moved at will.
    pub fn is_answered(self) -> bool {
        matches!(self, WelcomeScene::Answer | WelcomeScene::Turns | WelcomeScene::Changed)
    }
}

impl State {
    /// The page as it welcomes a newcomer: one schedule of the opening scenario, of which nothing is seen yet.
    #[must_use]
    pub fn welcoming(mut self) -> State {
        self.view.policies = policies().take(1).collect();
        self.playback.wish = FutureWish::Guess;
        self.ui.welcome = Some(Welcome { step: WelcomeStep::Start, guess: FIRST_GUESS });
        self.with_runs()
    }

    /// What a newcomer sees, as long as the page is not the whole laboratory.
    pub fn welcome_scene(&self) -> Option<WelcomeScene> {
        let welcome = self.ui.welcome?;
        Some(match welcome.step {
            _ if self.document.condition == DocumentCondition::Edited => WelcomeScene::Changed,
            WelcomeStep::Start => WelcomeScene::Start,
            WelcomeStep::Turns => WelcomeScene::Turns,
            WelcomeStep::Guess if self.playback.wish != FutureWish::Guess => WelcomeScene::Answer,
            WelcomeStep::Guess if self.playback.motion == Motion::Playing => WelcomeScene::Playing,
            WelcomeStep::Guess => WelcomeScene::Guess,
        })
    }

    /// The job whose answer is guessed, while its user has one.
    pub fn welcome_job(&self) -> Option<JobId> {
        let position = self.document.scenario.jobs().iter().position(|job| job.user == ASKER)?;
        Some(JobId(position as u32))
    }

    /// How long that job takes under the policies that are shown, in their order.
    pub fn welcome_waits(&self) -> Vec<(PolicyId, Span)> {
        let Some(job) = self.welcome_job() else { return Vec::new() };
        let waits = policies().filter_map(|policy| {
            let analysis = self.runs.get(&policy)?.analysis.as_ref()?;
            Some((policy, analysis.trace.jobs.get(job.index())?.response()?))
        });
        waits.collect()
    }

    pub(super) fn welcome(&mut self, action: WelcomeAction) {
        let end = self.axis_end();
        let Some(welcome) = self.ui.welcome.as_mut() else { return };
        match action {
            WelcomeAction::Begin => {
                welcome.step = WelcomeStep::Guess;
                self.view.playhead = self.first_decision();
            }
            WelcomeAction::Guess(guess) => welcome.guess = guess.min(end),
            WelcomeAction::See if self.playback.motion == Motion::Paused => self.play_or_pause(),
            WelcomeAction::See => {}
            WelcomeAction::TakeTurns => {
                welcome.step = WelcomeStep::Turns;
                self.answer();
                self.view.policies.extend(policies());
            }
            WelcomeAction::Leave => self.leave_welcome(),
        }
    }

    /// Ends the welcome where the page shows something else than it speaks of.
    pub(super) fn welcome_or_work(&mut self) {
        let is_elsewhere = !shows_opening(&self.document)
            || self.view.mode == DisplayMode::Present
            || self.predict.is_some()
            || self.poll.is_some();
        match self.ui.welcome {
            // What a lesson shows is its own.
            Some(_) if self.lessons.tour.is_some() => {
                self.ui.welcome = None;
                self.answer();
            }
            Some(_) if is_elsewhere => self.leave_welcome(),
            _ => {}
        }
    }

    fn leave_welcome(&mut self) {
        self.ui.welcome = None;
        self.answer();
        if shows_opening(&self.document) {
            self.view.policies.extend(policies());
        }
    }

    /// The first instant at which a core is free again and the job that asks waits for it.
    fn first_decision(&self) -> Time {
        let Some(job) = self.welcome_job() else { return Time::ZERO };
        let arrival = self.document.scenario.jobs()[job.index()].arrival;
        let tasks = self.analyses().next().into_iter().flat_map(|(_, analysis)| &analysis.trace.tasks);
        tasks.map(|task| task.end).filter(|end| *end > arrival).min().unwrap_or(arrival)
    }
}

fn policies() -> impl Iterator<Item = PolicyId> {
    POLICIES.iter().filter_map(|policy| policy.parse().ok())
}

fn shows_opening(document: &Document) -> bool {
    matches!(document.origin, Origin::Catalog(name) if name == catalog::opening().name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Action, DocumentAction, PlaybackAction, ViewAction};
    use crate::testing::{page, settled};
    use fairlane::scenario::edit::{Edit, Shift};

    fn act(state: State, action: WelcomeAction) -> State {
        settled(state.reduce(Action::Welcome(action)))
    }

    #[test]
    fn a_newcomer_guesses_sees_compares_and_changes() {
        let start = settled(page("two-users").welcoming());
        assert_eq!(start.welcome_scene(), Some(WelcomeScene::Start));
        assert_eq!(start.view.policies.len(), 1);
        assert!(start.future().is_hidden());
        let guess = act(start, WelcomeAction::Begin);
        assert_eq!(guess.welcome_scene(), Some(WelcomeScene::Guess));
        assert_eq!(guess.view.playhead, Time(510_000), "all cores are free for the second time");
        let guess = act(guess, WelcomeAction::Guess(Time(u64::MAX)));
        assert_eq!(guess.ui.welcome.map(|welcome| welcome.guess), Some(guess.axis_end()));
        let playing = act(guess, WelcomeAction::See);
        assert_eq!(playing.welcome_scene(), Some(WelcomeScene::Playing));
        assert!(playing.future().is_hidden());
        let answer = playing.reduce(PlaybackAction::Tick(1e3));
        assert_eq!(answer.welcome_scene(), Some(WelcomeScene::Answer));
        assert!(!answer.future().is_hidden());
        let turns = act(answer, WelcomeAction::TakeTurns);
        assert_eq!(turns.welcome_scene(), Some(WelcomeScene::Turns));
        let waits = turns.welcome_waits();
        assert_eq!(waits.len(), 2);
        assert!(waits[0].1 > waits[1].1, "{waits:?}");
        let job = turns.welcome_job().expect("a job");
        let later = Edit::Move { jobs: vec![job], by: Shift(5_800_000), lanes: 0 };
        let changed = settled(turns.reduce(DocumentAction::Edit(later)));
        assert_eq!(changed.welcome_scene(), Some(WelcomeScene::Changed));
        let back = settled(changed.reduce(DocumentAction::Undo));
        assert_eq!(back.welcome_scene(), Some(WelcomeScene::Turns));
        let lab = act(back, WelcomeAction::Leave);
        assert_eq!((lab.welcome_scene(), lab.view.policies.len()), (None, 2));
    }

    #[test]
    fn whatever_else_is_opened_ends_the_welcome() {
        let start = page("two-users").welcoming();
        assert_eq!(start.reduce(DocumentAction::New).welcome_scene(), None);
        let presented = start.reduce(ViewAction::Present);
        assert_eq!((presented.welcome_scene(), presented.view.policies.len()), (None, 2));
        assert!(!presented.future().is_hidden());
    }
}
