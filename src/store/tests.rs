//! The reducer, action by action.

use super::*;
use crate::results::codec::{analyze_here, responses_here};
use crate::testing::{self, page, policy};
use fairlane::engine::EventBudget;
use fairlane::ids::{JobId, UserId};
use fairlane::metrics;
use fairlane::scenario::edit::{Edit, ObjectPath, Shift};
use fairlane::scenario::palette::JobTemplate;
use fairlane::units::Time;
use fairlane_view::link::Origin;

/// A page whose runs are all there.
fn settled(name: &str) -> State {
    testing::settled(page(name))
}

#[test]
fn a_catalog_entry_brings_its_policies_and_a_file_keeps_the_readers() {
    let state = page("skew");
    assert_eq!(state.view.policies, [policy("uwfq"), policy("uwfq-p")].into());
    let file = Document::new((*state.document.scenario).clone(), Origin::File("mine.json".into()));
    let opened =
        state.reduce(ViewAction::Toggle(policy("fair"))).reduce(DocumentAction::Open(Shared::new(file)));
    assert_eq!(opened.view.policies, [policy("fair"), policy("uwfq"), policy("uwfq-p")].into());
    assert!(opened.runs.values().all(|run| *run == Run::default()));
}

/// Also in a demo or by a link that says nothing of marks.
#[test]
fn marks_are_on_in_the_scenarios_that_are_about_them() {
    let cases = [
        ("priority-inversion", Some(Mark::Inversion)),
        ("skew", Some(Mark::Skew)),
        ("atr-too-large", Some(Mark::Skew)),
        ("two-users", None),
    ];
    for (name, mark) in cases {
        let marks: BTreeSet<Mark> = mark.into_iter().collect();
        assert_eq!(page(name).marks(), marks, "{name}");
        let other = page("weights").reduce(ViewAction::MarkToggle(Mark::Inversion));
        assert_eq!(other.reduce(DocumentAction::Open(page(name).document)).marks(), marks, "{name}, opened");
        assert_eq!(page(name).session().view.marks, None, "{name}, in a link");
        assert_eq!(State::from_session(page(name).session()).marks(), marks, "{name}, by a link");
    }
}

#[test]
fn answers_about_an_earlier_document_are_ignored() {
    let state = settled("skew");
    let document = page("two-users").document;
    let opened = state.reduce(DocumentAction::Open(document));
    let late = analyze_here(&state.document.scenario, policy("uwfq"));
    assert_eq!(opened.reduce(RunAction::Finished(0, policy("uwfq"), Ok(late))), opened);
    assert_eq!(opened.reduce(RunAction::Progress(0, policy("uwfq"), 0.5)), opened);
}

/// A stage of ten million tasks: two schedules of it fit, a third one does not.
#[test]
fn schedules_beyond_the_bound_are_refused_until_there_is_room() {
    let text = r#"{"format":"fairlane/scenario@1","jobs":[
        {"user":"a","arrival_s":0,"stages":[{"work_s":1000000,"partitions":10000000}]}]}"#;
    let scenario = fairlane::Scenario::from_json(text).expect("a good scenario");
    let document = Shared::new(Document::new(scenario, Origin::File("huge.json".into())));
    let state = State::new(document);
    let refused = |state: &State| -> Vec<String> {
        let runs = state.runs.iter().filter(|(_, run)| matches!(run.phase, RunPhase::Refused(_)));
        runs.map(|(policy, _)| policy.to_string()).collect()
    };
    assert_eq!(refused(&state), ["cfq", "uwfq"]);
    let RunPhase::Refused(why) = &state.runs[&policy("uwfq")].phase else { unreachable!("just seen") };
    assert!(why.contains("4.0 GB") && why.contains("Untick"), "{why}");
    let again = state.reduce(RunAction::Retry(policy("uwfq")));
    assert_eq!(refused(&again), ["cfq", "uwfq"]);
    let fewer = state.reduce(ViewAction::Toggle(policy("fair"))).reduce(ViewAction::Toggle(policy("ujf")));
    assert_eq!((refused(&fewer).len(), fewer.runs.len()), (0, 2));
    assert!(fewer.runs.values().all(|run| run.phase == RunPhase::Pending(0.0)));
    let smaller = state.reduce(DocumentAction::Open(page("skew").document));
    assert!(refused(&smaller).is_empty());
}

#[test]
fn a_warning_leaves_everything_else_as_it_was() {
    let state = settled("skew");
    let notice = Notice { title: "x".into(), detail: "y".into() };
    let warned = state.reduce(Action::warn(notice));
    assert_eq!(warned.reduce(UiAction::CloseNotice), state);
}

#[test]
fn steps_visit_every_event_in_both_directions() {
    let mut state = settled("skew");
    let mut way = vec![state.view.playhead];
    loop {
        let next = state.reduce(PlaybackAction::Step(Direction::Forward));
        if next == state {
            break;
        }
        state = next;
        way.push(state.view.playhead);
    }
    assert_eq!(state.view.playhead, state.end());
    assert!(way.len() > 10, "{way:?}");
    for &time in way.iter().rev() {
        assert_eq!(state.view.playhead, time);
        state = state.reduce(PlaybackAction::Step(Direction::Back));
    }
    assert_eq!(state.view.playhead, Time::ZERO);
}

#[test]
fn playing_takes_twenty_seconds_and_stops_at_the_end() {
    let mut state = settled("two-users").reduce(PlaybackAction::PlayPause);
    for _ in 0..19 {
        state = state.reduce(PlaybackAction::Tick(1.0));
        assert_eq!(state.playback.motion, Motion::Playing);
    }
    state = state.reduce(PlaybackAction::Tick(1.1));
    assert_eq!((state.playback.motion, state.view.playhead), (Motion::Paused, state.end()));
    assert_eq!(state.reduce(PlaybackAction::PlayPause).view.playhead, Time::ZERO);
}

#[test]
fn a_pause_keeps_the_millisecond_that_was_shown() {
    let playing =
        settled("two-users").reduce(PlaybackAction::PlayPause).reduce(PlaybackAction::Tick(0.123_456));
    assert_ne!(playing.view.playhead.0 % 1000, 0);
    let paused = playing.reduce(PlaybackAction::PlayPause);
    assert_eq!(paused.view.playhead.0, playing.view.playhead.0 / 1000 * 1000);
}

#[test]
fn a_failed_run_can_be_tried_again() {
    let state = page("skew");
    let failed = state.reduce(RunAction::Finished(0, policy("uwfq"), Err("no worker".into())));
    assert_eq!(failed.runs[&policy("uwfq")].phase, RunPhase::Failed("no worker".into()));
    assert_eq!(failed.reduce(RunAction::Retry(policy("uwfq"))), state);
}

#[test]
fn the_first_picture_comes_before_the_full_analysis() {
    let start = State { full_results: false, ..page("skew") };
    let (one, other) = (policy("uwfq"), policy("uwfq-p"));
    let quick = responses_here(&start.document.scenario, one);
    let pictured = start.reduce(RunAction::Finished(0, one, Ok(quick)));
    assert!(pictured.runs[&one].analysis.is_some() && !pictured.is_settled());
    let failed = pictured.reduce(RunAction::Finished(0, other, Err("no worker".into())));
    let again = failed.reduce(RunAction::AnalyzeInFull);
    assert_eq!((again.revision, &again.runs[&one].phase), (1, &RunPhase::Pending(0.0)));
    assert_eq!(again.runs[&other].phase, RunPhase::Failed("no worker".into()), "waits to be asked");
    let full = analyze_here(&start.document.scenario, one);
    let done = again.reduce(RunAction::Finished(1, one, Ok(full)));
    assert_eq!((done.revision, &done.runs[&one].phase), (1, &RunPhase::Settled));

    // A picture that takes too long is not waited for: its analysis is replaced as soon as it arrives.
    let late = start.reduce(RunAction::AnalyzeInFull);
    assert_eq!(late.revision, 0);
    let quick = responses_here(&start.document.scenario, one);
    assert_eq!(late.reduce(RunAction::Finished(0, one, Ok(quick))).revision, 1);
}

fn move_job(job: u32, micros: i64) -> Edit {
    Edit::Move { jobs: vec![JobId(job)], by: Shift(micros), lanes: 0 }
}

fn arrival(state: &State, job: usize) -> Time {
    state.document.scenario.jobs()[job].arrival
}

#[test]
fn an_edit_keeps_the_picture_until_the_new_one_is_there_and_can_be_undone() {
    let state = settled("two-users");
    let edited = state.reduce(DocumentAction::Edit(move_job(12, 300_000)));
    assert_eq!((arrival(&state, 12), arrival(&edited, 12)), (Time(200_000), Time(500_000)));
    assert_eq!(edited.document.condition, DocumentCondition::Edited);
    assert!(!edited.is_settled());
    assert_eq!(edited.analyses().count(), state.analyses().count());
    let undone = edited.reduce(DocumentAction::Undo);
    assert_eq!(undone.document, state.document);
    assert_eq!(arrival(&undone.reduce(DocumentAction::Redo), 12), Time(500_000));
    assert_eq!(undone.reduce(DocumentAction::Undo).document, undone.document);
}

#[test]
fn a_picture_of_an_earlier_moment_of_the_drag_is_better_than_none_but_not_than_a_later_one() {
    let state = settled("skew");
    let uwfq = policy("uwfq");
    let one = state.reduce(DocumentAction::Edit(move_job(0, 1_000_000)));
    let two = one.reduce(DocumentAction::Edit(move_job(0, 1_000_000)));
    let of = |state: &State| analyze_here(&state.document.scenario, uwfq);
    let early = two.reduce(RunAction::Finished(one.revision, uwfq, Ok(of(&one))));
    assert_eq!((early.runs[&uwfq].shown, early.is_settled()), (one.revision, false));
    let now = early.reduce(RunAction::Finished(two.revision, uwfq, Ok(of(&two))));
    assert_eq!((now.runs[&uwfq].shown, &now.runs[&uwfq].phase), (two.revision, &RunPhase::Settled));
    let late = now.reduce(RunAction::Finished(one.revision, uwfq, Ok(of(&one))));
    assert_eq!(late.runs[&uwfq], now.runs[&uwfq]);
}

#[test]
fn a_drag_is_one_step_and_the_axis_stays_fixed_meanwhile() {
    let state = settled("two-users");
    let mut dragged = state.reduce(DocumentAction::DragStart);
    let axis = dragged.axis();
    for micros in [100_000, 50_000_000, 700_000] {
        dragged = dragged.reduce(DocumentAction::DragTo(move_job(12, micros)));
        assert_eq!(arrival(&dragged, 12), Time(200_000 + micros as u64));
        assert_eq!(dragged.axis(), axis);
    }
    let dropped = dragged.reduce(DocumentAction::DragCommit);
    assert_eq!(arrival(&dropped, 12), Time(900_000));
    assert_eq!(dropped.reduce(DocumentAction::Undo).document, state.document);
    assert_eq!(dragged.reduce(DocumentAction::DragCancel).document, state.document);
    // A drag back to its start leaves no trace.
    let back = dragged.reduce(DocumentAction::DragTo(move_job(12, 0))).reduce(DocumentAction::DragCommit);
    assert_eq!((back.document.condition, back.history.undo_title()), (DocumentCondition::Pristine, None));
}

#[test]
fn a_job_dropped_from_the_palette_is_chosen_and_a_drag_back_removes_it() {
    let add =
        Edit::AddJob { kind: JobTemplate::Short, user: fairlane::ids::UserId(1), arrival: Time(4_000_000) };
    let state = settled("two-users").reduce(DocumentAction::DragStart).reduce(DocumentAction::DragTo(add));
    assert_eq!((state.document.scenario.jobs().len(), state.chosen_job()), (14, Some(JobId(13))));
    assert_eq!(state.reduce(DocumentAction::DragBack).document.scenario.jobs().len(), 13);
    assert_eq!(state.reduce(DocumentAction::DragCommit).document.scenario.jobs().len(), 14);
}

/// In lanes, charts and texts, however schedules are coloured; undone, by a link and saved.
#[test]
fn users_keep_their_colours_when_the_first_is_removed() {
    use fairlane::ids::UserId;
    use selectors::{block_hues, chart_colours, hue_of, user_hue};
    let before = settled("two-users");
    let user = UserId(1);
    let hue = user_hue(&before.document.scenario, user);
    let jobs = |state: &State| {
        let (jobs, hues) =
            (state.document.scenario.jobs(), block_hues(&state.document.scenario, Colouring::User));
        jobs.iter().zip(hues).map(|(job, hue)| (job.name.clone(), hue.hue)).collect::<BTreeMap<_, _>>()
    };
    let removed = before.reduce(DocumentAction::Edit(Edit::RemoveUser(UserId(0))));
    let scenario = &removed.document.scenario;
    assert_eq!((hue, user_hue(scenario, UserId(0))), (hue_of(2), hue));
    assert!(jobs(&removed).values().all(|of_job| *of_job == hue));
    assert!(chart_colours(scenario, Colouring::User).iter().any(|colour| colour.hue == hue));
    assert!(chart_colours(scenario, Colouring::Job).iter().all(|colour| colour.hue != hue));
    let linked = State::from_session(removed.session());
    assert_eq!(jobs(&linked), jobs(&removed));
    let undone = removed.reduce(DocumentAction::Undo);
    assert_eq!(jobs(&undone), jobs(&before));
    // A colour beyond those with two shades is drawn as itself.
    let far = Edit::set(ObjectPath::User(UserId(0)), "colour", 20);
    let far = removed.reduce(DocumentAction::Edit(far));
    let known = chart_colours(&far.document.scenario, Colouring::User);
    let own = block_hues(&far.document.scenario, Colouring::User);
    assert!(own.iter().all(|hue| hue.hue == 20 && known.contains(hue)), "{own:?}");
}

#[test]
fn an_impossible_edit_says_why_and_changes_nothing() {
    let state = settled("skew");
    let refused = state.reduce(DocumentAction::Edit(Edit::Delete { jobs: vec![JobId(0)] }));
    assert_eq!(refused.document, state.document);
    assert!(refused.ui.notice.is_some_and(|notice| !notice.detail.is_empty()));
}

#[test]
fn zooming_out_of_everything_shows_everything() {
    let state = settled("two-users");
    let axis = state.axis();
    let near = state.reduce(ViewAction::ZoomBy { base: axis, fraction: 0.5, factor: 0.5 });
    assert_eq!(near.axis().length(), axis.length() / 2);
    let panned = near.reduce(ViewAction::PanBy(100.0));
    assert_eq!(panned.axis().to, axis.to);
    assert_eq!(
        panned.reduce(ViewAction::ZoomBy { base: panned.axis(), fraction: 0.5, factor: 9.0 }).view.window,
        None
    );
    assert_eq!(near.reduce(ViewAction::Zoom(None)).axis(), axis);
}

#[test]
fn chosen_jobs_are_followed_through_deletions() {
    let state = settled("two-users").reduce(ViewAction::Choose(JobId(12), JobChoice::Only));
    let fewer = state.reduce(DocumentAction::Edit(Edit::Delete { jobs: vec![JobId(3)] }));
    assert_eq!(fewer.chosen_job(), Some(JobId(11)));
    let finish = fewer.reduce(PlaybackAction::SeekFinish).view.playhead;
    assert!(finish > Time::ZERO);
}

#[test]
fn an_edit_that_changes_nothing_is_no_step() {
    let state = settled("two-users");
    let same = state.reduce(DocumentAction::Edit(move_job(12, 0)));
    assert_eq!((same.document.condition, same.history.undo_title()), (DocumentCondition::Pristine, None));
    assert_eq!(same.chosen_job(), Some(JobId(12)));
}

#[test]
fn a_second_gesture_and_an_edit_by_key_end_the_first_and_lose_nothing() {
    let state = settled("two-users");
    let held = state.reduce(DocumentAction::DragStart).reduce(DocumentAction::DragTo(move_job(12, 700_000)));
    let other = held
        .reduce(DocumentAction::DragStart)
        .reduce(DocumentAction::DragTo(move_job(3, 500_000)))
        .reduce(DocumentAction::DragCommit);
    assert_eq!(arrival(&other, 12), Time(900_000));
    let undone = other.reduce(DocumentAction::Undo);
    assert_eq!((arrival(&undone, 12), arrival(&undone, 3)), (Time(900_000), arrival(&state, 3)));
    assert_eq!(undone.reduce(DocumentAction::Undo).document, state.document);

    let fewer = held.reduce(DocumentAction::Edit(Edit::Delete { jobs: vec![JobId(3)] }));
    let stray =
        fewer.reduce(DocumentAction::DragTo(move_job(12, 100_000))).reduce(DocumentAction::DragCommit);
    assert_eq!(stray.document, fewer.document);
    assert_eq!(fewer.reduce(DocumentAction::Undo).document, held.document);
    assert_eq!(fewer.reduce(DocumentAction::Undo).reduce(DocumentAction::Undo).document, state.document);
}

#[test]
fn a_workload_that_replaces_the_scenario_can_be_undone() {
    let state = settled("skew").reduce(PlaybackAction::Step(Direction::Forward));
    let document = Shared::new(Document::new(
        fairlane::scenario::Generator::default().scenario().expect("good parameters"),
        Origin::File("Generated, seed 0".into()),
    ));
    let title = format!("open {}", document.title());
    let replaced = state.reduce(DocumentAction::Open(document.clone()));
    assert_eq!((&replaced.document, replaced.view.playhead), (&document, Time::ZERO));
    assert_eq!(replaced.history.undo_title(), Some(title.as_str()));
    assert!(replaced.revision > state.revision && !replaced.is_settled());
    let undone = replaced.reduce(DocumentAction::Undo);
    assert_eq!(undone.document, state.document);
    assert_eq!(undone.reduce(DocumentAction::Redo).document, document);
}

/// That two policies come out alike is a part of the answer.
#[test]
fn equal_schedules_are_not_folded_while_they_are_hidden() {
    let policies = ["fair", "ujf"].map(policy).into();
    let state = testing::settled(page("skew").reduce(ViewAction::Policies(policies)));
    let panels = |state: &State| {
        let analyses: Vec<_> =
            state.analyses().map(|(policy, analysis)| (policy, analysis.clone())).collect();
        let identical = selectors::identical(&analyses);
        let panels = selectors::panels(state, state, &identical);
        (panels.len(), panels.iter().filter(|panel| panel.duplicate_of.is_some()).count())
    };
    assert_eq!(panels(&state), (1, 0));
    assert_eq!(panels(&state.reduce(PlaybackAction::HideFuture(true))), (2, 0));
}

#[test]
fn the_future_is_hidden_while_playing_until_something_changes_unless_the_reader_chooses() {
    let state = settled("two-users");
    assert_eq!(state.future(), Future::Shown);
    let playing = state.reduce(PlaybackAction::PlayPause).reduce(PlaybackAction::Tick(0.1));
    assert_eq!(playing.future(), Future::Ghost);
    let paused = playing.reduce(PlaybackAction::PlayPause);
    assert_eq!(paused.future(), Future::Ghost, "a pause reveals nothing");
    assert_eq!(paused.hiding_switch(), HidingSwitch::Between);
    assert_eq!(
        paused.reduce(PlaybackAction::HideFuture(true)).future(),
        Future::Hidden,
        "one press hides it"
    );
    let edit = Edit::Move { jobs: vec![JobId(12)], by: Shift(100_000), lanes: 0 };
    assert_eq!(paused.reduce(DocumentAction::Edit(edit)).future(), Future::Shown);
    let ended = paused
        .reduce(PlaybackAction::PlayPause)
        .reduce(PlaybackAction::Speed(Some(1e3)))
        .reduce(PlaybackAction::Tick(0.1));
    assert_eq!(ended.future(), Future::Shown, "nothing is left to hide");
    assert_eq!(playing.reduce(PlaybackAction::HideFuture(false)).future(), Future::Shown);
    let hidden = state.reduce(PlaybackAction::HideFuture(true));
    assert_eq!(hidden.future(), Future::Hidden);
    assert_eq!(hidden.reduce(PlaybackAction::PlayPause).future(), Future::Hidden);
    assert!(
        hidden.reduce(ViewAction::Present).view.chosen.is_empty(),
        "whoever guesses is not told whom to watch"
    );
    assert!(!state.reduce(ViewAction::Present).view.chosen.is_empty());
    let inspecting = state.reduce(ViewAction::Show(Tab::Inspector(InspectorPart::Why)));
    assert_eq!(inspecting.ui.sheet, SideSheet::Unfolded);
    assert_eq!(inspecting.reduce(ViewAction::Present).ui.sheet, SideSheet::Folded, "the schedules alone");
    // What the page asks by itself is over with the first change.
    let asked = crate::testing::settled(page("two-users").welcoming());
    assert_eq!((asked.future(), asked.hiding_switch()), (Future::Hidden, HidingSwitch::On));
    assert_eq!(asked.reduce(PlaybackAction::PlayPause).future(), Future::Hidden);
    let answered =
        asked.reduce(PlaybackAction::Seek(Time(u64::MAX))).reduce(PlaybackAction::Seek(Time::ZERO));
    assert_eq!(answered.future(), Future::Shown, "it has been answered");
    let edit = Edit::Move { jobs: vec![JobId(12)], by: Shift(100_000), lanes: 0 };
    for action in [
        Action::Document(DocumentAction::Edit(edit)),
        Action::Document(DocumentAction::Open(page("skew").document)),
    ] {
        assert_eq!(asked.reduce(action.clone()).future(), Future::Shown, "{action:?}");
        assert_eq!(hidden.reduce(action).future(), Future::Hidden, "the reader's wish stays");
    }
    let at_end = hidden.reduce(PlaybackAction::Seek(Time(u64::MAX)));
    assert_eq!(at_end.future(), Future::Shown, "nothing is left to hide");
    assert_eq!(at_end.hiding_switch(), HidingSwitch::On, "it hides again once the playhead goes back");
}

#[test]
fn a_question_hides_the_future_until_it_is_answered() {
    let lesson = fairlane_study::lesson::StepId::from_fragment("lesson:fifo-and-fair/2")
        .expect("a lesson")
        .expect("a step");
    let state = page("skew").reduce(Guide::Start(lesson));
    assert_eq!(state.future(), Future::Secret);
    let answered = state.reduce(Guide::Guess(0.into(), Motion::Paused));
    assert_ne!(answered.future(), Future::Secret);
    assert_eq!(answered.reduce(Guide::Stay).future(), Future::Shown);
}

#[test]
fn panels_change_places_and_ticking_keeps_their_order() {
    let state = page("two-users");
    let names = |state: &State| state.panels().iter().map(PolicyId::to_string).collect::<Vec<_>>().join(" ");
    assert_eq!(names(&state), "fifo fair ujf cfq uwfq");
    let moved = state.reduce(ViewAction::MovePanel(policy("uwfq"), Direction::Back));
    assert_eq!(names(&moved), "fifo fair ujf uwfq cfq");
    assert_eq!(moved.reduce(ViewAction::MovePanel(policy("fifo"), Direction::Back)), moved);
    let ticked = moved.reduce(ViewAction::Toggle(policy("ujf"))).reduce(ViewAction::Toggle(policy("cfq-p")));
    assert_eq!(names(&ticked), "fifo fair uwfq cfq cfq-p");
}

#[test]
fn undo_reaches_back_across_choosing_opening_and_resetting_a_scenario() {
    let state = settled("two-users").reduce(DocumentAction::Edit(move_job(12, 300_000)));
    let state = state.reduce(ViewAction::Toggle(policy("cfq-p"))).reduce(PlaybackAction::Seek(Time(250_000)));
    for other in [page("two-users").document, page("skew").document, Shared::new(Document::blank())] {
        let opened = state.reduce(DocumentAction::Open(other.clone()));
        assert_eq!((&opened.document, opened.view.playhead), (&other, Time::ZERO));
        let edited = opened.reduce(DocumentAction::Edit(move_job(0, 900_000)));
        let undone = edited.reduce(DocumentAction::Undo).reduce(DocumentAction::Undo);
        assert_eq!(undone.document, state.document);
        assert_eq!(
            (&undone.view.policies, undone.view.playhead),
            (&state.view.policies, state.view.playhead)
        );
        let again = undone.reduce(DocumentAction::Redo).reduce(DocumentAction::Redo);
        assert_eq!((&again.document, &again.view.policies), (&edited.document, &edited.view.policies));
        // Results of the scenario that is no longer shown are of no use.
        let late = analyze_here(&edited.document.scenario, policy("uwfq"));
        assert_eq!(undone.reduce(RunAction::Finished(edited.revision, policy("uwfq"), Ok(late))), undone);
    }
    // The same scenario chosen again is no step.
    let page = page("skew");
    assert_eq!(page.reduce(DocumentAction::Open(page.document.clone())).history.undo_title(), None);
}

#[test]
fn an_edited_catalog_scenario_is_saved_without_the_catalogs_title_and_story() {
    let state = page("two-users");
    assert_eq!(
        (state.document.changed_from().is_none(), state.document.own()),
        (true, (*state.document.scenario).clone())
    );
    let edited = state.reduce(DocumentAction::Edit(move_job(12, 300_000)));
    assert_eq!(edited.document.changed_from().map(|entry| entry.name), Some("two-users"));
    assert_eq!(edited.document.own().name(), "Two users: many jobs against one (edited)");
    assert_eq!(edited.document.own().description(), "");
    let named =
        edited.reduce(DocumentAction::Edit(Edit::set(ObjectPath::Scenario, "name", "My Test, 2 users!")));
    assert_eq!(
        (named.document.title(), named.document.file_stem().as_str()),
        ("My Test, 2 users!", "my-test-2-users")
    );
    assert_eq!(named.document.own().name(), "My Test, 2 users!");
    assert_eq!(Document::blank().file_stem(), "untitled");
}

#[test]
fn small_schedules_are_simulated_at_once_and_equal_those_of_workers() {
    let state = page("two-users").reduce(ViewAction::Toggle(policy("sjf-cp"))).simulated_at_once();
    assert!(state.is_settled() && state.runs.len() >= 4);
    for (policy, analysis) in state.analyses() {
        let worker = responses_here(&state.document.scenario, policy);
        assert_eq!((analysis.hash, &analysis.trace), (worker.hash, &worker.trace));
        assert_eq!((&analysis.alone, &analysis.summary), (&worker.alone, &worker.summary));
    }
    // What takes longer is left to workers.
    assert!(!page("macro-p").simulated_at_once().is_settled());
    let text = r#"{"format":"fairlane/scenario@1","jobs":[
        {"user":"a","arrival_s":0,"stages":[{"work_s":20000,"partitions":20000}]}]}"#;
    let scenario = fairlane::Scenario::from_json(text).expect("a good scenario");
    let long = State::new(Shared::new(Document::new(scenario, Origin::File("long.json".into()))));
    let long = long.reduce(ViewAction::Policies([policy("fair")].into()));
    assert!(long.clone().simulated_within(EventBudget::new(1_000_000)).is_settled());
    assert_eq!(long.clone().simulated_within(EventBudget::new(0)), long, "events count, and not tasks alone");
}

/// Two pages that the browser had saved and that held it up at each start: few tasks in decades of empty time.
#[test]
fn few_tasks_in_decades_of_empty_time_hold_up_no_page() {
    let held_up = [
        (
            r#"{"format":"fairlane/scenario@1","cluster":{"executors":2,"cores_per_executor":4,
            "dynamic_allocation":{"start_s":2147483648}},"jobs":[{"user":"a","arrival_s":0,"stages":[{"work_s":4}]}]}"#,
            vec!["fair", "uwfq"],
        ),
        (
            r#"{"format":"fairlane/scenario@1","jobs":[
            {"user":"a","arrival_s":1700000000,"stages":[{"work_s":4}]},
            {"user":"b","arrival_s":1700000010,"stages":[{"work_s":7}]}]}"#,
            vec!["karma", "justice", "reactive-fs", "fair"],
        ),
    ];
    for (text, policies) in held_up {
        let scenario = fairlane::Scenario::from_json(text).expect("a good scenario");
        let state = State::new(Shared::new(Document::new(scenario, Origin::File("saved.json".into()))));
        let state = state.reduce(ViewAction::Policies(policies.into_iter().map(policy).collect()));
        let started = std::time::Instant::now();
        let restored = State::from_session(state.session()).simulated_at_once();
        assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
        // What is left is a worker's, and the reader may start without it.
        let without = restored.reduce(DocumentAction::StartWithout(page("skew").document));
        assert!(
            matches!(without.ui.restored, Restored::Aside(_)) && without.simulated_at_once().is_settled()
        );
        assert_eq!(restored.reduce(DocumentAction::New).ui.restored, Restored::No);
    }
}

#[test]
fn the_side_unfolds_when_something_is_asked_and_escape_folds_it_after_the_predictions() {
    let page = page("two-users");
    assert_eq!(page.ui.sheet, SideSheet::Folded);
    let asked = page.reduce(ViewAction::Show(Tab::Inspector(InspectorPart::Edit)));
    assert_eq!(asked.ui.sheet, SideSheet::Unfolded);
    let predicting = asked.reduce(Predict::Start(policy("uwfq")));
    let left = predicting.reduce(UiAction::Escape);
    assert_eq!((left.predict.is_none(), left.ui.sheet), (true, SideSheet::Unfolded));
    assert_eq!(left.reduce(UiAction::Escape).ui.sheet, SideSheet::Folded);
}

/// A press on a figure of a user opens the inspector of the job furthest behind the ideal over what was open, to which
/// Escape leads back; of a hidden future nothing is told.
#[test]
fn a_figure_opens_the_inspector_and_escape_leads_back_to_it() {
    let fair = policy("fair");
    let page = settled("two-users").reduce(ViewAction::Show(Tab::Compare));
    let press = Action::View(ViewAction::Inspect(fair, FigureSubject::User(UserId(0))));
    let asked = page.reduce(press.clone());
    let analysis = page.runs[&fair].analysis.clone().expect("it is settled");
    let worst = analysis.worst_job(UserId(0)).expect("a job of ana");
    assert_eq!((asked.chosen_job(), asked.question), (Some(worst), Some((fair, DisplayQuestion::Playhead))));
    let wait = metrics::job_waits(&analysis.scenario, &analysis.trace, worst).longest().expect("it waits");
    assert!((wait.from..=wait.to).contains(&asked.view.playhead), "{:?}", asked.view.playhead);
    assert_eq!(asked.view.tab, Tab::Inspector(InspectorPart::Why));
    // Another part of it, and another job, are still over the same tab.
    let edited = asked.reduce(ViewAction::Show(Tab::Inspector(InspectorPart::Edit)));
    let back = edited.reduce(UiAction::Escape);
    assert_eq!((back.view.tab, back.ui.sheet), (Tab::Compare, SideSheet::Unfolded));
    assert_eq!(back.reduce(UiAction::Escape).ui.sheet, SideSheet::Folded);
    let folded = page.reduce(UiAction::FoldSheet).reduce(press.clone()).reduce(UiAction::Escape);
    assert_eq!(folded.ui.sheet, SideSheet::Folded);
    let hidden = page.reduce(PlaybackAction::HideFuture(true));
    assert_eq!(hidden.reduce(press).view, hidden.view);
}

#[test]
fn another_job_is_not_told_why_a_task_of_the_one_before_was_launched() {
    let fair = policy("fair");
    let page = settled("two-users");
    let analysis = page.runs[&fair].analysis.clone().expect("it is settled");
    let task = analysis.trace.tasks.iter().position(|run| run.job == JobId(12)).expect("a task of ben");
    let asked = page.reduce(ViewAction::Choose(JobId(12), JobChoice::Only));
    let asked = asked.reduce(ViewAction::Ask(fair, DisplayQuestion::Dispatch(task)));
    let again = asked.reduce(ViewAction::Choose(JobId(12), JobChoice::Only));
    assert_eq!((again.question, again.asked_task(fair)), (asked.question, Some(task)));
    let other = asked.reduce(ViewAction::Choose(JobId(3), JobChoice::Only));
    assert_eq!((other.question, other.asked_task(fair)), (Some((fair, DisplayQuestion::Playhead)), None));
}

#[test]
fn a_ticked_policy_is_undone_without_simulating_the_others_again() {
    let page = settled("two-users");
    let ticked = page.reduce(ViewAction::Toggle(policy("cfq-p")));
    let undone = ticked.reduce(DocumentAction::Undo);
    assert_eq!(
        (&undone.view.policies, &undone.runs, undone.ui.said.as_str()),
        (&page.view.policies, &page.runs, "undone: tick CFQ-P")
    );
    assert_eq!(undone.reduce(DocumentAction::Redo).view.policies, ticked.view.policies);
}

/// On a phone the set-up and the side are one sheet, of which one is unfolded at most.
#[test]
fn the_set_up_takes_the_place_of_the_side_and_folds_again() {
    let state =
        page("skew").reduce(ViewAction::Show(Tab::Inspector(InspectorPart::Why))).reduce(UiAction::SetUp);
    assert_eq!(state.ui.sheet, SideSheet::SetUp);
    assert_eq!(state.reduce(UiAction::SetUp).ui.sheet, SideSheet::Folded);
    assert_eq!(state.reduce(UiAction::Escape).ui.sheet, SideSheet::Folded);
    let shown = state.reduce(ViewAction::Show(Tab::Charts));
    assert_eq!((shown.ui.sheet, shown.view.tab), (SideSheet::Unfolded, Tab::Charts));
}
