//! Recorded workloads as scenarios of Fairlane: [Spark's event logs](spark), and
//! [tables](table) with a row for each task. And back: a scenario as a program that plays it on a real cluster.
//!
//! Pure like the simulator: whoever calls it reads the files. Uses `fairlane` and nothing else of ours; the page, the
//! command and the tests use it. What is carried over, and what is not, is in `docs/importing.md`.
//!
//! The feature `parquet` adds tables in Parquet files, which a browser does without, and `parquet-zstd` those that zstd
//! has compressed.

#![deny(missing_docs)]

pub mod spark;
pub mod table;
