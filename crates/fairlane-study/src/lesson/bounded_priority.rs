//! Priority, but bounded: BoPF between fair sharing and strict priority.

use super::{Guess, Lesson, LessonScene, LessonStep, Reveal, StepSource, StepTarget, TextBlock};

/// Eight cores: a batch queue that always has work, and bursts every 20 s, the last two of them larger than half of
/// what the cores do in that time.
const FILE: &str = r#"{ "format": "fairlane/scenario@1", "name": "Lesson: priority, but bounded",
  "description": "alerts submits two small bursts, then two large ones; nightly always has work.",
  "cluster": { "executors": 2, "cores_per_executor": 4 },
  "partitioning": { "advisory_task_runtime_s": 0.5 },
  "users": [{ "name": "nightly" },
    { "name": "alerts", "queue": { "kind": "latency", "joins_s": 10, "period_s": 20, "within_s": 10, "demand_core_s": 80 } }],
  "jobs": [
    { "user": "nightly", "name": "batch1", "arrival_s": 0, "stages": [{ "work_s": 96, "partitions": 24 }] },
    { "user": "nightly", "name": "batch2", "arrival_s": 0, "stages": [{ "work_s": 96, "partitions": 24 }] },
    { "user": "nightly", "name": "batch3", "arrival_s": 0, "stages": [{ "work_s": 96, "partitions": 24 }] },
    { "user": "nightly", "name": "batch4", "arrival_s": 0, "stages": [{ "work_s": 96, "partitions": 24 }] },
    { "user": "nightly", "name": "batch5", "arrival_s": 0, "stages": [{ "work_s": 96, "partitions": 24 }] },
    { "user": "nightly", "name": "batch6", "arrival_s": 0, "stages": [{ "work_s": 96, "partitions": 24 }] },
    { "user": "nightly", "name": "batch7", "arrival_s": 0, "stages": [{ "work_s": 96, "partitions": 24 }] },
    { "user": "alerts", "name": "small1", "arrival_s": 10, "stages": [{ "work_s": 32, "partitions": 64 }] },
    { "user": "alerts", "name": "small2", "arrival_s": 30, "stages": [{ "work_s": 32, "partitions": 64 }] },
    { "user": "alerts", "name": "large1", "arrival_s": 50, "stages": [{ "work_s": 120, "partitions": 240 }] },
    { "user": "alerts", "name": "large2", "arrival_s": 70, "stages": [{ "work_s": 120, "partitions": 240 }] } ] }"#;

const PAGE: LessonScene = LessonScene::new(StepSource::Own(FILE), "drf,sp,bopf");

/// Responses of three jobs under a policy.
macro_rules! row {
    ($title:literal, $policy:literal) => {
        &[
            $title,
            concat!("{response ", $policy, " small1}"),
            concat!("{response ", $policy, " large1}"),
            concat!("{response ", $policy, " batch5}"),
        ]
    };
}

pub(super) const LESSON: Lesson = Lesson {
    id: "priority-but-bounded",
    title: "Priority, but bounded",
    promise: "How bursts get the whole cluster at once without starving anybody, and what the guarantee needs.",
    minutes: 7,
    steps: &[
        LessonStep {
            title: "Bursts and batches",
            text: &[
                TextBlock::Text(
                    "nightly always has work. alerts submits a burst now and then and wants it done at once: the \
                        first holds {work small1}, {alone sp small1} of the whole cluster.",
                ),
                TextBlock::Text(
                    "**DRF** divides the cores fairly at every instant: the burst takes {response drf small1}. \
                        **SP**, strict priority, serves alerts first: {response sp small1}.",
                ),
            ],
            scene: PAGE.under("drf,sp").at(12_000).showing(0, 40_000).choosing(&["small1"]),
            spots: &[StepTarget::Response("drf"), StepTarget::Response("sp")],
            guess: None,
            claims: &[
                "response sp small1 * 1.5 < response drf small1",
                "running drf alerts 15 < running sp alerts 15",
            ],
        },
        LessonStep {
            title: "Who asks, gets",
            text: &[TextBlock::Text(
                "From the third burst on alerts asks for {work large1} each time. Half of what the cores do \
                    between two bursts is {cores * 20 / 2} core-seconds.",
            )],
            scene: PAGE.under("drf,sp").at(50_000).showing(0, 50_000),
            spots: &[StepTarget::Job("large1"), StepTarget::Lanes],
            guess: Some(Guess {
                question: "Under DRF, nightly's fifth batch ends at {finish drf batch5}. And under SP?",
                options: &[
                    "Sooner: priority is no loss in the long run",
                    "At {finish drf batch5}: the cores are shared fairly",
                    "At {finish sp batch5}",
                ],
                right: 2,
                answer: &[TextBlock::Text(
                    "At {finish sp batch5}. Strict priority is bounded by nothing: the more alerts submits, the \
                        less is left, and it pays to submit more.",
                )],
                reveal: Some(Reveal {
                    scene: PAGE.under("drf,sp").at(60_000).choosing(&["batch5"]),
                    spots: &[StepTarget::Load("sp"), StepTarget::Response("sp")],
                }),
            }),
            claims: &["finish drf batch5 + 10 < finish sp batch5", "running sp nightly 60 = 0"],
        },
        LessonStep {
            title: "A bounded promise",
            text: &[
                TextBlock::Text(
                    "**BoPF** lets alerts declare its bursts in advance: so much work, within so long, so often. \
                        It admits them with a **hard guarantee** if they fit in alerts' share of a period and in \
                        what has not been promised to others. Priority ends where the declared work does.",
                ),
                TextBlock::Table {
                    head: &["", "small burst", "large burst", "fifth batch"],
                    rows: &[row!("DRF", "drf"), row!("SP", "sp"), row!("BoPF", "bopf")],
                },
                TextBlock::Text(
                    "Small bursts are as quick as under SP. A large one first gets what was promised, and then \
                        waits for the next period.",
                ),
            ],
            scene: PAGE.at(62_000).choosing(&["large1"]),
            spots: &[StepTarget::Load("bopf"), StepTarget::Panel("bopf")],
            guess: None,
            claims: &[
                "response bopf small1 = response sp small1",
                "response sp large1 < response bopf large1 < response drf large1",
                "finish bopf batch5 < finish sp batch5",
                "running bopf alerts 62 = 0",
                "0 < running sp alerts 62",
            ],
        },
        LessonStep {
            title: "A guarantee needs short tasks",
            text: &[TextBlock::Text(
                "Alone, the small burst takes {alone bopf small1}. With BoPF's hard guarantee it took {response \
                    bopf small1}: all cores were busy with nightly's tasks of {longest bopf batch1} when it \
                    arrived, and no task is interrupted.",
            )],
            scene: PAGE.under("bopf,bopf-p").at(10_000).showing(0, 10_000),
            spots: &[StepTarget::Load("bopf"), StepTarget::Job("small1")],
            guess: Some(Guess {
                question: "With runtime partitioning (BoPF-P) tasks last {atr}. How long does the burst take?",
                options: &[
                    "{response bopf small1}",
                    "{response bopf-p small1}",
                    "{response drf small1}, as under DRF",
                ],
                right: 1,
                answer: &[TextBlock::Text(
                    "{response bopf-p small1}. Cores become free every moment, and the promise is kept nearly to \
                        the letter. In the workload of the paper's Figure 10 the same step turns the guarantee \
                        into the promised time.",
                )],
                reveal: Some(Reveal {
                    scene: PAGE.under("bopf,bopf-p").at(12_000).showing(5_000, 25_000).choosing(&["small1"]),
                    spots: &[StepTarget::Response("bopf"), StepTarget::Response("bopf-p")],
                }),
            }),
            claims: &[
                "response bopf-p small1 < alone bopf small1 + 0.6",
                "alone bopf small1 + 1 < response bopf small1",
            ],
        },
        LessonStep {
            title: "Now you",
            text: &[TextBlock::Points(&[
                "Look at the tab Why under BoPF: it shows the class of each queue and how much of its burst is used.",
                "Double the demand of alerts in the editor of the user. Is it still admitted with a guarantee?",
                "Add a third user. The share of a period shrinks: who is still promised what?",
                "Tick M-BVT: what does it give the first burst, and what the last?",
            ])],
            scene: PAGE.at(62_000),
            spots: &[StepTarget::Policy("bopf")],
            guess: None,
            claims: &[],
        },
    ],
};
