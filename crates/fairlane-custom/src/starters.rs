//! Programs to start from, as files in `programs/`.

/// A program to start from.
pub struct Starter {
    /// Its name, that of its file.
    pub id: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// The registered policy that gives the same schedules, if there is one.
    pub same_as: Option<&'static str>,
    /// The program.
    pub program: &'static str,
}

macro_rules! starters {
    ($($id:literal $title:literal $same_as:expr;)*) => {
        &[$(Starter {
            id: $id,
            title: $title,
            same_as: $same_as,
            program: include_str!(concat!("../programs/", $id, ".rhai")),
        }),*]
    };
}

/// The programs, the shortest first.
pub const STARTERS: &[Starter] = starters! {
    "fifo" "FIFO" Some("fifo");
    "fair" "Fair" Some("fair");
    "ujf" "User-Job Fairness" Some("ujf");
    "shortest-job" "Shortest job first" None;
    "least-attained" "Least attained service" None;
    "earliest-deadline" "Earliest deadline first" None;
    "multi-level-feedback" "Multi-level feedback" None;
    "lottery" "Lottery" None;
    "decayed-usage" "Decayed usage" Some("decay");
    "cfq" "Cluster Fair Queuing" Some("cfq");
    "karma" "Karma" Some("karma");
    "uwfq" "User Weighted Fair Queuing" Some("uwfq");
};

/// The starter of a name.
pub fn find(id: &str) -> Option<&'static Starter> {
    STARTERS.iter().find(|starter| starter.id == id)
}
