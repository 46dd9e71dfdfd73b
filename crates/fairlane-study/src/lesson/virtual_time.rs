//! Virtual time and the fluid ideal: what fair sharing would be, and the clock that turns it into fixed
//! deadlines.

use super::{Guess, Lesson, LessonScene, LessonStep, Reveal, StepSource, StepTarget, TextBlock};

/// Four cores, one job for each user, so that a job finishes virtually exactly where V crosses its deadline. Tasks
/// last 0.8 s, so that none ends just as a job arrives.
const TWO: &str = r#"{ "format": "fairlane/scenario@1", "name": "Lesson: virtual time",
  "description": "A training job has the cluster to itself until a report arrives.",
  "cluster": { "executors": 2, "cores_per_executor": 2 },
  "users": [{ "name": "ana" }, { "name": "ben" }],
  "jobs": [
    { "user": "ana", "name": "train", "arrival_s": 0, "stages": [{ "work_s": 16, "partitions": 20 }] },
    { "user": "ben", "name": "report", "arrival_s": 1, "stages": [{ "work_s": 8, "partitions": 10 }] } ] }"#;

/// The same with a third user, a second after the second.
const THREE: &str = r#"{ "format": "fairlane/scenario@1", "name": "Lesson: virtual time, a third user",
  "description": "A training job has the cluster to itself until a report arrives, and a check a second later.",
  "cluster": { "executors": 2, "cores_per_executor": 2 },
  "users": [{ "name": "ana" }, { "name": "ben" }, { "name": "cem" }],
  "jobs": [
    { "user": "ana", "name": "train", "arrival_s": 0, "stages": [{ "work_s": 16, "partitions": 20 }] },
    { "user": "ben", "name": "report", "arrival_s": 1, "stages": [{ "work_s": 8, "partitions": 10 }] },
    { "user": "cem", "name": "check", "arrival_s": 2, "stages": [{ "work_s": 4, "partitions": 5 }] } ] }"#;

const PAGE: LessonScene = LessonScene::new(StepSource::Own(TWO), "uwfq");
const CLOCK: LessonScene = PAGE.why("uwfq");

pub(super) const LESSON: Lesson = Lesson {
    id: "virtual-time",
    title: "Virtual time and the fluid ideal",
    promise: "A clock that slows down in company, so that deadlines never have to change.",
    minutes: 7,
    steps: &[
        LessonStep {
            title: "If work were a fluid",
            text: &[
                TextBlock::Text(
                    "What would be **perfectly fair**? Imagine that work were a fluid and could be divided at \
                        will. At every instant the {cores} cores \
                     would be split equally among the users who have work. That is the ideal of *generalized \
                     processor sharing*, GPS.",
                ),
                TextBlock::Text(
                    "Here ana's train, {work train}, has the cluster to itself until ben's report, {work report}, \
                        arrives at {arrival report}.",
                ),
            ],
            scene: PAGE,
            spots: &[StepTarget::Lanes],
            guess: Some(Guess {
                question: "When would the report end if both flowed through the cluster in equal shares?",
                options: &[
                    "At {arrival report + alone uwfq report}, as soon as it can",
                    "At {ideal report}",
                    "At {ideal train}, together with train",
                ],
                right: 1,
                answer: &[TextBlock::Text(
                    "From {arrival report} on it gets half of the {cores} cores, and {work report} at {cores / 2} \
                        cores take {ideal-response report}. \
                     train, which had the cluster to itself before, ends at {ideal train}.",
                )],
                reveal: Some(Reveal { scene: PAGE.at(5000), spots: &[StepTarget::Lanes] }),
            }),
            claims: &["work report / cores * 2 = ideal-response report", "ideal report < ideal train"],
        },
        LessonStep {
            title: "The flag in the chart",
            text: &[
                TextBlock::Text(
                    "Choose a job and its response appears as a bar below the chart. The flag **ideal** marks its \
                        end in the fluid. Both jobs are chosen now.",
                ),
                TextBlock::Text(
                    "Notice that ben's arrival has moved ana's ideal end: alone, train would end at {work train / \
                        cores}, in company at {ideal train}. With \
                     every arrival the ideal end of *everybody* moves. A scheduler that kept a list of such ends \
                     would have to \
                     rewrite it all the time.",
                ),
            ],
            scene: PAGE.choosing(&["train", "report"]),
            spots: &[StepTarget::Response("uwfq")],
            guess: None,
            claims: &["work train / cores < ideal train"],
        },
        LessonStep {
            title: "A clock that slows down",
            text: &[
                TextBlock::Text(
                    "The trick is to rewrite the clock instead. **Virtual time** V counts how much service each \
                        active user has been owed so \
                     far, in core-seconds. It is the rising line below the ideal.",
                ),
                TextBlock::Text(
                    "While ana is alone, V grows by {rate uwfq 0.5} per second: she is owed all the cores.",
                ),
            ],
            scene: CLOCK.at(500).showing(0, 1000),
            spots: &[StepTarget::VirtualTime],
            guess: Some(Guess {
                question: "How fast does V grow while both are active?",
                options: &[
                    "By {rate uwfq 0.5} per second, as before",
                    "By {rate uwfq 3} per second",
                    "By {rate uwfq 0.5 * 2} per second: there is twice as much work",
                ],
                right: 1,
                answer: &[TextBlock::Text(
                    "The cores divided by the active users: {rate uwfq 3}. When the report has finished virtually, \
                        at {gone uwfq ben}, V grows by \
                     {rate uwfq 5.5} again. In other words: V is the fluid that each active user has been owed.",
                )],
                reveal: Some(Reveal { scene: CLOCK.at(3000), spots: &[StepTarget::VirtualTime] }),
            }),
            claims: &["rate uwfq 0.5 = cores", "rate uwfq 3 = cores / 2", "rate uwfq 5.5 = cores"],
        },
        LessonStep {
            title: "Deadlines that stay",
            text: &[
                TextBlock::Text(
                    "Measured by this clock a job's ideal end is known **the moment it arrives**: V now, plus its \
                        work. That is its deadline D.",
                ),
                TextBlock::Points(&[
                    "train arrives at V = {#V uwfq 0}: D = {#V uwfq 0} + {#work train} = {#D uwfq train 0}.",
                    "report arrives at V = {#V uwfq 1}: D = {#V uwfq 1} + {#work report} = {#D uwfq report 1}.",
                ]),
                TextBlock::Text(
                    "They are the level lines below the ideal. V crosses {#D uwfq report 1} at {gone uwfq ben} and \
                        {#D uwfq train 1} at {gone uwfq ana}: \
                     exactly the ends in the fluid. With one job per user, that is when a job **finishes \
                     virtually**; the next lesson shows why it is not \
                     with several.",
                ),
            ],
            scene: CLOCK.at(5000),
            spots: &[StepTarget::VirtualTime],
            guess: None,
            claims: &[
                "gone uwfq ben = ideal report",
                "gone uwfq ana = ideal train",
                "V uwfq 5 = D uwfq report 5",
            ],
        },
        LessonStep {
            title: "A third user arrives",
            text: &[TextBlock::Text(
                "Now cem's check, {work check}, arrives at {arrival check}. All of a sudden everybody gets less.",
            )],
            scene: LessonScene::new(StepSource::Own(THREE), "uwfq").at(2000).why("uwfq"),
            spots: &[StepTarget::VirtualTime, StepTarget::Job("check")],
            guess: Some(Guess {
                question: "Which deadlines change?",
                options: &[
                    "train's and report's: both will end later",
                    "train's only: it has the most work left",
                    "None",
                ],
                right: 2,
                answer: &[
                    TextBlock::Text(
                        "None: train keeps {#D uwfq train 3} and report {#D uwfq report 3}. Only the clock slows \
                            down, to {rate uwfq 3} per second. \
                         So all the *ends* move, report's ideal one to {ideal report} and train's to {ideal \
                         train}, without anybody \
                         rewriting a list.",
                    ),
                    TextBlock::Text(
                        "check itself gets V + work = {#V uwfq 2} + {#work check} = {#D uwfq check 2}: it is the \
                            first of the three.",
                    ),
                ],
                reveal: Some(Reveal {
                    scene: LessonScene::new(StepSource::Own(THREE), "uwfq").at(3000).why("uwfq"),
                    spots: &[StepTarget::VirtualTime],
                }),
            }),
            claims: &[
                "D uwfq train 3 = D uwfq train 0",
                "D uwfq report 3 = D uwfq report 1",
                "D uwfq check 3 < D uwfq report 3 < D uwfq train 3",
                "rate uwfq 3 = cores / 3",
            ],
        },
        LessonStep {
            title: "From the fluid to tasks",
            text: &[
                TextBlock::Text(
                    "Tasks are not a fluid: a core runs one at a time and to its end. So the scheduler does the \
                        next best thing: whenever a core becomes free, \
                     the job with the **smallest deadline** gets it. That is weighted fair queuing.",
                ),
                TextBlock::Table {
                    head: &["job", "D", "ideal end", "real end"],
                    rows: &[
                        &["check", "{#D uwfq check 3}", "{ideal check}", "{finish uwfq check}"],
                        &["report", "{#D uwfq report 3}", "{ideal report}", "{finish uwfq report}"],
                        &["train", "{#D uwfq train 3}", "{ideal train}", "{finish uwfq train}"],
                    ],
                },
                TextBlock::Text(
                    "Jobs end in the order of the ideal, most of them sooner, because each gets the whole cluster \
                        in its turn. One can end a little \
                     later, since tasks are not interrupted: here train, by {finish uwfq train - ideal train}.",
                ),
                TextBlock::Text(
                    "What if a user has several jobs? Then a second clock is needed: see the next lesson.",
                ),
            ],
            scene: LessonScene::new(StepSource::Own(THREE), "uwfq").choosing(&["train", "report"]).at(2000),
            spots: &[StepTarget::Panel("uwfq")],
            guess: None,
            claims: &[
                "finish uwfq check < finish uwfq report < finish uwfq train",
                "ideal check < ideal report < ideal train",
                "finish uwfq check < ideal check",
                "finish uwfq report < ideal report",
                "ideal train < finish uwfq train",
            ],
        },
    ],
};
