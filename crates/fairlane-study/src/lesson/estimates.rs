//! What wrong estimates do: who relies on them, who gains and who loses.

use super::{Guess, Lesson, LessonScene, LessonStep, Reveal, StepSource, StepTarget, TextBlock};

/// Three users with a job each, with the jobs' estimates, that of train's stage, and train's default number of tasks.
macro_rules! scenario {
    ($title:literal, $train:literal, $query:literal, $stage:literal, $partitions:literal) => {
        concat!(
            r#"{ "format": "fairlane/scenario@1", "name": "Lesson: wrong estimates, "#, $title, r#"",
  "description": "A long, a short and a middling job of three users.",
  "cluster": { "executors": 2, "cores_per_executor": 2 },
  "partitioning": { "advisory_task_runtime_s": 0.5 },
  "users": [{ "name": "ana" }, { "name": "ben" }, { "name": "cem" }],
  "jobs": [
    { "user": "ana", "name": "train", "arrival_s": 0, "estimate_s": "#, $train,
        r#", "stages": [{ "work_s": 16, "partitions": "#, $partitions, r#", "estimate_s": "#, $stage, r#" }] },
    { "user": "ben", "name": "query", "arrival_s": 1, "estimate_s": "#, $query,
        r#", "stages": [{ "work_s": 4, "partitions": 5 }] },
    { "user": "cem", "name": "report", "arrival_s": 1.2, "stages": [{ "work_s": 8, "partitions": 10 }] } ] }"#
        )
    };
}

const TRUE: &str = scenario!("none yet", "16", "4", "16", "20");
const UNDER: &str = scenario!("train too small", "1", "4", "16", "20");
const OVER: &str = scenario!("query too large", "16", "40", "16", "20");
const STAGE: &str = scenario!("train's stage too small", "16", "4", "1", "4");

const PAGE: LessonScene = LessonScene::new(StepSource::Own(TRUE), "uwfq").choosing(&["query"]);
const TOO_SMALL: LessonScene = LessonScene::new(StepSource::Own(UNDER), "uwfq").choosing(&["query"]);
const TOO_LARGE: LessonScene = LessonScene::new(StepSource::Own(OVER), "uwfq").choosing(&["query"]);

pub(super) const LESSON: Lesson = Lesson {
    id: "wrong-estimates",
    title: "What wrong estimates do",
    promise: "Who relies on them, who gains from them, and who is not affected.",
    minutes: 6,
    steps: &[
        LessonStep {
            title: "Nobody knows how long a job will take",
            text: &[
                TextBlock::Text(
                    "UWFQ's deadlines depend on a job's work before it has run. So somebody has to **estimate** \
                        it, for example from earlier \
                     runs. The tab Job shows the estimate beside the true work; here both are {work query}.",
                ),
                TextBlock::Text(
                    "With true estimates the deadlines are in the order of the ideal ends: query, report, train. \
                        query takes {response uwfq query}.",
                ),
            ],
            scene: PAGE.editing(),
            spots: &[StepTarget::Estimate],
            guess: None,
            claims: &[
                "estimate query = work query",
                "ideal query < ideal report < ideal train",
                "D uwfq query 1.2 < D uwfq report 1.2 < D uwfq train 1.2",
            ],
        },
        LessonStep {
            title: "Too small",
            text: &[TextBlock::Text(
                "Now ana's train is estimated at {estimate train}, though it takes {work train}. By mistake or on \
                    purpose: UWFQ cannot know.",
            )],
            scene: TOO_SMALL.at(1000).showing(0, 1500).choosing(&[]),
            spots: &[StepTarget::Job("train")],
            guess: Some(Guess {
                question: "With true estimates query took {response uwfq query @ perfect}. And now?",
                options: &[
                    "{response uwfq query @ perfect}: its own estimate is right",
                    "{response uwfq query}",
                    "Less: train asks for less",
                ],
                right: 1,
                answer: &[TextBlock::Text(
                    "{response uwfq query}. train keeps the earliest deadline to its end: it finishes at {finish \
                        uwfq train} instead of \
                     {finish uwfq train @ perfect}. A job that is believed to be short goes first, and everybody \
                     else pays.",
                )],
                reveal: Some(Reveal {
                    scene: TOO_SMALL.at(5600),
                    spots: &[StepTarget::Response("uwfq"), StepTarget::Job("train")],
                }),
            }),
            claims: &[
                "response uwfq query @ perfect < response uwfq query",
                "response uwfq report @ perfect < response uwfq report",
                "finish uwfq train < finish uwfq train @ perfect",
            ],
        },
        LessonStep {
            title: "Why nothing corrects it",
            text: &[
                TextBlock::Text(
                    "Ask why, just after query's arrival: train's deadline is {#D uwfq train 1}, query's {#D uwfq \
                        query 1}. train finished virtually at {V-end uwfq train} but keeps the deadline it was \
                        given: UWFQ goes by the estimate, not by \
                     how long tasks really take.",
                ),
                TextBlock::Text(
                    "For jobs with several stages, the paper has a **grace period**: if a stage is submitted long \
                        after its job has finished \
                     virtually, the job is admitted again, with the estimates of its remaining stages. That does \
                     not help with a single long \
                     stage, as here.",
                ),
            ],
            scene: TOO_SMALL.at(1100).why("uwfq"),
            spots: &[StepTarget::Queue, StepTarget::VirtualTime],
            guess: None,
            claims: &["D uwfq train 1.1 < D uwfq query 1.1", "V-end uwfq train < arrival query"],
        },
        LessonStep {
            title: "Too large",
            text: &[TextBlock::Text(
                "Now the other way round: train's estimate is true, and query, which takes {work query}, is \
                    estimated at {estimate query}.",
            )],
            scene: TOO_LARGE.at(1000).showing(0, 1500).choosing(&[]),
            spots: &[StepTarget::Job("query")],
            guess: Some(Guess {
                question: "Who suffers most?",
                options: &[
                    "query itself",
                    "train, which has to wait for a seemingly huge job",
                    "All equally",
                ],
                right: 0,
                answer: &[TextBlock::Text(
                    "query: its deadline is {#D uwfq query 1.2}, after report's {#D uwfq report 1.2} and train's \
                        {#D uwfq train 1.2}. It takes {response uwfq query} instead of {response uwfq query @ \
                        perfect}. \
                     The others even gain: report takes {response uwfq report} instead of {response uwfq report @ \
                     perfect}. A job that is believed to be long mainly hurts itself.",
                )],
                reveal: Some(Reveal {
                    scene: TOO_LARGE.at(7200),
                    spots: &[StepTarget::Response("uwfq"), StepTarget::Job("query")],
                }),
            }),
            claims: &[
                "D uwfq report 1.2 < D uwfq train 1.2 < D uwfq query 1.2",
                "response uwfq query * 2 @ perfect < response uwfq query",
                "response uwfq report <= response uwfq report @ perfect",
                "response uwfq train <= response uwfq train @ perfect",
            ],
        },
        LessonStep {
            title: "Who is not affected",
            text: &[TextBlock::Text("The same wrong estimate of query, under Fair, UJF and UWFQ.")],
            scene: TOO_LARGE.under("fair,ujf,uwfq"),
            spots: &[StepTarget::Overview, StepTarget::Response("ujf")],
            guess: Some(Guess {
                question: "Which schedules has the wrong estimate changed?",
                options: &["All three", "UJF's and UWFQ's, which know users", "Only UWFQ's"],
                right: 2,
                answer: &[TextBlock::Text(
                    "Fair and UJF look at running tasks and need no estimate: query takes {response fair query} \
                        and {response ujf query}, whether it is right or wrong. CFQ uses the estimate of each \
                        *stage*, UWFQ that of the *job*. Estimates pay off while they \
                     are roughly true: with true ones, query takes {response uwfq query @ perfect} under UWFQ and \
                     {response ujf query} under UJF.",
                )],
                reveal: None,
            }),
            claims: &[
                "response fair query = response fair query @ perfect",
                "response ujf query = response ujf query @ perfect",
                "response ujf train = response ujf train @ perfect",
                "response uwfq query @ perfect < response ujf query",
            ],
        },
        LessonStep {
            title: "Runtime partitioning relies on them, too",
            text: &[
                TextBlock::Text(
                    "-P divides a stage's estimate by the ATR. Here train's *stage* is estimated at far less than \
                        its {work train}. With a true \
                     estimate there would be {tasks uwfq-p train @ perfect} tasks of {longest uwfq-p train @ \
                     perfect}; now there are \
                     {tasks uwfq-p train} of {longest uwfq-p train}.",
                ),
                TextBlock::Text(
                    "Now query waits {wait uwfq-p query} for its first core instead of {wait uwfq-p query @ \
                        perfect}: inversion is back, though the deadlines are right. An estimate that is too large \
                     does less harm: more, shorter tasks, and more overhead.",
                ),
            ],
            scene: LessonScene::new(StepSource::Own(STAGE), "uwfq-p").choosing(&["query"]),
            spots: &[StepTarget::Panel("uwfq-p")],
            guess: None,
            claims: &[
                "tasks uwfq-p train < tasks uwfq-p train @ perfect",
                "wait uwfq-p query @ perfect < wait uwfq-p query",
                "D uwfq-p query 1.2 < D uwfq-p train 1.2",
            ],
        },
        LessonStep {
            title: "Now you",
            text: &[TextBlock::Points(&[
                "In the tab Job, clear the estimate to use the true work again. Then try one that is off by half. \
                    Does the order change?",
                "How wrong must query's estimate be before report overtakes it?",
                "In the tab **Charts**, **Sweep: estimate error** makes all estimates wrong at random, by more and \
                    more. Whose curve stays level?",
                "Make all three estimates twice too large. The deadlines change, but does their order?",
            ])],
            scene: TOO_LARGE.editing(),
            spots: &[StepTarget::Estimate],
            guess: None,
            claims: &[],
        },
    ],
};
