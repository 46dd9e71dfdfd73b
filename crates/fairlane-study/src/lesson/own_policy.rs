//! Challenges that are won by a policy of the reader's own: a program in the scenario.

use super::challenge::{Challenge, ChallengeGoal, ChallengeRule, ChallengeScore, GoalSide, Par};
use super::{LessonScene, LessonStep, StepSource, StepTarget, TextBlock};
use fairlane::scenario::Edit;

/// A row of ana's reports, and a lookup of ben's behind them.
const REPORTS: &str = r#"{ "format": "fairlane/scenario@1", "name": "Challenge: your own policy",
  "description": "ana submits a report every half second, and ben waits behind them.",
  "cluster": { "executors": 2, "cores_per_executor": 4 },
  "users": [{ "name": "ana" }, { "name": "ben" }],
  "jobs": [
    { "user": "ana", "name": "report1", "arrival_s": 0.0, "stages": [{ "work_s": 16, "partitions": 16 }] },
    { "user": "ana", "name": "report2", "arrival_s": 0.5, "stages": [{ "work_s": 16, "partitions": 16 }] },
    { "user": "ana", "name": "report3", "arrival_s": 1.0, "stages": [{ "work_s": 16, "partitions": 16 }] },
    { "user": "ana", "name": "report4", "arrival_s": 1.5, "stages": [{ "work_s": 16, "partitions": 16 }] },
    { "user": "ana", "name": "report5", "arrival_s": 2.0, "stages": [{ "work_s": 16, "partitions": 16 }] },
    { "user": "ana", "name": "report6", "arrival_s": 2.5, "stages": [{ "work_s": 16, "partitions": 16 }] },
    { "user": "ben", "name": "lookup", "arrival_s": 5.5, "stages": [{ "work_s": 8, "partitions": 8 }] } ] }"#;

/// Jobs of which UWFQ misses a deadline.
const DUE: &str = r#"{ "format": "fairlane/scenario@1", "name": "Challenge: no deadline missed",
  "description": "Five jobs with deadlines.",
  "cluster": { "executors": 2, "cores_per_executor": 4 },
  "users": [{ "name": "ana" }, { "name": "ben" }, { "name": "cem" }],
  "jobs": [
    { "user": "ana", "name": "slow", "arrival_s": 0, "deadline_s": 16, "stages": [{ "work_s": 32, "partitions": 32 }] },
    { "user": "ben", "name": "middle", "arrival_s": 0, "deadline_s": 7.5, "stages": [{ "work_s": 24, "partitions": 24 }] },
    { "user": "cem", "name": "soon", "arrival_s": 0, "deadline_s": 4.5, "stages": [{ "work_s": 16, "partitions": 16 }] },
    { "user": "ben", "name": "last", "arrival_s": 2, "deadline_s": 10, "stages": [{ "work_s": 16, "partitions": 16 }] },
    { "user": "cem", "name": "quick", "arrival_s": 4, "deadline_s": 2.5, "stages": [{ "work_s": 8, "partitions": 8 }] } ] }"#;

/// Estimates that put the jobs into the wrong order.
const LIES: &str = r#"{ "format": "fairlane/scenario@1", "name": "Challenge: wrong estimates",
  "description": "ana's job is sixteen times as large as she says, and everybody else's is smaller.",
  "cluster": { "executors": 2, "cores_per_executor": 4 },
  "users": [{ "name": "ana" }, { "name": "ben" }, { "name": "cem" }],
  "jobs": [
    { "user": "ana", "name": "big", "arrival_s": 0, "estimate_s": 4, "stages": [{ "work_s": 64, "partitions": 64 }] },
    { "user": "ben", "name": "sales", "arrival_s": 0.5, "estimate_s": 40, "stages": [{ "work_s": 8, "partitions": 8 }] },
    { "user": "cem", "name": "stock", "arrival_s": 0.5, "estimate_s": 40, "stages": [{ "work_s": 8, "partitions": 8 }] },
    { "user": "ben", "name": "costs", "arrival_s": 3, "estimate_s": 40, "stages": [{ "work_s": 8, "partitions": 8 }] },
    { "user": "cem", "name": "taxes", "arrival_s": 3, "estimate_s": 40, "stages": [{ "work_s": 8, "partitions": 8 }] } ] }"#;

/// One user with many small jobs, another with one large job.
const SMALL: &str = r#"{ "format": "fairlane/scenario@1", "name": "Challenge: below UWFQ",
  "description": "Six small jobs of ana's and a large one of ben's.",
  "cluster": { "executors": 2, "cores_per_executor": 4 },
  "users": [{ "name": "ana" }, { "name": "ben" }],
  "jobs": [
    { "user": "ana", "name": "a1", "arrival_s": 0, "stages": [{ "work_s": 8, "partitions": 8 }] },
    { "user": "ana", "name": "a2", "arrival_s": 0, "stages": [{ "work_s": 8, "partitions": 8 }] },
    { "user": "ana", "name": "a3", "arrival_s": 0, "stages": [{ "work_s": 8, "partitions": 8 }] },
    { "user": "ana", "name": "a4", "arrival_s": 0, "stages": [{ "work_s": 8, "partitions": 8 }] },
    { "user": "ana", "name": "a5", "arrival_s": 0, "stages": [{ "work_s": 8, "partitions": 8 }] },
    { "user": "ana", "name": "a6", "arrival_s": 0, "stages": [{ "work_s": 8, "partitions": 8 }] },
    { "user": "ben", "name": "large", "arrival_s": 0, "stages": [{ "work_s": 24, "partitions": 24 }] } ] }"#;

/// The edit that gives the scenario a program.
macro_rules! program {
    ($text:expr) => {
        || vec![Edit::parameter("custom", "program", $text)]
    };
}

pub(super) const PROTECT: Challenge = Challenge {
    id: "own-protect",
    step: LessonStep {
        title: "Your own policy: protect ben",
        text: &[TextBlock::Text(
            "ben's lookup takes {response fifo lookup}, because ana's reports arrived first. **Write a policy** under which \
                it takes at most half a second longer than under UWFQ, {response uwfq lookup}, and ana's reports no \
                more than a tenth longer.",
        )],
        scene: LessonScene::new(StepSource::Own(REPORTS), "fifo"),
        spots: &[StepTarget::Write],
        guess: None,
        claims: &[
            "response uwfq lookup = 1.5",
            "mean-of uwfq ana <= 1.1 * mean-of fifo ana",
            "1.1 * mean-of fifo ana < mean-of ujf ana",
        ],
    },
    goal: ChallengeGoal {
        words: "Response time of lookup",
        figure: "response $ lookup",
        side: GoalSide::AtMost,
        limit: "0.5 + response uwfq lookup @ start",
    },
    free: &["policies"],
    rules: &[ChallengeRule {
        words: "ana's mean response is at most a tenth longer",
        claim: "mean-of $ ana <= 1.1 * mean-of fifo ana @ start",
    }],
    most_changes: None,
    by_program: true,
    par: Par {
        score: ChallengeScore { value: 1.5, changes: 2 },
        edits: program!("job.estimate"),
        policies: "custom",
    },
};

pub(super) const DEADLINES: Challenge = Challenge {
    id: "own-deadlines",
    step: LessonStep {
        title: "Your own policy: no deadline missed",
        text: &[TextBlock::Text(
            "Of five jobs with deadlines UWFQ gets {met uwfq} done in time and FIFO {met fifo}. **Write a policy** that \
                misses none.",
        )],
        scene: LessonScene::new(StepSource::Own(DUE), "uwfq"),
        spots: &[StepTarget::Write],
        guess: None,
        claims: &["met uwfq < jobs ana + jobs ben + jobs cem", "met cfq < jobs ana + jobs ben + jobs cem"],
    },
    goal: ChallengeGoal {
        words: "Deadlines met",
        figure: "met $",
        side: GoalSide::AtLeast,
        limit: "jobs ana + jobs ben + jobs cem @ start",
    },
    free: &["policies"],
    rules: &[],
    most_changes: None,
    by_program: true,
    par: Par {
        score: ChallengeScore { value: 5.0, changes: 2 },
        edits: program!("deadline"),
        policies: "custom",
    },
};

pub(super) const ESTIMATES: Challenge = Challenge {
    id: "own-estimates",
    step: LessonStep {
        title: "Your own policy: wrong estimates",
        text: &[TextBlock::Text(
            "UWFQ trusts estimates. ana's says {estimate big} of work where there are {work big}, and the mean response is \
                {mean uwfq}. **Write a policy** that halves it.",
        )],
        scene: LessonScene::new(StepSource::Own(LIES), "uwfq"),
        spots: &[StepTarget::Write],
        guess: None,
        claims: &["mean decay = 4.2", "mean uwfq = mean sjf-cp"],
    },
    goal: ChallengeGoal {
        words: "Mean response time",
        figure: "mean $",
        side: GoalSide::AtMost,
        limit: "0.5 * mean uwfq @ start",
    },
    free: &["policies"],
    rules: &[],
    most_changes: None,
    by_program: true,
    par: Par {
        score: ChallengeScore { value: 4.2, changes: 2 },
        edits: program!("job.attained"),
        policies: "custom",
    },
};

pub(super) const MEAN: Challenge = Challenge {
    id: "own-mean",
    step: LessonStep {
        title: "Your own policy: below UWFQ's mean",
        text: &[TextBlock::Text(
            "Shortest job first has a mean of {mean sjf-cp}, but ben waits. UWFQ has {mean uwfq} and ends his job within a \
                second of its ideal. **Write a policy** that keeps this bound and beats UWFQ's mean by a twentieth.",
        )],
        scene: LessonScene::new(StepSource::Own(SMALL), "uwfq"),
        spots: &[StepTarget::Write],
        guess: None,
        claims: &["ideal large + 1 < finish sjf-cp large", "finish uwfq large <= ideal large + 1"],
    },
    goal: ChallengeGoal {
        words: "Mean response time",
        figure: "mean $",
        side: GoalSide::AtMost,
        limit: "0.95 * mean uwfq @ start",
    },
    free: &["policies"],
    rules: &[ChallengeRule {
        words: "ben's job ends at most a second after its ideal",
        claim: "finish $ large <= ideal large + 1 @ start",
    }],
    most_changes: None,
    by_program: true,
    par: Par {
        score: ChallengeScore { value: 4.86, changes: 2 },
        edits: program!("#{ \"ben has time\": !(now >= 4.0 && user.index == 1), shortest: job.estimate }"),
        policies: "custom",
    },
};
