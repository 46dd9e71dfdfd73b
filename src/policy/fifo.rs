//! FIFO: jobs in the order of arrival, as Spark's `FIFOSchedulingAlgorithm` (whose job ids follow
//! submission).

use super::{Candidate, Context, Info, Policy};
use crate::ids::{Rank, StageId};

/// What a reader should know of FIFO.
pub const INFO: Info =
    Info { id: "fifo", title: "FIFO", summary: "The job that arrived first takes all the cores it can use." };

/// First in, first out. Key: (rank of arrival, stage id).
#[derive(Debug)]
pub struct Fifo;

impl Policy for Fifo {
    type Key = (Rank, StageId);

    fn new(_: Context) -> Self {
        Fifo
    }

    fn key(&self, stage: &Candidate) -> Self::Key {
        (stage.rank, stage.id)
    }
}
