//! Skew: one slow partition and a cluster that waits for it.

use super::{Guess, Lesson, LessonScene, LessonStep, Reveal, StepSource, StepTarget, TextBlock};
use fairlane_view::view::Mark;

const PAGE: LessonScene = LessonScene::new(StepSource::Catalog("skew"), "uwfq").choosing(&["report"]);

pub(super) const LESSON: Lesson = Lesson {
    id: "skew",
    title: "Skew",
    promise: "One slow task, a cluster that idles behind it, and how partitioning by time helps.",
    minutes: 5,
    steps: &[
        LessonStep {
            title: "Equal data, unequal time",
            text: &[
                TextBlock::Text(
                    "The tab Job shows the input of the stage **scan** as bars: equal slices of the data, with \
                        their time as the height. One of them takes {largest-slice report}, the others \
                        {smallest-slice report} each.",
                ),
                TextBlock::Text(
                    "That is **skew**: a popular customer, a busy day. Spark partitions by the amount of data and \
                        does not know how long it will take.",
                ),
            ],
            scene: PAGE.editing(),
            spots: &[StepTarget::SkewBars],
            guess: None,
            claims: &["smallest-slice report < largest-slice report"],
        },
        LessonStep {
            title: "The straggler",
            text: &[
                TextBlock::Text(
                    "By default each slice becomes a task, {tasks uwfq report 0} for {cores} cores. It starts \
                        well: every core has one.",
                ),
                TextBlock::Text("The playhead is in the middle of what follows."),
            ],
            scene: PAGE.at(3000),
            spots: &[StepTarget::Panel("uwfq"), StepTarget::Load("uwfq")],
            guess: Some(Guess {
                question: "How many of the {cores} cores do nothing now?",
                options: &[
                    "None: Spark spreads the work",
                    "Half of them",
                    "All but one: {cores - running uwfq ana 3}",
                ],
                right: 2,
                answer: &[TextBlock::Text(
                    "A task runs on one core and cannot be divided while it runs. {cores - running uwfq ana 3} \
                        cores wait for the one **straggler**: {idle uwfq report} of \
                     idle core time, more than the {work report} of work in the whole job.",
                )],
                reveal: Some(Reveal {
                    scene: PAGE.at(3000),
                    spots: &[StepTarget::Panel("uwfq"), StepTarget::Load("uwfq")],
                }),
            }),
            claims: &[
                "running uwfq ana 3 = 1",
                "work report < idle uwfq report",
                "tasks uwfq report 0 = cores",
            ],
        },
        LessonStep {
            title: "And everything after it waits",
            text: &[
                TextBlock::Text(
                    "The switch **skew** stripes the straggler and the cores that idle behind it. The second \
                        stage, sum, needs all results of the \
                     first and cannot start before {stage-end uwfq report 0}.",
                ),
                TextBlock::Text(
                    "{work report} on {cores} cores could be done in {work report / cores}. The job takes \
                        {response uwfq report}.",
                ),
            ],
            scene: PAGE.marking(&[Mark::Skew]),
            spots: &[StepTarget::MarkSkew, StepTarget::Panel("uwfq")],
            guess: None,
            claims: &["work report / cores * 2 < response uwfq report"],
        },
        LessonStep {
            title: "Cut by time, not by size",
            text: &[TextBlock::Text(
                "**Runtime partitioning** (the suffix -P) asks how long a stage will take and cuts it into tasks \
                    of about the *advisory task \
                     runtime*, ATR: {stage-work report 0} of scan by {atr} makes {tasks uwfq-p report 0} tasks.",
            )],
            scene: PAGE.choosing(&[]),
            spots: &[StepTarget::Atr],
            guess: Some(Guess {
                question: "Under default partitioning the job takes {response uwfq report}. And cut into {tasks \
                    uwfq-p report 0} tasks?",
                options: &[
                    "About as long: the heavy slice is still there",
                    "{response uwfq-p report}",
                    "Longer: {tasks uwfq-p report 0 - tasks uwfq report 0} more tasks have to be started",
                ],
                right: 1,
                answer: &[TextBlock::Text(
                    "The heavy slice is now several tasks, which run side by side: the longest takes {longest \
                        uwfq-p report} instead of {longest uwfq report}. \
                     The job ends after {response uwfq-p report}, close to the {work report / cores} that the work \
                     alone needs.",
                )],
                reveal: Some(Reveal {
                    scene: PAGE.under("uwfq,uwfq-p").at(1800),
                    spots: &[StepTarget::Panel("uwfq-p"), StepTarget::Policy("uwfq-p")],
                }),
            }),
            claims: &[
                "stage-work report 0 / atr = tasks uwfq-p report 0",
                "response uwfq-p report * 2 < response uwfq report",
                "work report / cores < response uwfq-p report",
            ],
        },
        LessonStep {
            title: "Side by side",
            text: &[
                TextBlock::Text(
                    "The same job, the same policy, two partitionings. The idle time behind stragglers falls from \
                        {idle uwfq report} to {idle uwfq-p report}.",
                ),
                TextBlock::Text(
                    "The tasks are still not equal: they are equal parts of the *data*, and those of the heavy \
                        slice take {longest uwfq-p report 0} while others \
                     take {shortest uwfq-p report 0}. With a smaller ATR of {atr @ atr 0.1} the longest would be \
                     {longest uwfq-p report @ atr 0.1}. Why not cut much finer, then? \
                     See the lesson on choosing the ATR.",
                ),
            ],
            scene: PAGE.under("uwfq,uwfq-p").marking(&[Mark::Skew]),
            spots: &[StepTarget::Panel("uwfq-p"), StepTarget::Panel("uwfq")],
            guess: None,
            claims: &[
                "idle uwfq-p report * 4 < idle uwfq report",
                "shortest uwfq-p report 0 < longest uwfq-p report 0",
                "longest uwfq-p report @ atr 0.1 < longest uwfq-p report",
            ],
        },
        LessonStep {
            title: "Now you",
            text: &[TextBlock::Points(&[
                "Pull another bar up in the tab Job, or make all of them equal. When does runtime partitioning \
                    gain nothing?",
                "Untick *splittable* for scan: some stages, such as those that read compressed files, cannot be \
                    partitioned differently.",
            ])],
            scene: PAGE.under("uwfq,uwfq-p").editing().marking(&[Mark::Skew]),
            spots: &[StepTarget::SkewBars],
            guess: None,
            claims: &[],
        },
    ],
};
