//! Shortest first, and what it costs: Decima's heuristics on one large and three small jobs.

use super::{Guess, Lesson, LessonScene, LessonStep, Reveal, StepSource, StepTarget, TextBlock};

/// Eight executors of one core; a stage's tasks take up to three times as long the more of them run, and moving an
/// executor to another job takes 0.2 s. `alpha` is weighted fair's.
macro_rules! scenario {
    ($title:literal, $alpha:literal) => {
        concat!(
            r#"{ "format": "fairlane/scenario@1", "name": "Lesson: shortest first"#, $title, r#"",
  "description": "One large and three small queries at once; wide stages are slow.",
  "cluster": { "executors": 8, "cores_per_executor": 1, "core_move_s": 0.2 }, "policies": { "wfair": { "alpha": "#,
      $alpha, r#" } },
  "users": [{ "name": "ana" }, { "name": "ben" }, { "name": "cem" }, { "name": "dora" }],
  "jobs": [
    { "user": "ana", "name": "report", "arrival_s": 0, "stages": ["#,
            scenario!(stage "8", "8"), ",", scenario!(stage "8", "8"), ",", scenario!(stage "8", "8"), ",",
            scenario!(stage "8", "8"), ",", scenario!(stage "8", "8"), ",", scenario!(stage "8", "8"), r#"] },
    { "user": "ben", "name": "query", "arrival_s": 0, "stages": ["#, scenario!(stage "8", "16"), ",",
        scenario!(stage "8", "16"), r#"] },
    { "user": "cem", "name": "sample", "arrival_s": 0, "stages": ["#, scenario!(stage "6", "12"), r#"] },
    { "user": "dora", "name": "lookup", "arrival_s": 0, "stages": ["#, scenario!(stage "4", "8"), "] } ] }"
        )
    };
    (stage $work:literal, $tasks:literal) => {
        concat!(
            r#"{ "work_s": "#, $work, r#", "partitions": "#, $tasks,
            r#", "splittable": false, "inflation": [[2, 1], [8, 3]] }"#
        )
    };
}

const FAIR: &str = scenario!("", "0");
const BY_SIZE: &str = scenario!(", shares by size", "1");

const PAGE: LessonScene = LessonScene::new(StepSource::Own(FAIR), "fifo,sjf-cp,wfair");

/// Mean response and core time under a policy.
macro_rules! row {
    ($title:literal, $policy:literal) => {
        &[
            $title,
            concat!("{mean ", $policy, "}"),
            concat!("{response ", $policy, " lookup}"),
            concat!("{response ", $policy, " query}"),
            concat!("{busy ", $policy, "}"),
        ]
    };
}

pub(super) const LESSON: Lesson = Lesson {
    id: "shortest-first",
    title: "Shortest first, and what it costs",
    promise: "The rule that is best in theory, and why fair shares beat it once wide stages are slow.",
    minutes: 6,
    steps: &[
        LessonStep {
            title: "Four queries at once",
            text: &[TextBlock::Text(
                "ana's report holds {work report}, ben's query {work query}, cem's sample {work sample} and dora's \
                    lookup {work lookup}. Under FIFO the report goes first, and lookup takes {response fifo \
                    lookup}, the mean is {mean fifo}.",
            )],
            scene: PAGE.under("fifo,sjf-cp").showing(0, 2000).choosing(&["lookup"]),
            spots: &[StepTarget::Panel("fifo"), StepTarget::Policy("sjf-cp")],
            guess: Some(Guess {
                question: "**SJF-CP** serves the job with the least work first, and in it the longest path. What \
                    becomes of the mean?",
                options: &[
                    "{mean sjf-cp}",
                    "{mean fifo}: the work remains the same",
                    "{mean fifo * 1.5}: the report waits",
                ],
                right: 0,
                answer: &[TextBlock::Text(
                    "{mean sjf-cp}. lookup takes {response sjf-cp lookup} instead of {response fifo lookup}. The \
                        report takes {response sjf-cp report} instead of {response fifo report}, but it is one \
                        job and the small ones are three.",
                )],
                reveal: Some(Reveal {
                    scene: PAGE.under("fifo,sjf-cp").choosing(&["lookup"]).at(14_570),
                    spots: &[StepTarget::Response("fifo"), StepTarget::Response("sjf-cp")],
                }),
            }),
            claims: &[
                "mean sjf-cp < mean fifo * 0.8",
                "response sjf-cp lookup * 3 < response fifo lookup",
                "response fifo report < response sjf-cp report",
            ],
        },
        LessonStep {
            title: "All cores for one job",
            text: &[TextBlock::Text(
                "If every task took as long as written, no order would have a smaller mean. But wide stages are \
                    slow: executors fetch from each other, and here a task lasts three times as long when all \
                    {cores} cores work on its stage. SJF-CP always uses all cores for one job.",
            )],
            scene: PAGE.under("sjf-cp").at(2000),
            spots: &[StepTarget::Panel("sjf-cp")],
            guess: Some(Guess {
                question: "**Weighted fair** gives each job an equal share instead. Its mean?",
                options: &[
                    "Larger than {mean sjf-cp}: the short jobs have to share",
                    "{mean wfair}",
                    "{mean sjf-cp}: what one gains another loses",
                ],
                right: 1,
                answer: &[TextBlock::Text(
                    "{mean wfair}. lookup waits a little longer, but with two cores each the jobs hardly slow each \
                        other down.",
                )],
                reveal: Some(Reveal {
                    scene: PAGE.under("sjf-cp,wfair").at(5000).choosing(&["query"]),
                    spots: &[StepTarget::Panel("wfair"), StepTarget::Response("wfair")],
                }),
            }),
            claims: &["mean wfair < mean sjf-cp", "response sjf-cp lookup < response wfair lookup"],
        },
        LessonStep {
            title: "The bill",
            text: &[
                TextBlock::Table {
                    head: &["", "mean", "lookup", "query", "cores held"],
                    rows: &[row!("FIFO", "fifo"), row!("SJF-CP", "sjf-cp"), row!("Weighted fair", "wfair")],
                },
                TextBlock::Text(
                    "The work is the same in all rows, {work report + work query + work sample + work lookup}. The \
                        rest is inflation and moves between jobs. On real Spark, Decima's authors found the same \
                        order: FIFO, then shortest first, then fair.",
                ),
            ],
            scene: PAGE.choosing(&["query"]),
            spots: &[StepTarget::Overview, StepTarget::Panel("sjf-cp")],
            guess: None,
            claims: &[
                "mean wfair < mean sjf-cp < mean fifo",
                "busy wfair < busy sjf-cp",
                "response wfair query < response sjf-cp query",
            ],
        },
        LessonStep {
            title: "Shares by size?",
            text: &[TextBlock::Text(
                "Should a large job not get more? Here **alpha** of weighted fair is one: shares in proportion to \
                    the work. lookup takes {response wfair lookup} and the mean is {mean wfair}; fair shares are \
                    better. A negative alpha favours small jobs: between fair and shortest first.",
            )],
            scene: LessonScene::new(StepSource::Own(BY_SIZE), "wfair").at(3000).choosing(&["lookup"]),
            spots: &[StepTarget::Panel("wfair"), StepTarget::Policy("wfair")],
            guess: None,
            claims: &["9.9 < mean wfair"],
        },
        LessonStep {
            title: "Now you",
            text: &[TextBlock::Points(&[
                "Change alpha of weighted fair. Where is the mean least?",
                "Remove the inflation in the editor of the stages: is shortest first the best now?",
                "Let cores move at no cost (**More cluster settings**). Who gains most?",
            ])],
            scene: PAGE,
            spots: &[StepTarget::Policy("wfair")],
            guess: None,
            claims: &[],
        },
    ],
};
