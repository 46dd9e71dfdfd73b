//! The playhead and the window of time.

use strum::IntoStaticStr;

use super::{Direction, State};
use fairlane::units::Time;
use fairlane_view::TimeAxis;

/// Whether the schedule plays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Motion {
    /// The playhead rests.
    #[default]
    Paused,
    /// The playhead moves.
    Playing,
}

/// How much of the future the reader wants to see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FutureWish {
    /// Nobody has said: a shadow of it while playing and in lessons, else all of it.
    #[default]
    Unsaid,
    /// Nothing, for the page has asked; until something is opened or changed.
    Guess,
    /// Nothing.
    Hidden,
    /// All of it.
    Shown,
}

/// What the switch *hide the future* stands at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HidingSwitch {
    /// Everything is shown.
    Off,
    /// What follows is a shadow for now, as the reader has chosen nothing.
    Between,
    /// What follows is hidden, or would be if anything followed.
    On,
}

/// How the schedules are played.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Playback {
    /// Whether the playhead moves.
    pub motion: Motion,
    /// How much of the future is to be seen.
    pub wish: FutureWish,
    /// Whether the schedule has been played to where the playhead is, and nothing has been changed since.
    pub played: bool,
    /// The part of the schedule that is played to show the answer to a lesson's question.
    pub reveal: Option<TimeAxis>,
    /// Where the axis ended while the future was hidden. It still does once that is shown, so that nothing moves when a
    /// question is answered; until all is to be seen, or another scenario is opened.
    pub hidden_end: Option<Time>,
    /// Simulated seconds a real second shows; `None`: such that the whole takes [`WHOLE_S`](super::WHOLE_S).
    pub speed: Option<f64>,
}

/// What can happen to it.
#[derive(Clone, Debug, PartialEq, IntoStaticStr)]
pub enum PlaybackAction {
    /// The playhead moves to an instant.
    Seek(Time),
    /// The playhead goes to the next or previous event of any ticked policy.
    Step(Direction),
    /// The playhead goes to the next or previous launch of a chosen job's task.
    StepChosen(Direction),
    /// The playhead goes to the next instant at which a chosen job finishes under a ticked policy; after
    /// the last to the first.
    SeekFinish,
    /// Play or pause.
    PlayPause,
    /// Play, or pause, whichever it did before.
    Play(Motion),
    /// Real seconds have passed while playing.
    Tick(f64),
    /// What lies beyond the playhead is to be hidden, or shown.
    HideFuture(bool),
    /// Simulated seconds per real second are chosen.
    Speed(Option<f64>),
}

impl State {
    pub(super) fn play_back(&mut self, action: PlaybackAction) {
        match action {
            PlaybackAction::Seek(time) => self.seek(time),
            PlaybackAction::Step(direction) => self.step_to(self.event_beside(direction)),
            PlaybackAction::StepChosen(direction) => self.step_to(self.launch_beside(direction)),
            PlaybackAction::SeekFinish => self.step_to(self.next_finish()),
            PlaybackAction::PlayPause => self.play_or_pause(),
            PlaybackAction::Play(motion) if motion == self.playback.motion => {}
            PlaybackAction::Play(_) => self.play_or_pause(),
            PlaybackAction::Tick(seconds) => self.tick(seconds),
            PlaybackAction::HideFuture(hides) => self.hide_future(hides),
            PlaybackAction::Speed(speed) => self.play_at(speed),
        }
    }

    /// The schedule is another one: what was played of it, and what was asked about it, is over.
    pub(super) fn begin_anew(&mut self) {
        self.playback.played = false;
        self.answer();
    }

    /// What was asked is answered.
    pub(super) fn answer(&mut self) {
        if self.playback.wish == FutureWish::Guess {
            self.playback.wish = FutureWish::Unsaid;
        }
    }

    /// Everything has happened where the playhead is, if it is at the end.
    fn answer_at_end(&mut self) {
        if self.view.playhead >= self.end() {
            self.answer();
        }
    }

    pub(super) fn seek(&mut self, time: Time) {
        self.view.playhead = time.min(self.end());
        self.playback.motion = Motion::Paused;
        self.answer_at_end();
    }

    /// Keeps the axis as long as it was while the future is hidden, and once it is shown. Of a scenario that has changed it
    /// is as long as that needs.
    pub(super) fn keep_axis(&mut self, before: &State) {
        let is_hidden = self.future().is_hidden();
        let kept = match self.document == before.document {
            _ if self.lineage != before.lineage => None,
            true => self.playback.hidden_end,
            false => self.playback.hidden_end.map(|_| self.expected_axis_end()),
        };
        self.playback.hidden_end = match is_hidden {
            true => {
                kept.filter(|kept| *kept >= self.needed_axis_end()).or_else(|| Some(self.hidden_axis_end()))
            }
            false => kept,
        };
    }

    /// Shows a window of time, or everything that there is and no more.
    pub(super) fn zoom(&mut self, window: Option<TimeAxis>) {
        self.view.window = window.filter(is_window);
        if window.is_none() {
            self.playback.hidden_end = None;
        }
    }

    /// Shows a window of time, or everything if that is what the window holds.
    pub(super) fn look_at(&mut self, window: TimeAxis) {
        self.view.window = Some(window).filter(|window| is_window(window) && *window != self.whole());
    }

    pub(super) fn step_to(&mut self, time: Option<Time>) {
        self.playback.motion = Motion::Paused;
        if let Some(time) = time {
            self.view.playhead = time;
            // The window follows a step out of it.
            self.view.window = self.view.window.map(|window| window.showing(time, self.whole()));
            self.answer_at_end();
        }
    }

    pub(super) fn play_or_pause(&mut self) {
        match self.playback.motion {
            Motion::Playing => {
                self.playback.motion = Motion::Paused;
                // The millisecond that was shown while it moved.
                self.view.playhead = Time(self.view.playhead.0 / 1000 * 1000);
            }
            Motion::Paused => {
                self.playback.motion = Motion::Playing;
                self.playback.played = true;
                if self.view.playhead >= self.end() {
                    self.view.playhead = Time::ZERO;
                }
            }
        }
    }

    /// Moves the playhead by real seconds, up to where playing ends.
    fn tick(&mut self, seconds: f64) {
        // A late tick after the playhead was paused moves nothing.
        if self.playback.motion == Motion::Paused {
            return;
        }
        let advance = seconds * self.simulated_per_second() * 1e6;
        let end = self.playback.reveal.map_or_else(|| self.end(), |part| part.to);
        self.view.playhead = Time(self.view.playhead.0.saturating_add(advance.max(0.0) as u64)).min(end);
        if self.view.playhead >= end {
            self.playback.motion = Motion::Paused;
            self.playback.played = false;
            self.answer_at_end();
        }
    }

    /// Plays at a speed that can be played; at none the whole takes a while that suits it.
    fn play_at(&mut self, speed: Option<f64>) {
        self.playback.speed = speed.filter(|speed| speed.is_finite() && *speed > 0.0);
    }

    /// Hides what lies beyond the playhead, or shows it, which ends predictions and answers the question to a class.
    fn hide_future(&mut self, hides: bool) {
        self.playback.wish = if hides { FutureWish::Hidden } else { FutureWish::Shown };
        if !hides {
            self.predict = None;
            self.answer_poll();
        }
    }

    /// Moves a window by a part of its length; where everything is shown, the playhead goes to the pointer instead.
    pub(super) fn pan_or_scrub(&mut self, base: TimeAxis, part: f64, at: Time) {
        match self.view.window {
            Some(_) => self.look_at(base.panned(part, self.whole())),
            None => self.seek(at),
        }
    }
}

/// The last instant that a link writes to the microsecond.
const LAST_INSTANT: Time = Time(1 << 51);

/// Whether a stretch of time can be shown, and comes back from a link.
fn is_window(window: &TimeAxis) -> bool {
    window.from < window.to && window.to <= LAST_INSTANT
}
