//! What walks have found: each failure as short as it could be made, by name.

use super::{Step, pages, run};
use crate::store::{Action, DocumentAction, JobChoice, Motion, PlaybackAction, Predict, ViewAction};
use fairlane::ids::{JobId, UserId};
use fairlane::policy::OBSERVED;
use fairlane::scenario::edit::{Edit, ObjectPath};
use fairlane::units::Time;
use fairlane_view::TimeAxis;

#[track_caller]
fn survives(page: usize, actions: impl IntoIterator<Item = Action>) {
    let steps: Vec<Step> = actions.into_iter().map(Step::Act).collect();
    assert_eq!(run(page, &steps), Ok(()));
}

#[test]
fn a_window_without_length_is_no_link_that_nobody_can_open() {
    let at = Time(46_919);
    survives(3, [Action::View(ViewAction::Zoom(Some(TimeAxis { from: at, to: at })))]);
}

#[test]
fn the_order_of_a_logs_panels_comes_back_from_a_link() {
    survives(0, [Action::Document(DocumentAction::Open(pages::page(7)))]);
}

#[test]
fn a_job_that_is_gone_is_not_chosen() {
    survives(0, [Action::View(ViewAction::Choose(JobId(9), JobChoice::Only))]);
}

#[test]
fn the_playhead_survives_an_endless_frame() {
    survives(
        2,
        [
            Action::Playback(PlaybackAction::Seek(Time(1))),
            Action::Playback(PlaybackAction::Play(Motion::Playing)),
            Action::Playback(PlaybackAction::Tick(f64::INFINITY)),
        ],
    );
}

#[test]
fn a_window_beyond_all_time_is_no_link_that_nobody_can_open() {
    survives(
        1,
        [Action::View(ViewAction::Zoom(Some(TimeAxis { from: Time(4_854_817), to: Time(u64::MAX) })))],
    );
}

#[test]
fn nothing_plays_at_an_endless_speed() {
    for speed in [f64::INFINITY, f64::NAN, 1e300, 0.0, -1.0] {
        survives(
            7,
            [
                Action::Playback(PlaybackAction::Speed(Some(speed))),
                Action::Playback(PlaybackAction::PlayPause),
            ],
        );
    }
}

#[test]
fn the_recorded_schedule_is_neither_ticked_nor_saved() {
    survives(1, [Action::View(ViewAction::Policies([OBSERVED].into()))]);
    survives(1, [Action::View(ViewAction::Toggle(OBSERVED))]);
    survives(7, [Action::Predict(Predict::Start(OBSERVED))]);
}

/// Found after 374 000 actions.
#[test]
fn a_policy_that_is_ticked_during_a_drag_is_a_step_after_it() {
    let karma = "karma".parse().expect("a policy");
    let drag = [
        Action::Document(DocumentAction::DragStart),
        Action::Document(DocumentAction::DragTo(Edit::RemoveUser(UserId(0)))),
    ];
    survives(4, drag.into_iter().chain([Action::View(ViewAction::Toggle(karma))]));
}

#[test]
fn editing_a_dependency_of_a_deleted_job_does_no_harm() {
    let edit = Edit::set(ObjectPath::Predecessor(JobId(u32::MAX)), "job", 0);
    survives(
        0,
        [
            Action::Document(DocumentAction::EditField(edit.clone())),
            Action::Document(DocumentAction::Edit(edit)),
        ],
    );
}
