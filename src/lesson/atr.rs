//! Choosing the advisory task runtime: too large and the policy has no say, too small and the overhead eats the
//! cluster.

use super::{Block, Guess, Layer, Lesson, Reveal, Scene, Side, Source, Spot, Step};

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

const PAGE: Scene = Scene::of(Source::Own(FILE), "uwfq-p");

pub(super) const LESSON: Lesson = Lesson {
    id: "choosing-the-atr",
    title: "Choosing the ATR",
    promise: "Large tasks take the policy's power, small ones cost overhead; in between lies a wide valley.",
    minutes: 6,
    steps: &[
        Step {
            title: "Too large",
            text: &[
                Block::Text(
                    "The **advisory task runtime**, ATR, is the length of task that runtime partitioning aims at. Here it is {atr}: ana's batch of {work batch} \
                     becomes {tasks uwfq-p batch} tasks, the default number, and the longest lasts {longest uwfq-p batch}.",
                ),
                Block::Text(
                    "ben's four questions, {alone uwfq-p q1} each on an idle cluster, take {mean-of uwfq-p ben} on average. Both troubles of the lessons before are here: \
                     inversion, while all cores are held, and skew, while one is.",
                ),
            ],
            scene: PAGE.cut_to(10_000).marking(&[Layer::Inversion, Layer::Skew]),
            spots: &[Spot::Panel("uwfq-p"), Spot::Atr],
            guess: None,
            claims: &[
                "jobs ben = 4",
                "tasks uwfq-p batch = cores",
                "alone uwfq-p q1 * 10 < mean-of uwfq-p ben",
            ],
        },
        Step {
            title: "Shorter",
            text: &[Block::Text(
                "Now the ATR is {atr}: {tasks uwfq-p batch} tasks for the batch. A core comes free every few hundredths of a second, and each time the policy has its say.",
            )],
            scene: PAGE.showing(0, 1000).beside(Side::Job),
            spots: &[Spot::Panel("uwfq-p"), Spot::Atr],
            guess: Some(Guess {
                question: "ben's questions took {mean-of uwfq-p ben @ atr 10} on average. And now?",
                options: &[
                    "{mean-of uwfq-p ben / 2 @ atr 10}: half of it",
                    "{mean-of uwfq-p ben}",
                    "About as long: UWFQ was right before, too",
                ],
                right: 1,
                answer: &[Block::Text(
                    "{mean-of uwfq-p ben}, against {alone uwfq-p q1} on an idle cluster. And ana gains as well: her batch ends at {finish uwfq-p batch} instead of \
                     {finish uwfq-p batch @ atr 10}, because its heavy part no longer sits on one core.",
                )],
                reveal: Some(Reveal { scene: PAGE, spots: &[Spot::ByUser, Spot::Panel("uwfq-p")] }),
            }),
            claims: &[
                "mean-of uwfq-p ben * 4 < mean-of uwfq-p ben @ atr 10",
                "finish uwfq-p batch < finish uwfq-p batch @ atr 10",
                "longest uwfq-p batch / cores < 0.25",
            ],
        },
        Step {
            title: "Too small",
            text: &[Block::Text(
                "If short is good, is shorter better? Starting a task costs {overhead} on its core: Spark has to serialize and send it. The ATR is {atr} now, which \
                     makes {tasks uwfq-p batch} tasks.",
            )],
            scene: PAGE.cut_to(50),
            spots: &[Spot::Panel("uwfq-p"), Spot::Atr],
            guess: Some(Guess {
                question: "Which part of the cores' busy time is overhead now?",
                options: &[
                    "{all-tasks uwfq-p * overhead % busy uwfq-p @ atr 0.5}, as at an ATR of {atr @ atr 0.5}",
                    "About a quarter",
                    "{all-tasks uwfq-p * overhead % busy uwfq-p}",
                ],
                right: 2,
                answer: &[Block::Text(
                    "As much as work: each task lasts {overhead} longer than its share of the work, which is about as long itself. The batch ends at {finish uwfq-p batch} \
                     instead of {finish uwfq-p batch @ atr 0.5}, and ben's questions gain little more by it: {mean-of uwfq-p ben} against {mean-of uwfq-p ben @ atr 0.5}.",
                )],
                reveal: None,
            }),
            claims: &[
                "40 < all-tasks uwfq-p * overhead % busy uwfq-p < 60",
                "finish uwfq-p batch * 1.5 @ atr 0.5 < finish uwfq-p batch",
                "mean-of uwfq-p ben < mean-of uwfq-p ben @ atr 0.5",
            ],
        },
        Step {
            title: "The valley",
            text: &[
                Block::Table {
                    head: &["ATR", "tasks", "overhead", "ben's mean", "batch ends"],
                    rows: &[
                        &[
                            "{atr @ atr 10}",
                            "{all-tasks uwfq-p @ atr 10}",
                            "{all-tasks uwfq-p * overhead % busy uwfq-p @ atr 10}",
                            "{mean-of uwfq-p ben @ atr 10}",
                            "{finish uwfq-p batch @ atr 10}",
                        ],
                        &[
                            "{atr @ atr 2}",
                            "{all-tasks uwfq-p @ atr 2}",
                            "{all-tasks uwfq-p * overhead % busy uwfq-p @ atr 2}",
                            "{mean-of uwfq-p ben @ atr 2}",
                            "{finish uwfq-p batch @ atr 2}",
                        ],
                        &[
                            "{atr @ atr 0.5}",
                            "{all-tasks uwfq-p @ atr 0.5}",
                            "{all-tasks uwfq-p * overhead % busy uwfq-p @ atr 0.5}",
                            "{mean-of uwfq-p ben @ atr 0.5}",
                            "{finish uwfq-p batch @ atr 0.5}",
                        ],
                        &[
                            "{atr @ atr 0.2}",
                            "{all-tasks uwfq-p @ atr 0.2}",
                            "{all-tasks uwfq-p * overhead % busy uwfq-p @ atr 0.2}",
                            "{mean-of uwfq-p ben @ atr 0.2}",
                            "{finish uwfq-p batch @ atr 0.2}",
                        ],
                        &[
                            "{atr @ atr 0.05}",
                            "{all-tasks uwfq-p @ atr 0.05}",
                            "{all-tasks uwfq-p * overhead % busy uwfq-p @ atr 0.05}",
                            "{mean-of uwfq-p ben @ atr 0.05}",
                            "{finish uwfq-p batch @ atr 0.05}",
                        ],
                    ],
                },
                Block::Text(
                    "A rule of thumb: **well above the overhead**, so that it stays a small part, and **well below the response** that short jobs should have. In between \
                     little depends on the exact value, so a rough choice will do.",
                ),
            ],
            scene: PAGE,
            spots: &[Spot::Atr],
            guess: None,
            claims: &[
                "mean-of uwfq-p ben @ atr 0.5 < mean-of uwfq-p ben @ atr 2",
                "mean-of uwfq-p ben @ atr 2 < mean-of uwfq-p ben @ atr 10",
                "all-tasks uwfq-p * overhead % busy uwfq-p @ atr 2 < 10",
            ],
        },
        Step {
            title: "Now you",
            text: &[Block::Points(&[
                "The tab **Charts** draws such a table as a curve: choose **Sweep: task runtime (ATR)** there.",
                "Pull the slider of the ATR. Where do ben's questions begin to suffer, where the batch?",
                "Under **More about the cluster**, set the task overhead to nothing, or to a tenth of a second. Which side of the valley moves?",
                "Tick UWFQ in the column *default* to compare.",
            ])],
            scene: PAGE,
            spots: &[Spot::Atr],
            guess: None,
            claims: &[],
        },
    ],
};
