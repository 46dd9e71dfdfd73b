//! Priority inversion: the right order, and no free core to apply it to.

use super::{Guess, Lesson, LessonScene, LessonStep, Reveal, StepSource, StepTarget, TextBlock};
use fairlane_view::view::Mark;

const PAGE: LessonScene =
    LessonScene::new(StepSource::Catalog("priority-inversion"), "uwfq").choosing(&["lookup"]);

pub(super) const LESSON: Lesson = Lesson {
    id: "priority-inversion",
    title: "Priority inversion",
    promise: "No order helps while long tasks hold every core.",
    minutes: 5,
    steps: &[
        LessonStep {
            title: "Just too late",
            text: &[TextBlock::Text(
                "ana's nightly job, {work nightly}, starts on an idle cluster and takes all {cores} cores, with \
                    one task each. At {arrival lookup} ben submits a \
                     small lookup: {work lookup}, {alone uwfq lookup} on an idle cluster.",
            )],
            scene: PAGE.at(100).showing(0, 1000).choosing(&[]),
            spots: &[StepTarget::Job("lookup"), StepTarget::Load("uwfq")],
            guess: Some(Guess {
                question: "UWFQ will rank the lookup first. When does its first task start?",
                options: &[
                    "At {arrival lookup}: it is first",
                    "At {start uwfq lookup}",
                    "At {ideal lookup}, its end in the fluid ideal",
                ],
                right: 1,
                answer: &[TextBlock::Text(
                    "Only at {start uwfq lookup}. Spark never interrupts a task, each of nightly's holds its core \
                        for {longest uwfq nightly}, and all had started when the lookup arrived. It takes \
                        {response uwfq lookup} instead of {alone uwfq lookup}.",
                )],
                reveal: Some(Reveal {
                    scene: PAGE.at(6010),
                    spots: &[StepTarget::Response("uwfq"), StepTarget::Job("lookup")],
                }),
            }),
            claims: &["running uwfq ana 0.1 = cores", "start uwfq lookup = finish uwfq nightly"],
        },
        LessonStep {
            title: "The order is right",
            text: &[TextBlock::Text(
                "The queue at the playhead is as it should be: the lookup's deadline is {#D uwfq lookup 1} \
                    core-seconds, nightly's {#D uwfq nightly 1}. The lookup is first in the queue, but there is \
                    simply **no core to give**.",
            )],
            scene: PAGE.at(1000).why("uwfq"),
            spots: &[StepTarget::Queue, StepTarget::Load("uwfq")],
            guess: None,
            claims: &[
                "D uwfq lookup 1 < D uwfq nightly 1",
                "waiting uwfq ben 1 = tasks uwfq lookup",
                "running uwfq ana 1 = cores",
            ],
        },
        LessonStep {
            title: "It has a name",
            text: &[TextBlock::Text(
                "A job waits although its key is smaller than those of the tasks that hold the cores: **priority \
                    inversion**. The switch *inversion* stripes \
                     these cores. The lookup is affected for {inversion uwfq lookup}, nearly all of its response \
                     of {response uwfq lookup}.",
            )],
            scene: PAGE.at(1000).marking(&[Mark::Inversion]),
            spots: &[StepTarget::MarkInversion, StepTarget::Panel("uwfq")],
            guess: None,
            claims: &["response uwfq lookup * 0.9 < inversion uwfq lookup"],
        },
        LessonStep {
            title: "Another policy?",
            text: &[TextBlock::Text(
                "UWFQ ranked correctly. Would Fair, which looks at running tasks, do better here? Or UJF, with a \
                    pool for each user?",
            )],
            scene: PAGE.at(1000),
            spots: &[StepTarget::Policy("fair")],
            guess: Some(Guess {
                question: "The lookup takes {response uwfq lookup} under UWFQ. And under Fair?",
                options: &[
                    "Sooner: nightly runs many tasks, the lookup none",
                    "Not sooner: {response fair lookup}",
                    "Much later",
                ],
                right: 1,
                answer: &[TextBlock::Text(
                    "{response fair lookup} under Fair and {response ujf lookup} under UJF. A policy decides who \
                        gets the next free core. Between {arrival lookup} and {start uwfq lookup} there is none, \
                        so all \
                     policies are equally helpless.",
                )],
                reveal: Some(Reveal {
                    scene: PAGE.under("fair,ujf,uwfq").at(6520),
                    spots: &[
                        StepTarget::Response("fair"),
                        StepTarget::Response("ujf"),
                        StepTarget::Response("uwfq"),
                    ],
                }),
            }),
            claims: &[
                "response uwfq lookup <= response fair lookup",
                "response uwfq lookup <= response ujf lookup",
                "start fair lookup = start uwfq lookup",
            ],
        },
        LessonStep {
            title: "Shorter tasks",
            text: &[TextBlock::Text(
                "The remedy is to free cores more often. Runtime partitioning cuts nightly into tasks of about \
                    {atr}: {tasks uwfq-p nightly} instead of \
                 {tasks uwfq nightly}.",
            )],
            scene: PAGE.at(1000),
            spots: &[StepTarget::Panel("uwfq"), StepTarget::Atr],
            guess: Some(Guess {
                question: "How long does the lookup wait for its first core now?",
                options: &[
                    "{wait uwfq-p lookup}",
                    "{wait uwfq lookup / 2}, half as long",
                    "{wait uwfq lookup}, as before",
                ],
                right: 0,
                answer: &[TextBlock::Text(
                    "At most one task's length: {wait uwfq-p lookup}. It takes {response uwfq-p lookup} instead of \
                        {response uwfq lookup}, and inversion lasts {inversion uwfq-p lookup} \
                     instead of {inversion uwfq lookup}.",
                )],
                reveal: Some(Reveal {
                    scene: PAGE.at(1000).under("uwfq,uwfq-p"),
                    spots: &[StepTarget::Panel("uwfq-p"), StepTarget::Response("uwfq-p")],
                }),
            }),
            claims: &[
                "wait uwfq-p lookup <= longest uwfq-p nightly",
                "response uwfq-p lookup * 4 < response uwfq lookup",
            ],
        },
        LessonStep {
            title: "What it costs",
            text: &[
                TextBlock::Text(
                    "Starting a task costs {overhead}. nightly has {tasks uwfq-p nightly - tasks uwfq nightly} \
                        more of them, and everything ends at {makespan uwfq-p} instead of {makespan uwfq}: hardly \
                        a difference here.",
                ),
                TextBlock::Text(
                    "Change the ATR at the side and watch the lookup: a long ATR brings inversion back, a very \
                        short one adds overhead. The \
                     next lesson is about this choice.",
                ),
            ],
            scene: PAGE.under("uwfq,uwfq-p").marking(&[Mark::Inversion]),
            spots: &[StepTarget::Atr, StepTarget::Panel("uwfq-p")],
            guess: None,
            claims: &["makespan uwfq-p < makespan uwfq * 1.05", "makespan uwfq < makespan uwfq-p * 1.05"],
        },
    ],
};
