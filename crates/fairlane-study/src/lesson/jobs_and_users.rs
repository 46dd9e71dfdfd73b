//! Why jobs are not users: counting jobs rewards users who have many.

use super::{Guess, Lesson, LessonScene, LessonStep, Reveal, StepSource, StepTarget, TextBlock};
use fairlane_view::view::Colouring;

const PAGE: LessonScene = LessonScene::new(StepSource::Catalog("two-users"), "fair").choosing(&["ben-1"]);

pub(super) const LESSON: Lesson = Lesson {
    id: "jobs-are-not-users",
    title: "Why jobs are not users",
    promise: "Fair to every job is unfair to whoever has only one.",
    minutes: 6,
    steps: &[
        LessonStep {
            title: "Twelve jobs against one",
            text: &[
                TextBlock::Text(
                    "ana submits {jobs ana} jobs at once, ben a single one at {arrival ben-1}. All jobs are equal: \
                        {work ben-1} each, \
                     on {cores} cores.",
                ),
                TextBlock::Text(
                    "**Fair** gives the next core to the stage with the fewest running tasks. It does not know \
                        that ana's \
                     {jobs ana} jobs belong together.",
                ),
            ],
            scene: PAGE,
            spots: &[StepTarget::Lanes, StepTarget::Panel("fair")],
            guess: Some(Guess {
                question: "While all jobs are present, what share of the cluster is ben’s by Fair’s rule?",
                options: &[
                    "Half: he is one of two users",
                    "One part in {jobs ana + jobs ben}: his job is one of that many",
                    "All of it: his job is the smallest",
                ],
                right: 1,
                answer: &[TextBlock::Text(
                    "One job, one share. But a share is paid in whole cores, and {cores} are fewer than {jobs ana \
                        + jobs ben} jobs: of jobs with \
                     equally few running tasks the first submitted goes first, so ben has no core until {start \
                     fair ben-1}. Alone on the cluster ben's job would take {alone fair ben-1}; here it takes \
                     {response fair ben-1}, and \
                     ana's jobs take {mean-of fair ana} on average. ben waits for ana's work nearly as long as ana \
                     does.",
                )],
                reveal: Some(Reveal {
                    scene: PAGE.at(8_700),
                    spots: &[StepTarget::Panel("fair"), StepTarget::Response("fair")],
                }),
            }),
            claims: &[
                "jobs ana = 12",
                "jobs ben = 1",
                "alone fair ben-1 * 3 < response fair ben-1",
                "cores < jobs ana + jobs ben",
                "arrival ben-1 < start fair ben-1",
            ],
        },
        LessonStep {
            title: "FIFO and CFQ count jobs, too",
            text: &[
                TextBlock::Text(
                    "**FIFO** makes ben wait for everything that arrived before his job: it takes {response fifo ben-1}.",
                ),
                TextBlock::Text(
                    "**CFQ** is cleverer: it works out when each stage would end if all stages shared the cores \
                        equally, and runs the \
                     one that would end first. But it still shares among stages. ben's, as long as the others and \
                     the last to arrive, would end last: {response cfq ben-1}.",
                ),
            ],
            scene: PAGE.under("fifo,fair,cfq"),
            spots: &[StepTarget::Response("fifo"), StepTarget::Response("fair"), StepTarget::Response("cfq")],
            guess: None,
            claims: &[
                "response fair ben-1 <= response fifo ben-1",
                "response fair ben-1 <= response cfq ben-1",
            ],
        },
        LessonStep {
            title: "UJF: a pool for each user",
            text: &[
                TextBlock::Text(
                    "User-job fairness divides the cluster **between users first** and only then between each \
                        user's jobs. Spark comes close to \
                     it with a fair pool per user; here it is called **UJF**.",
                ),
                TextBlock::Text(
                    "The numbers in each panel's header are the tasks that run (and wait) at the playhead, user by \
                        user.",
                ),
            ],
            scene: PAGE.at(900),
            spots: &[StepTarget::Load("fair")],
            guess: Some(Guess {
                question: "How many of the {cores} cores does ben hold at the playhead under UJF?",
                options: &["{running fair ben 0.9}, as under Fair", "{running ujf ben 0.9}", "{cores}"],
                right: 1,
                answer: &[TextBlock::Text(
                    "Two users, so half the cores each: {running ujf ben 0.9} for ben and {running ujf ana 0.9} \
                        for ana. His job takes {response ujf ben-1} instead of {response fair ben-1}.",
                )],
                reveal: Some(Reveal {
                    scene: PAGE.under("fair,ujf").at(900),
                    spots: &[StepTarget::Load("ujf"), StepTarget::Load("fair")],
                }),
            }),
            claims: &[
                "running ujf ben 0.9 = running ujf ana 0.9",
                "running fair ben 0.9 < running ujf ben 0.9 < cores",
                "response ujf ben-1 < response fair ben-1",
            ],
        },
        LessonStep {
            title: "What it costs ana",
            text: &[
                TextBlock::Text(
                    "Now look at ana. Under Fair her jobs take {mean-of fair ana} on average, under UJF {mean-of \
                        ujf ana}: she hardly \
                     notices ben, whose work is one part in {jobs ana + jobs ben}.",
                ),
                TextBlock::Text(
                    "Yet her jobs still share among themselves: the first of them ends only at {finish ujf ana-1}, \
                        although the cluster could \
                     have done it in {alone ujf ana-1}. Nobody gains from that.",
                ),
            ],
            scene: PAGE.under("fair,ujf").choosing(&[]).coloured(Colouring::Job),
            spots: &[StepTarget::ByUser, StepTarget::Panel("ujf")],
            guess: None,
            claims: &["alone ujf ana-1 * 4 < finish ujf ana-1", "mean-of ujf ana < mean-of fair ana * 1.1"],
        },
        LessonStep {
            title: "UWFQ: users first, then one job after another",
            text: &[TextBlock::Text(
                "**UWFQ** asks when each job would end if users shared the cores, and each user's jobs shared that \
                    user's part. \
                     Then it runs the job that would end first, with all cores. So a job ends about when it would \
                     with sharing, and most end sooner.",
            )],
            scene: PAGE.under("ujf").coloured(Colouring::Job),
            spots: &[StepTarget::ByUser],
            guess: Some(Guess {
                question: "ana's mean response is {mean-of ujf ana} under UJF. Under UWFQ it is …",
                options: &[
                    "shorter: {mean-of uwfq ana}",
                    "the same: the work is the same",
                    "longer: ben goes first",
                ],
                right: 0,
                answer: &[
                    TextBlock::Text(
                        "Her jobs end one after the other instead of all at the end, so their mean falls from \
                            {mean-of ujf ana} to {mean-of uwfq ana}. ben's takes {response uwfq ben-1}, sooner \
                            than under UJF with {response ujf ben-1}.",
                    ),
                    TextBlock::Text("The makespan stays what it was: {makespan ujf} and {makespan uwfq}."),
                ],
                reveal: Some(Reveal {
                    scene: PAGE.under("ujf,uwfq").coloured(Colouring::Job).at(13_260),
                    spots: &[StepTarget::Panel("uwfq"), StepTarget::ByUser],
                }),
            }),
            claims: &["mean-of uwfq ana < mean-of ujf ana", "response uwfq ben-1 <= response ujf ben-1"],
        },
        LessonStep {
            title: "Ask UWFQ why",
            text: &[
                TextBlock::Text(
                    "The decision that started ben's job: the keys are **deadlines**, smallest first. ben's is \
                        smaller than that of ana's third \
                     job, because it counts only his own work after his arrival. ana's deadlines form a chain: each of \
                     her jobs is due after the one before it.",
                ),
                TextBlock::Text(
                    "So a hundredth job of ana's would delay her own jobs and not ben's. The lesson after next \
                        explains how deadlines are set.",
                ),
            ],
            scene: PAGE.under("ujf,uwfq").at(1020).why_task("uwfq", "ben-1"),
            spots: &[StepTarget::Queue, StepTarget::Reason],
            guess: None,
            claims: &["D uwfq ben-1 0.2 < D uwfq ana-3 0.2"],
        },
        LessonStep {
            title: "Now you",
            text: &[TextBlock::Points(&[
                "Choose a job of ana's and duplicate it a few times in the tab **Job**: more jobs for her. Who is slowed down under \
                    Fair, and who under UWFQ?",
                "Move ben's job to a later time, into the middle of ana's work.",
                "Open **Users** at the side and give ben the weight of two users.",
            ])],
            scene: PAGE.under("fair,ujf,uwfq"),
            spots: &[StepTarget::Lane("ana"), StepTarget::ByUser],
            guess: None,
            claims: &[],
        },
    ],
};
