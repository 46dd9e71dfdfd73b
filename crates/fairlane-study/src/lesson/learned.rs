//! What the network found out: Decima on the workloads that it was trained for, beside users, and on another cluster.

use super::{Guess, Lesson, LessonScene, LessonStep, Reveal, StepSource, StepTarget, TextBlock};

/// Fifty executors as in training: ten small queries of ana and a larger report of ben, all at once.
macro_rules! scenario {
    () => {
        concat!(
            r#"{ "format": "fairlane/scenario@1", "name": "Lesson: what the network found out",
  "description": "Ten small queries of ana and a report of ben, at once.",
  "cluster": { "executors": 50, "cores_per_executor": 1, "core_move_s": 2.5,
    "executors_belong": "jobs" },
  "users": [{ "name": "ana" }, { "name": "ben" }],
  "jobs": ["#,
            scenario!(query 1), scenario!(query 2), scenario!(query 3), scenario!(query 4), scenario!(query 5),
            scenario!(query 6), scenario!(query 7), scenario!(query 8), scenario!(query 9), scenario!(query 10),
            r#"
    { "user": "ben", "name": "report", "arrival_s": 0, "stages": [{ "work_s": 600, "partitions": 60,
      "splittable": false, "first_wave": 1.3, "inflation": [[1, 1], [50, 1.4]] }] } ] }"#
        )
    };
    (query $number:literal) => {
        concat!(
            r#"
    { "user": "ana", "name": "query-"#, $number, r#"", "arrival_s": 0, "stages": [{ "work_s": 120, "partitions": 30,
      "splittable": false, "first_wave": 1.3, "inflation": [[1, 1], [50, 1.4]] }] },"#
        )
    };
}

const BATCH: LessonScene = LessonScene::new(StepSource::Catalog("decima-batch"), "wfair");
const USERS: LessonScene = LessonScene::new(StepSource::Own(scenario!()), "ujf");
const ELSEWHERE: LessonScene = LessonScene::new(StepSource::Catalog("two-users"), "fair,decima");

/// Mean, a small query, and core time under a policy.
macro_rules! row {
    ($title:literal, $policy:literal) => {
        &[
            $title,
            concat!("{mean ", $policy, "}"),
            concat!("{mean-of ", $policy, " q8}"),
            concat!("{busy ", $policy, " / busy wfair}"),
        ]
    };
}

pub(super) const LESSON: Lesson = Lesson {
    id: "what-the-network-found",
    title: "What the network found out",
    promise: "How a trained network schedules, why its means are small, and whom it forgets.",
    minutes: 6,
    steps: &[
        LessonStep {
            title: "Twenty queries at once",
            text: &[TextBlock::Text(
                "Twenty queries arrive at once on {cores} executors. Wide stages are slow. An executor belongs to a \
                    query until that needs it no longer, and takes time to move to another one. The mean response is \
                    {mean fifo} under FIFO, {mean sjf-cp} with the shortest query first, and {mean wfair} with equal \
                    shares. **Decima** has no rule: a network was shown thousands of such batches and rewarded for \
                    small means.",
            )],
            scene: BATCH,
            spots: &[StepTarget::Panel("wfair"), StepTarget::Policy("decima")],
            guess: Some(Guess {
                question: "What does the network reach?",
                options: &[
                    "{mean wfair}: equal shares are as good as it gets",
                    "{mean decima}",
                    "{mean sjf-cp}: it finds that the shortest should go first",
                ],
                right: 1,
                answer: &[TextBlock::Text(
                    "{mean decima}. It has seen none of these twenty queries in this mixture. Executors stay with their \
                        query under every policy here, so that what the network gains is the order and the limits that \
                        it chose.",
                )],
                reveal: Some(Reveal {
                    scene: BATCH.under("wfair,decima").at(60_000),
                    spots: &[StepTarget::Panel("decima")],
                }),
            }),
            claims: &["mean decima < mean wfair < mean sjf-cp < mean fifo", "mean decima < mean wfair * 0.9"],
        },
        LessonStep {
            title: "Small queries first, with more cores",
            text: &[
                TextBlock::Table {
                    head: &["", "mean", "a small query", "core time against fair"],
                    rows: &[
                        row!("SJF-CP", "sjf-cp"),
                        row!("Weighted fair", "wfair"),
                        row!("Decima", "decima"),
                    ],
                },
                TextBlock::Text(
                    "The smallest queries are done at once under all three, and those after them sooner than with equal \
                        shares, as under shortest first. But no query gets so many executors that its stages become as \
                        slow as there: compare the core time. The chart *Target by job size* has a dot for the limit \
                        of each query.",
                ),
            ],
            scene: BATCH.under("sjf-cp,wfair,decima"),
            spots: &[StepTarget::Panel("decima"), StepTarget::Panel("sjf-cp")],
            guess: None,
            claims: &[
                "mean-of decima q8 < mean-of wfair q8 * 0.6",
                "mean-of sjf-cp q8 < mean-of wfair q8 * 0.6",
                "busy wfair < busy decima < busy sjf-cp",
            ],
        },
        LessonStep {
            title: "Ask it why",
            text: &[TextBlock::Text(
                "The network scores each waiting stage, and how many cores its job may hold. The stage with the greatest \
                    score goes first: the queue shows its negative, the least on top. Below the queue is what the \
                    network was given, the score of each limit, and the smallest change of one number with which \
                    the next stage would have won. No sentence says more: the network has no reasons, only numbers.",
            )],
            scene: BATCH.under("decima").at_micros(0).why_task("decima", "q22 2 GB"),
            spots: &[StepTarget::Queue, StepTarget::Reason],
            guess: None,
            claims: &[],
        },
        LessonStep {
            title: "It knows no users",
            text: &[TextBlock::Text(
                "ana has ten small queries, ben a report of {work report}, all at once. Under UJF each has half of the \
                    executors, and ben's report takes {response ujf report}.",
            )],
            scene: USERS.choosing(&["report"]),
            spots: &[StepTarget::Panel("ujf"), StepTarget::Lane("ben")],
            guess: Some(Guess {
                question: "And under Decima, which makes the mean small?",
                options: &[
                    "{response ujf report}, as before",
                    "Less: it uses the cores better",
                    "{response decima report}: ana's queries are smaller",
                ],
                right: 2,
                answer: &[TextBlock::Text(
                    "{response decima report}. The mean falls from {mean ujf} to {mean decima}, and ben pays for it: \
                        that a user is owed a share was not part of the reward.",
                )],
                reveal: Some(Reveal {
                    scene: USERS.under("ujf,decima").choosing(&["report"]).at(30_000),
                    spots: &[StepTarget::Response("decima"), StepTarget::Response("ujf")],
                }),
            }),
            claims: &["mean decima < mean ujf", "response ujf report < response decima report"],
        },
        LessonStep {
            title: "Where it was never trained",
            text: &[TextBlock::Text(
                "Two users on {cores} cores, with tasks of seconds: nothing like its training. The mean is still \
                    smaller than under Fair, {mean decima} against {mean fair}, but ben's job takes {mean-of decima \
                    ben} instead of {mean-of fair ben}. Nobody can say what a network does where it was not trained: \
                    simulate it first.",
            )],
            scene: ELSEWHERE,
            spots: &[StepTarget::Panel("decima"), StepTarget::Panel("fair")],
            guess: None,
            claims: &["mean decima < mean fair", "mean-of fair ben < mean-of decima ben"],
        },
        LessonStep {
            title: "Now you",
            text: &[TextBlock::Points(&[
                "Generate another batch (**Generate a workload**, Decima) and compare again.",
                "Give it a load: the queries arrive one after the other.",
                "Drag a large query to the end. Does the network notice?",
            ])],
            scene: BATCH.under("wfair,decima"),
            spots: &[StepTarget::Panel("decima")],
            guess: None,
            claims: &[],
        },
    ],
};
