//! A pool nobody declared: FAIR between pools, FIFO inside them.

use super::{Guess, Lesson, LessonScene, LessonStep, Reveal, StepSource, StepTarget, TextBlock};

/// Two analysts in a pool and a load in another one, with the pools that are declared.
macro_rules! scenario {
    ($pools:literal) => {
        concat!(
            r#"{ "format": "fairlane/scenario@1", "name": "Lesson: a pool nobody declared",
  "description": "Two analysts share a pool of Spark's fair scheduler, beside a nightly load in another one.",
  "cluster": { "executors": 1, "cores_per_executor": 4, "fair_tie_break": "spark" },
  "policies": { "spark": { "default_mode": "FIFO", "pools": ["#,
            $pools,
            r#"] } },
  "users": [{ "name": "ana" }, { "name": "ben" }, { "name": "cleo" }],
  "jobs": [
    { "user": "ana", "name": "model", "pool": "analysts", "arrival_s": 0, "stages": [{ "tasks_s": [
      1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1] }] },
    { "user": "cleo", "name": "load", "pool": "etl", "arrival_s": 0, "stages": [{ "tasks_s": [
      1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1] }] },
    { "user": "ben", "name": "query", "pool": "analysts", "arrival_s": 1.5, "stages": [{ "tasks_s": [1, 1, 1, 1] }] } ] }"#
        )
    };
}

const NOTHING: &str = scenario!("");
const FAIR: &str = scenario!(r#"{ "name": "analysts", "mode": "FAIR" }, { "name": "etl" }"#);
const HEAVY: &str = scenario!(r#"{ "name": "analysts", "mode": "FAIR", "weight": 3 }, { "name": "etl" }"#);

const PAGE: LessonScene = LessonScene::new(StepSource::Own(NOTHING), "spark");
const DECLARED: LessonScene = LessonScene::new(StepSource::Own(FAIR), "spark");
const WEIGHTED: LessonScene = LessonScene::new(StepSource::Own(HEAVY), "spark");

pub(super) const LESSON: Lesson = Lesson {
    id: "undeclared-pool",
    title: "A pool nobody declared",
    promise: "Why a FAIR cluster is FIFO inside its pools unless a file says otherwise.",
    minutes: 5,
    steps: &[
        LessonStep {
            title: "A FAIR cluster with two pools",
            text: &[
                TextBlock::Text(
                    "Spark's scheduler is in the mode FAIR. ana and ben work in the pool **analysts**, cleo's \
                        nightly load is in **etl**. On {cores} cores ana runs a model of {work model} and cleo a \
                        load of {work load}. At {arrival query} ben asks a small question: {work query}.",
                ),
                TextBlock::Text(
                    "A pool needs no more than its name: the program sets `spark.scheduler.pool`, and Spark makes \
                        the pool. The table at the left shows both, and that nobody declared them.",
                ),
            ],
            scene: PAGE.at(1_500),
            spots: &[StepTarget::Pools, StepTarget::Lanes],
            guess: Some(Guess {
                question: "When does ben's query start?",
                options: &[
                    "As soon as one of ana's tasks has ended: the mode is FAIR",
                    "At {start spark query}, when ana's model has ended",
                ],
                right: 1,
                answer: &[TextBlock::Text(
                    "At {start spark query}. Between the pools Spark is fair: each holds half of the cores. Inside \
                        a pool that nobody declared it is **FIFO**, and ana came first. ben's {work query} take \
                        {response spark query}.",
                )],
                reveal: Some(Reveal {
                    scene: PAGE.at(6_500).choosing(&["query"]),
                    spots: &[StepTarget::Response("spark"), StepTarget::Load("spark")],
                }),
            }),
            claims: &[
                "finish spark model <= start spark query",
                "work query * 4 < work model",
                "running spark cleo 6.5 = 2",
                "running spark ana 6.5 = 2",
                "running spark ben 6.5 = 0",
            ],
        },
        LessonStep {
            title: "What decides",
            text: &[
                TextBlock::Text(
                    "The tab Why lists the stages that wait, with what Spark ranks them by. The pools come first: \
                        running tasks over weight, then their names. ana and ben are in one pool, so all of that \
                        is equal for them.",
                ),
                TextBlock::Text(
                    "Then comes the number of the **Spark job**, smallest first. ana's model has the smaller \
                        number as long as a task of it waits.",
                ),
            ],
            scene: PAGE.at(6_500).why("spark"),
            spots: &[StepTarget::Queue, StepTarget::Panel("spark")],
            guess: None,
            claims: &["0 < waiting spark ana 6.5", "0 < waiting spark ben 6.5"],
        },
        LessonStep {
            title: "One word in a file",
            text: &[TextBlock::Text(
                "Now `fairscheduler.xml` declares the pool: `<pool name=\"analysts\">` with \
                    `<schedulingMode>FAIR</schedulingMode>`. Everything else is as it was.",
            )],
            scene: DECLARED.at(1_500),
            spots: &[StepTarget::Pools],
            guess: Some(Guess {
                question: "What is ben's query's response now?",
                options: &[
                    "{response spark query}",
                    "{response spark model}, as long as ana's",
                    "{alone spark query}, as if he were alone",
                ],
                right: 0,
                answer: &[TextBlock::Text(
                    "{response spark query}. It starts at {start spark query} and gets one of the pool's cores, \
                        ana the other one. Her model ends at {finish spark model}. cleo, in her own pool, notices \
                        nothing.",
                )],
                reveal: Some(Reveal {
                    scene: DECLARED.at(3_500).choosing(&["query"]),
                    spots: &[StepTarget::Response("spark"), StepTarget::Load("spark")],
                }),
            }),
            claims: &[
                "start spark query <= 2",
                "running spark ben 3.5 = 1",
                "running spark ana 3.5 = 1",
                "running spark cleo 3.5 = 2",
            ],
        },
        LessonStep {
            title: "A weight",
            text: &[TextBlock::Text(
                "The file gives the pool analysts a weight of three, too. FAIR compares running tasks over weight, \
                    so three tasks of analysts weigh as much as one of etl.",
            )],
            scene: WEIGHTED.at(6_500),
            spots: &[StepTarget::Pools, StepTarget::Load("spark")],
            guess: Some(Guess {
                question: "ana's model ends sooner. What does that cost cleo's load?",
                options: &["It ends at {finish spark load}, no later than before", "Three times as long"],
                right: 0,
                answer: &[TextBlock::Text(
                    "It still ends at {finish spark load}. While ana works, cleo holds {running spark cleo 6.5} of \
                        {cores} cores; from {finish spark model} on she has them all. There is as much work as \
                        before, and no core idles.",
                )],
                reveal: None,
            }),
            claims: &["running spark cleo 6.5 = 1", "running spark ana 6.5 = 3", "finish spark load <= 13"],
        },
        LessonStep {
            title: "Now you",
            text: &[TextBlock::Points(&[
                "Press *A FAIR pool per user*: everybody has a pool of their own. That is **UJF**.",
                "Give a pool a minimum share or a cap, and see whose tasks run.",
                "Paste the `fairscheduler.xml` of your own cluster, or save this one.",
            ])],
            scene: PAGE.under("ujf,spark"),
            spots: &[StepTarget::Pools],
            guess: None,
            claims: &["response ujf query * 2 < response spark query"],
        },
    ],
};
