//! What's in a name? With more users than cores Spark's pools tie all the time, and ties go by name.

use super::{Guess, Lesson, LessonScene, LessonStep, Reveal, StepSource, StepTarget, TextBlock};

/// Four users on two cores. The last one's name is given, and so is the user's place among the others.
macro_rules! scenario {
    ($title:literal, $last:literal) => {
        concat!(
            r#"{ "format": "fairlane/scenario@1", "name": "Lesson: what's in a name?"#, $title, r#"",
  "description": "Four users with a fair pool each, on two cores.",
  "cluster": { "executors": 1, "cores_per_executor": 2, "fair_tie_break": "spark" },
  "users": [{ "name": "ana" }, { "name": "ben" }, { "name": "cleo" }, { "name": ""#, $last, r#"" }],
  "jobs": [
    { "user": "ana", "name": "report", "arrival_s": 0, "stages": [{ "tasks_s": [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1] }] },
    { "user": "ben", "name": "model", "arrival_s": 0, "stages": [{ "tasks_s": [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1] }] },
    { "user": "cleo", "name": "audit", "arrival_s": 0.5, "stages": [{ "tasks_s": [1, 1, 1, 1, 1, 1] }] },
    { "user": ""#, $last, r#"", "name": "query", "arrival_s": 0.5, "stages": [{ "tasks_s": [1, 1, 1, 1] }] } ] }"#
        )
    };
}

const DAN: &str = scenario!("", "dan");
const ABE: &str = scenario!(", renamed", "abe");

const PAGE: LessonScene = LessonScene::new(StepSource::Own(DAN), "ujf,uwfq");
const RENAMED: LessonScene = LessonScene::new(StepSource::Own(ABE), "ujf,uwfq");
const RECORDED: LessonScene = LessonScene::new(StepSource::Recorded, "uwfq,spark");

pub(super) const LESSON: Lesson = Lesson {
    id: "whats-in-a-name",
    title: "What's in a name?",
    promise: "Why Spark's fair pools starve the end of the alphabet, and what a clock does about it.",
    minutes: 7,
    steps: &[
        LessonStep {
            title: "Four users, two cores",
            text: &[
                TextBlock::Text(
                    "Every user has a pool of Spark's fair scheduler, all with the same weight: that is **UJF**. \
                        There are {cores} cores. ana and ben have much to do; half a second later cleo and dan \
                        arrive. dan's query has the least work of all, {work query}.",
                ),
                TextBlock::Text(
                    "If cores could be divided like water, each user would have half a core, and dan's query would \
                        take {ideal-response query}.",
                ),
            ],
            scene: PAGE.under("ujf").at(500),
            spots: &[StepTarget::Lanes],
            guess: Some(Guess {
                question: "When does dan's query start under UJF, the fair policy?",
                options: &[
                    "As soon as a task ends, at {longest ujf report}",
                    "After cleo's first task",
                    "After both long jobs, at {start ujf query}",
                ],
                right: 2,
                answer: &[TextBlock::Text(
                    "At {start ujf query}. ana and ben finish first, and dan's response is {response ujf query} \
                        instead of {ideal-response query}: the small query pays for the long jobs.",
                )],
                reveal: Some(Reveal {
                    scene: PAGE.under("ujf").at(6000).choosing(&["query"]),
                    spots: &[StepTarget::Response("ujf"), StepTarget::Load("ujf")],
                }),
            }),
            claims: &[
                "finish ujf report <= start ujf query",
                "finish ujf model <= start ujf query",
                "work query < work audit",
                "ideal-response query * 1.5 < response ujf query",
            ],
        },
        LessonStep {
            title: "A tie, and who wins it",
            text: &[
                TextBlock::Text(
                    "UJF ranks users by their **running tasks**, fewest first. A core is offered when a task has \
                        ended, and then its user runs none. Only ben, on the other core, runs one; the other three \
                        are equal. Spark breaks the tie by the pool's **name**.",
                ),
                TextBlock::Text(
                    "So the core goes back to ana or ben, again and again. The tab Why lists the waiting stages \
                        with what they are ranked by.",
                ),
            ],
            scene: PAGE.under("ujf").at(6000).why_task("ujf", "report"),
            spots: &[StepTarget::Queue, StepTarget::Panel("ujf")],
            guess: None,
            claims: &["running ujf dan 6 = 0", "running ujf cleo 6 = 0", "running ujf ana 6 = 1"],
        },
        LessonStep {
            title: "Another name",
            text: &[TextBlock::Text(
                "The same jobs at the same times. Only one thing is different: dan is called abe.",
            )],
            scene: RENAMED.under("ujf").at(500),
            spots: &[StepTarget::Lanes],
            guess: Some(Guess {
                question: "What does the new name do to the query?",
                options: &[
                    "Nothing, work is work",
                    "It starts at {start ujf query}, before everybody else's next task",
                    "It starts last, as before",
                ],
                right: 1,
                answer: &[TextBlock::Text(
                    "abe comes before ana and ben, wins every tie, and is done after {response ujf query}. Now ben \
                        or ana waits in abe's place. cleo still starts only when others have finished.",
                )],
                reveal: Some(Reveal {
                    scene: RENAMED.under("ujf").at(3000).choosing(&["query"]),
                    spots: &[StepTarget::Response("ujf"), StepTarget::Panel("ujf")],
                }),
            }),
            claims: &["response ujf query < ideal-response query", "start ujf query < start ujf audit"],
        },
        LessonStep {
            title: "A clock has no alphabet",
            text: &[TextBlock::Text(
                "**UWFQ** does not count running tasks. Each job gets a deadline on a clock that runs as the ideal \
                    would serve its user, and keeps it. Names do not enter.",
            )],
            scene: PAGE.at(500),
            spots: &[StepTarget::Policy("uwfq")],
            guess: Some(Guess {
                question: "dan's name is dan again. When does the query end under UWFQ?",
                options: &["At {finish ujf query}, as under UJF", "At {finish uwfq query}"],
                right: 1,
                answer: &[TextBlock::Text(
                    "At {finish uwfq query}, after {response uwfq query}. Its little work has an early deadline, \
                        and nobody's turn comes before it for being first in the alphabet.",
                )],
                reveal: Some(Reveal {
                    scene: PAGE.at(4000).choosing(&["query"]),
                    spots: &[StepTarget::Response("uwfq"), StepTarget::Response("ujf")],
                }),
            }),
            claims: &["response uwfq query < ideal-response query", "finish uwfq query < finish ujf query"],
        },
        LessonStep {
            title: "Recorded on real Spark",
            text: &[
                TextBlock::Text(
                    "This is no invention. *As it ran* shows the event log of a real run, core by core: the \
                        queries of four users on {cores} cores, a fair pool for each. Before them a fifth user had \
                        warmed Spark up.",
                ),
                TextBlock::Text(
                    "dan's query `q11` has {work q11} of work. ana and ben have just sent longer ones, and in the \
                        ten seconds after the playhead a stage of `q11` waits all the time.",
                ),
            ],
            scene: RECORDED.at(71_000).showing(68_000, 84_000).choosing(&["q11"]),
            spots: &[StepTarget::Panel("observed")],
            guess: Some(Guess {
                question: "How much of these {cores * 10} core-seconds does dan get?",
                options: &[
                    "A quarter, as one of four users",
                    "Little, but `q11` needs little more",
                    "Nothing",
                ],
                right: 2,
                answer: &[
                    TextBlock::Text(
                        "{served observed dan 71 81}. ana gets {served observed ana 71 81}, ben {served observed \
                            ben 71 81}, cleo {served observed cleo 71 81}. The response of `q11` is {response \
                            observed q11}.",
                    ),
                    TextBlock::Text(
                        "Whenever a task ended, its user ran none, like those who waited: a tie. The run had \
                            {ties} ties between pools, and {ties-first} went to the first name.",
                    ),
                ],
                reveal: Some(Reveal {
                    scene: RECORDED.at(81_000).showing(68_000, 84_000).choosing(&["q11"]),
                    spots: &[StepTarget::Panel("observed")],
                }),
            }),
            claims: &[
                "served observed dan 71 81 = 0",
                "start observed q11 < 71",
                "81 < finish observed q11",
                "arrival q1 < 71",
                "arrival q18 < 71",
                "0 < waiting observed dan 71",
                "0 < waiting observed dan 81",
                "work q11 < work q1",
                "work q11 < work q18",
                "ties * 0.95 < ties-first < ties",
            ],
        },
        LessonStep {
            title: "The same run under UWFQ",
            text: &[
                TextBlock::Text(
                    "The simulation of **Spark's own scheduler** makes dan wait as Spark did: `q11` took {response \
                        observed q11} and takes {response spark q11} here, his next query, `q2`, {response \
                        observed q2} and {response spark q2}.",
                ),
                TextBlock::Text("Under **UWFQ** `q2` takes {response uwfq q2}. By user, the mean response:"),
                TextBlock::Table {
                    head: &["", "as it ran", "Spark", "UWFQ"],
                    rows: &[
                        &["ana", "{mean-of observed ana}", "{mean-of spark ana}", "{mean-of uwfq ana}"],
                        &["ben", "{mean-of observed ben}", "{mean-of spark ben}", "{mean-of uwfq ben}"],
                        &["cleo", "{mean-of observed cleo}", "{mean-of spark cleo}", "{mean-of uwfq cleo}"],
                        &["dan", "{mean-of observed dan}", "{mean-of spark dan}", "{mean-of uwfq dan}"],
                    ],
                },
                TextBlock::Text(
                    "UWFQ makes no cores: the others give back what dan gains. cleo's `q3`, which had waited for \
                        its name, takes {response uwfq q3} instead of {response spark q3}, but her later queries \
                        take longer.",
                ),
                TextBlock::Points(&[
                    "Open an event log of your own with *Open*. Its report counts the ties, and who won them.",
                    "See *Who waited for whom* in Compare: who waits most, and are their names last?",
                    "The table below *Spark* at the left has the log's pools. Give dan's a weight: what does it do \
                        to the ties?",
                ]),
            ],
            scene: RECORDED.at(92_000).showing(80_000, 98_000).choosing(&["q2"]),
            spots: &[StepTarget::Response("uwfq"), StepTarget::Response("spark"), StepTarget::Pools],
            guess: None,
            claims: &[
                "response observed q11 * 0.85 < response spark q11 < response observed q11 * 1.15",
                "response observed q2 * 0.85 < response spark q2 < response observed q2 * 1.15",
                "response uwfq q2 * 3 < response spark q2",
                "mean-of uwfq dan < mean-of observed dan",
                "mean-of uwfq dan < mean-of spark dan",
                "response uwfq q3 * 2 < response spark q3",
                "mean-of spark cleo < mean-of uwfq cleo",
                "mean-of spark ana < mean-of uwfq ana",
                "mean-of spark ben < mean-of uwfq ben",
            ],
        },
    ],
};
