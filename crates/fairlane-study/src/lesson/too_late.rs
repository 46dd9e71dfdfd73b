//! Too late to start: Justice drops what cannot be done in time, and what its estimate rests on.

use super::{Guess, Lesson, LessonScene, LessonStep, Reveal, StepSource, StepTarget, TextBlock};

/// Twelve jobs, one a second, of four tasks each, due after 5 s, on eight cores. The lengths of the tasks.
macro_rules! scenario {
    ($title:literal, $tasks:literal) => {
        concat!(
            r#"{ "format": "fairlane/scenario@1", "name": "Lesson: too late to start"#, $title, r#"",
  "description": "More jobs with deadlines than the cores can do.",
  "cluster": { "executors": 2, "cores_per_executor": 4 },
  "users": [{ "name": "ana" }, { "name": "ben" }, { "name": "cem" }],
  "jobs": ["#,
            scenario!(job "ana", "job1", "0", $tasks), ",", scenario!(job "ben", "job2", "1", $tasks), ",",
            scenario!(job "cem", "job3", "2", $tasks), ",", scenario!(job "ana", "job4", "3", $tasks), ",",
            scenario!(job "ben", "job5", "4", $tasks), ",", scenario!(job "cem", "job6", "5", $tasks), ",",
            scenario!(job "ana", "job7", "6", $tasks), ",", scenario!(job "ben", "job8", "7", $tasks), ",",
            scenario!(job "cem", "job9", "8", $tasks), ",", scenario!(job "ana", "job10", "9", $tasks), ",",
            scenario!(job "ben", "job11", "10", $tasks), ",", scenario!(job "cem", "job12", "11", $tasks),
            "] }"
        )
    };
    (job $user:literal, $name:literal, $arrival:literal, $tasks:literal) => {
        concat!(
            r#"{ "user": ""#, $user, r#"", "name": ""#, $name, r#"", "arrival_s": "#, $arrival,
            r#", "deadline_s": 5, "stages": [{ "tasks_s": "#, $tasks, r#", "splittable": false }] }"#
        )
    };
}

const EQUAL: &str = scenario!("", "[4, 4, 4, 4]");
const UNEVEN: &str = scenario!(", uneven tasks", "[2, 3, 4, 3]");

const PAGE: LessonScene = LessonScene::new(StepSource::Own(EQUAL), "baseline-fs,reactive-fs,justice");
const VARIED: LessonScene = LessonScene::new(StepSource::Own(UNEVEN), "deadline-oracle,justice");

pub(super) const LESSON: Lesson = Lesson {
    id: "too-late-to-start",
    title: "Too late to start",
    promise: "Why helping everybody a little helps nobody in time, and what a good guess rests on.",
    minutes: 6,
    steps: &[
        LessonStep {
            title: "Everybody a little",
            text: &[
                TextBlock::Text(
                    "Each second a job arrives. Alone it takes {alone baseline-fs job1} on {tasks baseline-fs \
                        job1} cores, and it is due a second later. The work is twice what {cores} cores can do, so \
                        that little more than half of the deadlines can be met.",
                ),
                TextBlock::Text(
                    "**Baseline FS** shares fairly and knows no deadlines. **Reactive FS** does the same and drops \
                        a job at its deadline.",
                ),
            ],
            scene: PAGE.under("baseline-fs,reactive-fs").at(6000),
            spots: &[StepTarget::Panel("baseline-fs"), StepTarget::Lanes],
            guess: Some(Guess {
                question: "Of {jobs ana + jobs ben + jobs cem} deadlines, how many are met under Baseline FS?",
                options: &["{jobs ana + jobs ben + jobs cem / 2}: half of them", "{met baseline-fs}", "None"],
                right: 1,
                answer: &[TextBlock::Text(
                    "{met baseline-fs}, those that came to an empty cluster. All later ones get some cores, too \
                        few. Reactive FS meets {met reactive-fs}: it drops jobs after they have used what they could.",
                )],
                reveal: Some(Reveal {
                    scene: PAGE.under("baseline-fs,reactive-fs").at(6000).choosing(&["job5"]),
                    spots: &[StepTarget::Response("baseline-fs"), StepTarget::Panel("reactive-fs")],
                }),
            }),
            claims: &[
                "jobs ana + jobs ben + jobs cem = 12",
                "met baseline-fs = 2",
                "met reactive-fs = met baseline-fs",
                "alone baseline-fs job1 = 4",
            ],
        },
        LessonStep {
            title: "All or nothing",
            text: &[TextBlock::Text(
                "**Justice** asks first: how many cores does this job need to end just in time? If they are free, \
                    the job gets them for life. If it is too late for that, it is **dropped at once** and has used \
                    nothing.",
            )],
            scene: PAGE.under("baseline-fs,justice").showing(0, 3000),
            spots: &[StepTarget::Policy("justice")],
            guess: Some(Guess {
                question: "Baseline FS met {met baseline-fs}. And Justice?",
                options: &["{met baseline-fs}", "{met justice}", "All of them"],
                right: 1,
                answer: &[TextBlock::Text(
                    "{met justice}, as many as an oracle that knows every length ({met deadline-oracle}). The \
                        others are struck out in their lanes: they never held a core.",
                )],
                reveal: Some(Reveal {
                    scene: PAGE.under("baseline-fs,justice").at(12_000),
                    spots: &[StepTarget::Panel("justice"), StepTarget::Lanes],
                }),
            }),
            claims: &["met justice = met deadline-oracle", "met baseline-fs * 3 < met justice"],
        },
        LessonStep {
            title: "How it guesses",
            text: &[TextBlock::Text(
                "Justice does not know a job's work. It keeps the fractions that former jobs would have needed, an \
                    average of core time over deadline, and corrects them by past errors. The tab Why shows the \
                    request: fraction, correction, and the cores that follow.",
            )],
            scene: PAGE.under("justice").at(5000).why_task("justice", "job5"),
            spots: &[StepTarget::Panel("justice")],
            guess: None,
            claims: &["busy justice < busy baseline-fs"],
        },
        LessonStep {
            title: "What the guess rests on",
            text: &[TextBlock::Text(
                "The jobs as before, but their tasks are uneven: {shortest deadline-oracle job1} to {longest \
                    deadline-oracle job1}, less work in all. Every deadline that could be met can still be met.",
            )],
            scene: VARIED.showing(0, 3000),
            spots: &[StepTarget::Policy("justice")],
            guess: Some(Guess {
                question: "With equal tasks Justice was as good as the oracle. And with less work, but uneven?",
                options: &[
                    "Still as good: {met deadline-oracle}",
                    "Better than the oracle",
                    "{met justice} met, where the oracle meets {met deadline-oracle}",
                ],
                right: 2,
                answer: &[TextBlock::Text(
                    "{met justice}. The average says that three cores are enough, but a stage ends with its \
                        **longest task**: a job with three of them starts its fourth task late and ends after its \
                        deadline. What it had is wasted.",
                )],
                reveal: Some(Reveal {
                    scene: VARIED.at(9000).choosing(&["job5"]),
                    spots: &[StepTarget::Response("justice"), StepTarget::Panel("deadline-oracle")],
                }),
            }),
            claims: &["met justice * 2 <= met deadline-oracle", "work job1 = 12"],
        },
        LessonStep {
            title: "Now you",
            text: &[TextBlock::Points(&[
                "Give the jobs more time in the editor. From when on is fair sharing as good as Justice?",
                "Make the tasks of the jobs equal again, but shorter than in the first step. What does Justice \
                    meet now?",
                "Set *bootstrap jobs* among Justice's parameters: it learns longer before it decides.",
            ])],
            scene: VARIED,
            spots: &[StepTarget::Policy("justice")],
            guess: None,
            claims: &[],
        },
    ],
};
