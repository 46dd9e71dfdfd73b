//! What other papers published of their schedulers, as scenarios: PAF, BoPF, Justice and Decima's heuristics.
//!
//! They are listed apart from [`ENTRIES`](super::ENTRIES), because the page loads them only when they are opened. What
//! comes out beside what was published is in [`fidelity::papers`](crate::fidelity::papers).

pub mod paf;

use super::{Entry, Made, Section};

/// Which paper, in [`Entry::source`].
const PAF: &str = "Chen, Wang and Li: Performance-Aware Fair Scheduling (INFOCOM '18)";

/// The scenarios, in the order in which they are listed.
pub const ENTRIES: &[Entry] = &[
    Entry {
        section: Section::Papers,
        name: "paf-packing",
        title: "PAF: six tasks in three slots",
        look_for: "Six uneven tasks on three cores: beside the long one, the others fit one after another, and run \
                   faster where the core is warm already. With twice the cores the job is hardly sooner done.",
        policies: "fifo",
        source: PAF,
        made: Made::Written(paf::packing),
    },
    Entry {
        section: Section::Papers,
        name: "paf-two-jobs",
        title: "PAF: 16 + 16 slots become 8 + 24",
        look_for: "KMeans hardly gains from more than 8 slots, PageRank from each up to 24. PAF moves 8 slots: PageRank \
                   ends a fifth sooner, and KMeans is hardly slower.",
        policies: "paf,baseline-fs",
        source: PAF,
        made: Made::Written(paf::two_jobs),
    },
    Entry {
        section: Section::Papers,
        name: "paf-three-jobs",
        title: "PAF: weights 12, 3 and 1 on 128 slots",
        look_for: "The fair shares are 96, 24 and 8 slots. PAF takes 61 from KMeans, which keeps nine tenths of its \
                   progress, and the two others run twice as fast. Compare alpha 0.99: 20 slots move.",
        policies: "ujf,paf",
        source: PAF,
        made: Made::Written(paf::three_jobs),
    },
];
