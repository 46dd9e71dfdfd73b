//! What other papers published of their schedulers, as scenarios: PAF, BoPF, Justice and Decima's heuristics.
//!
//! What comes out beside what was published is in `fairlane_study::fidelity::papers`.

pub mod bopf;
pub mod paf;

use super::{CatalogDocument, CatalogSection, Entry};
use crate::scenario::Generator;
use crate::scenario::generate::{Paper, Preset};

// The papers, as in [`Entry::source`].
const BOPF: &str = "Le, Sun, Chowdhury and Liu: BoPF, bounded priority fairness";
const JUSTICE: &str = "Dimopoulos, Krintz and Wolski: Justice, a deadline-aware resource allocator";
const DECIMA: &str = "Mao et al.: Learning Scheduling Algorithms for Data Processing Clusters (SIGCOMM '19)";
const PAF: &str = "Chen, Wang and Li: Performance-Aware Fair Scheduling (INFOCOM '18)";

/// The last section of the catalog.
pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        section: CatalogSection::Papers,
        name: "paf-packing",
        title: "PAF: six tasks in three slots",
        look_for: "Six uneven tasks on three cores: beside the long one, the others fit one after another, and run \
                   faster where the core is warm already. With twice the cores the job is hardly sooner done.",
        policies: "fifo",
        source: PAF,
        made: CatalogDocument::Written(paf::packing),
    },
    Entry {
        section: CatalogSection::Papers,
        name: "paf-two-jobs",
        title: "PAF: 16 + 16 slots become 8 + 24",
        look_for: "KMeans hardly gains from more than 8 slots, PageRank from each up to 24. PAF moves 8 slots: \
            PageRank \
                   ends a fifth sooner, and KMeans is hardly slower.",
        policies: "paf,baseline-fs",
        source: PAF,
        made: CatalogDocument::Written(paf::two_jobs),
    },
    Entry {
        section: CatalogSection::Papers,
        name: "paf-three-jobs",
        title: "PAF: weights 12, 3 and 1 on 128 slots",
        look_for: "The fair shares are 96, 24 and 8 slots. PAF takes 61 from KMeans, which keeps nine tenths of its \
                   progress, and the two others run twice as fast. Compare alpha 0.99: 20 slots move.",
        policies: "ujf,paf",
        source: PAF,
        made: CatalogDocument::Written(paf::three_jobs),
    },
    Entry {
        section: CatalogSection::Papers,
        name: "paf-suite",
        title: "PAF: a synthetic suite of 60 jobs",
        look_for: "On paper PAF's transfers raise the average progress by several percent and cost nobody more than a \
                   tenth. Scheduled, the gain is gone: cores are handed around, grow cold and are taken by whoever \
                   comes first. The guarantee is about shares.",
        policies: "paf,baseline-fs",
        source: PAF,
        made: CatalogDocument::generated(suite),
    },
    Entry {
        section: CatalogSection::Papers,
        name: "bopf-growing",
        title: "BoPF: a latency queue that grows",
        look_for: "Two small bursts, then two of more than the queue's share. SP gives LQ whatever it asks for and TQ \
                   loses; DRF halves the cluster and the small bursts take twice as long. BoPF is as quick as SP \
                   while LQ keeps its promise, and TQ keeps its half.",
        policies: "drf,sp,bopf,bopf-p",
        source: BOPF,
        made: CatalogDocument::Written(bopf::growing),
    },
    Entry {
        section: CatalogSection::Papers,
        name: "bopf-eight-batch-queues",
        title: "BoPF: one latency queue beside eight batch queues",
        look_for: "Under DRF a burst gets a ninth of the cluster. BoPF serves it first, and it waits only for the \
            batch \
                   tasks that run; with runtime partitioning hardly for these.",
        policies: "drf,bopf,bopf-p",
        source: BOPF,
        made: CatalogDocument::Built(bopf::eight_batch_queues),
    },
    Entry {
        section: CatalogSection::Papers,
        name: "bopf-queues",
        title: "BoPF: hard, soft and elastic",
        look_for: "LQ-0 gets a hard guarantee of 27 s for each burst, LQ-1 a soft one, and LQ-2 asks for too much. \
            BoPF \
                   needs 44 s for LQ-0 because tasks of 25 s are not preempted; with runtime partitioning it needs the \
                   27 s that it promised.",
        policies: "drf,sp,n-bopf,bopf,bopf-p",
        source: BOPF,
        made: CatalogDocument::Written(bopf::three_queues),
    },
    Entry {
        section: CatalogSection::Papers,
        name: "justice-severe",
        title: "Justice: eight times more work than the cores can do",
        look_for: "A job is due after the time it would take alone. Fair sharing gives all too little and meets almost \
                   no deadline; Justice starts a job only with all the cores that it needs and drops the others.",
        policies: "baseline-fs,reactive-fs,deadline-oracle,justice",
        source: JUSTICE,
        made: CatalogDocument::generated(severe),
    },
    Entry {
        section: CatalogSection::Papers,
        name: "justice-uneven",
        title: "Justice: tasks that differ by a fifth",
        look_for: "The same jobs, but the lengths of a job's tasks differ. Justice learns an average, a stage ends \
            with \
                   its longest task: jobs miss their deadlines by a little, and what they had is wasted.",
        policies: "baseline-fs,reactive-fs,deadline-oracle,justice",
        source: JUSTICE,
        made: CatalogDocument::generated(uneven),
    },
    Entry {
        section: CatalogSection::Papers,
        name: "decima-batch",
        title: "Decima: 20 TPC-H queries at once",
        look_for: "FIFO makes the small queries wait for large ones. Shortest first is better, but puts all \
            executors on \
                   one query, where they slow each other down; fair shares are better still. Move alpha of weighted \
                   fair: with 1 the large queries take all.",
        policies: "fifo,sjf-cp,wfair",
        source: DECIMA,
        made: CatalogDocument::generated(batch),
    },
    Entry {
        section: CatalogSection::Papers,
        name: "decima-stream",
        title: "Decima: TPC-H queries one after the other",
        look_for: "200 queries keep the cluster busy to 85 %. Where many are there at once, a policy shows what it is \
                   worth: equal shares make all of them late, shortest first wastes cores on wide stages.",
        policies: "fifo,sjf-cp,wfair",
        source: DECIMA,
        made: CatalogDocument::generated(stream),
    },
];

/// A preset under seed 1.
fn drawn(name: &str, preset: Preset) -> Generator {
    Generator { name: name.to_owned(), seed: 1, ..preset.into() }
}

/// Figure 10's suite on the cluster that is as scarce as the paper's large one; each job is a stage.
fn suite() -> Generator {
    drawn("PAF: a synthetic suite", Paper::Paf.preset())
}

/// Figure 2 with few cores and deadlines of the time alone.
fn severe() -> Generator {
    drawn("Justice: deadlines on a crowded cluster", Paper::Justice.preset())
}

/// The same with tasks whose lengths differ by up to a fifth within a job.
fn uneven() -> Generator {
    let preset = Paper::Justice.preset().with("spread", 0.2);
    drawn("Justice: deadlines on a crowded cluster", preset.expect("a fifth is within the range"))
}

/// Figure 9a.
fn batch() -> Generator {
    drawn("Decima: 20 TPC-H queries at once", Paper::Decima.preset())
}

/// Figure 9b, with 200 of its 1000 queries.
fn stream() -> Generator {
    let preset = Paper::Decima.preset().with("queries", 200.0).and_then(|preset| preset.with("load", 0.85));
    drawn("Decima: TPC-H queries one after the other", preset.expect("values within their ranges"))
}
