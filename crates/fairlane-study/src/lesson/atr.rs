//! Choosing the advisory task runtime: too long and the policy has no choice, too short and the overhead eats the
//! cluster.

use super::{Guess, Lesson, LessonScene, LessonStep, Reveal, StepSource, StepTarget, TextBlock};
use fairlane_view::view::Mark;

/// Eight cores and an overhead of 50 ms a task. ana's batch is skewed; ben asks four short questions meanwhile, which
/// are cut into eight tasks at least, whatever the ATR.
const FILE: &str = r#"{ "format": "fairlane/scenario@1", "name": "Lesson: choosing the ATR",
  "description": "A long skewed batch and four short questions; starting a task costs 50 ms.",
  "cluster": { "executors": 2, "cores_per_executor": 4, "task_overhead_s": 0.05 },
  "partitioning": { "advisory_task_runtime_s": 0.5 },
  "users": [{ "name": "ana" }, { "name": "ben" }],
  "jobs": [
    { "user": "ana", "name": "batch", "arrival_s": 0, "stages": [{ "name": "scan", "work_s": 80, "partitions": 8, "profile": [1, 1, 1, 3, 1, 1, 1, 1] }] },
    { "user": "ben", "name": "q1", "arrival_s": 1, "stages": [{ "name": "read", "work_s": 2, "partitions": 8 }] },
    { "user": "ben", "name": "q2", "arrival_s": 3, "stages": [{ "name": "read", "work_s": 2, "partitions": 8 }] },
    { "user": "ben", "name": "q3", "arrival_s": 5, "stages": [{ "name": "read", "work_s": 2, "partitions": 8 }] },
    { "user": "ben", "name": "q4", "arrival_s": 7, "stages": [{ "name": "read", "work_s": 2, "partitions": 8 }] } ] }"#;

/// What an ATR, in seconds, leads to.
macro_rules! row {
    ($atr:literal) => {
        &[
            concat!("{atr @ atr ", $atr, "}"),
            concat!("{all-tasks uwfq-p @ atr ", $atr, "}"),
            concat!("{all-tasks uwfq-p * overhead % busy uwfq-p @ atr ", $atr, "}"),
            concat!("{mean-of uwfq-p ben @ atr ", $atr, "}"),
            concat!("{finish uwfq-p batch @ atr ", $atr, "}"),
        ]
    };
}

const PAGE: LessonScene = LessonScene::new(StepSource::Own(FILE), "uwfq-p");

pub(super) const LESSON: Lesson = Lesson {
    id: "choosing-the-atr",
    title: "Choosing the ATR",
    promise: "Long tasks leave the policy no choice, short ones cost overhead; in between is a wide valley.",
    minutes: 6,
    steps: &[
        LessonStep {
            title: "Too long",
            text: &[
                TextBlock::Text(
                    "The **advisory task runtime**, ATR, is the length of task that runtime partitioning aims at. \
                        Here it is {atr}: ana's batch of {work batch} \
                     becomes {tasks uwfq-p batch} tasks, the default number, and the longest lasts {longest uwfq-p \
                     batch}.",
                ),
                TextBlock::Text(
                    "ben's four questions, {alone uwfq-p q1} each on an idle cluster, take {mean-of uwfq-p ben} on \
                        average. Both problems of the previous lessons are here: inversion while all cores are \
                        held, and skew while one is.",
                ),
            ],
            scene: PAGE.cut_to(10_000).marking(&[Mark::Inversion, Mark::Skew]),
            spots: &[StepTarget::Panel("uwfq-p"), StepTarget::Atr],
            guess: None,
            claims: &[
                "jobs ben = 4",
                "tasks uwfq-p batch = cores",
                "alone uwfq-p q1 * 10 < mean-of uwfq-p ben",
            ],
        },
        LessonStep {
            title: "Shorter",
            text: &[TextBlock::Text(
                "Now the ATR is {atr}: {tasks uwfq-p batch} tasks for the batch. A core becomes free every few \
                    hundredths of a second, and each time the policy decides.",
            )],
            scene: PAGE.showing(0, 1000).editing(),
            spots: &[StepTarget::Panel("uwfq-p"), StepTarget::Atr],
            guess: Some(Guess {
                question: "ben's questions took {mean-of uwfq-p ben @ atr 10} on average. And now?",
                options: &[
                    "{mean-of uwfq-p ben / 2 @ atr 10}: half of it",
                    "{mean-of uwfq-p ben}",
                    "About as long: UWFQ ranked correctly before, too",
                ],
                right: 1,
                answer: &[TextBlock::Text(
                    "{mean-of uwfq-p ben}, against {alone uwfq-p q1} on an idle cluster. ana gains as well: her \
                        batch ends at {finish uwfq-p batch} instead of \
                     {finish uwfq-p batch @ atr 10}, because its heavy part no longer sits on one core.",
                )],
                reveal: Some(Reveal {
                    scene: PAGE.at(8000),
                    spots: &[StepTarget::ByUser, StepTarget::Panel("uwfq-p")],
                }),
            }),
            claims: &[
                "mean-of uwfq-p ben * 4 < mean-of uwfq-p ben @ atr 10",
                "finish uwfq-p batch < finish uwfq-p batch @ atr 10",
                "longest uwfq-p batch / cores < 0.25",
            ],
        },
        LessonStep {
            title: "Too short",
            text: &[TextBlock::Text(
                "If short is good, is shorter better? Starting a task costs {overhead} on its core: Spark has to \
                    serialize and send it. The ATR is {atr} now, which \
                     makes {tasks uwfq-p batch} tasks.",
            )],
            scene: PAGE.cut_to(50),
            spots: &[StepTarget::Panel("uwfq-p"), StepTarget::Atr],
            guess: Some(Guess {
                question: "How much of the cores' busy time is overhead now?",
                options: &[
                    "{all-tasks uwfq-p * overhead % busy uwfq-p @ atr 0.5}, as at an ATR of {atr @ atr 0.5}",
                    "About a quarter",
                    "{all-tasks uwfq-p * overhead % busy uwfq-p}",
                ],
                right: 2,
                answer: &[TextBlock::Text(
                    "As much as work: each task takes {overhead} longer than its share of the work, which is about \
                        that long itself. The batch ends at {finish uwfq-p batch} \
                     instead of {finish uwfq-p batch @ atr 0.5}, and ben's questions gain little from it: {mean-of \
                     uwfq-p ben} against {mean-of uwfq-p ben @ atr 0.5}.",
                )],
                reveal: None,
            }),
            claims: &[
                "40 < all-tasks uwfq-p * overhead % busy uwfq-p < 60",
                "finish uwfq-p batch * 1.5 @ atr 0.5 < finish uwfq-p batch",
                "mean-of uwfq-p ben < mean-of uwfq-p ben @ atr 0.5",
            ],
        },
        LessonStep {
            title: "The valley",
            text: &[
                TextBlock::Table {
                    head: &["ATR", "tasks", "overhead", "ben's mean", "batch ends"],
                    rows: &[row!("10"), row!("2"), row!("0.5"), row!("0.2"), row!("0.05")],
                },
                TextBlock::Text(
                    "A rule of thumb: **well above the overhead**, so that it remains a small part, and **well \
                        below the response** that short jobs should have. In between, the exact value hardly \
                        matters, so a rough choice is good enough.",
                ),
            ],
            scene: PAGE,
            spots: &[StepTarget::Atr],
            guess: None,
            claims: &[
                "mean-of uwfq-p ben @ atr 0.5 < mean-of uwfq-p ben @ atr 2",
                "mean-of uwfq-p ben @ atr 2 < mean-of uwfq-p ben @ atr 10",
                "all-tasks uwfq-p * overhead % busy uwfq-p @ atr 2 < 10",
            ],
        },
        LessonStep {
            title: "Now you",
            text: &[TextBlock::Points(&[
                "The tab **Charts** draws such a table as a curve: choose **Sweep: task runtime (ATR)** there.",
                "Move the ATR slider. Where do ben's questions begin to suffer, and where the batch?",
                "Under **More cluster settings**, set the task overhead to zero, or to a tenth of a second. Which \
                    side of the valley moves?",
                "Tick UWFQ in the column *default* to compare.",
            ])],
            scene: PAGE,
            spots: &[StepTarget::Atr],
            guess: None,
            claims: &[],
        },
    ],
};
