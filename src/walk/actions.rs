//! Random actions, each kind of which there is, with arguments sensible and absurd.

use std::collections::BTreeSet;

use super::edits::{edit, index};
use super::pages::{self, PAGES};
use super::random::Random;
use crate::panels::guide::lessons::READ;
use crate::results::measurement::{SweepSetting, TuningChoice};
use crate::results::shared::Shared;
use crate::store::{
    Action, Card, ChartChoice, ChartKind, ChartNumbers, ClusterSwitch, Colouring, Direction, DisplayQuestion,
    DocumentAction, Drawing, FigureSubject, GivenAnswer, Guide, Heights, JobChoice, LessonEnd, LessonPlace,
    LessonProgress, Mark, Motion, Notice, OpenedLesson, Opening, PlaybackAction, PollAction, Predict,
    PredictDecision, Quiz, ReferencePolicy, ResumedLesson, RunAction, Size, State, Tab, Toast, UiAction,
    ViewAction, WelcomeAction, chart_data,
};
use fairlane::ids::{JobId, UserId};
use fairlane::policy::{OBSERVED, PolicyId};
use fairlane::scenario::edit::Edit;
use fairlane::units::{Span, Time};
use fairlane_custom::starters::STARTERS;
use fairlane_study::lesson::{ChallengeScore, OUTLINES, RECORDING, StepId};
use fairlane_view::TimeAxis;
use fairlane_view::chart::{CoreHolder, Grouping};
use fairlane_view::link::LessonDocument;

/// Policies of each group, some of them with runtime partitioning or loaded later.
const POLICIES: [&str; 16] = [
    "fifo", "fair", "ujf", "cfq", "uwfq", "uwfq-p", "spark", "karma", "bopf", "justice", "drf", "wfair",
    "cfq-p", "sjf-cp", "decay", "custom",
];

type Maker = fn(&mut Random, &State) -> Action;

/// Declares how each kind of action is made. A new one does not compile before it is made here.
macro_rules! makers {
    ($($pattern:pat => $make:expr;)*) => {
        /// Each kind of action, and how it is made.
        pub(super) const MAKERS: &[(&str, Maker)] = &[$((stringify!($pattern), $make)),*];

        /// The kind of an action.
        pub(super) fn kind(action: &Action) -> &'static str {
            match action { $($pattern => stringify!($pattern)),* }
        }
    };
}

makers! {
    Action::Document(DocumentAction::Open(_)) => |random, _| Action::Document(DocumentAction::Open(pages::page(random.below(PAGES))));
    Action::Document(DocumentAction::StartWithout(_)) => |random, _| Action::Document(DocumentAction::StartWithout(pages::page(random.below(PAGES))));
    Action::Document(DocumentAction::OpenRecording) => |_, _| Action::Document(DocumentAction::OpenRecording);
    Action::Document(DocumentAction::New) => |_, _| Action::Document(DocumentAction::New);
    Action::Document(DocumentAction::Edit(_)) => |random, state| Action::Document(DocumentAction::Edit(any_edit(random, state)));
    Action::Document(DocumentAction::EditField(_)) => |random, state| Action::Document(DocumentAction::EditField(any_edit(random, state)));
    Action::Document(DocumentAction::ToggleExecutor(_)) => |random, state| {
        let executors = state.document.scenario.cluster().executors as usize;
        Action::Document(DocumentAction::ToggleExecutor(index(random, executors)))
    };
    Action::Document(DocumentAction::ToggleCancellation(_)) => |random, state| Action::Document(DocumentAction::ToggleCancellation(job(random, state)));
    Action::Document(DocumentAction::Switch(_)) => |random, _| {
        let all = [ClusterSwitch::Speculation, ClusterSwitch::Preemption, ClusterSwitch::Locality];
        Action::Document(DocumentAction::Switch(random.pick(&all)))
    };
    Action::Document(DocumentAction::DragStart) => |_, _| Action::Document(DocumentAction::DragStart);
    Action::Document(DocumentAction::DragTo(_)) => |random, state| Action::Document(DocumentAction::DragTo(any_edit(random, state)));
    Action::Document(DocumentAction::DragBack) => |_, _| Action::Document(DocumentAction::DragBack);
    Action::Document(DocumentAction::DragCommit) => |_, _| Action::Document(DocumentAction::DragCommit);
    Action::Document(DocumentAction::DragCancel) => |_, _| Action::Document(DocumentAction::DragCancel);
    Action::Document(DocumentAction::Undo) => |_, _| Action::Document(DocumentAction::Undo);
    Action::Document(DocumentAction::Redo) => |_, _| Action::Document(DocumentAction::Redo);
    Action::Ui(UiAction::Opening(_)) => |random, _| {
        let part = random.pick(&[None, Some(0.5), Some(f64::NAN)]);
        Action::Ui(UiAction::Opening(Opening { part, ..Opening::named(RECORDING) }))
    };
    Action::Ui(UiAction::Warn(_)) => |_, _| Action::not_opened("a file", "is no scenario".to_owned());
    Action::Ui(UiAction::CloseNotice) => |_, _| Action::Ui(UiAction::CloseNotice);
    Action::View(ViewAction::Toggle(_)) => |random, _| Action::View(ViewAction::Toggle(any_policy(random)));
    Action::View(ViewAction::Policies(_)) => |random, _| {
        let count = random.below(4);
        Action::View(ViewAction::Policies((0..count).map(|_| any_policy(random)).collect()))
    };
    Action::View(ViewAction::Fold(_)) => |random, state| Action::View(ViewAction::Fold(policy(random, state)));
    Action::Run(RunAction::Progress(..)) => |random, state| {
        let part = random.pick(&[0.0, 0.5, 1.0, 2.0, f64::NAN]);
        Action::Run(RunAction::Progress(revision(random, state), policy(random, state), part))
    };
    Action::Run(RunAction::Finished(..)) => |random, state| {
        let why = Err("The worker does not answer.".to_owned());
        Action::Run(RunAction::Finished(revision(random, state), policy(random, state), why))
    };
    Action::Run(RunAction::AnalyzeInFull) => |_, _| Action::Run(RunAction::AnalyzeInFull);
    Action::Run(RunAction::Retry(_)) => |random, state| Action::Run(RunAction::Retry(policy(random, state)));
    Action::Playback(PlaybackAction::Seek(_)) => |random, state| {
        Action::Playback(PlaybackAction::Seek(time(random, state)))
    };
    Action::Playback(PlaybackAction::Step(_)) => |random, _| {
        Action::Playback(PlaybackAction::Step(direction(random)))
    };
    Action::Playback(PlaybackAction::StepChosen(_)) => |random, _| {
        Action::Playback(PlaybackAction::StepChosen(direction(random)))
    };
    Action::Playback(PlaybackAction::SeekFinish) => |_, _| Action::Playback(PlaybackAction::SeekFinish);
    Action::Playback(PlaybackAction::PlayPause) => |_, _| Action::Playback(PlaybackAction::PlayPause);
    Action::Playback(PlaybackAction::Play(_)) => |random, _| {
        Action::Playback(PlaybackAction::Play(random.pick(&[Motion::Paused, Motion::Playing])))
    };
    Action::Playback(PlaybackAction::Tick(_)) => |random, _| {
        Action::Playback(PlaybackAction::Tick(number(random)))
    };
    Action::Playback(PlaybackAction::HideFuture(_)) => |random, _| {
        Action::Playback(PlaybackAction::HideFuture(random.one_in(2)))
    };
    Action::View(ViewAction::Heights(_)) => |random, _| Action::View(ViewAction::Heights(random.pick(&Heights::ALL)));
    Action::View(ViewAction::Collapse(_)) => |random, state| Action::View(ViewAction::Collapse(policy(random, state)));
    Action::View(ViewAction::Front(_)) => |random, state| Action::View(ViewAction::Front(policy(random, state)));
    Action::View(ViewAction::MovePanel(..)) => |random, state| Action::View(ViewAction::MovePanel(policy(random, state), direction(random)));
    Action::View(ViewAction::VirtualTime(_)) => |random, state| {
        let shown = policy(random, state);
        Action::View(ViewAction::VirtualTime((!random.one_in(3)).then_some(shown)))
    };
    Action::Playback(PlaybackAction::Speed(_)) => |random, _| {
        let speed = number(random);
        Action::Playback(PlaybackAction::Speed((!random.one_in(3)).then_some(speed)))
    };
    Action::View(ViewAction::Zoom(_)) => |random, state| {
        let window = window(random, state);
        Action::View(ViewAction::Zoom((!random.one_in(3)).then_some(window)))
    };
    Action::View(ViewAction::ZoomBy { .. }) => |random, state| Action::View(ViewAction::ZoomBy {
        base: window(random, state),
        fraction: number(random),
        factor: number(random),
    });
    Action::View(ViewAction::PanBy(_)) => |random, _| Action::View(ViewAction::PanBy(number(random)));
    Action::View(ViewAction::PanOrScrub { .. }) => |random, state| Action::View(ViewAction::PanOrScrub {
        base: window(random, state),
        part: number(random),
        at: time(random, state),
    });
    Action::View(ViewAction::Choose(..)) => |random, state| {
        Action::View(ViewAction::Choose(job(random, state), random.pick(&[JobChoice::Only, JobChoice::Toggle])))
    };
    Action::View(ViewAction::ChooseNone) => |_, _| Action::View(ViewAction::ChooseNone);
    Action::Ui(UiAction::ChooseBy(_)) => |random, _| {
        Action::Ui(UiAction::ChooseBy(random.pick(&[JobChoice::Only, JobChoice::Toggle])))
    };
    Action::View(ViewAction::Draw(_)) => |random, _| Action::View(ViewAction::Draw(random.pick(&[Drawing::Tasks, Drawing::Shares])));
    Action::View(ViewAction::Colour(_)) => |random, _| {
        Action::View(ViewAction::Colour(random.pick(&[Colouring::User, Colouring::Job, Colouring::Stage])))
    };
    Action::View(ViewAction::MarkToggle(_)) => |random, _| Action::View(ViewAction::MarkToggle(random.pick(&[Mark::Inversion, Mark::Skew])));
    Action::View(ViewAction::Follow(_)) => |random, state| Action::View(ViewAction::Follow(user(random, state)));
    Action::View(ViewAction::Present) => |_, _| Action::View(ViewAction::Present);
    Action::Ui(UiAction::Escape) => |_, _| Action::Ui(UiAction::Escape);
    Action::Ui(UiAction::FoldSheet) => |_, _| Action::Ui(UiAction::FoldSheet);
    Action::Ui(UiAction::SetUp) => |_, _| Action::Ui(UiAction::SetUp);
    Action::Ui(UiAction::Help(_)) => |random, _| Action::Ui(UiAction::Help(random.one_in(2)));
    Action::Ui(UiAction::Toast(_)) => |random, _| {
        let notice = Notice { title: "Done".to_owned(), detail: String::new() };
        Action::Ui(UiAction::Toast(random.one_in(2).then_some(Toast::Done(notice))))
    };
    Action::View(ViewAction::Show(_)) => |random, _| Action::View(ViewAction::Show(tab(random)));
    Action::Document(DocumentAction::Write(_)) => |random, _| Action::Document(DocumentAction::Write(STARTERS[random.below(STARTERS.len())].program));
    Action::Document(DocumentAction::RunProgram(_)) => |random, state| Action::Document(DocumentAction::RunProgram(policy(random, state).kind));
    Action::Welcome(_) => |random, state| {
        let actions = [
            WelcomeAction::Begin, WelcomeAction::See, WelcomeAction::TakeTurns, WelcomeAction::Leave,
            WelcomeAction::Guess(time(random, state)),
        ];
        Action::Welcome(random.pick(&actions))
    };
    Action::Document(DocumentAction::ApprovedElsewhere(_)) => |random, state| {
        let read = state.clone().reduce(DocumentAction::RunProgram(policy(random, state).kind));
        Action::Document(DocumentAction::ApprovedElsewhere(read.approvals.to_text()))
    };
    Action::View(ViewAction::Chart(_)) => |random, state| Action::View(ViewAction::Chart(chart(random, state)));
    Action::View(ViewAction::Tune(..)) => |random, state| Action::View(ViewAction::Tune(policy(random, state), random.pick(&[0, 1, 2, 255])));
    Action::Run(RunAction::Swept(..)) => |random, state| {
        let wanted = chart_data::wanted(state, &chart_data::settings(state));
        let point = match wanted.is_empty() {
            true => SweepSetting::alone(job(random, state), 1).under(policy(random, state)),
            false => wanted[random.below(wanted.len())].clone(),
        };
        let result = if random.one_in(3) { Err("too large".to_owned()) } else { Ok(number(random)) };
        Action::Run(RunAction::Swept(revision(random, state), point, result))
    };
    Action::Run(RunAction::Checked(..)) => |random, state| {
        Action::Run(RunAction::Checked(revision(random, state), policy(random, state), Err("too large".to_owned())))
    };
    Action::View(ViewAction::Ask(..)) => |random, state| Action::View(ViewAction::Ask(policy(random, state), question(random, state)));
    Action::View(ViewAction::Inspect(..)) => |random, state| {
        let (user, job) = (user(random, state), job(random, state));
        let subject = random.pick(&[FigureSubject::User(user), FigureSubject::Job(job)]);
        Action::View(ViewAction::Inspect(policy(random, state), subject))
    };
    Action::View(ViewAction::Compare(..)) => |random, state| Action::View(ViewAction::Compare(policy(random, state), policy(random, state)));
    Action::Guide(_) => |random, state| Action::Guide(guide(random, state));
    Action::Poll(_) => |random, state| Action::Poll(poll(random, state));
    Action::Predict(_) => |random, state| Action::Predict(predict(random, state));
    Action::Answers(_) => |random, _| {
        let texts = ["", "fair:0=1 fair:7=0", "uwfq:18446744073709551615=1", "nonsense:1=x fifo:2=0"];
        Action::Answers(Quiz::answers_from(random.pick(&texts)))
    };
}

/// An action that a reader is more likely to do, or any.
pub(super) fn action(random: &mut Random, state: &State) -> Action {
    match random.below(5) {
        0 => Action::Document(DocumentAction::Edit(any_edit(random, state))),
        1 => {
            let (from, to) = if random.one_in(2) {
                (Action::Document(DocumentAction::Undo), Action::Document(DocumentAction::Redo))
            } else {
                drag(random, state)
            };
            if random.one_in(2) { from } else { to }
        }
        _ => (MAKERS[random.below(MAKERS.len())].1)(random, state),
    }
}

fn drag(random: &mut Random, state: &State) -> (Action, Action) {
    match state.drag.is_none() {
        true => (Action::Document(DocumentAction::DragStart), Action::Document(DocumentAction::DragStart)),
        false => (
            Action::Document(DocumentAction::DragTo(any_edit(random, state))),
            Action::Document(DocumentAction::DragCommit),
        ),
    }
}

fn any_edit(random: &mut Random, state: &State) -> Edit {
    edit(random, &state.document.scenario)
}

fn any_policy(random: &mut Random) -> PolicyId {
    if random.one_in(40) {
        return OBSERVED;
    }
    random.pick(&POLICIES).parse().expect("a policy")
}

/// A policy of the page, or any.
fn policy(random: &mut Random, state: &State) -> PolicyId {
    let shown: Vec<PolicyId> = state.runs.keys().copied().collect();
    if shown.is_empty() || random.one_in(8) { any_policy(random) } else { random.pick(&shown) }
}

fn revision(random: &mut Random, state: &State) -> u32 {
    match random.below(6) {
        0 => 0,
        1 => state.revision.saturating_sub(1),
        2 => state.opened,
        _ => state.revision,
    }
}

fn job(random: &mut Random, state: &State) -> JobId {
    JobId(index(random, state.document.scenario.jobs().len()))
}

fn user(random: &mut Random, state: &State) -> UserId {
    UserId(index(random, state.document.scenario.users().len()))
}

fn direction(random: &mut Random) -> Direction {
    random.pick(&[Direction::Back, Direction::Forward])
}

fn tab(random: &mut Random) -> Tab {
    random.pick(&Tab::WORDS).0
}

fn number(random: &mut Random) -> f64 {
    let absurd = [0.0, -1.0, 1e-300, 1e300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    if random.one_in(5) { random.pick(&absurd) } else { random.fraction() * 2.0 }
}

fn time(random: &mut Random, state: &State) -> Time {
    match random.below(12) {
        0 => Time::ZERO,
        1 => state.end(),
        2 => Time(u64::MAX),
        _ => Time((random.fraction() * 1.2 * state.end().0 as f64) as u64),
    }
}

/// A stretch of time, now and then without any length.
fn window(random: &mut Random, state: &State) -> TimeAxis {
    let (one, other) = (time(random, state), time(random, state));
    match random.below(8) {
        0 => TimeAxis { from: one, to: one },
        1 => state.whole(),
        _ => TimeAxis { from: one.min(other), to: one.max(other) },
    }
}

fn question(random: &mut Random, state: &State) -> DisplayQuestion {
    let tasks = state.analyses().map(|(_, analysis)| analysis.trace.tasks.len()).max().unwrap_or_default();
    match random.below(3) {
        0 => DisplayQuestion::Playhead,
        _ => DisplayQuestion::Dispatch(index(random, tasks) as usize),
    }
}

fn chart(random: &mut Random, state: &State) -> ChartChoice {
    let kinds: Vec<ChartKind> = ChartKind::all().collect();
    let whose = [CoreHolder::All, CoreHolder::User(user(random, state)), CoreHolder::Job(job(random, state))];
    let (of, by) = (user(random, state), policy(random, state));
    let small = [0, 1, 2, 255];
    ChartChoice {
        kind: random.pick(&kinds),
        user: random.one_in(2).then_some(of),
        whose: random.pick(&whose),
        policy: random.one_in(2).then_some(by),
        tuned: TuningChoice {
            tunable: random.pick(&small),
            metric: random.pick(&small),
            further_seeds: random.pick(&small),
        },
        tuning: random.one_in(2),
        checking: random.one_in(2),
        against: random.pick(&[ReferencePolicy::PracticalUjf, ReferencePolicy::FluidUjf]),
        grouping: random.pick(&[Grouping::Policy, Grouping::User]),
        seed: random.pick(&[0, 1, u64::MAX]),
        table: random.pick(&[ChartNumbers::Hidden, ChartNumbers::Shown]),
        size: random.pick(&[Size::Side, Size::Large]),
        ..state.chart
    }
}

fn step(random: &mut Random) -> StepId {
    // Those of the recorded run ask for it; larger scenarios take too long here.
    let lessons = ["fifo-and-fair", "priority-inversion", "skew", "undeclared-pool", "own-policy"];
    let lesson = OUTLINES.iter().position(|outline| outline.id == random.pick(&lessons)).unwrap_or_default();
    if random.one_in(4) {
        StepId::of_challenge(random.below(2))
    } else {
        StepId::first(lesson).at(random.below(9))
    }
}

/// A lesson that somebody else has written, with what can be wrong in one.
fn opened() -> Shared<OpenedLesson> {
    const TEXT: &str = "---\ntitle: T\nscene: catalog:skew&policies=uwfq&jobs=report\n---\n## a\n\
        {response uwfq report}\n\
        ### q\n- [x] a\n- [x] b\n- [ ] c\n<!-- reveal: at=3 -->\n\
        ## b\n<!-- scene: catalog:none -->\n### n\n- [=] {nothing} ± 10 %\n\
        ## c\n<!-- scene: jobs=nobody · show: panel x -->\n{response custom report}\n## d\n<!-- scene: log:x -->\n";
    let document =
        LessonDocument { name: "t.md".to_owned(), text: TEXT.to_owned(), ..LessonDocument::default() };
    Shared::new(OpenedLesson::read(document, None))
}

fn guide(random: &mut Random, state: &State) -> Guide {
    match random.below(18) {
        17 => Guide::Recall(Box::default()),
        16 => Guide::WriteNew(READ),
        0 | 1 => Guide::Start(step(random)),
        11 => Guide::Open(opened(), random.below(5)),
        14 => Guide::Write(Some((opened(), random.below(5)))),
        15 => Guide::Write(None),
        12 => Guide::At(random.pick(&[0, 1, 2, usize::MAX])),
        13 => Guide::Resume(Box::new(ResumedLesson {
            at: LessonPlace::opened(opened(), random.below(3)),
            card: random.pick(&[Card::Open, Card::Folded, Card::Over(LessonEnd::Closed)]),
            progress: LessonProgress::default(),
            before: state.clone(),
        })),
        2 => Guide::SetUp,
        3 => Guide::Explain,
        4 => {
            let answer = match random.below(3) {
                0 => GivenAnswer::Number(number(random)),
                _ => random.pick(&[0, 1, 2, usize::MAX]).into(),
            };
            Guide::Guess(answer, random.pick(&[Motion::Paused, Motion::Playing]))
        }
        5 => Guide::Fold,
        6 => Guide::Finish,
        7 => Guide::Leave,
        8 => Guide::Return,
        9 => Guide::Stay,
        _ => Guide::Reach(
            if random.one_in(2) { step(random).into() } else { LessonPlace::opened(opened(), 3) },
            ChallengeScore { value: number(random), changes: random.below(9) as u32 },
        ),
    }
}

fn poll(random: &mut Random, state: &State) -> PollAction {
    match random.below(10) {
        0 => PollAction::Start(random.one_in(2).then(|| job(random, state))),
        1 => PollAction::Ask(policy(random, state), job(random, state)),
        2..=4 => PollAction::Guess(random.pick(&["4", "0,5 s", "soon", "-1", "1e300", ""]).to_owned()),
        5 => PollAction::Remove(Span(random.pick(&[4_000_000, 500_000, 1]))),
        6 | 7 => PollAction::Reveal(random.pick(&[Motion::Playing, Motion::Paused])),
        8 => PollAction::Again,
        _ => PollAction::Done,
    }
}

fn predict(random: &mut Random, state: &State) -> Predict {
    let tasks = state.analyses().map(|(_, analysis)| analysis.trace.tasks.len()).max().unwrap_or_default();
    match random.below(10) {
        0 | 1 => Predict::Start(policy(random, state)),
        2..=4 => Predict::Found(found(state)),
        5 => {
            let decision = PredictDecision { task: index(random, tasks) as usize, at: time(random, state) };
            Predict::Found(random.one_in(2).then_some(decision))
        }
        6 => Predict::Answer { job: job(random, state), is_right: random.one_in(2) },
        7 => Predict::Reveal,
        8 => random.pick(&[Predict::Next, Predict::OtherJobs]),
        _ => Predict::Leave,
    }
}

/// What the page finds for the predictions under way.
fn found(state: &State) -> Option<PredictDecision> {
    let quiz = state.predict.as_ref()?;
    let analysis = state.runs.get(&quiz.policy)?.analysis.as_ref()?;
    let is_current = analysis.extras.is_some() && analysis.simulated == state.document.scenario;
    quiz.turn.found(analysis, state.view.playhead).filter(|_| is_current).flatten()
}

/// Whether each maker makes what it says.
#[test]
fn each_kind_of_action_is_made() {
    let (mut random, state) = (Random::new(1), crate::testing::page("priority-inversion"));
    let kinds: BTreeSet<&str> = MAKERS.iter().map(|(name, _)| *name).collect();
    assert_eq!(kinds.len(), MAKERS.len());
    for (name, make) in MAKERS {
        assert_eq!(kind(&make(&mut random, &state)), *name);
    }
}
