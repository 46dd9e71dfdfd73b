//! What wrong estimates do: who listens to them, who gains and who loses.

use super::{Block, Guess, Lesson, Question, Reveal, Scene, Side, Source, Spot, Step};

/// Three users, a job each, with what UWFQ is told of each job's work and what is told of train's stage, and into how
/// many tasks train is cut by default.
macro_rules! told {
    ($title:literal, $train:literal, $query:literal, $stage:literal, $partitions:literal) => {
        concat!(
            r#"{ "format": "fairlane/scenario@1", "name": "Lesson: wrong estimates, "#, $title, r#"",
  "description": "A long, a short and a middling job of three users.",
  "cluster": { "executors": 2, "cores_per_executor": 2 },
  "partitioning": { "advisory_task_runtime_s": 0.5 },
  "users": [{ "name": "ana" }, { "name": "ben" }, { "name": "cem" }],
  "jobs": [
    { "user": "ana", "name": "train", "arrival_s": 0, "estimate_s": "#, $train, r#", "stages": [{ "work_s": 16, "partitions": "#, $partitions, r#", "estimate_s": "#, $stage, r#" }] },
    { "user": "ben", "name": "query", "arrival_s": 1, "estimate_s": "#, $query, r#", "stages": [{ "work_s": 4, "partitions": 5 }] },
    { "user": "cem", "name": "report", "arrival_s": 1.2, "stages": [{ "work_s": 8, "partitions": 10 }] } ] }"#
        )
    };
}

const TRUE: &str = told!("none yet", "16", "4", "16", "20");
const UNDER: &str = told!("train too small", "1", "4", "16", "20");
const OVER: &str = told!("query too large", "16", "40", "16", "20");
const STAGE: &str = told!("train's stage too small", "16", "4", "1", "4");

const PAGE: Scene = Scene::of(Source::Own(TRUE), "uwfq").choosing(&["query"]);
const TOO_SMALL: Scene = Scene::of(Source::Own(UNDER), "uwfq").choosing(&["query"]);
const TOO_LARGE: Scene = Scene::of(Source::Own(OVER), "uwfq").choosing(&["query"]);

pub(super) const LESSON: Lesson = Lesson {
    id: "wrong-estimates",
    title: "What wrong estimates do",
    promise: "Who believes them, who gains by them, and who does not care.",
    minutes: 6,
    steps: &[
        Step {
            title: "Nobody knows how long a job will take",
            text: &[
                Block::Text(
                    "UWFQ's deadlines count a job's work before it has run. So somebody has to **estimate** it, from former runs, say. In the tab Job the estimate stands \
                     beside the truth; here both are {work query}.",
                ),
                Block::Text(
                    "With true estimates the deadlines are in the order of the ideal ends: query, report, train. query answers in {response uwfq query}.",
                ),
            ],
            scene: PAGE.beside(Side::Job),
            spots: &[Spot::Estimate],
            guess: None,
            claims: &[
                "estimate query = work query",
                "ideal query < ideal report < ideal train",
                "D uwfq query 1.2 < D uwfq report 1.2 < D uwfq train 1.2",
            ],
        },
        Step {
            title: "Too small",
            text: &[Block::Text(
                "Now ana's train is announced with {estimate train}, though it takes {work train}. By chance or on purpose: UWFQ cannot tell.",
            )],
            scene: TOO_SMALL.at(1000).showing(0, 1500).choosing(&[]),
            spots: &[Spot::Job("train")],
            guess: Some(Guess {
                question: "With true estimates query took {response uwfq query @ perfect}. And now?",
                options: &[
                    "{response uwfq query @ perfect}: its own estimate is right",
                    "{response uwfq query}",
                    "Less: train asks for less",
                ],
                right: 1,
                answer: &[Block::Text(
                    "{response uwfq query}. train holds the earliest deadline to its very end: it is done at {finish uwfq train} instead of {finish uwfq train @ perfect}. Who is taken for \
                     short goes first, and everybody else pays.",
                )],
                reveal: Some(Reveal {
                    scene: TOO_SMALL.at(1000),
                    spots: &[Spot::Response("uwfq"), Spot::Job("train")],
                }),
            }),
            claims: &[
                "response uwfq query @ perfect < response uwfq query",
                "response uwfq report @ perfect < response uwfq report",
                "finish uwfq train < finish uwfq train @ perfect",
            ],
        },
        Step {
            title: "Why nothing corrects it",
            text: &[
                Block::Text(
                    "Ask why, just after query has come: train's deadline is {#D uwfq train 1}, query's {#D uwfq query 1}. In the fluid that UWFQ imagines train was done at \
                     {V-end uwfq train}, and a deadline that was set is kept: UWFQ counts what it was told, and not how long tasks really take.",
                ),
                Block::Text(
                    "For jobs of several stages the paper has a **grace period**: a stage that comes long after its job's virtual end is admitted anew, with what its remaining stages are \
                     estimated to take. A single long stage, as here, is not caught by it.",
                ),
            ],
            scene: TOO_SMALL.at(1100).beside(Side::Why("uwfq", Question::Playhead)),
            spots: &[Spot::Queue, Spot::VirtualTime],
            guess: None,
            claims: &["D uwfq train 1.1 < D uwfq query 1.1", "V-end uwfq train < arrival query"],
        },
        Step {
            title: "Too large",
            text: &[Block::Text(
                "Now the other way round: train is told truly, and query, which takes {work query}, is taken for {estimate query}.",
            )],
            scene: TOO_LARGE.at(1000).showing(0, 1500).choosing(&[]),
            spots: &[Spot::Job("query")],
            guess: Some(Guess {
                question: "Who suffers most?",
                options: &["query itself", "train, which has to wait for a seemingly huge job", "All alike"],
                right: 0,
                answer: &[Block::Text(
                    "query: its deadline is {#D uwfq query 1.2}, after report's {#D uwfq report 1.2} and train's {#D uwfq train 1.2}. It answers in {response uwfq query} instead of {response uwfq query @ perfect}. \
                     The others even gain: report takes {response uwfq report} instead of {response uwfq report @ perfect}. Who is taken for long punishes mainly itself.",
                )],
                reveal: Some(Reveal {
                    scene: TOO_LARGE.at(1200),
                    spots: &[Spot::Response("uwfq"), Spot::Job("query")],
                }),
            }),
            claims: &[
                "D uwfq report 1.2 < D uwfq train 1.2 < D uwfq query 1.2",
                "response uwfq query * 2 @ perfect < response uwfq query",
                "response uwfq report <= response uwfq report @ perfect",
                "response uwfq train <= response uwfq train @ perfect",
            ],
        },
        Step {
            title: "Who does not listen",
            text: &[Block::Text("The same wrong estimate of query, under Fair, UJF and UWFQ.")],
            scene: TOO_LARGE.under("fair,ujf,uwfq"),
            spots: &[Spot::Overview, Spot::Response("ujf")],
            guess: Some(Guess {
                question: "Whose schedules have changed by the wrong estimate?",
                options: &["All three", "UJF's and UWFQ's, which know users", "UWFQ's alone"],
                right: 2,
                answer: &[Block::Text(
                    "Fair and UJF look at running tasks and need no estimate: query takes {response fair query} and {response ujf query}, right or wrong. CFQ is told the work of each \
                     *stage*, UWFQ that of the *job*. Using knowledge pays while it is roughly true: with true estimates UWFQ answers query in \
                     {response uwfq query @ perfect}, UJF in {response ujf query}.",
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
        Step {
            title: "Runtime partitioning believes, too",
            text: &[
                Block::Text(
                    "-P cuts a stage by its estimate over the ATR. Here train's *stage* is taken for far less than its {work train}. Cut by the truth it would be {tasks uwfq-p train @ perfect} tasks \
                     of {longest uwfq-p train @ perfect}; so it is {tasks uwfq-p train} of {longest uwfq-p train}.",
                ),
                Block::Text(
                    "Now query waits {wait uwfq-p query} for its first core instead of {wait uwfq-p query @ perfect}: inversion is back, though the deadlines are right. An estimate that is too large \
                     does less harm: more, shorter tasks, and more overhead.",
                ),
            ],
            scene: Scene::of(Source::Own(STAGE), "uwfq-p").choosing(&["query"]),
            spots: &[Spot::Panel("uwfq-p")],
            guess: None,
            claims: &[
                "tasks uwfq-p train < tasks uwfq-p train @ perfect",
                "wait uwfq-p query @ perfect < wait uwfq-p query",
                "D uwfq-p query 1.2 < D uwfq-p train 1.2",
            ],
        },
        Step {
            title: "Now you",
            text: &[Block::Points(&[
                "In the tab Job, empty the estimate: it is the truth again. Then try one that is off by a half. Does the order change?",
                "How wrong must query's estimate be before report overtakes it?",
                "In the tab **Charts**, **Sweep: estimate error** makes all estimates wrong at random, by more and more. Whose curve stays level?",
                "Make all three estimates twice too large. The deadlines change, but does their order?",
            ])],
            scene: TOO_LARGE.beside(Side::Job),
            spots: &[Spot::Estimate],
            guess: None,
            claims: &[],
        },
    ],
};
