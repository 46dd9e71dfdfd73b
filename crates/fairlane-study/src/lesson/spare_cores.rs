//! Who can spare a core? PAF on two jobs, one of which hardly gains from more than two cores.

use super::{Guess, Lesson, LessonScene, LessonStep, Reveal, StepSource, StepTarget, TextBlock};

/// Eight cores, and two jobs whose tasks become longer the more of them run; `alpha` is PAF's.
macro_rules! scenario {
    ($title:literal, $alpha:literal) => {
        concat!(
            r#"{ "format": "fairlane/scenario@1", "name": "Lesson: who can spare a core?"#, $title, r#"",
  "description": "kmeans hardly gains from more than two cores, pagerank from every one.",
  "cluster": { "executors": 2, "cores_per_executor": 4 }, "policies": { "paf": { "alpha": "#, $alpha, r#" } },
  "users": [{ "name": "ana" }, { "name": "ben" }],
  "jobs": [
    { "user": "ana", "name": "kmeans", "arrival_s": 0, "curve": [[1, 0.5], [2, 0.9], [4, 0.95], [8, 1]], "stages": [{ "work_s": 40, "partitions": 80, "splittable": false, "inflation": [[1, 1], [2, 1.1111], [4, 2.1053], [8, 4]] }] },
    { "user": "ben", "name": "pagerank", "arrival_s": 0, "curve": [[1, 0.15], [4, 0.6], [6, 0.85], [8, 1]], "stages": [{ "work_s": 100, "partitions": 200, "splittable": false, "inflation": [[4, 1], [6, 1.0588], [8, 1.2]] }] } ] }"#
        )
    };
}

const FILE: &str = scenario!("", "0.9");
const STRICT: &str = scenario!(" A strict promise", "0.99");

const PAGE: LessonScene = LessonScene::new(StepSource::Own(FILE), "paf,baseline-fs").choosing(&["pagerank"]);

/// Progress of both jobs with a number of cores.
macro_rules! row {
    ($cores:literal) => {
        &[
            concat!("{", $cores, "}"),
            concat!("{progress kmeans ", $cores, "}"),
            concat!("{progress pagerank ", $cores, "}"),
        ]
    };
}

pub(super) const LESSON: Lesson = Lesson {
    id: "who-can-spare-a-core",
    title: "Who can spare a core?",
    promise: "Equal shares are not equally useful: PAF moves cores to where they help, and bounds what it costs.",
    minutes: 6,
    steps: &[
        LessonStep {
            title: "Equal shares, unequal use",
            text: &[
                TextBlock::Text(
                    "ana's kmeans and ben's pagerank share {cores} cores. Both curves were measured before: this \
                        is each job's progress, in percent of that with all cores.",
                ),
                TextBlock::Table {
                    head: &["cores", "kmeans", "pagerank"],
                    rows: &[row!("1"), row!("2"), row!("4"), row!("6"), row!("8")],
                },
                TextBlock::Text(
                    "Fair sharing gives each {cores / 2}. kmeans takes {response baseline-fs kmeans} so, and \
                        pagerank {response baseline-fs pagerank}.",
                ),
            ],
            scene: PAGE.under("baseline-fs").at(5000),
            spots: &[StepTarget::Panel("baseline-fs"), StepTarget::Load("baseline-fs")],
            guess: None,
            claims: &[
                "running baseline-fs ana 5 = cores / 2",
                "running baseline-fs ben 5 = cores / 2",
                "progress kmeans 4 - progress kmeans 2 < progress pagerank 6 - progress pagerank 4",
            ],
        },
        LessonStep {
            title: "A transfer",
            text: &[TextBlock::Text(
                "**PAF**, performance-aware fair scheduling, starts from the same shares. Then, core by core, the \
                    job that loses least gives one to the job that gains most, for as long as the gain is larger.",
            )],
            scene: PAGE.showing(0, 1000).choosing(&["kmeans"]),
            spots: &[StepTarget::Policy("paf")],
            guess: Some(Guess {
                question: "kmeans gives up half of its cores. It took {response baseline-fs kmeans}. And now?",
                options: &[
                    "About twice as long: {response baseline-fs kmeans * 2}",
                    "{response paf kmeans}",
                    "{response baseline-fs kmeans}: PAF keeps everybody's share",
                ],
                right: 1,
                answer: &[TextBlock::Text(
                    "{response paf kmeans}: with {running paf ana 5} cores it still makes {progress kmeans 2} of \
                        its best progress. pagerank, which now has {running paf ben 5}, takes {response paf \
                        pagerank} instead of {response baseline-fs pagerank}.",
                )],
                reveal: Some(Reveal {
                    scene: PAGE.choosing(&["kmeans"]).at(21_780),
                    spots: &[StepTarget::Response("paf"), StepTarget::Response("baseline-fs")],
                }),
            }),
            claims: &[
                "running paf ana 5 = 2",
                "running paf ben 5 = 6",
                "response paf kmeans < response baseline-fs kmeans * 1.1",
                "response paf pagerank * 1.2 < response baseline-fs pagerank",
                "mean paf < mean baseline-fs",
            ],
        },
        LessonStep {
            title: "Where it stops",
            text: &[
                TextBlock::Text(
                    "Nobody is left with less than the part **alpha** of the progress at the fair share. kmeans \
                        would make {progress kmeans 4} there; with two cores it keeps {progress kmeans 2 % \
                        progress kmeans 4} of that, with one only {progress kmeans 1 % progress kmeans 4}.",
                ),
                TextBlock::Text(
                    "The tab Why shows it for each job: fair share, minimum, the progress at each, and who gave \
                        how much to whom.",
                ),
            ],
            scene: PAGE.at(5000).why("paf"),
            spots: &[StepTarget::Queue, StepTarget::Panel("paf")],
            guess: None,
            claims: &[
                "90 < progress kmeans 2 % progress kmeans 4",
                "progress kmeans 1 % progress kmeans 4 < 90",
            ],
        },
        LessonStep {
            title: "A strict promise",
            text: &[TextBlock::Text(
                "Alpha was nine tenths. Here it is nearly one: a job may lose a hundredth of its progress and no more.",
            )],
            scene: LessonScene::new(StepSource::Own(STRICT), "paf,baseline-fs").showing(0, 1000),
            spots: &[StepTarget::Policy("paf")],
            guess: Some(Guess {
                question: "What is left of pagerank's gain?",
                options: &[
                    "Nearly all: a hundredth is enough to give",
                    "About half of it",
                    "Nothing: the first core would cost kmeans too much",
                ],
                right: 2,
                answer: &[TextBlock::Text(
                    "Nothing. kmeans with one core less keeps {progress kmeans 3 % progress kmeans 4}, which is \
                        not enough, so that both schedules are the same. How much PAF helps depends on the curves: \
                        in the paper, even a strict alpha leaves most of the gain.",
                )],
                reveal: Some(Reveal {
                    scene: LessonScene::new(StepSource::Own(STRICT), "paf,baseline-fs").at(5000),
                    spots: &[StepTarget::Load("paf"), StepTarget::Load("baseline-fs")],
                }),
            }),
            claims: &[
                "progress kmeans 3 % progress kmeans 4 < 99",
                "response paf pagerank = response baseline-fs pagerank",
            ],
        },
        LessonStep {
            title: "What the promise does not say",
            text: &[
                TextBlock::Text(
                    "The promise is about **shares**, not about a job's end. Here each job is one long stage and \
                        keeps its cores. In a workload of many jobs, cores are handed around, grow cold and wait \
                        for stragglers, and a job may lose more than it was promised. The docs have figures \
                        (*Reproducing the papers*).",
                ),
                TextBlock::Points(&[
                    "Raise and lower alpha among PAF's parameters: where does the second core begin to move?",
                    "Give ana a weight of three. Her fair share grows; does kmeans keep it?",
                    "Delete kmeans' curve in the editor of the job: without one a job keeps its fair share.",
                ]),
            ],
            scene: PAGE,
            spots: &[StepTarget::Policy("paf")],
            guess: None,
            claims: &[],
        },
    ],
};
