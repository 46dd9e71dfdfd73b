//! What's in a name? With more users than cores Spark's pools tie all the time, and ties go by name.

use super::{Block, Guess, Lesson, Reveal, Scene, Source, Spot, Step};

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

const PAGE: Scene = Scene::of(Source::Own(DAN), "ujf,uwfq");
const RENAMED: Scene = Scene::of(Source::Own(ABE), "ujf,uwfq");

pub(super) const LESSON: Lesson = Lesson {
    id: "whats-in-a-name",
    title: "What's in a name?",
    promise: "Why Spark's fair pools starve the end of the alphabet, and what a clock does about it.",
    minutes: 5,
    steps: &[
        Step {
            title: "Four users, two cores",
            text: &[
                Block::Text(
                    "Every user has a pool of Spark's fair scheduler, all with the same weight: that is **UJF**. There are {cores} cores. ana and ben have much to do; half a second later cleo and dan arrive. dan's query has the least work of all, {work query}.",
                ),
                Block::Text(
                    "If cores could be divided like water, each user would have half a core, and dan's query would take {ideal-response query}.",
                ),
            ],
            scene: PAGE.under("ujf").at(500),
            spots: &[Spot::Lanes],
            guess: Some(Guess {
                question: "When does dan's query start under UJF, the fair policy?",
                options: &[
                    "As soon as a task ends, at {longest ujf report}",
                    "After cleo's first task",
                    "After both long jobs, at {start ujf query}",
                ],
                right: 2,
                answer: &[Block::Text(
                    "At {start ujf query}. ana and ben finish first, and dan's response is {response ujf query} in place of {ideal-response query}: the small query pays for the long jobs.",
                )],
                reveal: Some(Reveal {
                    scene: PAGE.under("ujf").at(6000).choosing(&["query"]),
                    spots: &[Spot::Response("ujf"), Spot::Load("ujf")],
                }),
            }),
            claims: &[
                "finish ujf report <= start ujf query",
                "finish ujf model <= start ujf query",
                "work query < work audit",
                "ideal-response query * 1.5 < response ujf query",
            ],
        },
        Step {
            title: "A tie, and who wins it",
            text: &[
                Block::Text(
                    "UJF ranks users by their **running tasks**, fewest first. A core is offered when a task has ended, and then its user runs none: nobody does, and all four are equal. Spark breaks the tie by the pool's **name**.",
                ),
                Block::Text(
                    "So the core goes back to ana or ben, again and again. The tab Why lists the waiting stages with what they are ranked by.",
                ),
            ],
            scene: PAGE.under("ujf").at(6000).why_first_task("ujf", "report"),
            spots: &[Spot::Queue, Spot::Panel("ujf")],
            guess: None,
            claims: &["running ujf dan 6 = 0", "running ujf cleo 6 = 0", "running ujf ana 6 = 1"],
        },
        Step {
            title: "Another name",
            text: &[Block::Text(
                "The same jobs at the same times. Only one thing is different: dan is called abe.",
            )],
            scene: RENAMED.under("ujf").at(500),
            spots: &[Spot::Lanes],
            guess: Some(Guess {
                question: "What does the new name do to the query?",
                options: &[
                    "Nothing, work is work",
                    "It starts at {start ujf query}, before everybody else's next task",
                    "It starts last, as before",
                ],
                right: 1,
                answer: &[Block::Text(
                    "abe comes before ana and ben, wins every tie, and is done after {response ujf query}. Now ben or ana waits in abe's place. cleo still starts only when others have finished.",
                )],
                reveal: Some(Reveal {
                    scene: RENAMED.under("ujf").at(3000).choosing(&["query"]),
                    spots: &[Spot::Response("ujf"), Spot::Panel("ujf")],
                }),
            }),
            claims: &["response ujf query < ideal-response query", "start ujf query < start ujf audit"],
        },
        Step {
            title: "A clock has no alphabet",
            text: &[Block::Text(
                "**UWFQ** does not count running tasks. Each job gets a deadline on a clock that runs as the ideal would serve its user, and keeps it. Names do not enter.",
            )],
            scene: PAGE.at(500),
            spots: &[Spot::Policy("uwfq")],
            guess: Some(Guess {
                question: "dan's name is dan again. When does the query end under UWFQ?",
                options: &["At {finish ujf query}, as under UJF", "At {finish uwfq query}"],
                right: 1,
                answer: &[Block::Text(
                    "At {finish uwfq query}, after {response uwfq query}. Its little work has an early deadline, and nobody's turn comes before it for being first in the alphabet.",
                )],
                reveal: Some(Reveal {
                    scene: PAGE.at(4000).choosing(&["query"]),
                    spots: &[Spot::Response("uwfq"), Spot::Response("ujf")],
                }),
            }),
            claims: &["response uwfq query < ideal-response query", "finish uwfq query < finish ujf query"],
        },
        Step {
            title: "Seen on real Spark",
            text: &[
                Block::Text(
                    "This is not made up. In a recorded run of four users' queries on real Spark with two cores, nearly every tie went to the first name; for ten seconds dan's queries got next to nothing while ana and ben were served.",
                ),
                Block::Points(&[
                    "Open an event log of your own with *Open*: the page shows it as it ran, beside UJF and UWFQ.",
                    "See *Who waited for whom* in Compare: who waits most, and are their names last?",
                    "Rename a user here, or give dan a weight, and watch the ties.",
                ]),
            ],
            scene: PAGE,
            spots: &[Spot::Panel("ujf")],
            guess: None,
            claims: &[],
        },
    ],
};
