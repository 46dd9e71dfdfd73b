//! How UWFQ sets deadlines: the paper's Algorithm 1 line by line on three jobs of two users.

use super::{Guess, Lesson, LessonScene, LessonStep, Reveal, StepSource, StepTarget, TextBlock};
use fairlane_view::view::Colouring;

/// Four cores; two jobs of ana's, the second shorter, and one of ben's. Chosen so that every number of the algorithm
/// is whole, and tasks so long that none ends just as a job arrives.
const FILE: &str = r#"{ "format": "fairlane/scenario@1", "name": "Lesson: how UWFQ sets deadlines",
  "description": "ana submits a model and a second later a plot; ben submits a query after two seconds.",
  "cluster": { "executors": 2, "cores_per_executor": 2 },
  "users": [{ "name": "ana" }, { "name": "ben" }],
  "jobs": [
    { "user": "ana", "name": "model", "arrival_s": 0, "stages": [{ "work_s": 16, "partitions": 10 }] },
    { "user": "ana", "name": "plot", "arrival_s": 1, "stages": [{ "work_s": 4, "partitions": 4 }] },
    { "user": "ben", "name": "query", "arrival_s": 2, "stages": [{ "work_s": 6, "partitions": 6 }] } ] }"#;

const PAGE: LessonScene = LessonScene::new(StepSource::Own(FILE), "uwfq").coloured(Colouring::Job);
const WHY: LessonScene = PAGE.why("uwfq");

pub(super) const LESSON: Lesson = Lesson {
    id: "uwfq-deadlines",
    title: "How UWFQ sets deadlines",
    promise: "The paper's Algorithm 1, line by line, with the numbers.",
    minutes: 9,
    steps: &[
        LessonStep {
            title: "Three jobs, two clocks",
            text: &[
                TextBlock::Text(
                    "ana submits model ({work model}) and later plot ({work plot}); ben submits query ({work \
                        query}). There are {cores} cores, and \
                     both users have the same weight. UWFQ keeps these variables, all in core-seconds:",
                ),
                TextBlock::Table {
                    head: &["", "means"],
                    rows: &[
                        &["V", "global virtual time: what each active user has been owed so far"],
                        &["Va", "a user's virtual arrival: V when the user became active"],
                        &["Vu", "a user's own clock: how much each of the user's jobs has been served since"],
                        &["L", "a job's work, as estimated"],
                        &["D_user", "a job's deadline on its user's clock"],
                        &["D_global", "a job's deadline on the global clock: the key of the queue"],
                        &["End", "a user's last D_global: when the user becomes inactive"],
                    ],
                },
                TextBlock::Text("At the start V = {#V uwfq 0} and nobody is active."),
            ],
            scene: PAGE,
            spots: &[StepTarget::Lanes],
            guess: None,
            claims: &[],
        },
        LessonStep {
            title: "model arrives",
            text: &[
                TextBlock::Walk("model"),
                TextBlock::Text(
                    "The cluster is idle, so model starts at once on all cores. The deadline only matters when \
                        others wait.",
                ),
            ],
            scene: WHY,
            spots: &[StepTarget::Job("model"), StepTarget::VirtualTime],
            guess: None,
            claims: &["start uwfq model = arrival model", "running uwfq ana 0 = cores"],
        },
        LessonStep {
            title: "plot arrives",
            text: &[TextBlock::Text(
                "A second later ana submits plot. It is shorter than the rest of model, which has had {#V uwfq 1} \
                    of its {work model} by now.",
            )],
            scene: WHY.at(990).showing(0, 1000),
            spots: &[StepTarget::VirtualTime],
            guess: Some(Guess {
                question: "What happens to model's D_global, {#D uwfq model 0} so far?",
                options: &[
                    "It stays {#D uwfq model 0}; plot is due after it, at {#D uwfq model 0 + work plot}",
                    "It becomes {#D uwfq model 1}; plot is due before it, at {#D uwfq plot 1}",
                    "It becomes {#D uwfq model 0 + work plot + 4}: both jobs lose",
                ],
                right: 1,
                answer: &[
                    TextBlock::Walk("plot"),
                    TextBlock::Text(
                        "Line 7 decides: on ana's own clock plot is due at {#D-user uwfq plot}, before model with \
                            {#D-user uwfq model}. So it goes before model in her list, and in lines 10 to 19 **her \
                            own** model \
                         pays for it: its deadline moves by exactly plot's work.",
                    ),
                ],
                reveal: Some(Reveal {
                    scene: WHY.at(1000),
                    spots: &[StepTarget::VirtualTime, StepTarget::Job("plot")],
                }),
            }),
            claims: &[
                "D-user uwfq plot < D-user uwfq model",
                "D uwfq model 1 - D uwfq model 0 = work plot",
                "D uwfq plot 1 < D uwfq model 1",
            ],
        },
        LessonStep {
            title: "query arrives",
            text: &[TextBlock::Text(
                "Now ben arrives. V is {#V uwfq 2}: that is what ana was owed while she was alone.",
            )],
            scene: WHY.at(1990).showing(0, 2000),
            spots: &[StepTarget::VirtualTime],
            guess: Some(Guess {
                question: "What will query's D_global be?",
                options: &[
                    "{#work query}: its work",
                    "{#D uwfq query 2}: V now and its work",
                    "{#D uwfq model 2 + work query}: after all of ana's jobs",
                ],
                right: 1,
                answer: &[
                    TextBlock::Walk("query"),
                    TextBlock::Text(
                        "ana's earlier service counts neither for nor against her: ben enters at the current V. He \
                            does not affect her deadlines, \
                         {#D uwfq plot 2} and {#D uwfq model 2}, nor would further jobs of hers affect his.",
                    ),
                ],
                reveal: Some(Reveal {
                    scene: WHY.at(2000),
                    spots: &[StepTarget::VirtualTime, StepTarget::Job("query")],
                }),
            }),
            claims: &[
                "D uwfq query 2 = V uwfq 2 + work query",
                "D uwfq plot 2 = D uwfq plot 1",
                "D uwfq model 2 = D uwfq model 1",
            ],
        },
        LessonStep {
            title: "The queue",
            text: &[
                TextBlock::Text(
                    "Whenever a core becomes free, the waiting stage with the smallest D_global gets it: plot ({#D \
                        uwfq plot 2}), then query \
                     ({#D uwfq query 2}), then model ({#D uwfq model 2}). Press a task in the chart to see the \
                     queue of its decision; this is the one of query's first task, at {start uwfq query}.",
                ),
                TextBlock::Text("Equal deadlines would be ordered by arrival, then by stage id."),
            ],
            scene: PAGE.at(2600).why_task("uwfq", "query"),
            spots: &[StepTarget::Queue, StepTarget::Reason],
            guess: None,
            claims: &[
                "D uwfq plot 2 < D uwfq query 2 < D uwfq model 2",
                "start uwfq plot < start uwfq query",
                "finish uwfq plot < finish uwfq query < finish uwfq model",
                "start uwfq query = 2.6",
            ],
        },
        LessonStep {
            title: "Who has finished virtually?",
            text: &[TextBlock::Text(
                "At {arrival query} V is {#V uwfq 2}. plot's D_global is {#D uwfq plot 2}, so V passed it long ago.",
            )],
            scene: WHY.at(2000).choosing(&["plot", "query"]),
            spots: &[StepTarget::VirtualTime],
            guess: Some(Guess {
                question: "Has plot finished virtually, in the fluid that UWFQ imagines?",
                options: &[
                    "Yes: V has passed its D_global",
                    "No: ana's own clock has not reached its D_user",
                ],
                right: 1,
                answer: &[
                    TextBlock::Text(
                        "No. A user's jobs share equally, and Algorithm 3 advances the user's clock: at {arrival \
                            query} Vu is {#Vu uwfq ana 2}, and plot's D_user is \
                         {#D-user uwfq plot}. Vu reaches it at {V-end uwfq plot}: plot then leaves ana's list and \
                         **has finished virtually**. That is \
                         its end in the ideal fluid, {ideal plot}.",
                    ),
                    TextBlock::Text(
                        "D_global only **orders** jobs. V is only compared with a user's End (Algorithm 2): ben \
                            leaves when V reaches \
                         {#End uwfq ben 2}, at {gone uwfq ben}, ana when it reaches {#End uwfq ana 2}, at {gone \
                         uwfq ana}.",
                    ),
                ],
                reveal: None,
            }),
            claims: &[
                "D uwfq plot 2 < V uwfq 2",
                "Vu uwfq ana 2 < D-user uwfq plot",
                "arrival query < V-end uwfq plot",
                "V-end uwfq plot = ideal plot",
                "V-end uwfq model = ideal model",
                "V-end uwfq query = ideal query",
            ],
        },
        LessonStep {
            title: "The result",
            text: &[
                TextBlock::Table {
                    head: &["job", "D_global", "ideal end", "real end"],
                    rows: &[
                        &["plot", "{#D uwfq plot 2}", "{ideal plot}", "{finish uwfq plot}"],
                        &["query", "{#D uwfq query 2}", "{ideal query}", "{finish uwfq query}"],
                        &["model", "{#D uwfq model 2}", "{ideal model}", "{finish uwfq model}"],
                    ],
                },
                TextBlock::Text(
                    "D_global has the order of the ideal ends. plot and query end sooner than if everybody had \
                        shared all the time; model, whose last \
                     tasks cannot be spread over all cores, ends {finish uwfq model - ideal model} late.",
                ),
                TextBlock::Text(
                    "With weights, V grows by the cores divided by the **sum of the active weights**, and a job \
                        adds its work divided by its user's weight \
                     to a deadline. Fairlane's weight is a share: a larger one means more. The paper's U_w is the \
                     inverse and multiplies L.",
                ),
                TextBlock::Text(
                    "To try it: give ben more weight under **Users**, or let plot arrive later, and follow V below \
                        the ideal and Va and Vu in the tab Why.",
                ),
            ],
            scene: WHY.at(4000),
            spots: &[StepTarget::Panel("uwfq"), StepTarget::VirtualTime],
            guess: None,
            claims: &[
                "ideal plot < ideal query < ideal model",
                "finish uwfq plot < ideal plot",
                "finish uwfq query < ideal query",
                "ideal model < finish uwfq model",
            ],
        },
    ],
};
