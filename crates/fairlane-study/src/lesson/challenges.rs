//! The challenges, from a single press to a compromise.

use super::challenge::{Challenge, ChallengeGoal, ChallengeRule, ChallengeScore, GoalSide, Par};
use super::{Lesson, LessonScene, LessonStep, StepSource, StepTarget, TextBlock, own_policy};
use fairlane::ids::{JobId, UserId};
use fairlane::scenario::Edit;
use fairlane::scenario::edit::ObjectPath;
use fairlane::scenario::palette::JobTemplate;
use fairlane::units::{Span, Time};
use fairlane_view::view::Mark;

/// A report of ana's, a pause, and a lookup of ben's that finds all cores free.
const PAUSE: &str = r#"{ "format": "fairlane/scenario@1", "name": "Challenge: ten times the wait",
  "description": "ben's lookup arrives at an idle cluster.",
  "cluster": { "executors": 2, "cores_per_executor": 4 },
  "users": [{ "name": "ana" }, { "name": "ben" }],
  "jobs": [
    { "user": "ana", "name": "report", "arrival_s": 0, "stages": [{ "work_s": 16, "partitions": 16 }] },
    { "user": "ben", "name": "lookup", "arrival_s": 5, "stages": [{ "work_s": 8, "partitions": 8 }] } ] }"#;

/// One large job among small ones that arrive while it waits.
const QUEUE: &str = r#"{ "format": "fairlane/scenario@1", "name": "Challenge: a lie that pays",
  "description": "ana's report is the largest job, and UWFQ serves it last.",
  "cluster": { "executors": 2, "cores_per_executor": 4 },
  "users": [{ "name": "ana" }, { "name": "ben" }, { "name": "cem" }],
  "jobs": [
    { "user": "ana", "name": "report", "arrival_s": 0, "stages": [{ "work_s": 32, "partitions": 32 }] },
    { "user": "ben", "name": "sales", "arrival_s": 0, "stages": [{ "work_s": 16, "partitions": 16 }] },
    { "user": "cem", "name": "stock", "arrival_s": 0, "stages": [{ "work_s": 16, "partitions": 16 }] },
    { "user": "ben", "name": "costs", "arrival_s": 1, "stages": [{ "work_s": 8, "partitions": 8 }] },
    { "user": "cem", "name": "taxes", "arrival_s": 1, "stages": [{ "work_s": 8, "partitions": 8 }] } ] }"#;

/// A job that is due after three seconds.
macro_rules! due {
    ($user:literal, $name:literal, $arrival:literal) => {
        concat!(
            r#"{ "user": ""#,
            $user,
            r#"", "name": ""#,
            $name,
            r#"", "arrival_s": "#,
            $arrival,
            r#", "deadline_s": 3, "stages": [{ "work_s": 16, "partitions": 8 }] }"#
        )
    };
}

/// Six jobs, one every three seconds, each due when the next one arrives.
const DUE: &str = concat!(
    r#"{ "format": "fairlane/scenario@1", "name": "Challenge: two cores fewer",
  "description": "Jobs with deadlines, on eight cores that are more than they need.",
  "cluster": { "executors": 2, "cores_per_executor": 4, "task_overhead_s": 0.01 },
  "partitioning": { "advisory_task_runtime_s": 2, "min_partitions": "one" },
  "users": [{ "name": "ana" }, { "name": "ben" }, { "name": "cem" }],
  "jobs": ["#,
    due!("ana", "job1", "0"),
    ",",
    due!("ben", "job2", "3"),
    ",",
    due!("cem", "job3", "6"),
    ",",
    due!("ana", "job4", "9"),
    ",",
    due!("ben", "job5", "12"),
    ",",
    due!("cem", "job6", "15"),
    "] }"
);

/// A long job of ana's on all cores, and a lookup of ben's just behind it; each task costs something to launch.
const NIGHTLY: &str = r#"{ "format": "fairlane/scenario@1", "name": "Challenge: protect ben",
  "description": "Long tasks hold all cores when ben's lookup arrives.",
  "cluster": { "executors": 2, "cores_per_executor": 2, "task_overhead_s": 0.02 },
  "partitioning": { "advisory_task_runtime_s": 12, "min_partitions": "one" },
  "users": [{ "name": "ana" }, { "name": "ben" }],
  "jobs": [
    { "user": "ana", "name": "nightly", "arrival_s": 0, "stages": [{ "work_s": 48, "partitions": 4 }] },
    { "user": "ben", "name": "lookup", "arrival_s": 0.1, "stages": [{ "work_s": 2, "partitions": 4 }] } ] }"#;

const WORK_STAYS: ChallengeRule = ChallengeRule {
    words: "All work stays: nothing is deleted or made smaller",
    claim: "all-work = all-work @ start",
};

/// The challenges, in the order in which they are offered.
pub const CHALLENGES: &[Challenge] = &[
    ONE_CHANGE,
    TEN_TIMES,
    LIE,
    FEWER_CORES,
    PROTECT,
    own_policy::PROTECT,
    own_policy::DEADLINES,
    own_policy::ESTIMATES,
    own_policy::MEAN,
];

/// The challenges as steps of one tour, whose card, links and storage they share with the lessons.
pub(super) const TOUR: Lesson = Lesson {
    id: "challenges",
    title: "Challenges",
    promise: "Goals to reach on the page, judged while you play.",
    minutes: 30,
    steps: &[
        CHALLENGES[0].step,
        CHALLENGES[1].step,
        CHALLENGES[2].step,
        CHALLENGES[3].step,
        CHALLENGES[4].step,
        CHALLENGES[5].step,
        CHALLENGES[6].step,
        CHALLENGES[7].step,
        CHALLENGES[8].step,
    ],
};

const ONE_CHANGE: Challenge = Challenge {
    id: "one-change",
    step: LessonStep {
        title: "Repair it with one change",
        text: &[TextBlock::Text(
            "ana is alone on {cores} cores, and still her report takes {response uwfq report} for {work report} of \
                work: one slow task, and all other cores wait for it. Bring it below half of that by **one change** \
                of the policy or the cluster. The job itself stays as it is.",
        )],
        scene: LessonScene::new(StepSource::Catalog("skew"), "uwfq").marking(&[Mark::Skew]),
        spots: &[StepTarget::Panel("uwfq")],
        guess: None,
        claims: &["work report / cores * 3 < response uwfq report"],
    },
    goal: ChallengeGoal {
        words: "Response time of report",
        figure: "response $ report",
        side: GoalSide::AtMost,
        limit: "0.5 * response uwfq report @ start",
    },
    free: &["cluster", "partitioning"],
    rules: &[],
    most_changes: Some(1),
    by_program: false,
    par: Par { score: ChallengeScore { value: 1.8, changes: 1 }, edits: Vec::new, policies: "uwfq,uwfq-p" },
};

const TEN_TIMES: Challenge = Challenge {
    id: "ten-times",
    step: LessonStep {
        title: "Ten times as long, with one job",
        text: &[
            TextBlock::Text(
                "UWFQ serves ben's lookup first whenever it arrives: alone on {cores} cores it takes {response uwfq \
                    lookup}, and here as well. Make it take **ten times as long** by adding one job of the palette.",
            ),
            TextBlock::Text("No policy takes a core away from a task that runs."),
        ],
        scene: LessonScene::new(StepSource::Own(PAUSE), "uwfq"),
        spots: &[StepTarget::Palette],
        guess: None,
        claims: &["response uwfq lookup = alone uwfq lookup"],
    },
    goal: ChallengeGoal {
        words: "Response time of lookup",
        figure: "response uwfq lookup",
        side: GoalSide::AtLeast,
        limit: "10 * response uwfq lookup @ start",
    },
    free: &["jobs"],
    rules: &[
        ChallengeRule { words: "ben's lookup stays as it is", claim: "work lookup = work lookup @ start" },
        ChallengeRule {
            words: "The new job is no larger than the palette's long one",
            claim: "all-work <= all-work + 80 @ start",
        },
    ],
    most_changes: Some(1),
    by_program: false,
    par: Par {
        score: ChallengeScore { value: 11.0, changes: 1 },
        edits: || vec![Edit::AddJob { kind: JobTemplate::Long, user: UserId(0), arrival: Time(4_990_000) }],
        policies: "uwfq",
    },
};

const LIE: Challenge = Challenge {
    id: "lie",
    step: LessonStep {
        title: "A lie that pays",
        text: &[TextBlock::Text(
            "UWFQ orders jobs by what their owners say of them. ana's report, {work report} of work, is the largest \
                and takes {response uwfq report}. Get it done in **half of that** by changing nothing but what ana \
                says.",
        )],
        scene: LessonScene::new(StepSource::Own(QUEUE), "uwfq").choosing(&["report"]).editing(),
        spots: &[StepTarget::Estimate],
        guess: None,
        claims: &["estimate report = work report"],
    },
    goal: ChallengeGoal {
        words: "Response time of report",
        figure: "response uwfq report",
        side: GoalSide::AtMost,
        limit: "0.5 * response uwfq report @ start",
    },
    free: &["jobs"],
    rules: &[
        WORK_STAYS,
        ChallengeRule {
            words: "report arrives when it did",
            claim: "arrival report = arrival report @ start",
        },
    ],
    most_changes: Some(1),
    by_program: false,
    par: Par {
        score: ChallengeScore { value: 4.0, changes: 1 },
        edits: || vec![Edit::set(ObjectPath::Job(JobId(0)), "estimate_s", 1)],
        policies: "uwfq",
    },
};

const FEWER_CORES: Challenge = Challenge {
    id: "two-cores-fewer",
    step: LessonStep {
        title: "No deadline missed on two cores fewer",
        text: &[TextBlock::Text(
            "Every three seconds a job of {work job1} arrives, due when the next one does. On {cores} cores all \
                {met uwfq-p} deadlines are met. Meet them **on two cores fewer**. The jobs stay as they are; how they \
                are cut into tasks is up to you.",
        )],
        scene: LessonScene::new(StepSource::Own(DUE), "uwfq-p"),
        spots: &[StepTarget::Atr],
        guess: None,
        claims: &["met uwfq-p = jobs ana + jobs ben + jobs cem"],
    },
    goal: ChallengeGoal {
        words: "Deadlines met",
        figure: "met $",
        side: GoalSide::AtLeast,
        limit: "jobs ana + jobs ben + jobs cem @ start",
    },
    free: &["cluster", "partitioning"],
    rules: &[ChallengeRule { words: "Two cores fewer", claim: "cores + 2 <= cores @ start" }],
    most_changes: None,
    by_program: false,
    par: Par {
        score: ChallengeScore { value: 6.0, changes: 2 },
        edits: || {
            vec![
                Edit::set(ObjectPath::Cluster, "cores_per_executor", 3),
                Edit::advisory_task_runtime(Span(250_000)),
            ]
        },
        policies: "uwfq-p",
    },
};

const PROTECT: Challenge = Challenge {
    id: "protect-ben",
    step: LessonStep {
        title: "Protect ben, delay nobody",
        text: &[TextBlock::Text(
            "ana's nightly job holds all {cores} cores with tasks of {longest uwfq-p nightly} when ben's lookup \
                arrives: it takes {response uwfq-p lookup} for {work lookup} of work. Get it **below two seconds**, \
                but delay ana's job by no more than a tenth. Each task costs {overhead} to launch.",
        )],
        scene: LessonScene::new(StepSource::Own(NIGHTLY), "uwfq-p").choosing(&["lookup"]),
        spots: &[StepTarget::Atr],
        guess: None,
        claims: &["response uwfq-p nightly < response uwfq-p lookup + 0.1"],
    },
    goal: ChallengeGoal {
        words: "Response time of lookup",
        figure: "response $ lookup",
        side: GoalSide::AtMost,
        limit: "2",
    },
    free: &["partitioning"],
    rules: &[ChallengeRule {
        words: "nightly takes at most a tenth longer",
        claim: "response $ nightly <= 1.1 * response uwfq-p nightly @ start",
    }],
    most_changes: None,
    by_program: false,
    par: Par {
        score: ChallengeScore { value: 0.94, changes: 1 },
        edits: || vec![Edit::advisory_task_runtime(Span(500_000))],
        policies: "uwfq-p",
    },
};
