//! UWFQ, User Weighted Fair Queuing: two-level virtual time, over users and over each user's jobs
//! (the SoCC '25 paper, Algorithms 1 to 3).

mod literal;
mod released;

pub use literal::Literal;
pub use literal::Literal as Uwfq;
pub use released::Released;

use super::Info;

/// What a reader should know of UWFQ.
pub const INFO: Info = Info {
    id: "uwfq",
    title: "UWFQ",
    summary: "The job that would end first if users shared the cores, and each user's jobs that share, goes first.",
};
