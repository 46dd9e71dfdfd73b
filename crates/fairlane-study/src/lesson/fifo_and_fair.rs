//! FIFO and Fair: how to read the page, and what the two policies of plain Spark do.

use super::{Guess, Lesson, LessonScene, LessonStep, Reveal, StepSource, StepTarget, TextBlock};

/// Four cores. ana's export of thirty-two tasks fills them; ben's query of four arrives while the first are under way,
/// between two ends of tasks, so that no order of events at one instant matters. All tasks last a second, so that
/// both schedules end at the same time.
const FILE: &str = r#"{ "format": "fairlane/scenario@1", "name": "Lesson: FIFO and Fair",
  "description": "A long export fills four cores; a short query arrives half a second later.",
  "cluster": { "executors": 2, "cores_per_executor": 2 },
  "users": [{ "name": "ana" }, { "name": "ben" }],
  "jobs": [
    { "user": "ana", "name": "export", "arrival_s": 0, "stages": [{ "name": "scan", "work_s": 32, "partitions": 32 }] },
    { "user": "ben", "name": "query", "arrival_s": 0.5, "stages": [{ "name": "read", "work_s": 4, "partitions": 4 }] } ] }"#;

const PAGE: LessonScene = LessonScene::new(StepSource::Own(FILE), "fifo").choosing(&["query"]);

pub(super) const LESSON: Lesson = Lesson {
    id: "fifo-and-fair",
    title: "FIFO and Fair",
    promise: "Read the page, and see what plain Spark does with a long job and a short one.",
    minutes: 5,
    steps: &[
        LessonStep {
            title: "A cluster and two jobs",
            text: &[
                TextBlock::Text(
                    "Each user has a lane. A block in it is a **job**, say a query, at the time at which it \
                        arrives. ana's export \
                     arrives first, ben's query at {arrival query}.",
                ),
                TextBlock::Text(
                    "A job is cut into **tasks**: the export into {tasks fifo export}, the query into {tasks fifo \
                        query}. Tasks run on \
                     the cluster's {cores} **cores**, one at a time on each, and a task that has started is never \
                     interrupted.",
                ),
                TextBlock::Text(
                    "The chart shows the first second: a row per core, a box per task, in the colour of its user. \
                        Time runs to the right.",
                ),
            ],
            scene: PAGE.at(1000).showing(0, 1000).choosing(&[]),
            spots: &[StepTarget::Lanes, StepTarget::Panel("fifo")],
            guess: None,
            claims: &["arrival export < arrival query"],
        },
        LessonStep {
            title: "First in, first out",
            text: &[
                TextBlock::Text(
                    "**FIFO** is Spark's default: whenever a core becomes free, it goes to the job that arrived \
                        first, as long as \
                     that one has tasks left to start.",
                ),
                TextBlock::Text(
                    "The playhead, the red line, is where ben's query arrives. All {running fifo ana 0.5} cores \
                        run tasks of the \
                     export, and {waiting fifo ana 0.5} more tasks of it wait.",
                ),
            ],
            scene: PAGE.at(500).showing(0, 1000).choosing(&[]),
            spots: &[StepTarget::Load("fifo"), StepTarget::Job("query")],
            guess: Some(Guess {
                question: "When does the first task of the query start?",
                options: &[
                    "At once",
                    "At {start fair query}, when the first cores become free",
                    "At {start fifo query}, when every task of the export has started and cores become free",
                ],
                right: 2,
                answer: &[TextBlock::Text(
                    "Until {start fifo query} each free core goes to a task of the export, which arrived earlier. \
                        The query needs {alone fifo query} \
                     on an idle cluster; here it takes {response fifo query}. The bar below the chart is \
                     that **response time**, from \
                     arrival to end.",
                )],
                reveal: Some(Reveal {
                    scene: PAGE.at(8000),
                    spots: &[StepTarget::Response("fifo"), StepTarget::Job("query")],
                }),
            }),
            claims: &[
                "waiting fifo ben 0.5 = tasks fifo query",
                "start fifo query = finish fifo export",
                "wait fifo query < response fifo query",
            ],
        },
        LessonStep {
            title: "Fair: whoever runs least goes first",
            text: &[
                TextBlock::Text(
                    "Spark's **Fair** mode asks another question: which stage of a job has the fewest running tasks? \
                        The next free core goes to that one.",
                ),
                TextBlock::Text(
                    "Both schedules have the same jobs and the same time axis. Compare the query in both.",
                ),
            ],
            scene: PAGE.under("fifo,fair").at(1000),
            spots: &[StepTarget::Panel("fair"), StepTarget::Response("fair")],
            guess: Some(Guess {
                question: "The query now ends early. How much later does the export end than under FIFO?",
                options: &[
                    "By {finish fair export - finish fifo export}",
                    "By {response fifo query - response fair query}, what the query has gained",
                    "Not at all",
                ],
                right: 0,
                answer: &[TextBlock::Text(
                    "The query adds {work query} of work, which {cores} cores do in {work query / cores}. That is \
                        all the export \
                     loses: it ends at {finish fair export} instead of {finish fifo export}. The query's response \
                     falls from \
                     {response fifo query} to {response fair query}.",
                )],
                reveal: Some(Reveal {
                    scene: PAGE.under("fifo,fair").at(9000),
                    spots: &[StepTarget::Panel("fair"), StepTarget::Response("fair")],
                }),
            }),
            claims: &[
                "finish fair export - finish fifo export = work query / cores",
                "response fair query < response fifo query",
                "finish fair export - finish fifo export < response fifo query - response fair query",
            ],
        },
        LessonStep {
            title: "Ask why",
            text: &[
                TextBlock::Text(
                    "Press any task in a chart, and the tab **Why** shows the decision behind it: who waited, and \
                        the key by which the \
                     policy ranked them. Here it is the query's first task under Fair.",
                ),
                TextBlock::Text(
                    "The key is the number of running tasks, smallest first. No task of the query runs yet, so it \
                        goes first, until both jobs hold the same number of cores.",
                ),
            ],
            scene: PAGE.under("fifo,fair").at(1000).why_task("fair", "query"),
            spots: &[StepTarget::Queue, StepTarget::Reason],
            guess: None,
            claims: &["running fair ana 1 = running fair ben 1", "start fair query = 1"],
        },
        LessonStep {
            title: "Only the order has changed",
            text: &[
                TextBlock::Text(
                    "Look at the table: the last task ends at {makespan fifo} under both policies. The work is the \
                        same and no core \
                     ever idled, so a scheduler cannot make the cluster faster. It decides **who waits**.",
                ),
                TextBlock::Text(
                    "And that matters: the mean response falls from {mean fifo} to {mean fair}, because the short \
                        job hardly delays the long one, \
                     while the long one delays the short one a lot.",
                ),
            ],
            scene: PAGE.under("fifo,fair").choosing(&[]),
            spots: &[StepTarget::Overview],
            guess: None,
            claims: &["makespan fifo = makespan fair", "mean fair < mean fifo"],
        },
        LessonStep {
            title: "Now you",
            text: &[
                TextBlock::Text("You can change everything on this page, in a lesson too:"),
                TextBlock::Points(&[
                    "Drag ben's query to the left or right. Under which policy does its response change more?",
                    "Drag a few jobs from the palette into ana's lane. Does ben's query still end soon under Fair?",
                    "**Restore this step** below restores the lesson's state.",
                ]),
                TextBlock::Text(
                    "If many of ana's jobs make ben wait even under Fair, you have found the topic of the next lesson.",
                ),
            ],
            scene: PAGE.under("fifo,fair"),
            spots: &[StepTarget::Job("query"), StepTarget::Palette],
            guess: None,
            claims: &[],
        },
    ],
};
