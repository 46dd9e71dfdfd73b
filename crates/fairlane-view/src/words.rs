//! What the words on the page mean, each in one sentence: for hints where they stand, for the page's list of words, and
//! for the guide.

/// A word and what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// The word as it stands on the page.
    pub term: &'static str,
    /// What it means, as the rest of a sentence that the word begins.
    pub meaning: &'static str,
}

macro_rules! words {
    ($($name:ident = $term:literal: $meaning:literal;)*) => {
        $(#[doc = concat!("The word *", $term, "*.")]
        pub const $name: Word = Word { term: $term, meaning: $meaning };)*
        /// All words, in an order in which each is explained by those before it.
        pub const WORDS: &[Word] = &[$($name),*];
    };
}

words! {
    USER = "user": "somebody who submits jobs, and has a weight";
    JOB = "job": "work that a user submits at once, and waits for";
    STAGE = "stage": "a part of a job whose tasks can run side by side";
    TASK = "task": "the piece of a stage that one core runs to its end";
    CORE = "core": "runs one task at a time";
    EXECUTOR = "executor": "a process with several cores, often a machine";
    ARRIVAL = "arrival": "when a job is submitted";
    QUEUE = "queue": "tasks that could run but have no core";
    WAIT = "wait": "the time from a job's arrival to its answer: its response time";
    ANSWER = "answer": "the end of a job's last task";
    MEAN = "mean": "the average wait of all jobs";
    P95 = "p95": "95 of 100 jobs waited no longer";
    IDEAL = "ideal": "cores shared like a fluid: always among the users with work, by weight, then among each user's jobs";
    TIMES = "×": "how many times the wait is that of the ideal";
    POLICY = "policy": "the rule that says whose task gets a free core";
    KEY = "key": "the number by which a policy orders the queue, smallest first";
    WEIGHT = "weight": "a user of weight 2 is owed twice the cores of a user of weight 1";
    POOL = "pool": "a named share of Spark's own scheduler";
    ESTIMATE = "estimate": "the work that a policy believes a job has";
    CORE_SECOND = "core-second": "what one core does in a second";
    SKEW = "skew": "slices of equal data that take unequal time";
    STRAGGLER = "straggler": "the task for which the other cores of its stage idle";
    INVERSION = "inversion": "a job waits behind one that the policy would have put after it";
    TASK_LENGTH = "task length": "what a policy with -P cuts stages into: the advisory task runtime (ATR) of runtime partitioning";
    VIRTUAL_TIME = "virtual time": "a clock that goes slower the more users share the cores";
    MICRO_BATCH = "micro-batch": "a job of a stream: triggered every so often, and never two at a time";
    ATTEMPT = "attempt": "one run of a task, which may be killed and made again";
    PAR = "par": "what the best solution known reaches in a challenge, and by how many changes";
    CHANGES = "changes": "how many users, jobs, fields and policies differ from the start of a challenge";
    WASTED = "wasted": "core-seconds of attempts that came to nothing";
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_word_is_there_once_and_begins_a_sentence() {
        let terms: BTreeSet<_> = WORDS.iter().map(|word| word.term).collect();
        assert_eq!(terms.len(), WORDS.len());
        for word in WORDS {
            assert!(!word.meaning.ends_with('.') && word.meaning.chars().count() <= 130, "{}", word.term);
        }
    }
}
